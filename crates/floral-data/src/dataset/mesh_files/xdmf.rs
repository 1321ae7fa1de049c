//! XDMF files, and the HDF5 files in the same folder that hold their numbers.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use floral_mesh::{Error as MeshError, MeshFile, Wanted};

use super::budget::Budget;
use super::netcdf::reason;
use crate::dataset::import::source::{self, Source};
use crate::{Error, Result};

/// Reads a file; its HDF5 files are searched only in its folder.
pub(super) fn read(path: &Path, wanted: &[Wanted]) -> Result<MeshFile> {
    let text = std::fs::read(path).map_err(Error::io(path))?;
    let text = String::from_utf8(text)
        .map_err(|error| Error::bad_file(path, format!("is not text: {error}")))?;
    let beside = Beside::new(path);
    let found = floral_mesh::read_xdmf(&text, &|file, inner| beside.numbers(file, inner), wanted);
    found.map_err(|error| Error::bad_file(path, error.to_string()))
}

/// The HDF5 files of an XDMF file, by the names used there.
struct Beside {
    folder: PathBuf,
    open: RefCell<HashMap<String, (Source, Budget)>>,
}

impl Beside {
    fn new(path: &Path) -> Self {
        let folder = path.parent().filter(|own| !own.as_os_str().is_empty());
        Self {
            folder: folder.unwrap_or(Path::new(".")).to_owned(),
            open: RefCell::default(),
        }
    }

    /// The numbers of an array, by its path in a file.
    fn numbers(&self, file: &str, inner: &str) -> std::result::Result<Vec<f64>, MeshError> {
        let refuse = |reason: String| MeshError::Format(format!("{file}: {reason}"));
        let mut open = self.open.borrow_mut();
        if !open.contains_key(file) {
            let path = self.place(file).map_err(MeshError::Format)?;
            let source = source::open_file(&path).map_err(|error| refuse(reason(error)))?;
            let budget = Budget::of(&path).map_err(|error| refuse(reason(error)))?;
            open.insert(file.to_owned(), (source, budget));
        }
        let (source, budget) = &open[file];
        let position = source.variables.iter().position(|own| own.name == inner);
        let Some(position) = position else {
            return Err(refuse(format!("has no array /{inner}; export it again")));
        };
        let shape = &source.variables[position].shape;
        budget.take(shape.iter().copied())?;
        let values = source.read_all(position);
        values.map_err(|error| refuse(reason(error)))
    }

    /// The path of a file; refused outside the folder, so that a description cannot cause other
    /// files to be read.
    fn place(&self, file: &str) -> std::result::Result<PathBuf, String> {
        let name = Path::new(file);
        let is_below = name
            .components()
            .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        let refused = || {
            format!(
                "names numbers in {file}, which is not in its folder; move that file beside it and name it \
                 without its path"
            )
        };
        if !is_below || file.is_empty() {
            return Err(refused());
        }
        let path = self.folder.join(name);
        let whole = |path: &Path| {
            let found = path.canonicalize();
            found.map_err(|error| {
                format!(
                    "names numbers in {}, which cannot be opened ({error})",
                    path.display()
                )
            })
        };
        // A symbolic link may point elsewhere.
        match whole(&path)?.starts_with(whole(&self.folder)?) {
            true => Ok(path),
            false => Err(refused()),
        }
    }
}
