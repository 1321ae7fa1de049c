//! The law: realizations of a new input from runs of training inputs that resemble it.
//!
//! A draw takes training input j with probability w_j and one of its runs r,
//!
//!   u = m + g sum_k c_k f_jk + remainder,   c = sqrt(1 - h^2) c_jr + h xi,
//!
//! with the factors f_jk and coefficients c_jr of its centred runs (principal components, of unit
//! variance), normal numbers xi, and g(x) such that the variance is the predicted one. h = 1 gives
//! normal draws; a small h keeps modes, skewness and tails: a smoothed bootstrap (Silverman &
//! Young, Biometrika 74, 1987). The remainder is the part of the variance that the factors leave.

use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::Lattice;
use super::kernel::Nearest;
use super::realizations::Realizations;
use super::remainder::Remainder;
use super::runs::{Runs, Smoothness};
use super::scattered::neighbours;
use super::symmetry::Role;
use super::unknown::Unknown;

/// Limit of the ratio of the predicted deviation to a training input's own, and of its inverse;
/// beyond it, the runs would be more noise than shape.
const MOST_RATIO: f64 = 2.0;

/// Numbers of realizations and of values that are processed together: a block of factors stays in
/// the cache.
const BLOCK: usize = 16;
const TILE: usize = 1024;

/// The law of the coefficients.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LawKind {
    /// Resampled from training runs, with a little noise.
    #[default]
    #[serde(alias = "chosen")]
    Resampled,
    /// Normal.
    Normal,
}

impl LawKind {
    /// The share h of normal noise in a coefficient.
    fn smoothing(self) -> f64 {
        match self {
            Self::Resampled => 0.1,
            Self::Normal => 1.0,
        }
    }
}

/// The runs of every training input, from which realizations are drawn.
pub(super) struct Law {
    pub kind: LawKind,
    pub runs: Vec<Runs>,
    /// Width of the filter that makes white noise as smooth as what the factors leave: in points
    /// along each axis, or in distances between nearest neighbours of scattered points.
    pub widths: Vec<f64>,
}

impl Law {
    /// From each input's realizations, [realization, channel, point], and the size that frames
    /// them; `None` if an eigenvalue iteration does not converge.
    pub(super) fn new(
        kind: LawKind,
        realizations: &[(Realizations<'_>, f64)],
        values: usize,
        lattice: &Lattice,
    ) -> Option<Self> {
        let all = realizations.par_iter();
        let near = lattice.points().map(|points| neighbours(points));
        let near = near.as_deref();
        let all = all.map(|(r, size)| Runs::new(&r.to_vec(), *size, values, lattice, near));
        let all: Option<Vec<(Runs, Smoothness)>> = all.collect();
        let (runs, smoothness): (Vec<Runs>, Vec<Smoothness>) = all?.into_iter().unzip();
        let width = |axis: usize| {
            let sum = |of: fn(&Smoothness) -> &Vec<f64>| -> f64 {
                smoothness.iter().filter_map(|s| of(s).get(axis)).sum()
            };
            let (square, product) = (sum(|s| &s.squares), sum(|s| &s.products));
            filter_width(if square > 0.0 { product / square } else { 0.0 })
        };
        Some(Self {
            kind,
            widths: (0..lattice.axes.len()).map(width).collect(),
            runs,
        })
    }

    /// Prepares draws of deviations from the mean of an input of this size, with this predicted
    /// variance.
    pub(super) fn condition<'a>(
        &'a self,
        nearest: &[Nearest],
        variance: &[f64],
        size: f64,
        lattice: &Lattice,
    ) -> Deviations<'a> {
        let variance: Vec<f64> = variance.iter().map(|v| v / (size * size)).collect();
        let variance = &variance[..];
        let near: Vec<Brought<'a>> = nearest
            .par_iter()
            .map(|near| Brought::new(&self.runs[near.input], near, variance))
            .collect();
        let (mut all, mut left) = (vec![0.0; variance.len()], vec![0.0; variance.len()]);
        for near in &near {
            let parts = all.iter_mut().zip(&mut left).zip(&near.variances);
            parts.for_each(|((all, left), [whole, rest])| {
                *all += near.weight * whole;
                *left += near.weight * rest;
            });
        }
        let gain = |(all, wanted): (&f64, &f64)| {
            if *all > 0.0 {
                (wanted / all).sqrt()
            } else {
                0.0
            }
        };
        let gain: Vec<f64> = all.iter().zip(variance).map(gain).collect();
        // Where no run varies, the remainder has all of the variance.
        let rest = |p: usize| match all[p] > 0.0 {
            true => gain[p] * left[p].max(0.0).sqrt(),
            false => variance[p].max(0.0).sqrt(),
        };
        let rest = (0..variance.len())
            .map(|p| (size * rest(p)) as f32)
            .collect();
        Deviations {
            smoothing: self.kind.smoothing(),
            gain: gain.into_iter().map(|g| (size * g) as f32).collect(),
            near,
            remainder: Remainder::new(lattice, &self.widths, rest),
        }
    }
}

