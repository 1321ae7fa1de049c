//! Single arrays of NumPy, `.npy`: those of a folder belong together.

use std::fs::File;
use std::io::BufReader;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::Map;

use super::bytes::Bytes;
use super::strided::Strided;
use super::{Beside, COMPLEX, Groups, Source, Variable, bad};
use crate::npz::{NpyContents, NpyHeader, texts};
use crate::storage::Number;
use crate::{Error, Result};

/// Arrays, a file each.
pub(super) struct NpySource {
    path: PathBuf,
    groups: Groups,
    variables: Vec<Variable>,
    beside: Beside,
    files: Vec<(Bytes, NpyHeader)>,
}

impl NpySource {
    /// Reads the headers of the arrays in these files, which are named after them. `path` is what
    /// messages call them all.
    pub fn open(path: &Path, files: &[PathBuf]) -> Result<Self> {
        let (mut variables, mut opened) = (Vec::new(), Vec::new());
        let mut beside = Beside::default();
        for file in files {
            let bytes = File::open(file).map_err(Error::io(file))?;
            let size = bytes.metadata().map_err(Error::io(file))?.len();
            let contents = NpyContents::read(BufReader::new(&bytes), size)
                .map_err(|reason| bad(file, reason))?;
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            let header = match contents {
                NpyContents::Numbers(header) => header,
                NpyContents::Other(reason) => {
                    let bytes = BufReader::new(File::open(file).map_err(Error::io(file))?);
                    let labels = texts(bytes, size).ok().flatten();
                    // Labels belong to arrays of numbers: alone they are no data.
                    let Some(labels) = labels.filter(|_| files.len() > 1) else {
                        return Err(bad(file, reason));
                    };
                    beside.label(&name, labels);
                    continue;
                }
            };
            variables.push(variable(&name, &header));
            opened.push((Bytes::of(bytes), header));
        }
        Ok(Self {
            path: path.to_owned(),
            groups: Groups::new(),
            variables,
            beside,
            files: opened,
        })
    }
}

/// The array that a header describes.
pub(super) fn variable(name: &str, header: &NpyHeader) -> Variable {
    let mut shape = header.shape.clone();
    let mut dimensions = vec![None; shape.len()];
    if header.number.is_complex() {
        shape.push(2);
        dimensions.push(Some(COMPLEX.into()));
    }
    Variable {
        name: name.to_owned(),
        shape,
        dimensions,
        attributes: Map::new(),
        is_coarse: header.number.is_coarse(),
    }
}

impl Source for NpySource {
    fn path(&self) -> &Path {
        &self.path
    }

    fn format(&self) -> &'static str {
        "NumPy"
    }

    fn variables(&self) -> &[Variable] {
        &self.variables
    }

    fn groups(&self) -> &Groups {
        &self.groups
    }

    fn number(&self, variable: usize) -> Number {
        self.files[variable].1.number
    }

    fn beside(&self) -> &Beside {
        &self.beside
    }

    fn stored(&self, variable: usize, ranges: &[Range<usize>]) -> Result<Vec<f64>> {
        let (bytes, header) = &self.files[variable];
        let shape = &header.shape;
        let places = Strided::dense(header.number, header.length, shape, header.is_fortran);
        let read = places.read(bytes, &ranges[..shape.len()]);
        read.map_err(|error| {
            let name = &self.variables[variable].name;
            bad(
                &self.path,
                format!("the array {name} cannot be read ({error})"),
            )
        })
    }
}
