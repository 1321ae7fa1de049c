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
use low_files::LowFiles;
use paths::grouped;
pub use read::{is_mesh_file, read_mesh};
use table::Table;

use super::Dataset;
use super::file_names::natural;
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
    notes.extend(built.outside.note());
    Ok((built.arrays.title(title).write(target)?, notes))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four points of a rectangle of this width, with a vector and a parameter.
    fn write(path: &Path, width: f64, velocity: [f64; 3]) {
        let [u, v, w] = velocity;
        let vectors = format!("{u} {v} {w}\n").repeat(4);
        let text = format!(
            "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nFIELD FieldData 1\nload 1 1 double\n\
             {u}\nPOINTS 4 double\n0 0 0\n{width} 0 0\n{width} 1 0\n0 1 0\nCELLS 2 8\n3 0 1 2\n3 0 2 3\n\
             CELL_TYPES 2\n5\n5\nPOINT_DATA 4\nVECTORS velocity double\n{vectors}"
        );
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn import(folder: &Path, options: &MeshOptions) -> Result<(Dataset, Vec<String>)> {
        let files = mesh_files(&[folder.to_owned()])?;
        import_meshes(&files, options, &folder.join("data.zarr"))
    }

    #[test]
    fn a_third_component_is_left_out_of_a_plane_mesh_only_if_it_is_zero() {
        let of = |third: [f64; 2]| {
            let folder = tempfile::tempdir().unwrap();
            for (i, w) in third.into_iter().enumerate() {
                let path = folder.path().join(format!("{i}.vtk"));
                write(&path, 1.0, [1.0 + i as f64, 2.0, w]);
            }
            let imported = import(folder.path(), &MeshOptions::default());
            imported.map(|(dataset, _)| dataset.quantities().solution.len())
        };
        assert_eq!(of([0.0, 0.0]).unwrap(), 2);
        assert_eq!(of([3.0, 0.0]).unwrap(), 3);
        let refusal = of([0.0, 3.0]).unwrap_err().to_string();
        assert!(refusal.contains("components"), "{refusal}");
    }

    #[test]
    fn the_note_on_extrapolation_covers_every_mesh_of_low_fidelity() {
        let folder = tempfile::tempdir().unwrap();
        for (i, width) in [0.5, 1.0].into_iter().enumerate() {
            let case = folder.path().join(format!("case_{i}"));
            let velocity = [1.0 + i as f64, 2.0, 0.0];
            write(&case.join("high.vtk"), 1.0, velocity);
            write(&case.join("low.vtk"), width, velocity);
        }
        let options = MeshOptions {
            pattern: Some("case_{input}/high.vtk".into()),
            low_pattern: Some("case_{input}/low.vtk".into()),
            ..MeshOptions::default()
        };
        let (_, notes) = import(folder.path(), &options).unwrap();
        assert!(
            notes
                .iter()
                .any(|note| note.contains("2 points lie outside")),
            "{notes:?}"
        );
    }
}
