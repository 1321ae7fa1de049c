//! GELU and SiLU, whose backward passes need the input alone.

use std::f64::consts::FRAC_1_SQRT_2;

use burn::backend::autodiff::checkpoint::{base::Checkpointer, strategy::CheckpointStrategy};
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::flex::FlexTensor;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Dispatch, Flex, backend_extension};
use burn::tensor::{Tensor, activation};
use rayon::prelude::*;

use crate::buffer::zeros;
use crate::curve::{Both, Slopes, Values};
use crate::flex;
use crate::gelu::Gelu;
use crate::silu::Silu;
use crate::simd::run;

/// x Phi(x), with Phi the normal distribution function. x: any shape -> same shape.
///
/// |error| < 1e-6 for every x; infinities and NaN give what their limits give.
pub fn gelu<const D: usize>(x: Tensor<D>) -> Tensor<D> {
    Activation::Gelu.forward(x)
}

/// x / (1 + e^-x). x: any shape -> same shape.
///
/// |error| < 1e-6 for every x; infinities and NaN give what their limits give.
pub fn silu<const D: usize>(x: Tensor<D>) -> Tensor<D> {
    Activation::Silu.forward(x)
}

/// An activation by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// x times the normal distribution function.
    Gelu,
    /// x times the logistic function.
    Silu,
}

impl Activation {
    /// x: any shape -> same shape.
    pub fn forward<const D: usize>(self, x: Tensor<D>) -> Tensor<D> {
        if flex::takes(&x) {
            let y = <Dispatch as ActivationKernel>::activate(x.into_dispatch(), self);
            return Tensor::from_dispatch(y);
        }
        self.composed(x)
    }

    /// The same, composed of Burn's operations.
    pub(crate) fn composed<const D: usize>(self, x: Tensor<D>) -> Tensor<D> {
        let differentiated = x.device().is_autodiff();
        match self {
            Self::Gelu if differentiated => differentiable_gelu(x),
            Self::Gelu => activation::gelu(x),
            Self::Silu => activation::silu(x),
        }
    }

    /// x -> f(x), in place.
    pub(crate) fn values(self, x: &mut [f32]) {
        match self {
            Self::Gelu => run(Values::<Gelu>::new(x)),
            Self::Silu => run(Values::<Silu>::new(x)),
        }
    }

    /// gradient -> gradient f'(x), in place.
    pub(crate) fn slopes(self, x: &[f32], gradient: &mut [f32]) {
        match self {
            Self::Gelu => run(Slopes::<Gelu>::new(x, gradient)),
            Self::Silu => run(Slopes::<Silu>::new(x, gradient)),
        }
    }

    /// x -> f(x), in place, and f'(x) into `slope`.
    pub(crate) fn both(self, x: &mut [f32], slope: &mut [f32]) {
        match self {
            Self::Gelu => run(Both::<Gelu>::new(x, slope)),
            Self::Silu => run(Both::<Silu>::new(x, slope)),
        }
    }
}

/// GELU by its definition. Burn's own GELU is one operation that keeps less, but on most backends
/// its slope is that of the tanh approximation, wrong by up to 5e-4.
fn differentiable_gelu<const D: usize>(x: Tensor<D>) -> Tensor<D> {
    let normal = (x.clone() * FRAC_1_SQRT_2).erf() * 0.5 + 0.5;
    x * normal
}

/// Elements per task: 64 KB, a fair share of a second-level cache.
const PART: usize = 1 << 14;

#[backend_extension(Flex, Autodiff)]
pub(crate) trait ActivationKernel: Backend {
    fn activate(x: FloatTensor<Self>, activation: Activation) -> FloatTensor<Self>;
}

impl ActivationKernel for Flex {
    fn activate(x: FlexTensor, activation: Activation) -> FlexTensor {
        let mut x = flex::contiguous(x);
        if let Some(values) = x.try_storage_mut::<f32>() {
            let parts = values.par_chunks_mut(PART);
            parts.for_each(|part| activation.values(part));
            return x;
        }
        let source = x.storage::<f32>();
        let mut values = zeros(source.len());
        let parts = values.par_chunks_mut(PART).zip(source.par_chunks(PART));
        parts.for_each(|(part, source)| {
            part.copy_from_slice(source);
            activation.values(part);
        });
        flex::tensor_like(values, &x)
    }
}

