//! Fourier transforms in single and double precision: rustfft's planners as plain functions.
//!
//! A separate crate, because rustfft's generic algorithms are compiled where they are planned: here
//! once per precision, and not again in every crate that transforms.

use std::sync::Arc;

use rustfft::num_traits::Float;
use rustfft::{FftNum, FftPlanner};

pub use rustfft::Fft;
pub use rustfft::num_complex::Complex;
pub use rustfft::num_traits::Zero;

/// A precision in which transforms are compiled: `f32` or `f64`.
pub trait Precision: FftNum + Float {
    /// y_k = sum_j x_j exp(-2 pi i j k / n) on n = `length` points.
    fn forward(length: usize) -> Arc<dyn Fft<Self>>;

    /// y_k = sum_j x_j exp(2 pi i j k / n): n times the inverse of [`forward`](Self::forward).
    fn inverse(length: usize) -> Arc<dyn Fft<Self>>;
}

macro_rules! precision {
    ($real:ty) => {
        impl Precision for $real {
            // Inlined into another crate, it would compile all algorithms of rustfft there again.
            #[inline(never)]
            fn forward(length: usize) -> Arc<dyn Fft<Self>> {
                FftPlanner::new().plan_fft_forward(length)
            }

            #[inline(never)]
            fn inverse(length: usize) -> Arc<dyn Fft<Self>> {
                FftPlanner::new().plan_fft_inverse(length)
            }
        }
    };
}

precision!(f32);
precision!(f64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transforms_are_the_sums_that_define_them_and_undo_each_other() {
        for n in [1, 2, 7, 12, 64, 101] {
            let values: Vec<Complex<f64>> = (0..n)
                .map(|j| Complex::new((3.0 * j as f64).sin(), (j * j % 5) as f64))
                .collect();
            let mut found = values.clone();
            f64::forward(n).process(&mut found);
            for (k, found) in found.iter().enumerate() {
                let turn = -std::f64::consts::TAU / n as f64;
                let terms = values.iter().enumerate();
                let sum: Complex<f64> = terms
                    .map(|(j, v)| v * Complex::cis(turn * (j * k % n) as f64))
                    .sum();
                assert!((found - sum).norm() < 1e-10 * n as f64);
            }
            f64::inverse(n).process(&mut found);
            for (found, value) in found.iter().zip(&values) {
                assert!((found / n as f64 - value).norm() < 1e-12);
            }
        }
    }

    #[test]
    fn single_precision_agrees_with_double() {
        let values: Vec<f32> = (0..48).map(|j| (j as f32 * 0.7).cos()).collect();
        let mut single: Vec<Complex<f32>> = values.iter().map(|&v| v.into()).collect();
        let mut double: Vec<Complex<f64>> = values.iter().map(|&v| f64::from(v).into()).collect();
        f32::forward(48).process(&mut single);
        f64::forward(48).process(&mut double);
        for (single, double) in single.iter().zip(&double) {
            assert!((f64::from(single.re) - double.re).abs() < 1e-5);
            assert!((f64::from(single.im) - double.im).abs() < 1e-5);
        }
    }
}
