//! The law as readings observe it: covariances among the readings, and with all values.

use floral_linalg::{Mat, cholesky, solve_positive};
use rayon::prelude::*;

use super::chi_square::exceedance;
use super::readings::{Rows, refused};
use crate::Result;
use crate::law::{Brought, Deviations};

/// Least variance of a reading given the others, as a share of its own; with less, they determine
/// it.
const LEAST_SHARE: f64 = 1e-11;

/// Covariances of the law with the readings.
pub(super) struct Seen {
    pub rows: Rows,
    /// H E, with the fields E of the epistemic part: [reading, factor].
    pub unknown: Mat<f64>,
    /// Covariances of the remainder with the readings: [value, reading].
    pub remainder: Mat<f64>,
    /// The covariance of the readings that remainder and noise alone cause.
    pub local: Mat<f64>,
    /// At least one: a law without training runs has one input without factors.
    pub inputs: Vec<SeenInput>,
}

/// Covariances of one training input's runs with the readings.
pub(super) struct SeenInput {
    pub weight: f64,
    /// H g F: [reading, factor].
    pub factors: Mat<f64>,
    /// [factor, run]; at least one run.
    pub coefficients: Mat<f64>,
}

impl Seen {
    pub(super) fn new(deviations: &Deviations<'_>, unknown: &[f32], rows: Rows) -> Self {
        let values = deviations.gain.len();
        let columns: Vec<Vec<f64>> = rows
            .entries
            .par_iter()
            .map(|entries| deviations.remainder.covariances(entries))
            .collect();
        let local = Mat::from_fn(rows.len(), rows.len(), |i, j| {
            let [one, other] = [(i, j), (j, i)].map(|(i, j)| {
                let column = &columns[j];
                rows.entries[i]
                    .iter()
                    .map(|(p, f)| f * column[*p])
                    .sum::<f64>()
            });
            let noise = if i == j { rows.noise[i].powi(2) } else { 0.0 };
            0.5 * (one + other) + noise
        });
        let inputs = deviations.near.iter();
        let mut inputs: Vec<SeenInput> = inputs
            .map(|near| SeenInput::new(near, &deviations.gain, &rows))
            .collect();
        if inputs.is_empty() {
            inputs.push(SeenInput::none(rows.len()));
        }
        Self {
            unknown: fields_seen(unknown, values, &rows),
            remainder: Mat::from_fn(values, rows.len(), |p, i| columns[i][p]),
            local,
            inputs,
            rows,
        }
    }

    /// The covariance of the readings for one input's runs, if a share `smoothing` of their
    /// coefficients is noise.
    pub(super) fn covariance(&self, input: &SeenInput, smoothing: f64) -> Mat<f64> {
        let mut all = &self.local + &self.unknown * self.unknown.transpose();
        add_square(&mut all, &input.factors, smoothing * smoothing);
        all
    }

    /// Chi-square of the innovations, and the probability that it is exceeded under a normal law
    /// with the covariance of the whole mixture.
    pub(super) fn chi_square(&self) -> Result<(f64, f64)> {
        let mut all = &self.local + &self.unknown * self.unknown.transpose();
        for input in &self.inputs {
            add_square(&mut all, &input.factors, input.weight);
        }
        let inverse = Inverse::new(&all, &self.rows)?;
        let chi_square = inverse.square(&self.rows.missed);
        Ok((chi_square, exceedance(self.rows.len(), chi_square)))
    }
}

impl SeenInput {
    fn new(near: &Brought<'_>, gain: &[f32], rows: &Rows) -> Self {
        let values = gain.len();
        let fields: Vec<f32> = near
            .factors
            .chunks_exact(values.max(1))
            .flat_map(|field| field.iter().zip(gain).map(|(f, g)| f * g))
            .collect();
        let factors = fields_seen(&fields, values, rows);
        let count = factors.ncols();
        let own = near.coefficients();
        let runs = own.len() / count.max(1);
        let coefficient = |k: usize, run: usize| f64::from(own[run * count + k]);
        Self {
            weight: near.weight,
            coefficients: match runs {
                0 => Mat::zeros(count, 1),
                _ => Mat::from_fn(count, runs, coefficient),
            },
            factors,
        }
    }

