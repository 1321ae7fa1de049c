//! Pixels as a PNG file (ISO/IEC 15948): eight bits a channel, no filter.

use std::io::Write;

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};

/// The file of an image from its pixels, row by row from the top.
pub fn png(width: usize, pixels: &[[u8; 4]]) -> Vec<u8> {
    let height = pixels.len() / width.max(1);
    let mut header = Vec::new();
    header.extend_from_slice(&(width as u32).to_be_bytes());
    header.extend_from_slice(&(height as u32).to_be_bytes());
    // Depth 8, colour with transparency, and the only methods of compression, filtering and interlacing.
    header.extend_from_slice(&[8, 6, 0, 0, 0]);
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut file, b"IHDR", &header);
    chunk(&mut file, b"IDAT", &compressed(width, pixels));
    chunk(&mut file, b"IEND", &[]);
    file
}

fn compressed(width: usize, pixels: &[[u8; 4]]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    for row in pixels.chunks(width.max(1)) {
        let line = [&[0], row.as_flattened()].concat();
        encoder.write_all(&line).expect("writing to memory");
    }
    encoder.finish().expect("writing to memory")
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
    use std::io::Read;

    use super::*;

    #[test]
    fn pixels_come_back_from_the_file() {
        let pixels: Vec<[u8; 4]> = (0..15).map(|i| [i, 2 * i, 255 - i, 7]).collect();
        let file = png(5, &pixels);
        let at = file.windows(4).position(|w| w == b"IDAT").unwrap();
        let length = u32::from_be_bytes(file[at - 4..at].try_into().unwrap()) as usize;
        let mut lines = Vec::new();
        flate2::read::ZlibDecoder::new(&file[at + 4..at + 4 + length])
            .read_to_end(&mut lines)
            .unwrap();
        let rows: Vec<u8> = lines
            .chunks(21)
            .flat_map(|line| line[1..].to_vec())
            .collect();
        assert_eq!(rows, pixels.as_flattened());
    }
}
