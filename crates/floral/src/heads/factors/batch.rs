//! A batch: rows seen through their views, as plain arrays.

use rayon::prelude::*;

use super::channels::{Channel, factor, harmonics};
use super::row::Row;
use super::view::{Stage, View};

/// Rows with all that is needed to make batches of them.
pub(super) struct Corpus<'a> {
    pub rows: &'a [Row],
    pub channels: &'a [Channel],
    pub stage: &'a Stage<'a>,
    /// Pairs of harmonics.
    pub pairs: usize,
    /// One over the square of each row's covariance; zero without realizations.
    covariance: Vec<f32>,
    /// One over the mean square of the rows' errors; zero without any.
    error: f32,
}

/// The arrays of some rows.
pub(super) struct Batch {
    /// [row, channel, point].
    pub fed: Vec<f32>,
    /// [row, residual, value], each over the number of known values.
    pub residuals: Vec<f32>,
    /// One over the number of known values where a value is known: [row, value].
    pub weights: Vec<f32>,
    /// Errors of the mean: [row, value].
    pub errors: Vec<f32>,
    /// \[row\].
    pub covariance: Vec<f32>,
    /// \[row\].
    pub error: Vec<f32>,
}

/// One row of a batch.
struct Part {
    fed: Vec<f32>,
    residuals: Vec<f32>,
    weights: Vec<f32>,
    errors: Vec<f32>,
}

impl<'a> Corpus<'a> {
    pub(super) fn new(
        rows: &'a [Row],
        channels: &'a [Channel],
        stage: &'a Stage<'a>,
        pairs: usize,
    ) -> Self {
        let mut corpus = Self {
            rows,
            channels,
            stage,
            pairs,
            covariance: Vec::new(),
            error: 0.0,
        };
        let still = stage.still();
        let parts: Vec<Part> = (0..rows.len())
            .into_par_iter()
            .map(|row| corpus.part(row, &still, rows[row].residuals.len()))
            .collect();
        corpus.covariance = parts
            .iter()
            .map(|part| inverse(part.covariance()))
            .collect();
        let with_error = rows.iter().filter(|row| row.error.is_some()).count();
        let squares = parts.iter().map(Part::error).sum::<f64>();
        corpus.error = inverse(squares / with_error.max(1) as f64);
        corpus
    }

    /// The rows of these numbers, each through its view.
    pub(super) fn batch(&self, picks: &[(usize, View)]) -> Batch {
        let count = picks.iter().map(|(row, _)| self.rows[*row].residuals.len());
        let count = count.max().unwrap_or(0).max(1);
        let parts: Vec<Part> = picks
            .par_iter()
            .map(|(row, view)| self.part(*row, view, count))
            .collect();
        let all = |of: fn(&Part) -> &Vec<f32>| parts.iter().flat_map(of).copied().collect();
        let error = |(row, _): &(usize, View)| match self.rows[*row].error {
            Some(_) => self.error,
            None => 0.0,
        };
        Batch {
            fed: all(|part| &part.fed),
            residuals: all(|part| &part.residuals),
            weights: all(|part| &part.weights),
            errors: all(|part| &part.errors),
            covariance: picks.iter().map(|(row, _)| self.covariance[*row]).collect(),
            error: picks.iter().map(error).collect(),
        }
    }

    /// A row through a view, with `count` residuals, the last of them zero.
    fn part(&self, row: usize, view: &View, count: usize) -> Part {
        let row = &self.rows[row];
        let (full, points) = (row.points(), view.from.len());
        let known: Vec<bool> = view.from.iter().map(|&p| row.known[p]).collect();
        let solution = view.motion.channels()[1];
        let of_all = known.iter().filter(|known| **known).count() * solution;
        let weight = 1.0 / of_all.max(1) as f32;
        let mut residuals = Vec::with_capacity(count * solution * points);
        for residual in &row.residuals {
            let viewed = view.solution(residual, full);
            residuals.extend(viewed.into_iter().map(|value| weight * value));
        }
        residuals.resize(count * solution * points, 0.0);
        let weights: Vec<f32> = known
            .iter()
            .map(|known| if *known { weight } else { 0.0 })
            .collect();
        let errors = row.error.as_ref().map(|error| view.solution(error, full));
        Part {
            fed: self.fed(row, view),
            residuals,
            weights: weights.repeat(solution),
            errors: errors.unwrap_or_else(|| vec![0.0; solution * points]),
        }
    }

    fn fed(&self, row: &Row, view: &View) -> Vec<f32> {
        let points = row.points();
        let mut fed = Vec::new();
        for (channel, values) in self
            .channels
            .iter()
            .zip(row.conditions.chunks_exact(points))
        {
            let sign = factor(channel.moves, &view.motion);
            let unit =
                |value: f32| ((sign * f64::from(value) - channel.centre) / channel.unit) as f32;
            fed.extend(view.from.iter().map(|&p| unit(values[p])));
        }
        fed.extend(harmonics(&self.stage.thinned, self.pairs));
        fed
    }
}

impl Part {
    /// The sum of the squared inner products of the residuals.
    fn covariance(&self) -> f64 {
        let values = self.weights.len();
        let known = self.weights.iter().filter(|w| **w > 0.0).count() as f64;
        let fields: Vec<&[f32]> = self.residuals.chunks_exact(values).collect();
        let inner = |a: &[f32], b: &[f32]| -> f64 {
            let products = a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b));
            // Both residuals are over the number of values; their mean product is over it once.
            known * products.sum::<f64>()
        };
        let mut sum = 0.0;
        for (i, a) in fields.iter().enumerate() {
            sum += inner(a, a).powi(2);
            sum += 2.0 * fields[..i].iter().map(|b| inner(a, b).powi(2)).sum::<f64>();
        }
        sum
    }

    /// The mean square of the error.
    fn error(&self) -> f64 {
        let pairs = self.errors.iter().zip(&self.weights);
        pairs.map(|(e, w)| f64::from(e * e * w)).sum()
    }
}

fn inverse(value: f64) -> f32 {
    if value > 0.0 {
        (1.0 / value) as f32
    } else {
        0.0
    }
}
