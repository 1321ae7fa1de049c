//! The predictor of one input, which delivers realizations of its solution.

use super::network_input::NetworkInput;
use super::predictor::Trained;
use super::regression_input::RegressionInput;
use super::{Predictor, Sampling, block_rows, checks};
use crate::kl::{Innovation, Placement, Prediction, Reading, Sensor};
use crate::observer::Observer;
use crate::random::Stream;
use crate::sample::Progress;
use crate::storage::Precision;
use crate::transform::Transforms;
use crate::{Error, Field, Grid, Result};

/// A model prepared for one input on one grid: all that depends on the input alone is computed.
pub struct InputPredictor<'a> {
    values: usize,
    points: usize,
    transforms: &'a Transforms,
    precision: Precision,
    derived: Derived<'a>,
    /// Moments of the solution in physical units, if transforms make them differ from the learned
    /// ones.
    moments: Option<Prediction>,
    /// Agreement of readings with the prediction, if it is conditioned on any.
    innovation: Option<Innovation>,
}

enum Derived<'a> {
    Network(Box<NetworkInput<'a>>),
    Regression(Box<RegressionInput<'a>>),
}

impl<'a> InputPredictor<'a> {
    pub(super) fn new(
        predictor: &'a Predictor,
        input: &Field,
        low: Option<&Field>,
        grid: &Grid,
    ) -> Result<Self> {
        let header = &predictor.header;
        let low = checks::check(header, input, low, grid)?;
        let (low, transforms) = (low.as_ref(), &header.transforms);
        let derived = match &predictor.trained {
            Trained::Network(network) => {
                let derived = NetworkInput::new(header, network, input, low, grid)?;
                Derived::Network(Box::new(derived))
            }
            Trained::Regression(fitted) => {
                let derived = RegressionInput::new(header, fitted, input, low, grid)?;
                Derived::Regression(Box::new(derived))
            }
        };
        let mut found = Self {
            values: header.shapes.solution_channels * grid.len(),
            points: grid.len(),
            transforms,
            precision: predictor.precision(),
            derived,
            moments: None,
            innovation: None,
        };
        found.invert_moments();
        Ok(found)
    }

    fn invert_moments(&mut self) {
        self.moments = match &self.derived {
            Derived::Regression(derived) if !self.transforms.is_none() => {
                Some(derived.inverted_moments(self.transforms, self.points))
            }
            _ => None,
        };
    }

    /// This predictor, conditioned on readings of the learned field of one realization, [channel,
    /// point].
    pub(super) fn observed(mut self, readings: &[Reading]) -> Result<Self> {
        match &mut self.derived {
            Derived::Network(derived) => self.innovation = Some(derived.observe(readings)?),
            Derived::Regression(derived) => self.innovation = Some(derived.observe(readings)?),
        }
        self.invert_moments();
        Ok(self)
    }

    /// Agreement of the readings with the unconditional prediction; `None` without readings.
    pub fn innovation(&self) -> Option<&Innovation> {
        self.innovation.as_ref()
    }

    /// Proposed sensors on the training grid, given readings of the learned field.
    pub(super) fn sensors(
        &self,
        placement: &Placement,
        readings: &[Reading],
    ) -> Result<Vec<Sensor>> {
        match &self.derived {
            Derived::Network(_) => Err(not_placed()),
            Derived::Regression(derived) => derived.sensors(placement, readings),
        }
    }

    /// Number of values per realization: channels times points.
    pub fn values(&self) -> usize {
        self.values
    }

    /// Number of realizations computed together.
    pub fn block_rows(&self) -> usize {
        match &self.derived {
            Derived::Network(derived) => derived.block_rows(),
            Derived::Regression(_) => block_rows(self.points),
        }
    }

    /// Mean, aleatoric and epistemic variance of the solution; `None` for a network. They are in
    /// closed form, except for transformed channels whose distribution is not normal: these use a
    /// fixed number of separate draws.
    pub fn moments(&self) -> Option<&Prediction> {
        match &self.derived {
            Derived::Network(_) => None,
            Derived::Regression(derived) => self.moments.as_ref().or(Some(derived.moments())),
        }
    }

    /// The epistemic variance of an affine quantity with these coefficients, [channel, point];
    /// `None` if the method does not separate it, or if draws are transformed or clipped.
    pub fn epistemic_variance(&self, coefficients: &[f64]) -> Option<f64> {
        match &self.derived {
            Derived::Regression(derived) if self.transforms.is_none() => {
                derived.epistemic_variance(coefficients)
            }
            _ => None,
        }
    }

    /// Change of an affine quantity with these coefficients per unit of each epistemic number,
    /// which is standard normal. `None` if [`epistemic_variance`](Self::epistemic_variance) is
    /// `None`, and if conditioned on readings.
    pub(crate) fn epistemic_effects(&self, coefficients: &[f64]) -> Option<Vec<f64>> {
        match &self.derived {
            Derived::Regression(derived) if self.transforms.is_none() => {
                derived.epistemic_effects(coefficients)
            }
            _ => None,
        }
    }

    /// Number of epistemic numbers of a realization; 0 for a method that does not separate the
    /// epistemic part.
    pub(crate) fn epistemic_count(&self) -> usize {
        match &self.derived {
            Derived::Network(_) => 0,
            Derived::Regression(derived) => derived.epistemic_count(),
        }
    }

    /// One realization per random stream, all with the same epistemic numbers: the prediction of
    /// one plausible model, in physical units, [realization, channel, point]. Empty for methods
    /// that do not separate the epistemic part.
    pub(crate) fn drawn_given(&self, streams: Vec<Stream>, normals: &[f64]) -> Vec<f64> {
        let Derived::Regression(derived) = &self.derived else {
            return Vec::new();
        };
        let mut values = derived.drawn_given(streams, normals);
        for realization in values.chunks_exact_mut(self.values.max(1)) {
            self.transforms.invert(realization, self.points);
        }
        values
    }

    /// Delivers realizations in the order of their index to `consume`, in physical units,
    /// [channel, point], rounded to the run's [`precision`](Predictor::precision).
    ///
    /// `input` is the index of the input, so that each input has its own random draws. The bits of
    /// a realization depend on seed, input and its own index, but not on the number of realizations
    /// or threads.
    pub fn deliver(
        &self,
        input: u64,
        wanted: &Sampling,
        observer: &dyn Observer,
        mut consume: impl FnMut(usize, &[f64]) -> Result<()>,
    ) -> Result<Progress> {
        self.deliver_from(0, input, wanted, observer, |realization, values, _| {
            consume(realization, values)
        })
    }

    /// Delivers realizations from index `first` on, each with the number of network evaluations
    /// that it took. A deterministic method has only realization 0 and always delivers it.
    pub fn deliver_from(
        &self,
        first: usize,
        input: u64,
        wanted: &Sampling,
        observer: &dyn Observer,
        mut consume: impl FnMut(usize, &[f64], usize) -> Result<()>,
    ) -> Result<Progress> {
        let consume = |realization: usize, values: &[f64], evaluations: usize| {
            let mut values = values.to_vec();
            self.transforms.invert(&mut values, self.points);
            self.precision.round(&mut values);
            consume(realization, &values, evaluations)
        };
        match &self.derived {
            Derived::Network(derived) => {
                derived.deliver_from(first, input, wanted, observer, consume)
            }
            Derived::Regression(derived) => {
                derived.deliver_from(first, input, wanted, observer, consume)
            }
        }
    }
}

fn not_placed() -> Error {
    Error::config(
        "sensors",
        "a network does not place sensors; use a run of floral-kl or kriging",
    )
}
