//! Points outside the domain: those where a dataset has NaN for every input.

use super::Dataset;
use super::realizations::Realizations;
use crate::grid::{Mask, picked};
use crate::{Error, Result};

/// The group's attribute that declares a mask: points where all inputs have NaN are outside the
/// domain.
pub const MASK: &str = "mask";

impl Dataset {
    /// The points outside the domain, if there are any.
    pub fn mask(&self) -> Option<&Mask> {
        self.mask.as_deref()
    }

    /// Realizations of an input's high-fidelity solution at the points inside the domain where it
    /// is known.
    pub fn high_inside(&self, index: usize) -> Result<Realizations> {
        let high = self.high(index)?;
        match self.mask().filter(|_| !self.has_sensors()) {
            None => Ok(high),
            Some(mask) => {
                let inside = mask.inside();
                let shape = [&high.shape()[..2], &[inside.len()]].concat();
                let values = picked(high.values(), self.grid().len(), inside);
                Ok(Realizations::new(shape, values))
            }
        }
    }

    /// Several fields on the grid, restricted to the points inside the domain.
    pub fn inside(&self, fields: Vec<f64>) -> Vec<f64> {
        match self.mask() {
            Some(mask) => picked(&fields, self.grid().len(), mask.inside()),
            None => fields,
        }
    }

    /// Number of points inside the domain.
    pub fn inside_points(&self) -> usize {
        self.mask()
            .map_or(self.grid().len(), |mask| mask.inside().len())
    }

    /// Finds the mask from the first input, if the attribute declares one.
    pub(super) fn found_mask(&self) -> Result<Option<Mask>> {
        if self.attributes.get(MASK).and_then(|v| v.as_bool()) != Some(true) {
            return Ok(None);
        }
        let refuse = |reason: &str| {
            Err(Error::bad_file(
                &self.path,
                format!(
                    "its attribute {MASK} says that points are outside of the domain, {reason}"
                ),
            ))
        };
        if self.known.is_some() {
            return refuse(
                "and high fidelity is known on fewer points; interpolate it to the grid",
            );
        }
        let mut common = Common::new(self.grid.len());
        common.add(&self.input_values(0)?.0, self.input_channels());
        let solutions = self.solution_channels().unwrap_or(0);
        let high = self.high.iter().filter(|_| !self.has_sensors());
        for array in self.low.iter().chain(&self.low_realizations).chain(high) {
            common.add(&self.stored_values(array, 0)?, solutions);
        }
        match Mask::new(&self.grid.shape(), common.outside()) {
            Some(mask) => Ok(Some(mask)),
            None => refuse("but the first input has a value at all of them, or at none"),
        }
    }
}

/// Points where an input has no value: in some channel of an array, all of its fields have NaN.
#[derive(Debug, Clone)]
pub struct Common {
    points: usize,
    outside: Vec<bool>,
}

impl Common {
    /// No points yet, on a grid with this number of points.
    pub fn new(points: usize) -> Self {
        Self {
            points,
            outside: vec![false; points],
        }
    }

    /// Adds an array [.., channel, point]; fields that are entirely NaN are ignored.
    pub fn add(&mut self, values: &[f64], channels: usize) {
        let fields: Vec<&[f64]> = values.chunks_exact(self.points.max(1)).collect();
        for channel in 0..channels {
            let own = fields.iter().skip(channel).step_by(channels.max(1));
            let own = own.filter(|field| field.iter().any(|value| !value.is_nan()));
            let mut none = own.fold(None, |none: Option<Vec<bool>>, field| {
                let mut none = none.unwrap_or_else(|| vec![true; self.points]);
                let points = none.iter_mut().zip(*field);
                points.for_each(|(none, value)| *none &= value.is_nan());
                Some(none)
            });
            let points = self.outside.iter_mut().zip(none.iter_mut().flatten());
            points.for_each(|(outside, none)| *outside |= *none);
        }
    }

    /// Keeps only the points that are also outside for another input.
    pub fn and(&mut self, other: &Self) {
        let points = self.outside.iter_mut().zip(&other.outside);
        points.for_each(|(own, other)| *own &= other);
    }

    /// Whether any point is outside.
    pub fn is_some(&self) -> bool {
        self.outside.contains(&true)
    }

    /// For each point, whether it is outside.
    pub fn outside(self) -> Vec<bool> {
        self.outside
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Arrays;
    use crate::{Axis, Field, Grid};

    #[test]
    fn a_point_is_outside_where_some_channel_never_has_a_value() {
        let nan = f64::NAN;
        let of = |values: &[f64], channels: usize| {
            let mut common = Common::new(2);
            common.add(values, channels);
            common
        };
        assert!(!of(&[1.0, nan, 3.0, 4.0], 1).is_some());
        assert_eq!(of(&[1.0, nan, 3.0, nan], 1).outside(), [false, true]);
        assert_eq!(of(&[nan, nan, 3.0, nan], 1).outside(), [false, true]);
        assert_eq!(of(&[1.0, nan, 3.0, 4.0], 2).outside(), [false, true]);
        let mut first = of(&[nan, 1.0], 1);
        first.and(&of(&[1.0, nan], 1));
        assert!(!first.is_some());
    }

    fn field(values: [f64; 4]) -> Field {
        Field::from_values(1, &[4], values.to_vec()).unwrap()
    }

    #[test]
    fn points_that_no_input_has_are_outside_of_a_dataset() {
        let nan = f64::NAN;
        let mut arrays = Arrays::new(Grid::new(vec![Axis::closed("x", 4)]));
        for i in [1.0, 2.0] {
            let input = field([i, 3.0, 0.0, nan]);
            let low = field([i, 2.0, nan, nan]);
            let high = [field([4.0, i, nan, 0.0]), field([5.0, i, nan, 0.0])];
            arrays.push(&input, Some(&low), &high).unwrap();
        }
        let folder = tempfile::tempdir().unwrap();
        let dataset = arrays.write(folder.path().join("data.zarr")).unwrap();
        assert_eq!(dataset.mask().unwrap().inside(), [0, 1]);
        // Continued from the last point inside, regardless of the stored values.
        assert_eq!(dataset.input(0).unwrap().values(), [1.0, 3.0, 3.0, 3.0]);
        assert_eq!(dataset.high(1).unwrap().values()[..4], [4.0, 2.0, 2.0, 2.0]);
        let inside = dataset.high_inside(1).unwrap();
        assert_eq!(
            (inside.shape(), inside.values()),
            (&[2, 1, 2][..], &[4.0, 2.0, 5.0, 2.0][..])
        );
        assert_eq!(dataset.points_of(0).unwrap(), Some(vec![0, 1]));
        arrays
            .push(
                &field([1.0; 4]),
                Some(&field([1.0; 4])),
                &[field([1.0; 4]), field([1.0; 4])],
            )
            .unwrap();
        let refused = arrays.write(folder.path().join("other.zarr")).unwrap_err();
        assert!(refused.to_string().contains("NaN"), "{refused}");
    }
}
