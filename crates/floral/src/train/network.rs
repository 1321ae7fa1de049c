//! The network of a method: its sizes for data of given shapes, and its initial weights.

#[cfg(feature = "networks")]
use floral_networks::device::Device;
#[cfg(feature = "networks")]
pub use floral_networks::training::model::{Model, fields};

use super::Method;
use super::config::{NetworkConfig, NetworkKind};
use crate::{Error, Result};
pub use floral_flow::network::Shapes;
use floral_flow::network::{Backbone, FilmFnoConfig, SlicesConfig};

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
    let config = backbone(method, sizes, &shapes);
    Model::new(&config, shapes, seed, device)
}

/// Refuses kept frequencies that are not one number per axis of the grid.
pub fn check_modes(sizes: &NetworkConfig, shapes: &Shapes) -> Result<()> {
    match &sizes.n_modes {
        Some(modes) if modes.len() != shapes.grid.len() => Err(Error::config(
            "network.n_modes",
            format!(
                "{modes:?} has {} numbers but the grid {:?} has {} axes; give one for each",
                modes.len(),
                shapes.grid,
                shapes.grid.len()
            ),
        )),
        _ => Ok(()),
    }
}

/// Sizes of the network of a method for data of given shapes.
pub fn backbone(method: Method, sizes: &NetworkConfig, shapes: &Shapes) -> Backbone {
    match sizes.kind {
        NetworkKind::Fno => Backbone::Fno(network_config(method, sizes, shapes)),
        NetworkKind::Slices => {
            let [input_channels, condition_channels] = channels(method, shapes);
            Backbone::Slices(SlicesConfig {
                input_channels,
                output_channels: shapes.solution_channels,
                condition_channels,
                coordinates: shapes.coordinates.unwrap_or(shapes.grid.len()),
                time: method.is_flow(),
                hidden_channels: sizes.hidden_channels,
                layers: sizes.layers,
                film_channels: sizes.film_channels,
                slices: sizes.slices,
                heads: sizes.heads,
            })
        }
    }
}

/// Sizes of the Fourier neural operator of a method for data of given shapes.
pub fn network_config(method: Method, sizes: &NetworkConfig, shapes: &Shapes) -> FilmFnoConfig {
    let half = || shapes.grid.iter().map(|n| (n / 2).max(1)).collect();
    let n_modes = sizes.n_modes.clone().unwrap_or_else(half);
    let [fed, condition] = channels(method, shapes);
    FilmFnoConfig::new(fed, shapes.solution_channels, condition, n_modes)
        .with_time(method.is_flow())
        .with_hidden_channels(sizes.hidden_channels)
        .with_layers(sizes.layers)
        .with_film_channels(sizes.film_channels)
}

/// Numbers of channels of the network's input field and of its condition.
fn channels(method: Method, shapes: &Shapes) -> [usize; 2] {
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
    [fed, shapes.input_channels + low]
}
