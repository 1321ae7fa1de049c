//! The seal of a model file: a checksum over all of its bytes, kept in the file's own metadata.
//!
//! The digits of the checksum count as zeros while it is computed, so that it covers header, arrays
//! and padding alike. One flipped bit, or the arrays of another file under this header, break the
//! seal.

use std::ops::Range;

/// Metadata key of the checksum.
pub(super) const KEY: &str = "checksum";

/// Hexadecimal digits of a BLAKE3 checksum.
const DIGITS: usize = 64;

/// Placeholder for the checksum until the file is sealed.
pub(super) fn blank() -> String {
    "0".repeat(DIGITS)
}

/// Writes the checksum of a safetensors file into its metadata; returns false if the metadata have
/// no placeholder for it.
pub fn seal(bytes: &mut [u8]) -> bool {
    let Some(place) = place(bytes) else {
        return false;
    };
    let sum = checksum(bytes, &place);
    bytes[place].copy_from_slice(sum.as_bytes());
    true
}

/// Whether a file has a seal; refuses a file whose seal is broken.
pub(super) fn verify(bytes: &[u8]) -> Result<bool, String> {
    let Some(place) = place(bytes) else {
        return Ok(false);
    };
    if checksum(bytes, &place).as_bytes() == &bytes[place] {
        return Ok(true);
    }
    Err(
        "its checksum is not that of its contents: it is damaged, or put together from different \
         files; use another copy, or train again"
            .into(),
    )
}

/// The checksum with its own digits taken as zeros.
fn checksum(bytes: &[u8], place: &Range<usize>) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&bytes[..place.start]);
    hasher.update(blank().as_bytes());
    hasher.update(&bytes[place.end..]);
    hasher.finalize().to_hex().to_string()
}

/// Position of the digits. Quotation marks within JSON strings are escaped, so no other text
/// matches.
fn place(bytes: &[u8]) -> Option<Range<usize>> {
    let (length, rest) = bytes.split_first_chunk()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let header = rest.get(..length)?;
    let key = format!("\"{KEY}\":\"");
    let found = header
        .windows(key.len())
        .position(|window| window == key.as_bytes())?;
    let start = size_of::<u64>() + found + key.len();
    let end = start + DIGITS;
    (bytes.get(end) == Some(&b'"')).then_some(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> Vec<u8> {
        let header = format!(r#"{{"__metadata__":{{"a":"b","{KEY}":"{}"}}}}"#, blank());
        let length = (header.len() as u64).to_le_bytes();
        [&length[..], header.as_bytes(), &[1, 2, 3, 4]].concat()
    }

    #[test]
    fn every_flipped_bit_breaks_the_seal_or_removes_it() {
        let mut sealed = file();
        assert!(seal(&mut sealed));
        assert_eq!(verify(&sealed), Ok(true));
        for bit in 0..8 * sealed.len() {
            let mut flipped = sealed.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(verify(&flipped), Ok(true), "bit {bit}");
        }
    }

    #[test]
    fn a_file_without_a_place_for_it_has_no_seal() {
        for bytes in [&b""[..], &[9; 7], &[255; 20]] {
            assert_eq!(verify(bytes), Ok(false));
            assert!(!seal(&mut bytes.to_vec()));
        }
        let unsealed = file();
        assert!(verify(&unsealed).is_err(), "zeros are no checksum");
    }
}
