//! Pixels as a PNG file (ISO/IEC 15948): eight bits a channel, no filter.

use std::io::{Read, Write};

use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};

/// The file of an image from its pixels, row by row from the top: three channels are a colour, the
/// fourth is how opaque it is.
pub fn png<const CHANNELS: usize>(width: usize, pixels: &[[u8; CHANNELS]]) -> Vec<u8> {
    file(width, pixels, None)
}

/// The same with its pixels per inch, from which a paper takes its size.
pub(super) fn png_of_density(width: usize, pixels: &[[u8; 3]], per_inch: u32) -> Vec<u8> {
    file(width, pixels, Some(per_inch))
}

/// The width and the pixels of a file that [`png`] wrote with four channels.
pub(super) fn pixels(file: &[u8]) -> Option<(usize, Vec<[u8; 4]>)> {
    let number = |at: usize| -> Option<usize> {
        let bytes = file.get(at..at + 4)?.try_into().ok()?;
        Some(u32::from_be_bytes(bytes) as usize)
    };
    let width = number(16)?;
    let at = file.windows(4).position(|window| window == b"IDAT")?;
    let data = file.get(at + 4..at + 4 + number(at - 4)?)?;
    let mut lines = Vec::new();
    ZlibDecoder::new(data).read_to_end(&mut lines).ok()?;
    // Each line opens with the number of its filter.
    let rows = lines.chunks_exact(1 + 4 * width).map(|line| &line[1..]);
    Some((
        width,
        rows.flat_map(|row| row.as_chunks().0).copied().collect(),
    ))
}

/// Bytes compressed as in a PNG or PDF file.
pub(super) fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("writing to memory");
    encoder.finish().expect("writing to memory")
}

fn file<const CHANNELS: usize>(
    width: usize,
    pixels: &[[u8; CHANNELS]],
    per_inch: Option<u32>,
) -> Vec<u8> {
    const { assert!(CHANNELS == 3 || CHANNELS == 4) };
    let height = pixels.len() / width.max(1);
    let mut header = Vec::new();
    header.extend_from_slice(&(width as u32).to_be_bytes());
    header.extend_from_slice(&(height as u32).to_be_bytes());
    // Depth 8, colour with or without transparency, and the only methods of compression, filtering
    // and interlacing.
    header.extend_from_slice(&[8, if CHANNELS == 4 { 6 } else { 2 }, 0, 0, 0]);
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut file, b"IHDR", &header);
    if let Some(per_inch) = per_inch {
        let per_metre = (f64::from(per_inch) / 0.0254).round() as u32;
        let both_axes = [per_metre.to_be_bytes(); 2];
        chunk(
            &mut file,
            b"pHYs",
            &[both_axes.as_flattened(), &[1]].concat(),
        );
    }
    let lines = pixels.chunks(width.max(1));
    let lines: Vec<u8> = lines
        .flat_map(|row| std::iter::once(0).chain(row.as_flattened().iter().copied()))
        .collect();
    chunk(&mut file, b"IDAT", &deflated(&lines));
    chunk(&mut file, b"IEND", &[]);
    file
}

fn chunk(file: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    let mut check = Crc::new();
    check.update(kind);
    check.update(data);
    file.extend_from_slice(&(data.len() as u32).to_be_bytes());
    file.extend_from_slice(kind);
    file.extend_from_slice(data);
    file.extend_from_slice(&check.sum().to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_come_back_from_the_file() {
        let image: Vec<[u8; 4]> = (0..15).map(|i| [i, 2 * i, 255 - i, 7]).collect();
        assert_eq!(pixels(&png(5, &image)), Some((5, image)));
        assert_eq!(pixels(b"something else"), None);
    }

    #[test]
    fn the_density_is_told_per_metre() {
        let file = png_of_density(1, &[[1, 2, 3]], 254);
        let at = file.windows(4).position(|w| w == b"pHYs").unwrap();
        assert_eq!(file[at + 4..at + 13], [0, 0, 39, 16, 0, 0, 39, 16, 1]);
    }
}
