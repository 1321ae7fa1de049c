//! Point data and parameters of a mesh file.

use std::path::Path;

use floral_mesh::{Array, MeshFile};

use crate::dataset::import::Pick;
use crate::{Error, Quantity, Result};

/// Largest number of names of cell data in a message.
const MOST_NAMES: usize = 8;

pub(super) fn array<'a>(path: &Path, file: &'a MeshFile, pick: &Pick) -> Result<&'a Array> {
    let name = pick.to_string();
    let found = file.fields.iter().find(|array| array.name == name);
    found.ok_or_else(|| {
        let (names, advice) = (names_of(file), advice_on_cells(file));
        Error::bad_file(
            path,
            format!("has no point data {name:?}, but ({names}){advice}"),
        )
    })
}

/// The names of all point data.
pub(super) fn names_of(file: &MeshFile) -> String {
    let names: Vec<&str> = file.fields.iter().map(|f| f.name.as_str()).collect();
    names.join(", ")
}

/// How to use cell data, if there are any.
pub(super) fn advice_on_cells(file: &MeshFile) -> String {
    match &file.at_cells[..] {
        [] => String::new(),
        names => format!(
            "; values of cells ({}{}) are not read: convert them to values of points (in ParaView: Cell Data to \
             Point Data), or give the centres of the cells as points from Python",
            names[..names.len().min(MOST_NAMES)].join(", "),
            if names.len() > MOST_NAMES {
                ", ..."
            } else {
                ""
            }
        ),
    }
}

/// Number of components that are kept: VTK pads vectors in the plane with zeros.
pub(super) fn components(array: &Array, dimension: usize) -> usize {
    let is_zero = |value: &[f64]| value[dimension..].iter().all(|c| *c == 0.0);
    match array.components {
        3 if dimension < 3 && array.values.chunks_exact(3).all(is_zero) => dimension,
        components => components,
    }
}

/// The channels of point data, one per component.
pub(super) fn quantities(name: &str, array: &Array, file: &MeshFile) -> Vec<Quantity> {
    let kept = components(array, file.mesh.points().dimension());
    let quantity = |name: &str| Quantity {
        units: file.units.get(&array.name).cloned(),
        ..Quantity::named(name)
    };
    if kept == 1 {
        return vec![quantity(name)];
    }
    let name = |i: usize| match ["x", "y", "z"].get(i).filter(|_| kept <= 3) {
        Some(axis) => format!("{name}_{axis}"),
        None => format!("{name}_{i}"),
    };
    (0..kept).map(|i| quantity(&name(i))).collect()
}

/// Parameters from the field data.
pub(super) fn numbers(path: &Path, file: &MeshFile, names: &[String]) -> Result<Vec<f64>> {
    let number = |name: &String| {
        let found = file.parameters.iter().find(|array| &array.name == name);
        match found.map(|array| &array.values[..]) {
            Some([one]) if one.is_finite() => Ok(*one),
            Some(values) => Err(Error::bad_file(
                path,
                format!("the field data {name} is {values:?}; give one number"),
            )),
            None => Err(Error::bad_file(
                path,
                format!("has no field data {name}, which the first file has"),
            )),
        }
    };
    names.iter().map(number).collect()
}
