//! NumPy's `.npz`: a zip archive of arrays, one file each.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use super::archive::Archive;
use super::npy::NpyArray;
use crate::{Error, Result};

/// The arrays of an archive by name, those of which `wanted` says so; a name it does not know is
/// refused by it.
pub(super) fn read(
    path: &Path,
    wanted: impl Fn(&str) -> Result<bool>,
) -> Result<BTreeMap<String, NpyArray>> {
    let bad = |reason: String| Error::BadFile {
        path: path.to_owned(),
        reason,
    };
    let file = File::open(path).map_err(Error::io(path))?;
    let broken = |error: std::io::Error| {
        bad(format!(
            "is no .npz archive, or damaged ({error}); write it with numpy.savez"
        ))
    };
    let mut archive = Archive::new(file).map_err(broken)?;
    let mut arrays = BTreeMap::new();
    for entry in archive.entries.clone() {
        let name = entry.name.strip_suffix(".npy").unwrap_or(&entry.name);
        if !wanted(name)? {
            continue;
        }
        let bytes = archive.read(&entry).map_err(broken)?;
        let array =
            NpyArray::parse(&bytes).map_err(|reason| bad(format!("the array {name} {reason}")))?;
        arrays.insert(name.to_owned(), array);
    }
    Ok(arrays)
}
