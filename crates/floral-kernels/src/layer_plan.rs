//! A Fourier layer over all tiles of a batch, and its gradients.

use std::sync::Arc;

use burn::backend::flex::FlexTensor;
use rayon::prelude::*;

use crate::buffer::zeros;
use crate::convolution::{Convolution, Spectra, add_fields};
use crate::layer_tile::{LayerSizes, Scratch, TILE, Tile};
use crate::rows::by_row;

/// A layer for one grid and one batch.
#[derive(Debug, Clone)]
pub struct LayerPlan {
    pub convolution: Convolution,
    pub sizes: LayerSizes,
    /// The row of coefficients of each sample.
    pub rows: Arc<[usize]>,
}

/// Number of partial sums of the parameters' gradient over tiles: enough for many threads, few
/// enough to add quickly.
const PARTS: usize = 32;

impl LayerPlan {
    fn points(&self) -> usize {
        self.convolution.transforms[0].nx() * self.convolution.transforms[0].rows()
    }

    /// Points per unit of work: a whole number of rows.
    fn tile(&self) -> usize {
        let nx = self.convolution.transforms[0].nx();
        nx * (TILE / nx).max(1)
    }

    /// Overwrites x with the layer's result; returns the spectra. All tensors are contiguous.
    pub fn forward(
        &self,
        x: &mut FlexTensor,
        spectral: [&FlexTensor; 2],
        pointwise: &FlexTensor,
        film: &FlexTensor,
    ) -> Spectra {
        let spectra = self
            .convolution
            .spectra(x.storage(), spectral.map(FlexTensor::storage));
        let (h, points) = (self.sizes.channels, self.points());
        let lines = self.convolution.transforms[0].lines_of_modes(&spectra.after, h);
        let parts = self.sizes.parts(pointwise.storage());
        let film = film.storage::<f32>();
        let tile_points = self.tile();

        let tiles: Vec<_> = x
            .storage_mut::<f32>()
            .chunks_mut(points * h)
            .enumerate()
            .flat_map(|(sample, x)| {
                let tiles = x.chunks_mut(tile_points * h).enumerate();
                tiles.map(move |(tile, x)| (sample, tile * tile_points, x))
            })
            .collect();
        tiles.into_par_iter().for_each_init(
            || (Scratch::default(), Vec::new()),
            |(scratch, before), (sample, first, x)| {
                before.clear();
                before.extend_from_slice(x);
                self.start(&lines, parts.bias, [sample, first, x.len() / h], scratch);
                let film = &film[(self.rows[sample] * points + first) * 2 * h..][..2 * x.len()];
                self.sizes.forward(&parts, before, film, x, scratch);
            },
        );
        spectra
    }

    /// The gradients of x, spectral weights, pointwise parameters and coefficients.
    pub fn backward(&self, mut gradient: FlexTensor, state: &[FlexTensor; 7]) -> [Vec<f32>; 5] {
        let [x, re, im, pointwise, film, before, after] =
            state.each_ref().map(|tensor| tensor.storage::<f32>());
        let h = self.sizes.channels;
        let lines = self.convolution.transforms[0].lines_of_modes(after, h);
        let mut of_x = zeros(x.len());
        let mut of_film = zeros(film.len());
        let inputs = PointwiseInputs {
            x,
            film,
            pointwise,
            lines: &lines,
        };
        let of_pointwise =
            self.pointwise_backward(&inputs, gradient.storage_mut(), &mut of_x, &mut of_film);
        drop(lines);

        let adjoint = &self.convolution.transforms[1];
        let lines = adjoint.lines(gradient.storage(), h);
        drop(gradient);
        let (lines, [of_re, of_im]) = self.convolution.backward(&lines, before, [re, im]);
        add_fields(adjoint, &lines, h, &mut of_x);
        [of_x, of_re, of_im, of_pointwise, of_film]
    }

    /// Replaces the gradient of the result by that of the convolution's result. Writes the
    /// gradients of the coefficients and of x, apart from its path through the convolution. Returns
    /// the gradient of the pointwise parameters.
    fn pointwise_backward(
        &self,
        inputs: &PointwiseInputs<'_>,
        gradient: &mut [f32],
        of_x: &mut [f32],
        of_film: &mut [f32],
    ) -> Vec<f32> {
        let (h, points) = (self.sizes.channels, self.points());
        let row_count = of_film.len() / (points * 2 * h);
        let tile = self.tile();
        let tiles = points.div_ceil(tile);
        let of_tiles = of_film
            .chunks_mut(points * 2 * h)
            .flat_map(|row| row.chunks_mut(tile * 2 * h));
        let units: Vec<_> = by_row(gradient, &self.rows, row_count, tile * h)
            .into_iter()
            .zip(by_row(of_x, &self.rows, row_count, tile * h))
            .zip(of_tiles)
            .enumerate()
            .filter(|(_, ((samples, _), _))| !samples.is_empty())
            .collect();
        let length = units.len().div_ceil(PARTS).max(1);
        let mut units = units.into_iter();
        let parts: Vec<Vec<_>> = std::iter::from_fn(|| {
            let part: Vec<_> = units.by_ref().take(length).collect();
            (!part.is_empty()).then_some(part)
        })
        .collect();
        let sums: Vec<Vec<f32>> = parts
            .into_par_iter()
            .map_init(Scratch::default, |scratch, part| {
                let mut sums = vec![0.0; self.sizes.size()];
                let bias = self.sizes.parts(inputs.pointwise).bias;
                for (unit, ((gradients, of_x), of_film)) in part {
                    let first = unit % tiles * tile;
                    for ((sample, gradient), (_, of_x)) in gradients.into_iter().zip(of_x) {
                        let tile = Tile {
                            x: &inputs.x[(sample * points + first) * h..][..of_x.len()],
                            film: &inputs.film[(unit / tiles * points + first) * 2 * h..]
                                [..2 * of_x.len()],
                            gradient,
                            of_x,
                            of_film: &mut *of_film,
                        };
                        let place = [sample, first, tile.x.len() / h];
                        self.start(inputs.lines, bias, place, scratch);
                        self.sizes
                            .backward(inputs.pointwise, tile, &mut sums, scratch);
                    }
                }
                sums
            })
            .collect();
        // In order, so that rounding does not depend on which part finished first.
        let mut total = vec![0.0; self.sizes.size()];
        for part in sums {
            total.iter_mut().zip(part).for_each(|(a, b)| *a += b);
        }
        total
    }

    /// Writes the convolution's values at `count` points of a sample, starting at `first`, to the
    /// scratch.
    fn start(
        &self,
        lines: &[f32],
        bias: &[f32],
        [sample, first, count]: [usize; 3],
        scratch: &mut Scratch,
    ) {
        let transform = &self.convolution.transforms[0];
        let size = transform.line_size() * self.sizes.channels;
        let (mixed, row) = scratch.start(count, bias);
        let lines = &lines[sample * size..][..size];
        transform.add_rows(lines, first / transform.nx(), mixed, row);
    }
}

/// Inputs of the pointwise part of a layer.
struct PointwiseInputs<'a> {
    x: &'a [f32],
    film: &'a [f32],
    pointwise: &'a [f32],
    lines: &'a [f32],
}
