//! Meshes and their fields in the files of other programs.
//!
//! The reader of a format produces a [`raw::Raw`], from which `raw` makes a checked mesh. A count
//! stated in a file never makes a reader allocate memory unless the file contains that many bytes.

mod array;
mod arrays;
mod atomic;
mod base64_text;
mod cursor;
mod dual;
mod exodus;
mod gmsh;
mod legacy;
mod legacy_data;
mod located;
mod polygon;
mod pvd;
mod quadratic;
mod raw;
mod structured;
mod ugrid;
mod vtk_cell;
mod write;
mod xdmf;
mod xdmf_grids;
mod xdmf_items;
mod xdmf_topology;
mod xml;
mod xml_data;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

pub use array::Array;
pub use arrays::{Arrays, Attribute, Dimension, Variable};
pub use located::Wanted;
pub use pvd::{Step, read_pvd, write_pvd};
pub use write::write_vtu;
pub use xdmf::Heavy;

use crate::{Error, Mesh};

/// The contents of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshFile {
    /// The mesh.
    pub mesh: Mesh,
    /// Values at the points: [n, components] each.
    pub fields: Vec<Array>,
    /// Numbers of the whole file (VTK's field data): time, loads, settings.
    pub parameters: Vec<Array>,
    /// Units of fields and parameters by name, if the file states them.
    pub units: BTreeMap<String, String>,
    /// The unit of all coordinates, if the file states it.
    pub length: Option<String>,
    /// Names of cell values, which are left out.
    pub at_cells: Vec<String>,
    /// What was left out or changed while reading, one sentence each.
    pub notes: Vec<String>,
}

/// Reads a mesh with its fields: VTK's `.vtk`, `.vtu`, `.vtp`, `.vti`, `.vts`, `.vtr`, Gmsh's
/// `.msh`.
///
/// Only cells of the highest dimension are kept; others are the boundary. Points that are nodes of
/// none of these cells are left out with their values (Gmsh stores the centres of arcs). A constant
/// last coordinate is dropped. Values of cells are left out, because averages at points would be
/// another field. `notes` reports all of this.
///
/// # Errors
/// If the file cannot be read, is damaged, or contains unsupported cells, or if [`Mesh::new`]
/// refuses the mesh.
pub fn read(path: impl AsRef<Path>) -> Result<MeshFile, Error> {
    let path = path.as_ref();
    read_any(path).map_err(|error| error.in_file(path))
}

fn read_any(path: &Path) -> Result<MeshFile, Error> {
    let ending = path
        .extension()
        .and_then(|e| e.to_str())
        .unwrap_or_default();
    let reader = reader(ending)?;
    reader(&fs::read(path)?)?.into_file()
}

/// Reads the contents of a file from memory, like [`read`].
///
/// `ending` is the ending of the file's name, such as `vtu`.
///
/// # Errors
/// The errors of [`read`], without the name of a file.
pub fn read_bytes(ending: &str, bytes: &[u8]) -> Result<MeshFile, Error> {
    reader(ending)?(bytes)?.into_file()
}

/// Whether arrays contain a mesh by the conventions of UGRID or Exodus.
pub fn has_mesh(arrays: &dyn Arrays) -> bool {
    exodus::is_there(arrays) || ugrid::is_there(arrays)
}

/// Reads the mesh in arrays by the conventions of UGRID or Exodus, with its fields, like [`read`].
///
/// Of a field at several times the last one is taken; along other dimensions every index is taken:
/// see [`Wanted`].
///
/// # Errors
/// The errors of [`read`], without the name of a file; and if a requested time or index does not
/// exist.
pub fn read_arrays(arrays: &dyn Arrays, wanted: &[Wanted]) -> Result<MeshFile, Error> {
    let reader = match exodus::is_there(arrays) {
        true => exodus::read,
        false => ugrid::read,
    };
    reader(arrays, wanted)?.into_file()
}

/// Reads the contents of an XDMF file, like [`read`]; `heavy` reads the numbers in HDF5 files to
/// which it refers.
///
/// Of a collection over time, the fields at the last time are taken, and the requested ones. All
/// times must share one mesh.
///
/// # Errors
/// The errors of [`read`], without the name of a file; if the file includes others than those of
/// `heavy`; and if a requested time does not exist.
pub fn read_xdmf(text: &str, heavy: &Heavy, wanted: &[Wanted]) -> Result<MeshFile, Error> {
    xdmf::read(text, heavy, wanted)?.into_file()
}

type Reader = fn(&[u8]) -> Result<raw::Raw, Error>;

fn reader(ending: &str) -> Result<Reader, Error> {
    match ending.to_ascii_lowercase().as_str() {
        "vtk" => Ok(legacy::read),
        "vtu" | "vtp" | "vti" | "vts" | "vtr" => Ok(xml::read),
        "msh" => Ok(gmsh::read),
        _ => Err(Error::UnknownEnding),
    }
}
