//! The sizes of the network of a run: one for grids, or one for any set of points.

use super::{FilmFnoConfig, SlicesConfig};
use crate::Error;

/// Sizes of either kind of network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Backbone {
    /// A Fourier neural operator, which needs a grid.
    Fno(FilmFnoConfig),
    /// Attention over learned slices of any points.
    Slices(SlicesConfig),
}

impl Backbone {
    /// Refuses sizes that define no network.
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

    /// Channels of the input field.
    pub fn input_channels(&self) -> usize {
        match self {
            Self::Fno(sizes) => sizes.input_channels,
            Self::Slices(sizes) => sizes.input_channels,
        }
    }
}
