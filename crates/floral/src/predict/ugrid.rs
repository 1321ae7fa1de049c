//! UGRID mesh topology for NetCDF files of predictions on a mesh.

use std::path::Path;

use crate::Result;
use crate::dataset::layout::POINTS;
use crate::dataset::{mesh, ugrid};
use crate::storage::array_metadata::UNITS;
use crate::storage::{StoredArray, Supplement};

/// The topology of the mesh in a store with arrays of these names; `None` for predictions on a
/// grid.
pub(super) fn supplement(store: &Path, names: &[&str]) -> Result<Option<Supplement>> {
    let open = StoredArray::opener(store)?;
    let Some(points) = open(POINTS)? else {
        return Ok(None);
    };
    let found = mesh::read(&points, points.shape()[0], &open)?;
    let units = points.attribute(UNITS).and_then(|units| units.as_str());
    Ok(ugrid::supplement(&found, units, names))
}
