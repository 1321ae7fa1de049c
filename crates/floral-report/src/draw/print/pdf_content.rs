//! Converts a drawing to the operators of a PDF page.

use pdf_writer::types::{LineCapStyle, LineJoinStyle};
use pdf_writer::{Content, Name, Str};
use usvg::tiny_skia_path::{PathSegment, Point};
use usvg::{FillRule, LineCap, LineJoin, Node, Opacity, Path, Stroke, Text, Transform};

use super::drawing::{colour, pixels_of};
use super::pdf_font::{Letters, NAME, UNITS};
use floral::Result;

/// An image on a page.
pub(super) struct Picture {
    pub width: usize,
    /// The pixels, row by row from the top.
    pub pixels: Vec<[u8; 4]>,
}

impl Picture {
    /// The name of the image with this number.
    pub fn name(number: usize) -> String {
        format!("I{number}")
    }
}

/// The content of a page, and the objects that it refers to.
pub(super) struct Sheet {
    pub content: Content,
    pub pictures: Vec<Picture>,
    pub opacities: Vec<f32>,
    pub letters: Letters,
}

impl Sheet {
    pub fn new() -> Self {
        Self {
            content: Content::new(),
            pictures: Vec::new(),
            opacities: Vec::new(),
            letters: Letters::default(),
        }
    }

    /// The name of the opacity with this number.
    pub fn opacity_name(number: usize) -> String {
        format!("O{number}")
    }

    pub fn draw(&mut self, node: &Node, place: Transform) -> Result<()> {
        self.content.save_state();
        match node {
            Node::Path(path) => self.path(path, place),
            Node::Image(image) => {
                let (width, pixels) = pixels_of(image)?;
                self.image(Picture { width, pixels }, place);
            }
            Node::Text(text) => self.text(text, place),
            // `walk` descends into groups itself.
            Node::Group(_) => (),
        }
        self.content.restore_state();
        Ok(())
    }

    fn path(&mut self, path: &Path, place: Transform) {
        self.content.transform(matrix(place));
        if let Some(fill) = path.fill() {
            self.fill_with(colour(fill.paint()), fill.opacity());
            self.outline(path);
            match fill.rule() {
                FillRule::NonZero => self.content.fill_nonzero(),
                FillRule::EvenOdd => self.content.fill_even_odd(),
            };
        }
        if let Some(stroke) = path.stroke() {
            self.stroke_with(stroke);
            self.outline(path);
            self.content.stroke();
        }
    }

    fn outline(&mut self, path: &Path) {
        let mut last = Point::zero();
        for segment in path.data().segments() {
            match segment {
                PathSegment::MoveTo(to) => self.content.move_to(to.x, to.y),
                PathSegment::LineTo(to) => self.content.line_to(to.x, to.y),
                PathSegment::QuadTo(by, to) => self.quadratic(last, by, to),
                PathSegment::CubicTo(a, b, to) => {
                    self.content.cubic_to(a.x, a.y, b.x, b.y, to.x, to.y)
                }
                PathSegment::Close => self.content.close_path(),
            };
            last = match segment {
                PathSegment::MoveTo(to)
                | PathSegment::LineTo(to)
                | PathSegment::QuadTo(_, to)
                | PathSegment::CubicTo(_, _, to) => to,
                PathSegment::Close => last,
            };
        }
    }

    /// Raises a quadratic curve to a cubic one, because PDF has no quadratic curves.
    fn quadratic(&mut self, from: Point, by: Point, to: Point) -> &mut Content {
        let near = |end: Point| {
            [
                end.x + (by.x - end.x) * 2.0 / 3.0,
                end.y + (by.y - end.y) * 2.0 / 3.0,
            ]
        };
        let ([ax, ay], [bx, by]) = (near(from), near(to));
        self.content.cubic_to(ax, ay, bx, by, to.x, to.y)
    }

    fn stroke_with(&mut self, stroke: &Stroke) {
        self.opacity(stroke.opacity());
        let [r, g, b] = shares(colour(stroke.paint()));
        self.content.set_stroke_rgb(r, g, b);
        self.content.set_line_width(stroke.width().get());
        self.content.set_line_cap(match stroke.linecap() {
            LineCap::Butt => LineCapStyle::ButtCap,
            LineCap::Round => LineCapStyle::RoundCap,
            LineCap::Square => LineCapStyle::ProjectingSquareCap,
        });
        self.content.set_line_join(match stroke.linejoin() {
            LineJoin::Round => LineJoinStyle::RoundJoin,
            LineJoin::Bevel => LineJoinStyle::BevelJoin,
            LineJoin::Miter | LineJoin::MiterClip => LineJoinStyle::MiterJoin,
        });
        if let Some(lengths) = stroke.dasharray() {
            let lengths = lengths.iter().copied();
            self.content.set_dash_pattern(lengths, stroke.dashoffset());
        }
    }

    fn fill_with(&mut self, colour: [u8; 3], opacity: Opacity) {
        self.opacity(opacity);
        let [r, g, b] = shares(colour);
        self.content.set_fill_rgb(r, g, b);
    }

    fn opacity(&mut self, opacity: Opacity) {
        let known = self.opacities.iter().position(|o| *o == opacity.get());
        let number = known.unwrap_or_else(|| {
            self.opacities.push(opacity.get());
            self.opacities.len() - 1
        });
        let name = Self::opacity_name(number);
        self.content.set_parameters(Name(name.as_bytes()));
    }

    /// Draws an image. In PDF it fills the unit square, with its first row at the top.
    fn image(&mut self, picture: Picture, place: Transform) {
        let [width, height] = [picture.width, picture.pixels.len() / picture.width.max(1)];
        let unit =
            Transform::from_row(width as f32, 0.0, 0.0, -(height as f32), 0.0, height as f32);
        self.content.transform(matrix(place.pre_concat(unit)));
        let name = Picture::name(self.pictures.len());
        self.content.x_object(Name(name.as_bytes()));
        self.pictures.push(picture);
    }

    /// Draws letters one by one at their positions in the layout, in font units.
    fn text(&mut self, text: &Text, place: Transform) {
        for span in text.layouted() {
            let Some(fill) = &span.fill else { continue };
            self.fill_with(colour(fill.paint()), fill.opacity());
            self.content.begin_text();
            self.content.set_font(Name(NAME), UNITS);
            for glyph in &span.positioned_glyphs {
                let code = self.letters.code(glyph);
                let at = place.pre_concat(glyph.outline_transform());
                self.content.set_text_matrix(matrix(at));
                self.content.show(Str(&code.to_be_bytes()));
            }
            self.content.end_text();
        }
    }
}

fn matrix(t: Transform) -> [f32; 6] {
    [t.sx, t.ky, t.kx, t.sy, t.tx, t.ty]
}

fn shares(colour: [u8; 3]) -> [f32; 3] {
    colour.map(|channel| f32::from(channel) / 255.0)
}
