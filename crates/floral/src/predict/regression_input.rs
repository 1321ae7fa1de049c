//! Predictions of a regression for one input: moments, and realizations.
//!
//! A regression predicts on its training grid. An input on another grid is interpolated to it, and
//! the predicted residual is interpolated back, so that the spread is the same on every grid.

use rayon::prelude::*;

use super::{Sampling, block_rows};
use crate::field::refined;
use crate::grid::Interpolation;
use crate::kl::{
    self, Draws, Expansion, Innovation, Placement, Prediction, Query, Reading, Sensor,
};
use crate::observer::{Event, Observer, go_on};
use crate::random::{Purpose, Stream, stream};
use crate::sample::Progress;
use crate::train::Header;
use crate::transform::Transforms;
use crate::{Field, Grid, Result};

/// Number of separate draws for the moments of a transformed distribution that is not normal. No
/// other draws share their seed.
pub(super) const MOMENT_DRAWS: usize = 1024;

/// A regression prepared for one input on one grid.
pub(super) struct RegressionInput<'a> {
    draws: Draws<'a>,
    /// Moments on the grid of the input: [channel, point].
    moments: Prediction,
    /// Interpolation from the training grid to the grid of the input, if they differ.
    back: Option<Back>,
}

/// Interpolation from the training grid to the grid of the input.
struct Back {
    interpolation: Interpolation,
    /// Low fidelity on the training grid, where residuals are drawn, and on the grid of the input.
    low: [Vec<f64>; 2],
}

impl Back {
    /// Interpolates a field from the training grid to the grid of the input, by interpolating its
    /// residual to low fidelity.
    fn bring(&self, values: &[f64]) -> Vec<f64> {
        let [low, fine] = &self.low;
        let residuals: Vec<f64> = if low.is_empty() {
            values.to_vec()
        } else {
            values.iter().zip(low).map(|(v, l)| v - l).collect()
        };
        let mut brought = self.interpolation.apply(&residuals);
        brought.iter_mut().zip(fine).for_each(|(b, low)| *b += low);
        brought
    }

    /// Converts a reading on the grid of the input to one on the training grid.
    fn reading(&self, reading: &Reading) -> Reading {
        let [low, fine] = &self.low;
        let entries = self.interpolation.transposed(&reading.entries);
        let read = |entries: &[(usize, f64)], field: &[f64]| -> f64 {
            let known = entries.iter().filter_map(|(p, f)| Some(f * field.get(*p)?));
            known.sum()
        };
        Reading {
            value: reading.value - read(&reading.entries, fine) + read(&entries, low),
            entries,
            ..reading.clone()
        }
    }
}

impl<'a> RegressionInput<'a> {
    pub(super) fn new(
        header: &Header,
        fitted: &'a Expansion,
        input: &Field,
        low: Option<&Field>,
        grid: &Grid,
    ) -> Result<Self> {
        let there = |field: &Field| refined(field, grid, &header.grid);
        let coarse_input = there(input)?;
        let coarse_low = low.map(there).transpose()?;
        let query = Query {
            input: coarse_input.values(),
            low: coarse_low.as_ref().map(Field::values),
        };
        let draws = fitted.condition(&query).map_err(kl::failed)?;
        let draws = match header.transforms.is_none() {
            true => draws,
            false => draws.with_normal_unknown(),
        };
        let values = |field: Option<&Field>| field.map_or(Vec::new(), |f| f.values().to_vec());
        let back = match grid.coincides(&header.grid) {
            true => None,
            false => Some(Back {
                interpolation: Interpolation::to_grid(&header.grid, grid)?,
                low: [values(coarse_low.as_ref()), values(low)],
            }),
        };
        let mut derived = Self {
            moments: draws.prediction().clone(),
            draws,
            back,
        };
        derived.bring_moments();
        Ok(derived)
    }

    fn bring_moments(&mut self) {
        self.moments = match &self.back {
            None => self.draws.prediction().clone(),
            Some(back) => brought(self.draws.prediction(), back),
        };
    }

    /// Conditions on readings of the learned field, on the grid of the input.
    pub(super) fn observe(&mut self, readings: &[Reading]) -> Result<Innovation> {
        let innovation = self.draws.observe(&self.there(readings));
        self.bring_moments();
        innovation.map_err(kl::failed)
    }

    /// Proposed sensors on the training grid, given readings on the grid of the input.
    pub(super) fn sensors(
        &self,
        placement: &Placement,
        readings: &[Reading],
    ) -> Result<Vec<Sensor>> {
        let sensors = self.draws.sensors(placement, &self.there(readings));
        sensors.map_err(kl::failed)
    }

    /// Converts readings to the training grid.
    fn there(&self, readings: &[Reading]) -> Vec<Reading> {
        match &self.back {
            None => readings.to_vec(),
            Some(back) => readings.iter().map(|one| back.reading(one)).collect(),
        }
    }

    pub(super) fn moments(&self) -> &Prediction {
        &self.moments
    }

    /// Epistemic variance of an affine quantity with these coefficients on the grid of the input.
    pub(super) fn epistemic_variance(&self, coefficients: &[f64]) -> Option<f64> {
        let entries = coefficients.iter().copied().enumerate();
        let entries: Vec<(usize, f64)> = entries.filter(|(_, factor)| *factor != 0.0).collect();
        self.draws.epistemic_variance(&match &self.back {
            Some(back) => back.interpolation.transposed(&entries),
            None => entries,
        })
    }

