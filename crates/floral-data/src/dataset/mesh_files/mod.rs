//! A dataset from mesh files (VTK, Gmsh, UGRID, Exodus, XDMF): each file holds one realization on
//! the same mesh; paths identify inputs and realizations.

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

/// Largest depth of nested folders.
const DEEPEST: usize = 16;

/// The roles of the arrays in the files.
#[derive(Debug, Clone, Default)]
pub struct MeshOptions {
    /// The pattern of path endings, as in `case_{input}/run_{realization}.vtu`. Without it, the
    /// files of one folder are realizations of one input if there are several folders, else each
    /// file is an input.
    pub pattern: Option<String>,
    /// Point data of the solution; may be omitted if there is only one array.
    pub high: Vec<Pick>,
    /// Point data of the input, read from the first file of each input.
    pub input: Vec<Pick>,
    /// Point data of low fidelity, read from the first file of each input.
    pub low: Vec<Pick>,
    /// The pattern of separate low-fidelity files, as in `case_{input}/low.vtu`. Their mesh may
    /// differ.
    pub low_pattern: Option<String>,
    /// A CSV file of parameters, with the input in its first column; by default, single numbers in
    /// the field data are parameters.
    pub parameters: Option<PathBuf>,
    /// The title of the dataset.
    pub title: Option<String>,
}

/// The mesh files among these paths and in these folders, in natural order.
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
    // A Zarr store holds no mesh files of other programs.
    if depth == 0 || path.join("zarr.json").is_file() {
        return Ok(());
    }
    for entry in std::fs::read_dir(path).map_err(Error::io(path))? {
        let entry = entry.map_err(Error::io(path))?;
        gather(&entry.path(), depth - 1, files)?;
    }
    Ok(())
}

/// Reads the files and writes the dataset. The notes list what was left out of the first file, and
/// whether low fidelity had to be extrapolated.
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
