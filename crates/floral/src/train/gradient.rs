//! The loss of a batch and its gradient, block by block of samples.

use burn::tensor::{Device, Int, Tensor, TensorData};
use rayon::prelude::*;

use super::model::{Model, fields};
use super::samples::Samples;
use crate::cost::training_rows;
use crate::flow::{Path, path};
use crate::operator::{Weight, gradients};
use crate::random::Stream;
use crate::{Error, Result};

/// Grid values that a block of samples may have: bounds the memory of the backward pass.
const BLOCK_VALUES: usize = 32 * 128 * 128;

/// Samples per block on a grid of this many points, where the device has room for them.
pub fn block_rows(points: usize) -> usize {
    (BLOCK_VALUES / points.max(1)).clamp(1, 64)
}

/// What a loss is computed from.
pub struct Loss<'a> {
    /// The data.
    pub samples: &'a Samples,
    /// The path to the data; absent for regression.
    pub path: Option<Path<'a>>,
    /// The randomness of a sample.
    pub stream: &'a (dyn Fn(usize) -> Stream + Sync),
}

/// Sum of the losses of some samples, and its gradient in the order of the network's weights.
pub struct Gradient {
    /// Sum over samples.
    pub loss: f64,
    /// One array per weight.
    pub arrays: Vec<Vec<f32>>,
}

impl Gradient {
    /// Adds the gradients of a block; those of the first are the sum so far.
    fn add(&mut self, part: Vec<Weight>) {
        if self.arrays.is_empty() {
            self.arrays = part.into_iter().map(|weight| weight.values).collect();
            return;
        }
        for (sum, part) in self.arrays.iter_mut().zip(part) {
            let values = sum.par_iter_mut().zip(part.values);
            values.for_each(|(sum, value)| *sum += value);
        }
    }
}

impl Loss<'_> {
    /// The gradient of the mean loss over `batch`; `model` lives on an autodiff device.
    pub fn gradient(&self, model: &Model, batch: &[usize], device: &Device) -> Result<Gradient> {
        let mut total = Gradient {
            loss: 0.0,
            arrays: Vec::new(),
        };
        for block in batch.chunks(self.block_rows(model, device)) {
            let loss = self.of_block(model, block, device)? / batch.len() as f64;
            let part = gradients(&model.network, loss.backward());
            total.loss += scalar(loss);
            total.add(part);
        }
        Ok(total)
    }

    /// The mean loss over all samples, without gradient.
    pub fn mean(&self, model: &Model, device: &Device) -> Result<f64> {
        let all: Vec<usize> = (0..self.samples.len()).collect();
        let mut sum = 0.0;
        for block in all.chunks(self.block_rows(model, device)) {
            sum += scalar(self.of_block(model, block, device)?);
        }
        Ok(sum / all.len() as f64)
    }

    /// Samples that are computed together.
    fn block_rows(&self, model: &Model, device: &Device) -> usize {
        training_rows(model.network.config(), &self.samples.grid.shape(), device)
    }

    /// The sum of the losses of a block: sum_i weight_i mean over grid of (prediction - target)^2.
    fn of_block(&self, model: &Model, block: &[usize], device: &Device) -> Result<Tensor<1>> {
        let (inputs, rows) = self.distinct_inputs(block);
        let shape = self.samples.grid.shape();
        let channels = model.shapes.solution_channels;
        let all = |channels: usize| {
            let mut values = Vec::new();
            for &input in &inputs {
                values.extend_from_slice(&self.samples.condition_of(input, channels)?);
            }
            Ok::<_, Error>(fields(values, channels, &shape, device))
        };
        let context = model.network.condition(all(model.condition_channels())?)?;
        let (predicted, target, weight) = match &self.path {
            Some(path) => {
                let drawn = self.draw(path, block)?;
                let states = fields(drawn.states, channels, &shape, device);
                let times = vector(drawn.times.clone(), device);
                let weight = drawn.times.into_iter().map(path::weight).collect();
                let context = context.select(&rows)?;
                let velocity = model.network.velocity(states, times, &context)?;
                (velocity, drawn.velocities, weight)
            }
            None => {
                let predicted = model
                    .network
                    .predict(all(model.shapes.input_channels)?, &context)?;
                let mut targets = Vec::new();
                for &sample in block {
                    targets.extend_from_slice(&self.samples.target_of(sample)?);
                }
                let rows: Vec<i64> = rows.iter().map(|&row| row as i64).collect();
                let count = rows.len();
                let rows = Tensor::<1, Int>::from_data(TensorData::new(rows, [count]), device);
                (predicted.select(0, rows), targets, vec![1.0; block.len()])
            }
        };
        let target = fields(target, channels, &shape, device);
        let error = (predicted - target)
            .square()
            .reshape([block.len() as i32, -1]);
        let error: Tensor<1> = error.mean_dim(1).squeeze_dim(1);
        Ok((error * vector(weight, device)).sum())
    }

    /// The inputs that occur in a block, and for each sample the place of its own among them.
    fn distinct_inputs(&self, block: &[usize]) -> (Vec<usize>, Vec<usize>) {
        let mut inputs: Vec<usize> = block.iter().map(|&s| self.samples.input_of(s)).collect();
        inputs.sort_unstable();
        inputs.dedup();
        let place = |sample: &usize| {
            let input = self.samples.input_of(*sample);
            inputs
                .binary_search(&input)
                .expect("the inputs of the block's own samples")
        };
        let rows = block.iter().map(place).collect();
        (inputs, rows)
    }

    fn draw(&self, path: &Path, block: &[usize]) -> Result<Drawn> {
        let size = self.samples.size();
        let mut drawn = Drawn {
            states: vec![0.0; block.len() * size],
            velocities: vec![0.0; block.len() * size],
            times: vec![0.0; block.len()],
        };
        let rows = drawn
            .states
            .par_chunks_mut(size)
            .zip(drawn.velocities.par_chunks_mut(size));
        rows.zip(&mut drawn.times).zip(block).try_for_each(
            |(((state, velocity), time), &sample)| {
                let target = self.samples.target_of(sample)?;
                *time = path.draw(&target, &mut (self.stream)(sample), state, velocity);
                Ok::<_, Error>(())
            },
        )?;
        Ok(drawn)
    }
}

/// Points of the paths of a block's samples.
struct Drawn {
    states: Vec<f32>,
    velocities: Vec<f32>,
    times: Vec<f32>,
}

fn vector(values: Vec<f32>, device: &Device) -> Tensor<1> {
    let count = values.len();
    Tensor::from_data(TensorData::new(values, [count]), device)
}

fn scalar(tensor: Tensor<1>) -> f64 {
    tensor.into_data().iter::<f32>().map(f64::from).sum()
}
