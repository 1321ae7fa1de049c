//! A checksum by which the same numbers are known again.

/// FNV-1a of 64 bits (Fowler, Noll & Vo): it tells changes, it does not withstand an adversary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checksum(u64);

impl Default for Checksum {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Checksum {
    /// With these bytes after those before.
    #[must_use]
    pub fn bytes(self, bytes: &[u8]) -> Self {
        let step = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        Self(bytes.iter().fold(self.0, step))
    }

    /// With these numbers after those before.
    #[must_use]
    pub fn numbers(self, numbers: &[f64]) -> Self {
        let step = |sum: Self, number: &f64| sum.bytes(&number.to_le_bytes());
        numbers.iter().fold(self, step)
    }

    /// As a number.
    pub fn value(self) -> u64 {
        self.0
    }
}

impl std::fmt::Display for Checksum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of the authors' test suite.
    #[test]
    fn it_is_fnv_1a() {
        assert_eq!(Checksum::default().value(), 0xcbf2_9ce4_8422_2325);
        assert_eq!(
            Checksum::default().bytes(b"a").value(),
            0xaf63_dc4c_8601_ec8c
        );
        assert_eq!(
            Checksum::default().bytes(b"foobar").to_string(),
            "85944171f73967e8"
        );
    }
}
