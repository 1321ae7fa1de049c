//! The update of a realization by readings, and the epistemic variance that remains.

use floral_linalg::Mat;
use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

use super::components::Components;
use super::moments::known_mean;
use super::readings::read;
use super::seen::Seen;
use crate::law::Deviations;

/// The update that turns a draw of the law into one given readings.
pub(crate) struct Update {
    seen: Seen,
    components: Components,
}

impl Update {
    pub(super) fn new(seen: Seen, components: Components) -> Self {
        Self { seen, components }
    }

    /// u + C_j H' S_j^-1 (y - e - H u), for a deviation that was drawn from this training input.
    pub(crate) fn apply(
        &self,
        near: usize,
        deviations: &Deviations<'_>,
        unknown: &[f32],
        rng: &mut impl Rng,
        out: &mut [f64],
    ) {
        let rows = &self.seen.rows;
        let read = rows.of(out);
        let missed = (0..rows.len()).map(|i| {
            let noise: f64 = StandardNormal.sample(rng);
            rows.missed[i] - rows.noise[i] * noise - read[i]
        });
        let missed: Vec<f64> = missed.collect();
        let inverse = &self.components.all[near].inverse;
        let multiples = product(inverse, &missed);
        let square = self.components.smoothing.powi(2);
        let factors = transposed_product(&self.seen.inputs[near].factors, &multiples);
        let values = out.len();
        if let Some(near) = deviations.near.get(near) {
            let fields = near.factors.chunks_exact(values.max(1));
            for (factor, field) in factors.iter().zip(fields) {
                let factor = square * factor;
                // The product is rounded as in `seen`.
                let parts = out.iter_mut().zip(field).zip(&deviations.gain);
                parts.for_each(|((out, f), g)| *out += factor * f64::from(f * g));
            }
        }
        let known = transposed_product(&self.seen.unknown, &multiples);
        for (factor, field) in known.iter().zip(unknown.chunks_exact(values.max(1))) {
            add(*factor, field, out);
        }
        for (i, multiple) in multiples.iter().enumerate() {
            let column = self.seen.remainder.col(i);
            let parts = out.iter_mut().zip(column.iter());
            parts.for_each(|(out, value)| *out += multiple * value);
        }
    }

    /// The epistemic variance of sum_i factor_i u_i that remains given the readings.
    pub(crate) fn epistemic_variance(
        &self,
        entries: &[(usize, f64)],
        deviations: &Deviations<'_>,
        unknown: &[f32],
    ) -> f64 {
        let values = deviations.gain.len();
        let fields = unknown.chunks_exact(values.max(1));
        let own: Vec<f64> = fields.map(|field| read(entries, field)).collect();
        let known = product(&self.seen.unknown, &own);
        let n = self.seen.rows.len();
        let remainder = (0..n).map(|i| {
            let column = self.seen.remainder.col(i);
            entries.iter().map(|(p, f)| f * column[*p]).sum::<f64>()
        });
        let remainder: Vec<f64> = remainder.collect();
        let square = self.components.smoothing.powi(2);
        let mut all = own.iter().map(|v| v * v).sum::<f64>();
        for (j, component) in self.components.all.iter().enumerate() {
            let input = &self.seen.inputs[j];
            let scaled: Vec<(usize, f64)> = entries
                .iter()
                .map(|(p, f)| (*p, f * f64::from(deviations.gain[*p])))
                .collect();
            let fields = deviations.near.get(j).map_or(&[][..], |near| &near.factors);
            let fields = fields.chunks_exact(values.max(1));
            let factors: Vec<f64> = fields.map(|field| read(&scaled, field)).collect();
            let varies = product(&input.factors, &factors);
            let varies: Vec<f64> = (0..n).map(|i| square * varies[i] + remainder[i]).collect();
            let both: Vec<f64> = varies.iter().zip(&known).map(|(a, b)| a + b).collect();
            let of_known = known_mean(&self.seen, input, self.components.smoothing);
            let removed = quadratic(&component.inverse, &both) - quadratic(&of_known, &varies);
            all -= component.weight * removed;
        }
        all.max(0.0)
    }
}

fn add(factor: f64, from: &[f32], to: &mut [f64]) {
    let parts = to.iter_mut().zip(from);
    parts.for_each(|(to, v)| *to += factor * f64::from(*v));
}

fn product(matrix: &Mat<f64>, vector: &[f64]) -> Vec<f64> {
    let row = |i: usize| {
        vector
            .iter()
            .enumerate()
            .map(move |(k, v)| matrix[(i, k)] * v)
    };
    (0..matrix.nrows()).map(|i| row(i).sum()).collect()
}

fn transposed_product(matrix: &Mat<f64>, vector: &[f64]) -> Vec<f64> {
    let row = |k: usize| {
        vector
            .iter()
            .enumerate()
            .map(move |(i, v)| matrix[(i, k)] * v)
    };
    (0..matrix.ncols()).map(|k| row(k).sum()).collect()
}

fn quadratic(matrix: &Mat<f64>, vector: &[f64]) -> f64 {
    let product = product(matrix, vector);
    product.iter().zip(vector).map(|(a, b)| a * b).sum()
}
