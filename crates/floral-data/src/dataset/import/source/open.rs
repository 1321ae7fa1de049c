//! Opens a path given by the user: a file of any format, a Zarr store, or a folder of them.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::zarr::is_zarr;
use super::{Source, hdf5, netcdf, npy, npz, zarr};
use crate::dataset::file_names::{ending, natural};
use crate::{Error, Result};

/// The signature of HDF5 files, at the start or after a user block.
const HDF5: &[u8] = b"\x89HDF\r\n\x1a\n";

/// Possible offsets of the signature, for the usual sizes of the user block.
const BLOCKS: [usize; 4] = [0, 512, 1024, 2048];

/// Extensions of files read from a folder.
const ENDINGS: [&str; 9] = [
    "npz", "npy", "h5", "hdf5", "hdf", "nc", "nc4", "cdf", "netcdf",
];

/// Largest depth of nested folders.
const DEEPEST: usize = 3;

/// The sources of these paths, in order. Single arrays form one source.
pub(in crate::dataset::import) fn open(paths: &[PathBuf]) -> Result<Vec<Source>> {
    let mut sources = Vec::new();
    let is_npy = |path: &PathBuf| path.is_file() && ending(path) == "npy";
    let (single, others): (Vec<_>, Vec<_>) = paths.iter().cloned().partition(is_npy);
    if let Some(first) = single.first() {
        let name = if single.len() == 1 {
            first.as_path()
        } else {
            first.parent().unwrap_or(first)
        };
        sources.push(npy::open(name, &single)?);
    }
    for path in &others {
        add(path, 0, &mut sources)?;
    }
    Ok(sources)
}

/// Whether a path is a file, a Zarr store, or a folder with data files.
pub fn is_data(path: &Path) -> bool {
    let is_file = |path: &Path| path.is_file() && ENDINGS.contains(&ending(path).as_str());
    let mut entries = fs::read_dir(path).into_iter().flatten().flatten();
    path.is_file() || is_zarr(path) || entries.any(|entry| is_file(&entry.path()))
}

fn add(path: &Path, depth: usize, sources: &mut Vec<Source>) -> Result<()> {
    if path.is_file() {
        sources.push(file(path)?);
    } else if is_zarr(path) {
        sources.push(zarr::open(path)?);
    } else if path.is_dir() {
        folder(path, depth, sources)?;
    } else {
        return Err(Error::bad_file(path, "there is no such file or folder"));
    }
    Ok(())
}

/// The files and folders in a folder, in natural order of their names.
fn folder(path: &Path, depth: usize, sources: &mut Vec<Source>) -> Result<()> {
    let entries = fs::read_dir(path).map_err(Error::io(path))?;
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(Error::io(path))?.path();
        let is_wanted = entry.is_dir() || ENDINGS.contains(&ending(&entry).as_str());
        let is_hidden = entry
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if is_wanted && !is_hidden {
            found.push(entry);
        }
    }
    found.sort_by_cached_key(|entry| natural(&entry.to_string_lossy()));
    let before = sources.len();
    let is_npy = |entry: &PathBuf| entry.is_file() && ending(entry) == "npy";
    let (single, others): (Vec<_>, Vec<_>) = found.into_iter().partition(is_npy);
    if !single.is_empty() {
        sources.push(npy::open(path, &single)?);
    }
    for entry in others {
        if depth < DEEPEST || entry.is_file() {
            add(&entry, depth + 1, sources)?;
        }
    }
    if depth == 0 && sources.len() == before {
        return Err(Error::bad_file(
            path,
            format!(
                "holds no data: files that end in {}, or Zarr",
                ENDINGS.join(", ")
            ),
        ));
    }
    Ok(())
}

/// Opens a file by its first bytes, which are more reliable than its name.
pub(in crate::dataset) fn file(path: &Path) -> Result<Source> {
    let mut start = Vec::new();
    let file = File::open(path).map_err(Error::io(path))?;
    let read = file.take(4096).read_to_end(&mut start);
    read.map_err(Error::io(path))?;
    let is_hdf5 = |at: usize| start.get(at..).is_some_and(|rest| rest.starts_with(HDF5));
    if start.starts_with(b"PK") {
        npz::open(path)
    } else if start.starts_with(b"\x93NUMPY") {
        npy::open(path, &[path.to_owned()])
    } else if start.starts_with(b"CDF") {
        netcdf::open(path)
    } else if BLOCKS.into_iter().any(is_hdf5) {
        hdf5::open(path)
    } else if start.starts_with(b"MATLAB 5.0") {
        Err(Error::bad_file(
            path,
            "is an old MATLAB file; save it with -v7.3, which is HDF5",
        ))
    } else if start.is_empty() {
        Err(Error::bad_file(path, "is empty"))
    } else {
        Err(Error::bad_file(
            path,
            "is no data that is known here: NumPy (.npz, .npy), HDF5, NetCDF or Zarr",
        ))
    }
}
