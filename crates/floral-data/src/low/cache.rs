//! Cache of a solver's results, keyed by the checksum of its inputs: in memory, and optionally in a
//! folder.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use floral_mesh::Mesh;

use super::exchange;
use crate::grid::Domain;
use crate::storage::create_folder;
use crate::{Axis, Checksum, Error, Field, Grid, Result};

/// Solutions by checksum.
#[derive(Default)]
pub(super) struct Cache {
    folder: Option<PathBuf>,
    memory: Mutex<HashMap<String, Field>>,
}

impl Cache {
    pub(super) fn in_folder(folder: &Path) -> Self {
        Self {
            folder: Some(folder.to_owned()),
            memory: Mutex::default(),
        }
    }

    pub(super) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The solution with this name. An unreadable file counts as absent and is written again.
    pub(super) fn find(&self, name: &str, channels: usize, grid: &Grid) -> Option<Field> {
        let found = self.memory().get(name).cloned();
        if found.is_some() {
            return found;
        }
        let path = self.path(name).filter(|path| path.is_file())?;
        let found = exchange::read_low(&path, Some(channels), grid).ok()?;
        self.memory().insert(name.to_owned(), found.clone());
        Some(found)
    }

    pub(super) fn keep(&self, name: &str, low: &Field) -> Result<()> {
        self.memory().insert(name.to_owned(), low.clone());
        let Some(path) = self.path(name) else {
            return Ok(());
        };
        let made = path.parent().map_or(Ok(()), create_folder);
        let written = made.and_then(|()| exchange::write_low(&path, low));
        match written {
            // A prediction from a run without write access works without the cache.
            Err(Error::Io { source, .. }) if is_read_only(source.kind()) => Ok(()),
            other => other,
        }
    }

    fn path(&self, name: &str) -> Option<PathBuf> {
        let folder = self.folder.as_ref()?;
        Some(folder.join(format!("{name}.npz")))
    }

    fn memory(&self) -> std::sync::MutexGuard<'_, HashMap<String, Field>> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_read_only(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem
    )
}

/// The cache key of a solver's solution of an input: the solver, the grid and the values.
pub(super) fn name(solver: &str, input: &Field, grid: &Grid) -> String {
    let sum = Checksum::default().bytes(solver.as_bytes());
    let sum = grid.axes.iter().fold(sum, with_axis);
    let sum = grid.mesh().map_or(sum, |mesh| with_mesh(sum, mesh));
    sum.numbers(input.values()).to_string()
}

fn with_axis(sum: Checksum, axis: &Axis) -> Checksum {
    let sum = sum.bytes(axis.name.as_bytes()).numbers(&axis.coordinates);
    // A domain that follows from the coordinates adds nothing, so that older caches stay valid.
    let Domain { kind, from, to } = axis.domain;
    if axis.domain == Domain::of_coordinates(&axis.coordinates) {
        return sum;
    }
    sum.bytes(format!("{kind:?}").as_bytes())
        .numbers(&[from, to])
}

/// The axis of a mesh only counts its points, so the key contains points and cells.
fn with_mesh(sum: Checksum, mesh: &Mesh) -> Checksum {
    let points = mesh.points();
    let sum = sum
        .numbers(&[points.dimension() as f64])
        .numbers(&points.coordinates());
    mesh.cells().iter().fold(sum, |sum, block| {
        let nodes: Vec<f64> = block.nodes().iter().map(|node| *node as f64).collect();
        sum.bytes(block.kind().name().as_bytes()).numbers(&nodes)
    })
}
