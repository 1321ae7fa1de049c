//! The elements of a figure's SVG, in the order of drawing.

use usvg::{FontResolver, Group, Image, ImageKind, Node, Options, Paint, Transform, Tree};

use super::{FONT, standalone};
use crate::draw::png::pixels;
use floral::{Error, Result};

/// Parses an SVG; all text uses the built-in font.
pub(in crate::draw) fn drawing(svg: &str) -> Result<Tree> {
    let mut options = Options {
        font_resolver: FontResolver {
            select_font: Box::new(|_, fonts| fonts.faces().next().map(|face| face.id)),
            select_fallback: Box::new(|_, _, _| None),
        },
        ..Options::default()
    };
    options.fontdb_mut().load_font_data(FONT.to_vec());
    Tree::from_str(&standalone(svg), &options).map_err(|error| undrawable(&error))
}

pub(super) fn undrawable(reason: &dyn std::fmt::Display) -> Error {
    Error::Undrawable {
        reason: reason.to_string(),
    }
}

/// Calls `visit` with every path, image and text and its transform, from back to front.
pub(in crate::draw) fn walk(
    group: &Group,
    place: Transform,
    visit: &mut dyn FnMut(&Node, Transform) -> Result<()>,
) -> Result<()> {
    for node in group.children() {
        match node {
            Node::Group(group) => walk(group, place.pre_concat(group.transform()), visit)?,
            node => visit(node, place)?,
        }
    }
    Ok(())
}

/// The width and the pixels of an image.
pub(super) fn pixels_of(image: &Image) -> Result<(usize, Vec<[u8; 4]>)> {
    let found = match image.kind() {
        ImageKind::PNG(file) => pixels(file),
        _ => None,
    };
    found.ok_or_else(|| undrawable(&"an image in it is not a PNG of this program"))
}

/// The colour of a paint. Figures have no gradients or patterns.
pub(super) fn colour(paint: &Paint) -> [u8; 3] {
    match paint {
        Paint::Color(colour) => [colour.red, colour.green, colour.blue],
        _ => [0; 3],
    }
}
