//! Domains that are not grids: points with weights and neighbours.
//!
//! A [`Mesh`] is [`Points`] [n, d] with or without [`Cells`], checked on construction. It provides
//! quadrature [weights](Mesh::weights), [neighbours](Mesh::neighbours),
//! [smoothing](Mesh::smoothing) and [gradients](Mesh::gradients) as [`Sparse`] matrices,
//! [`interpolation`] to other points, and the [surface](Mesh::surface) for drawing. [`read`] reads
//! meshes with their fields from files of VTK and Gmsh, [`read_arrays`] from arrays of UGRID and
//! Exodus, [`read_xdmf`] from XDMF; [`write_vtu`] and [`write_pvd`] write files for ParaView.

mod boxes;
mod cell;
mod cells;
mod check;
mod error;
mod file;
mod fit;
mod gradient;
mod interpolation;
mod measure;
mod mesh;
mod neighbours;
mod points;
mod simplex;
mod smoothing;
mod sparse;
mod surface;
mod tree;
mod weights;

pub use cell::CellKind;
pub use cells::Cells;
pub use check::highest_dimension;
pub use error::Error;
pub use file::{
    Array, Arrays, Attribute, Dimension, Heavy, MeshFile, Step, Variable, Wanted, has_mesh, read,
    read_arrays, read_bytes, read_pvd, read_xdmf, write_pvd, write_vtu,
};
pub use interpolation::{Interpolation, interpolation};
pub use mesh::Mesh;
pub use points::Points;
pub use smoothing::Smoothing;
pub use sparse::Sparse;
pub use surface::Surface;
