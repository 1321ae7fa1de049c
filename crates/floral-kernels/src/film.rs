//! Feature-wise linear modulation; samples may share coefficients.

use std::sync::Arc;

use burn::backend::autodiff::checkpoint::{base::Checkpointer, strategy::CheckpointStrategy};
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::flex::FlexTensor;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Dispatch, Flex, backend_extension};
use burn::tensor::{Int, Tensor, TensorData};
use rayon::prelude::*;

use crate::buffer::zeros;
use crate::flex;
use crate::modulate::{modulate, modulate_backward};
use crate::rows::by_row;

/// Coefficients of x (1 + g) + b for some inputs, and the input of each sample.
///
/// Perez et al. (2018), "FiLM: visual reasoning with a general conditioning layer".
#[derive(Debug, Clone)]
pub struct Modulation {
    /// g, then b: [row, y, x, 2 channel].
    pub coefficients: Tensor<4>,
    /// The row of each sample; a single row serves a batch of any size.
    pub rows: Arc<[usize]>,
}

impl Modulation {
    /// One row per sample.
    pub fn new(coefficients: Tensor<4>) -> Self {
        let rows = (0..coefficients.dims()[0]).collect();
        Self { coefficients, rows }
    }

    /// x (1 + g) + b. x: [batch, y, x, channel] -> same shape.
    ///
    /// # Panics
    /// If grids, channels or the number of samples do not match, like other tensor arithmetic.
    pub fn apply(&self, x: Tensor<4>) -> Tensor<4> {
        if !self.fits(x.dims()) || !flex::takes(&x) {
            return self.composed(x);
        }
        Tensor::from_dispatch(<Dispatch as FilmKernel>::film(
            x.clone().into_dispatch(),
            self.coefficients.clone().into_dispatch(),
            self.rows_of(x.dims()[0]),
        ))
    }

    /// The same, composed of Burn's operations.
    pub(crate) fn composed(&self, x: Tensor<4>) -> Tensor<4> {
        let rows: Vec<i64> = self.rows.iter().map(|&row| row as i64).collect();
        let rows = TensorData::new(rows, [self.rows.len()]);
        let rows = Tensor::<1, Int>::from_data(rows, &self.coefficients.device());
        let coefficients = self.coefficients.clone().select(0, rows);
        let channels = coefficients.dims()[3] / 2;
        let g = coefficients.clone().narrow(3, 0, channels);
        let b = coefficients.narrow(3, channels, channels);
        x * (g + 1.0) + b
    }

    /// Whether these sizes suit the kernel.
    pub(crate) fn fits(&self, [batch, ny, nx, channels]: [usize; 4]) -> bool {
        let [rows, grid @ ..] = self.coefficients.dims();
        grid == [ny, nx, 2 * channels]
            && (self.rows.len() == 1 || self.rows.len() == batch)
            && self.rows.iter().all(|&row| row < rows)
            && batch * ny * nx * channels > 0
    }

    /// The row of each sample.
    pub(crate) fn rows_of(&self, batch: usize) -> Arc<[usize]> {
        if self.rows.len() == batch {
            return self.rows.clone();
        }
        vec![self.rows[0]; batch].into()
    }
}

/// Points per unit of work.
const TILE: usize = 128;

#[backend_extension(Flex, Autodiff)]
pub(crate) trait FilmKernel: Backend {
    fn film(
        x: FloatTensor<Self>,
        coefficients: FloatTensor<Self>,
        rows: Arc<[usize]>,
    ) -> FloatTensor<Self>;
}

/// Number of channels of x, and number of points of a sample.
fn sizes(x: &FlexTensor) -> [usize; 2] {
    let shape = x.layout().shape().to_vec();
    [shape[3], shape[1] * shape[2]]
}

impl FilmKernel for Flex {
    fn film(x: FlexTensor, coefficients: FlexTensor, rows: Arc<[usize]>) -> FlexTensor {
        let coefficients = flex::contiguous(coefficients);
        let [channels, points] = sizes(&x);
        let film = coefficients.storage::<f32>();
        let mut y = flex::contiguous(x);
        let samples = y.storage_mut::<f32>().chunks_mut(points * channels);
        for (sample, &row) in samples.zip(rows.iter()) {
            let film = &film[row * points * 2 * channels..][..points * 2 * channels];
            sample
                .par_chunks_mut(TILE * channels)
                .zip(film.par_chunks(TILE * 2 * channels))
                .for_each(|(x, film)| modulate(x, film, channels));
        }
        y
    }
}