    fn none(readings: usize) -> Self {
        Self {
            weight: 1.0,
            factors: Mat::zeros(readings, 0),
            coefficients: Mat::zeros(0, 1),
        }
    }
}

/// H times fields [factor, value].
fn fields_seen(fields: &[f32], values: usize, rows: &Rows) -> Mat<f64> {
    let seen: Vec<Vec<f64>> = fields
        .chunks_exact(values.max(1))
        .map(|field| rows.of(field))
        .collect();
    Mat::from_fn(rows.len(), seen.len(), |i, k| seen[k][i])
}

/// Adds weight a a'.
pub(super) fn add_square(to: &mut Mat<f64>, a: &Mat<f64>, weight: f64) {
    let square = a * a.transpose();
    for j in 0..to.ncols() {
        for i in 0..to.nrows() {
            to[(i, j)] += weight * square[(i, j)];
        }
    }
}

/// The inverse of a covariance of readings.
pub(super) struct Inverse {
    pub matrix: Mat<f64>,
    pub ln_determinant: f64,
}

impl Inverse {
    /// Inverts a covariance; refuses one that exact readings make singular.
    pub(super) fn new(covariance: &Mat<f64>, rows: &Rows) -> Result<Self> {
        let n = covariance.nrows();
        let deviation: Vec<f64> = (0..n).map(|i| covariance[(i, i)].max(0.0).sqrt()).collect();
        if let Some(i) = (0..n).find(|i| deviation[*i] == 0.0) {
            return Err(refused(
                &rows.names[i],
                "it is exact, but the prediction does not vary there; give its std or leave it out",
            ));
        }
        let scaled = Mat::from_fn(n, n, |i, j| {
            covariance[(i, j)] / (deviation[i] * deviation[j])
        });
        let mut factor = scaled.clone();
        let is_regular =
            cholesky(&mut factor) && (0..n).all(|i| factor[(i, i)] * factor[(i, i)] > LEAST_SHARE);
        let one = Mat::from_fn(n, n, |i, j| if i == j { 1.0 } else { 0.0 });
        match solve_positive(&scaled, &one).filter(|_| is_regular) {
            None => Err(singular(&scaled, rows)),
            Some(inverse) => Ok(Self {
                matrix: Mat::from_fn(n, n, |i, j| {
                    let both = 0.5 * (inverse[(i, j)] + inverse[(j, i)]);
                    both / (deviation[i] * deviation[j])
                }),
                ln_determinant: (0..n)
                    .map(|i| 2.0 * (factor[(i, i)] * deviation[i]).ln())
                    .sum(),
            }),
        }
    }

    /// z' S^-1 z.
    pub(super) fn square(&self, z: &[f64]) -> f64 {
        let n = z.len();
        let row = |i: usize| (0..n).map(|j| self.matrix[(i, j)] * z[j]).sum::<f64>();
        (0..n).map(|i| z[i] * row(i)).sum()
    }
}

/// The error that names the first reading determined by those before it.
fn singular(correlations: &Mat<f64>, rows: &Rows) -> crate::Error {
    let n = correlations.nrows();
    let mut factor: Mat<f64> = Mat::zeros(n, n);
    let mut found = n - 1;
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| factor[(i, k)] * factor[(j, k)]).sum();
            let rest = correlations[(i, j)] - sum;
            factor[(i, j)] = if i == j {
                rest.max(0.0).sqrt()
            } else {
                rest / factor[(j, j)]
            };
        }
        if factor[(i, i)].powi(2) <= LEAST_SHARE {
            found = i;
            break;
        }
    }
    refused(
        &rows.names[found],
        "the other readings determine it under the predicted law, and none has noise; give their std",
    )
}
