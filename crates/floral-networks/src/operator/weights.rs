//! Parameters as a flat list of named arrays, the form in which they are stored and compared.

use std::collections::BTreeMap;

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::tensor::{Gradients, Tensor, TensorData};

use floral_flow::network::Weight;

use crate::device::read;
use crate::{Error, Result};

/// All parameters of a module, in the order of its fields.
pub fn weights<M: Module>(module: &M) -> Result<Vec<Weight>> {
    collect(module, None)
}

/// The gradient of every parameter; zero where the loss does not depend on one.
///
/// Gradients are moved out of `gradients`, so that none is copied.
pub fn gradients<M: Module>(module: &M, gradients: Gradients) -> Result<Vec<Weight>> {
    collect(module, Some(gradients))
}

/// The module with its parameters replaced; the list must name each of them once and no other.
pub fn with_weights<M: Module>(module: M, weights: Vec<Weight>) -> Result<M> {
    let mut loader = Loader::default();
    for weight in weights {
        let name = weight.name.clone();
        if loader.weights.insert(name.clone(), weight).is_some() {
            return Err(Error::UnknownTensor { name });
        }
    }
    let module = module.map(&mut loader);
    match (loader.error, loader.weights.into_keys().next()) {
        (Some(error), _) => Err(error),
        (None, Some(name)) => Err(Error::UnknownTensor { name }),
        (None, None) => Ok(module),
    }
}

fn collect<M: Module>(module: &M, gradients: Option<Gradients>) -> Result<Vec<Weight>> {
    let mut collector = Collector {
        path: Vec::new(),
        gradients,
        weights: Ok(Vec::new()),
    };
    module.visit(&mut collector);
    collector.weights
}

struct Collector {
    path: Vec<String>,
    gradients: Option<Gradients>,
    weights: Result<Vec<Weight>>,
}

impl ModuleVisitor for Collector {
    fn enter_module(&mut self, name: &str, _: &str) {
        self.path.push(name.into());
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.path.pop();
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let Ok(weights) = &mut self.weights else {
            return;
        };
        let value = param.val();
        let tensor = match &mut self.gradients {
            None => value,
            Some(all) => value
                .grad_remove(all)
                .unwrap_or_else(|| value.inner().zeros_like()),
        };
        let shape = tensor.dims().to_vec();
        match read(tensor) {
            Ok(values) => weights.push(Weight {
                name: self.path.join("."),
                shape,
                values,
            }),
            Err(error) => self.weights = Err(error),
        }
    }
}

#[derive(Default)]
struct Loader {
    path: Vec<String>,
    weights: BTreeMap<String, Weight>,
    error: Option<Error>,
}

impl Loader {
    fn take(&mut self, shape: &[usize]) -> Result<Weight> {
        let name = self.path.join(".");
        let Some(weight) = self.weights.remove(&name) else {
            return Err(Error::MissingTensor { name });
        };
        let complete = weight.values.len() == shape.iter().product::<usize>();
        if weight.shape == shape && complete {
            return Ok(weight);
        }
        Err(Error::tensor_shape(
            name,
            weight.shape,
            format!("{shape:?}"),
        ))
    }
}

impl ModuleMapper for Loader {
    fn enter_module(&mut self, name: &str, _: &str) {
        self.path.push(name.into());
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.path.pop();
    }

    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        match self.take(&param.val().dims()) {
            Ok(weight) => param.map(|old| {
                let data = TensorData::new(weight.values, weight.shape);
                let tracked = old.is_require_grad();
                let new = Tensor::from_data(data, &old.device());
                if tracked { new.require_grad() } else { new }
            }),
            Err(error) => {
                // Keep the first error: it causes those that follow.
                self.error.get_or_insert(error);
                param
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operator::{FilmFno, FilmFnoConfig};
    use burn::tensor::Device;

    fn network(seed: u64) -> FilmFno {
        let config = FilmFnoConfig::new(1, 1, 1, vec![4]).with_hidden_channels(3);
        FilmFno::new(&config, seed, &Device::flex()).unwrap()
    }

    #[test]
    fn weights_written_and_read_are_the_same() {
        let original = weights(&network(1)).unwrap();
        let copy = with_weights(network(2), original.clone()).unwrap();
        assert_eq!(weights(&copy).unwrap(), original);
    }

    #[test]
    fn a_missing_an_unknown_or_a_misshapen_weight_is_refused() {
        let complete = weights(&network(1)).unwrap();
        let missing = complete[1..].to_vec();
        let mut unknown = complete.clone();
        unknown.push(Weight {
            name: "layers.9.gate".into(),
            ..complete[0].clone()
        });
        let mut misshapen = complete.clone();
        misshapen[0].shape.push(1);
        for weights in [missing, unknown, misshapen] {
            assert!(with_weights(network(2), weights).is_err());
        }
    }
}
