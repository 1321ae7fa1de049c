//! An expansion as bytes: the regressions' own, and the learned part's headers and weights, in CBOR.

use serde::{Deserialize, Serialize};

use super::learned::Learned;
use super::scales::ChannelScales;
use super::{EnergyScores, Expansion};
use crate::heads::coefficients::LawHeader;
use crate::heads::{Heads, Law, factors};
use crate::operator::{Device, Weight};
use crate::regression::Kriging;
use crate::{Error, Result};

#[derive(Serialize, Deserialize)]
struct Stored {
    kriging: Vec<u8>,
    learned: Option<StoredLearned>,
    energy: Option<EnergyScores>,
    /// None in older checkpoints, which were fitted in the units of the data.
    #[serde(default)]
    scales: ChannelScales,
}

#[derive(Serialize, Deserialize)]
struct StoredLearned {
    heads: factors::Header,
    network: Vec<StoredWeight>,
    law: LawHeader,
    flow: Vec<StoredWeight>,
}

#[derive(Serialize, Deserialize)]
struct StoredWeight {
    name: String,
    shape: Vec<usize>,
    values: Vec<f32>,
}

impl Expansion {
    /// As it is kept in a checkpoint.
    pub fn to_bytes(&self) -> Vec<u8> {
        let learned = self.learned.as_ref().map(|learned| StoredLearned {
            heads: learned.heads.header.clone(),
            network: stored(learned.heads.weights()),
            law: learned.law.header.clone(),
            flow: stored(learned.law.weights()),
        });
        let stored = Stored {
            kriging: self.kriging.to_bytes(),
            learned,
            energy: self.energy,
            scales: self.scales.clone(),
        };
        let mut bytes = Vec::new();
        ciborium::into_writer(&stored, &mut bytes).expect("memory takes any bytes");
        bytes
    }

    /// From what a checkpoint keeps; damaged bytes are refused.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let damaged = |reason: String| Error::Config {
            context: "the fitted regression".into(),
            reason: format!("is damaged ({reason}); fit it again"),
        };
        let stored: Stored =
            ciborium::from_reader(bytes).map_err(|error| damaged(error.to_string()))?;
        let kriging = Kriging::from_bytes(&stored.kriging)?;
        if !stored.scales.fit(kriging.channels()) {
            return Err(damaged("the scales of its channels".into()));
        }
        let learned = stored.learned.map(read).transpose()?;
        Ok(Self {
            kriging,
            learned,
            energy: stored.energy,
            scales: stored.scales,
        })
    }
}

fn read(stored: StoredLearned) -> Result<Learned> {
    let is_whole = |weight: &StoredWeight| {
        let size = weight
            .shape
            .iter()
            .try_fold(1usize, |size, n| size.checked_mul(*n));
        size == Some(weight.values.len())
    };
    if !stored.network.iter().chain(&stored.flow).all(is_whole) {
        return Err(Error::Config {
            context: "the fitted regression".into(),
            reason: "has weights that do not fill their shape; fit it again".into(),
        });
    }
    Ok(Learned {
        heads: Heads::from_parts(stored.heads, weights(stored.network), &Device::flex())?,
        law: Law::from_parts(stored.law, weights(stored.flow))?,
    })
}

fn stored(weights: Vec<Weight>) -> Vec<StoredWeight> {
    let one = |weight: Weight| StoredWeight {
        name: weight.name,
        shape: weight.shape,
        values: weight.values,
    };
    weights.into_iter().map(one).collect()
}

fn weights(stored: Vec<StoredWeight>) -> Vec<Weight> {
    let one = |weight: StoredWeight| Weight {
        name: weight.name,
        shape: weight.shape,
        values: weight.values,
    };
    stored.into_iter().map(one).collect()
}
