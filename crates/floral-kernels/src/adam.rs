//! Adam with L2 weight decay and clipping by the norm of the whole gradient.

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::tensor::{Device, Gradients, Tensor};

use crate::adam_update::{Moments, Rates, sum_of_squares};

/// The constants of Adam; Kingma & Ba (2015), algorithm 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdamConfig {
    /// Decay of the mean of gradients.
    pub beta_1: f32,
    /// Decay of the mean of their squares.
    pub beta_2: f32,
    /// Added to the root of the mean square.
    pub epsilon: f32,
    /// L2 penalty: this multiple of a parameter joins its gradient.
    pub weight_decay: f32,
    /// A gradient of larger norm, over all parameters together, is scaled down to it.
    pub clip_norm: Option<f32>,
}

impl Default for AdamConfig {
    fn default() -> Self {
        Self {
            beta_1: 0.9,
            beta_2: 0.999,
            epsilon: 1e-8,
            weight_decay: 1e-4,
            clip_norm: Some(1.0),
        }
    }
}

/// What Adam remembers between steps, as plain numbers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AdamState {
    /// Steps taken.
    pub steps: u32,
    /// Mean of gradients and of their squares, of each parameter in the module's order.
    pub moments: Vec<[Vec<f32>; 2]>,
}

/// The optimiser of one module.
#[derive(Debug, Clone)]
pub struct Adam {
    config: AdamConfig,
    steps: u32,
    moments: Vec<Moments>,
}

impl Adam {
    /// An optimiser that has taken no step.
    pub fn new(config: AdamConfig) -> Self {
        Self {
            config,
            steps: 0,
            moments: Vec::new(),
        }
    }

    /// An optimiser that goes on where another stopped.
    pub fn resume(config: AdamConfig, state: AdamState, device: &Device) -> Self {
        let device = device.clone().inner();
        let tensor = |values: Vec<f32>| Tensor::from_floats(values.as_slice(), &device);
        let moments = state.moments.into_iter().map(|[first, second]| Moments {
            first: tensor(first),
            second: tensor(second),
        });
        Self {
            config,
            steps: state.steps,
            moments: moments.collect(),
        }
    }

    /// All that [`resume`](Self::resume) needs.
    pub fn state(&self) -> AdamState {
        let values = |tensor: &Tensor<1>| tensor.to_data().iter::<f32>().collect();
        let moments = self.moments.iter();
        AdamState {
            steps: self.steps,
            moments: moments
                .map(|m| [values(&m.first), values(&m.second)])
                .collect(),
        }
    }

    /// The module after one step, and the norm of the gradient before clipping.
    ///
    /// A norm that is not finite leaves module and optimiser as they are. Parameters the loss
    /// does not depend on keep their values.
    pub fn step<M: Module>(
        &mut self,
        module: M,
        gradients: &Gradients,
        learning_rate: f64,
    ) -> (M, f64) {
        let mut norm = Norm {
            gradients,
            sum: 0.0,
        };
        module.visit(&mut norm);
        let norm = norm.sum.sqrt();
        if !norm.is_finite() {
            return (module, norm);
        }
        self.steps += 1;
        let mut stepper = Stepper {
            rates: self.rates(norm, learning_rate),
            gradients,
            moments: &mut self.moments,
            position: 0,
        };
        (module.map(&mut stepper), norm)
    }

    fn rates(&self, norm: f64, learning_rate: f64) -> Rates {
        let config = &self.config;
        let bias = |beta: f32| 1.0 - f64::from(beta).powf(f64::from(self.steps));
        // A norm of exactly zero would divide by zero.
        let clip = |largest: f32| (f64::from(largest) / norm.max(f64::MIN_POSITIVE)).min(1.0);
        Rates {
            gradient: config.clip_norm.map_or(1.0, clip) as f32,
            decay: config.weight_decay,
            beta_1: config.beta_1,
            beta_2: config.beta_2,
            step: (learning_rate / bias(config.beta_1)) as f32,
            second: (1.0 / bias(config.beta_2).sqrt()) as f32,
            epsilon: config.epsilon,
        }
    }
}

struct Norm<'a> {
    gradients: &'a Gradients,
    sum: f64,
}

impl ModuleVisitor for Norm<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let gradient = param.val().grad(self.gradients);
        self.sum += gradient.map_or(0.0, sum_of_squares);
    }
}

struct Stepper<'a> {
    rates: Rates,
    gradients: &'a Gradients,
    moments: &'a mut Vec<Moments>,
    position: usize,
}

