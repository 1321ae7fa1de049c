//! The pointwise part of a Fourier layer, over a tile of points that stays in cache.

use faer::MatRef;

use crate::activation::Activation;
use crate::modulate::multiply as multiply_elements;
use crate::modulate::{add_product_sums, add_sums, gated, modulate, modulate_backward, scale_rows};
use crate::product::{multiply, multiply_add, rows};

/// Points per tile, unless a row has more. 128 points of 64 channels are 32 KB, and a tile needs up
/// to eight such arrays.
pub const TILE: usize = 128;

/// The sizes of a layer's pointwise part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LayerSizes {
    pub channels: usize,
    /// Width of the perceptron's hidden layer.
    pub narrow: usize,
    /// Whether activations follow the convolution and the perceptron.
    pub activated: bool,
}

/// The pointwise parameters, or their gradients, in the order in which they are stored.
pub struct Parts<T> {
    pub bias: T,
    /// [in, out], as all weights.
    pub skip: T,
    pub inner: T,
    pub inner_bias: T,
    pub outer: T,
    pub outer_bias: T,
    pub gate: T,
}

impl LayerSizes {
    /// Lengths of the parts, in the order of storage.
    fn lengths(&self) -> [usize; 7] {
        let (h, n) = (self.channels, self.narrow);
        [h, h * h, h * n, n, n * h, h, h]
    }

    /// The number of pointwise parameters.
    pub fn size(&self) -> usize {
        self.lengths().iter().sum()
    }

    pub fn parts<'a>(&self, mut values: &'a [f32]) -> Parts<&'a [f32]> {
        let [bias, skip, inner, inner_bias, outer, outer_bias, gate] =
            self.lengths().map(|length| {
                let (part, rest) = values.split_at(length);
                values = rest;
                part
            });
        Parts {
            bias,
            skip,
            inner,
            inner_bias,
            outer,
            outer_bias,
            gate,
        }
    }

    fn parts_mut<'a>(&self, values: &'a mut [f32]) -> Parts<&'a mut [f32]> {
        let mut rest = values;
        let [bias, skip, inner, inner_bias, outer, outer_bias, gate] =
            self.lengths().map(|length| {
                let (part, after) = std::mem::take(&mut rest).split_at_mut(length);
                rest = after;
                part
            });
        Parts {
            bias,
            skip,
            inner,
            inner_bias,
            outer,
            outer_bias,
            gate,
        }
    }
}

/// Intermediate values of a tile, kept by a thread from tile to tile.
#[derive(Default)]
pub struct Scratch {
    /// One row's waves, and half its points.
    row: [Vec<f32>; 2],
    /// The convolution's values, later their activation.
    mixed: Vec<f32>,
    mixed_slope: Vec<f32>,
    inner: Vec<f32>,
    inner_slope: Vec<f32>,
    outer: Vec<f32>,
    outer_slope: Vec<f32>,
    of_inner: Vec<f32>,
}

impl Scratch {
    /// Space for the convolution's values at this number of points, initialised with the layer's
    /// bias.
    pub fn start(&mut self, points: usize, bias: &[f32]) -> (&mut [f32], &mut [Vec<f32>; 2]) {
        fill_rows(&mut self.mixed, points, bias);
        (&mut self.mixed, &mut self.row)
    }
}

impl LayerSizes {
    /// y = FiLM(f(MLP(f(mixed + x W)) + gate x)), where the scratch holds `mixed`.
    ///
    /// x, y: [point, channel]; film: [point, 2 channel].
    pub fn forward(
        &self,
        parts: &Parts<&[f32]>,
        x: &[f32],
        film: &[f32],
        y: &mut [f32],
        scratch: &mut Scratch,
    ) {
        let h = self.channels;
        let Scratch { mixed, inner, .. } = scratch;
        multiply_add(mixed, rows(x, h), rows(parts.skip, h));
        self.activate(mixed);
        fill_rows(inner, x.len() / h, parts.inner_bias);
        multiply_add(inner, rows(mixed, h), rows(parts.inner, self.narrow));
        Activation::Gelu.values(inner);
        gated(y, parts.outer_bias, parts.gate, x);
        multiply_add(y, rows(inner, self.narrow), rows(parts.outer, h));
        self.activate(y);
        modulate(y, film, h);
    }

