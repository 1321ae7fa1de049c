//! Draws: the prediction for a query, and realizations of its solution.

use rand::Rng;
use rayon::prelude::*;

use super::Prediction;
use super::case::{Framed, Query};
use super::expansion::Expansion;
use super::law::Deviations;
use super::observed::{Innovation, Placement, Reading, Rows, Sensor, Update, conditioned, placed};
use super::unknown::Unknown;
use crate::{Error, Result};

/// Number of nearest training inputs, each in some position, that make up the law of a query.
pub(super) const NEAREST: usize = 20;

/// Predicts and draws the solution of one query. Each realization has its own random numbers, so
/// that it is the same however many are drawn, in whatever blocks.
pub struct Draws<'a> {
    fitted: &'a Expansion,
    /// The prediction, in the units of the data.
    prediction: Prediction,
    deviations: Option<Deviations<'a>>,
    /// Fields of the epistemic part: [factor, channel, point].
    unknown: Vec<f32>,
    /// Whether the epistemic part follows Student's law, or a normal law of the same variance.
    is_student: bool,
    /// The update of every draw by readings of the solution.
    update: Option<Update>,
    /// The mean around which draws are made, without readings.
    centre: Vec<f64>,
    /// Given readings, the stretch of deviations about their own mean, and that mean in units of
    /// the fit.
    stretched: Option<(f64, Vec<f64>)>,
}

impl Expansion {
    /// Conditions on a query: returns its prediction and a source of realizations.
    pub fn condition(&self, query: &Query<'_>) -> Result<Draws<'_>> {
        let scaled = self.scaled(query)?;
        let framed = Framed::new(&scaled.query(), &self.symmetries);
        let prediction = self.prediction(&framed);
        let nearest = self.neighbours.nearest(&framed, &self.symmetries, NEAREST);
        let deviations = self
            .law
            .as_ref()
            .map(|law| law.condition(&nearest, &prediction.aleatoric, framed.size, &self.lattice));
        let factors = self.epistemic.fields(prediction.mean.len());
        Ok(Draws::new(self, prediction, deviations, factors))
    }
}

impl<'a> Draws<'a> {
    /// Draws around a prediction in units of the fit, with the factor fields of the epistemic part.
    pub(super) fn new<'f>(
        fitted: &'a Expansion,
        prediction: Prediction,
        deviations: Option<Deviations<'a>>,
        factors: impl Iterator<Item = &'f [f32]>,
    ) -> Self {
        let roots = prediction.epistemic.iter().map(|v| v.max(0.0).sqrt());
        let roots: Vec<f64> = roots.collect();
        let unknown = factors
            .flat_map(|field| field.iter().zip(&roots).map(|(f, d)| f64::from(*f) * d))
            .map(|v| v as f32)
            .collect();
        let prediction = fitted.finished(prediction);
        Self {
            centre: prediction.mean.clone(),
            prediction,
            fitted,
            is_student: deviations.as_ref().is_some_and(|d| !d.is_normal()),
            deviations,
            unknown,
            update: None,
            stretched: None,
        }
    }

    /// Draws the epistemic part from a normal law of the same variance. Needed for solutions
    /// learned through a transform: the exponential of Student's law has no moments.
    pub fn with_normal_unknown(mut self) -> Self {
        self.is_student = false;
        self
    }

    /// Conditions on readings of one realization, all at once: mean, variances and draws are then
    /// those given the readings.
    pub fn observe(&mut self, readings: &[Reading]) -> Result<Innovation> {
        if self.update.is_some() {
            return Err(Error::Config {
                context: "readings".into(),
                reason: "the law is conditioned already; give all readings at once".into(),
            });
        }
        let rows = self.rows(readings)?;
        let (fitted, values) = (self.fitted, self.values());
        let deviations = self
            .deviations
            .get_or_insert_with(|| Deviations::none(values, &fitted.lattice));
        let (update, shifted, innovation) = conditioned(deviations, &self.unknown, rows)?;
        for place in 0..values {
            let scale = self.scale(place);
            let square = (scale * innovation.stretch).powi(2);
            self.prediction.mean[place] += scale * shifted.mean[place];
            self.prediction.aleatoric[place] = square * shifted.aleatoric[place];
            self.prediction.epistemic[place] = square * shifted.epistemic[place];
        }
        self.stretched = Some((innovation.stretch, shifted.mean));
        let points = self.fitted.lattice.len();
        self.fitted.support.bound(&mut self.prediction.mean, points);
        self.update = Some(update);
        Ok(innovation)
    }

    /// Where to measure next, given earlier readings, if there are any.
    pub fn sensors(&self, placement: &Placement, readings: &[Reading]) -> Result<Vec<Sensor>> {
        let rows = match readings.is_empty() {
            true => None,
            false => Some(self.rows(readings)?),
        };
        let none = Deviations::none(self.values(), &self.fitted.lattice);
        let deviations = self.deviations.as_ref().unwrap_or(&none);
        let units = self.fitted.units.solution().iter();
        let scales: Vec<f64> = units.map(|unit| unit.scale).collect();
        placed(deviations, &self.unknown, rows.as_ref(), placement, &scales)
    }

    fn rows(&self, readings: &[Reading]) -> Result<Rows> {
        Rows::new(readings, &self.prediction.mean, |place| self.scale(place))
    }

    /// The scale of a value's unit.
    fn scale(&self, place: usize) -> f64 {
        self.fitted.units.solution()[place / self.fitted.lattice.len().max(1)].scale
    }

