//! The network of points: velocity = FiLM(L w) + N[w], where N attends over learned slices.

use burn::module::Module;
use burn::nn::Linear;
use burn::tensor::{Device, Tensor, TensorData};
use floral_flow::network::{Nodes, SlicesConfig};

use crate::operator::channel_mlp::ChannelMlp;
use crate::operator::context::{Context, NodeConstants, Place};
use crate::operator::film::Film;
use crate::operator::initial_values::InitialValues;
use crate::operator::kernel_layer::kernel_layer;
use crate::operator::slice_layer::SliceLayer;
use crate::operator::time_embedding::embed;
use crate::{Error, Result};

/// The operator on any set of points. Fields are [batch, channel, row, x], the points in any order.
///
/// It differs from [`FilmFno`](super::FilmFno) in its layers and in its linear part, which is
/// pointwise; lifting, conditioning and projection are the same.
#[derive(Module, Debug)]
pub struct SliceNetwork {
    lift: ChannelMlp,
    lift_condition: ChannelMlp,
    lift_film: Film,
    layers: Vec<SliceLayer>,
    project: ChannelMlp,
    linear: Linear,
    linear_film: Film,
    #[module(skip)]
    config: SlicesConfig,
}

impl SliceNetwork {
    /// The network with initial values drawn from `seed`.
    pub fn new(sizes: &SlicesConfig, seed: u64, device: &Device) -> Result<Self> {
        sizes.check()?;
        let values = &mut InitialValues::new(seed, device);
        let hidden = sizes.hidden_channels;
        let (fed, condition) = (sizes.network_inputs(), sizes.condition_channels);
        let (places, width) = (sizes.coordinates, sizes.film_channels);
        Ok(Self {
            lift: ChannelMlp::new(fed + places, 4 * hidden, hidden, values),
            lift_condition: ChannelMlp::new(condition + places, 4 * hidden, hidden, values),
            lift_film: Film::new(hidden, width, hidden, values),
            layers: (0..sizes.layers)
                .map(|_| SliceLayer::new(sizes, values))
                .collect(),
            project: ChannelMlp::new(hidden, 4 * hidden, sizes.output_channels, values),
            linear: values.linear(fed, sizes.output_channels, true),
            linear_film: Film::new(condition, width, sizes.output_channels, values),
            config: sizes.clone(),
        })
    }

    /// The sizes of this network.
    pub fn config(&self) -> &SlicesConfig {
        &self.config
    }

    /// condition: [input, channel, row, x] at these points -> everything that depends on the
    /// condition alone, with one row per input.
    pub fn condition(&self, condition: Tensor<4>, nodes: &Nodes) -> Result<Context> {
        let [inputs, channels, rows, nx] = condition.dims();
        let needed = self.config.condition_channels;
        let places = self.config.coordinates;
        let fits = channels == needed && inputs > 0 && rows * nx == nodes.len() && nx > 0;
        if !fits || nodes.channels != places {
            let points = nodes.len();
            let expected = format!(
                "[input, {needed}, row, x] at {points} points with {places} coordinates (they have {})",
                nodes.channels
            );
            return Err(Error::tensor_shape("condition", condition.dims(), expected));
        }
        let device = condition.device().inner();
        let constants = NodeConstants::new([rows, nx], nodes, &device);
        let raw = points_last(condition);
        let lifted = with_coordinates(raw.clone(), &constants);
        let lifted = self.lift_condition.forward(lifted);
        let layers = self.layers.iter();
        Ok(Context {
            lift: self.lift_film.modulation(lifted.clone()),
            layers: layers
                .map(|layer| layer.film.modulation(lifted.clone()))
                .collect(),
            linear: self.linear_film.modulation(raw),
            place: Place::Nodes(constants.into()),
        })
    }

