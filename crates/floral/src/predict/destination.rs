//! Destination of predictions, by the ending of its name: a Zarr folder, or a single file that is
//! made from such a folder once it is complete.
//!
//! The predictions of a single file are first stored in a folder such as `out.nc.store`, so that an
//! interrupted job can continue. The complete file carries a mark of its plan, by which it is
//! recognised.

use std::path::{Path, PathBuf};

use super::{PredictionPlan, PredictionWriter, ugrid, vtk};
use crate::ranks::{Alone, Ranks, by_first};
use crate::storage::partial::partial_path;
use crate::storage::{FolderLock, SingleFile, has_mark, remove_folder};
use crate::{Advice, Error, Result};

/// The Zarr folder or file in which predictions are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination {
    path: PathBuf,
    file: Option<Form>,
}

/// The form into which a complete store is converted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Single(SingleFile),
    /// VTK files, for fields on a mesh.
    Vtk,
}

impl Form {
    fn write(self, store: &Path, path: &Path, mark: &str) -> Result<()> {
        match self {
            Self::Single(SingleFile::NetCdf) => {
                let ugrid = |names: &[&str]| ugrid::supplement(store, names);
                SingleFile::NetCdf.write_with(store, path, mark, ugrid)
            }
            Self::Single(file) => file.write(store, path, mark),
            Self::Vtk => vtk::write(store, path, mark),
        }
    }
}

impl Destination {
    /// A Zarr folder, or a single file if the name ends in `.npz`, `.nc`, `.vtu` or `.pvd`.
    pub fn new(path: &Path) -> Result<Self> {
        let ending = path.extension();
        let ending = ending.map(|end| end.to_string_lossy().to_ascii_lowercase());
        let file = match ending.as_deref() {
            None | Some("zarr") => None,
            Some("npz") => Some(Form::Single(SingleFile::Npz)),
            Some("nc") => Some(Form::Single(SingleFile::NetCdf)),
            Some("vtu" | "pvd") => Some(Form::Vtk),
            Some(other) => {
                return Err(Error::bad_file(
                    path,
                    format!(
                        "predictions are written as .zarr, .npz, .nc (NetCDF), .vtu or .pvd (VTK), \
                         not .{other}; choose one of these endings"
                    ),
                ));
            }
        };
        Ok(Self {
            path: path.to_owned(),
            file,
        })
    }

    /// Starts or continues predictions; returns `None` if the same predictions exist and are
    /// complete. With `force`, existing different or unfinished predictions are replaced.
    pub fn open(&self, plan: PredictionPlan, force: bool) -> Result<Option<PredictionWriter>> {
        self.open_across(&Alone::default(), plan, force)
    }

    /// [`open`](Self::open) for several ranks.
    pub fn open_across(
        &self,
        ranks: &dyn Ranks,
        plan: PredictionPlan,
        force: bool,
    ) -> Result<Option<PredictionWriter>> {
        let Some(file) = self.file else {
            return PredictionWriter::open_across(ranks, &self.path, plan, force);
        };
        if plan.shard != 1 {
            return Err(Error::config(
                "shards",
                format!(
                    "{} is a single file and cannot have shards; choose a name that ends in .zarr",
                    self.path.display()
                ),
            ));
        }
        if file == Form::Vtk {
            self.check_mesh(&plan)?;
        }
        let mark = plan.mark();
        if by_first(ranks, || self.is_there(&mark, force))? {
            return Ok(None);
        }
        let writer = PredictionWriter::open_across(ranks, &self.store(), plan, force)?;
        if writer.is_none() {
            // An interrupted job had finished everything except the conversion to a file.
            by_first(ranks, || self.convert(file, &mark).map(|()| true))?;
        }
        Ok(writer)
    }

    /// Refuses, before anything is computed, predictions that a VTK file cannot hold.
    fn check_mesh(&self, plan: &PredictionPlan) -> Result<()> {
        let reason = if plan.places.mesh_grid().is_none() {
            vtk::NO_MESH
        } else if plan.inputs.len() > 1 && !vtk::is_collection(&self.path) {
            "one .vtu file holds one input; choose a name that ends in .pvd for several"
        } else {
            return Ok(());
        };
        Err(Error::bad_file(self.path.clone(), reason))
    }

    /// Whether the complete file exists; a file with other contents is refused.
    fn is_there(&self, mark: &str, force: bool) -> Result<bool> {
        if !self.path.exists() || force {
            return Ok(false);
        }
        if !self.path.is_file() || !has_mark(&self.path, mark)? {
            return Err(self.taken());
        }
        self.clear_remains()?;
        Ok(true)
    }

    /// Removes the folders left by a process that was interrupted after it had made the file. A
    /// process that is still running holds the lock and removes them itself.
    fn clear_remains(&self) -> Result<()> {
        let store = self.store();
        let held = partial_path(&store)?;
        if !store.exists() && !held.exists() {
            return Ok(());
        }
        let Ok(_lock) = FolderLock::acquire(&held, "file") else {
            return Ok(());
        };
        remove_folder(&store)?;
        remove_folder(&held)
    }

    /// Completes the predictions that [`open`](Self::open) started.
    pub fn finish(&self, writer: PredictionWriter) -> Result<()> {
        self.finish_across(&Alone::default(), writer)
    }

    /// [`finish`](Self::finish) for several ranks, once all have stored their part.
    pub fn finish_across(&self, ranks: &dyn Ranks, writer: PredictionWriter) -> Result<()> {
        let finish = || {
            let mark = writer.plan().mark();
            writer.finish()?;
            match self.file {
                None => Ok(true),
                Some(file) => self.convert(file, &mark).map(|()| true),
            }
        };
        by_first(ranks, finish).map(drop)
    }

    /// Makes the file under a lock: if another process removed the folder meanwhile, parts of the
    /// file would be missing.
    fn convert(&self, file: Form, mark: &str) -> Result<()> {
        let store = self.store();
        let held = partial_path(&store)?;
        let _lock = FolderLock::acquire(&held, "file")?;
        let was_made = !store.exists() && self.path.is_file() && has_mark(&self.path, mark)?;
        if !was_made {
            file.write(&store, &self.path, mark)?;
            remove_folder(&store)?;
        }
        remove_folder(&held)
    }

    /// The folder from which the file is made.
    fn store(&self) -> PathBuf {
        let mut name = self.path.file_name().unwrap_or_default().to_owned();
        name.push(".store");
        self.path.with_file_name(name)
    }

    fn taken(&self) -> Error {
        Error::bad_file(
            self.path.clone(),
            "exists and holds something else than these predictions",
        )
        .advised(Advice::Replace)
    }
}
