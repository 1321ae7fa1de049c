//! Spread: factor fields of the training inputs, brought to a query by symmetry and resemblance.
//!
//! A realization is the mean plus factors times normal numbers. The factors' correlation comes from
//! training inputs that resemble the query, their size at each point from a predicted variance.

use floral_linalg::{Mat, MatRef, symmetric_eigen};
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

use super::Symmetries;
use super::case::Framed;
use super::kernel::{Nearest, Neighbours};
use super::symmetry::Role;

/// Factors kept of an input: realizations need no more than its leading directions.
const MOST_FACTORS: usize = 16;

/// Training fields, each possibly moved and rolled, that make up the spread of a query.
const NEAREST: usize = 6;

/// Leading factors of the centred realizations of one input over their deviation at each point.
struct Factors {
    /// [factor][channel, point].
    fields: Vec<Vec<f64>>,
}

/// The factors of every training input.
pub(super) struct Spread {
    factors: Vec<Factors>,
    neighbours: Neighbours,
}

impl Spread {
    /// realizations: [realization, channel, point] of each input.
    pub(super) fn new(
        realizations: &[&[f64]],
        values: usize,
        neighbours: Neighbours,
    ) -> Option<Self> {
        let factors = realizations.iter().map(|r| factors(r, values));
        Some(Self {
            factors: factors.collect::<Option<Vec<Factors>>>()?,
            neighbours,
        })
    }

    /// Factor fields of unit variance at every point: [factor][channel, point].
    pub(super) fn factors(&self, framed: &Framed, symmetries: &Symmetries) -> Vec<Vec<f64>> {
        let nearest = self.neighbours.nearest(framed, symmetries, NEAREST);
        let moved = nearest.iter().flat_map(|near: &Nearest| {
            let fields = self.factors[near.input].fields.iter();
            fields.map(|field| {
                let mut field = near.motion.apply(Role::Solution, field);
                field.iter_mut().for_each(|v| *v *= near.weight.sqrt());
                field
            })
        });
        unit(moved.collect())
    }
}

/// Factors scaled so that their squares sum to one at every point where any of them is not zero.
pub(super) fn unit(mut fields: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let values = fields.first().map_or(0, Vec::len);
    let mut squares = vec![0.0; values];
    for field in &fields {
        squares.iter_mut().zip(field).for_each(|(s, v)| *s += v * v);
    }
    for field in &mut fields {
        for (value, square) in field.iter_mut().zip(&squares) {
            *value /= if *square > 0.0 { square.sqrt() } else { 1.0 };
        }
    }
    fields
}

/// `count` draws of sum_k xi_k field_k(p) deviation(p), added to `out`: [realization, value].
pub(super) fn add_draws(
    fields: &[Vec<f64>],
    deviation: &[f64],
    rng: &mut impl Rng,
    out: &mut [f64],
) {
    let (values, count) = (deviation.len(), out.len() / deviation.len().max(1));
    let normal: Mat<f64> = Mat::from_fn(fields.len(), count, |_, _| StandardNormal.sample(rng));
    let scaled = fields
        .iter()
        .flat_map(|f| f.iter().zip(deviation).map(|(f, d)| f * d));
    let scaled: Vec<f64> = scaled.collect();
    let basis = MatRef::from_column_major_slice(&scaled, values, fields.len());
    let draws = basis * normal;
    for (j, realization) in out.chunks_exact_mut(values).enumerate() {
        realization
            .iter_mut()
            .enumerate()
            .for_each(|(p, value)| *value += draws[(p, j)]);
    }
}

/// The leading factors of centred realizations, by the eigenvectors of their inner products.
fn factors(realizations: &[f64], values: usize) -> Option<Factors> {
    let count = realizations.len() / values;
    if count < 2 {
        return Some(Factors { fields: Vec::new() });
    }
    let x = MatRef::from_column_major_slice(realizations, values, count);
    let mean = Mat::from_fn(values, 1, |p, _| (0..count).map(|j| x[(p, j)]).sum::<f64>());
    let centred = Mat::from_fn(values, count, |p, j| {
        x[(p, j)] - mean[(p, 0)] / count as f64
    });
    let (_, vectors) = symmetric_eigen(&(centred.transpose() * &centred))?;
    let kept = MOST_FACTORS.min(count - 1);
    let leading = vectors.subcols(0, kept);
    let product = &centred * leading;
    let fields = (0..kept).map(|k| (0..values).map(|p| product[(p, k)]).collect());
    Some(Factors {
        fields: unit(fields.collect()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};

    #[test]
    fn factors_of_realizations_have_their_correlation() {
        // Two values with correlation 1, a third independent of them.
        let draws: Vec<f64> = (0..300)
            .flat_map(|j| {
                let mut rng = stream(1, Purpose::Realization, 0, j);
                let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
                let (a, b) = (normal(), normal());
                [a, 2.0 * a, b]
            })
            .collect();
        let fields = factors(&draws, 3).unwrap().fields;
        let correlation = |p: usize, q: usize| fields.iter().map(|f| f[p] * f[q]).sum::<f64>();
        assert!((correlation(0, 1) - 1.0).abs() < 1e-9);
        assert!(correlation(0, 2).abs() < 0.2 && (correlation(2, 2) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn draws_have_the_deviation_asked_for() {
        let fields = unit(vec![vec![1.0, 0.0], vec![1.0, 2.0]]);
        let mut out = vec![0.0; 2 * 20_000];
        let mut rng = stream(2, Purpose::Realization, 0, 0);
        add_draws(&fields, &[3.0, 0.5], &mut rng, &mut out);
        for (p, deviation) in [(0, 3.0), (1, 0.5)] {
            let square: f64 = out.iter().skip(p).step_by(2).map(|v| v * v).sum();
            let ratio = square / 20_000.0 / (deviation * deviation);
            assert!((ratio - 1.0).abs() < 0.05, "{ratio}");
        }
    }
}