/// A training input's runs, moved to the position of a query and scaled to its variance within
/// limits.
pub(super) struct Brought<'a> {
    runs: &'a Runs,
    /// The probability of this input.
    pub weight: f64,
    /// The probability of each of its runs; empty if all have the same.
    pub chances: Vec<f64>,
    /// Factor fields: [factor, value].
    pub factors: Vec<f32>,
    /// At every value, the variance of its runs and the part of it that the factors leave.
    variances: Vec<[f64; 2]>,
}

impl<'a> Brought<'a> {
    fn new(runs: &'a Runs, near: &Nearest, variance: &[f64]) -> Self {
        let values = variance.len();
        let squares = |field: &[f32]| field.iter().map(|v| f64::from(*v).powi(2)).collect();
        let own: Vec<f64> = squares(&runs.deviation);
        let own = near.motion.apply_even(&own);
        let ratio = |(own, wanted): (&f64, &f64)| {
            let ratio = if *own > 0.0 {
                (wanted.max(0.0) / own).sqrt()
            } else {
                0.0
            };
            ratio.clamp(1.0 / MOST_RATIO, MOST_RATIO)
        };
        let ratios: Vec<f64> = own.iter().zip(variance).map(ratio).collect();
        let mut variances: Vec<[f64; 2]> = (0..values)
            .map(|p| [ratios[p] * ratios[p] * own[p]; 2])
            .collect();
        let mut factors = Vec::with_capacity(runs.factors.len());
        for factor in runs.factors.chunks_exact(values) {
            let field: Vec<f64> = factor.iter().map(|v| f64::from(*v)).collect();
            let moved = near.motion.apply(Role::Solution, &field);
            for (p, value) in moved.iter().enumerate() {
                let value = ratios[p] * value;
                variances[p][1] -= value * value;
                factors.push(value as f32);
            }
        }
        Self {
            runs,
            weight: near.weight,
            chances: Vec::new(),
            factors,
            variances,
        }
    }

    /// Coefficients of its runs: [run, factor].
    pub(super) fn coefficients(&self) -> &[f32] {
        &self.runs.coefficients
    }

    /// Draws one of its runs, of which there is at least one.
    fn run(&self, runs: usize, rng: &mut impl Rng) -> usize {
        if self.chances.is_empty() {
            return rng.random_range(0..runs);
        }
        let mut left: f64 = rng.random();
        let chosen = self.chances.iter().position(|chance| {
            left -= chance;
            left < 0.0
        });
        chosen.unwrap_or(runs - 1)
    }
}

/// Draws deviations from a mean.
pub(super) struct Deviations<'a> {
    /// The share h of normal noise in a coefficient.
    pub smoothing: f64,
    pub near: Vec<Brought<'a>>,
    /// The gain g of the runs' deviations at every value.
    pub gain: Vec<f32>,
    pub remainder: Remainder,
}

