//! The mesh of a dataset as arrays: `points` [point, dimension], and `cells_triangle` [cell, node]
//! for triangles, with one such array per kind of cell.

use floral_mesh::{CellKind, Cells, Mesh, Points};
use serde_json::{Map, Value};

use super::layout::{CELLS, DIMENSION_DIMENSION, POINTS};
use crate::grid::POINT;
use crate::storage::{Group, StoredArray, array_metadata};
use crate::{Grid, Result};

/// Largest number of cells of one kind, 2^24.
const MOST: usize = 1 << 24;

/// The arrays of a grid's mesh, if it has one.
pub fn arrays(grid: &Grid) -> Map<String, Value> {
    let mut arrays = Map::new();
    let Some(mesh) = grid.mesh() else {
        return arrays;
    };
    let points = mesh.points();
    let dimensions = [
        (POINT, points.count()),
        (DIMENSION_DIMENSION, points.dimension()),
    ];
    let mut array = array_metadata::box_of_coordinates(&dimensions, "coordinates of the points");
    if let Some(units) = &grid.axes[0].units {
        array_metadata::set(&mut array, array_metadata::UNITS, units);
    }
    arrays.insert(POINTS.to_owned(), array);
    for block in mesh.cells() {
        let kind = block.kind();
        let (name, rows) = (array_of(kind), format!("cell_{}", kind.name()));
        let nodes = format!("node_{}", kind.name());
        let dimensions = [
            (rows.as_str(), block.count()),
            (nodes.as_str(), kind.nodes()),
        ];
        let meaning = "points of each cell, counted from 0, in the order of VTK";
        arrays.insert(name, array_metadata::indices(&dimensions, meaning));
    }
    arrays
}

/// Writes the arrays of a grid's mesh.
pub fn write(group: &Group, grid: &Grid) -> Result<()> {
    let Some(mesh) = grid.mesh() else {
        return Ok(());
    };
    group.write_coordinates(POINTS, &mesh.points().coordinates())?;
    for block in mesh.cells() {
        group.write_indices(&array_of(block.kind()), block.nodes())?;
    }
    Ok(())
}

/// The mesh with these `count` points; `open` opens an array by name.
pub fn read(
    points: &StoredArray,
    count: usize,
    open: impl Fn(&str) -> Result<Option<StoredArray>>,
) -> Result<Mesh> {
    let dimension = match points.shape()[..] {
        [found, dimension] if found == count && dimension <= 3 => dimension,
        _ => return Err(points.misshapen(vec![count, 2])),
    };
    let faulty = |array: &StoredArray, error: floral_mesh::Error| array.bad(&error.to_string());
    let coordinates = points.read(0..count)?;
    let coordinates = Points::new(&coordinates, dimension).map_err(|e| faulty(points, e))?;
    let mut blocks = Vec::new();
    for kind in CellKind::ALL {
        let Some(array) = open(&array_of(kind))? else {
            continue;
        };
        let block = Cells::new(kind, nodes(&array, kind)?).map_err(|e| faulty(&array, e))?;
        blocks.push(block);
    }
    Mesh::new(coordinates, blocks).map_err(|error| faulty(points, error))
}

/// The nodes of the cells in an array.
fn nodes(array: &StoredArray, kind: CellKind) -> Result<Vec<usize>> {
    let cells = match array.shape()[..] {
        [cells, nodes] if nodes == kind.nodes() && cells <= MOST => cells,
        _ => return Err(array.misshapen(vec![array.shape()[0].min(MOST), kind.nodes()])),
    };
    let values = array.read(0..cells)?;
    let is_index = |value: &f64| (0.0..=MOST as f64).contains(value) && value.fract() == 0.0;
    match values.iter().position(|value| !is_index(value)) {
        None => Ok(values.into_iter().map(|value| value as usize).collect()),
        Some(at) => Err(array.bad(&format!(
            "cell {} has the node {}, which is no index of a point",
            at / kind.nodes(),
            values[at]
        ))),
    }
}

fn array_of(kind: CellKind) -> String {
    format!("{CELLS}{}", kind.name())
}
