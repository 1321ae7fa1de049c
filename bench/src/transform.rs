//! The spectral convolution as matrix products beside the transforms alone by FFT.

use std::time::Instant;

use anyhow::Result;
use burn::tensor::{Device, Distribution, Tensor};
use floral_kernels::{FourierBasis, spectral_convolution};
use rayon::prelude::*;
use rustfft::FftPlanner;
use rustfft::num_complex::Complex;
use serde_json::{Value, json};

const CHANNELS: usize = 64;

/// Fields at once, so that reading the weights is shared.
const BATCH: usize = 8;
const ROUNDS: usize = 7;

/// Milliseconds for a field n x n of 64 channels that keeps half of its frequencies: our whole
/// convolution, and nothing but the transforms there and back by FFT, channel by channel.
pub fn transform(n: usize) -> Result<Value> {
    let device = Device::flex();
    let random = |shape| Tensor::random(shape, Distribution::Normal(0.0, 1.0), &device);
    let x: Tensor<4> = random([BATCH, n, n, CHANNELS]);
    let modes = [n / 2, n / 4 + 1, CHANNELS, CHANNELS];
    let weight: [Tensor<4>; 2] = [random(modes), random(modes)];
    let basis = FourierBasis::new([n, n], [n / 2, n / 2], &device);
    let ours = best(|| drop(spectral_convolution(x.clone(), weight.clone(), &basis)));
    // Two real fields share one complex transform.
    let mut fields = vec![Complex::new(0.5f32, 0.0); BATCH * CHANNELS / 2 * n * n];
    let fft = best(|| there_and_back(&mut fields, n));
    let each = BATCH as f64;
    Ok(json!({ "points": n, "convolution_ms": ours / each, "fft_alone_ms": fft / each }))
}

fn there_and_back(fields: &mut [Complex<f32>], n: usize) {
    let mut planner = FftPlanner::new();
    let plans = [planner.plan_fft_forward(n), planner.plan_fft_inverse(n)];
    fields.par_chunks_mut(n * n).for_each_init(
        || vec![Complex::default(); n * n],
        |other, field| {
            for plan in &plans {
                plan.process(field);
                transpose(field, other, n);
                plan.process(other);
                transpose(other, field, n);
            }
        },
    );
}

fn transpose(from: &[Complex<f32>], to: &mut [Complex<f32>], n: usize) {
    const BLOCK: usize = 16;
    for top in (0..n).step_by(BLOCK) {
        for left in (0..n).step_by(BLOCK) {
            for i in top..(top + BLOCK).min(n) {
                for j in left..(left + BLOCK).min(n) {
                    to[j * n + i] = from[i * n + j];
                }
            }
        }
    }
}

/// The fastest of several calls, in milliseconds, after one that is not counted.
fn best(mut work: impl FnMut()) -> f64 {
    work();
    let times = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64() * 1e3
    });
    times.fold(f64::INFINITY, f64::min)
}
