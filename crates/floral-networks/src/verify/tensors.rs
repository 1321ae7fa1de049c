//! Reference tensors: a safetensors file whose numbers are read as f64.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use safetensors::{Dtype, SafeTensors};

use crate::{Error, Result};

/// A named array of numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensor {
    /// Length of each dimension.
    pub shape: Vec<usize>,
    /// The values, last dimension fastest.
    pub values: Vec<f64>,
}

/// All tensors of a file, by name, with the file's metadata.
#[derive(Debug, Clone)]
pub struct Tensors {
    path: PathBuf,
    tensors: BTreeMap<String, Tensor>,
    metadata: HashMap<String, String>,
}

impl Tensors {
    /// Reads a whole file; refuses files that are not safetensors or contain anything but floats. A
    /// complex tensor becomes two, whose names end in `.re` and `.im`.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(Error::io(path))?;
        let damaged = |reason: String| Error::bad_file(path, reason);
        let unreadable = |e: safetensors::SafeTensorError| {
            damaged(format!("not a safetensors file, or damaged ({e})"))
        };
        let file = SafeTensors::deserialize(&bytes).map_err(unreadable)?;
        let (_, header) = SafeTensors::read_metadata(&bytes).map_err(unreadable)?;
        let mut tensors = BTreeMap::new();
        for (name, view) in file.iter() {
            let values = to_f64(view.dtype(), view.data()).ok_or_else(|| {
                damaged(format!(
                    "{name} is {:?}; only F32, F64 and C64 are read",
                    view.dtype()
                ))
            })?;
            let shape = view.shape().to_vec();
            if view.dtype() != Dtype::C64 {
                tensors.insert(name.to_owned(), Tensor { shape, values });
                continue;
            }
            for (part, ending) in [".re", ".im"].into_iter().enumerate() {
                let values = values.iter().skip(part).step_by(2).copied().collect();
                let shape = shape.clone();
                tensors.insert(format!("{name}{ending}"), Tensor { shape, values });
            }
        }
        Ok(Self {
            path: path.to_owned(),
            tensors,
            metadata: header.metadata().clone().unwrap_or_default(),
        })
    }

    /// The file's free-text metadata.
    pub fn metadata(&self) -> &HashMap<String, String> {
        &self.metadata
    }

    /// Every name in the file, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tensors.keys().map(String::as_str)
    }

    /// Every tensor with its name, in alphabetical order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Tensor)> {
        self.tensors
            .iter()
            .map(|(name, tensor)| (name.as_str(), tensor))
    }

    /// Whether the file has a tensor of this name.
    pub fn contains(&self, name: &str) -> bool {
        self.tensors.contains_key(name)
    }

    /// The tensor of this name, with this number of dimensions and finite values.
    pub fn tensor(&self, name: &str, dimensions: usize) -> Result<&Tensor> {
        let tensor = self
            .tensors
            .get(name)
            .ok_or_else(|| self.damaged(format!("{name} is missing")))?;
        if tensor.shape.len() != dimensions {
            return Err(self.damaged(format!(
                "{name} has shape {:?} but should have {dimensions} dimensions",
                tensor.shape
            )));
        }
        if tensor.values.iter().any(|v| !v.is_finite()) {
            return Err(self.damaged(format!("{name} holds a NaN or an infinity")));
        }
        Ok(tensor)
    }

    /// An error about this file.
    pub fn damaged(&self, reason: String) -> Error {
        Error::bad_file(self.path.clone(), reason)
    }

    /// The first few names, for messages.
    pub fn listing(&self) -> String {
        let mut names: Vec<&str> = self.names().take(4).collect();
        if self.tensors.len() > names.len() {
            names.push("...");
        }
        if names.is_empty() {
            return "no tensors".into();
        }
        names.join(", ")
    }
}

fn to_f64(dtype: Dtype, bytes: &[u8]) -> Option<Vec<f64>> {
    let (words32, _) = bytes.as_chunks();
    let (words64, _) = bytes.as_chunks();
    match dtype {
        // Complex numbers are stored as real and imaginary part in turn.
        Dtype::F32 | Dtype::C64 => Some(
            words32
                .iter()
                .map(|w| f64::from(f32::from_le_bytes(*w)))
                .collect(),
        ),
        Dtype::F64 => Some(words64.iter().map(|w| f64::from_le_bytes(*w)).collect()),
        _ => None,
    }
}
