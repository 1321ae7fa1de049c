//! Files with meshes of every format, by their endings and contents.

use std::path::Path;

use floral_mesh::{MeshFile, Wanted};

use super::netcdf::{self, NetCdf};
use super::xdmf;
use crate::dataset::import::{Along, Pick};
use crate::{Error, Result};

/// Endings of files that always hold meshes; those of NetCDF may hold others.
pub(super) const ENDINGS: [&str; 9] = [
    "vtu", "vtk", "vtp", "vti", "vts", "vtr", "msh", "xdmf", "xmf",
];

/// Whether a path is that of a file with a mesh; NetCDF files are opened to see.
pub fn is_mesh_file(path: &Path) -> bool {
    let ending = ending(path);
    ENDINGS.contains(&ending.as_str()) || (netcdf::is_named(&ending) && netcdf::has_mesh(path))
}

/// Reads a mesh with its fields, and with those of other times that are picked.
pub fn read_mesh(path: &Path, picks: &[Pick]) -> Result<MeshFile> {
    let wanted: Vec<Wanted> = picks.iter().map(wanted).collect::<Result<_>>()?;
    let ending = ending(path);
    let bad = |error: floral_mesh::Error| Error::bad_file(path, error.to_string());
    if netcdf::is_named(&ending) {
        let file = NetCdf::open(path)?;
        return floral_mesh::read_arrays(&file, &wanted).map_err(bad);
    }
    if matches!(ending.as_str(), "xdmf" | "xmf") {
        return xdmf::read(path, &wanted);
    }
    floral_mesh::read(path).map_err(|error| Error::config("import", error.to_string()))
}

/// A field as it is picked: an index along each dimension that is named.
fn wanted(pick: &Pick) -> Result<Wanted> {
    let index = |(dimension, taken): &(String, Along)| match taken {
        Along::Index(index) => Ok((dimension.clone(), *index)),
        Along::Range { .. } => Err(Error::config(
            pick.to_string(),
            "a field on a mesh is at one time; give one index, as in u[t=-1]",
        )),
    };
    let along = pick.along.iter().map(index);
    Ok(Wanted {
        field: pick.name.clone(),
        along: along.collect::<Result<_>>()?,
        label: pick.to_string(),
    })
}

/// How a name ends, in small letters.
fn ending(path: &Path) -> String {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.unwrap_or_default().to_ascii_lowercase()
}
