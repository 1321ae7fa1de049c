//! Seeded initial values of parameters.

use burn::module::Param;
use burn::nn::Linear;
use burn::tensor::{Device, Tensor, TensorData};
use rand::RngExt;
use rand_distr::StandardNormal;

use crate::random::{Purpose, Stream, stream};

/// One stream of random numbers for a whole network.
///
/// Burn's initialisers draw from a generator that all users of the device share.
#[derive(Debug)]
pub struct InitialValues {
    stream: Stream,
    device: Device,
}

impl InitialValues {
    pub fn new(seed: u64, device: &Device) -> Self {
        Self {
            stream: stream(seed, Purpose::InitialValues, 0, 0),
            device: device.clone(),
        }
    }

    /// Independent values, uniform in +-bound.
    pub fn uniform<const D: usize>(&mut self, shape: [usize; D], bound: f64) -> Param<Tensor<D>> {
        self.parameter(shape, |stream| stream.random_range(-bound..bound))
    }

    /// Independent normal values of mean zero.
    pub fn normal<const D: usize>(&mut self, shape: [usize; D], variance: f64) -> Param<Tensor<D>> {
        let deviation = variance.sqrt();
        self.parameter(shape, |stream| {
            deviation * stream.sample::<f64, _>(StandardNormal)
        })
    }

    pub fn ones<const D: usize>(&mut self, shape: [usize; D]) -> Param<Tensor<D>> {
        self.parameter(shape, |_| 1.0)
    }

    /// A pointwise layer; weight and bias uniform in +-1/sqrt(inputs).
    pub fn linear(&mut self, inputs: usize, outputs: usize, bias: bool) -> Linear {
        let bound = 1.0 / (inputs as f64).sqrt();
        Linear {
            weight: self.uniform([inputs, outputs], bound),
            bias: bias.then(|| self.uniform([outputs], bound)),
        }
    }

    fn parameter<const D: usize>(
        &mut self,
        shape: [usize; D],
        mut value: impl FnMut(&mut Stream) -> f64,
    ) -> Param<Tensor<D>> {
        let count = shape.iter().product();
        let values: Vec<f32> = (0..count).map(|_| value(&mut self.stream) as f32).collect();
        Param::from_data(TensorData::new(values, shape), &self.device)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(param: &Param<Tensor<1>>) -> (f64, f64) {
        let values: Vec<f32> = param.val().into_data().try_into_vec().unwrap();
        let count = values.len() as f64;
        let mean = values.iter().map(|&v| v as f64).sum::<f64>() / count;
        let square = values.iter().map(|&v| (v as f64).powi(2)).sum::<f64>() / count;
        (mean, square - mean * mean)
    }

    #[test]
    fn normal_values_have_the_stated_variance() {
        let (mean, variance) =
            moments(&InitialValues::new(7, &Device::flex()).normal([100_000], 0.25));
        assert!(mean.abs() < 0.01, "mean {mean}");
        assert!((variance / 0.25 - 1.0).abs() < 0.02, "variance {variance}");
    }

    #[test]
    fn uniform_values_have_the_variance_of_their_bound() {
        let (mean, variance) =
            moments(&InitialValues::new(7, &Device::flex()).uniform([100_000], 3.0));
        assert!(mean.abs() < 0.02, "mean {mean}");
        assert!((variance / 3.0 - 1.0).abs() < 0.02, "variance {variance}");
    }
}
