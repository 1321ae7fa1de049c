//! Shared by the tests of several operations.

use burn::tensor::{Device, Tensor, TensorData};

/// Numbers in +-bound without a pattern: fractional parts of multiples of the golden ratio.
pub fn numbers(count: usize, bound: f32) -> Vec<f32> {
    let unit = |i: usize| ((i as f64 + 0.5) * 0.618_033_988_749_895).fract();
    (0..count)
        .map(|i| bound * (2.0 * unit(i) as f32 - 1.0))
        .collect()
}

pub fn tensor<const D: usize>(shape: [usize; D], bound: f32, device: &Device) -> Tensor<D> {
    let values = numbers(shape.iter().product(), bound);
    Tensor::from_data(TensorData::new(values, shape), device)
}

pub fn values<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    tensor.into_data().try_into_vec().unwrap()
}

/// Fails unless all differences are within `tolerance` of the largest expected value.
pub fn assert_close(found: &[f32], expected: &[f32], tolerance: f32) {
    assert_eq!(found.len(), expected.len());
    let scale = expected.iter().fold(1e-6, |m: f32, v| m.max(v.abs()));
    for (i, (a, b)) in found.iter().zip(expected).enumerate() {
        let error = (a - b).abs() / scale;
        assert!(error <= tolerance, "{a} for {b} at {i}: error {error:e}");
    }
}

/// The bits of a result on this number of threads.
pub fn bits_on(threads: usize, compute: impl FnOnce() -> Vec<f32> + Send) -> Vec<u32> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    let values = pool.build().unwrap().install(compute);
    values.into_iter().map(f32::to_bits).collect()
}