impl Stepper<'_> {
    /// The moments of the parameter at hand; zero before the first step.
    fn moments<const D: usize>(&mut self, parameter: &Tensor<D>) -> &mut Moments {
        if self.position == self.moments.len() {
            let zeros = || {
                Tensor::zeros(
                    [parameter.shape().num_elements()],
                    &parameter.device().inner(),
                )
            };
            self.moments.push(Moments {
                first: zeros(),
                second: zeros(),
            });
        }
        self.position += 1;
        &mut self.moments[self.position - 1]
    }
}

impl ModuleMapper for Stepper<'_> {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let rates = self.rates;
        let gradient = param.val().grad(self.gradients);
        let moments = self.moments(&param.val());
        let Some(gradient) = gradient else {
            return param;
        };
        param.map(|tensor| {
            let updated = rates.update(tensor.inner(), gradient, moments);
            Tensor::from_inner(updated).require_grad()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_close, tensor, values};
    use burn::nn::Linear;
    use burn::optim::{AdamConfig as BurnAdamConfig, GradientsParams};

    fn layer() -> Linear {
        let device = Device::flex().autodiff();
        Linear {
            weight: Param::from_tensor(tensor([5, 3], 1.0, &device)),
            bias: Some(Param::from_tensor(tensor([3], 1.0, &device))),
        }
    }

    fn gradients(layer: &Linear, scale: f32) -> Gradients {
        let x = tensor([7, 5], 1.0, &Device::flex().autodiff());
        (layer.forward(x).square().sum() * scale).backward()
    }

    fn parameters(layer: &Linear) -> Vec<f32> {
        let bias = layer.bias.as_ref().unwrap().val();
        [values(layer.weight.val()), values(bias)].concat()
    }

    #[test]
    fn unclipped_steps_agree_with_those_of_burn() {
        let config = AdamConfig {
            clip_norm: None,
            weight_decay: 0.1,
            ..Default::default()
        };
        let mut ours = (layer(), Adam::new(config));
        let decay = burn::optim::decay::WeightDecayConfig::new(0.1);
        let theirs = BurnAdamConfig::new().with_epsilon(1e-8).with_beta_2(0.999);
        let mut optimizer = theirs.with_weight_decay(Some(decay)).init();
        let mut expected = layer();
        for _ in 0..5 {
            let found = gradients(&ours.0, 1.0);
            ours.0 = ours.1.step(ours.0, &found, 0.01).0;
            let found = GradientsParams::from_grads(gradients(&expected, 1.0), &expected);
            expected = optimizer.step(0.01, expected, found);
        }
        assert_close(&parameters(&ours.0), &parameters(&expected), 1e-5);
    }

    #[test]
    fn a_clipped_gradient_acts_as_one_of_that_norm() {
        let clipped = AdamConfig {
            weight_decay: 0.0,
            epsilon: 1.0,
            ..Default::default()
        };
        let layer = layer();
        let (_, norm) = Adam::new(clipped).step(layer.clone(), &gradients(&layer, 1.0), 0.1);
        assert!(norm > 1.0);
        let (found, _) = Adam::new(clipped).step(layer.clone(), &gradients(&layer, 50.0), 0.1);
        let unclipped = AdamConfig {
            clip_norm: None,
            ..clipped
        };
        let unit = gradients(&layer, 1.0 / norm as f32);
        let (expected, _) = Adam::new(unclipped).step(layer.clone(), &unit, 0.1);
        assert_close(&parameters(&found), &parameters(&expected), 1e-5);
    }

    #[test]
    fn a_resumed_optimiser_takes_the_same_steps() {
        let mut adam = Adam::new(AdamConfig::default());
        let start = layer();
        let (one, _) = adam.step(start.clone(), &gradients(&start, 1.0), 0.1);
        let mut resumed = Adam::resume(AdamConfig::default(), adam.state(), &Device::flex());
        let (a, _) = adam.step(one.clone(), &gradients(&one, 1.0), 0.1);
        let (b, _) = resumed.step(one.clone(), &gradients(&one, 1.0), 0.1);
        assert_eq!(parameters(&a), parameters(&b));
        assert_eq!(adam.state(), resumed.state());
    }

    #[test]
    fn a_gradient_that_is_not_finite_changes_nothing() {
        let mut adam = Adam::new(AdamConfig::default());
        let start = layer();
        let (after, norm) = adam.step(start.clone(), &gradients(&start, f32::NAN), 0.1);
        assert!(norm.is_nan());
        assert_eq!(parameters(&after), parameters(&start));
        assert_eq!(adam.state(), AdamState::default());
    }
}
