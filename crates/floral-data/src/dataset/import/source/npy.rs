//! Single NumPy arrays, `.npy`: the arrays of one folder form a source.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io::BufReader;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::Map;

use super::bytes::Bytes;
use super::strided::Strided;
use super::{Beside, Source, Stored, Unread, Values, Variable};
use crate::npz::{NpyContents, NpyHeader, texts};
use crate::{Error, Result};

/// Reads the headers of the arrays in these files; each array has the name of its file. `path` is
/// the name of the source in messages.
pub(super) fn open(path: &Path, files: &[PathBuf]) -> Result<Source> {
    let (mut variables, mut opened) = (Vec::new(), Vec::new());
    let mut beside = Beside::default();
    refuse_equal_names(files)?;
    for file in files {
        let bytes = File::open(file).map_err(Error::io(file))?;
        let size = bytes.metadata().map_err(Error::io(file))?.len();
        let contents = NpyContents::read(BufReader::new(&bytes), size)
            .map_err(|reason| Error::bad_file(file, reason))?;
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let header = match contents {
            NpyContents::Numbers(header) => header,
            NpyContents::Other(reason) => {
                let bytes = BufReader::new(File::open(file).map_err(Error::io(file))?);
                let labels = texts(bytes, size).ok().flatten();
                // Labels belong to arrays of numbers; alone they are not data.
                let Some(labels) = labels.filter(|_| files.len() > 1) else {
                    return Err(Error::bad_file(file, reason));
                };
                beside.label(&name, labels);
                continue;
            }
        };
        variables.push(variable(&name, &header));
        opened.push((Bytes::of(bytes), header));
    }
    Ok(Source {
        beside,
        ..Source::new(path, "NumPy", variables, Files(opened))
    })
}

/// Refuses files of different folders that would be arrays of one name.
fn refuse_equal_names(files: &[PathBuf]) -> Result<()> {
    let mut names: HashMap<&OsStr, &PathBuf> = HashMap::new();
    for file in files {
        let name = file.file_stem().unwrap_or_default();
        if let Some(other) = names.insert(name, file).filter(|other| *other != file) {
            let reason = format!(
                "and {} have the same name, which names their array; rename one, or import folder by folder",
                other.display()
            );
            return Err(Error::bad_file(file, reason));
        }
    }
    Ok(())
}

/// The array described by a header.
pub(super) fn variable(name: &str, header: &NpyHeader) -> Variable {
    let (shape, dimensions) = (header.shape.clone(), vec![None; header.shape.len()]);
    Variable::new(name, shape, dimensions, Map::new(), header.number)
}

/// Numbers of an array whose header begins at offset `start`.
pub(super) fn numbers(
    bytes: &Bytes,
    start: u64,
    header: &NpyHeader,
    ranges: &[Range<usize>],
) -> Stored {
    let (start, shape) = (start + header.length, &header.shape);
    let places = Strided::dense(header.number, start, shape, header.is_fortran);
    places.read(bytes, ranges).map_err(Unread::from)
}

/// Arrays, one per file.
struct Files(Vec<(Bytes, NpyHeader)>);

impl Values for Files {
    fn stored(&self, variable: usize, ranges: &[Range<usize>]) -> Stored {
        let (bytes, header) = &self.0[variable];
        numbers(bytes, 0, header, ranges)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_arrays_of_one_name_are_refused() {
        let files = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        refuse_equal_names(&files(&["a/u.npy", "a/v.npy"])).unwrap();
        let refusal = refuse_equal_names(&files(&["a/u.npy", "b/u.npy"])).unwrap_err();
        assert!(refusal.to_string().contains("same name"), "{refusal}");
    }
}
