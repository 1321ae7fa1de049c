//! Inputs on a mesh: unchanged if it is the run's mesh, otherwise interpolated; used by `mod.rs`.

use super::channels::conversion;
use super::{Alignment, Given, Verdict, on_grid};
use crate::Grid;
use crate::train::Header;
use crate::units::Conversion;
use floral_data::mesh::Mesh;

/// Largest distance of a point of the run's mesh from the input's mesh, as a share of the run's
/// extent; beyond it, the two domains are considered different.
const FARTHEST: f64 = 0.05;

/// Largest distance of a point of the input's mesh from the box around the run's, as a share of the
/// diagonal of that box. Python refuses points beyond the same share.
const FARTHEST_BEYOND: f64 = 0.1;

/// The alignment of inputs if they or the run are on a mesh.
pub(super) fn aligned(header: &Header, given: &Given) -> Verdict<Alignment> {
    let (run, grid) = (&header.grid, given.grid);
    let mut notes = Vec::new();
    let (Some(own), Some(mesh)) = (run.mesh(), grid.mesh()) else {
        let on = |grid: &Grid| match grid.mesh() {
            Some(mesh) => format!("a mesh of {} points", mesh.points().count()),
            None => format!("a grid {:?}", grid.shape()),
        };
        return Err(format!(
            "its fields live on {}, but the run was trained on {}; give inputs on the run's domain, or \
             parameters alone",
            on(grid),
            on(run)
        ));
    };
    let units = |grid: &Grid| grid.axes[0].units.clone();
    let conversion = conversion("points", &units(run), &units(grid), &mut notes)?;
    if conversion != Conversion::NONE {
        return Err(format!(
            "its points are in {}, the run's in {}; convert them to the run's units",
            units(grid).unwrap_or_default(),
            units(run).unwrap_or_default()
        ));
    }
    let mut seen = run.clone();
    if !run.coincides(grid) {
        let found = floral_data::mesh::interpolation(mesh, own.points());
        let found = found.map_err(|error| error.to_string())?;
        let (extent, beyond) = (diagonal(&sides(own)), beyond(mesh, own));
        let (count, theirs) = (own.points().count(), mesh.points().count());
        if found.farthest > FARTHEST * extent {
            return Err(format!(
                "its mesh of {theirs} points does not cover the run's: {} of {count} points lie outside, by \
                 up to {:.3e} of an extent of {extent:.3e}; give inputs on the run's domain, in its units",
                found.outside, found.farthest
            ));
        }
        if beyond > FARTHEST_BEYOND * extent {
            return Err(format!(
                "its mesh of {theirs} points reaches beyond the box around the run's, by up to {beyond:.3e} of \
                 an extent of {extent:.3e}; the run knows no solution there: give inputs on the run's domain, \
                 in its units"
            ));
        }
        notes.push(format!(
            "its mesh of {theirs} points is not the run's of {count}: fields are interpolated; {} of the \
             run's points lie outside of it, by up to {:.1e} of an extent of {extent:.3e}",
            found.outside, found.farthest
        ));
        seen = grid.clone();
    }
    on_grid(header, given.quantities, (&grid.shape(), &[0]), seen, notes)
}

/// Ends of the box around a mesh along each axis.
fn sides(mesh: &Mesh) -> [[f64; 2]; 3] {
    let rows = mesh.points().rows();
    std::array::from_fn(|axis| {
        let along = rows.iter().map(|row| row[axis]);
        along.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| {
            [low.min(x), high.max(x)]
        })
    })
}

/// Diagonal of a box.
fn diagonal(sides: &[[f64; 2]; 3]) -> f64 {
    let squares = sides.iter().map(|[low, high]| (high - low).powi(2));
    squares.sum::<f64>().sqrt()
}

/// Largest distance of the points of `mesh` from the box around `run`.
fn beyond(mesh: &Mesh, run: &Mesh) -> f64 {
    let sides = sides(run);
    let distance = |row: &[f64; 3]| {
        let along = row.iter().zip(&sides);
        let apart = along.map(|(x, [low, high])| (low - x).max(x - high).max(0.0));
        apart.map(|apart| apart * apart).sum::<f64>().sqrt()
    };
    mesh.points()
        .rows()
        .iter()
        .map(distance)
        .fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use floral_data::mesh::Points;

    use super::*;

    /// The points of a square from 0 to `side`.
    fn square(side: f64) -> Mesh {
        let at = |i: u32| side * f64::from(i) / 4.0;
        let points = (0..5).flat_map(|i| (0..5).flat_map(move |j| [at(i), at(j)]));
        let points: Vec<f64> = points.collect();
        Mesh::new(Points::new(&points, 2).unwrap(), Vec::new()).unwrap()
    }

    #[test]
    fn a_mesh_is_measured_by_its_distance_from_the_box_of_the_run() {
        let run = square(1.0);
        assert_eq!(beyond(&run, &run), 0.0);
        assert_eq!(beyond(&square(0.5), &run), 0.0);
        let root = 2f64.sqrt();
        assert!((diagonal(&sides(&run)) - root).abs() < 1e-12);
        for side in [1.2, 3.0, 1000.0] {
            let found = beyond(&square(side), &run);
            assert!((found - (side - 1.0) * root).abs() < 1e-9 * side, "{found}");
            assert!(found > FARTHEST_BEYOND * root);
        }
    }
}
