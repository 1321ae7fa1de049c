//! Reads mesh files of every format, recognised by extension and contents.

use std::path::Path;

use floral_mesh::{MeshFile, Wanted};

use super::netcdf::{self, NetCdf};
use super::xdmf;
use crate::dataset::file_names::ending;
use crate::dataset::import::{Along, Pick};
use crate::{Error, Result};

/// Extensions of files that always hold a mesh; NetCDF files may hold other data.
pub(super) const ENDINGS: [&str; 9] = [
    "vtu", "vtk", "vtp", "vti", "vts", "vtr", "msh", "xdmf", "xmf",
];

/// Whether a path is a mesh file; NetCDF files are opened to find out.
pub fn is_mesh_file(path: &Path) -> bool {
    let ending = ending(path);
    ENDINGS.contains(&ending.as_str()) || (netcdf::is_named(&ending) && netcdf::has_mesh(path))
}

/// Reads a mesh with its fields, including the picked fields at other times.
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

/// A picked field: one index along each named dimension.
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
