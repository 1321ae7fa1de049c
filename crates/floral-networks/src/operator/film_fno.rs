//! The network: velocity = FiLM(L[w]) + N[w], a Fourier neural operator conditioned by FiLM.

use std::sync::Arc;

use burn::module::Module;
use burn::tensor::{Device, Tensor};

use crate::device::adapter_of;
use crate::operator::FilmFnoConfig;
use crate::operator::buffers::check_buffers;
use crate::operator::channel_mlp::ChannelMlp;
use crate::operator::context::{Context, Place};
use crate::operator::film::Film;
use crate::operator::fourier_layer::FourierLayer;
use crate::operator::grid_constants::{GridCache, GridConstants};
use crate::operator::initial_values::InitialValues;
use crate::operator::linear_operator::LinearOperator;
use crate::operator::time_embedding::embed;
use crate::{Error, Result};
use floral_flow::network::box_shape;

/// The operator. Fields are [batch, channel, row, x]: a line has a single row, the rows of a plane
/// lie along y, and those of a block along z and y.
#[derive(Module, Debug)]
pub struct FilmFno {
    lift: ChannelMlp,
    lift_condition: ChannelMlp,
    lift_film: Film,
    layers: Vec<FourierLayer>,
    project: ChannelMlp,
    linear: LinearOperator,
    #[module(skip)]
    config: FilmFnoConfig,
    #[module(skip)]
    grids: GridCache,
}

impl FilmFno {
    /// The network with initial values drawn from `seed`.
    pub fn new(sizes: &FilmFnoConfig, seed: u64, device: &Device) -> Result<Self> {
        sizes.check()?;
        if let Some(adapter) = adapter_of(device) {
            check_buffers(sizes, &adapter)?;
        }
        let values = &mut InitialValues::new(seed, device);
        let n_modes = sizes.mode_shape();
        let dimensions = sizes.n_modes.len();
        let inputs = sizes.network_inputs();
        let hidden = sizes.hidden_channels;
        let film = |condition, features, values: &mut InitialValues| {
            Film::new(condition, sizes.film_channels, features, values)
        };
        Ok(Self {
            lift: ChannelMlp::new(inputs + dimensions, 4 * hidden, hidden, values),
            lift_condition: ChannelMlp::new(
                sizes.condition_channels + dimensions,
                4 * hidden,
                hidden,
                values,
            ),
            lift_film: film(hidden, hidden, values),
            layers: (1..=sizes.layers)
                .map(|i| {
                    let last = i == sizes.layers;
                    FourierLayer::new(hidden, n_modes, sizes.film_channels, last, values)
                })
                .collect(),
            project: ChannelMlp::new(hidden, 4 * hidden, sizes.output_channels, values),
            linear: LinearOperator::new(
                inputs,
                sizes.output_channels,
                n_modes,
                film(sizes.condition_channels, sizes.output_channels, values),
                values,
            ),
            config: sizes.clone(),
            grids: GridCache::default(),
        })
    }

    /// The sizes of this network.
    pub fn config(&self) -> &FilmFnoConfig {
        &self.config
    }

    /// condition: [input, channel, row, x] on a grid of this shape -> everything that depends on
    /// the condition alone, with one row per input.
    pub fn condition(&self, condition: Tensor<4>, shape: &[usize]) -> Result<Context> {
        self.check_condition(&condition, shape)?;
        let grid = self.grid(box_shape(shape), &condition.device());
        let raw = channels_last(condition);
        let lifted = self
            .lift_condition
            .forward(with_coordinates(raw.clone(), &grid));
        Ok(Context {
            lift: self.lift_film.modulation(lifted.clone()),
            layers: self
                .layers
                .iter()
                .map(|layer| layer.film.modulation(lifted.clone()))
                .collect(),
            linear: self.linear.film.modulation(raw),
            place: Place::Grid(grid),
        })
    }

    /// w: [batch, channel, row, x], tau: \[batch\] -> the velocity of w at time tau, same shape as
    /// w.
    ///
    /// The context has one row, shared by the batch, or a row per sample.
    pub fn velocity(&self, w: Tensor<4>, tau: Tensor<1>, context: &Context) -> Result<Tensor<4>> {
        if !self.config.time {
            return Err(Error::Time {
                has: "has no",
                call: "predict",
            });
        }
        self.check_input("w", &w, context)?;
        let [batch, ..] = w.dims();
        if tau.dims() != [batch] {
            return Err(Error::tensor_shape(
                "tau",
                tau.dims(),
                format!("[{batch}], a time for each sample"),
            ));
        }
        self.evaluate(channels_last(w), Some(embed(tau)), context)
    }

