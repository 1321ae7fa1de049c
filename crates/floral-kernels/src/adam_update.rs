//! One parameter's step of Adam: a single pass over parameter, gradient and moments.

use burn::backend::Flex;
use burn::backend::flex::FlexTensor;
use burn::tensor::Tensor;
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use crate::flex;

/// Elements of one parallel part.
const PART: usize = 1 << 14;

/// Running means of the gradient and of its square, in the order of the parameter's values.
#[derive(Debug, Clone)]
pub struct Moments {
    pub first: Tensor<1>,
    pub second: Tensor<1>,
}

/// The numbers of one step that all parameters share.
#[derive(Debug, Clone, Copy)]
pub struct Rates {
    /// Factor of the gradient: what clipping leaves of it.
    pub gradient: f32,
    /// Factor of the parameter that is added to its gradient.
    pub decay: f32,
    pub beta_1: f32,
    pub beta_2: f32,
    /// The learning rate over 1 - beta_1^n.
    pub step: f32,
    /// 1 / sqrt(1 - beta_2^n).
    pub second: f32,
    pub epsilon: f32,
}

impl Rates {
    /// The parameter after the step. parameter, gradient: any shape, the same.
    pub fn update<const D: usize>(
        &self,
        parameter: Tensor<D>,
        gradient: Tensor<D>,
        moments: &mut Moments,
    ) -> Tensor<D> {
        if flex::takes(&parameter) && flex::takes(&gradient) && flex::takes(&moments.first) {
            return self.fused(parameter, gradient, moments);
        }
        self.composed(parameter, gradient, moments)
    }

    fn fused<const D: usize>(
        &self,
        parameter: Tensor<D>,
        gradient: Tensor<D>,
        moments: &mut Moments,
    ) -> Tensor<D> {
        let mut parameter = primitive(parameter);
        let gradient = primitive(gradient);
        // The tensors leave the moments while they are written, so that nobody else refers to them.
        let nothing = || Tensor::from_primitive::<Flex>(flex::tensor(Vec::new(), vec![0]));
        let mut first = primitive(std::mem::replace(&mut moments.first, nothing()));
        let mut second = primitive(std::mem::replace(&mut moments.second, nothing()));
        let parts = parameter
            .storage_mut::<f32>()
            .par_chunks_mut(PART)
            .zip(gradient.storage::<f32>().par_chunks(PART))
            .zip(first.storage_mut::<f32>().par_chunks_mut(PART))
            .zip(second.storage_mut::<f32>().par_chunks_mut(PART));
        parts.for_each(|(((parameter, gradient), first), second)| {
            Arch::new().dispatch(Update {
                rates: *self,
                parameter,
                gradient,
                first,
                second,
            });
        });
        moments.first = Tensor::from_primitive::<Flex>(first);
        moments.second = Tensor::from_primitive::<Flex>(second);
        Tensor::from_primitive::<Flex>(parameter)
    }

    /// The same of Burn's own operations.
    fn composed<const D: usize>(
        &self,
        parameter: Tensor<D>,
        gradient: Tensor<D>,
        moments: &mut Moments,
    ) -> Tensor<D> {
        let shape = parameter.dims();
        let gradient = gradient * self.gradient + parameter.clone() * self.decay;
        let gradient: Tensor<1> = gradient.reshape([-1]);
        let mean =
            |old: &Tensor<1>, new: Tensor<1>, beta: f32| old.clone() * beta + new * (1.0 - beta);
        moments.first = mean(&moments.first, gradient.clone(), self.beta_1);
        moments.second = mean(&moments.second, gradient.square(), self.beta_2);
        let scale = moments.second.clone().sqrt() * self.second + self.epsilon;
        let step = moments.first.clone() / scale * self.step;
        parameter - step.reshape(shape)
    }
}

