//! The limit of the machine: its fastest f32 matrix product on all threads.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};
use rayon::prelude::*;

use super::Stopwatch;
use floral::Result;

/// Size of the product that all threads share.
const SHARED: usize = 1024;

/// Size of the products of single threads, which fit into their caches.
const OWN: usize = 512;

/// Floating-point operations per second of the faster of two forms: one large product whose columns
/// are divided among the threads, and a separate product per thread.
pub fn matrix_peak(watch: &Stopwatch) -> Result<f64> {
    let threads = rayon::current_num_threads();
    let columns = SHARED.div_ceil(threads);
    let shared = rate(watch, threads, [SHARED, SHARED, columns])?;
    let own = rate(watch, threads, [OWN, OWN, OWN])?;
    Ok(shared.max(own))
}

/// Operations per second of `threads` products [rows, inner] x [inner, columns].
fn rate(watch: &Stopwatch, threads: usize, [rows, inner, columns]: [usize; 3]) -> Result<f64> {
    let left = Mat::<f32>::full(rows, inner, 0.5);
    let mut panels: Vec<_> = (0..threads)
        .map(|_| {
            let right = Mat::<f32>::full(inner, columns, 0.25);
            (right, Mat::<f32>::zeros(rows, columns))
        })
        .collect();
    let seconds = watch.best(|| {
        panels.par_iter_mut().for_each(|(right, out)| {
            let out = out.as_mut();
            matmul(out, Accum::Replace, &left, &*right, 1.0, Par::Seq);
        });
        Ok(())
    })?;
    Ok(2.0 * (threads * rows * inner * columns) as f64 / seconds)
}
