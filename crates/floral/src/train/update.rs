//! Update of a training step: gradient clipping, Adam, and the new weights put into the network.

use rayon::prelude::*;

use super::config::OptimiserConfig;
use super::model::Model;
use crate::Result;
use crate::operator::{Weight, with_weights};
use floral_flow::training::adam::{Adam, clipped};
use floral_networks::training::gradient::Gradient;

/// Updates the weights and puts them into the network; returns the gradient's norm before clipping.
///
/// If the loss or the norm is not finite, the weights stay unchanged.
pub fn update(
    model: &mut Model,
    weights: &mut [Weight],
    adam: &mut Adam,
    gradient: &Gradient,
    (optimiser, learning_rate): (&OptimiserConfig, f64),
) -> Result<f64> {
    let (norm, factor) = clipped(&gradient.arrays, optimiser.clip);
    if !(gradient.loss.is_finite() && norm.is_finite()) {
        return Ok(norm);
    }
    let arrays = weights.iter_mut().map(|w| w.values.as_mut_slice());
    let pairs = arrays.zip(gradient.arrays.iter().map(Vec::as_slice));
    adam.step(learning_rate, optimiser.weight_decay, factor, pairs);
    let copies = weights.par_iter().cloned().collect();
    model.network = with_weights(model.network.clone(), copies)?;
    Ok(norm)
}