/// The sum of squares, in double precision and in an order that depends on the size alone.
pub fn sum_of_squares<const D: usize>(x: Tensor<D>) -> f64 {
    if !flex::takes(&x) {
        let sum = x.square().sum().into_data();
        return sum.iter::<f64>().sum();
    }
    let x = primitive(x);
    let square = |&value: &f32| f64::from(value) * f64::from(value);
    let parts: Vec<f64> = x
        .storage::<f32>()
        .par_chunks(PART)
        .map(|part| part.iter().map(square).sum())
        .collect();
    parts.iter().sum()
}

fn primitive<const D: usize>(x: Tensor<D>) -> FlexTensor {
    let x = x.inner().try_into_primitive::<Flex>();
    flex::contiguous(x.expect("the device of the tensor is flex"))
}

struct Update<'a> {
    rates: Rates,
    parameter: &'a mut [f32],
    gradient: &'a [f32],
    first: &'a mut [f32],
    second: &'a mut [f32],
}

impl WithSimd for Update<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let r = self.rates;
        let moments = self.first.iter_mut().zip(self.second);
        let values = self.parameter.iter_mut().zip(self.gradient).zip(moments);
        for ((parameter, gradient), (first, second)) in values {
            let gradient = gradient * r.gradient + *parameter * r.decay;
            *first = *first * r.beta_1 + gradient * (1.0 - r.beta_1);
            *second = *second * r.beta_2 + gradient * gradient * (1.0 - r.beta_2);
            *parameter -= *first / (second.sqrt() * r.second + r.epsilon) * r.step;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_close, bits_on, tensor, values};
    use burn::tensor::Device;

    const RATES: Rates = Rates {
        gradient: 0.7,
        decay: 0.1,
        beta_1: 0.9,
        beta_2: 0.99,
        step: 0.05,
        second: 3.0,
        epsilon: 1e-8,
    };

    type Step = fn(&Rates, Tensor<2>, Tensor<2>, &mut Moments) -> Tensor<2>;

    /// Parameter and moments after three steps.
    fn steps(step: Step, shape: [usize; 2]) -> [Vec<f32>; 3] {
        let device = Device::flex();
        let count = shape[0] * shape[1];
        let mut moments = Moments {
            first: Tensor::zeros([count], &device),
            second: Tensor::zeros([count], &device),
        };
        let mut parameter = tensor(shape, 1.0, &device);
        let transposed: Tensor<2> = tensor([shape[1], shape[0]], 2.0, &device);
        for _ in 0..3 {
            let gradient = transposed.clone().transpose();
            parameter = step(&RATES, parameter, gradient, &mut moments);
        }
        [parameter.reshape([-1]), moments.first, moments.second].map(values::<1>)
    }

    #[test]
    fn every_size_agrees_with_the_composed_step() {
        for shape in [[1, 1], [3, 7], [129, 257]] {
            let (found, expected) = (steps(Rates::update, shape), steps(Rates::composed, shape));
            for (found, expected) in found.iter().zip(&expected) {
                assert_close(found, expected, 1e-6);
            }
        }
    }

    #[test]
    fn the_number_of_threads_does_not_change_a_bit() {
        let run = || steps(Rates::update, [301, 203]).concat();
        assert_eq!(bits_on(1, run), bits_on(2, run));
        let sum = || vec![sum_of_squares(tensor([100_003], 1.0, &Device::flex())) as f32];
        assert_eq!(bits_on(1, sum), bits_on(2, sum));
    }

    #[test]
    fn a_parameter_in_use_elsewhere_is_not_changed() {
        let device = Device::flex();
        let parameter = tensor([50], 1.0, &device);
        let before = values(parameter.clone());
        let mut moments = Moments {
            first: Tensor::zeros([50], &device),
            second: Tensor::zeros([50], &device),
        };
        let gradient = tensor([50], 3.0, &device);
        let after = RATES.update(parameter.clone(), gradient, &mut moments);
        assert_eq!(values(parameter), before);
        assert_ne!(values(after), before);
    }
}
