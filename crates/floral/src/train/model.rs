//! A network together with what is needed to feed it.

use burn::tensor::{Device, Tensor, TensorData};
use serde::{Deserialize, Serialize};

use super::Method;
use super::config::NetworkConfig;
use crate::operator::{FilmFno, FilmFnoConfig};
use crate::{Error, Result};

/// The shapes that data give a network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shapes {
    /// Channels of the input.
    pub input_channels: usize,
    /// Channels of the solution.
    pub solution_channels: usize,
    /// Points per axis of the training grid.
    pub grid: Vec<usize>,
}

/// The operator of a method on data of given shapes.
#[derive(Debug, Clone)]
pub struct Model {
    /// The method.
    pub method: Method,
    /// The data's shapes.
    pub shapes: Shapes,
    /// The network.
    pub network: FilmFno,
}

impl Model {
    /// A network with initial weights from `seed`.
    pub fn new(
        method: Method,
        sizes: &NetworkConfig,
        shapes: Shapes,
        seed: u64,
        device: &Device,
    ) -> Result<Self> {
        check_modes(sizes, &shapes)?;
        let config = network_config(method, sizes, &shapes);
        Ok(Self {
            method,
            network: config.init(seed, device)?,
            shapes,
        })
    }

    /// Condition channels: those of a, and of G_l\[a\] for a residual method.
    pub fn condition_channels(&self) -> usize {
        self.network.config().condition_channels
    }
}

/// Refuses kept frequencies that are not one number per axis of the grid.
pub fn check_modes(sizes: &NetworkConfig, shapes: &Shapes) -> Result<()> {
    match &sizes.n_modes {
        Some(modes) if modes.len() != shapes.grid.len() => Err(Error::Config {
            context: "network.n_modes".into(),
            reason: format!(
                "{modes:?} has {} numbers but the grid {:?} has {} axes; give one for each",
                modes.len(),
                shapes.grid,
                shapes.grid.len()
            ),
        }),
        _ => Ok(()),
    }
}

/// The sizes of the network of a method on data of given shapes.
pub fn network_config(method: Method, sizes: &NetworkConfig, shapes: &Shapes) -> FilmFnoConfig {
    let half = || shapes.grid.iter().map(|n| (n / 2).max(1)).collect();
    let n_modes = sizes.n_modes.clone().unwrap_or_else(half);
    let low = if method.needs_low() {
        shapes.solution_channels
    } else {
        0
    };
    let fed = if method.is_flow() {
        shapes.solution_channels
    } else {
        shapes.input_channels
    };
    FilmFnoConfig::new(
        fed,
        shapes.solution_channels,
        shapes.input_channels + low,
        n_modes,
    )
    .with_time(method.is_flow())
    .with_hidden_channels(sizes.hidden_channels)
    .with_layers(sizes.layers)
    .with_film_channels(sizes.film_channels)
}

/// Fields [count, channel, y, x] from values in that order; a line has a single row y.
pub fn fields(values: Vec<f32>, channels: usize, shape: &[usize], device: &Device) -> Tensor<4> {
    let [y, x] = match *shape {
        [y, x] => [y, x],
        _ => [1, shape.iter().product()],
    };
    let count = values.len() / (channels * y * x).max(1);
    Tensor::from_data(TensorData::new(values, [count, channels, y, x]), device)
}
