//! Weights and memory of a network that attends over slices.
//!
//! Its attention is composed of Burn operations, which keep their results for the backward pass.
//! Each layer keeps `KEPT_FIELDS` fields of all hidden channels and `KEPT_ASSIGNMENTS` fields of
//! all heads and slices.

use super::{Load, Memory};
use crate::network::SlicesConfig;

use super::memory::PARAMETER_COPIES;

/// Hidden-channel fields that a layer keeps, including those that it works on.
const KEPT_FIELDS: f64 = 16.0;

/// Fields of assignment weights (one per head and slice) that a layer keeps.
const KEPT_ASSIGNMENTS: f64 = 8.0;

/// Points in a training block, over all its samples: its layers take hundreds of megabytes.
const BLOCK_POINTS: usize = 16_384;

const BYTES: f64 = 4.0;

/// Samples per training block.
pub fn block_rows(points: usize) -> usize {
    (BLOCK_POINTS / points.max(1)).clamp(1, 64)
}

/// Number of weights of a network.
pub fn parameters(network: &SlicesConfig) -> f64 {
    let real = |n: usize| n as f64;
    let h = real(network.hidden_channels);
    let width = real(network.film_channels);
    let linear = |inputs: f64, outputs: f64| (inputs + 1.0) * outputs;
    let mlp =
        |inputs: f64, hidden: f64, outputs: f64| linear(inputs, hidden) + linear(hidden, outputs);
    let film = |inputs: f64, features: f64| {
        linear(inputs, width) + 2.0 * linear(width, width) + linear(width, 2.0 * features)
    };
    let [fed, output, condition, places] = [
        network.network_inputs(),
        network.output_channels,
        network.condition_channels,
        network.coordinates,
    ]
    .map(real);
    let head = real(network.head_channels());
    let attention =
        linear(h, real(network.heads * network.slices)) + 2.0 * linear(h, h) + 3.0 * head * head;
    let layer = 2.0 * h + attention + mlp(h, 2.0 * h, h) + film(h, h);
    mlp(fed + places, 4.0 * h, h)
        + mlp(condition + places, 4.0 * h, h)
        + film(h, h)
        + real(network.layers) * layer
        + mlp(h, 4.0 * h, output)
        + linear(fed, output)
        + film(condition, output)
}

/// Memory for training on this number of points.
pub fn memory(network: &SlicesConfig, points: usize, load: &Load) -> Memory {
    let rows = load.batch.min(block_rows(points)) as f64;
    let inputs = rows.min(load.inputs as f64);
    let layers = network.layers as f64;
    let field = (points * network.hidden_channels) as f64;
    let assignments = (points * network.heads * network.slices) as f64;
    let kept = KEPT_FIELDS * field + KEPT_ASSIGNMENTS * assignments;
    Memory {
        parameters: BYTES * PARAMETER_COPIES * parameters(network),
        context: BYTES * inputs * 2.0 * 2.0 * field * (layers + 2.0),
        activations: BYTES * rows * layers * kept,
        data: BYTES * load.values as f64,
    }
}
