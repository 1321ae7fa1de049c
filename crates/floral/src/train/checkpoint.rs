//! Checkpoints: one safetensors file with a [`Header`] and either weights and optimiser state, from
//! which training can continue, or a fitted regression.
//!
//! # The file
//!
//! Prediction needs only `best.safetensors` of a run folder: alone, under any name, it is a model
//! file. Its metadata are three strings: `floral`, the header as JSON (format, version, settings,
//! shapes, grid, scales, transforms, names and units, origin of the data, inputs seen, progress);
//! `adam.steps`; and, from format 3, `checksum`, the BLAKE3 hash of the file with the digits of the
//! checksum itself set to zero.
//!
//! | array | type | |
//! |---|---|---|
//! | `weight.NAME` | f32 | a weight of a network |
//! | `adam.first.NAME`, `adam.second.NAME` | f32 | moments of its gradient |
//! | `average.NAME` | f32 | its running mean if `optimiser.average` is set; used for prediction |
//! | `regression` | u8 | a fitted regression as CBOR, instead of the arrays above |
//!
//! # Guarantees
//!
//! - A build reads every format up to its own, [`FORMAT`]. A newer format is refused by its number.
//! - A new field has a default, so that files without it can be read. An existing field keeps its
//!   name, unit and meaning.
//! - A change of meaning raises the format number, and older files are read with their original
//!   meaning: in format 1, the length of the prior is in the grid's own coordinates; formats 1 and
//!   2 have no checksum and are read with a note.
//! - A file of format 3 whose bytes have changed is refused.
//! - The same file gives the same predictions up to rounding on every machine: numbers are stored
//!   in little-endian order, and nothing depends on paths.
//! - The same checkpoint is written as the same bytes. Its progress has the seconds of training, in
//!   which two equal trainings differ.
//! - Loading executes nothing. JSON, CBOR and arrays of numbers are read, but no code and no
//!   pickle. Sizes are compared with the contents of the file before memory is allocated, and parts
//!   with each other. A low-fidelity command in the settings is never run unless the user asks for
//!   it. A file from an untrusted source can be wrong or slow, but it cannot do anything else.

use std::collections::HashMap;
use std::path::Path;

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde_json::Value;

pub use super::header::{FORMAT, Header, Progress};
pub use super::identity::DataIdentity;
use super::seal;
pub use super::seal::seal;
pub use super::seen::SeenInputs;
use crate::storage::{read_regular, write_atomically};
use crate::{Error, Result};
use floral_flow::network::Weight;
use floral_flow::training::adam::Adam;
use floral_flow::training::average::averaged;

/// The contents of a checkpoint file: header and arrays.
#[derive(Debug, Clone)]
pub struct Checkpoint {
    /// Everything but the arrays.
    pub header: Header,
    /// Weights of the network; empty for a regression.
    pub weights: Vec<Weight>,
    /// State of the optimiser.
    pub adam: Adam,
    /// Running mean of the weights; empty if none is kept.
    pub average: Vec<Vec<f32>>,
    /// A fitted regression as CBOR; empty for a network.
    pub regression: Vec<u8>,
}

const WEIGHT: &str = "weight.";
const FIRST: &str = "adam.first.";
const SECOND: &str = "adam.second.";
const AVERAGE: &str = "average.";
const REGRESSION: &str = "regression";

/// A result whose error says why a file is refused.
type Verdict<T> = std::result::Result<T, String>;

impl Checkpoint {
    /// Writes the file atomically and waits until it has reached the disk. Contents that could not
    /// be read again are refused.
    pub fn write(&self, path: &Path) -> Result<()> {
        let bad = |reason: String| Error::bad_file(path, reason);
        self.is_readable().map_err(|reason| {
            bad(format!(
                "is not written, as what was learned could not be read again ({reason}); look for \
                 extreme values in the data"
            ))
        })?;
        write_atomically(path, &self.to_bytes().map_err(bad)?)
    }

    /// Checks that header and weights would be accepted when read: JSON has no infinities.
    fn is_readable(&self) -> Verdict<()> {
        Header::parse(&self.header.text())?;
        self.weights.iter().try_for_each(check_finite)
    }

    /// The bytes of the file, with checksum.
    fn to_bytes(&self) -> Verdict<Vec<u8>> {
        let metadata = HashMap::from([
            (seal::KEY.to_owned(), seal::blank()),
            ("floral".to_owned(), self.header.text()),
            ("adam.steps".to_owned(), self.adam.steps.to_string()),
        ]);
        let mut views = Vec::new();
        let arrays = self
            .weights
            .iter()
            .zip(self.adam.first.iter().zip(&self.adam.second));
        for (i, (weight, (first, second))) in arrays.enumerate() {
            let parts = [(WEIGHT, &weight.values), (FIRST, first), (SECOND, second)];
            let average = self.average.get(i).map(|values| (AVERAGE, values));
            for (prefix, values) in parts.into_iter().chain(average) {
                let name = format!("{prefix}{}", weight.name);
                views.push((name, weight.shape.clone(), to_bytes(values)));
            }
        }
        let fitted = [(
            REGRESSION,
            Dtype::U8,
            vec![self.regression.len()],
            &self.regression,
        )];
        let fitted = fitted
            .into_iter()
            .filter(|(_, _, _, bytes)| !bytes.is_empty());
        let weights = views
            .iter()
            .map(|(name, shape, bytes)| (name.as_str(), Dtype::F32, shape.clone(), bytes));
        let views = weights.chain(fitted).map(|(name, kind, shape, bytes)| {
            let view = TensorView::new(kind, shape, bytes)
                .expect("as many bytes as the array's shape says");
            (name, view)
        });
        let mut bytes =
            safetensors::serialize(views, Some(metadata)).map_err(|error| error.to_string())?;
        sort_header(&mut bytes)?;
        seal(&mut bytes);
        Ok(bytes)
    }

