//! A trained network with the scales of its channels: evaluation and storage.

use burn::tensor::{Device, Tensor};
use serde::{Deserialize, Serialize};

use super::failed;
use crate::device::read;
use crate::kl::{self, Network};
use crate::operator::{FilmFno, FilmFnoConfig, Weight, weights, with_weights};
use crate::training::model::fields;

/// Root mean square of each channel, by which the network's inputs and outputs are scaled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Scales {
    /// Scales of the input fields.
    pub fields: Vec<f32>,
    /// Scales of the returned correction.
    pub correction: Vec<f32>,
}

impl Scales {
    /// fields and targets: [input][channel, point].
    pub(super) fn new(fields: &[Vec<f64>], targets: &[Vec<f64>], points: usize) -> Self {
        Self {
            fields: sizes(fields, points),
            correction: sizes(targets, points),
        }
    }
}

fn sizes(fields: &[Vec<f64>], points: usize) -> Vec<f32> {
    let size = |channel: usize| {
        let own = fields.iter();
        let own = own.flat_map(|f| &f[channel * points..(channel + 1) * points]);
        let (count, sum) = own.fold((0.0, 0.0), |(n, s), v| (n + 1.0, s + v * v));
        let size = (sum / count).sqrt() as f32;
        if size.is_normal() { size } else { 1.0 }
    };
    (0..fields[0].len() / points).map(size).collect()
}

/// A field divided by the scales of its channels: [channel, point].
pub(super) fn measured<'a>(
    field: &'a [f64],
    scales: &'a [f32],
    points: usize,
) -> impl Iterator<Item = f32> + 'a {
    let channels = field.chunks_exact(points).zip(scales);
    channels.flat_map(|(channel, scale)| channel.iter().map(move |v| *v as f32 / scale))
}

/// A network that corrects a prediction.
pub(super) struct Corrector {
    pub network: FilmFno,
    pub scales: Scales,
    /// Points per axis.
    pub shape: Vec<usize>,
}

impl Corrector {
    fn evaluated(&self, values: &[f64]) -> crate::Result<Vec<f32>> {
        let points = self.shape.iter().product();
        let values: Vec<f32> = measured(values, &self.scales.fields, points).collect();
        let channels = self.scales.fields.len();
        let x = fields(values, channels, &self.shape, &Device::flex());
        read(regressed(&self.network, x, &self.shape)?)
    }

    /// Restores a stored network; refuses damaged bytes.
    pub(super) fn from_bytes(bytes: &[u8]) -> kl::Result<Self> {
        let stored: Stored = ciborium::from_reader(bytes).map_err(|e| damaged(e.to_string()))?;
        let Stored {
            sizes: [hidden, layers, film],
            modes,
            shape,
            scales,
            values,
        } = stored;
        let fits = shape.len() == modes.len()
            && shape
                .iter()
                .chain(&modes)
                .all(|n| (1..=LARGEST).contains(n))
            && [hidden, layers, film]
                .iter()
                .all(|n| (1..=LARGEST).contains(n))
            && modes.iter().zip(&shape).all(|(modes, n)| modes <= n);
        if !fits || values.len() > bytes.len() {
            return Err(damaged("its sizes are out of range".into()));
        }
        let config = sized(&scales, modes, [hidden, layers, film]);
        let network = FilmFno::new(&config, 0, &Device::flex()).map_err(failed)?;
        let mut rest = values.as_slice();
        let mut named = weights(&network).map_err(failed)?;
        for weight in &mut named {
            let bytes = rest.split_off(..4 * weight.values.len());
            let bytes = bytes.ok_or_else(|| damaged("weights are missing".into()))?;
            let number = |b: &[u8]| b.try_into().map(f32::from_le_bytes).unwrap_or(f32::NAN);
            weight.values = bytes.chunks_exact(4).map(number).collect();
        }
        let finite = |weight: &Weight| weight.values.iter().all(|v| v.is_finite());
        if !(rest.is_empty() && named.iter().all(finite)) {
            return Err(damaged("its weights are not all finite".into()));
        }
        Ok(Self {
            network: with_weights(network, named).map_err(failed)?,
            scales,
            shape,
        })
    }
}

/// The configuration with these sizes: hidden channels, layers, channels of FiLM.
pub(super) fn sized(scales: &Scales, modes: Vec<usize>, sizes: [usize; 3]) -> FilmFnoConfig {
    let (fed, returned) = (scales.fields.len(), scales.correction.len());
    FilmFnoConfig::new(fed, returned, fed, modes)
        .with_time(false)
        .with_hidden_channels(sizes[0])
        .with_layers(sizes[1])
        .with_film_channels(sizes[2])
}

/// x: [batch, channel, row, x] on a grid of this shape, used as both field and condition
/// -> [batch, output channel, row, x].
pub(super) fn regressed(
    network: &FilmFno,
    x: Tensor<4>,
    shape: &[usize],
) -> crate::Result<Tensor<4>> {
    let context = network.condition(x.clone(), shape)?;
    network.predict(x, &context)
}

impl Network for Corrector {
    fn correct(&self, fields: &[f64]) -> Vec<f64> {
        let points = self.shape.iter().product();
        let values = self
            .evaluated(fields)
            .expect("fields of the network's own shape");
        let channels = values.chunks_exact(points).zip(&self.scales.correction);
        channels
            .flat_map(|(channel, scale)| channel.iter().map(move |v| f64::from(v * scale)))
            .collect()
    }

    fn to_bytes(&self) -> Vec<u8> {
        let config = self.network.config();
        let all = weights(&self.network).expect("weights on the processor");
        let stored = Stored {
            sizes: [config.hidden_channels, config.layers, config.film_channels],
            modes: config.n_modes.clone(),
            shape: self.shape.clone(),
            scales: self.scales.clone(),
            values: (all.iter().flat_map(|w| &w.values))
                .flat_map(|v| v.to_le_bytes())
                .collect(),
        };
        let mut bytes = Vec::new();
        ciborium::into_writer(&stored, &mut bytes).expect("memory takes every byte");
        bytes
    }
}

/// Upper bound on stored sizes, larger than those of any plan.
const LARGEST: usize = 4096;

#[derive(Serialize, Deserialize)]
struct Stored {
    /// Hidden channels, layers, channels of FiLM.
    sizes: [usize; 3],
    modes: Vec<usize>,
    shape: Vec<usize>,
    scales: Scales,
    /// The weights in the network's order, four bytes each.
    values: Vec<u8>,
}

fn damaged(reason: String) -> kl::Error {
    kl::Error::Config {
        context: "a stored network".into(),
        reason: format!("{reason}; train it again"),
    }
}