    /// w: [batch, channel, row, x], tau: \[batch\] -> the velocity of w at time tau, same shape as
    /// w.
    pub fn velocity(&self, w: Tensor<4>, tau: Tensor<1>, context: &Context) -> Result<Tensor<4>> {
        if !self.config.time {
            return Err(Error::Time {
                has: "has no",
                call: "predict",
            });
        }
        let [batch, ..] = w.dims();
        if tau.dims() != [batch] {
            let expected = format!("[{batch}], a time for each sample");
            return Err(Error::tensor_shape("tau", tau.dims(), expected));
        }
        self.evaluate("w", w, Some(embed(tau)), context)
    }

    /// a: [batch, channel, row, x] -> the field regressed on it, [batch, output channel, row, x].
    pub fn predict(&self, a: Tensor<4>, context: &Context) -> Result<Tensor<4>> {
        if self.config.time {
            return Err(Error::Time {
                has: "has",
                call: "velocity",
            });
        }
        self.evaluate("a", a, None, context)
    }

    fn evaluate(
        &self,
        name: &str,
        fields: Tensor<4>,
        time: Option<Tensor<2>>,
        context: &Context,
    ) -> Result<Tensor<4>> {
        let [batch, channels, rows, nx] = fields.dims();
        let (Place::Nodes(nodes), true) = (
            &context.place,
            channels == self.config.input_channels && context.serves(batch, [rows, nx]),
        ) else {
            let [ny, nx] = context.grid();
            let needed = self.config.input_channels;
            let expected = format!("[batch, {needed}, {ny}, {nx}] at the points of its context");
            return Err(Error::tensor_shape(name, fields.dims(), expected));
        };
        let inputs = points_last(fields);
        let with_place = with_coordinates(inputs.clone(), nodes);
        let lifted = match time.clone() {
            Some(time) => self.lift.forward_with(with_place, time, channels),
            None => self.lift.forward(with_place),
        };
        let layers = self.layers.iter().zip(&context.layers);
        let x = layers.fold(context.lift.apply(lifted), |x, (layer, film)| {
            layer.forward(x, &nodes.weights, film)
        });
        let local = context.linear.apply(self.pointwise(inputs, time));
        let solution = local + self.project.forward(x);
        let outputs = self.config.output_channels;
        Ok(solution
            .permute([0, 3, 1, 2])
            .reshape([batch, outputs, rows, nx]))
    }

    /// L w; the contribution of time is a constant per sample.
    fn pointwise(&self, w: Tensor<4>, time: Option<Tensor<2>>) -> Tensor<4> {
        let channels = w.dims()[3];
        let layer = kernel_layer(&self.linear);
        let own = layer.weight.clone().narrow(0, 0, channels);
        let local = burn::tensor::module::linear(w, own, Some(layer.bias));
        match time {
            None => local,
            Some(time) => {
                let weight = layer.weight.narrow(0, channels, time.dims()[1]);
                local + time.matmul(weight).unsqueeze_dims(&[1, 2])
            }
        }
    }
}

impl NodeConstants {
    fn new(grid: [usize; 2], nodes: &Nodes, device: &Device) -> Self {
        let count = nodes.len();
        let share = |weight: &f32| weight / count as f32;
        let weights = nodes.weights.iter().map(share).collect();
        let tensor = |values: Vec<f32>, channels: usize| {
            Tensor::from_data(TensorData::new(values, [1, 1, count, channels]), device)
        };
        Self {
            grid,
            coordinates: tensor(nodes.coordinates.clone(), nodes.channels),
            weights: tensor(weights, 1),
        }
    }
}

/// [batch, channel, row, x] -> [batch, 1, point, channel].
fn points_last(x: Tensor<4>) -> Tensor<4> {
    let [batch, channels, rows, nx] = x.dims();
    x.permute([0, 2, 3, 1])
        .reshape([batch, 1, rows * nx, channels])
}

/// x: [batch, 1, point, channel] -> [batch, 1, point, channel + coordinate].
fn with_coordinates(x: Tensor<4>, nodes: &NodeConstants) -> Tensor<4> {
    let [batch, one, points, _] = x.dims();
    let channels = nodes.coordinates.dims()[3];
    let places = nodes
        .coordinates
        .clone()
        .expand([batch, one, points, channels]);
    Tensor::cat(vec![x, places], 3)
}
