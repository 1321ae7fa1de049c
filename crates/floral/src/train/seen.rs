//! Fingerprints of the inputs that a run has seen, by which copies of them are found in any
//! dataset, in any order.
//!
//! The fingerprint of an input a with n values is f_k = sum_i w_ki a_i / sqrt(n), k = 1..4, with
//! fixed pseudo-random weights w_ki, uniform in (-1, 1). Unlike a checksum of the bytes it is the
//! same, up to rounding, for a copy with fewer digits or one that was converted to other units and
//! back.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::TrainConfig;
use crate::Result;
use crate::dataset::Dataset;
use crate::metric::RunningMoments;

/// Length of a fingerprint.
const NUMBERS: usize = 4;

/// Fingerprints match if they differ by less than this share of their standard deviation over the
/// seen inputs.
const TOLERANCE: f64 = 1e-6;

/// Relative error of a fingerprint from rounding in double precision.
const ROUNDING: f64 = 1e-12;

/// The fingerprint of one input.
type Fingerprint = [f64; NUMBERS];

/// Fingerprints of the validation and training inputs of a run; part of a checkpoint.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SeenInputs {
    /// Index of the first such input in the run's own dataset.
    first: usize,
    /// Shape of an input: [channel, points...].
    shape: Vec<usize>,
    /// Fingerprints in the order of the run's own dataset.
    fingerprints: Vec<Fingerprint>,
}

impl SeenInputs {
    /// Fingerprints of the validation and training inputs of a dataset.
    pub(super) fn of(config: &TrainConfig, dataset: &Dataset) -> Result<Self> {
        let split = config.split_of(dataset.inputs())?;
        let inputs = split.validation.start..split.train.end;
        Ok(Self {
            first: inputs.start,
            shape: shape(dataset),
            fingerprints: inputs
                .map(|index| fingerprint(dataset, index))
                .collect::<Result<_>>()?,
        })
    }

    /// Whether there are no fingerprints.
    pub fn is_empty(&self) -> bool {
        self.fingerprints.is_empty()
    }

    /// Whether the inputs of a dataset can be compared with these: their shape is the same.
    pub(super) fn are_comparable(&self, dataset: &Dataset) -> bool {
        !self.is_empty() && self.shape == shape(dataset)
    }

    /// Whether the dataset has each of these inputs at its original index, as far as the dataset
    /// reaches, and at least one.
    pub(super) fn are_in_place(&self, dataset: &Dataset) -> Result<bool> {
        let end = (self.first + self.fingerprints.len()).min(dataset.inputs());
        let tolerance = self.tolerance();
        for index in self.first..end {
            let found = fingerprint(dataset, index)?;
            if !are_near(&found, &self.fingerprints[index - self.first], &tolerance) {
                return Ok(false);
            }
        }
        Ok(self.first < end)
    }

    /// Indices of the inputs of a dataset that are among these.
    pub(super) fn among(&self, dataset: &Dataset, inputs: Range<usize>) -> Result<Vec<usize>> {
        let tolerance = self.tolerance();
        let mut sorted = self.fingerprints.clone();
        sorted.sort_by(|a, b| a[0].total_cmp(&b[0]));
        let mut seen = Vec::new();
        for index in inputs {
            let found = fingerprint(dataset, index)?;
            let reach = reach(found[0], tolerance[0]);
            let start = sorted.partition_point(|other| other[0] < found[0] - reach);
            let mut near = sorted[start..]
                .iter()
                .take_while(|other| other[0] <= found[0] + reach);
            if near.any(|other| are_near(&found, other, &tolerance)) {
                seen.push(index);
            }
        }
        Ok(seen)
    }

    /// Largest difference between fingerprints of the same input.
    fn tolerance(&self) -> Fingerprint {
        std::array::from_fn(|k| {
            let numbers = self.fingerprints.iter().map(|fingerprint| fingerprint[k]);
            TOLERANCE * RunningMoments::of(numbers).variance().sqrt()
        })
    }
}

fn reach(number: f64, tolerance: f64) -> f64 {
    tolerance + ROUNDING * number.abs()
}

