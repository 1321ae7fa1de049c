//! The optimiser's arithmetic on plain arrays, each operation in one pass over memory.

use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use crate::simd::run;

/// Numbers summed or updated per task; fixed, so that sums do not depend on threads.
const CHUNK: usize = 1 << 14;

/// The constants of one step of Adam. Kingma & Ba (2015), algorithm 1, with L2 weight decay.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdamStep {
    /// Decay of the running mean of the gradient.
    pub beta_1: f32,
    /// Decay of the running mean of the squared gradient.
    pub beta_2: f32,
    /// Learning rate divided by the bias of the first moment.
    pub rate: f32,
    /// 1 / sqrt(bias of the second moment).
    pub scale: f32,
    /// Added to the root of the second moment.
    pub epsilon: f32,
    /// Factor of the weight that is added to the gradient.
    pub weight_decay: f32,
    /// Factor of the gradient, applied first: below one where its norm is clipped.
    pub factor: f32,
}

impl AdamStep {
    /// Updates weights and moments in place; all arrays have equal lengths.
    pub fn apply(
        &self,
        weights: &mut [f32],
        gradient: &[f32],
        first: &mut [f32],
        second: &mut [f32],
    ) {
        let moments = first
            .par_chunks_mut(CHUNK)
            .zip(second.par_chunks_mut(CHUNK));
        weights
            .par_chunks_mut(CHUNK)
            .zip(gradient.par_chunks(CHUNK))
            .zip(moments)
            .for_each(|((weights, gradient), (first, second))| {
                run(Update {
                    step: *self,
                    weights,
                    gradient,
                    first,
                    second,
                });
            });
    }
}

struct Update<'a> {
    step: AdamStep,
    weights: &'a mut [f32],
    gradient: &'a [f32],
    first: &'a mut [f32],
    second: &'a mut [f32],
}

impl WithSimd for Update<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let AdamStep {
            beta_1,
            beta_2,
            rate,
            scale,
            epsilon,
            weight_decay,
            factor,
        } = self.step;
        let moments = self.first.iter_mut().zip(self.second);
        let values = self.weights.iter_mut().zip(self.gradient).zip(moments);
        for ((w, g), (m, v)) in values {
            let g = factor * g + weight_decay * *w;
            *m += (1.0 - beta_1) * (g - *m);
            *v += (1.0 - beta_2) * (g * g - *v);
            *w -= rate * *m / (v.sqrt() * scale + epsilon);
        }
    }
}

/// The Euclidean norm of the concatenated arrays, summed in double precision.
pub fn norm(arrays: &[Vec<f32>]) -> f64 {
    let squares = arrays.iter().flat_map(|array| {
        let parts: Vec<f64> = array.par_chunks(CHUNK).map(square_sum).collect();
        parts
    });
    squares.sum::<f64>().sqrt()
}

fn square_sum(values: &[f32]) -> f64 {
    // Eight independent sums, which the compiler keeps in vector registers.
    let mut sums = [0.0; 8];
    for values in values.chunks(8) {
        for (sum, &value) in sums.iter_mut().zip(values) {
            *sum += f64::from(value).powi(2);
        }
    }
    sums.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{bits_on, numbers};

    const STEP: AdamStep = AdamStep {
        beta_1: 0.9,
        beta_2: 0.999,
        rate: 0.02,
        scale: 1.5,
        epsilon: 1e-8,
        weight_decay: 0.1,
        factor: 0.5,
    };

    #[test]
    fn a_step_is_that_of_the_formula_in_double_precision() {
        for n in [1, 7, 100] {
            let (start, gradient) = (numbers(n, 1.0), numbers(n, 3.0));
            let (mut w, mut m, mut v) = (start.clone(), vec![0.1; n], vec![0.2; n]);
            STEP.apply(&mut w, &gradient, &mut m, &mut v);
            for i in 0..n {
                let g = 0.5 * f64::from(gradient[i]) + 0.1 * f64::from(start[i]);
                let first = 0.1 + 0.1 * (g - 0.1);
                let second = 0.2 + 0.001 * (g * g - 0.2);
                let moved = 0.02 * first / (second.sqrt() * 1.5 + 1e-8);
                assert!((f64::from(w[i]) - (f64::from(start[i]) - moved)).abs() < 1e-6);
                assert!((f64::from(m[i]) - first).abs() < 1e-6);
                assert!((f64::from(v[i]) - second).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn the_norm_is_that_of_all_numbers_together_on_any_number_of_threads() {
        let arrays = [numbers(100_001, 2.0), numbers(3, 1.0), Vec::new()];
        let all = arrays.iter().flatten();
        let exact = all.map(|&v| f64::from(v).powi(2)).sum::<f64>().sqrt();
        assert!((norm(&arrays) / exact - 1.0).abs() < 1e-12);
        let on = |threads| bits_on(threads, || vec![norm(&arrays) as f32]);
        assert_eq!(on(1), on(2));
    }
}
