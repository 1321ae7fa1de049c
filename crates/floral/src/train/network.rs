//! The network of a method: its sizes on data of given shapes, and its initial weights.

#[cfg(feature = "networks")]
use floral_networks::device::Device;
#[cfg(feature = "networks")]
pub use floral_networks::training::model::{Model, fields};

use super::Method;
use super::config::NetworkConfig;
use crate::{Error, Result};
use floral_flow::network::FilmFnoConfig;
pub use floral_flow::network::Shapes;

/// The network of a method with initial weights from `seed`.
#[cfg(feature = "networks")]
pub fn initial(
    method: Method,
    sizes: &NetworkConfig,
    shapes: Shapes,
    seed: u64,
    device: &Device,
) -> Result<Model> {
    check_modes(sizes, &shapes)?;
    let config = network_config(method, sizes, &shapes);
    Model::new(&config, shapes, seed, device)
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