    fn activate(&self, values: &mut [f32]) {
        if self.activated {
            Activation::Gelu.values(values);
        }
    }

    /// Replaces the gradient of y by the gradient of `mixed`. Writes the gradient of x, apart from
    /// its path through the convolution, and adds those of the coefficients and of the parameters.
    pub fn backward(
        &self,
        parameters: &[f32],
        tile: Tile<'_>,
        sums: &mut [f32],
        scratch: &mut Scratch,
    ) {
        let h = self.channels;
        let (parts, sums) = (self.parts(parameters), self.parts_mut(sums));
        let Tile {
            x,
            film,
            gradient,
            of_x,
            of_film,
        } = tile;
        self.recompute(&parts, x, scratch);
        let slope = self.activated.then_some(scratch.outer_slope.as_slice());
        modulate_backward(&scratch.outer, slope, film, gradient, of_film, h);

        add_product_sums(sums.gate, gradient, x);
        add_sums(sums.outer_bias, gradient);
        multiply_add(
            sums.outer,
            transposed(&scratch.inner, self.narrow),
            rows(gradient, h),
        );
        let of_inner = &mut scratch.of_inner;
        of_inner.resize(scratch.inner.len(), 0.0);
        multiply(
            of_inner,
            rows(gradient, h),
            rows(parts.outer, h).transpose(),
        );
        multiply_elements(of_inner, &scratch.inner_slope);

        add_sums(sums.inner_bias, of_inner);
        let of_inner = rows(of_inner, self.narrow);
        multiply_add(sums.inner, transposed(&scratch.mixed, h), of_inner);
        scale_rows(of_x, parts.gate, gradient);
        multiply(
            gradient,
            of_inner,
            rows(parts.inner, self.narrow).transpose(),
        );
        if self.activated {
            multiply_elements(gradient, &scratch.mixed_slope);
        }

        add_sums(sums.bias, gradient);
        multiply_add(sums.skip, transposed(x, h), rows(gradient, h));
        multiply_add(of_x, rows(gradient, h), rows(parts.skip, h).transpose());
    }

    /// Recomputes the forward pass up to the modulation, with the slopes of its activations.
    fn recompute(&self, parts: &Parts<&[f32]>, x: &[f32], scratch: &mut Scratch) {
        let h = self.channels;
        let Scratch {
            mixed,
            mixed_slope,
            inner,
            inner_slope,
            outer,
            outer_slope,
            ..
        } = scratch;
        multiply_add(mixed, rows(x, h), rows(parts.skip, h));
        self.activate_both(mixed, mixed_slope);
        fill_rows(inner, x.len() / h, parts.inner_bias);
        multiply_add(inner, rows(mixed, h), rows(parts.inner, self.narrow));
        inner_slope.resize(inner.len(), 0.0);
        Activation::Gelu.both(inner, inner_slope);
        outer.resize(x.len(), 0.0);
        gated(outer, parts.outer_bias, parts.gate, x);
        multiply_add(outer, rows(inner, self.narrow), rows(parts.outer, h));
        self.activate_both(outer, outer_slope);
    }

    fn activate_both(&self, values: &mut [f32], slope: &mut Vec<f32>) {
        if self.activated {
            slope.resize(values.len(), 0.0);
            Activation::Gelu.both(values, slope);
        }
    }
}

/// Inputs and outputs of the backward pass of a tile: [point, channel], film [point, 2 channel].
pub struct Tile<'a> {
    pub x: &'a [f32],
    pub film: &'a [f32],
    pub gradient: &'a mut [f32],
    pub of_x: &'a mut [f32],
    pub of_film: &'a mut [f32],
}

fn transposed(values: &[f32], columns: usize) -> MatRef<'_, f32> {
    rows(values, columns).transpose()
}

/// Copies of a row, one per point.
fn fill_rows(values: &mut Vec<f32>, points: usize, row: &[f32]) {
    values.clear();
    for _ in 0..points {
        values.extend_from_slice(row);
    }
}