    /// a: [batch, channel, row, x] -> the field regressed on it, [batch, output channel, row, x].
    pub fn predict(&self, a: Tensor<4>, context: &Context) -> Result<Tensor<4>> {
        if self.config.time {
            return Err(Error::Time {
                has: "has",
                call: "velocity",
            });
        }
        self.check_input("a", &a, context)?;
        self.evaluate(channels_last(a), None, context)
    }

    /// inputs: [batch, row, x, channel], time: [batch, channel] -> [batch, output channel, row, x].
    fn evaluate(
        &self,
        inputs: Tensor<4>,
        time: Option<Tensor<2>>,
        context: &Context,
    ) -> Result<Tensor<4>> {
        let Context {
            place,
            lift,
            layers,
            linear,
        } = context;
        let Place::Grid(grid) = place else {
            return Err(Error::tensor_shape(
                "the context",
                inputs.dims(),
                "a context of a grid",
            ));
        };
        let channels = inputs.dims()[3];
        let with_place = with_coordinates(inputs.clone(), grid);
        let lifted = match time.clone() {
            Some(time) => self.lift.forward_with(with_place, time, channels),
            None => self.lift.forward(with_place),
        };
        let x = self
            .layers
            .iter()
            .zip(layers)
            .fold(lift.apply(lifted), |x, (layer, modulation)| {
                layer.forward(x, &grid.basis, modulation)
            });
        let nonlinear = self.project.forward(x);
        let linear = self.linear.forward(inputs, time, &grid.basis, linear);
        Ok((linear + nonlinear).permute([0, 3, 1, 2]))
    }

    fn grid(&self, shape: [usize; 3], device: &Device) -> Arc<GridConstants> {
        let config = &self.config;
        self.grids.constants(shape, device, |device| {
            GridConstants::new(shape, config.n_modes.len(), config.mode_shape(), device)
        })
    }

    fn check_condition(&self, condition: &Tensor<4>, shape: &[usize]) -> Result<()> {
        let [inputs, channels, rows, nx] = condition.dims();
        let needed = self.config.condition_channels;
        let dimensions = self.config.n_modes.len();
        let [nz, ny, columns] = box_shape(shape);
        if channels == needed
            && inputs * rows * nx > 0
            && shape.len() == dimensions
            && [rows, nx] == [nz * ny, columns]
        {
            return Ok(());
        }
        let expected = format!(
            "[input, {needed}, row, x], none of them 0, with the points of a grid of {dimensions} axes \
             (it is {shape:?})"
        );
        Err(Error::tensor_shape("condition", condition.dims(), expected))
    }

    fn check_input(&self, name: &str, x: &Tensor<4>, context: &Context) -> Result<()> {
        let [batch, channels, grid_rows, nx] = x.dims();
        let needed = self.config.input_channels;
        let rows = context.rows();
        if channels == needed && context.serves(batch, [grid_rows, nx]) {
            return Ok(());
        }
        let batch = if rows == 1 {
            "batch".into()
        } else {
            rows.to_string()
        };
        let [ny, nx] = context.grid();
        let expected = format!("[{batch}, {needed}, {ny}, {nx}], as its context has {rows} rows");
        Err(Error::tensor_shape(name, x.dims(), expected))
    }
}

/// [batch, channel, row, x] -> [batch, row, x, channel]: adjacent channels, because layers mix
/// them.
fn channels_last(x: Tensor<4>) -> Tensor<4> {
    x.permute([0, 2, 3, 1])
}

