//! Normal draws and closed forms for tests of the scores.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// Standard normal draws.
pub fn normals(seed: u64, count: usize) -> Vec<f32> {
    let rng = ChaCha8Rng::seed_from_u64(seed);
    StandardNormal.sample_iter(rng).take(count).collect()
}

/// The quantiles of the standard normal distribution at (i + 1/2)/count, by bisection.
pub fn normal_quantiles(count: usize) -> Vec<f32> {
    let quantile = |i: usize| {
        let p = (i as f64 + 0.5) / count as f64;
        let (mut low, mut high) = (-8.0, 8.0);
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            if normal_cdf(middle) < p {
                low = middle;
            } else {
                high = middle;
            }
        }
        low as f32
    };
    (0..count).map(quantile).collect()
}

/// Closed form of the CRPS of a normal distribution: s (z (2 Phi(z) - 1) + 2 phi(z) - 1/sqrt(pi)),
/// z = (y - mean)/s. Gneiting & Raftery (2007), section 4.2.
pub fn gaussian_crps(mean: f64, deviation: f64, y: f64) -> f64 {
    let z = (y - mean) / deviation;
    let density = (-0.5 * z * z).exp() / (2.0 * PI).sqrt();
    deviation * (z * (2.0 * normal_cdf(z) - 1.0) + 2.0 * density - 1.0 / PI.sqrt())
}

/// The mean and its standard error.
pub fn mean_and_error(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let values: Vec<f64> = values.collect();
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let square: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    (mean, (square / (n - 1.0) / n).sqrt())
}

/// Runs `work` in a rayon pool with this number of threads.
pub fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build().unwrap().install(work)
}

fn normal_cdf(z: f64) -> f64 {
    0.5 + 0.5 * erf(z * FRAC_1_SQRT_2)
}

/// 2/sqrt(pi) exp(-x^2) sum_n 2^n x^(2n+1) / (2n+1)!!; all terms have the same sign. Abramowitz &
/// Stegun 7.1.6.
fn erf(x: f64) -> f64 {
    let terms = (1..200).scan(x, |term, n| {
        let value = *term;
        *term *= 2.0 * x * x / f64::from(2 * n + 1);
        Some(value)
    });
    2.0 / PI.sqrt() * (-x * x).exp() * terms.sum::<f64>()
}

/// Reference: scipy.special.erf.
#[test]
fn erf_agrees_with_tables() {
    for (x, expected) in [(0.5, 0.5204998778130465), (2.0, 0.9953222650189527)] {
        assert!((erf(x) - expected).abs() < 1e-15 && (erf(-x) + expected).abs() < 1e-15);
    }
}
