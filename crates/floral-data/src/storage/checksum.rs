//! A checksum that identifies contents, strong enough to decide equality.

use std::fmt;
use std::fs::File;
use std::path::Path;

use crate::{Error, Result};

/// Number of values hashed at a time.
const BLOCK: usize = 4096;

/// BLAKE3 (O'Connor, Aumasson, Neves & Wilcox-O'Hearn, 2020), chained over a list of contents: "ab"
/// differs from "a", "b".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checksum([u8; 32]);

impl Default for Checksum {
    fn default() -> Self {
        Self(blake3::hash(&[]).into())
    }
}

impl Checksum {
    /// Appends these bytes.
    #[must_use]
    pub fn bytes(self, bytes: &[u8]) -> Self {
        self.with(|hasher| {
            hasher.update(bytes);
        })
    }

    /// Appends these numbers.
    #[must_use]
    pub fn numbers(self, numbers: &[f64]) -> Self {
        self.with(|hasher| {
            for block in numbers.chunks(BLOCK) {
                let bytes: Vec<u8> = block.iter().flat_map(|n| n.to_le_bytes()).collect();
                hasher.update(&bytes);
            }
        })
    }

    /// Appends the contents of a file; an error names the file.
    pub fn file(self, path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(Error::io(path))?;
        let mut read = Ok(());
        let sum = self.with(|hasher| read = hasher.update_reader(file).map(|_| ()));
        read.map(|()| sum).map_err(Error::io(path))
    }

    /// The first 64 bits: enough to detect damage, but not to decide equality.
    pub fn short(self) -> u64 {
        let [first, ..] = self.0.as_chunks().0 else {
            return 0;
        };
        u64::from_le_bytes(*first)
    }

    /// Hashes the previous checksum followed by new contents.
    fn with(self, update: impl FnOnce(&mut blake3::Hasher)) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.0);
        update(&mut hasher);
        Self(hasher.finalize().into())
    }
}

/// The first 128 bits, in hexadecimal digits.
impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0[..16]
            .iter()
            .try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reference value for empty input.
    #[test]
    fn it_is_blake3() {
        let nothing = Checksum::default().to_string();
        assert_eq!(nothing, "af1349b9f5f9a1a6a0404dea36dcc949");
        let chained = blake3::hash(&[Checksum::default().0.as_slice(), b"floral"].concat());
        assert_eq!(Checksum::default().bytes(b"floral").0, *chained.as_bytes());
    }

    #[test]
    fn contents_order_and_division_all_count() {
        let sum = |parts: &[&[u8]]| {
            let parts = parts.iter();
            parts.fold(Checksum::default(), |sum, part| sum.bytes(part))
        };
        assert_eq!(sum(&[b"ab", b"c"]), sum(&[b"ab", b"c"]));
        assert_ne!(sum(&[b"ab", b"c"]), sum(&[b"c", b"ab"]));
        assert_ne!(sum(&[b"ab", b"c"]), sum(&[b"a", b"bc"]));
        assert_ne!(sum(&[b"ab", b""]), sum(&[b"ab"]));
    }

    #[test]
    fn numbers_are_their_bytes() {
        let numbers: Vec<f64> = (0..10_000).map(f64::from).collect();
        let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
        let sum = Checksum::default();
        assert_eq!(sum.numbers(&numbers), sum.bytes(&bytes));
        assert_ne!(sum.numbers(&[0.0]), sum.numbers(&[-0.0]));
    }
}
