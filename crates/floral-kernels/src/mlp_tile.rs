//! A perceptron over a tile of points: few enough that its wide layers stay in cache.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

use crate::activation::Activation;

/// Points of a tile. 128 points of 256 channels are 128 KB, a quarter of a second-level cache.
pub const TILE: usize = 128;

/// y = W_n f(... f(W_1 x + b_1) ...) + b_n, with the parameters of each layer one after another:
/// the weight [in, out], then the bias [out].
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
    /// Derivative of the activation there.
    slope: Vec<Vec<f32>>,
    /// Gradient of the output of the layer at hand, and of the one before.
    gradient: [Vec<f32>; 2],
}

/// Where a layer lies among the parameters.
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

    /// x: [point, in] -> y: [point, out].
    pub fn forward(&self, parameters: &[f32], x: &[f32], y: &mut [f32], scratch: &mut Scratch) {
        let layers = self.layers();
        let Some((last, hidden)) = layers.split_last() else {
            return;
        };
        let [current, next] = &mut scratch.gradient;
        current.clear();
        current.extend_from_slice(x);
        let points = x.len() / self.inputs();
        for layer in hidden {
            next.resize(points * layer.outputs, 0.0);
            affine(layer, parameters, current, next);
            self.activation.values(next);
            std::mem::swap(current, next);
        }
        affine(last, parameters, current, y);
    }

    /// Adds the parameters' gradient to `sums`, and writes that of x, given the gradient of y.
    ///
    /// The hidden layers are computed anew from x.
    pub fn backward(
        &self,
        parameters: &[f32],
        x: &[f32],
        gradient: &[f32],
        mut gradient_of_x: Option<&mut [f32]>,
        sums: &mut [f32],
        scratch: &mut Scratch,
    ) {
        let layers = self.layers();
        self.recompute(&layers, parameters, x, scratch);
        let [current, next] = &mut scratch.gradient;
        current.clear();
        current.extend_from_slice(gradient);
        for (i, layer) in layers.iter().enumerate().rev() {
            let input = if i == 0 { x } else { &scratch.activated[i - 1] };
            accumulate(layer, input, current, sums);
            let weight = layer.weight(parameters);
            if i > 0 {
                next.resize(input.len(), 0.0);
                product(next, rows(current, layer.outputs), weight.transpose());
                let slopes = next.iter_mut().zip(&scratch.slope[i - 1]);
                slopes.for_each(|(gradient, slope)| *gradient *= slope);
                std::mem::swap(current, next);
            } else if let Some(gradient_of_x) = &mut gradient_of_x {
                let current = rows(current, layer.outputs);
                product(gradient_of_x, current, weight.transpose());
            }
        }
    }

    /// Outputs and slopes of the hidden layers.
    fn recompute(&self, layers: &[Layer], parameters: &[f32], x: &[f32], scratch: &mut Scratch) {
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
            affine(layer, parameters, input, output);
            self.activation.both(output, slope);
        }
    }
}

/// y = x W + b.
fn affine(layer: &Layer, parameters: &[f32], x: &[f32], y: &mut [f32]) {
    let bias = layer.bias(parameters);
    y.chunks_exact_mut(layer.outputs)
        .for_each(|row| row.copy_from_slice(bias));
    let x = rows(x, layer.inputs);
    let y = MatMut::from_row_major_slice_mut(y, x.nrows(), layer.outputs);
    matmul(y, Accum::Add, x, layer.weight(parameters), 1.0, Par::Seq);
}

/// Adds a layer's gradients, input^T gradient and the sum of gradient over points, to `sums`.
fn accumulate(layer: &Layer, input: &[f32], gradient: &[f32], sums: &mut [f32]) {
    let sums = &mut sums[layer.start..][..(layer.inputs + 1) * layer.outputs];
    let (weight, bias) = sums.split_at_mut(layer.inputs * layer.outputs);
    let weight = MatMut::from_row_major_slice_mut(weight, layer.inputs, layer.outputs);
    let (input, gradients) = (rows(input, layer.inputs), rows(gradient, layer.outputs));
    matmul(
        weight,
        Accum::Add,
        input.transpose(),
        gradients,
        1.0,
        Par::Seq,
    );
    for row in gradient.chunks_exact(layer.outputs) {
        for (sum, value) in bias.iter_mut().zip(row) {
            *sum += value;
        }
    }
}

/// y = a b.
fn product(y: &mut [f32], a: MatRef<'_, f32>, b: MatRef<'_, f32>) {
    let y = MatMut::from_row_major_slice_mut(y, a.nrows(), b.ncols());
    matmul(y, Accum::Replace, a, b, 1.0, Par::Seq);
}

fn rows(values: &[f32], columns: usize) -> MatRef<'_, f32> {
    MatRef::from_row_major_slice(values, values.len() / columns, columns)
}
