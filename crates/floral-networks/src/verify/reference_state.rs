//! The state of a network of the reference implementation: its sizes and its weights in our layout.

use std::path::Path;

use burn::tensor::Device;

use super::Tensors;
use super::network_fixture::Fixture;
use super::reference_sizes::{FREQUENCIES, SPECTRAL};
use crate::operator::time_embedding::frequencies;
use crate::operator::{FilmFnoConfig, Weight};
use crate::{Error, Result};
use floral_flow::cost::memory::parameters;

/// Largest relative difference between frequencies of time embeddings that count as equal in single
/// precision.
const SAME_FREQUENCY: f64 = 1e-4;

/// A network of the reference.
#[derive(Debug, Clone)]
pub struct ReferenceState {
    /// Its sizes.
    pub sizes: FilmFnoConfig,
    /// Its weights, under our names and in our layout.
    pub weights: Vec<Weight>,
}

impl ReferenceState {
    /// Reads the weights of a safetensors file: the tensors with the reference's names, after any
    /// common prefix. A complex tensor is stored as such, or as two tensors ending in `.re` and
    /// `.im`.
    pub fn read(path: &Path) -> Result<Self> {
        let tensors = Tensors::read(path)?;
        // Files of reference numbers contain gradients under the same names.
        let mut names = tensors.names().filter(|name| !name.starts_with("grad."));
        let landmark = names.find_map(|name| name.strip_suffix(SPECTRAL));
        let Some(prefix) = landmark.map(str::to_owned) else {
            return Err(tensors.damaged(format!(
                "holds no state of the reference implementation (found {}): a tensor that ends in \
                 {SPECTRAL} is missing",
                tensors.listing()
            )));
        };
        Self::of(&tensors, &prefix).map_err(Error::in_file(path))
    }

    fn of(tensors: &Tensors, prefix: &str) -> Result<Self> {
        let mut fixture = Fixture::with_prefix(tensors, prefix);
        let sizes = fixture.config()?;
        // Guards against allocating a network larger than the file.
        let (needed, found) = (parameters(&sizes), fixture.values());
        if needed > found as f64 {
            return Err(Error::config(
                "state",
                format!(
                    "its shapes are those of a network of {needed} weights, but it has {found}"
                ),
            ));
        }
        let weights = fixture.weights(&sizes, &Device::flex())?;
        if let Some(weight) = weights
            .iter()
            .find(|w| w.values.iter().any(|v| !v.is_finite()))
        {
            return Err(Error::numerical(
                format!("tensor {} has a value that is not finite", weight.name),
                "use the state of another epoch",
            ));
        }
        if sizes.time {
            check_frequencies(&fixture.take(&format!("weight.{FREQUENCIES}"))?)?;
        }
        fixture.finish()?;
        Ok(Self { sizes, weights })
    }
}

/// Refuses a time embedding with frequencies other than ours.
fn check_frequencies(theirs: &Weight) -> Result<()> {
    let ours = frequencies();
    let near = |(a, b): (&f32, &f32)| f64::from((a - b).abs()) <= SAME_FREQUENCY * f64::from(*b);
    if theirs.values.len() == ours.len() && theirs.values.iter().zip(&ours).all(near) {
        return Ok(());
    }
    Err(Error::config(
        FREQUENCIES,
        format!(
            "the state embeds time by the frequencies {:?}, this build by {ours:?}",
            theirs.values
        ),
    ))
}
