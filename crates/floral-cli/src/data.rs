//! The data that commands are given: a dataset, or files of other programs, which are imported once
//! into a hidden folder beside them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use floral::dataset::Dataset;
use floral::dataset::import::{Import, Wishes, is_data};
use floral::{Checksum, Silent};

use crate::import::by_flags;
use crate::output;

/// The folder of imported copies.
const COPIES: &str = ".floral";

/// Opens a dataset, or the imported copy of other data.
pub fn open(path: &Path) -> Result<Dataset> {
    Ok(Dataset::open(dataset(path)?)?)
}

/// The path of a dataset: this one, or that of an imported copy.
pub fn dataset(path: &Path) -> Result<PathBuf> {
    let is_ours = path.join("zarr.json").is_file() && path.join("input").is_dir();
    if is_ours || !is_data(path) {
        return Ok(path.to_owned());
    }
    let copy = copy_of(path);
    if !copy.join("zarr.json").is_file() {
        let import = Import::open(&[path.to_owned()])?;
        let written = import.write(&Wishes::default(), &copy, true, &Silent);
        written.map_err(|error| {
            let error = by_flags(error);
            anyhow::anyhow!("{error}; floral import takes it with these flags")
        })?;
        remove_others(path, &copy);
    }
    output::tell(&format!(
        "note: {} is taken as the imported copy {}; floral import tells what is in it",
        path.display(),
        copy.display()
    ));
    Ok(copy)
}

/// Where the copy of data is: a name for each of their states.
fn copy_of(path: &Path) -> PathBuf {
    let state = state(path, Checksum::default()).to_string();
    let name = name(path);
    let parent = path.parent().unwrap_or(Path::new(""));
    parent
        .join(COPIES)
        .join(format!("{name}-{}.zarr", &state[..8]))
}

fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// A checksum of names, sizes and times of all files.
fn state(path: &Path, sum: Checksum) -> Checksum {
    let sum = sum.bytes(name(path).as_bytes());
    let Ok(facts) = fs::metadata(path) else {
        return sum;
    };
    if !facts.is_dir() {
        let modified = facts.modified().ok();
        let since = modified.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        let nanoseconds = since.map_or(0, |since| since.as_nanos());
        return sum
            .bytes(&facts.len().to_le_bytes())
            .bytes(&nanoseconds.to_le_bytes());
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let mut entries: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    entries.sort();
    entries.iter().fold(sum, |sum, entry| state(entry, sum))
}

/// Removes the copies of earlier states of the same data; what cannot be removed stays.
fn remove_others(path: &Path, copy: &Path) {
    let prefix = format!("{}-", name(path));
    let folder = copy.parent().unwrap_or(Path::new(""));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let found = entry.file_name().to_string_lossy().into_owned();
        let is_copy = found
            .strip_prefix(&prefix)
            .is_some_and(|rest| rest.len() == "01234567.zarr".len());
        if is_copy && entry.path() != copy {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
