//! Encodes pixels as a PNG file, and decodes them.

use std::io::Cursor;

use png::{BitDepth, ColorType, Decoder, Encoder, PixelDimensions, Unit};

/// The PNG file of an image from its pixels, row by row from the top. Three channels are a colour,
/// a fourth is the opacity.
pub fn png<const CHANNELS: usize>(width: usize, pixels: &[[u8; CHANNELS]]) -> Vec<u8> {
    file(width, pixels, None)
}

/// Like `png`, with the pixels per inch that determine the size in print.
pub(super) fn png_of_density(width: usize, pixels: &[[u8; 3]], per_inch: u32) -> Vec<u8> {
    file(width, pixels, Some(per_inch))
}

/// The width and pixels of an image with eight bits per channel; `None` for any other format.
pub(super) fn pixels<const CHANNELS: usize>(file: &[u8]) -> Option<(usize, Vec<[u8; CHANNELS]>)> {
    let mut reader = Decoder::new(Cursor::new(file)).read_info().ok()?;
    let mut bytes = vec![0; reader.output_buffer_size()?];
    let info = reader.next_frame(&mut bytes).ok()?;
    let is_meant = info.bit_depth == BitDepth::Eight && info.color_type.samples() == CHANNELS;
    let pixels = bytes[..info.buffer_size()].as_chunks().0.to_vec();
    is_meant.then_some((info.width as usize, pixels))
}

fn file<const CHANNELS: usize>(
    width: usize,
    pixels: &[[u8; CHANNELS]],
    per_inch: Option<u32>,
) -> Vec<u8> {
    const { assert!(CHANNELS == 3 || CHANNELS == 4) };
    let height = pixels.len() / width.max(1);
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, width as u32, height as u32);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_color(if CHANNELS == 4 {
        ColorType::Rgba
    } else {
        ColorType::Rgb
    });
    encoder.set_pixel_dims(per_inch.map(|per_inch| {
        let per_metre = (f64::from(per_inch) / 0.0254).round() as u32;
        PixelDimensions {
            xppu: per_metre,
            yppu: per_metre,
            unit: Unit::Meter,
        }
    }));
    let written = encoder
        .write_header()
        .and_then(|mut image| image.write_image_data(pixels.as_flattened()));
    written.expect("an image with at least one pixel, written to memory");
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_come_back_from_the_file() {
        let image: Vec<[u8; 4]> = (0..15).map(|i| [i, 2 * i, 255 - i, 7]).collect();
        assert_eq!(pixels(&png(5, &image)), Some((5, image)));
        assert_eq!(pixels::<4>(b"something else"), None);
    }

    #[test]
    fn the_density_is_stored_per_metre() {
        let file = png_of_density(1, &[[1, 2, 3]], 254);
        let at = file.windows(4).position(|w| w == b"pHYs").unwrap();
        assert_eq!(file[at + 4..at + 13], [0, 0, 39, 16, 0, 0, 39, 16, 1]);
    }
}
