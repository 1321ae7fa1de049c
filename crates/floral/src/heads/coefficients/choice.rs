//! The choice between laws by their energy score at inputs held out.

use rand::RngExt;
use rand_distr::StandardNormal;
use rayon::prelude::*;

use super::flow::Flow;
use crate::Result;
use crate::metric::{Fields, PAIR_LAGS, energy_score};
use crate::random::{Purpose, stream};

/// Draws of a law by which it is scored.
const MEMBERS: u64 = 512;

/// The energy scores of a law, an observation each: [input][draw].
pub(super) struct Scored(Vec<Vec<f64>>);

impl Scored {
    /// Observations [input][draw, dimension]; without a flow the law is standard normal.
    ///
    /// All laws are scored with draws from the same normal numbers, so that differences are theirs.
    pub(super) fn new(
        flow: Option<&Flow>,
        observations: &[Vec<f32>],
        features: &[&[f64]],
        (dimension, seed): (usize, u64),
    ) -> Result<Self> {
        let of_input = |input: usize| -> Result<Vec<f64>> {
            let rng = |member| stream(seed, Purpose::Prior, input as u64, member);
            let mut rngs: Vec<_> = (0..MEMBERS).map(rng).collect();
            let mut members = vec![0.0; MEMBERS as usize * dimension];
            match flow {
                Some(flow) => flow.draw(features[input], &mut rngs, &mut members),
                None => normal(&mut rngs, dimension, &mut members),
            }
            let members = Fields::new(&members, dimension)?;
            let seen = observations[input].chunks_exact(dimension);
            seen.map(|y| energy_score(members, Fields::new(y, dimension)?, PAIR_LAGS))
                .collect()
        };
        let all = (0..observations.len()).into_par_iter().map(of_input);
        Ok(Self(all.collect::<Result<_>>()?))
    }

    /// The mean over inputs.
    pub(super) fn mean(&self) -> f64 {
        mean(self.0.iter().map(|input| mean(input.iter().copied())))
    }

    /// By how much this score is above another, and the standard error of that.
    ///
    /// The error is that over inputs or that over observations, whichever is larger: with few inputs
    /// held out the first may be small by chance.
    pub(super) fn above(&self, other: &Self) -> (f64, f64) {
        let pairs = self.0.iter().zip(&other.0);
        let differences: Vec<Vec<f64>> = pairs
            .map(|(a, b)| a.iter().zip(b).map(|(a, b)| a - b).collect())
            .collect();
        let by_input: Vec<f64> = differences
            .iter()
            .map(|d| mean(d.iter().copied()))
            .collect();
        let errors = [
            standard_error(&by_input),
            standard_error(&differences.concat()),
        ];
        (mean(by_input.iter().copied()), errors[0].max(errors[1]))
    }
}

/// Standard normal numbers: out is [draw, dimension].
pub(super) fn normal<R: rand::Rng>(rngs: &mut [R], dimension: usize, out: &mut [f32]) {
    for (rng, draw) in rngs.iter_mut().zip(out.chunks_exact_mut(dimension)) {
        let values = draw.iter_mut();
        values.for_each(|value| *value = rng.sample(StandardNormal));
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (count, sum) = values.fold((0.0, 0.0), |(n, s), v| (n + 1.0, s + v));
    if count > 0.0 { sum / count } else { 0.0 }
}

/// Of the mean of values; zero of fewer than two.
fn standard_error(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return 0.0;
    }
    let (count, centre) = (values.len() as f64, mean(values.iter().copied()));
    let square: f64 = values.iter().map(|v| (v - centre).powi(2)).sum();
    (square / (count - 1.0) / count).sqrt()
}