/// The random numbers of one draw.
struct Drawn {
    near: usize,
    coefficients: Vec<f32>,
    /// Multiples of the fields of the epistemic part.
    unknown: Vec<f32>,
}

impl Deviations<'_> {
    /// Deviations of a solution that does not vary.
    pub(super) fn none(values: usize, lattice: &Lattice) -> Self {
        Self {
            smoothing: 1.0,
            near: Vec::new(),
            gain: vec![0.0; values],
            remainder: Remainder::new(lattice, &[], vec![0.0; values]),
        }
    }

    /// Whether deviations are normal.
    pub(super) fn is_normal(&self) -> bool {
        self.smoothing == 1.0
    }

    /// Adds one deviation per generator, the same as if drawn singly, and multiples of the fields
    /// of the epistemic part: [realization, value]. Returns for each the training input from which
    /// it is drawn, as an index of `near`.
    pub(super) fn add_many<R: Rng + Send>(
        &self,
        rngs: &mut [R],
        unknown: Unknown<'_>,
        out: &mut [f32],
    ) -> Vec<usize> {
        let blocks = out.par_chunks_mut(BLOCK * self.gain.len().max(1));
        let blocks = blocks.zip(rngs.par_chunks_mut(BLOCK));
        let drawn = blocks.map(|(out, rngs)| self.add_block(rngs, unknown, out));
        drawn.collect::<Vec<_>>().concat()
    }

    fn add_block<R: Rng>(
        &self,
        rngs: &mut [R],
        unknown: Unknown<'_>,
        out: &mut [f32],
    ) -> Vec<usize> {
        let values = self.gain.len();
        let drawn = rngs.iter_mut().map(|rng| self.drawn(rng, unknown));
        let drawn: Vec<Drawn> = drawn.collect();
        for first in (0..values).step_by(TILE) {
            let tile = first..values.min(first + TILE);
            let mut sum = [0.0; TILE];
            for (out, drawn) in out.chunks_exact_mut(values).zip(&drawn) {
                let (sum, out) = (&mut sum[..tile.len()], &mut out[tile.clone()]);
                sum.fill(0.0);
                if let Some(near) = self.near.get(drawn.near) {
                    add_all(&drawn.coefficients, &near.factors, values, &tile, sum);
                }
                let parts = out.iter_mut().zip(&*sum).zip(&self.gain[tile.clone()]);
                parts.for_each(|((out, sum), gain)| *out += gain * sum);
                add_all(&drawn.unknown, unknown.fields, values, &tile, out);
            }
        }
        for (rng, out) in rngs.iter_mut().zip(out.chunks_exact_mut(values)) {
            self.remainder.add(rng, out);
        }
        drawn.iter().map(|drawn| drawn.near).collect()
    }

    fn drawn(&self, rng: &mut impl Rng, unknown: Unknown<'_>) -> Drawn {
        let mut left: f64 = rng.random();
        let chosen = self.near.iter().position(|near| {
            left -= near.weight;
            left < 0.0
        });
        let near = chosen.unwrap_or(self.near.len().saturating_sub(1));
        let count = unknown.fields.len() / self.gain.len().max(1);
        let unknown = unknown.multiples(count, rng);
        let coefficients = self.near.get(near).map(|near| {
            let count = near.factors.len() / self.gain.len().max(1);
            let noise: Vec<f64> = (0..count).map(|_| StandardNormal.sample(rng)).collect();
            let runs = near.runs.coefficients.len() / count.max(1);
            let run = if runs > 0 { near.run(runs, rng) } else { 0 };
            let own = near.runs.coefficients[run * count..].iter();
            let share = (1.0 - self.smoothing * self.smoothing).sqrt();
            own.zip(noise)
                .map(|(c, noise)| (share * f64::from(*c) + self.smoothing * noise) as f32)
                .collect()
        });
        Drawn {
            near,
            coefficients: coefficients.unwrap_or_default(),
            unknown,
        }
    }
}

