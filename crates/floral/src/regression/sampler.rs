//! A sampler: how realizations of one query's solution deviate from its mean, each from its own random
//! numbers.

use floral_linalg::{Mat, MatRef, symmetric_eigen};
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;

use super::remainder::Remainder;
use crate::{Error, Result};

/// Factors are kept until they hold this share of the variance; the remainder has the rest.
const KEPT: f64 = 0.995;

/// Realizations made together, and values of them: a block of factors stays in the cache.
const BLOCK: usize = 16;
const TILE: usize = 1024;

/// Draws deviations of realizations from the mean of one query's solution. The mean is left to the
/// caller: beside a large one, f32 would lose the spread.
///
/// One realization takes all its random numbers from one generator, so that the realization of a
/// number is the same however many are drawn, in whatever blocks.
pub struct Sampler {
    /// Values of a realization: channels times points.
    values: usize,
    /// [factor, value].
    factors: Vec<f32>,
    remainder: Remainder,
}

impl Sampler {
    /// fields: [factor][value]; variance: in total, at least the sum of the fields' squares.
    pub(super) fn new(
        fields: &[Vec<f64>],
        variance: &[f64],
        remainder: impl FnOnce(Vec<f32>) -> Remainder,
    ) -> Result<Self> {
        let factors = orthogonal(fields, variance)?;
        let mut left = variance.to_vec();
        for factor in factors.chunks_exact(variance.len().max(1)) {
            let parts = left.iter_mut().zip(factor);
            parts.for_each(|(left, f)| *left -= f64::from(*f).powi(2));
        }
        let deviation = left.iter().map(|v| v.max(0.0).sqrt() as f32).collect();
        Ok(Self {
            values: variance.len(),
            factors,
            remainder: remainder(deviation),
        })
    }

    /// Number of values of a realization.
    pub fn values(&self) -> usize {
        self.values
    }

    /// Number of factors that a realization is made of.
    pub fn factors(&self) -> usize {
        self.factors.len() / self.values.max(1)
    }

    /// The deviation of one realization: [channel, point].
    pub fn draw(&self, rng: &mut impl Rng, out: &mut [f32]) {
        self.block(std::slice::from_mut(rng), out);
    }

    /// A realization per generator, the same as single draws: [realization, channel, point].
    pub fn draw_many<R: Rng + Send>(&self, rngs: &mut [R], out: &mut [f32]) {
        let blocks = out.par_chunks_mut(BLOCK * self.values.max(1));
        blocks
            .zip(rngs.par_chunks_mut(BLOCK))
            .for_each(|(out, rngs)| self.block(rngs, out));
    }

    fn block<R: Rng>(&self, rngs: &mut [R], out: &mut [f32]) {
        let (values, count) = (self.values, self.factors());
        let mut normals = vec![0.0; rngs.len() * count];
        for (rng, normals) in rngs.iter_mut().zip(normals.chunks_mut(count.max(1))) {
            normals
                .iter_mut()
                .for_each(|v| *v = StandardNormal.sample(rng));
        }
        for first in (0..values).step_by(TILE) {
            let tile = first..values.min(first + TILE);
            for (j, out) in out.chunks_exact_mut(values).enumerate() {
                let out = &mut out[tile.clone()];
                out.fill(0.0);
                for (k, normal) in normals[j * count..(j + 1) * count].iter().enumerate() {
                    let factor = &self.factors[k * values..][tile.clone()];
                    out.iter_mut()
                        .zip(factor)
                        .for_each(|(o, f)| *o += normal * f);
                }
            }
        }
        for (rng, out) in rngs.iter_mut().zip(out.chunks_exact_mut(values)) {
            self.remainder.add(rng, out);
        }
    }
}

/// Orthogonal combinations of the fields, largest first, as many as hold most of the variance.
fn orthogonal(fields: &[Vec<f64>], variance: &[f64]) -> Result<Vec<f32>> {
    let values = variance.len();
    let all = fields.concat();
    let all = MatRef::from_column_major_slice(&all, values, fields.len());
    let gram: Mat<f64> = all.transpose() * all;
    let failed = || Error::Numerical {
        what: "the factors of realizations could not be made orthogonal".into(),
        advice: "is the input like those that were trained on?".into(),
    };
    let (squares, vectors) = symmetric_eigen(&gram).ok_or_else(failed)?;
    let enough = KEPT * variance.iter().sum::<f64>();
    let mut held = 0.0;
    let needed = squares.iter().take_while(|square| {
        let more = held < enough && **square > 0.0;
        held += square.max(0.0);
        more
    });
    let kept = needed.count();
    let product = all * vectors.subcols(0, kept);
    let field = |k: usize| (0..values).map(move |p| (p, k));
    let places = (0..kept).flat_map(field);
    Ok(places.map(|place| product[place] as f32).collect())
}