    /// Change of an affine quantity, with these coefficients on the grid of the input, per unit of
    /// each epistemic number of a realization.
    pub(super) fn epistemic_effects(&self, coefficients: &[f64]) -> Option<Vec<f64>> {
        let effect = |field: Vec<f64>| {
            let field = match &self.back {
                Some(back) => back.interpolation.apply(&field),
                None => field,
            };
            let pairs = field.iter().zip(coefficients);
            pairs.map(|(f, c)| f * c).sum::<f64>()
        };
        let fields = self.draws.epistemic_fields()?;
        Some(fields.into_iter().map(effect).collect())
    }

    /// Number of epistemic numbers of a realization.
    pub(super) fn epistemic_count(&self) -> usize {
        self.draws.epistemic_count()
    }

    /// One realization per stream, all with these epistemic numbers: [realization, channel, point].
    pub(super) fn drawn_given(&self, mut streams: Vec<Stream>, normals: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; streams.len() * self.draws.values()];
        self.draws.draw_given(&mut streams, normals, &mut out);
        self.brought_back(out)
    }

    /// Moments of the solution when a transform of it is learned. They are exact if the learned
    /// distribution is normal. Otherwise mean and variance are computed from draws, and the
    /// epistemic share of the variance is that of a normal distribution.
    pub(super) fn inverted_moments(&self, transforms: &Transforms, points: usize) -> Prediction {
        let mut moments = kl::inverted(transforms, &self.moments, points);
        if self.draws.is_normal() {
            return moments;
        }
        let (mean, variance) = self.drawn_moments(transforms, points);
        let changes = |i: &usize| !transforms.channels()[i / points].is_none();
        for i in (0..mean.len()).filter(changes) {
            let normal = moments.aleatoric[i] + moments.epistemic[i];
            let stretch = if normal > 0.0 {
                variance[i] / normal
            } else {
                0.0
            };
            moments.mean[i] = mean[i];
            moments.aleatoric[i] *= stretch;
            moments.epistemic[i] *= stretch;
        }
        moments
    }

    /// Mean and variance over separate draws of the solution.
    fn drawn_moments(&self, transforms: &Transforms, points: usize) -> (Vec<f64>, Vec<f64>) {
        let values = self.moments.mean.len();
        let (mut mean, mut square) = (vec![0.0; values], vec![0.0; values]);
        let rows = block_rows(values);
        for first in (0..MOMENT_DRAWS).step_by(rows) {
            let block = first..(first + rows).min(MOMENT_DRAWS);
            let of = |j: usize| stream(0, Purpose::Moments, 0, j as u64);
            let mut draws = self.drawn(block.clone().map(of).collect());
            transforms.invert(&mut draws, points);
            for (j, draw) in block.zip(draws.chunks_exact(values)) {
                for ((mean, square), value) in mean.iter_mut().zip(&mut square).zip(draw) {
                    let step = value - *mean;
                    *mean += step / (j + 1) as f64;
                    *square += step * (value - *mean);
                }
            }
        }
        let unbiased = (MOMENT_DRAWS - 1) as f64;
        square.iter_mut().for_each(|s| *s /= unbiased);
        (mean, square)
    }

    /// See [`InputPredictor::deliver_from`](super::InputPredictor::deliver_from).
    pub(super) fn deliver_from(
        &self,
        first: usize,
        input: u64,
        wanted: &Sampling,
        observer: &dyn Observer,
        mut consume: impl FnMut(usize, &[f64], usize) -> Result<()>,
    ) -> Result<Progress> {
        let total = wanted.realizations;
        let mut progress = Progress {
            total,
            done: first.min(total),
            ..Progress::default()
        };
        let rows = block_rows(self.moments.mean.len());
        let together = rows * rayon::current_num_threads();
        while progress.done < total {
            go_on(observer)?;
            let last = (progress.done + together).min(total);
            let of = |index: usize| stream(wanted.seed, Purpose::Prior, input, index as u64);
            let block = |from: usize| self.drawn((from..(from + rows).min(last)).map(of).collect());
            let starts: Vec<usize> = (progress.done..last).step_by(rows).collect();
            let blocks: Vec<Vec<f64>> = starts.into_par_iter().map(block).collect();
            for values in blocks.concat().chunks_exact(self.moments.mean.len()) {
                consume(progress.done, values, 0)?;
                progress.done += 1;
            }
            observer.observe(&Event::Realizations(progress));
        }
        Ok(progress)
    }

    /// One realization per random stream.
    fn drawn(&self, mut streams: Vec<Stream>) -> Vec<f64> {
        let mut out = vec![0.0; streams.len() * self.draws.values()];
        self.draws.draw_many(&mut streams, &mut out);
        self.brought_back(out)
    }

    /// Interpolates realizations from the training grid to the grid of the input.
    fn brought_back(&self, out: Vec<f64>) -> Vec<f64> {
        let Some(back) = &self.back else {
            return out;
        };
        let realizations = out.chunks_exact(self.draws.values());
        realizations.flat_map(|r| back.bring(r)).collect()
    }
}

/// Interpolates moments to the grid of the input. Standard deviations are interpolated instead of
/// variances, because they are as smooth as the fields, and exact where neighbouring values are
/// perfectly correlated.
fn brought(moments: &Prediction, back: &Back) -> Prediction {
    let variance = |values: &[f64]| -> Vec<f64> {
        let deviations: Vec<f64> = values.iter().map(|v| v.sqrt()).collect();
        let brought = back.interpolation.apply(&deviations);
        brought.into_iter().map(|d| d * d).collect()
    };
    Prediction {
        mean: back.bring(&moments.mean),
        aleatoric: variance(&moments.aleatoric),
        epistemic: variance(&moments.epistemic),
        ..moments.clone()
    }
}
