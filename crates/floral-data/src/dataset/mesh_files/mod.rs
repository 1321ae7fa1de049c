//! A dataset from files with meshes (VTK, Gmsh, UGRID, Exodus, XDMF): every file one realization on the
//! same mesh, inputs and realizations identified by their paths.

mod budget;
mod built;
mod low_files;
mod netcdf;
mod paths;
mod point_data;
mod read;
mod table;
mod xdmf;

use std::path::{Path, PathBuf};

use built::Built;
use low_files::{LowFiles, LowMesh};
use paths::{grouped, natural};
pub use read::{is_mesh_file, read_mesh};
use table::Table;

use super::Dataset;
use super::import::Pick;
use crate::{Error, Result};

/// Folders within folders, at most.
const DEEPEST: usize = 16;

/// Which arrays of the files become what.
#[derive(Debug, Clone, Default)]
pub struct MeshOptions {
    /// How paths end, as in `case_{input}/run_{realization}.vtu`. Without it, files of one folder are
    /// realizations of one input if there are several folders, and inputs of their own if not.
    pub pattern: Option<String>,
    /// Point data of the solution; all of it if there is only one array.
    pub high: Vec<Pick>,
    /// Point data of the input and of low fidelity, in the first file of each input.
    pub input: Vec<Pick>,
    /// See `input`.
    pub low: Vec<Pick>,
    /// How the path of an input's low fidelity ends, as in `case_{input}/low.vtu`: a file of its own, whose
    /// mesh may be another.
    pub low_pattern: Option<String>,
    /// A CSV file of parameters, its first column the input; without it, those in the field data.
    pub parameters: Option<PathBuf>,
    /// The title of the dataset.
    pub title: Option<String>,
}

/// The files with meshes among these and in these folders, in natural order.
pub fn mesh_files(sources: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for source in sources {
        gather(source, DEEPEST, &mut files)?;
    }
    files.sort_by_cached_key(|path| natural(&path.to_string_lossy()));
    files.dedup();
    Ok(files)
}

fn gather(path: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<()> {
    if !path.is_dir() {
        if is_mesh_file(path) {
            files.push(path.to_owned());
        }
        return Ok(());
    }
    // A store of arrays has no meshes of other programs.
    if depth == 0 || path.join("zarr.json").is_file() {
        return Ok(());
    }
    for entry in std::fs::read_dir(path).map_err(Error::io(path))? {
        let entry = entry.map_err(Error::io(path))?;
        gather(&entry.path(), depth - 1, files)?;
    }
    Ok(())
}

/// Reads the files and writes the dataset; with notes of what was left out of the first file, and if
/// low fidelity had to be extended.
pub fn import_meshes(
    files: &[PathBuf],
    options: &MeshOptions,
    target: &Path,
) -> Result<(Dataset, Vec<String>)> {
    let lows = LowFiles::of(files, options)?;
    let files: Vec<PathBuf> = files.iter().filter(|f| !lows.has(f)).cloned().collect();
    let inputs = grouped(&files, options.pattern.as_deref())?;
    let table = options.parameters.as_deref().map(Table::read).transpose()?;
    let picks: Vec<Pick> = [&options.high[..], &options.input, &options.low].concat();
    let mut built: Option<Built> = None;
    let mut notes = Vec::new();
    for (label, own) in &inputs {
        for (realization, path) in own.iter().enumerate() {
            let file = read_mesh(path, &picks)?;
            let built = match &mut built {
                Some(built) => built,
                None => {
                    notes.clone_from(&file.notes);
                    built.insert(Built::new(path, &file, options, table.as_ref())?)
                }
            };
            built.check(path, &file)?;
            if realization == 0 {
                built.begin(label, path, &file, table.as_ref())?;
                built.take_low(&lows, label)?;
            }
            built.add(path, &file)?;
        }
        if let Some(built) = &mut built {
            built.end()?;
        }
    }
    let built = built.ok_or_else(|| {
        Error::config(
            "import",
            format!(
                "no files with meshes are found; give {}, or NetCDF by UGRID or Exodus",
                read::ENDINGS.join(", ")
            ),
        )
    })?;
    let title = options.title.as_deref().unwrap_or_default();
    notes.extend(built.low.as_ref().and_then(LowMesh::note));
    Ok((built.arrays.title(title).write(target)?, notes))
}
