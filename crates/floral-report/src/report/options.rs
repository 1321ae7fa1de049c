//! The options of a comparison.

use super::band::Band;
use super::questions::{Learned, SensitivityShown};
use floral::evaluate;
use floral::predict::Sampling;

/// The inputs to compare, and how to show them.
#[derive(Debug, Clone)]
pub struct Options {
    /// How predictions are made and scored.
    pub evaluation: evaluate::Options,
    /// Number of inputs to show, counted from the first.
    pub shown: usize,
    /// Number of realizations to store per input, for display.
    pub kept: usize,
    /// The meaning of bands around means.
    pub band: Band,
    /// Coordinates of the planes that show fields on three axes, by axis. Planes across the other
    /// axes go through their middle.
    pub through: Vec<(String, f64)>,
    /// Results of other commands, shown unchanged.
    pub found: Found,
    /// Version and commit of the program. Cached predictions of another build are not used.
    pub build: String,
}

/// Results of other commands.
#[derive(Debug, Clone, Default)]
pub struct Found {
    /// Sensitivity analyses.
    pub sensitivity: Vec<SensitivityShown>,
    /// Learning curves of `floral learn`.
    pub learned: Vec<Learned>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            evaluation: evaluate::Options {
                sampling: Sampling {
                    realizations: 500,
                    ..Sampling::default()
                },
                ..evaluate::Options::default()
            },
            shown: 5,
            kept: 8,
            band: Band::default(),
            through: Vec::new(),
            found: Found::default(),
            build: format!("floral {}", env!("CARGO_PKG_VERSION")),
        }
    }
}
