//! A drawing in pixels, by resvg.

use floral::Result;
use tiny_skia::{Color, Pixmap, Transform};

use super::UNITS_PER_INCH;
use super::drawing::{drawing, undrawable};
use crate::draw::png::png_of_density;

/// A figure's SVG as a PNG file on white, this many pixels per inch.
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
    canvas.fill(Color::WHITE);
    let scaled = Transform::from_scale(scale, scale);
    resvg::render(&tree, scaled, &mut canvas.as_mut());
    let opaque = canvas.pixels().iter();
    let pixels: Vec<[u8; 3]> = opaque
        .map(|pixel| [pixel.red(), pixel.green(), pixel.blue()])
        .collect();
    Ok(png_of_density(width as usize, &pixels, pixels_per_inch))
}
