//! Data given to commands: a dataset, or files of other formats, which are imported once into the
//! user's cache folder.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use floral::dataset::Dataset;
use floral::dataset::import::{Import, ImportOptions, is_data};
use floral::storage::{CACHE_VARIABLE, cache_folder};
use floral::{Checksum, Silent};

use crate::{advice, output, provenance};

/// Folder of the imported copies within the cache.
const COPIES: &str = "imports";

/// Digits of each checksum in the name of a copy.
const DIGITS: usize = 16;

/// Opens a dataset, or the imported copy of other data.
pub fn open(path: &Path) -> Result<Dataset> {
    Ok(Dataset::open(dataset(path)?)?)
}

/// The path of a dataset: the given path, or that of the imported copy.
pub fn dataset(path: &Path) -> Result<PathBuf> {
    let has = |array: &&str| path.join(array).is_dir();
    let is_ours = path.join("zarr.json").is_file() && ["input", "parameters"].iter().any(has);
    if is_ours || !is_data(path) {
        return Ok(path.to_owned());
    }
    let copy = copy_of(path)?;
    if !copy.join("zarr.json").is_file() {
        let import = Import::open(&[path.to_owned()])?;
        let written = import.write(&ImportOptions::default(), &copy, true, &Silent);
        written.map_err(|error| match &error {
            // The advice names flags that this command does not have.
            floral::Error::Advised { .. } => anyhow!(
                "{}; import it first with floral import, which has these flags",
                advice::message(&error)
            ),
            _ => error.into(),
        })?;
        if copy_of(path)? != copy {
            let _ = fs::remove_dir_all(&copy);
            bail!(
                "{}: changed while it was read; run the command again once it is complete",
                path.display()
            );
        }
        remove_others(&copy);
    }
    output::note(&format!(
        "{} is read from its imported copy {}; floral import shows what it holds",
        path.display(),
        copy.display()
    ));
    Ok(copy)
}

/// The path of the copy. Its name contains checksums of the data's path and contents, and of this
/// build.
fn copy_of(path: &Path) -> Result<PathBuf> {
    let cache = cache_folder().with_context(|| {
        format!(
            "{}: there is no cache folder for its imported copy; set {CACHE_VARIABLE} to a folder, or \
             import it with floral import",
            path.display()
        )
    })?;
    let real = path.canonicalize().map_err(floral::Error::io(path))?;
    let place = Checksum::default().bytes(real.as_os_str().as_encoded_bytes());
    let reader = Checksum::default().bytes(provenance::build().as_bytes());
    let contents = contents(&real, reader)?;
    let name = format!("{}-{}.zarr", prefix(&real, place), short(contents));
    Ok(cache.join(COPIES).join(name))
}

/// The prefix shared by the names of all copies of the same data.
fn prefix(path: &Path, place: Checksum) -> String {
    format!("{}-{}", name(path), short(place))
}

fn short(sum: Checksum) -> String {
    let mut digits = sum.to_string();
    digits.truncate(DIGITS);
    digits
}

fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// Adds the names and contents of all files to a checksum.
fn contents(path: &Path, sum: Checksum) -> Result<Checksum> {
    let sum = sum.bytes(name(path).as_bytes());
    if path.is_file() {
        return Ok(sum.file(path)?);
    }
    if !path.is_dir() {
        // Reading a pipe would never end.
        return Ok(sum);
    }
    let entries = fs::read_dir(path).map_err(floral::Error::io(path))?;
    let entries = entries.collect::<std::io::Result<Vec<_>>>();
    let entries = entries.map_err(floral::Error::io(path))?;
    let mut entries: Vec<PathBuf> = entries.iter().map(fs::DirEntry::path).collect();
    entries.sort();
    entries
        .iter()
        .try_fold(sum, |sum, entry| contents(entry, sum))
}

/// Removes copies of earlier contents of the same data. Copies that cannot be removed are left.
fn remove_others(copy: &Path) {
    let name = name(copy);
    let Some((prefix, _)) = name.rsplit_once('-') else {
        return;
    };
    let folder = copy.parent().unwrap_or(Path::new(""));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let found = entry.file_name().to_string_lossy().into_owned();
        let rest = found.strip_prefix(prefix);
        let is_copy = rest.is_some_and(|rest| rest.len() == DIGITS + "-.zarr".len());
        if is_copy && entry.path() != copy {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