/// x: [batch, row, x, channel] -> [batch, row, x, channel + dimension].
fn with_coordinates(x: Tensor<4>, grid: &GridConstants) -> Tensor<4> {
    let [batch, ny, nx, _] = x.dims();
    let dimensions = grid.coordinates.dims()[3];
    let coordinates = grid.coordinates.clone().expand([batch, ny, nx, dimensions]);
    Tensor::cat(vec![x, coordinates], 3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operator::Weight;
    use crate::operator::weights::{gradients, weights};

    fn device() -> Device {
        Device::flex().autodiff()
    }

    fn plane() -> FilmFnoConfig {
        FilmFnoConfig::new(1, 1, 2, vec![4, 6])
            .with_hidden_channels(8)
            .with_layers(2)
            .with_film_channels(5)
    }

    /// Random constants, seeded by their shape.
    fn random<const D: usize>(shape: [usize; D]) -> Tensor<D> {
        let seed = shape.iter().sum::<usize>() as u64;
        InitialValues::new(seed, &Device::flex())
            .uniform(shape, 1.0)
            .val()
    }

    fn values<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
        tensor.into_data().try_into_vec().unwrap()
    }

    fn assert_close(found: &[f32], expected: &[f32]) {
        let scale = expected.iter().fold(1e-6, |m: f32, v| m.max(v.abs()));
        let pairs = found.iter().zip(expected);
        let largest = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max) / scale;
        assert!(
            found.len() == expected.len() && largest < 1e-4,
            "error {largest}"
        );
    }

    /// Velocity and gradients of its mean square.
    fn differentiate(
        network: &FilmFno,
        w: &Tensor<4>,
        tau: &Tensor<1>,
        context: &Context,
    ) -> (Vec<f32>, Vec<Weight>) {
        let velocity = network.velocity(w.clone(), tau.clone(), context).unwrap();
        let loss = velocity.clone().square().mean();
        let gradients = gradients(network, loss.backward()).unwrap();
        (values(velocity), gradients)
    }

    #[test]
    fn samples_that_share_a_context_row_are_as_if_each_had_its_own() {
        let network = FilmFno::new(&plane(), 3, &device()).unwrap();
        let (w, tau) = (random([3, 1, 6, 7]), random([3]));
        let inputs = random([2, 2, 6, 7]);
        let repeated = Tensor::cat(
            [1, 0, 1].map(|i| inputs.clone().narrow(0, i, 1)).to_vec(),
            0,
        );

        let shared = network
            .condition(inputs, &[6, 7])
            .unwrap()
            .select(&[1, 0, 1])
            .unwrap();
        let own = network.condition(repeated, &[6, 7]).unwrap();
        let (velocity, gradient) = differentiate(&network, &w, &tau, &shared);
        let (expected, expected_gradient) = differentiate(&network, &w, &tau, &own);
        assert_close(&velocity, &expected);
        for (found, expected) in gradient.iter().zip(&expected_gradient) {
            assert_close(&found.values, &expected.values);
        }
    }

    #[test]
    fn a_single_context_row_serves_a_whole_batch() {
        let network = FilmFno::new(&plane(), 3, &device()).unwrap();
        let (w, tau) = (random([3, 1, 6, 7]), random([3]));
        let one = network.condition(random([1, 2, 6, 7]), &[6, 7]).unwrap();
        let (velocity, gradient) = differentiate(&network, &w, &tau, &one);
        let each = one.select(&[0, 0, 0]).unwrap();
        assert_close(&velocity, &values(network.velocity(w, tau, &each).unwrap()));
        assert!(gradient.iter().all(|g| g.values.iter().any(|&v| v != 0.0)));
    }

    #[test]
    fn the_seed_alone_decides_the_initial_values() {
        let [a, b, c] = [7, 7, 8]
            .map(|seed| weights(&FilmFno::new(&plane(), seed, &device()).unwrap()).unwrap());
        assert_eq!(a, b);
        assert_ne!(a, c);
    }

    #[test]
    fn spectral_weights_start_with_the_stated_variance() {
        let network = FilmFno::new(&plane().with_hidden_channels(32), 1, &device()).unwrap();
        let weights = values(network.layers[0].spectral.weight_im.val());
        let square: f32 = weights.iter().map(|w| w * w).sum();
        let relative = square / weights.len() as f32 * 64.0;
        assert!((relative - 1.0).abs() < 0.05, "{relative}");
    }

    #[test]
    fn regression_predicts_without_time_and_on_a_line() {
        let config = FilmFnoConfig::new(2, 3, 1, vec![8]).with_time(false);
        let network = FilmFno::new(&config.with_hidden_channels(4), 0, &device()).unwrap();
        let context = network.condition(random([5, 1, 1, 20]), &[20]).unwrap();
        let field = network.predict(random([5, 2, 1, 20]), &context).unwrap();
        assert_eq!(field.dims(), [5, 3, 1, 20]);
    }

    #[test]
    fn tensors_that_do_not_fit_are_refused() {
        let network = FilmFno::new(&plane(), 0, &device()).unwrap();
        assert!(network.condition(random([1, 3, 6, 6]), &[6, 6]).is_err());
        let context = network.condition(random([2, 2, 6, 6]), &[6, 6]).unwrap();
        let tau = random([3]);
        assert!(
            network
                .velocity(random([3, 1, 6, 6]), tau.clone(), &context)
                .is_err()
        );
        assert!(
            network
                .velocity(random([2, 1, 6, 6]), tau, &context)
                .is_err()
        );
        assert!(network.predict(random([2, 1, 6, 6]), &context).is_err());
        assert!(context.select(&[2]).is_err());
        let four = FilmFnoConfig::new(1, 1, 1, vec![4; 4]);
        assert!(FilmFno::new(&four, 0, &device()).is_err());
        // The wrong number of points, and the wrong number of axes.
        for shape in [&[4, 9][..], &[36], &[2, 3, 6]] {
            assert!(network.condition(random([1, 2, 6, 6]), shape).is_err());
        }
    }
}
