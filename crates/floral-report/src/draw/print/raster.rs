//! A drawing in pixels.

use tiny_skia::{ColorU8, FillRule, FilterQuality, IntSize, Pixmap, PixmapPaint};
use usvg::{Image, Node, Opacity, Transform};

use super::UNITS_PER_INCH;
use super::drawing::{colour, drawing, pixels_of, undrawable, walk};
use crate::draw::png::png_of_density;
use floral::Result;

/// A figure's SVG as a PNG file on a white background, with this number of pixels per inch.
pub fn raster(svg: &str, pixels_per_inch: u32) -> Result<Vec<u8>> {
    let tree = drawing(svg)?;
    let scale = pixels_per_inch as f32 / UNITS_PER_INCH;
    let [width, height] =
        [tree.size().width(), tree.size().height()].map(|side| (side * scale).round() as u32);
    let mut canvas = Pixmap::new(width, height).ok_or_else(|| {
        undrawable(&format!(
            "{width} x {height} pixels are too many; ask for fewer per inch"
        ))
    })?;
    canvas.fill(tiny_skia::Color::WHITE);
    let place = Transform::from_scale(scale, scale);
    walk(tree.root(), place, &mut |node, place| {
        draw(node, place, &mut canvas)
    })?;
    let opaque =
        |pixel: &tiny_skia::PremultipliedColorU8| [pixel.red(), pixel.green(), pixel.blue()];
    let pixels: Vec<[u8; 3]> = canvas.pixels().iter().map(opaque).collect();
    Ok(png_of_density(width as usize, &pixels, pixels_per_inch))
}

fn draw(node: &Node, place: Transform, canvas: &mut Pixmap) -> Result<()> {
    match node {
        Node::Path(path) => draw_path(path, place, canvas),
        Node::Image(image) => draw_image(image, place, canvas)?,
        Node::Text(text) => walk(text.flattened(), place, &mut |node, place| {
            draw(node, place, canvas)
        })?,
        // `walk` descends into groups itself.
        Node::Group(_) => (),
    }
    Ok(())
}

fn draw_path(path: &usvg::Path, place: Transform, canvas: &mut Pixmap) {
    if let Some(fill) = path.fill() {
        let paint = paint(colour(fill.paint()), fill.opacity());
        let rule = match fill.rule() {
            usvg::FillRule::NonZero => FillRule::Winding,
            usvg::FillRule::EvenOdd => FillRule::EvenOdd,
        };
        canvas.fill_path(path.data(), &paint, rule, place, None);
    }
    if let Some(stroke) = path.stroke() {
        let paint = paint(colour(stroke.paint()), stroke.opacity());
        canvas.stroke_path(path.data(), &paint, &stroke.to_tiny_skia(), place, None);
    }
}

fn paint([r, g, b]: [u8; 3], opacity: Opacity) -> tiny_skia::Paint<'static> {
    let mut paint = tiny_skia::Paint::default();
    paint.set_color_rgba8(r, g, b, opacity.to_u8());
    paint
}

/// Draws a map without smoothing: every value remains a rectangle of one colour.
fn draw_image(image: &Image, place: Transform, canvas: &mut Pixmap) -> Result<()> {
    let (width, pixels) = pixels_of(image)?;
    let bytes: Vec<u8> = pixels
        .iter()
        .flat_map(|[r, g, b, a]| {
            let pixel = ColorU8::from_rgba(*r, *g, *b, *a).premultiply();
            [pixel.red(), pixel.green(), pixel.blue(), pixel.alpha()]
        })
        .collect();
    let size = IntSize::from_wh(width as u32, (pixels.len() / width.max(1)) as u32);
    let map = size.and_then(|size| Pixmap::from_vec(bytes, size));
    let map = map.ok_or_else(|| undrawable(&"a map has no points"))?;
    let paint = PixmapPaint {
        quality: FilterQuality::Nearest,
        ..PixmapPaint::default()
    };
    canvas.draw_pixmap(0, 0, map.as_ref(), &paint, place, None);
    Ok(())
}