fn are_near(one: &Fingerprint, other: &Fingerprint, tolerance: &Fingerprint) -> bool {
    let mut numbers = one.iter().zip(other).zip(tolerance);
    numbers.all(|((a, b), tolerance)| (a - b).abs() <= reach(*a, *tolerance))
}

fn shape(dataset: &Dataset) -> Vec<usize> {
    [vec![dataset.input_channels()], dataset.grid().shape()].concat()
}

fn fingerprint(dataset: &Dataset, index: usize) -> Result<Fingerprint> {
    let input = dataset.input(index)?;
    let values = input.values();
    let scale = 1.0 / (values.len().max(1) as f64).sqrt();
    Ok(std::array::from_fn(|k| {
        let weighted = values.iter().enumerate();
        let weighted = weighted.map(|(i, value)| value * scale * weight(k as u64, i as u64));
        weighted.sum()
    }))
}

/// Pseudo-random weight in (-1, 1) for each position: SplitMix64 (Steele, Lea & Flood, 2014).
fn weight(k: u64, i: u64) -> f64 {
    let mut word = (4 * i + k)
        .wrapping_add(1)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15);
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^= word >> 31;
    (word >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arrays, Axis, Field, Grid};

    const INPUTS: usize = 12;

    fn config() -> TrainConfig {
        let mut config = TrainConfig::default();
        (config.split.test, config.split.validation) = (Some(3), Some(2));
        config
    }

    /// Value of input i at point p.
    fn value(i: usize, p: usize) -> f64 {
        1.0 + ((7 * i + p) as f64).sin()
    }

    fn dataset(folder: &std::path::Path, order: &[usize], change: fn(f64) -> f64) -> Dataset {
        let grid = Grid::new(vec![Axis::closed("x", 9)]);
        let mut arrays = Arrays::new(grid.clone());
        for i in order {
            let values = (0..9).map(|p| change(value(*i, p))).collect();
            let input = Field::scalar(&grid, values);
            arrays
                .push(&input, None, std::slice::from_ref(&input))
                .unwrap();
        }
        arrays
            .write(folder.join(crate::storage::unique_name()))
            .unwrap()
    }

    #[test]
    fn copies_are_known_in_any_order_in_other_units_and_with_fewer_digits() {
        let folder = tempfile::tempdir().unwrap();
        let order: Vec<usize> = (0..INPUTS).collect();
        let own = dataset(folder.path(), &order, |v| v);
        let seen = SeenInputs::of(&config(), &own).unwrap();
        assert!(seen.are_in_place(&own).unwrap());
        assert_eq!(
            seen.among(&own, 0..INPUTS).unwrap(),
            (3..INPUTS).collect::<Vec<_>>()
        );
        let reversed: Vec<usize> = order.iter().rev().copied().collect();
        let changes: [fn(f64) -> f64; 3] = [
            |v| v,
            |v| (v * 1e3 + 273.15 - 273.15) / 1e3,
            |v| f64::from(v as f32),
        ];
        for change in changes {
            let copy = dataset(folder.path(), &reversed, change);
            assert!(!seen.are_in_place(&copy).unwrap());
            assert_eq!(
                seen.among(&copy, 0..INPUTS).unwrap(),
                (0..9).collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn inputs_that_differ_in_one_value_are_others() {
        let folder = tempfile::tempdir().unwrap();
        let order: Vec<usize> = (0..INPUTS).collect();
        let own = dataset(folder.path(), &order, |v| v);
        let seen = SeenInputs::of(&config(), &own).unwrap();
        let other = dataset(folder.path(), &order, |v| match v == value(5, 4) {
            true => v + 1e-3,
            false => v,
        });
        let found = seen.among(&other, 0..INPUTS).unwrap();
        assert_eq!(found, [3, 4, 6, 7, 8, 9, 10, 11]);
        assert!(!seen.are_in_place(&other).unwrap());
    }

    #[test]
    fn weights_are_spread_over_their_interval() {
        let weights: Vec<f64> = (0..4000).map(|i| weight(i % 4, i / 4)).collect();
        let mean = weights.iter().sum::<f64>() / 4000.0;
        assert!(mean.abs() < 0.03, "{mean}");
        assert!(weights.iter().all(|w| w.abs() < 1.0));
        assert!(weights.iter().filter(|w| **w > 0.5).count() > 900);
    }
}
