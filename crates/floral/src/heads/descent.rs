//! Descent: Adam with warm-up and cosine decay, and the running average of the weights.
//!
//! One for every module that is learned here; what the loss is, its caller knows.

use std::f64::consts::PI;

use burn::module::Module;
use burn::tensor::Tensor;

use crate::operator::{Weight, gradients, weights, with_weights};
use crate::train::adam::{Adam, clipped};
use crate::{Error, Result};

/// The share of the learning rate that is left at the end.
const LAST: f64 = 0.01;

/// The share of the past in a step of the average.
const MEMORY: f64 = 0.99;

/// The learning rate over the steps.
#[derive(Debug, Clone, Copy)]
pub(super) struct Schedule {
    /// Steps in all.
    pub steps: usize,
    /// Steps in which the rate rises to its largest.
    pub warm_up: usize,
    /// The largest rate.
    pub learning_rate: f64,
    /// L2 weight decay, added to the gradient as in classic Adam.
    pub weight_decay: f64,
}

impl Schedule {
    fn rate(&self, step: usize) -> f64 {
        let rise = ((step + 1) as f64 / self.warm_up.max(1) as f64).min(1.0);
        let share = step as f64 / self.steps.max(1) as f64;
        let fall = LAST + (1.0 - LAST) * 0.5 * (1.0 + (PI * share).cos());
        self.learning_rate * rise * fall
    }
}

/// A module on its way down.
pub(super) struct Descent<M> {
    /// The module with its present weights, on a device that differentiates.
    pub module: M,
    weights: Vec<Weight>,
    averaged: Vec<Weight>,
    adam: Adam,
    schedule: Schedule,
    step: usize,
    norm: f64,
}

impl<M: Module> Descent<M> {
    pub(super) fn new(module: M, schedule: Schedule) -> Result<Self> {
        let weights = weights(&module)?;
        Ok(Self {
            adam: Adam::new(weights.iter().map(|w| w.values.len())),
            averaged: weights.clone(),
            module,
            weights,
            schedule,
            step: 0,
            norm: 0.0,
        })
    }

    /// One step down the gradient of `loss`, which came from the present module; its value.
    pub(super) fn step(&mut self, loss: Tensor<1>) -> Result<f64> {
        let arrays = gradients(&self.module, loss.backward())?;
        let arrays: Vec<Vec<f32>> = arrays.into_iter().map(|g| g.values).collect();
        let loss: f64 = loss.into_data().iter::<f32>().map(f64::from).sum();
        let (norm, factor) = clipped(&arrays, 1.0);
        if !(loss.is_finite() && norm.is_finite()) {
            return Err(diverged(self.step));
        }
        let rate = self.schedule.rate(self.step);
        let pairs = self.weights.iter_mut().map(|w| w.values.as_mut_slice());
        let pairs = pairs.zip(arrays.iter().map(Vec::as_slice));
        let decay = self.schedule.weight_decay;
        self.adam.step(rate, decay, factor, pairs);
        self.module = with_weights(self.module.clone(), self.weights.clone())?;
        self.average();
        (self.step, self.norm) = (self.step + 1, norm);
        Ok(loss)
    }

    /// The average forgets the first weights sooner than its memory alone would.
    fn average(&mut self) {
        let step = self.step as f64;
        let memory = MEMORY.min((1.0 + step) / (10.0 + step)) as f32;
        for (mean, now) in self.averaged.iter_mut().zip(&self.weights) {
            for (mean, now) in mean.values.iter_mut().zip(&now.values) {
                *mean = memory * *mean + (1.0 - memory) * now;
            }
        }
    }

    /// The rate of the step to come.
    pub(super) fn learning_rate(&self) -> f64 {
        self.schedule.rate(self.step)
    }

    /// The norm of the last gradient, before clipping.
    pub(super) fn gradient_norm(&self) -> f64 {
        self.norm
    }

    /// The averaged weights.
    pub(super) fn averaged_weights(&self) -> &[Weight] {
        &self.averaged
    }

    /// The module with the averaged weights, for inference.
    pub(super) fn averaged(&self) -> Result<M> {
        with_weights(self.module.valid(), self.averaged.clone())
    }
}

fn diverged(step: usize) -> Error {
    Error::Numerical {
        what: format!("the loss or its gradient was not finite at step {step}"),
        advice: "check the deviation for values close to zero, or lower the learning rate".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_rises_over_the_warm_up_and_falls_to_its_last_share() {
        let schedule = Schedule {
            steps: 100,
            warm_up: 10,
            learning_rate: 1.0,
            weight_decay: 0.0,
        };
        let rates: Vec<f64> = (0..100).map(|step| schedule.rate(step)).collect();
        assert!((rates[0] - 0.1).abs() < 1e-3);
        assert!(rates[..10].windows(2).all(|pair| pair[0] < pair[1]));
        assert!(rates[10..].windows(2).all(|pair| pair[0] > pair[1]));
        assert!(rates[99] < 0.011 && rates[99] > 0.009);
    }
}
