//! Identifies this build of the program, so that results can record it.

/// Version and commit, as in `0.1.0 (1a2b3c4d5e6f)`; uncommitted changes add `+` and their hash.
pub fn build() -> String {
    format!("{} ({})", env!("CARGO_PKG_VERSION"), env!("FLORAL_COMMIT"))
}
