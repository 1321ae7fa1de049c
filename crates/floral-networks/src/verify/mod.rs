//! Verification: this build's results against reference numbers from a file.

pub mod network;
mod network_fixture;
pub mod reference_names;
mod reference_sizes;
mod reference_state;
mod tensors;

use std::path::Path;

use burn::tensor::Device;

pub use reference_state::ReferenceState;
pub use tensors::Tensors;

use crate::Result;

/// One quantity compared with its reference.
#[derive(Debug, Clone, PartialEq)]
pub struct Check {
    /// What was compared.
    pub quantity: String,
    /// Largest difference, relative to the largest reference value.
    pub error: f64,
    /// The largest error that counts as agreement.
    pub tolerance: f64,
}

impl Check {
    /// Compares two lists; lists of unequal length disagree.
    pub fn new(
        quantity: impl Into<String>,
        found: &[f64],
        reference: &[f64],
        tolerance: f64,
    ) -> Self {
        let largest = reference.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        let difference = found
            .iter()
            .zip(reference)
            .map(|(a, b)| (a - b).abs())
            // A NaN must not pass for agreement, and `max` would drop it.
            .fold(0.0, |a: f64, b| if a > b || a.is_nan() { a } else { b });
        let error = if found.len() == reference.len() {
            difference / largest.max(f64::MIN_POSITIVE)
        } else {
            f64::INFINITY
        };
        Self {
            quantity: quantity.into(),
            error,
            tolerance,
        }
    }

    /// Whether the error is within the tolerance; a NaN is not.
    pub fn passes(&self) -> bool {
        self.error <= self.tolerance
    }
}

/// Error of a network's velocity against the one stored in a file, relative to its largest value.
pub fn velocity_error(
    path: &Path,
    network: &crate::operator::FilmFno,
    device: &Device,
) -> Result<f64> {
    network::velocity_error(&Tensors::read(path)?, network, device)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nan_anywhere_fails_the_check() {
        for found in [[f64::NAN, 1.0], [1.0, f64::NAN]] {
            assert!(!Check::new("q", &found, &[1.0, 1.0], 1e-3).passes());
        }
        assert!(Check::new("q", &[1.0, 2.0], &[1.0, 2.0], 0.0).passes());
    }
}
