//! Sensors: high fidelity measured at some points of each input's grid, and NaN elsewhere.

use super::Dataset;
use super::realizations::Realizations;
use crate::grid::picked;
use crate::{Error, Result};

/// The group's attribute that declares sensors: NaN in `high` means "not measured here".
pub const SENSORS: &str = "sensors";

impl Dataset {
    /// Whether NaN in `high` marks points where the input was not measured.
    pub fn has_sensors(&self) -> bool {
        self.has_high() && self.attributes().get(SENSORS).and_then(|v| v.as_bool()) == Some(true)
    }

    /// Grid indices of the points inside the domain where high fidelity of an input is known; none
    /// if these are all points.
    pub fn points_of(&self, index: usize) -> Result<Option<Vec<usize>>> {
        if let Some(known) = self.known() {
            return Ok(Some(known.kept().to_vec()));
        }
        if !self.has_sensors() {
            return Ok(self.mask().map(|mask| mask.inside().to_vec()));
        }
        let at = self.sensors_of(index, &self.high_on_grid(index)?)?;
        Ok((at.len() < self.grid().len()).then_some(at))
    }

    /// Several fields on the grid, restricted to the points where high fidelity of an input is
    /// known.
    pub fn at_known<T: Copy>(&self, index: usize, fields: Vec<T>) -> Result<Vec<T>> {
        Ok(match self.points_of(index)? {
            Some(at) => picked(&fields, self.grid().len(), &at),
            None => fields,
        })
    }

    /// Realizations at the points where they were measured: [realization, channel, point].
    pub(super) fn at_sensors(&self, index: usize, high: Realizations) -> Result<Realizations> {
        let at = self.sensors_of(index, &high)?;
        let shape = [&high.shape()[..2], &[at.len()]].concat();
        Ok(Realizations::new(
            shape,
            picked(high.values(), self.grid().len(), &at),
        ))
    }

    fn sensors_of(&self, index: usize, high: &Realizations) -> Result<Vec<usize>> {
        measured(high.values(), self.grid().len()).map_err(|why| {
            Error::bad_file(self.path(), format!("high fidelity of input {index} {why}"))
        })
    }
}

/// Why realizations or channels have no common set of measured points.
pub(super) const UNLIKE: &str = "is infinite, or was measured at other points in one realization or \
     channel than in another; leave out what not all of them have";

/// The points where every field of a stack has a value; fails unless all fields agree.
pub(super) fn measured(
    fields: &[f64],
    points: usize,
) -> std::result::Result<Vec<usize>, &'static str> {
    let mut fields = fields.chunks_exact(points.max(1));
    let first = fields.clone().next().unwrap_or_default();
    let at: Vec<usize> = (0..first.len()).filter(|&p| !first[p].is_nan()).collect();
    let agrees = |field: &[f64]| {
        let mut pairs = field.iter().zip(first);
        pairs.all(|(value, first)| value.is_nan() == first.is_nan() && !value.is_infinite())
    };
    if at.is_empty() {
        return Err("was measured nowhere; leave this input out");
    }
    if !fields.all(agrees) {
        return Err(UNLIKE);
    }
    Ok(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_known_where_every_realization_is() {
        let nan = f64::NAN;
        let measured = |values: [f64; 8]| measured(&values, 4);
        let alike = [1.0, nan, 3.0, nan, 5.0, nan, 7.0, nan];
        assert_eq!(measured(alike), Ok(vec![0, 2]));
        assert_eq!(
            measured([1.0, nan, 3.0, nan, 5.0, 6.0, 7.0, nan]),
            Err(UNLIKE)
        );
        let endless = [1.0, nan, f64::INFINITY, nan, 5.0, nan, 7.0, nan];
        assert_eq!(measured(endless), Err(UNLIKE));
        assert!(measured([nan; 8]).unwrap_err().contains("nowhere"));
    }
}
