//! What a Fourier layer does at each point, over a tile of points that stays in cache.

use faer::MatRef;

use crate::activation::Activation;
use crate::modulate::{
    add_both_sums, add_row, add_sums, gate, gated, modulate, modulate_backward, multiply_and_sum,
    scale_rows,
};
use crate::product::{multiply, multiply_add, rows};

/// Points of a tile, unless a row has more. 128 points of 64 channels are 32 KB, and a tile needs
/// up to eight such.
pub const TILE: usize = 128;

/// The sizes of a layer's pointwise part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LayerSizes {
    pub channels: usize,
    /// Of the perceptron's hidden layer.
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
    /// The lengths of the parts.
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
    /// x W with the convolution's values, then the activation of both.
    mixed: Vec<f32>,
    mixed_slope: Vec<f32>,
    inner: Vec<f32>,
    inner_slope: Vec<f32>,
    outer: Vec<f32>,
    outer_slope: Vec<f32>,
    of_inner: Vec<f32>,
}

impl LayerSizes {
    /// x W in the scratch, to which the caller adds the convolution's values: both are lent.
    pub fn start<'a>(
        &self,
        parts: &Parts<&[f32]>,
        x: &[f32],
        scratch: &'a mut Scratch,
    ) -> (&'a mut [f32], &'a mut [Vec<f32>; 2]) {
        let h = self.channels;
        scratch.mixed.resize(x.len(), 0.0);
        multiply(&mut scratch.mixed, rows(x, h), rows(parts.skip, h));
        (&mut scratch.mixed, &mut scratch.row)
    }

    /// x -> FiLM(f(MLP(f(mixed + bias)) + gate x)), in place, where the scratch holds `mixed`.
    ///
    /// x: [point, channel]; film: [point, 2 channel].
    pub fn forward(
        &self,
        parts: &Parts<&[f32]>,
        film: &[f32],
        x: &mut [f32],
        scratch: &mut Scratch,
    ) {
        let (h, narrow) = (self.channels, self.narrow);
        let Scratch { mixed, inner, .. } = scratch;
        if self.activated {
            Activation::Gelu.values_of_sum(mixed, parts.bias);
        } else {
            add_row(mixed, parts.bias);
        }
        inner.resize(x.len() / h * narrow, 0.0);
        multiply(inner, rows(mixed, h), rows(parts.inner, narrow));
        Activation::Gelu.values_of_sum(inner, parts.inner_bias);
        gate(x, parts.outer_bias, parts.gate);
        multiply_add(x, rows(inner, narrow), rows(parts.outer, h));
        if self.activated {
            Activation::Gelu.values(x);
        }
        modulate(x, film, h);
    }

    /// gradient of y -> gradient of `mixed`, in place; writes that of x but for the convolution,
    /// adds those of the coefficients and of the parameters.
    ///
    /// The scratch holds `mixed`, as [`start`](Self::start) and its caller made it.
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

        add_both_sums(sums.outer_bias, sums.gate, gradient, x);
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
        multiply_and_sum(of_inner, &scratch.inner_slope, sums.inner_bias);

        let of_inner = rows(of_inner, self.narrow);
        multiply_add(sums.inner, transposed(&scratch.mixed, h), of_inner);
        scale_rows(of_x, parts.gate, gradient);
        multiply(
            gradient,
            of_inner,
            rows(parts.inner, self.narrow).transpose(),
        );
        if self.activated {
            multiply_and_sum(gradient, &scratch.mixed_slope, sums.bias);
        } else {
            add_sums(sums.bias, gradient);
        }

        multiply_add(sums.skip, transposed(x, h), rows(gradient, h));
        multiply_add(of_x, rows(gradient, h), rows(parts.skip, h).transpose());
    }

    /// The forward pass up to the modulation, with the slopes of its activations.
    fn recompute(&self, parts: &Parts<&[f32]>, x: &[f32], scratch: &mut Scratch) {
        let (h, narrow) = (self.channels, self.narrow);
        let Scratch {
            mixed,
            mixed_slope,
            inner,
            inner_slope,
            outer,
            outer_slope,
            ..
        } = scratch;
        if self.activated {
            mixed_slope.resize(x.len(), 0.0);
            Activation::Gelu.both_of_sum(mixed, parts.bias, mixed_slope);
        } else {
            add_row(mixed, parts.bias);
        }
        inner.resize(x.len() / h * narrow, 0.0);
        inner_slope.resize(inner.len(), 0.0);
        multiply(inner, rows(mixed, h), rows(parts.inner, narrow));
        Activation::Gelu.both_of_sum(inner, parts.inner_bias, inner_slope);
        outer.resize(x.len(), 0.0);
        gated(outer, parts.outer_bias, parts.gate, x);
        multiply_add(outer, rows(inner, narrow), rows(parts.outer, h));
        if self.activated {
            outer_slope.resize(x.len(), 0.0);
            Activation::Gelu.both(outer, outer_slope);
        }
    }
}

/// What the backward pass of a tile reads and writes; [point, channel], film [point, 2 channel].
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
