//! Adam with L2 weight decay, and clipping of the gradient's norm, on plain arrays.
//!
//! The update happens on the host, whatever device made the gradients: it is one pass over memory,
//! and the place where several processes can bring their gradients together.

use rayon::prelude::*;

/// Numbers summed or updated by one task; fixed, so that sums do not depend on threads.
const CHUNK: usize = 1 << 14;

const BETA_1: f64 = 0.9;
const BETA_2: f64 = 0.999;
const EPSILON: f64 = 1e-8;

/// The moments of every weight. Kingma & Ba (2015), algorithm 1.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Adam {
    /// Steps taken.
    pub steps: u64,
    /// Running mean of the gradient, per array.
    pub first: Vec<Vec<f32>>,
    /// Running mean of its square, per array.
    pub second: Vec<Vec<f32>>,
}

impl Adam {
    /// No steps taken, for arrays of these lengths.
    pub fn new(lengths: impl Iterator<Item = usize>) -> Self {
        let first: Vec<Vec<f32>> = lengths.map(|n| vec![0.0; n]).collect();
        Self {
            steps: 0,
            second: first.clone(),
            first,
        }
    }

    /// One step down the gradient, to which `weight_decay` times the weight is added first.
    pub fn step<'a>(
        &mut self,
        learning_rate: f64,
        weight_decay: f64,
        arrays: impl Iterator<Item = (&'a mut [f32], &'a [f32])>,
    ) {
        self.steps += 1;
        let bias = |beta: f64| 1.0 - beta.powi(self.steps.min(i32::MAX as u64) as i32);
        let rate = (learning_rate / bias(BETA_1)) as f32;
        let scale = (1.0 / bias(BETA_2).sqrt()) as f32;
        let decay = weight_decay as f32;
        let moments = self.first.iter_mut().zip(&mut self.second);
        for ((weights, gradients), (first, second)) in arrays.zip(moments) {
            let chunks = weights
                .par_chunks_mut(CHUNK)
                .zip(gradients.par_chunks(CHUNK));
            let moments = first
                .par_chunks_mut(CHUNK)
                .zip(second.par_chunks_mut(CHUNK));
            chunks.zip(moments).for_each(|((w, g), (m, v))| {
                for i in 0..w.len() {
                    let gradient = g[i] + decay * w[i];
                    m[i] += (1.0 - BETA_1) as f32 * (gradient - m[i]);
                    v[i] += (1.0 - BETA_2) as f32 * (gradient * gradient - v[i]);
                    w[i] -= rate * m[i] / (v[i].sqrt() * scale + EPSILON as f32);
                }
            });
        }
    }
}

/// Scales arrays down so that their common Euclidean norm is at most `largest`; returns the norm
/// they had.
pub fn clip_norm(arrays: &mut [Vec<f32>], largest: f64) -> f64 {
    let square = |chunk: &[f32]| chunk.iter().map(|&g| f64::from(g).powi(2)).sum::<f64>();
    let squares = arrays.iter().flat_map(|array| {
        let partial: Vec<f64> = array.par_chunks(CHUNK).map(square).collect();
        partial
    });
    let norm = squares.sum::<f64>().sqrt();
    if norm > largest {
        let factor = (largest / norm) as f32;
        for array in arrays {
            array.par_iter_mut().for_each(|g| *g *= factor);
        }
    }
    norm
}

#[cfg(test)]
mod tests {
    use super::*;

    fn descend(steps: usize, weight_decay: f64) -> Vec<f32> {
        let mut weights = vec![1.0f32, -2.0];
        let mut adam = Adam::new([2].into_iter());
        for _ in 0..steps {
            let gradients = [2.0 * weights[0], 4.0 * weights[1]];
            let pair = (&mut weights[..], &gradients[..]);
            adam.step(0.1, weight_decay, std::iter::once(pair));
        }
        weights
    }

    #[test]
    fn the_first_step_has_the_length_of_the_learning_rate() {
        let weights = descend(1, 0.0);
        assert!((weights[0] - 0.9).abs() < 1e-6 && (weights[1] + 1.9).abs() < 1e-6);
    }

    /// `torch.optim.Adam([w], lr=0.1, weight_decay=0.01)` on w0^2 + 2 w1^2 from (1, -2).
    #[test]
    fn five_steps_with_decay_agree_with_the_formula_in_double_precision() {
        let (mut w, mut m, mut v) = ([1.0f64, -2.0], [0.0f64; 2], [0.0f64; 2]);
        for t in 1..=5 {
            for i in 0..2 {
                let g = [2.0, 4.0][i] * w[i] + 0.01 * w[i];
                m[i] = 0.9 * m[i] + 0.1 * g;
                v[i] = 0.999 * v[i] + 0.001 * g * g;
                let (m_hat, v_hat) = (
                    m[i] / (1.0 - 0.9f64.powi(t)),
                    v[i] / (1.0 - 0.999f64.powi(t)),
                );
                w[i] -= 0.1 * m_hat / (v_hat.sqrt() + 1e-8);
            }
        }
        for (found, expected) in descend(5, 0.01).iter().zip(w) {
            assert!((f64::from(*found) - expected).abs() < 1e-5);
        }
    }

    #[test]
    fn a_long_gradient_is_scaled_and_a_short_one_left() {
        let mut arrays = vec![vec![3.0], vec![4.0]];
        assert_eq!(clip_norm(&mut arrays, 10.0), 5.0);
        assert_eq!(arrays, [[3.0], [4.0]]);
        assert_eq!(clip_norm(&mut arrays, 1.0), 5.0);
        assert!((arrays[0][0] - 0.6).abs() < 1e-7 && (arrays[1][0] - 0.8).abs() < 1e-7);
    }
}
