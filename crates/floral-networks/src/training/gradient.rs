//! The loss of a batch and its gradient, computed in blocks of samples that ranks share.

use std::ops::Range;

use burn::tensor::{Device, Int, Tensor, TensorData};
use rayon::prelude::*;

use floral_flow::cost::LEAST_ROWS;
pub use floral_flow::cost::{block_rows, step_blocks};
use floral_flow::flow::{Path, path};
use floral_flow::training::reduction::{Arrays, Own, Reduction, add};
use floral_flow::training::samples::Samples;
use floral_flow::training::tree::sum;

use super::blocks::training_rows;
use super::model::{Model, fields};
use crate::device::read;
use crate::operator::{Points, gradients};
use crate::random::Stream;
use crate::ranks::{Alone, Ranks, share};
use crate::{Error, Result};

/// Data, path and randomness of a loss.
pub struct Loss<'a> {
    /// The data.
    pub samples: &'a Samples<'a>,
    /// The path to the data; absent for regression.
    pub path: Option<Path<'a>>,
    /// The random stream of each sample.
    pub stream: &'a (dyn Fn(usize) -> Stream + Sync),
}

/// The mean loss of some samples, and its gradient in the order of the network's weights.
pub struct Gradient {
    /// Mean over samples.
    pub loss: f64,
    /// One array per weight.
    pub arrays: Arrays,
    /// Whether a rank was asked to stop.
    pub stops: bool,
}

impl Loss<'_> {
    /// The gradient of the mean loss over `batch`; `model` lives on an autodiff device.
    pub fn gradient(&self, model: &Model, batch: &[usize], device: &Device) -> Result<Gradient> {
        self.gradient_across(&Alone::default(), (model, &[]), batch, device, false)
    }

    /// The same computed by several ranks, each with its own blocks; the result has the same bits.
    /// `lengths` are the lengths of the weights. `stops` is this rank's request to stop, which all
    /// ranks receive.
    pub fn gradient_across(
        &self,
        ranks: &dyn Ranks,
        (model, lengths): (&Model, &[usize]),
        batch: &[usize],
        device: &Device,
        stops: bool,
    ) -> Result<Gradient> {
        let blocks = self.blocks(batch, self.block_rows(model, device));
        let reduction = Reduction {
            ranks,
            blocks: blocks.len(),
            lengths,
        };
        let mut own = Own {
            nodes: Vec::new(),
            losses: Vec::new(),
            stops,
        };
        let mut leaf = |node: &Range<usize>| {
            if node.len() > 1 {
                return Ok(None);
            }
            let block = &batch[blocks[node.start].clone()];
            let loss = self.of_block(model, block, device)? / batch.len() as f64;
            let arrays = gradients(&model.network, loss.backward())?;
            own.losses.push(scalar(loss)?);
            Ok(Some(arrays.into_iter().map(|part| part.values).collect()))
        };
        for node in reduction.nodes_of(ranks.rank()) {
            own.nodes.extend(sum(&node, &mut leaf, &add)?);
        }
        let all = reduction.reduce(own)?;
        Ok(Gradient {
            loss: all.losses.iter().map(|loss| f64::from(*loss)).sum(),
            arrays: all.arrays,
            stops: all.stops,
        })
    }

    /// The blocks of a step, the same for any number of ranks: equal parts. A border moves by one
    /// sample where that keeps the samples of an input together, so that they share a context.
    fn blocks(&self, batch: &[usize], rows: usize) -> Vec<Range<usize>> {
        let count = step_blocks(batch.len(), self.samples.grid.len(), rows);
        let input = |i: usize| self.samples.input_of(batch[i]);
        let border = |block: usize| {
            let equal = share(batch.len(), block, count).start;
            if block == 0 || block == count || batch.len() < LEAST_ROWS * count {
                return equal;
            }
            let near = [equal, equal - 1, equal + 1];
            let between = near.into_iter().find(|&i| input(i) != input(i - 1));
            between.unwrap_or(equal)
        };
        (0..count)
            .map(|block| border(block)..border(block + 1))
            .collect()
    }

    /// The mean loss over all samples, without gradient.
    pub fn mean(&self, model: &Model, device: &Device) -> Result<f64> {
        self.mean_across(&Alone::default(), 0, model, device)
    }

    /// The same over `count` evenly spaced samples (0 for all), computed by several ranks; the
    /// result has the same bits.
    pub fn mean_across(
        &self,
        ranks: &dyn Ranks,
        count: usize,
        model: &Model,
        device: &Device,
    ) -> Result<f64> {
        let samples = self.samples.len();
        let count = if count == 0 {
            samples
        } else {
            count.min(samples)
        };
        let chosen: Vec<usize> = (0..count).map(|i| i * samples / count).collect();
        let blocks: Vec<&[usize]> = chosen.chunks(self.block_rows(model, device)).collect();
        let of_rank = |rank: usize| share(blocks.len(), rank, ranks.size());
        let own = blocks[of_rank(ranks.rank())].iter();
        let own = own.map(|block| scalar(self.of_block(model, block, device)?));
        let counts: Vec<usize> = (0..ranks.size()).map(|rank| of_rank(rank).len()).collect();
        let sums = ranks.join(own.collect::<Result<_>>()?, &counts)?;
        let sum: f64 = sums.iter().map(|sum| f64::from(*sum)).sum();
        Ok(sum / chosen.len() as f64)
    }

    /// Samples per block.
    fn block_rows(&self, model: &Model, device: &Device) -> usize {
        training_rows(&model.network.config(), &self.samples.grid.shape(), device)
    }

    /// The sum of the losses of a block: sum_i weight_i mean over grid of (prediction - target)^2.
    /// For a network of points the mean is a quadrature.
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
        let conditions = all(model.condition_channels())?;
        let nodes = self.samples.nodes.as_ref();
        let at = Points {
            shape: &shape,
            nodes,
        };
        let context = model.network.condition(conditions, at)?;
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
        let mut error = (predicted - target).square();
        if let Some(nodes) = nodes.filter(|nodes| !nodes.is_even()) {
            error = error * fields(nodes.weights.clone(), 1, &shape, device);
        }
        let error = error.reshape([block.len() as i32, -1]);
        let error: Tensor<1> = error.mean_dim(1).squeeze_dim(1);
        Ok((error * vector(weight, device)).sum())
    }

    /// The distinct inputs of a block, and for each sample the index of its input among them.
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

