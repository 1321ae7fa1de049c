//! The network of a run: one of grids, or one of points.

use super::{FilmFnoConfig, SlicesConfig};
use crate::Error;

/// The sizes of a network of either kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Backbone {
    /// A Fourier neural operator, which needs a grid.
    Fno(FilmFnoConfig),
    /// Attention over learned slices of any points.
    Slices(SlicesConfig),
}

impl Backbone {
    /// Whether a network of these sizes exists.
    pub fn check(&self) -> Result<(), Error> {
        match self {
            Self::Fno(sizes) => sizes.check(),
            Self::Slices(sizes) => sizes.check(),
        }
    }

    /// Channels of the condition: a, or a and G_l\[a\].
    pub fn condition_channels(&self) -> usize {
        match self {
            Self::Fno(sizes) => sizes.condition_channels,
            Self::Slices(sizes) => sizes.condition_channels,
        }
    }

    /// Channels of the field fed in.
    pub fn input_channels(&self) -> usize {
        match self {
            Self::Fno(sizes) => sizes.input_channels,
            Self::Slices(sizes) => sizes.input_channels,
        }
    }
}