impl<C: CheckpointStrategy> FilmKernel for Autodiff<Flex, C> {
    fn film(
        x: FloatTensor<Self>,
        coefficients: FloatTensor<Self>,
        rows: Arc<[usize]>,
    ) -> FloatTensor<Self> {
        let nodes = [x.node(), coefficients.node()];
        let [x, coefficients] =
            [x, coefficients].map(|tensor| flex::contiguous(tensor.into_primitive()));
        let step = FilmBackward(rows.clone());
        match step.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prep) => {
                let y = Flex::film(x.clone(), coefficients.clone(), rows);
                prep.finish((x, coefficients), y)
            }
            OpsKind::UnTracked(prep) => prep.finish(Flex::film(x, coefficients, rows)),
        }
    }
}

#[derive(Debug)]
struct FilmBackward(Arc<[usize]>);

impl Backward<Flex, 2> for FilmBackward {
    /// The input and the coefficients, contiguous.
    type State = (FlexTensor, FlexTensor);

    fn backward(self, ops: Ops<Self::State, 2>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let mut gradient = flex::contiguous(gradients.consume::<Flex>(&ops.node));
        let (x, coefficients) = ops.state;
        let [channels, points] = sizes(&x);
        let tiles = points.div_ceil(TILE);
        let (values, film) = (x.storage::<f32>(), coefficients.storage::<f32>());
        let mut of_film = zeros(film.len());

        // Each unit: one tile of all samples of a row, with the gradient of the row's coefficients.
        let of_tiles = of_film
            .chunks_mut(points * 2 * channels)
            .flat_map(|row| row.chunks_mut(TILE * 2 * channels));
        let units = by_row(
            gradient.storage_mut(),
            &self.0,
            film.len() / (points * 2 * channels),
            TILE * channels,
        );
        let units: Vec<_> = units.into_iter().zip(of_tiles).collect();
        units
            .into_par_iter()
            .enumerate()
            .for_each(|(unit, (samples, of_film))| {
                let (row, first) = (unit / tiles, unit % tiles * TILE);
                let film = &film[(row * points + first) * 2 * channels..][..of_film.len()];
                for (sample, gradient) in samples {
                    let x = &values[(sample * points + first) * channels..][..gradient.len()];
                    modulate_backward(x, None, film, gradient, of_film, channels);
                }
            });

        let [x_node, film_node] = ops.parents;
        if let Some(node) = x_node {
            gradients.register::<Flex>(node.id, gradient);
        }
        if let Some(node) = film_node {
            gradients.register::<Flex>(node.id, flex::tensor_like(of_film, &coefficients));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_close, bits_on, tensor, values};
    use burn::tensor::Device;

    /// The result, and the gradients of x and of the coefficients.
    fn differentiate(
        apply: impl Fn(&Modulation, Tensor<4>) -> Tensor<4>,
        grid: [usize; 3],
        rows: &[usize],
        batch: usize,
    ) -> Vec<Vec<f32>> {
        let device = Device::flex().autodiff();
        let [ny, nx, channels] = grid;
        let x = tensor([batch, ny, nx, channels], 1.0, &device).require_grad();
        let count = rows.iter().max().unwrap() + 1;
        let coefficients = tensor([count, ny, nx, 2 * channels], 0.7, &device).require_grad();
        let modulation = Modulation {
            coefficients: coefficients.clone(),
            rows: rows.into(),
        };
        let y = apply(&modulation, x.clone());
        let gradients = y.clone().square().sum().backward();
        vec![
            values(y),
            values(x.grad(&gradients).unwrap()),
            values(coefficients.grad(&gradients).unwrap()),
        ]
    }

    #[test]
    fn shared_rows_agree_with_the_composed_operation() {
        let cases: [([usize; 3], &[usize], usize); 5] = [
            ([1, 1, 1], &[0], 1),
            ([3, 7, 5], &[0], 4),
            ([1, 300, 3], &[1, 0, 1], 3),
            ([16, 16, 8], &[2, 0, 2, 2, 1], 5),
            ([2, 5, 1], &[3], 2),
        ];
        for (grid, rows, batch) in cases {
            let found = differentiate(|m, x| m.apply(x), grid, rows, batch);
            let expected = differentiate(|m, x| m.composed(x), grid, rows, batch);
            for (found, expected) in found.iter().zip(&expected) {
                assert_close(found, expected, 1e-5);
            }
        }
    }

    #[test]
    fn the_number_of_threads_does_not_change_a_bit() {
        let run = || differentiate(|m, x| m.apply(x), [9, 40, 6], &[1, 1, 0, 1], 4).concat();
        assert_eq!(bits_on(1, run), bits_on(2, run));
    }
}