/// States, velocities and times drawn for the samples of a block.
struct Drawn {
    states: Vec<f32>,
    velocities: Vec<f32>,
    times: Vec<f32>,
}

fn vector(values: Vec<f32>, device: &Device) -> Tensor<1> {
    let count = values.len();
    Tensor::from_data(TensorData::new(values, [count]), device)
}

fn scalar(tensor: Tensor<1>) -> Result<f32> {
    Ok(read(tensor)?.iter().sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};
    use floral_data::{Axis, Grid};

    #[test]
    fn blocks_cover_a_step_and_part_between_inputs_where_they_can() {
        let grid = Grid::new(vec![Axis::closed("x", 64), Axis::closed("y", 64)]);
        let size = grid.len();
        // Three samples per input, so that blocks of four would split an input.
        let targets = vec![vec![0.0; 3 * size]; 8];
        let samples = Samples::new(grid, vec![Vec::new(); 8], targets, size);
        let loss = Loss {
            samples: &samples,
            path: None,
            stream: &|sample| stream(0, Purpose::Path, 0, sample as u64),
        };
        let batch: Vec<usize> = (0..24).collect();
        let blocks = loss.blocks(&batch, 64);
        let borders: Vec<usize> = blocks.iter().map(|block| block.end).collect();
        assert_eq!(borders, [3, 9, 12, 15, 21, 24]);
        assert_eq!(blocks[0].start, 0);
        assert!(blocks.windows(2).all(|pair| pair[0].end == pair[1].start));
    }
}
