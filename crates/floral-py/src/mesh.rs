//! Meshes of points and cells, which are validated, and VTU files of fields on them.

use std::path::PathBuf;

use floral::Grid;
use floral::mesh::{self, Array, CellKind, Cells, Points};
use numpy::{PyArrayDyn, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::{Doubles, Returned, array};

/// Cells of one kind: the name of the kind, and nodes [cell, node].
type Block<'a, 'py> = (&'a str, Bound<'py, PyArrayDyn<i64>>);

/// A mesh.
#[pyclass(frozen, module = "floral._floral")]
pub struct Mesh(Grid);

impl Mesh {
    /// The mesh of a grid; `None` if the grid is not on a mesh.
    pub fn of_grid(grid: &Grid) -> Option<Self> {
        grid.mesh().map(|_| Self(grid.clone()))
    }

    /// The grid of the mesh's points, with the axis given in `axes`.
    pub fn grid(&self, axes: Vec<floral::Axis>) -> Grid {
        self.0.with_axes(axes)
    }

    fn mesh(&self) -> &mesh::Mesh {
        self.0.mesh().expect("made only of grids on a mesh")
    }
}

/// The grid of these axes, or of the points of a mesh.
pub fn grid(axes: Vec<floral::Axis>, mesh: Option<&Bound<'_, Mesh>>) -> Grid {
    match mesh {
        Some(mesh) => mesh.get().grid(axes),
        None => Grid::new(axes),
    }
}

fn faulty(error: mesh::Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

#[pymethods]
impl Mesh {
    /// A mesh from points [point, dimension] and cells [cell, node] by kind.
    #[new]
    fn new(
        points: Doubles<'_>,
        cells: Vec<(String, PyReadonlyArrayDyn<'_, i64>)>,
    ) -> PyResult<Self> {
        let dimension = points.shape().get(1).copied().unwrap_or(1);
        let points = Points::new(points.as_slice()?, dimension).map_err(faulty)?;
        let blocks = cells.iter().map(|(kind, nodes)| block(kind, nodes));
        let blocks = blocks.collect::<PyResult<Vec<_>>>()?;
        let mesh = mesh::Mesh::new(points, blocks).map_err(faulty)?;
        Ok(Self(Grid::on_mesh(mesh)))
    }

    /// [point, dimension]
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> Returned<'py> {
        let points = self.mesh().points();
        let shape = [points.count(), points.dimension()];
        array(py, &shape, points.coordinates())
    }

    /// Cells [cell, node] by kind.
    #[getter]
    fn cells<'a, 'py>(&'a self, py: Python<'py>) -> PyResult<Vec<Block<'a, 'py>>> {
        let blocks = self.mesh().cells().iter();
        let block = |block: &Cells| {
            let nodes = block.nodes().iter().map(|node| *node as i64).collect();
            let shape = [block.count(), block.kind().nodes()];
            Ok((block.kind().name(), array(py, &shape, nodes)?))
        };
        blocks.map(block).collect()
    }

    /// The triangles to draw: of all cells, or of the boundary of volume cells.
    #[getter]
    fn triangles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<i64>>> {
        let triangles = self.mesh().surface().triangles;
        let nodes = triangles.as_flattened().iter().map(|node| *node as i64);
        array(py, &[triangles.len(), 3], nodes.collect())
    }

    /// Quadrature weights of the points, normalised to mean 1.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> Returned<'py> {
        let weights = self.0.weights().unwrap_or_default().to_vec();
        array(py, &[weights.len()], weights)
    }

    /// The axis along which the points are numbered, as JSON.
    #[getter]
    fn axes(&self) -> PyResult<String> {
        crate::arrays::to_json(&self.0.axes)
    }

    /// Interpolates fields [.., point] to the points of another mesh: linearly in cells, or from
    /// neighbouring points if there are none. Also returns how many points lie outside, and their
    /// largest distance.
    fn to<'py>(
        &self,
        py: Python<'py>,
        other: &Bound<'_, Self>,
        fields: Doubles<'_>,
    ) -> PyResult<(Bound<'py, PyArrayDyn<f64>>, usize, f64)> {
        let found = mesh::interpolation(self.mesh(), other.get().mesh().points());
        let found = found.map_err(faulty)?;
        let own = self.mesh().points().count();
        let brought = fields
            .as_slice()?
            .chunks_exact(own)
            .flat_map(|f| found.matrix.apply(f));
        let mut shape = fields.shape().to_vec();
        match shape.last_mut().filter(|last| **last == own) {
            Some(last) => *last = other.get().mesh().points().count(),
            None => {
                return Err(PyValueError::new_err(format!(
                    "the fields have the shape {:?}, but their mesh has {own} points",
                    fields.shape()
                )));
            }
        }
        let values = array(py, &shape, brought.collect())?;
        Ok((values, found.outside, found.farthest))
    }

    /// Whether axis, points and cells are the same.
    fn same(&self, other: &Bound<'_, Self>) -> bool {
        self.0.coincides(&other.get().0)
    }

    /// Writes fields [point] by name as a VTU file.
    fn write_vtu(&self, path: PathBuf, fields: Vec<(String, Doubles<'_>)>) -> PyResult<()> {
        let fields = fields.iter().map(|(name, values)| {
            let values = values.as_slice()?.to_vec();
            Ok(Array::scalar(name.as_str(), values))
        });
        let fields = fields.collect::<PyResult<Vec<_>>>()?;
        mesh::write_vtu(path, self.mesh(), &fields, &[]).map_err(faulty)
    }
}

fn block(kind: &str, nodes: &PyReadonlyArrayDyn<'_, i64>) -> PyResult<Cells> {
    let known = || CellKind::ALL.map(CellKind::name).join(", ");
    let of_name = CellKind::of_name(kind).ok_or_else(|| {
        PyValueError::new_err(format!(
            "cells {kind:?} are unknown; choose among {}",
            known()
        ))
    })?;
    let width = nodes.shape().get(1).copied().unwrap_or(0);
    if nodes.shape().len() != 2 || width != of_name.nodes() {
        return Err(PyValueError::new_err(format!(
            "cells {kind} have the shape {:?}; give [cell, {}]",
            nodes.shape(),
            of_name.nodes()
        )));
    }
    let index = |(at, node): (usize, &i64)| {
        usize::try_from(*node).map_err(|_| {
            let cell = at / width;
            PyValueError::new_err(format!(
                "cell {cell} of kind {kind} has the node {node}; nodes are counted from 0"
            ))
        })
    };
    let indices = nodes.as_slice()?.iter().enumerate().map(index);
    Cells::new(of_name, indices.collect::<PyResult<Vec<_>>>()?).map_err(faulty)
}
