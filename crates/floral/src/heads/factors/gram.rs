//! The loss that matches covariance operators by inner products alone, and its host-side sums.
//!
//! With C = sum_i r_i r_i' and F = sum_j phi_j phi_j',
//!
//! |C - F|^2 / |C|^2 = 1 + (sum_jk <phi_j, phi_k>^2 - 2 sum_ij <r_i, phi_j>^2) / |C|^2,
//!
//! so that no matrix over grid points is ever formed. <,> is the mean over known values.

use burn::tensor::{Device, Tensor, TensorData};
use floral_linalg::{Mat, MatRef};

use super::batch::Batch;

/// The weight of the mean's error beside the covariance's.
pub(super) const MEAN: f32 = 0.5;

/// The mean loss of a batch. outputs: [row, (factor + 1) channel, y, x], the correction last.
pub(super) fn loss(outputs: Tensor<4>, batch: &Batch, factors: usize) -> Tensor<1> {
    let rows = batch.covariance.len();
    let values = batch.weights.len() / rows;
    let device = outputs.device();
    let fields: Tensor<3> = outputs.reshape([rows, factors + 1, values]);
    let weights = tensor(&batch.weights, [rows, 1, values], &device);
    let phi = fields.clone().narrow(1, 0, factors);
    let transposed = phi.clone().swap_dims(1, 2);
    let gram = (phi * weights.clone()).matmul(transposed.clone());
    let residuals = batch.residuals.len() / (rows * values);
    let residuals = tensor(&batch.residuals, [rows, residuals, values], &device);
    let projected = residuals.matmul(transposed);
    let covariance = sums(gram.square()) - sums(projected.square()) * 2.0;
    let errors = tensor(&batch.errors, [rows, 1, values], &device);
    let missed = (fields.narrow(1, factors, 1) - errors).square() * weights;
    let [of_covariance, of_mean] =
        [&batch.covariance, &batch.error].map(|v| tensor(v, [rows], &device));
    let loss = (covariance * of_covariance + 1.0) + sums(missed) * of_mean * MEAN;
    loss.mean()
}

/// [row, a, b] -> \[row\].
fn sums(tensor: Tensor<3>) -> Tensor<1> {
    let [rows, a, b] = tensor.dims();
    tensor.reshape([rows, a * b]).sum_dim(1).squeeze_dim(1)
}

fn tensor<const D: usize>(values: &[f32], shape: [usize; D], device: &Device) -> Tensor<D> {
    Tensor::from_data(TensorData::new(values.to_vec(), shape), device)
}

/// The inner products of one row's factors, of which any rotation and choice can be scored.
pub(super) struct Overlap {
    /// <phi_j, phi_k>.
    pub gram: Mat<f64>,
    /// sum_i <r_i, phi_j> <r_i, phi_k>.
    pub seen: Mat<f64>,
    /// One over |C|^2.
    pub covariance: f64,
    /// <c, c>, <c, e> and <e, e> of the correction c and the mean's error e.
    pub correction: [f64; 3],
}

impl Overlap {
    /// The overlaps of each row. outputs: [row, factor + 1, value].
    pub(super) fn of(outputs: &[f32], batch: &Batch, factors: usize) -> Vec<Self> {
        let rows = batch.covariance.len();
        let values = batch.weights.len() / rows;
        let fields = outputs.chunks_exact((factors + 1) * values);
        let residuals = batch.residuals.chunks_exact(batch.residuals.len() / rows);
        let parts = fields.zip(residuals).enumerate();
        parts
            .map(|(row, (fields, residuals))| {
                let of_row = row * values..(row + 1) * values;
                let weights = &batch.weights[of_row.clone()];
                let (phi, correction) = fields.split_at(factors * values);
                let (phi, residuals) = (columns(phi, values), columns(residuals, values));
                let weighed =
                    Mat::from_fn(values, factors, |v, j| phi[(v, j)] * f64::from(weights[v]));
                let projected = residuals.transpose() * &phi;
                Self {
                    gram: phi.transpose() * weighed,
                    seen: projected.transpose() * &projected,
                    covariance: f64::from(batch.covariance[row]),
                    correction: products(correction, &batch.errors[of_row], weights),
                }
            })
            .collect()
    }

    /// |C - F|^2 / |C|^2 of the factors turned by `turn`, [factor, kept].
    pub(super) fn error(&self, turn: MatRef<'_, f64>) -> f64 {
        let turned = |matrix: &Mat<f64>| turn.transpose() * matrix * turn;
        let gram = turned(&self.gram).squared_norm_l2();
        let seen = turned(&self.seen);
        let seen: f64 = (0..turn.ncols()).map(|j| seen[(j, j)]).sum();
        1.0 + (gram - 2.0 * seen) * self.covariance
    }
}

/// [field, value] -> the fields as columns.
fn columns(fields: &[f32], values: usize) -> Mat<f64> {
    Mat::from_fn(values, fields.len() / values, |v, k| {
        f64::from(fields[k * values + v])
    })
}

fn products(correction: &[f32], errors: &[f32], weights: &[f32]) -> [f64; 3] {
    let mut sums = [0.0; 3];
    for ((c, e), w) in correction.iter().zip(errors).zip(weights) {
        let [c, e, w] = [c, e, w].map(|v| f64::from(*v));
        sums.iter_mut()
            .zip([c * c, c * e, e * e])
            .for_each(|(sum, product)| *sum += w * product);
    }
    sums
}
