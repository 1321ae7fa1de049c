//! Sound files of every format that is read, from which the damaged ones are made.
//!
//! Some are those of the library's tests, written by other programs; the rest are made here, once, in a
//! folder that the workers read.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use floral::dataset::{Dataset, Precision, Request, generate};
use floral::problem::catalogue;
use floral::train::{Method, TrainConfig};
use floral::{Silent, fit};
use serde_json::Value;

/// The files of the library's tests.
const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../floral/tests/fixtures");

/// The experiments of the paper.
const EXPERIMENTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments");

/// One file or several in a folder, in memory.
pub struct Specimen {
    /// The file's name, or the folder's.
    pub name: String,
    /// Paths below the folder, or an empty one of a single file; and contents.
    pub files: Vec<(PathBuf, Vec<u8>)>,
}

impl Specimen {
    /// Reads a file, or all files below a folder.
    pub fn read(path: &Path) -> Result<Self> {
        let name = path.file_name().unwrap_or_default();
        let mut files = Vec::new();
        gather(path, Path::new(""), &mut files)?;
        files.sort();
        Ok(Self {
            name: name.to_string_lossy().into_owned(),
            files,
        })
    }

    /// Lays it out below a folder; returns its path.
    pub fn lay_out(&self, folder: &Path) -> Result<PathBuf> {
        let path = folder.join(&self.name);
        for (inner, bytes) in &self.files {
            let file = file_of(&path, inner);
            fs::create_dir_all(file.parent().unwrap_or(folder))?;
            fs::write(file, bytes)?;
        }
        Ok(path)
    }
}

/// A file below a specimen's path, or the path itself.
pub fn file_of(path: &Path, inner: &Path) -> PathBuf {
    if inner.as_os_str().is_empty() {
        return path.to_owned();
    }
    path.join(inner)
}

fn gather(path: &Path, inner: &Path, files: &mut Vec<(PathBuf, Vec<u8>)>) -> Result<()> {
    if path.is_file() {
        files.push((inner.to_owned(), fs::read(path)?));
        return Ok(());
    }
    let entries = fs::read_dir(path).with_context(|| path.display().to_string())?;
    for entry in entries {
        let entry = entry?;
        gather(&entry.path(), &inner.join(entry.file_name()), files)?;
    }
    Ok(())
}

/// Makes or copies the specimens of every format below a folder: `FORMAT/NAME`.
pub fn make(folder: &Path) -> Result<()> {
    let zarr = folder.join("zarr");
    for (name, resolution) in [("1dcr", 16), ("darcy", 8)] {
        let path = zarr.join(name);
        dataset(name, resolution, &path)?;
        copy(&path, &zarr.join(format!("{name}-plain")))?;
        without_checksums(&zarr.join(format!("{name}-plain")))?;
    }
    let shards = zarr.join("1dcr-shards");
    in_shards("1dcr", 16, 4, &shards)?;
    copy(&shards, &zarr.join("1dcr-shards-plain"))?;
    without_checksums(&zarr.join("1dcr-shards-plain"))?;
    let fixture = |name: &str| Path::new(FIXTURES).join(name);
    copy(
        &fixture("zarr_python"),
        &folder.join("import-zarr/zarr_python"),
    )?;
    copy(&fixture("xarray"), &folder.join("import-zarr/xarray"))?;
    copy(
        &fixture("import/second"),
        &folder.join("import-zarr/second"),
    )?;
    for (format, names) in [
        ("hdf5", &["chunked.h5", "latest.h5", "netcdf4.nc"][..]),
        ("netcdf", &["classic.nc"]),
        ("npz", &["stored.npz", "deflated.npz"]),
    ] {
        for name in names {
            copy(
                &fixture(&format!("import/{name}")),
                &folder.join(format).join(name),
            )?;
        }
    }
    npy(&folder.join("npy/arrays"))?;
    checkpoints(folder)?;
    settings(folder)?;
    for entry in fs::read_dir(EXPERIMENTS)? {
        let entry = entry?;
        copy(
            &entry.path(),
            &folder.join("experiment").join(entry.file_name()),
        )?;
    }
    let points = "x,y\n0.25,0.5\n0.5,0.125\n1,0\n";
    write(&folder.join("csv/points.csv"), points.as_bytes())
}

/// A small dataset of a problem.
pub fn dataset(problem: &str, resolution: i64, path: &Path) -> Result<Dataset> {
    in_shards(problem, resolution, 1, path)
}

