//! Draws: what is predicted of one query's solution, and realizations of it.

use rand::Rng;

use super::Prediction;
use super::case::{Framed, Query};
use super::expansion::Expansion;
use super::law::Deviations;
use crate::Result;

/// Training fields, each possibly moved and rolled, that make up the law of a query.
const NEAREST: usize = 20;

/// Predicts and draws the solution of one query; each realization has its own random numbers, so that
/// it is the same however many are drawn, in whatever blocks.
pub struct Draws<'a> {
    fitted: &'a Expansion,
    /// In the units of the data.
    prediction: Prediction,
    deviations: Option<Deviations<'a>>,
    /// What is not known of the mean, [factor, channel, point].
    unknown: Vec<f32>,
}

impl Expansion {
    /// What predicts and draws the solution of a query.
    pub fn condition(&self, query: &Query<'_>) -> Result<Draws<'_>> {
        let scaled = self.scaled(query)?;
        let framed = Framed::new(&scaled.query(), &self.symmetries);
        let prediction = self.prediction(&framed);
        let nearest = self.neighbours.nearest(&framed, &self.symmetries, NEAREST);
        let deviations = self
            .law
            .as_ref()
            .map(|law| law.condition(&nearest, &prediction.aleatoric, framed.size, &self.lattice));
        Ok(Draws::new(self, prediction, deviations))
    }
}

impl<'a> Draws<'a> {
    /// Of a prediction in units of the fit.
    fn new(
        fitted: &'a Expansion,
        prediction: Prediction,
        deviations: Option<Deviations<'a>>,
    ) -> Self {
        let roots = prediction.epistemic.iter().map(|v| v.max(0.0).sqrt());
        let roots: Vec<f64> = roots.collect();
        let factors = fitted.epistemic.fields(prediction.mean.len());
        let unknown = factors
            .flat_map(|field| field.iter().zip(&roots).map(|(f, d)| f64::from(*f) * d))
            .map(|v| v as f32)
            .collect();
        Self {
            prediction: fitted.finished(prediction),
            fitted,
            deviations,
            unknown,
        }
    }

    /// Whether values at every point are normal.
    pub fn is_normal(&self) -> bool {
        let is_resampled = self.deviations.as_ref().is_some_and(|d| !d.is_normal());
        !is_resampled && self.fitted.support.is_none()
    }

    /// Mean and variances.
    pub fn prediction(&self) -> &Prediction {
        &self.prediction
    }

    /// The fields whose multiples by independent standard normal numbers are the epistemic part of every
    /// realization: [factor][channel, point] in the units of the data. None if realizations are clipped
    /// to the range of the data, so that their parts do not simply add.
    pub fn epistemic_fields(&self) -> Option<Vec<Vec<f64>>> {
        let points = self.fitted.lattice.len().max(1);
        let units = self.fitted.units.solution();
        let scaled = |(place, v): (usize, &f32)| units[place / points].scale * f64::from(*v);
        let field = |field: &[f32]| field.iter().enumerate().map(scaled).collect();
        let fields = self.unknown.chunks_exact(self.values().max(1));
        (self.fitted.support.is_none()).then(|| fields.map(field).collect())
    }

    /// Values of a realization.
    pub fn values(&self) -> usize {
        self.prediction.mean.len()
    }

    /// How many independent standard normal numbers the epistemic part of a realization takes.
    pub fn epistemic_count(&self) -> usize {
        self.unknown.len() / self.values().max(1)
    }

    /// A realization per generator: [realization, channel, point].
    pub fn draw_many<R: Rng + Send>(&self, rngs: &mut [R], out: &mut [f64]) {
        // Deviations are drawn in f32; the mean is added in f64, beside which they may be small.
        let mut deviations = vec![0.0; out.len()];
        self.deviate(rngs, &self.unknown, &mut deviations);
        self.finish(&deviations, out);
    }

    /// The same with these numbers for the epistemic part of all of them: realizations of one plausible
    /// model.
    pub fn draw_given<R: Rng + Send>(&self, rngs: &mut [R], normals: &[f64], out: &mut [f64]) {
        let values = self.values().max(1);
        let mut known = vec![0.0; values];
        for (normal, field) in normals.iter().zip(self.unknown.chunks_exact(values)) {
            let parts = known.iter_mut().zip(field);
            parts.for_each(|(k, f)| *k += *normal as f32 * f);
        }
        let mut deviations = known.repeat(out.len() / values);
        self.deviate(rngs, &[], &mut deviations);
        self.finish(&deviations, out);
    }

    /// Adds a deviation per generator, with normal multiples of `unknown`: [realization, value].
    fn deviate<R: Rng + Send>(&self, rngs: &mut [R], unknown: &[f32], deviations: &mut [f32]) {
        match &self.deviations {
            Some(law) => law.add_many(rngs, unknown, deviations),
            None => {
                let law = Deviations::none(self.values().max(1), &self.fitted.lattice);
                law.add_many(rngs, unknown, deviations);
            }
        }
    }

    /// Realizations in the units of the data, from their deviations.
    fn finish(&self, deviations: &[f32], out: &mut [f64]) {
        let values = self.values().max(1);
        let points = self.fitted.lattice.len().max(1);
        let units = self.fitted.units.solution();
        let mean = &self.prediction.mean;
        for (out, deviation) in out
            .chunks_exact_mut(values)
            .zip(deviations.chunks_exact(values))
        {
            for (place, (out, deviation)) in out.iter_mut().zip(deviation).enumerate() {
                *out = mean[place] + units[place / points].scale * f64::from(*deviation);
            }
        }
        self.fitted.support.bound(out, points);
    }
}
