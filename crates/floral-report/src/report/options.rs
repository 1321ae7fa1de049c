//! What a comparison is asked for.

use super::band::Band;
use super::questions::{Learned, SensitivityShown};
use floral::evaluate;
use floral::predict::Sampling;

/// What to compare, and how.
#[derive(Debug, Clone)]
pub struct Options {
    /// How the scores are taken.
    pub evaluation: evaluate::Options,
    /// How many of the inputs are shown, the first ones.
    pub shown: usize,
    /// How many realizations are kept of each to be shown.
    pub kept: usize,
    /// What bands around means are.
    pub band: Band,
    /// Coordinates of the planes on which fields on three axes are shown, by axis; those that are not
    /// given go through the middle.
    pub through: Vec<(String, f64)>,
    /// What other commands have found, shown as it is.
    pub found: Found,
    /// The program that predicts, by version and commit: another one predicts anew.
    pub build: String,
}

/// What other commands have found.
#[derive(Debug, Clone, Default)]
pub struct Found {
    /// Sensitivity analyses.
    pub sensitivity: Vec<SensitivityShown>,
    /// Loops.
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
