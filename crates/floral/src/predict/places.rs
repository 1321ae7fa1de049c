//! The places at which predictions are stored, a grid or points, as dimensions and coordinates of
//! the arrays in `prediction_store.rs`.

use serde_json::Value;

use crate::dataset::layout::dimensions;
use crate::dataset::mesh;
use crate::storage::{Dimension, array_metadata};
use crate::{Grid, Points};

const POINT_DIMENSION: &str = "point";

/// Places at which predictions are stored.
#[derive(Debug, Clone)]
pub enum Places {
    /// Every point of a grid.
    Grid(Grid),
    /// Arbitrary points.
    Points(Points),
}

impl Places {
    /// Coordinates by the name of their axis.
    pub(super) fn coordinates(&self) -> Vec<(&str, &Vec<f64>)> {
        match self {
            // The points of a mesh are not coordinates along an axis.
            Self::Grid(grid) if grid.mesh().is_some() => Vec::new(),
            Self::Grid(grid) => {
                let axes = grid.axes.iter();
                axes.map(|axis| (axis.name.as_str(), &axis.coordinates))
                    .collect()
            }
            Self::Points(points) => {
                let axes = points.axes.iter();
                axes.map(|(name, along)| (name.as_str(), along)).collect()
            }
        }
    }

    /// The dimensions of values, after the channel.
    pub(super) fn dimensions(&self) -> Vec<Dimension<'_>> {
        match self {
            Self::Grid(grid) => dimensions(grid),
            Self::Points(points) => vec![(POINT_DIMENSION, points.len())],
        }
    }

    /// The metadata of the coordinates by the name of their array.
    pub(super) fn axes(&self) -> Vec<(String, Value)> {
        match self {
            Self::Grid(grid) if grid.mesh().is_some() => mesh::arrays(grid).into_iter().collect(),
            Self::Grid(grid) => {
                let axes = grid.axes.iter();
                axes.map(|axis| (axis.name.clone(), array_metadata::axis(axis)))
                    .collect()
            }
            Self::Points(points) => {
                let dimension = (POINT_DIMENSION, points.len());
                let axes = points.axes.iter();
                let units = points.units.iter().map(Option::as_deref);
                let units = units.chain(std::iter::repeat(None));
                axes.zip(units)
                    .map(|((name, _), units)| {
                        let array = array_metadata::scattered(name, units, dimension);
                        (name.clone(), array)
                    })
                    .collect()
            }
        }
    }

    /// The grid, if its points are those of a mesh.
    pub(super) fn mesh_grid(&self) -> Option<&Grid> {
        match self {
            Self::Grid(grid) => Some(grid).filter(|grid| grid.mesh().is_some()),
            Self::Points(_) => None,
        }
    }

    /// Adds the attribute by which xarray finds arrays that are coordinates: those of the points,
    /// whose names are not dimensions, and `others`.
    pub(super) fn mark(&self, mut values: Value, others: &[&str]) -> Value {
        let points = match self {
            Self::Points(points) => points.axes.as_slice(),
            Self::Grid(_) => &[],
        };
        let names = points.iter().map(|(name, _)| name.as_str());
        let names: Vec<&str> = names.chain(others.iter().copied()).collect();
        if !names.is_empty() {
            array_metadata::set(&mut values, "coordinates", &names.join(" "));
        }
        values
    }
}