    /// Whether the law at every point is normal.
    pub fn is_normal(&self) -> bool {
        !self.is_resampled() && self.fitted.support.is_none() && self.update.is_none()
    }

    fn is_resampled(&self) -> bool {
        self.deviations.as_ref().is_some_and(|d| !d.is_normal())
    }

    /// Mean and variances.
    pub fn prediction(&self) -> &Prediction {
        &self.prediction
    }

    /// The epistemic variance of a quantity sum_i factor_i u_i with entries (place, factor). `None`
    /// if realizations are clipped to the range of the data, so that their parts do not simply add.
    pub fn epistemic_variance(&self, entries: &[(usize, f64)]) -> Option<f64> {
        if !self.fitted.support.is_none() {
            return None;
        }
        let scaled = entries.iter().map(|(p, f)| (*p, f * self.scale(*p)));
        let scaled: Vec<(usize, f64)> = scaled.collect();
        if let (Some(update), Some(deviations)) = (&self.update, &self.deviations) {
            let left = update.epistemic_variance(&scaled, deviations, &self.unknown);
            let stretch = self.stretched.as_ref().map_or(1.0, |(stretch, _)| *stretch);
            return Some(stretch * stretch * left);
        }
        let fields = self.unknown.chunks_exact(self.values().max(1));
        let read = |field: &[f32]| scaled.iter().map(|(p, f)| f * f64::from(field[*p])).sum();
        Some(fields.map(|field| f64::powi(read(field), 2)).sum())
    }

    /// The fields whose multiples by uncorrelated numbers of variance 1 are the epistemic part of
    /// every realization: [factor][channel, point] in the units of the data. `None` given readings,
    /// and if realizations are clipped to the range of the data, so that their parts do not simply
    /// add.
    pub fn epistemic_fields(&self) -> Option<Vec<Vec<f64>>> {
        if !self.fitted.support.is_none() || self.update.is_some() {
            return None;
        }
        let scaled = |(place, v): (usize, &f32)| self.scale(place) * f64::from(*v);
        let field = |field: &[f32]| field.iter().enumerate().map(scaled).collect();
        let fields = self.unknown.chunks_exact(self.values().max(1));
        Some(fields.map(field).collect())
    }

    /// Number of values of a realization.
    pub fn values(&self) -> usize {
        self.prediction.mean.len()
    }

    /// Number of normal numbers, independent but for a common scale, in the epistemic part of a
    /// realization.
    pub fn epistemic_count(&self) -> usize {
        self.unknown.len() / self.values().max(1)
    }

    /// Draws one realization per generator: [realization, channel, point].
    pub fn draw_many<R: Rng + Send>(&self, rngs: &mut [R], out: &mut [f64]) {
        // Deviations are drawn in f32; the mean is added in f64, because deviations may be small
        // beside it.
        let drawn = vec![0.0; out.len()];
        let unknown = Unknown {
            fields: &self.unknown,
            // Readings inform about the scale of the error of the mean: given them, the rest is
            // taken to be normal.
            is_student: self.is_student && self.update.is_none(),
        };
        self.draw_from(drawn, unknown, rngs, out);
    }

    /// The same with given normal numbers for the epistemic part of all realizations: these are
    /// then realizations of one plausible model. Only without readings.
    pub fn draw_given<R: Rng + Send>(&self, rngs: &mut [R], normals: &[f64], out: &mut [f64]) {
        let values = self.values().max(1);
        let mut known = vec![0.0; values];
        for (normal, field) in normals.iter().zip(self.unknown.chunks_exact(values)) {
            let parts = known.iter_mut().zip(field);
            parts.for_each(|(k, f)| *k += *normal as f32 * f);
        }
        let drawn = known.repeat(out.len() / values);
        self.draw_from(drawn, Unknown::normal(&[]), rngs, out);
    }

    /// Realizations in the units of the data: adds draws of the law and of the epistemic part to
    /// given deviations.
    fn draw_from<R: Rng + Send>(
        &self,
        mut drawn: Vec<f32>,
        unknown: Unknown<'_>,
        rngs: &mut [R],
        out: &mut [f64],
    ) {
        let values = self.values().max(1);
        let none = Deviations::none(values, &self.fitted.lattice);
        let law = self.deviations.as_ref().unwrap_or(&none);
        let near = law.add_many(rngs, unknown, &mut drawn);
        let each = out.par_chunks_exact_mut(values);
        let each = each.zip(drawn.par_chunks_exact(values));
        let each = each.zip(rngs.par_iter_mut()).zip(&near);
        each.for_each(|(((out, drawn), rng), near)| {
            let deviation = out.iter_mut().zip(drawn);
            deviation.for_each(|(out, drawn)| *out = f64::from(*drawn));
            if let Some(update) = &self.update {
                update.apply(*near, law, &self.unknown, rng, out);
            }
            if let Some((stretch, mean)) = &self.stretched {
                let parts = out.iter_mut().zip(mean);
                parts.for_each(|(out, mean)| *out = mean + stretch * (*out - mean));
            }
            self.add_mean(out);
        });
        let points = self.fitted.lattice.len().max(1);
        self.fitted.support.bound(out, points);
    }

    /// Turns a deviation in units of the fit into a realization.
    fn add_mean(&self, deviation: &mut [f64]) {
        for (place, value) in deviation.iter_mut().enumerate() {
            *value = self.centre[place] + self.scale(place) * *value;
        }
    }
}