/// The same with so many inputs in a shard.
fn in_shards(problem: &str, resolution: i64, shard: usize, path: &Path) -> Result<Dataset> {
    let mut constants = toml::Table::new();
    constants.insert("resolution".into(), resolution.into());
    let problem = catalogue::build(problem, constants, "specimen")?;
    let request = Request {
        inputs: 6,
        realizations: 4,
        seed: 1,
        precision: Precision::F32,
        shard,
        force: false,
    };
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    generate(problem.as_ref(), &request, path, &Silent)?;
    Ok(Dataset::open(path)?)
}

/// Takes the checksums off a dataset's chunks, or off the indices of its shards, so that damage reaches
/// what lies behind them.
fn without_checksums(store: &Path) -> Result<()> {
    for entry in fs::read_dir(store)? {
        let array = entry?.path();
        let metadata = array.join("zarr.json");
        if !metadata.is_file() {
            continue;
        }
        let mut value: Value = serde_json::from_slice(&fs::read(&metadata)?)?;
        let is_sharded = value
            .pointer("/codecs/0/configuration/index_codecs")
            .is_some();
        let codecs = match is_sharded {
            true => value.pointer_mut("/codecs/0/configuration/index_codecs"),
            false => value.get_mut("codecs"),
        };
        if let Some(codecs) = codecs.and_then(Value::as_array_mut) {
            codecs.retain(|codec| codec["name"] != "crc32c");
        }
        fs::write(&metadata, value.to_string())?;
        for chunk in fs::read_dir(&array)? {
            let chunk = chunk?.path();
            if chunk != metadata {
                let bytes = fs::read(&chunk)?;
                fs::write(&chunk, &bytes[..bytes.len().saturating_sub(4)])?;
            }
        }
    }
    Ok(())
}

/// Single arrays in a folder.
fn npy(folder: &Path) -> Result<()> {
    for (name, shape, count) in [("input", "(3, 8)", 24), ("high", "(3, 2, 8)", 48)] {
        let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n");
        let mut file = b"\x93NUMPY\x01\x00".to_vec();
        file.extend((header.len() as u16).to_le_bytes());
        file.extend(header.as_bytes());
        file.extend((0..count).flat_map(|i| f64::from(i).to_le_bytes()));
        write(&folder.join(format!("{name}.npy")), &file)?;
    }
    Ok(())
}

/// Model files of a network and of regressions, and a run folder.
fn checkpoints(folder: &Path) -> Result<()> {
    let data = folder.join("data.zarr");
    let dataset = dataset("1dcr", 16, &data)?;
    for method in [Method::Floral, Method::FloralKl, Method::Kriging] {
        let run = folder.join(format!("run-{method}"));
        fit(&dataset, &run, &settings_of(method)?, &Silent)?;
        let best = run.join("best.safetensors");
        let name = format!("{method}.safetensors");
        copy(&best, &folder.join("checkpoint").join(&name))?;
        if method == Method::Floral {
            copy(&best, &folder.join("tensors").join(name))?;
            for name in ["config.toml", "epochs.csv"] {
                copy(&run.join(name), &folder.join("run/run").join(name))?;
            }
        }
    }
    Ok(())
}

/// The smallest training of a method.
pub fn settings_of(method: Method) -> Result<TrainConfig> {
    let network = "[network]\nhidden_channels = 4\nfilm_channels = 4\nlayers = 1\nn_modes = [3]\n\
                   [optimiser]\nbatch = 4\n[stopping]\nepochs = 3\n";
    let rest = match method {
        Method::FloralKl | Method::Kriging => "",
        _ => network,
    };
    let text = format!("method = \"{method}\"\n[split]\ntest = 1\nvalidation = 1\n{rest}");
    Ok(TrainConfig::from_table(text.parse()?, "specimen")?)
}

/// Settings of trainings, and constants of problems.
fn settings(folder: &Path) -> Result<()> {
    for method in [Method::Floral, Method::FloralKl] {
        let text = settings_of(method)?.to_toml();
        write(&folder.join(format!("toml/{method}.toml")), text.as_bytes())?;
    }
    for name in catalogue::NAMES {
        let problem = catalogue::build(name, toml::Table::new(), "specimen")?;
        let text = toml::to_string(&problem.constants())?;
        write(
            &folder.join(format!("constants/{name}.toml")),
            text.as_bytes(),
        )?;
    }
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    Ok(fs::write(path, bytes)?)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    let specimen = Specimen::read(from)?;
    for (inner, bytes) in &specimen.files {
        write(&file_of(to, inner), bytes)?;
    }
    Ok(())
}
