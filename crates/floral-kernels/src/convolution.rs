//! The spectral convolution on plain arrays: transform to modes, one matrix per mode, inverse
//! transform.

use std::sync::Arc;

use burn::tensor::Tensor;
use rayon::prelude::*;

use crate::buffer::Buffer;
use crate::flex;
use crate::fourier_basis::FourierBasis;
use crate::mixing::Mixing;
use crate::transform::Transform;

/// A convolution for one grid and one shape of weights.
#[derive(Debug, Clone)]
pub struct Convolution {
    /// The transform and its adjoint, which gradients take.
    pub transforms: Arc<[Transform; 2]>,
    pub mixing: Mixing,
}

/// Spectra that the backward pass needs.
pub struct Spectra {
    /// Before mixing: [sample, kx, kz, ky, 2, in].
    pub before: Buffer,
    /// After mixing: [kx, kz, ky, 2, sample, out].
    pub after: Buffer,
}

impl Convolution {
    /// The plan; none if the kernel does not apply: another backend or type, or sizes that do not
    /// match.
    pub fn new(x: &Tensor<4>, weight: &[Tensor<4>; 2], basis: &FourierBasis) -> Option<Self> {
        let [_, rows, nx, inputs] = x.dims();
        let [all_rows, all_x, own, outputs] = weight[0].dims();
        let transforms = basis.transforms().clone();
        let [z, y, kx] = basis.kept();
        let all_y = all_rows / basis.modes_z();
        let fits = [transforms[0].rows(), transforms[0].nx(), own] == [rows, nx, inputs]
            && weight[1].dims() == weight[0].dims()
            && all_y * basis.modes_z() == all_rows
            && y.end <= all_y
            && kx.end <= all_x;
        if !fits || x.dims().contains(&0) || outputs == 0 || !flex::takes(x) {
            return None;
        }
        let mixing = Mixing {
            modes: [z.len(), y.len(), kx.len()],
            all_modes: [basis.modes_z(), all_y, all_x],
            first: [z.start, y.start],
            inputs,
            outputs,
        };
        Some(Self { transforms, mixing })
    }

    /// x: [sample, row, x, in] -> its spectra before and after mixing.
    pub fn spectra(&self, x: &[f32], weights: [&[f32]; 2]) -> Spectra {
        let inputs = self.mixing.inputs;
        let transform = &self.transforms[0];
        let before = transform.modes(&transform.lines(x, inputs), inputs);
        let after = self.mixing.forward(&before, weights);
        Spectra { before, after }
    }

    /// Gradients of x's lines (inverse layout, adjoint) and of the weights, from the gradient of
    /// the result's lines (forward layout, adjoint).
    pub fn backward(
        &self,
        lines: &[f32],
        before: &[f32],
        weights: [&[f32]; 2],
    ) -> (Buffer, [Vec<f32>; 2]) {
        let adjoint = &self.transforms[1];
        let gradient = adjoint.modes(lines, self.mixing.outputs);
        let of_weights = self.mixing.weight_gradients(before, &gradient);
        let of_modes = self.mixing.backward(&gradient, weights);
        let lines = adjoint.lines_of_modes(&of_modes, self.mixing.inputs);
        (lines, of_weights)
    }
}

/// Adds the fields synthesised from lines in inverse layout. fields: [sample, row, x, channel].
pub fn add_fields(transform: &Transform, lines: &[f32], channels: usize, fields: &mut [f32]) {
    let all = transform.rows();
    let size = transform.line_size() * channels;
    let rows = fields.par_chunks_mut(transform.nx() * channels);
    rows.enumerate()
        .for_each_init(Default::default, |scratch, (i, row)| {
            transform.add_rows(&lines[i / all * size..][..size], i % all, row, scratch);
        });
}
