//! Training of one network: Adam on batches of inputs moved by symmetries, cosine decay, averaged
//! weights.

use std::f64::consts::PI;
use std::time::Instant;

use burn::tensor::Device;
use rand::RngExt;

use super::corrector::{Corrector, Scales, measured, regressed, sized};
use super::failed;
use super::plan::StackPlan;
use crate::Result;
use crate::kl::{self, Event, Lesson};
use crate::operator::{FilmFno, FilmFnoConfig, Weight, gradients, weights, with_weights};
use crate::random::{Purpose, stream};
use crate::training::model::fields;
use floral_flow::training::adam::{Adam, clipped};
use floral_flow::training::average::{Average, averaged};
use floral_kernels::memory::Reuse;

/// Number of steps in which the learning rate rises.
const WARM_UP: f64 = 20.0;

/// Decay of the running mean of the weights.
const AVERAGE: f64 = 0.98;

/// Timed steps, and untimed steps before them, which fill caches.
const PROBED: usize = 3;
const BEFORE: usize = 2;

/// Trains the network for one part of the inputs on the other parts.
pub(super) fn trained(
    plan: &StackPlan,
    lesson: &Lesson<'_>,
    seed: u64,
    part: usize,
) -> kl::Result<Corrector> {
    let mut training = Training::new(plan, lesson, seed, part).map_err(failed)?;
    for step in 0..plan.steps {
        if lesson.observer.should_stop() {
            return Err(kl::Error::Interrupted);
        }
        lesson.observer.observe(&Event::Stacking {
            done: part * plan.steps + step,
            total: lesson.count() * plan.steps,
        });
        training.step(step).map_err(failed)?;
    }
    training.finished().map_err(failed)
}

/// Measured seconds per step of a plan.
pub(super) fn seconds(plan: &StackPlan, lesson: &Lesson<'_>) -> kl::Result<f64> {
    let mut training = Training::new(plan, lesson, 0, 0).map_err(failed)?;
    for step in 0..BEFORE {
        training.step(step).map_err(failed)?;
    }
    let start = Instant::now();
    for step in 0..PROBED {
        training.step(step).map_err(failed)?;
    }
    Ok(start.elapsed().as_secs_f64() / PROBED as f64)
}

struct Training<'a> {
    plan: &'a StackPlan,
    lesson: &'a Lesson<'a>,
    address: (u64, u64),
    /// Training inputs, and those that this epoch has not used yet.
    inputs: Vec<usize>,
    left: Vec<usize>,
    scales: Scales,
    config: FilmFnoConfig,
    network: FilmFno,
    weights: Vec<Weight>,
    adam: Adam,
    average: Option<Average>,
    device: Device,
    _reuse: Reuse,
}

impl<'a> Training<'a> {
    fn new(plan: &'a StackPlan, lesson: &'a Lesson<'a>, seed: u64, part: usize) -> Result<Self> {
        let device = Device::flex().autodiff();
        let scales = Scales::new(&lesson.fields, &lesson.targets, lesson.lattice.len());
        let config = sized(&scales, plan.modes.clone(), plan.sizes);
        // Each member starts from its own random weights.
        let start = stream(seed, Purpose::Stack, part as u64, u64::MAX).random();
        let network = FilmFno::new(&config, start, &device)?;
        let weights = weights(&network)?;
        Ok(Self {
            plan,
            lesson,
            address: (seed, part as u64),
            inputs: lesson.inputs(part, false),
            left: Vec::new(),
            scales,
            config,
            network,
            adam: Adam::new(weights.iter().map(|w| w.values.len())),
            average: Average::new(AVERAGE, &weights),
            weights,
            device,
            _reuse: Reuse::begin(),
        })
    }

    fn step(&mut self, step: usize) -> Result<()> {
        let gradient = self.gradient(step)?;
        let (norm, factor) = clipped(&gradient, 1.0);
        if !norm.is_finite() {
            // Skip the step: a gradient that is not finite would spoil the weights.
            return Ok(());
        }
        let rate = self.rate(step);
        let arrays = self.weights.iter_mut().map(|w| w.values.as_mut_slice());
        let pairs = arrays.zip(gradient.iter().map(Vec::as_slice));
        self.adam.step(rate, 0.0, factor, pairs);
        self.network = with_weights(self.network.clone(), self.weights.clone())?;
        if let Some(average) = &mut self.average {
            average.push(&self.weights, self.adam.steps);
        }
        Ok(())
    }

    /// The learning rate: a short linear rise, then half a cosine. Loshchilov & Hutter (2017),
    /// equation 5.
    fn rate(&self, step: usize) -> f64 {
        let share = step as f64 / self.plan.steps as f64;
        let rise = ((step + 1) as f64 / WARM_UP).min(1.0);
        self.plan.rate * rise * 0.5 * (1.0 + (PI * share).cos())
    }

    /// Gradient of the mean squared error over a batch of moved inputs.
    fn gradient(&mut self, step: usize) -> Result<Vec<Vec<f32>>> {
        let points = self.lesson.lattice.len();
        let (seed, part) = self.address;
        let mut rng = stream(seed, Purpose::Stack, part, step as u64);
        let (mut seen, mut wanted) = (Vec::new(), Vec::new());
        for _ in 0..self.plan.batch.min(self.inputs.len()) {
            if self.left.is_empty() {
                self.left.clone_from(&self.inputs);
            }
            let input = self.left.swap_remove(rng.random_range(0..self.left.len()));
            let (fields, target) = self.lesson.moved(input, &mut rng);
            seen.extend(measured(&fields, &self.scales.fields, points));
            wanted.extend(measured(&target, &self.scales.correction, points));
        }
        let shape = self.lesson.lattice.shape();
        let [fed, returned] = [&self.scales.fields, &self.scales.correction].map(Vec::len);
        let seen = fields(seen, fed, &shape, &self.device);
        let wanted = fields(wanted, returned, &shape, &self.device);
        let loss = (regressed(&self.network, seen, &shape)? - wanted)
            .square()
            .mean();
        let gradient = gradients(&self.network, loss.backward())?;
        Ok(gradient.into_iter().map(|part| part.values).collect())
    }

    fn finished(self) -> Result<Corrector> {
        let kept = match &self.average {
            Some(average) => averaged(&self.weights, &average.values),
            None => self.weights,
        };
        let network = FilmFno::new(&self.config, 0, &Device::flex())?;
        Ok(Corrector {
            network: with_weights(network, kept)?,
            scales: self.scales,
            shape: self.lesson.lattice.shape(),
        })
    }
}
