//! Values that never vary: where all runs of an input agree, or all runs of all inputs.

use super::case::mean_field;
use super::moments::Moments;
use super::symmetry::Role;
use super::target::Parity;
use super::{Lattice, Symmetries};

/// Variances, in units of the fit, below which values do not vary.
const ROUND_OFF: f64 = 1e-20;

/// Points without spread: [channel, point] each.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fixed {
    /// Whether runs of one input differ.
    pub varies: Vec<bool>,
    /// The value that every run of every input has, if they agree; empty if they agree nowhere.
    pub values: Vec<Option<f64>>,
}

impl Fixed {
    /// From training inputs in this number of folds; from a single one, nothing follows for other
    /// inputs.
    pub(super) fn new(
        train: &Moments<'_>,
        lattice: &Lattice,
        symmetries: &Symmetries,
        folds: usize,
    ) -> Self {
        let size = train.residuals[0].len();
        if !train.has_variances() {
            return Self {
                varies: vec![true; size],
                values: Vec::new(),
            };
        }
        let even = |field: &[f64]| {
            symmetries.average(lattice, field, |motion, f| Parity::Even.apply(motion, f))
        };
        let odd = |field: &[f64]| {
            symmetries.average(lattice, field, |motion, f| motion.apply(Role::Solution, f))
        };
        let within = even(&mean_field(&train.variances));
        let solutions = train.solutions();
        let centre = odd(&mean_field(&solutions));
        let squares: Vec<Vec<f64>> = solutions
            .iter()
            .map(|field| {
                field
                    .iter()
                    .zip(&centre)
                    .map(|(v, c)| (v - c).powi(2))
                    .collect()
            })
            .collect();
        let between = even(&mean_field(&squares));
        let value = |p: usize| {
            let is_fixed = folds > 1 && within[p] <= ROUND_OFF && between[p] <= ROUND_OFF;
            is_fixed.then_some(centre[p])
        };
        let values: Vec<Option<f64>> = (0..size).map(value).collect();
        Self {
            varies: within.iter().map(|v| *v > ROUND_OFF).collect(),
            values: match values.iter().any(Option::is_some) {
                true => values,
                false => Vec::new(),
            },
        }
    }

    /// Whether runs of one input differ here.
    pub(super) fn varies(&self, place: usize) -> bool {
        self.varies[place]
    }

    /// The value of every run of every input, if there is one, framed.
    pub(super) fn value(&self, place: usize) -> Option<f64> {
        self.values.get(place).copied().flatten()
    }
}
