//! Checkpoints: weights, optimiser state and everything needed to go on, in one safetensors file.

use std::collections::HashMap;
use std::path::Path;

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde::{Deserialize, Serialize};

use super::TrainConfig;
use super::adam::Adam;
use super::model::Shapes;
use super::samples::Scaling;
use crate::dataset::Dataset;
use crate::operator::Weight;
use crate::{Error, Grid, Result};

/// The layout's version; a newer one is refused.
pub const FORMAT: u32 = 1;

/// What a checkpoint says besides its arrays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Version of the layout.
    pub format: u32,
    /// Version of the program that wrote it.
    pub floral: String,
    /// The run's configuration.
    pub config: TrainConfig,
    /// The shapes of its data.
    pub shapes: Shapes,
    /// The grid it is trained on.
    pub grid: Grid,
    /// How its data are scaled.
    pub scaling: Scaling,
    /// Where its data come from.
    pub data: DataIdentity,
    /// How far training is.
    pub progress: Progress,
}

/// Enough of a dataset to know it again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DataIdentity {
    /// The problem's name, if it is told.
    pub problem: Option<String>,
    /// The problem's constants, if they are told.
    pub constants: Option<serde_json::Value>,
    /// The seed, if it is told.
    pub seed: Option<u64>,
}

impl DataIdentity {
    /// That of a dataset.
    pub fn of(dataset: &Dataset) -> Self {
        Self {
            problem: dataset.problem().map(str::to_owned),
            constants: dataset.constants().map(|table| table.clone().into()),
            seed: dataset.seed(),
        }
    }
}

/// How far training is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Epochs finished.
    pub epoch: usize,
    /// Steps finished of the epoch under way.
    pub step: usize,
    /// Sum of the losses of that epoch's samples so far.
    pub loss: f64,
    /// Largest gradient norm of that epoch so far.
    pub gradient_norm: f64,
    /// The best validation loss and its epoch.
    pub best: Option<(f64, usize)>,
    /// The validation loss that the next improvement is measured from, and its epoch.
    pub reference: Option<(f64, usize)>,
    /// Whether training has come to its end.
    pub finished: bool,
    /// Seconds spent so far, over all sessions.
    pub seconds: f64,
}

/// A header and the arrays.
#[derive(Debug, Clone)]
pub struct Checkpoint {
    /// Everything but the arrays.
    pub header: Header,
    /// The network's weights.
    pub weights: Vec<Weight>,
    /// The optimiser's state.
    pub adam: Adam,
}

const WEIGHT: &str = "weight.";
const FIRST: &str = "adam.first.";
const SECOND: &str = "adam.second.";

impl Checkpoint {
    /// Writes the file under another name first, then renames it: it is whole or not there.
    pub fn write(&self, path: &Path) -> Result<()> {
        let metadata = HashMap::from([
            ("floral".to_owned(), json(&self.header)),
            ("adam.steps".to_owned(), self.adam.steps.to_string()),
        ]);
        let mut views = Vec::new();
        let arrays = self
            .weights
            .iter()
            .zip(self.adam.first.iter().zip(&self.adam.second));
        for (weight, (first, second)) in arrays {
            let parts = [(WEIGHT, &weight.values), (FIRST, first), (SECOND, second)];
            for (prefix, values) in parts {
                let name = format!("{prefix}{}", weight.name);
                views.push((name, weight.shape.clone(), to_bytes(values)));
            }
        }
        let views = views.iter().map(|(name, shape, bytes)| {
            let view = TensorView::new(Dtype::F32, shape.clone(), bytes)
                .expect("as many bytes as the weight's shape says");
            (name.as_str(), view)
        });
        let bytes = safetensors::serialize(views, Some(metadata)).map_err(|e| Error::BadFile {
            path: path.to_owned(),
            reason: e.to_string(),
        })?;
        crate::dataset::write_atomically(path, &bytes)
    }

    /// Reads a file; refuses what is no checkpoint of this program.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(Error::io(path))?;
        let bad = |reason: String| Error::BadFile {
            path: path.to_owned(),
            reason,
        };
        let broken = |e: safetensors::SafeTensorError| {
            bad(format!(
                "not a checkpoint, or damaged ({e}); use another one"
            ))
        };
        let file = SafeTensors::deserialize(&bytes).map_err(broken)?;
        let (_, metadata) = SafeTensors::read_metadata(&bytes).map_err(broken)?;
        let metadata = metadata.metadata().clone().unwrap_or_default();
        let header = metadata
            .get("floral")
            .ok_or_else(|| bad("a safetensors file, but no checkpoint of floral".into()))?;
        let header = parse(header).map_err(bad)?;
        let steps = metadata
            .get("adam.steps")
            .and_then(|steps| steps.parse().ok());
        let mut checkpoint = Self {
            header,
            weights: Vec::new(),
            adam: Adam {
                steps: steps.ok_or_else(|| bad("has no optimiser state".into()))?,
                ..Default::default()
            },
        };
        for (name, view) in file.iter() {
            let Some(name) = name.strip_prefix(WEIGHT) else {
                continue;
            };
            let array = |prefix: &str| file.tensor(&format!("{prefix}{name}")).map_err(broken);
            checkpoint.weights.push(Weight {
                name: name.to_owned(),
                shape: view.shape().to_vec(),
                values: from_bytes(view.data()),
            });
            checkpoint.adam.first.push(from_bytes(array(FIRST)?.data()));
            checkpoint
                .adam
                .second
                .push(from_bytes(array(SECOND)?.data()));
        }
        Ok(checkpoint)
    }
}

fn json(header: &Header) -> String {
    serde_json::to_string(header).expect("a header of numbers, strings and lists")
}

fn parse(text: &str) -> std::result::Result<Header, String> {
    let value: serde_json::Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
    let format = value["format"].as_u64().unwrap_or(0);
    if format > u64::from(FORMAT) {
        return Err(format!(
            "a checkpoint of format {format}, newer than the {FORMAT} this build reads; update floral"
        ));
    }
    serde_json::from_value(value).map_err(|e| format!("its header cannot be read ({e})"))
}

fn to_bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn from_bytes(bytes: &[u8]) -> Vec<f32> {
    let (words, _) = bytes.as_chunks();
    words.iter().map(|word| f32::from_le_bytes(*word)).collect()
}
