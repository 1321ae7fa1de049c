//! A network together with the shapes of its data.

use burn::tensor::{Device, Tensor, TensorData};
use floral_flow::network::{Backbone, Shapes, box_shape};

use crate::Result;
use crate::operator::Network;

/// The operator for data of given shapes.
#[derive(Debug, Clone)]
pub struct Model {
    /// The data's shapes.
    pub shapes: Shapes,
    /// The network.
    pub network: Network,
}

impl Model {
    /// A network with initial weights from `seed`.
    pub fn new(sizes: &Backbone, shapes: Shapes, seed: u64, device: &Device) -> Result<Self> {
        Ok(Self {
            network: Network::new(sizes, seed, device)?,
            shapes,
        })
    }

    /// Condition channels: those of a, and for a residual method those of G_l\[a\].
    pub fn condition_channels(&self) -> usize {
        self.network.config().condition_channels()
    }
}

/// Fields [count, channel, row, x] from values in that order. A line has a single row; a block has
/// one for each point along the axes before the last.
pub fn fields(values: Vec<f32>, channels: usize, shape: &[usize], device: &Device) -> Tensor<4> {
    let [z, y, x] = box_shape(shape);
    let count = values.len() / (channels * z * y * x).max(1);
    let shape = [count, channels, z * y, x];
    Tensor::from_data(TensorData::new(values, shape), device)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operator::weights;
    use floral_flow::network::{FilmFnoConfig, SlicesConfig};

    #[test]
    fn the_formula_counts_every_parameter() {
        let plane = FilmFnoConfig::new(2, 1, 3, vec![4, 6]);
        let line = FilmFnoConfig::new(1, 2, 1, vec![5]).with_time(false);
        let block = FilmFnoConfig::new(1, 1, 2, vec![2, 4, 6]);
        let fno = [plane, line, block].map(|config| {
            let config = config.with_hidden_channels(7).with_layers(3);
            Backbone::Fno(config.with_film_channels(5))
        });
        let slices = [(true, 1), (false, 3)].map(|(time, heads)| {
            Backbone::Slices(SlicesConfig {
                input_channels: 2,
                output_channels: 3,
                condition_channels: 4,
                coordinates: 2,
                time,
                hidden_channels: 6,
                layers: 2,
                film_channels: 5,
                slices: 7,
                heads,
            })
        });
        for config in fno.into_iter().chain(slices) {
            let network = Network::new(&config, 0, &Device::flex()).unwrap();
            let weights = weights(&network).unwrap();
            let counted: usize = weights.iter().map(|w| w.values.len()).sum();
            assert_eq!(config.parameters(), counted as f64, "{config:?}");
        }
    }
}
