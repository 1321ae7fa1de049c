//! Adam with L2 weight decay, and clipping of the gradient's norm, on plain arrays.
//!
//! The update runs on the host, whatever device computed the gradients: it is one pass over memory,
//! and the gradients of several processes are added there.

use floral_kernels::AdamStep;

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
    /// An optimiser before its first step, for arrays of these lengths.
    pub fn new(lengths: impl Iterator<Item = usize>) -> Self {
        let first: Vec<Vec<f32>> = lengths.map(|n| vec![0.0; n]).collect();
        Self {
            steps: 0,
            second: first.clone(),
            first,
        }
    }

    /// One step of Adam with the gradient `factor` * gradient + `weight_decay` * weight.
    pub fn step<'a>(
        &mut self,
        learning_rate: f64,
        weight_decay: f64,
        factor: f32,
        arrays: impl Iterator<Item = (&'a mut [f32], &'a [f32])>,
    ) {
        self.steps += 1;
        let bias = |beta: f64| 1.0 - beta.powi(self.steps.min(i32::MAX as u64) as i32);
        let step = AdamStep {
            beta_1: BETA_1 as f32,
            beta_2: BETA_2 as f32,
            rate: (learning_rate / bias(BETA_1)) as f32,
            scale: (1.0 / bias(BETA_2).sqrt()) as f32,
            epsilon: EPSILON as f32,
            weight_decay: weight_decay as f32,
            factor,
        };
        let moments = self.first.iter_mut().zip(&mut self.second);
        for ((weights, gradient), (first, second)) in arrays.zip(moments) {
            step.apply(weights, gradient, first, second);
        }
    }
}

/// The norm of a gradient, and the factor that reduces it to `largest` if it is larger.
pub fn clipped(arrays: &[Vec<f32>], largest: f64) -> (f64, f32) {
    let norm = floral_kernels::norm(arrays);
    let factor = if norm > largest { largest / norm } else { 1.0 };
    (norm, factor as f32)
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
            adam.step(0.1, weight_decay, 1.0, std::iter::once(pair));
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
        let arrays = [vec![3.0], vec![4.0]];
        assert_eq!(clipped(&arrays, 10.0), (5.0, 1.0));
        let (norm, factor) = clipped(&arrays, 1.0);
        assert!(norm == 5.0 && (factor - 0.2).abs() < 1e-7);
    }
}
