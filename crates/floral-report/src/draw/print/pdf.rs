//! A drawing as a PDF file of one page (ISO 32000-1).

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use pdf_writer::writers::{ExtGraphicsState, ImageXObject, Resources};
use pdf_writer::{Filter, Finish, Name, Pdf, Rect, Ref, TextStr};
use usvg::Transform;

use super::UNITS_PER_INCH;
use super::drawing::{drawing, walk};
use super::pdf_content::{Picture, Sheet};
use super::pdf_font;
use floral::Result;

/// Points, the unit of PDF, per inch.
const POINTS_PER_INCH: f32 = 72.0;

const CATALOG: Ref = Ref::new(1);
const PAGES: Ref = Ref::new(2);
const PAGE: Ref = Ref::new(3);
const CONTENT: Ref = Ref::new(4);
const INFORMATION: Ref = Ref::new(5);
/// The first object of the font.
const FONT: Ref = Ref::new(6);
/// The first object of the images; each image is followed by its mask.
const IMAGES: i32 = FONT.get() + pdf_font::PARTS;

/// A figure's SVG as a PDF file of its size. Lines remain vector graphics, and text remains text.
pub fn pdf(svg: &str) -> Result<Vec<u8>> {
    let tree = drawing(svg)?;
    let scale = POINTS_PER_INCH / UNITS_PER_INCH;
    let [width, height] = [tree.size().width(), tree.size().height()].map(|side| side * scale);
    // PDF coordinates increase upwards from the lower edge of the page.
    let place = Transform::from_row(scale, 0.0, 0.0, -scale, 0.0, height);
    let mut sheet = Sheet::new();
    walk(tree.root(), place, &mut |node, place| {
        sheet.draw(node, place)
    })?;

    let mut pdf = Pdf::new();
    // Version 1.4 is the first with opacity; every LaTeX accepts it.
    pdf.set_version(1, 4);
    pdf.catalog(CATALOG).pages(PAGES);
    pdf.pages(PAGES).kids([PAGE]).count(1);
    let mut page = pdf.page(PAGE);
    page.media_box(Rect::new(0.0, 0.0, width, height));
    page.parent(PAGES).contents(CONTENT);
    resources(&mut page.resources(), &sheet);
    page.finish();
    pdf.document_info(INFORMATION).producer(TextStr("floral"));
    pdf_font::embed(&mut pdf, FONT, &sheet.letters)?;
    for (i, picture) in sheet.pictures.iter().enumerate() {
        embed(&mut pdf, image(i), picture);
    }
    let content = deflated(&sheet.content.finish());
    pdf.stream(CONTENT, &content).filter(Filter::FlateDecode);
    Ok(pdf.finish())
}

fn image(number: usize) -> Ref {
    Ref::new(IMAGES + 2 * number as i32)
}

/// Declares the names by which the content refers to fonts, images and opacities.
fn resources(resources: &mut Resources, sheet: &Sheet) {
    resources.fonts().pair(Name(pdf_font::NAME), FONT);
    let mut images = resources.x_objects();
    for i in 0..sheet.pictures.len() {
        images.pair(Name(Picture::name(i).as_bytes()), image(i));
    }
    images.finish();
    let mut states = resources.ext_g_states();
    for (i, opacity) in sheet.opacities.iter().enumerate() {
        let name = Sheet::opacity_name(i);
        let mut state = states
            .insert(Name(name.as_bytes()))
            .start::<ExtGraphicsState>();
        state.stroking_alpha(*opacity).non_stroking_alpha(*opacity);
    }
}

/// Writes an image and, unless it is opaque everywhere, its mask.
fn embed(pdf: &mut Pdf, at: Ref, picture: &Picture) {
    let pixels = &picture.pixels;
    let size = [picture.width, pixels.len() / picture.width].map(|side| side as i32);
    let colours: Vec<u8> = pixels
        .iter()
        .flat_map(|[r, g, b, _]| [*r, *g, *b])
        .collect();
    let opacities: Vec<u8> = pixels.iter().map(|pixel| pixel[3]).collect();
    let is_opaque = opacities.iter().all(|opacity| *opacity == u8::MAX);
    let colours = deflated(&colours);
    let mut image = start(pdf, at, size, &colours);
    image.color_space().device_rgb();
    if is_opaque {
        return;
    }
    image.s_mask(at.next());
    image.finish();
    let opacities = deflated(&opacities);
    let mut mask = start(pdf, at.next(), size, &opacities);
    mask.color_space().device_gray();
}

fn start<'a>(pdf: &'a mut Pdf, at: Ref, size: [i32; 2], data: &'a [u8]) -> ImageXObject<'a> {
    let mut image = pdf.image_xobject(at, data);
    image.filter(Filter::FlateDecode);
    image.width(size[0]).height(size[1]).bits_per_component(8);
    image
}

/// Compresses bytes for the filter `FlateDecode`.
pub(super) fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("writing to memory");
    encoder.finish().expect("writing to memory")
}
