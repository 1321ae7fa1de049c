//! Inputs on a mesh: unchanged if it is the run's mesh, otherwise interpolated; used by `mod.rs`.

use super::channels::conversion;
use super::{Alignment, Given, Verdict, on_grid};
use crate::Grid;
use crate::train::Header;
use crate::units::Conversion;

/// Largest distance of a point of the run's mesh from the input's mesh, as a share of the run's
/// extent; beyond it, the two domains are considered different.
const FARTHEST: f64 = 0.05;

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
        let extent = extent(own);
        let (count, theirs) = (own.points().count(), mesh.points().count());
        if found.farthest > FARTHEST * extent {
            return Err(format!(
                "its mesh of {theirs} points does not cover the run's: {} of {count} points lie outside, by \
                 up to {:.3e} of an extent of {extent:.3e}; give inputs on the run's domain, in its units",
                found.outside, found.farthest
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

/// Diagonal of the bounding box of a mesh.
fn extent(mesh: &floral_data::mesh::Mesh) -> f64 {
    let rows = mesh.points().rows();
    let side = |axis: usize| {
        let along = rows.iter().map(|row| row[axis]);
        let (low, high) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
            (low.min(x), high.max(x))
        });
        high - low
    };
    (0..3).map(|axis| side(axis).powi(2)).sum::<f64>().sqrt()
}
