//! Mean and variances of the law given readings, in closed form.
//!
//! With X = [g F_j, C_j H'] at a point, the mean of component (j, r) is X (c, S_j^-1 (y - H m_jr))
//! and its variance is C_j - C_j H' S_j^-1 H C_j. The aleatoric part is the variance that would be
//! left if the mean were known, the epistemic part is the rest.

use floral_linalg::{Mat, symmetric_eigen};
use rayon::prelude::*;

use super::components::{Component, Components};
use super::seen::{Seen, SeenInput, add_square};
use crate::law::Deviations;

/// Eigenvalues below this share of the largest are taken for zero.
const RANK: f64 = 1e-12;

/// Mean and variances at every value, in units of the fit.
pub(crate) struct Shifted {
    /// The mean of deviations.
    pub mean: Vec<f64>,
    pub aleatoric: Vec<f64>,
    pub epistemic: Vec<f64>,
}

/// Sums over the runs of one training input, for every value.
struct Part {
    mean: Vec<f64>,
    square: Vec<f64>,
    epistemic: Vec<f64>,
}

impl Shifted {
    pub(super) fn new(
        deviations: &Deviations<'_>,
        unknown: &[f32],
        seen: &Seen,
        components: &Components,
    ) -> Self {
        let values = deviations.gain.len();
        let unknown = fields(unknown, values);
        let common = Common {
            covariances: &unknown * seen.unknown.transpose(),
            unknown: squares(&unknown),
            values,
        };
        let weighty = |j: &usize| components.all[*j].weight > 0.0;
        let parts: Vec<Part> = (0..components.all.len())
            .filter(weighty)
            .collect::<Vec<_>>()
            .into_par_iter()
            .map(|j| common.part(deviations, j, seen, components))
            .collect();
        let sum = |of: fn(&Part) -> &Vec<f64>| {
            let mut all = vec![0.0; values];
            for part in &parts {
                all.iter_mut().zip(of(part)).for_each(|(sum, v)| *sum += v);
            }
            all
        };
        let (mean, square) = (sum(|p| &p.mean), sum(|p| &p.square));
        let both = square.iter().zip(&mean).map(|(s, m)| (s - m * m).max(0.0));
        let both: Vec<f64> = both.collect();
        let epistemic = sum(|p| &p.epistemic);
        let epistemic = epistemic
            .iter()
            .zip(&both)
            .map(|(e, all)| e.clamp(0.0, *all));
        let epistemic: Vec<f64> = epistemic.collect();
        Self {
            aleatoric: both
                .iter()
                .zip(&epistemic)
                .map(|(all, e)| all - e)
                .collect(),
            mean,
            epistemic,
        }
    }
}

/// Quantities that all training inputs have in common.
struct Common {
    /// Covariances of the epistemic part with the readings: [value, reading].
    covariances: Mat<f64>,
    /// Epistemic variance at every value, without readings.
    unknown: Vec<f64>,
    values: usize,
}

impl Common {
    fn part(
        &self,
        deviations: &Deviations<'_>,
        j: usize,
        seen: &Seen,
        components: &Components,
    ) -> Part {
        let (input, component) = (&seen.inputs[j], &components.all[j]);
        let square = components.smoothing.powi(2);
        let factors = scaled_factors(deviations, j, self.values);
        let scaled = Mat::from_fn(input.factors.ncols(), input.factors.nrows(), |k, i| {
            square * input.factors[(i, k)]
        });
        let varies = &seen.remainder + &factors * &scaled;
        let all = &varies + &self.covariances;
        let x = beside(&factors, &all);
        let (first, second) = moments(component);
        let mean = &x * &first;
        let product = &x * &second;
        let known = known_mean(seen, input, components.smoothing);
        let removed = row_products(&(&all * &component.inverse), &all);
        let known = row_products(&(&varies * &known), &varies);
        let own = squares(&factors);
        let means = row_products(&product, &x);
        let remainder = deviations.remainder.deviation();
        let weight = component.weight;
        let variance = |p: usize| {
            let remainder = f64::from(remainder[p]).powi(2);
            square * own[p] + self.unknown[p] + remainder - removed[p]
        };
        let places = 0..self.values;
        Part {
            mean: places.clone().map(|p| mean[(p, 0)]).collect(),
            square: places
                .clone()
                .map(|p| means[p] + weight * variance(p).max(0.0))
                .collect(),
            epistemic: places
                .map(|p| weight * (self.unknown[p] - removed[p] + known[p]))
                .collect(),
        }
    }
}

/// Weighted first and second moments over runs of (c, S^-1 (y - H m)).
fn moments(component: &Component) -> (Mat<f64>, Mat<f64>) {
    let Component {
        coefficients,
        multiples,
        weights,
        ..
    } = component;
    let (factors, size) = (
        coefficients.nrows(),
        coefficients.nrows() + multiples.nrows(),
    );
    let value = |k: usize, r: usize| match k < factors {
        true => coefficients[(k, r)],
        false => multiples[(k - factors, r)],
    };
    let plain = Mat::from_fn(size, weights.len(), value);
    let weighted = Mat::from_fn(size, weights.len(), |k, r| weights[r] * value(k, r));
    let ones = Mat::from_fn(weights.len(), 1, |_, _| 1.0);
    (&weighted * ones, &weighted * plain.transpose())
}

/// The pseudo-inverse of the covariance that readings would have if the mean were known.
pub(super) fn known_mean(seen: &Seen, input: &SeenInput, smoothing: f64) -> Mat<f64> {
    let mut covariance = seen.local.clone();
    add_square(&mut covariance, &input.factors, smoothing * smoothing);
    let n = covariance.nrows();
    let Some((values, vectors)) = symmetric_eigen(&covariance) else {
        return Mat::zeros(n, n);
    };
    let least = RANK * values.first().copied().unwrap_or(0.0);
    let inverse = |k: usize| match values[k] > least && values[k] > 0.0 {
        true => 1.0 / values[k],
        false => 0.0,
    };
    let scaled = Mat::from_fn(n, n, |i, k| vectors[(i, k)] * inverse(k));
    &scaled * vectors.transpose()
}

/// g F_j: [value, factor].
fn scaled_factors(deviations: &Deviations<'_>, j: usize, values: usize) -> Mat<f64> {
    let Some(near) = deviations.near.get(j) else {
        return Mat::zeros(values, 0);
    };
    let factors = near.factors.len() / values.max(1);
    Mat::from_fn(values, factors, |p, k| {
        // The product is rounded as in `seen`.
        f64::from(near.factors[k * values + p] * deviations.gain[p])
    })
}

/// Fields [factor, value] as columns.
fn fields(fields: &[f32], values: usize) -> Mat<f64> {
    let count = fields.len() / values.max(1);
    Mat::from_fn(values, count, |p, k| f64::from(fields[k * values + p]))
}

fn beside(a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
    let first = a.ncols();
    Mat::from_fn(a.nrows(), first + b.ncols(), |p, k| match k < first {
        true => a[(p, k)],
        false => b[(p, k - first)],
    })
}

fn squares(fields: &Mat<f64>) -> Vec<f64> {
    row_products(fields, fields)
}

fn row_products(a: &Mat<f64>, b: &Mat<f64>) -> Vec<f64> {
    let row = |p: usize| (0..a.ncols()).map(move |k| a[(p, k)] * b[(p, k)]);
    (0..a.nrows()).map(|p| row(p).sum()).collect()
}
