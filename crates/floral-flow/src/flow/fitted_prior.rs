//! A prior as rough as the data: kernel family and length fitted to the correlations of the
//! targets.

use super::PriorConfig;
use crate::random::{Family, Kernel};
use crate::{Axis, Grid, Result};

/// Candidate families, roughest first. On a tie the rougher one wins, because a flow from too
/// smooth a field has to invent its small scales.
const FAMILIES: [(&str, Family); 3] = [
    ("matern12", Family::Exponential),
    ("matern32", Family::Matern32),
    ("matern52", Family::Matern52),
];

/// Number of candidate lengths, which run from 0.005 to 1 of the domain in equal ratios.
const LENGTHS: usize = 40;

/// A smoother family must reduce the error by this fraction.
const BETTER: f64 = 0.05;

/// Sums from which correlations along the axes are computed.
#[derive(Debug, Clone)]
pub struct Correlations {
    shape: Vec<usize>,
    /// [axis][lag]: distance in unit coordinates, sum of products of pairs, number of pairs.
    lags: Vec<Vec<(f64, f64, f64)>>,
    square: (f64, f64),
}

impl Correlations {
    /// Empty sums for fields on a grid.
    pub fn new(grid: &Grid) -> Self {
        let of_axis = |axis: &Axis| {
            let doubled = std::iter::successors(Some(1), |lag| Some(2 * lag));
            let lags = doubled.take_while(|lag| 2 * lag <= axis.len());
            let step = axis.spacing();
            lags.map(|lag| (lag as f64 * step, 0.0, 0.0)).collect()
        };
        Self {
            shape: grid.shape(),
            lags: grid.unit().axes.iter().map(of_axis).collect(),
            square: (0.0, 0.0),
        }
    }

    /// Adds fields of mean zero, in units of their standard deviation: [.., grid...].
    pub fn push(&mut self, fields: &[f32]) {
        let points: usize = self.shape.iter().product();
        for field in fields.chunks_exact(points) {
            let square: f64 = field.iter().map(|v| f64::from(*v).powi(2)).sum();
            self.square = (self.square.0 + square, self.square.1 + points as f64);
            for axis in 0..self.shape.len() {
                self.push_axis(field, axis);
            }
        }
    }

    fn push_axis(&mut self, field: &[f32], axis: usize) {
        let stride: usize = self.shape[axis + 1..].iter().product();
        let n = self.shape[axis];
        for (k, (_, sum, count)) in self.lags[axis].iter_mut().enumerate() {
            let lag = 1 << k;
            for p in (0..field.len()).filter(|p| p / stride % n + lag < n) {
                *sum += f64::from(field[p]) * f64::from(field[p + lag * stride]);
                *count += 1.0;
            }
        }
    }

    /// Pairs of distance and correlation.
    fn found(&self) -> Vec<(f64, f64)> {
        let variance = self.square.0 / self.square.1.max(1.0);
        let lags = self.lags.iter().flatten();
        lags.filter(|(_, _, count)| *count > 0.0 && variance > 0.0)
            .map(|(distance, sum, count)| (*distance, sum / count / variance))
            .collect()
    }

    /// The candidate prior closest to these correlations, with the other settings of `like`.
    pub fn prior(&self, like: &PriorConfig) -> Result<PriorConfig> {
        let found = self.found();
        let mut best: Option<(f64, &str, f64)> = None;
        for (name, family) in FAMILIES {
            for i in 0..LENGTHS {
                let length = 0.005 * 200f64.powf(i as f64 / (LENGTHS - 1) as f64);
                let kernel = Kernel::new(family, length, 1.0)?;
                let miss = |(r, c): &(f64, f64)| (kernel.covariance(*r) - c).powi(2);
                let error: f64 = found.iter().map(miss).sum();
                let is_better = |(least, other, _): &(f64, &str, f64)| {
                    let factor = if *other == name { 1.0 } else { 1.0 - BETTER };
                    error < factor * least
                };
                if best.as_ref().is_none_or(is_better) {
                    best = Some((error, name, length));
                }
            }
        }
        Ok(match best {
            Some((_, name, length)) => PriorConfig {
                kernel: name.into(),
                length,
                ..like.clone()
            },
            None => like.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};

    #[test]
    fn distances_are_those_of_the_unit_coordinates_of_the_prior() {
        let grid = Grid::new(vec![Axis::closed("y", 5), Axis::periodic("x", 4)]);
        let lags = Correlations::new(&grid).lags;
        let distances = lags
            .iter()
            .map(|lags| lags.iter().map(|lag| lag.0).collect());
        let distances: Vec<Vec<f64>> = distances.collect();
        assert_eq!(distances, [[0.25, 0.5], [0.25, 0.5]]);
    }

    #[test]
    fn the_prior_of_draws_of_a_prior_is_that_prior() {
        let grid = Grid::new(vec![Axis::closed("x", 128)]);
        for (kernel, length) in [("matern12", 0.1), ("matern32", 0.2)] {
            let config = PriorConfig {
                kernel: kernel.into(),
                length,
                ..PriorConfig::default()
            };
            let prior = config.on(&grid).unwrap();
            let mut correlations = Correlations::new(&grid);
            let mut field = vec![0.0; 128];
            for j in 0..4000 {
                prior.draw(&mut stream(1, Purpose::Prior, 0, j), &mut field);
                correlations.push(&field);
            }
            let found = correlations.prior(&config).unwrap();
            assert_eq!(found.kernel, kernel);
            assert!((found.length / length).ln().abs() < 0.2, "{}", found.length);
        }
    }
}
