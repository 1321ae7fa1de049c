//! Errors of a mesh or its file.

use std::io;
use std::path::PathBuf;

use crate::CellKind;

/// What is wrong with a mesh or a file, where, and what to do.
///
/// Points and cells are counted from zero; a cell is counted within its block of cells of one kind.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There are no points.
    #[error("there are no points; a mesh needs at least one")]
    NoPoints,
    /// Points have no coordinates, or more than three.
    #[error("points have {dimension} coordinates; give 1, 2 or 3")]
    PointDimension {
        /// Coordinates per point.
        dimension: usize,
    },
    /// The numbers do not make whole points.
    #[error(
        "{numbers} numbers are not points of {dimension} coordinates; give an array [n, {dimension}]"
    )]
    Coordinates {
        /// Number of values given.
        numbers: usize,
        /// Coordinates per point.
        dimension: usize,
    },
    /// More points than 32-bit indices can count.
    #[error("there are {count} points, more than 4294967295; use a coarser mesh")]
    TooManyPoints {
        /// Number of points.
        count: usize,
    },
    /// A coordinate is NaN, infinite or beyond 1e100.
    #[error(
        "coordinate {axis} of point {point} is {value}; coordinates must be finite and below 1e100"
    )]
    NotFinite {
        /// The point.
        point: usize,
        /// Its coordinate, from zero.
        axis: usize,
        /// The value.
        value: f64,
    },
    /// Two points coincide.
    #[error(
        "points {first} and {second} are the same; merge them, with their values \
         (in ParaView: Clean to Grid)"
    )]
    DuplicatePoints {
        /// The point with the lower index.
        first: usize,
        /// The other.
        second: usize,
    },
    /// A point belongs to no cell, so that its weight would be zero.
    #[error(
        "point {point} is a node of no cell ({count} such points), so its value would have no weight; \
         remove these points and their values"
    )]
    UnusedPoint {
        /// The first of them.
        point: usize,
        /// Number of such points.
        count: usize,
    },
    /// The indices do not make whole cells.
    #[error("{numbers} nodes do not make whole cells of kind {}, of {} nodes each", kind.name(), kind.nodes())]
    Nodes {
        /// The kind of the cells.
        kind: CellKind,
        /// Number of indices.
        numbers: usize,
    },
    /// A cell has a node beyond the last point.
    #[error(
        "{} {cell} has node {node}, but there are {points} points; indices count from zero",
        kind.name()
    )]
    NodeOutOfRange {
        /// The kind of the cell.
        kind: CellKind,
        /// The cell.
        cell: usize,
        /// The index that is too large.
        node: usize,
        /// Number of points.
        points: usize,
    },
    /// A cell has the same node twice.
    #[error(
        "{} {cell} has node {node} twice; give a collapsed cell as the kind that it is, \
         or remove it",
        kind.name()
    )]
    RepeatedNode {
        /// The kind of the cell.
        kind: CellKind,
        /// The cell.
        cell: usize,
        /// The node.
        node: usize,
    },
    /// Two cells have the same nodes, so that their region would count twice.
    #[error("cells {first} and {second} of kind {} have the same nodes; remove one", kind.name())]
    DuplicateCells {
        /// The kind of the cells.
        kind: CellKind,
        /// The cell with the lower index.
        first: usize,
        /// The other.
        second: usize,
    },
    /// A cell whose length, area or volume is zero.
    #[error("{} {cell} has measure zero; remove it or move its nodes", kind.name())]
    ZeroMeasure {
        /// The kind of the cell.
        kind: CellKind,
        /// The cell.
        cell: usize,
    },
    /// A cell that folds over itself.
    #[error(
        "{} {cell} is partly inverted: its nodes are not listed around the border (as VTK and Gmsh order them), or it is folded; reorder or remesh",
        kind.name()
    )]
    Tangled {
        /// The kind of the cell.
        kind: CellKind,
        /// The cell.
        cell: usize,
    },
    /// Cells of a higher dimension than the points.
    #[error(
        "cells of kind {} need points of at least {} coordinates; these have {dimension}",
        kind.name(), kind.dimension()
    )]
    CellDimension {
        /// The kind of the cells.
        kind: CellKind,
        /// Coordinates per point.
        dimension: usize,
    },
    /// Cells of two topological dimensions.
    #[error(
        "cells of kinds {} and {} differ in dimension; give only those of the domain \
         (see highest_dimension), not its boundary",
        first.name(), second.name()
    )]
    MixedDimensions {
        /// The kind of the first block.
        first: CellKind,
        /// The first kind of another dimension.
        second: CellKind,
    },
    /// Points to interpolate at have another number of coordinates than the mesh.
    #[error("the mesh has {from} coordinates but the points have {to}; both need the same")]
    DimensionsDiffer {
        /// Coordinates per point of the mesh.
        from: usize,
        /// Coordinates per point to interpolate at.
        to: usize,
    },
    /// Values that are not one row per point.
    #[error(
        "field {name} has {values} values; {points} points of {components} components need {}",
        points * components
    )]
    FieldLength {
        /// The name of the field.
        name: String,
        /// Number of values.
        values: usize,
        /// Points of the mesh.
        points: usize,
        /// Components per point.
        components: usize,
    },
    /// The ending of a file's name is not that of a supported format.
    #[error(
        "the ending of its name is not one of .vtk .vtu .vtp .vti .vts .vtr .msh; rename or convert it"
    )]
    UnknownEnding,
    /// The contents of a file are damaged or not supported.
    #[error("{0}")]
    Format(String),
    /// The operating system refuses to read or write.
    #[error("{0}")]
    System(#[from] io::Error),
    /// Any of the above, in a file.
    #[error("{}: {source}", path.display())]
    InFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<Error>,
    },
}

impl Error {
    /// The same error with the file where it occurred.
    pub(crate) fn in_file(self, path: impl Into<PathBuf>) -> Self {
        Self::InFile {
            path: path.into(),
            source: Box::new(self),
        }
    }
}

/// An error of a file's contents.
pub(crate) fn format(what: impl Into<String>) -> Error {
    Error::Format(what.into())
}
