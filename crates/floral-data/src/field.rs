//! A field: the values of one or more channels on a grid.

use crate::grid::Interpolation;
use crate::{Error, Grid, Result};

/// Values on a grid, channel by channel: shape [channel, grid...], last axis fastest.
///
/// ```
/// use floral_data::{Axis, Field, Grid};
///
/// let grid = Grid::new(vec![Axis::closed("x", 3)]);
/// let pressure = Field::scalar(&grid, vec![0.0, 1.0, 4.0]);
/// let velocity = Field::from_values(2, &grid.shape(), vec![1.0, 1.0, 1.0, 0.0, 0.5, 1.0])?;
/// assert_eq!((pressure.channels(), velocity.channels()), (1, 2));
/// # Ok::<(), floral_data::Error>(())
/// ```
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
    /// If the number of values is not the number of grid points, which is a mistake of the caller.
    pub fn scalar(grid: &Grid, values: Vec<f64>) -> Self {
        assert_eq!(values.len(), grid.len(), "one value per grid point");
        Self {
            channels: 1,
            grid_shape: grid.shape(),
            values,
        }
    }

    /// A field from external values, whose number is checked.
    pub fn from_values(channels: usize, grid_shape: &[usize], values: Vec<f64>) -> Result<Self> {
        let expected = grid_shape
            .iter()
            .try_fold(channels, |product, &n| product.checked_mul(n));
        if expected != Some(values.len()) {
            return Err(Error::shape(
                "the list of values",
                vec![values.len()],
                [&[channels], grid_shape].concat(),
            ));
        }
        Ok(Self {
            channels,
            grid_shape: grid_shape.to_vec(),
            values,
        })
    }

    /// Number of channels.
    #[inline]
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Number of points per axis.
    #[inline]
    pub fn grid_shape(&self) -> &[usize] {
        &self.grid_shape
    }

    /// All values, channel by channel.
    #[inline]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// All values, mutable.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Consumes the field and returns its values.
    pub fn into_values(self) -> Vec<f64> {
        self.values
    }
}

/// The field on another grid, by linear [`Interpolation`].
pub fn refined(field: &Field, from: &Grid, to: &Grid) -> Result<Field> {
    if field.grid_shape() != from.shape() || from.dimensions() != to.dimensions() {
        return Err(Error::shape(
            "the field to interpolate",
            field.grid_shape().to_vec(),
            from.shape(),
        ));
    }
    if from.coincides(to) {
        return Ok(field.clone());
    }
    let values = Interpolation::to_grid(from, to)?.apply(field.values());
    Field::from_values(field.channels(), &to.shape(), values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Axis;
    use crate::grid::refined_grid;

    #[test]
    fn linear_fields_are_refined_exactly() {
        let from = Grid::new(vec![Axis::times("t", 4, 0.2), Axis::closed("x", 5)]);
        let to = refined_grid(&from, &[12, 9]).unwrap();
        let linear = |grid: &Grid| {
            let value = |i: usize| 1.0 + 3.0 * grid.point(i)[0] - 2.0 * grid.point(i)[1];
            Field::scalar(grid, (0..grid.len()).map(value).collect())
        };
        let found = refined(&linear(&from), &from, &to).unwrap();
        for (found, expected) in found.values().iter().zip(linear(&to).values()) {
            assert!((found - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn periodic_fields_are_linear_around_the_ends() {
        let from = Grid::new(vec![Axis::periodic("x", 4)]);
        let to = refined_grid(&from, &[8]).unwrap();
        let field = Field::scalar(&from, vec![1.0, 2.0, 4.0, 3.0]);
        let found = refined(&field, &from, &to).unwrap();
        assert_eq!(found.values(), [1.0, 1.5, 2.0, 3.0, 4.0, 3.5, 3.0, 2.0]);
    }
}
