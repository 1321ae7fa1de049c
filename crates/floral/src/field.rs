//! A field: the values of one or more channels on a grid.

use crate::transform::{Refused, Transforms};
use crate::{Error, Grid, Result};

/// Values on a grid, channel by channel: shape [channel, grid...], last axis fastest.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    channels: usize,
    grid_shape: Vec<usize>,
    values: Vec<f64>,
}

impl Field {
    /// A field of one channel on `grid`.
    ///
    /// # Panics
    /// If the number of values is not the number of grid points: a mistake of the caller.
    pub fn scalar(grid: &Grid, values: Vec<f64>) -> Self {
        assert_eq!(values.len(), grid.len(), "one value per grid point");
        Self {
            channels: 1,
            grid_shape: grid.shape(),
            values,
        }
    }

    /// A field from values read from outside, whose number may be wrong.
    pub fn from_values(channels: usize, grid_shape: &[usize], values: Vec<f64>) -> Result<Self> {
        let expected = grid_shape
            .iter()
            .try_fold(channels, |product, &n| product.checked_mul(n));
        if expected != Some(values.len()) {
            return Err(Error::Shape {
                what: "the list of values".into(),
                found: vec![values.len()],
                expected: [&[channels], grid_shape].concat(),
            });
        }
        Ok(Self {
            channels,
            grid_shape: grid_shape.to_vec(),
            values,
        })
    }

    /// Number of channels.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Number of points per axis.
    pub fn grid_shape(&self) -> &[usize] {
        &self.grid_shape
    }

    /// All values, channel by channel.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Puts the values as they are learned in their place; refuses the first that is not taken.
    pub(crate) fn transform(&mut self, by: &Transforms) -> std::result::Result<(), Refused> {
        let points = self.grid_shape.iter().product();
        by.apply(&mut self.values, points)
    }

    /// Gives the values away.
    pub fn into_values(self) -> Vec<f64> {
        self.values
    }
}
