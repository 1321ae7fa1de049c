//! Which build of the program this is, so that results can record it.

/// Version and commit: `0.1.0 (1a2b3c4d5e6f)`, with a `+` and the hash of what is not committed.
pub fn build() -> String {
    format!("{} ({})", env!("CARGO_PKG_VERSION"), env!("FLORAL_COMMIT"))
}
