//! A file with the reference's weights, inputs and outputs, and the network implied by their
//! shapes.

use std::collections::BTreeMap;

use burn::tensor::{Device, Tensor, TensorData};

use super::Tensors;
use super::reference_names::{from_reference, reference_name};
use super::reference_sizes::reference_sizes;
use super::tensors::Tensor as StoredTensor;
use crate::operator::{FilmFno, FilmFnoConfig, Weight, weights, with_weights};
use crate::{Error, Result};

/// Inputs of one evaluation.
pub struct Sample {
    w: Tensor<4>,
    pub tau: Option<Tensor<1>>,
    condition: Tensor<4>,
    /// Points per axis.
    shape: Vec<usize>,
}

impl Sample {
    pub fn evaluate(&self, network: &FilmFno) -> Result<Tensor<4>> {
        let context = network.condition(self.condition.clone(), &self.shape)?;
        match &self.tau {
            Some(tau) => network.velocity(self.w.clone(), tau.clone(), &context),
            None => network.predict(self.w.clone(), &context),
        }
    }
}

/// The tensors of a file that have not been taken yet.
pub struct Fixture {
    tensors: BTreeMap<String, Weight>,
}

impl Fixture {
    pub fn new(tensors: &Tensors) -> Self {
        let named = tensors.iter().map(|(name, t)| (name.to_owned(), t));
        Self::of(named)
    }

    /// Weights alone: the tensors whose names start with this prefix, without it.
    pub fn with_prefix(tensors: &Tensors, prefix: &str) -> Self {
        let named = tensors.iter().filter_map(|(name, tensor)| {
            let name = name.strip_prefix(prefix)?;
            Some((format!("weight.{name}"), tensor))
        });
        Self::of(named)
    }

    fn of<'a>(tensors: impl Iterator<Item = (String, &'a StoredTensor)>) -> Self {
        let weight = |(name, tensor): (String, &StoredTensor)| {
            // f32 is what the network computes in, and what the reference stored.
            let values = tensor.values.iter().map(|&v| v as f32).collect();
            let weight = Weight {
                name: name.clone(),
                shape: tensor.shape.clone(),
                values,
            };
            (name, weight)
        };
        Self {
            tensors: tensors.map(weight).collect(),
        }
    }

    pub fn take(&mut self, name: &str) -> Result<Weight> {
        let missing = || Error::MissingTensor { name: name.into() };
        self.tensors.remove(name).ok_or_else(missing)
    }

    /// The configuration that the shapes of the tensors imply.
    pub fn config(&self) -> Result<FilmFnoConfig> {
        reference_sizes(|name| {
            let tensor = self.tensors.get(&format!("weight.{name}"))?;
            Some(tensor.shape.as_slice())
        })
    }

    /// Number of values in all tensors.
    pub fn values(&self) -> usize {
        self.tensors
            .values()
            .map(|tensor| tensor.values.len())
            .sum()
    }

    /// The weights of a network of these sizes, in our layout.
    pub fn weights(&mut self, sizes: &FilmFnoConfig, device: &Device) -> Result<Vec<Weight>> {
        let ours = weights(&FilmFno::new(sizes, 0, device)?)?;
        self.in_our_layout("weight", &ours)
    }

    pub fn network(&mut self, device: &Device) -> Result<FilmFno> {
        let config = self.config()?;
        let loaded = self.weights(&config, device)?;
        with_weights(FilmFno::new(&config, 0, device)?, loaded)
    }

    /// The reference's `kind`, weight or gradient, of every parameter.
    pub fn in_our_layout(&mut self, kind: &str, ours: &[Weight]) -> Result<Vec<Weight>> {
        ours.iter()
            .map(|ours| {
                let unknown = || Error::UnknownTensor {
                    name: ours.name.clone(),
                };
                let name = reference_name(&ours.name).ok_or_else(unknown)?;
                from_reference(ours, self.take(&format!("{kind}.{name}"))?)
            })
            .collect()
    }

    pub fn sample(&mut self, prefix: &str, device: &Device) -> Result<Sample> {
        let name = format!("{prefix}.condition");
        let stored = self.tensors.get(&name).map(|tensor| &tensor.shape[..]);
        let shape = stored.and_then(|shape| shape.get(2..)).unwrap_or_default();
        let shape = shape.to_vec();
        let mut condition = vec![self.field(&name, device)?];
        let low = format!("{prefix}.low");
        if self.tensors.contains_key(&low) {
            let field = self.field(&low, device)?;
            let one = |field: &Tensor<4>| field.clone().narrow(1, 0, 1);
            same_shape(&low, &one(&field), &one(&condition[0]))?;
            condition.push(field);
        }
        let tau = self.take(&format!("{prefix}.tau")).ok();
        let tensor = |tau: Weight| {
            let count = tau.values.len();
            Tensor::from_data(TensorData::new(tau.values, [count]), device)
        };
        Ok(Sample {
            w: self.field(&format!("{prefix}.w"), device)?,
            tau: tau.map(tensor),
            condition: Tensor::cat(condition, 1),
            shape,
        })
    }

    /// [batch, channel, x], [batch, channel, y, x] or [batch, channel, z, y, x]
    /// -> [batch, channel, row, x].
    pub fn field(&mut self, name: &str, device: &Device) -> Result<Tensor<4>> {
        let Weight {
            name,
            shape,
            values,
        } = self.take(name)?;
        let shape = match shape[..] {
            _ if shape.contains(&0) => return Err(unusable(name, shape)),
            [batch, channels, x] => [batch, channels, 1, x],
            [batch, channels, y, x] => [batch, channels, y, x],
            [batch, channels, z, y, x] => [batch, channels, z * y, x],
            _ => return Err(unusable(name, shape)),
        };
        Ok(Tensor::from_data(TensorData::new(values, shape), device))
    }

    /// An error if a tensor of the file has not been taken.
    pub fn finish(self) -> Result<()> {
        match self.tensors.into_keys().next() {
            Some(name) => Err(Error::UnknownTensor { name }),
            None => Ok(()),
        }
    }
}

/// An error unless two fields have the same shape.
pub fn same_shape(name: &str, found: &Tensor<4>, other: &Tensor<4>) -> Result<()> {
    if found.dims() == other.dims() {
        return Ok(());
    }
    Err(Error::tensor_shape(
        name,
        found.dims(),
        format!("{:?}", other.dims()),
    ))
}

fn unusable(name: String, found: Vec<usize>) -> Error {
    let expected = "[batch, channel, x], [batch, channel, y, x] or [batch, channel, z, y, x], none of them \
                    0";
    Error::tensor_shape(name, found, expected)
}