impl<C: CheckpointStrategy> ActivationKernel for Autodiff<Flex, C> {
    fn activate(x: FloatTensor<Self>, activation: Activation) -> FloatTensor<Self> {
        let step = ActivationBackward(activation);
        match step.prepare::<C>([x.node()]).compute_bound().stateful() {
            OpsKind::Tracked(prep) => {
                let x = flex::contiguous(x.into_primitive());
                prep.finish(x.clone(), Flex::activate(x, activation))
            }
            OpsKind::UnTracked(prep) => prep.finish(Flex::activate(x.into_primitive(), activation)),
        }
    }
}

#[derive(Debug)]
struct ActivationBackward(Activation);

impl Backward<Flex, 1> for ActivationBackward {
    /// The input, contiguous.
    type State = FlexTensor;

    fn backward(self, ops: Ops<FlexTensor, 1>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let gradient = gradients.consume::<Flex>(&ops.node);
        let [Some(parent)] = ops.parents else {
            return;
        };
        let mut gradient = flex::contiguous(gradient);
        let x = ops.state.storage::<f32>().par_chunks(PART);
        let parts = gradient.storage_mut::<f32>().par_chunks_mut(PART).zip(x);
        parts.for_each(|(gradient, x)| self.0.slopes(x, gradient));
        gradients.register::<Flex>(parent.id, gradient);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::{Curve, value_and_slope};
    use crate::testing::{assert_close, bits_on, tensor, values};
    use burn::tensor::Device;

    const BOTH: [Activation; 2] = [Activation::Gelu, Activation::Silu];

    /// Value and derivative in double precision.
    fn reference(activation: Activation, x: f64) -> [f64; 2] {
        match activation {
            Activation::Gelu => {
                let distribution = 0.5 * erfc(-x / 2f64.sqrt());
                let density = (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt();
                [x * distribution, distribution + x * density]
            }
            Activation::Silu => {
                let logistic = 1.0 / (1.0 + (-x).exp());
                [x * logistic, logistic * (1.0 + x * (1.0 - logistic))]
            }
        }
    }

    /// erfc by the series of erf near zero and by its continued fraction beyond.
    fn erfc(x: f64) -> f64 {
        let t = x.abs();
        let tail = if t < 2.5 {
            let (mut term, mut sum) = (t, t);
            for n in 1..60 {
                term *= -t * t / f64::from(n);
                sum += term / f64::from(2 * n + 1);
            }
            1.0 - sum * std::f64::consts::FRAC_2_SQRT_PI
        } else {
            let fraction = (1..80).rev().fold(t, |f, n| t + f64::from(n) / 2.0 / f);
            (-t * t).exp() / fraction / std::f64::consts::PI.sqrt()
        };
        if x < 0.0 { 2.0 - tail } else { tail }
    }

    fn sweep() -> Vec<f32> {
        let dense = (-2_000_000..=2_000_000).map(|i| i as f32 * 1e-5);
        let sizes = (-149..=127).flat_map(|e| [2f32.powi(e), -1.7 * 2f32.powi(e)]);
        let edges = [
            0.0,
            -0.0,
            13.0,
            -13.0,
            87.0,
            -87.0,
            88.7,
            -88.7,
            f32::MAX,
            f32::MIN,
        ];
        dense.chain(sizes).chain(edges).collect()
    }

    fn error_of<C: Curve, const FUSED: bool>(activation: Activation, x: f32) -> f64 {
        let (value, slope) = value_and_slope::<C, FUSED>(x);
        let [exact_value, exact_slope] = reference(activation, f64::from(x));
        let alone = crate::curve::value::<C, FUSED>(x);
        let error = |found: f32| (f64::from(found) - exact_value).abs();
        let value_error = error(value).max(error(alone));
        value_error.max((f64::from(slope) - exact_slope).abs())
    }

    #[test]
    fn value_and_slope_are_right_to_1e6_everywhere() {
        for x in sweep() {
            let errors = [
                error_of::<Gelu, true>(Activation::Gelu, x),
                error_of::<Gelu, false>(Activation::Gelu, x),
                error_of::<Silu, true>(Activation::Silu, x),
                error_of::<Silu, false>(Activation::Silu, x),
            ];
            assert!(errors.iter().all(|&e| e < 1e-6), "{errors:?} at {x}");
        }
    }

    #[test]
    fn slices_hold_what_single_numbers_give() {
        let x = sweep();
        for activation in BOTH {
            let (mut found, mut slope) = (x.clone(), vec![0.0; x.len()]);
            activation.both(&mut found, &mut slope);
            let mut gradient = vec![1.0; x.len()];
            activation.slopes(&x, &mut gradient);
            assert_eq!(gradient, slope);
            for ((x, y), slope) in x.iter().zip(found).zip(slope) {
                let exact = reference(activation, f64::from(*x));
                assert!((f64::from(y) - exact[0]).abs() < 1e-6, "{y} at {x}");
                assert!((f64::from(slope) - exact[1]).abs() < 1e-6, "{slope} at {x}");
            }
        }
    }

    #[test]
    fn infinities_give_their_limits_and_nan_stays() {
        for activation in BOTH {
            let mut x = [f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
            let mut slope = [0.0; 3];
            activation.both(&mut x, &mut slope);
            assert_eq!(x[0], f32::INFINITY);
            assert!(x[1].abs() < 1e-30 && slope[1].abs() < 1e-30);
            assert_eq!(slope[0], 1.0);
            assert!(x[2].is_nan() && slope[2].is_nan());
        }
    }

    #[test]
    fn a_negative_zero_stays_negative() {
        let mut x = [-0.0, 0.0];
        Activation::Gelu.values(&mut x);
        assert!(x[0].is_sign_negative() && x[1].is_sign_positive());
    }

    /// Value and gradient of sum w f(x), with weights that differ from element to element.
    fn differentiate<const D: usize>(
        x: Tensor<D>,
        apply: impl Fn(Tensor<D>) -> Tensor<D>,
    ) -> [Vec<f32>; 2] {
        let x = x.require_grad();
        let y = apply(x.clone());
        let weight = tensor(y.dims(), 1.0, &x.device());
        let gradients = (y.clone() * weight).sum().backward();
        [values(y), values(x.grad(&gradients).unwrap())]
    }

    #[test]
    fn every_shape_agrees_with_the_composed_operation() {
        let device = Device::flex().autodiff();
        for activation in BOTH {
            for shape in [[1, 1, 1], [1, 1, 7], [3, 5, 33], [2, 131, 129]] {
                let x = tensor(shape, 6.0, &device);
                let found = differentiate(x.clone(), |x| activation.forward(x));
                let expected = differentiate(x, |x| activation.composed(x));
                // Relative to the largest value, which may itself be small; absolute errors are
                // tested above.
                assert_close(&found[0], &expected[0], 5e-6);
                assert_close(&found[1], &expected[1], 1e-6);
            }
        }
    }

    #[test]
    fn views_agree_with_the_composed_operation() {
        let device = Device::flex().autodiff();
        type View = fn(Tensor<3>) -> Tensor<3>;
        let views: [View; 4] = [
            |x| x.permute([2, 0, 1]),
            |x| x.narrow(1, 1, 2),
            |x| x.narrow(0, 0, 1).expand([3, 4, 5]),
            |x| x.flip([0, 2]),
        ];
        for activation in BOTH {
            for view in views {
                let x = tensor([3, 4, 5], 4.0, &device);
                let found = differentiate(x.clone(), |x| activation.forward(view(x)));
                let expected = differentiate(x, |x| activation.composed(view(x)));
                assert_close(&found[0], &expected[0], 1e-6);
                assert_close(&found[1], &expected[1], 1e-6);
            }
        }
    }

    #[test]
    fn a_tensor_in_use_elsewhere_is_not_changed() {
        let x = tensor([100], 3.0, &Device::flex());
        let before = values(x.clone());
        let y = gelu(x.clone());
        assert_eq!(values(x), before);
        assert_ne!(values(y), before);
    }

    #[test]
    fn the_number_of_threads_does_not_change_a_bit() {
        for activation in BOTH {
            let run = move || {
                let x = tensor([100_003], 5.0, &Device::flex().autodiff());
                differentiate(x, |x| activation.forward(x)).concat()
            };
            assert_eq!(bits_on(1, run), bits_on(2, run));
        }
    }

    #[test]
    fn double_precision_and_empty_tensors_are_served() {
        let device = Device::flex();
        let x = tensor([9], 3.0, &device).cast(burn::tensor::DType::F64);
        let y: Vec<f64> = gelu(x).into_data().try_into_vec().unwrap();
        assert_eq!(y.len(), 9);
        assert_eq!(silu(tensor([0, 3], 1.0, &device)).dims(), [0, 3]);
    }
}
