//! Intact files of every format, from which damaged files are made.
//!
//! Some come from the library's tests and were written by other programs. The rest are made here,
//! once, in a folder that the workers read.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use floral::dataset::{Dataset, Request, generate};
use floral::problem::catalogue;
use floral::train::{Method, TrainConfig};
use floral::{Silent, fit};
use serde_json::Value;

use crate::files::{below, copy, write, write_below};
use crate::task::FIXTURES;

/// The experiments of the paper.
const EXPERIMENTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments");

/// A file, or the files of a folder, in memory.
pub struct Specimen {
    /// Paths below the folder, or an empty path for a single file; and contents.
    pub files: Vec<(PathBuf, Vec<u8>)>,
}

impl Specimen {
    /// Reads a file or folder and copies it into another folder; also returns the path of the copy.
    pub fn copied(path: &Path, folder: &Path) -> Result<(Self, PathBuf)> {
        let copy = folder.join(path.file_name().unwrap_or_default());
        let entries = below(path)?;
        write_below(&copy, &entries)?;
        let files = entries.into_iter();
        let files = files.filter_map(|(inner, bytes)| Some((inner, bytes?)));
        let files = files.collect();
        Ok((Self { files }, copy))
    }
}

/// Creates or copies the specimens of every format below a folder, as `FORMAT/NAME`.
pub fn make(folder: &Path) -> Result<()> {
    let zarr = folder.join("zarr");
    for (name, problem, resolution, shard) in [
        ("1dcr", "1dcr", 16, 1),
        ("darcy", "darcy", 8, 1),
        ("1dcr-shards", "1dcr", 16, 4),
    ] {
        dataset(problem, resolution, shard, &zarr.join(name))?;
        let plain = zarr.join(format!("{name}-plain"));
        copy(&zarr.join(name), &plain)?;
        remove_checksums(&plain)?;
    }
    for (format, fixture) in [
        ("import-zarr", "zarr_python"),
        ("import-zarr", "xarray"),
        ("import-zarr", "import/second"),
        ("hdf5", "import/chunked.h5"),
        ("hdf5", "import/latest.h5"),
        ("hdf5", "import/netcdf4.nc"),
        ("netcdf", "import/classic.nc"),
        ("ugrid", "mesh/ugrid_classic.nc"),
        ("ugrid", "mesh/ugrid_4.nc"),
        ("ugrid", "mesh/ugrid_faces.nc"),
        ("exodus", "mesh/exodus_wide.exo"),
        ("exodus", "mesh/exodus_4.exo"),
        ("exodus", "mesh/exodus_quadratic.exo"),
        ("xdmf", "mesh/over_time"),
        ("xdmf", "mesh/within"),
        ("npz", "import/stored.npz"),
        ("npz", "import/deflated.npz"),
    ] {
        let from = Path::new(FIXTURES).join(fixture);
        let name = from.file_name().unwrap_or_default();
        copy(&from, &folder.join(format).join(name))?;
    }
    copy(Path::new(EXPERIMENTS), &folder.join("experiment"))?;
    npy(&folder.join("npy/arrays"))?;
    checkpoints(folder)?;
    settings(folder)?;
    let points = "x,y\n0.25,0.5\n0.5,0.125\n1,0\n";
    write(&folder.join("csv/points.csv"), points.as_bytes())
}

/// A small dataset of a problem, with this number of inputs per shard.
fn dataset(problem: &str, resolution: i64, shard: usize, path: &Path) -> Result<Dataset> {
    let mut constants = toml::Table::new();
    constants.insert("resolution".into(), resolution.into());
    let problem = catalogue::build(problem, constants, "specimen")?;
    let request = Request {
        shard,
        ..Request::new(6, 4, 1)
    };
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    generate(problem.as_ref(), &request, path, &Silent)?;
    Ok(Dataset::open(path)?)
}

/// Removes the checksums of a dataset's chunks, or of the indices of its shards, so that damage
/// reaches the code behind them.
fn remove_checksums(store: &Path) -> Result<()> {
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

/// A folder of single arrays.
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
    let dataset = dataset("1dcr", 16, 1, &data)?;
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

/// The settings of a minimal training of a method.
fn settings_of(method: Method) -> Result<TrainConfig> {
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
