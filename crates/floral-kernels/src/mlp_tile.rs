//! A perceptron over a tile of points: few enough that its wide layers stay in cache.

use faer::MatRef;

use crate::activation::Activation;
use crate::modulate::{add_sums, multiply as multiply_elements};
use crate::product::{multiply, multiply_add, rows};

/// Points per tile. 128 points of 256 channels are 128 KB, a quarter of a second-level cache.
pub const TILE: usize = 128;

/// y = W_n f(... f(W_1 x + b_1) ...) + b_n. The parameters are stored layer by layer: the weight
/// [in, out], then the bias [out].
#[derive(Debug, Clone, PartialEq)]
pub struct Perceptron {
    /// Channels before the first layer and after each.
    pub widths: Vec<usize>,
    pub activation: Activation,
}

/// Intermediate values of one tile, kept by a thread from tile to tile.
#[derive(Default)]
pub struct Scratch {
    /// Output of each hidden layer.
    activated: Vec<Vec<f32>>,
    /// Derivative of the activation of each hidden layer.
    slope: Vec<Vec<f32>>,
    /// Gradients of the outputs of the current and of the previous layer.
    gradient: [Vec<f32>; 2],
}

/// Sizes of a layer, and its position among the parameters.
struct Layer {
    inputs: usize,
    outputs: usize,
    start: usize,
}

impl Layer {
    fn weight<'a>(&self, parameters: &'a [f32]) -> MatRef<'a, f32> {
        let values = &parameters[self.start..][..self.inputs * self.outputs];
        MatRef::from_row_major_slice(values, self.inputs, self.outputs)
    }

    fn bias<'a>(&self, parameters: &'a [f32]) -> &'a [f32] {
        &parameters[self.start + self.inputs * self.outputs..][..self.outputs]
    }

    fn bias_mut<'a>(&self, parameters: &'a mut [f32]) -> &'a mut [f32] {
        &mut parameters[self.start + self.inputs * self.outputs..][..self.outputs]
    }
}

impl Perceptron {
    pub fn inputs(&self) -> usize {
        self.widths[0]
    }

    pub fn outputs(&self) -> usize {
        self.widths[self.widths.len() - 1]
    }

    /// The number of parameters.
    pub fn size(&self) -> usize {
        self.widths.windows(2).map(|w| (w[0] + 1) * w[1]).sum()
    }

    fn layers(&self) -> Vec<Layer> {
        let mut start = 0;
        let layer = |w: &[usize]| {
            let [inputs, outputs] = [w[0], w[1]];
            let layer = Layer {
                inputs,
                outputs,
                start,
            };
            start += (inputs + 1) * outputs;
            layer
        };
        self.widths.windows(2).map(layer).collect()
    }

    /// The width of the first layer's output.
    pub fn first_width(&self) -> usize {
        self.widths[1]
    }

    /// x: [point, in] -> y: [point, out]; `shift` is added to the first layer's bias.
    pub fn forward(
        &self,
        parameters: &[f32],
        shift: &[f32],
        x: &[f32],
        y: &mut [f32],
        scratch: &mut Scratch,
    ) {
        let layers = self.layers();
        let hidden = layers.len() - 1;
        let [current, next] = &mut scratch.gradient;
        let mut input = x;
        for (i, layer) in layers[..hidden].iter().enumerate() {
            let shift = (i == 0).then_some(shift);
            next.resize(x.len() / self.inputs() * layer.outputs, 0.0);
            affine(layer, parameters, shift, input, next);
            self.activation.values(next);
            std::mem::swap(current, next);
            input = current;
        }
        let shift = (hidden == 0).then_some(shift);
        affine(&layers[hidden], parameters, shift, input, y);
    }

    /// Adds the gradient of the parameters to `sums`, except that of the first bias, which is added
    /// to `of_shift`; writes the gradient of x. Takes the gradient of y.
    ///
    /// The hidden layers are recomputed from x.
    pub fn backward(
        &self,
        parameters: &[f32],
        tile: Tile<'_>,
        sums: &mut [f32],
        of_shift: &mut [f32],
        scratch: &mut Scratch,
    ) {
        let layers = self.layers();
        let Tile {
            shift,
            x,
            gradient,
            of_x,
        } = tile;
        self.recompute(&layers, parameters, shift, x, scratch);
        let [current, next] = &mut scratch.gradient;
        current.clear();
        current.extend_from_slice(gradient);
        for (i, layer) in layers.iter().enumerate().skip(1).rev() {
            let input = &scratch.activated[i - 1];
            accumulate(layer, input, current, sums);
            add_sums(layer.bias_mut(sums), current);
            next.resize(input.len(), 0.0);
            let weight = layer.weight(parameters).transpose();
            multiply(next, rows(current, layer.outputs), weight);
            multiply_elements(next, &scratch.slope[i - 1]);
            std::mem::swap(current, next);
        }
        let first = &layers[0];
        accumulate(first, x, current, sums);
        add_sums(of_shift, current);
        if let Some(of_x) = of_x {
            let weight = first.weight(parameters).transpose();
            multiply(of_x, rows(current, first.outputs), weight);
        }
    }

    /// Outputs and slopes of the hidden layers.
    fn recompute(
        &self,
        layers: &[Layer],
        parameters: &[f32],
        shift: &[f32],
        x: &[f32],
        scratch: &mut Scratch,
    ) {
        let hidden = layers.len() - 1;
        scratch.activated.resize_with(hidden, Vec::new);
        scratch.slope.resize_with(hidden, Vec::new);
        let points = x.len() / self.inputs();
        for (i, layer) in layers[..hidden].iter().enumerate() {
            let (before, after) = scratch.activated.split_at_mut(i);
            let input = before.last().map_or(x, Vec::as_slice);
            let (output, slope) = (&mut after[0], &mut scratch.slope[i]);
            output.resize(points * layer.outputs, 0.0);
            slope.resize(points * layer.outputs, 0.0);
            let shift = (i == 0).then_some(shift);
            affine(layer, parameters, shift, input, output);
            self.activation.both(output, slope);
        }
    }
}

/// Inputs and outputs of the backward pass of a tile.
pub struct Tile<'a> {
    pub shift: &'a [f32],
    /// [point, in].
    pub x: &'a [f32],
    /// [point, out].
    pub gradient: &'a [f32],
    /// [point, in], if requested.
    pub of_x: Option<&'a mut [f32]>,
}

/// y = x W + b + shift.
fn affine(layer: &Layer, parameters: &[f32], shift: Option<&[f32]>, x: &[f32], y: &mut [f32]) {
    let (first, rest) = y.split_at_mut(layer.outputs);
    first.copy_from_slice(layer.bias(parameters));
    if let Some(shift) = shift {
        first.iter_mut().zip(shift).for_each(|(b, s)| *b += s);
    }
    rest.chunks_exact_mut(layer.outputs)
        .for_each(|row| row.copy_from_slice(first));
    multiply_add(y, rows(x, layer.inputs), layer.weight(parameters));
}

/// Adds the gradient of a layer's weight, input^T gradient, to `sums`.
fn accumulate(layer: &Layer, input: &[f32], gradient: &[f32], sums: &mut [f32]) {
    let weight = &mut sums[layer.start..][..layer.inputs * layer.outputs];
    let input = rows(input, layer.inputs).transpose();
    multiply_add(weight, input, rows(gradient, layer.outputs));
}
