//! Draws: realizations of one input, normal ones or with learned coefficients.

use rand::Rng;
use rayon::prelude::*;

use super::conditions::Conditioned;
use super::learned::Learned;
use super::scales::ChannelScales;
use crate::Result;
use crate::heads::Law;
use crate::regression::{Kriging, Prediction, Query, Sampler};

/// Realizations made together.
const BLOCK: usize = 16;

/// Draws realizations of one query's solution, each from its own random numbers.
pub struct Draws<'a> {
    prediction: Prediction,
    /// All of a normal law; of a learned one what its factors leave.
    rest: Sampler,
    shaped: Option<Shaped<'a>>,
    /// What the units of draws are, and the points of a channel.
    scales: Option<(ChannelScales, usize)>,
}

/// Factors with a law of their own.
struct Shaped<'a> {
    /// In the solution's units: [factor, value].
    factors: Vec<f32>,
    law: &'a Law,
    features: Vec<f64>,
}

impl<'a> Draws<'a> {
    pub(super) fn new(
        kriging: &Kriging,
        learned: Option<&'a Learned>,
        query: &Query<'_>,
    ) -> Result<Self> {
        let Some(Learned { heads, law }) = learned else {
            return Ok(Self {
                prediction: kriging.predict(query)?,
                rest: kriging.sampler(query)?,
                shaped: None,
                scales: None,
            });
        };
        let conditioned = Conditioned::new(kriging, query)?;
        let found = heads.factors(&conditioned.conditions, kriging.lattice())?;
        let prediction = conditioned.prediction;
        let factors = bounded(found.fields, &prediction);
        Ok(Self {
            rest: kriging.sampler_beside(query, &factors)?,
            prediction,
            shaped: Some(Shaped {
                factors: factors.concat(),
                law,
                features: conditioned.features,
            }),
            scales: None,
        })
    }

    /// The same in the units of the data.
    pub(super) fn restored(self, scales: &ChannelScales, points: usize) -> Self {
        Self {
            prediction: scales.restored(self.prediction, points),
            scales: Some((scales.clone(), points)),
            ..self
        }
    }

    /// Whether values at every point are normal.
    pub fn is_normal(&self) -> bool {
        self.shaped.is_none()
    }

    /// Mean and variances.
    pub fn prediction(&self) -> &Prediction {
        &self.prediction
    }

    /// Values of a realization.
    pub fn values(&self) -> usize {
        self.prediction.mean.len()
    }

    /// A realization per generator, the same whatever is drawn beside it: [realization, channel, point].
    pub fn draw_many<R: Rng + Send>(&self, rngs: &mut [R], out: &mut [f64]) {
        // Deviations are drawn in f32; the mean is added in f64, beside which they may be small.
        let mut deviations = vec![0.0; out.len()];
        self.draw_deviations(rngs, &mut deviations);
        let mean = &self.prediction.mean;
        let units: Vec<f64> = (0..mean.len()).map(|place| self.unit(place)).collect();
        let values = mean.len().max(1);
        let fields = out.chunks_exact_mut(values);
        for (out, deviation) in fields.zip(deviations.chunks_exact(values)) {
            let places = mean.iter().zip(&units).zip(deviation);
            for (out, ((mean, unit), deviation)) in out.iter_mut().zip(places) {
                *out = mean + unit * f64::from(*deviation);
            }
        }
    }

    /// What one unit of a deviation is at a place of a field.
    fn unit(&self, place: usize) -> f64 {
        let scales = self.scales.as_ref();
        scales.map_or(1.0, |(scales, points)| {
            scales.unit(place / (*points).max(1))
        })
    }

    fn draw_deviations<R: Rng + Send>(&self, rngs: &mut [R], out: &mut [f32]) {
        let Some(shaped) = &self.shaped else {
            return self.rest.draw_many(rngs, out);
        };
        let blocks = out.par_chunks_mut(BLOCK * self.values().max(1));
        blocks
            .zip(rngs.par_chunks_mut(BLOCK))
            .for_each(|(out, rngs)| shaped.add(&self.rest, rngs, out));
    }
}

impl Shaped<'_> {
    fn add<R: Rng>(&self, rest: &Sampler, rngs: &mut [R], out: &mut [f32]) {
        let values = rest.values();
        let count = self.factors.len() / values.max(1);
        let mut coefficients = vec![0.0; rngs.len() * count];
        self.law
            .draw(&self.features, rngs, &mut coefficients)
            .expect("as many features as the law was fitted with");
        let all = rngs.iter_mut().zip(out.chunks_exact_mut(values));
        for ((rng, out), own) in all.zip(coefficients.chunks(count.max(1))) {
            rest.draw(rng, out);
            for (coefficient, factor) in own.iter().zip(self.factors.chunks_exact(values)) {
                let sums = out.iter_mut().zip(factor);
                sums.for_each(|(o, f)| *o += coefficient * f);
            }
        }
    }
}

/// Factors in the solution's units, nowhere with more variance than the solution has.
fn bounded(mut fields: Vec<Vec<f32>>, prediction: &Prediction) -> Vec<Vec<f32>> {
    for (v, variance) in prediction.aleatoric.iter().enumerate() {
        let sum: f64 = fields.iter().map(|field| f64::from(field[v]).powi(2)).sum();
        let unit = (prediction.factor * variance / sum.max(1.0)).sqrt() as f32;
        fields.iter_mut().for_each(|field| field[v] *= unit);
    }
    fields
}