/// Adds multiples of the fields [factor, value] in a tile of values.
fn add_all(
    multiples: &[f32],
    fields: &[f32],
    values: usize,
    tile: &std::ops::Range<usize>,
    out: &mut [f32],
) {
    for (multiple, field) in multiples.iter().zip(fields.chunks_exact(values)) {
        let parts = out.iter_mut().zip(&field[tile.clone()]);
        parts.for_each(|(out, value)| *out += multiple * value);
    }
}

/// The width of a Gaussian filter that gives noise this correlation between neighbours: with a
/// filter exp(-x^2 / (2 w^2)) the correlation is exp(-x^2 / (4 w^2)).
fn filter_width(correlation: f64) -> f64 {
    let correlation = correlation.clamp(0.0, 0.995);
    if correlation < 0.02 {
        return 0.0;
    }
    (-0.25 / correlation.ln()).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Motion;
    use crate::testing;
    use crate::testing::{Purpose, Stream, stream};

    const POINTS: usize = 6;

    fn lattice() -> Lattice {
        testing::lattice(&[("x", POINTS)], &[])
    }

    /// Runs that are +1 or -1 times a field, three of four times +1.
    fn two_modes() -> Vec<f64> {
        let sign = |r: usize| if r.is_multiple_of(4) { -1.0 } else { 1.0 };
        let value = move |r: usize| move |p: usize| sign(r) * (1.0 + p as f64);
        (0..40).flat_map(|r| (0..POINTS).map(value(r))).collect()
    }

    fn drawn(kind: LawKind, variance: &[f64], count: usize) -> Vec<f32> {
        let runs = two_modes();
        let law = Law::new(kind, &[((&runs).into(), 2.0)], POINTS, &lattice()).unwrap();
        let nearest = [Nearest {
            input: 0,
            motion: Motion::identity(POINTS, 1, 1),
            weight: 1.0,
        }];
        let deviations = law.condition(&nearest, variance, 3.0, &lattice());
        let of = |j| stream(3, Purpose::Prior, 0, j);
        let mut rngs: Vec<Stream> = (0..count as u64).map(of).collect();
        let mut out = vec![0.0; count * POINTS];
        deviations.add_many(&mut rngs, Unknown::normal(&[]), &mut out);
        out
    }

    #[test]
    fn draws_have_the_predicted_variance_whatever_the_training_runs_have() {
        // Variances above and below the limits of the ratio for a single input, and zero.
        let variance = [0.01, 1.0, 4.0, 0.0, 100.0, 400.0];
        for kind in [LawKind::Resampled, LawKind::Normal] {
            let draws = drawn(kind, &variance, 8000);
            for (p, variance) in variance.iter().enumerate() {
                let values = draws.iter().skip(p).step_by(POINTS);
                let square = values.map(|v| f64::from(*v).powi(2)).sum::<f64>() / 8000.0;
                assert!(
                    (square - variance).abs() <= 0.06 * variance,
                    "{p}: {square}"
                );
            }
        }
    }

    #[test]
    fn resampled_draws_keep_two_modes_and_normal_ones_do_not() {
        let middle = |kind| {
            let draws = drawn(kind, &[1.0; POINTS], 4000);
            // Modes are at 0.58 and -1.73 deviations; between them lies -0.6.
            let inside = |v: &&f32| (**v + 0.6).abs() < 0.4;
            draws.iter().step_by(POINTS).filter(inside).count() as f64 / 4000.0
        };
        assert!(middle(LawKind::Resampled) < 0.03 && middle(LawKind::Normal) > 0.2);
    }

    #[test]
    fn a_realization_is_the_same_in_every_block() {
        let all = drawn(LawKind::Resampled, &[1.0; POINTS], 37);
        assert_eq!(
            drawn(LawKind::Resampled, &[1.0; POINTS], 5),
            all[..5 * POINTS]
        );
    }
}