    /// Weights to predict with: their running mean if one is kept.
    pub fn kept_weights(&self) -> Vec<Weight> {
        if self.average.is_empty() {
            return self.weights.clone();
        }
        averaged(&self.weights, &self.average)
    }

    /// Reads a file; refuses one that is not a checkpoint of this program.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = read_regular(path).map_err(Error::io(path))?;
        Self::parse(&bytes).map_err(|reason| Error::bad_file(path, reason))
    }

    pub(super) fn parse(bytes: &[u8]) -> Verdict<Self> {
        let is_sealed = seal::verify(bytes)?;
        let file = SafeTensors::deserialize(bytes).map_err(broken)?;
        let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(broken)?;
        let metadata = metadata.metadata().clone().unwrap_or_default();
        let header = metadata
            .get("floral")
            .ok_or("a safetensors file, but not a checkpoint of floral")?;
        let steps = metadata
            .get("adam.steps")
            .and_then(|steps| steps.parse().ok());
        let header = Header::parse(header)?;
        if header.has_seal() && !is_sealed {
            return Err(
                "has lost its checksum: it is damaged, or was changed by another \
                        program; use another copy, or train again"
                    .into(),
            );
        }
        let mut checkpoint = Self {
            header,
            weights: Vec::new(),
            adam: Adam {
                steps: steps.ok_or("has no optimiser state")?,
                ..Default::default()
            },
            average: Vec::new(),
            regression: Vec::new(),
        };
        if checkpoint.header.config.method.recipe().is_some() {
            let fitted = file.tensor(REGRESSION).map_err(broken)?;
            checkpoint.regression = fitted.data().to_vec();
            return Ok(checkpoint);
        }
        for name in file.names() {
            if let Some(name) = name.strip_prefix(WEIGHT) {
                checkpoint.take(&file, name)?;
            }
        }
        checkpoint.count()?;
        Ok(checkpoint)
    }

    /// Reads a weight and its moments from the file.
    fn take(&mut self, file: &SafeTensors, name: &str) -> Verdict<()> {
        let weight = array(file, WEIGHT, name)?;
        let moment = |prefix: &str| {
            let moment = array(file, prefix, name)?;
            if moment.shape() == weight.shape() {
                return Ok(from_bytes(moment.data()));
            }
            Err(format!(
                "{prefix}{name} has shape {:?} but its weight {:?}; use another checkpoint",
                moment.shape(),
                weight.shape()
            ))
        };
        self.adam.first.push(moment(FIRST)?);
        self.adam.second.push(moment(SECOND)?);
        if self.header.config.optimiser.average > 0.0 {
            self.average.push(moment(AVERAGE)?);
        }
        let weight = Weight {
            name: name.to_owned(),
            shape: weight.shape().to_vec(),
            values: from_bytes(weight.data()),
        };
        check_finite(&weight)?;
        self.weights.push(weight);
        Ok(())
    }

    /// Refuses a header whose network has a different number of weights than the file, so that
    /// nothing built from the header is larger than the file.
    fn count(&self) -> Verdict<()> {
        let needed = self.header.network().parameters();
        let found: usize = self.weights.iter().map(|weight| weight.values.len()).sum();
        if needed == found as f64 {
            return Ok(());
        }
        Err(format!(
            "holds {found} weights but its header describes a network of {needed}; use another \
             checkpoint"
        ))
    }
}

fn check_finite(weight: &Weight) -> Verdict<()> {
    match weight.values.iter().all(|value| value.is_finite()) {
        true => Ok(()),
        false => Err(format!(
            "{WEIGHT}{} has a NaN or an infinity; use another checkpoint",
            weight.name
        )),
    }
}

/// Sorts the keys of a safetensors header in place: safetensors writes the metadata in the random
/// order of a hash map, and the same checkpoint has to give the same bytes.
fn sort_header(bytes: &mut [u8]) -> Verdict<()> {
    let sorted = |header: &[u8]| {
        let mut value: Value = serde_json::from_slice(header).ok()?;
        value.sort_all_objects();
        let mut text = serde_json::to_vec(&value).ok()?;
        // The header ends with blanks that align the arrays.
        let is_longer = text.len() > header.len();
        text.resize(header.len(), b' ');
        (!is_longer).then_some(text)
    };
    let header = bytes.split_first_chunk_mut().and_then(|(length, rest)| {
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        rest.get_mut(..length)
    });
    let header = header.ok_or("has no header")?;
    let text = sorted(header).ok_or("has a header whose keys cannot be sorted")?;
    header.copy_from_slice(&text);
    Ok(())
}

fn broken(error: safetensors::SafeTensorError) -> String {
    format!("not a checkpoint, or damaged ({error}); use another one")
}

/// The array `prefix` + `name`; refused unless it is f32.
fn array<'a>(file: &SafeTensors<'a>, prefix: &str, name: &str) -> Verdict<TensorView<'a>> {
    let view = file.tensor(&format!("{prefix}{name}")).map_err(broken)?;
    match view.dtype() {
        Dtype::F32 => Ok(view),
        other => Err(format!(
            "{prefix}{name} has data type {other:?} but F32 is needed; use another checkpoint"
        )),
    }
}

fn to_bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn from_bytes(bytes: &[u8]) -> Vec<f32> {
    let (words, _) = bytes.as_chunks();
    words.iter().map(|word| f32::from_le_bytes(*word)).collect()
}
