//! The space over which quantities of interest integrate, derive and interpolate: the one place that
//! knows what kind of domain a grid is.

use floral_quantities::{GridAxis, GridSpace, Space};

use super::refused;
use crate::grid::Mask;
use crate::{Axis, AxisKind, Grid, Result};

/// A space that threads share.
pub type SharedSpace = Box<dyn Space + Send + Sync>;

/// The space of a grid, whose points outside of the domain have no measure and are never read.
pub fn space(grid: &Grid, mask: Option<&Mask>) -> Result<SharedSpace> {
    let axes = grid.axes.iter().map(along).collect::<Result<Vec<_>>>()?;
    let tensor = GridSpace::new(axes).map_err(refused)?;
    Ok(Box::new(match mask {
        None => tensor,
        Some(mask) => {
            let inside = mask.outside().iter().map(|outside| !outside).collect();
            tensor.with_mask(inside).map_err(refused)?
        }
    }))
}

/// Times are integrated from the first that is stored to the last.
fn along(axis: &Axis) -> Result<GridAxis> {
    let (name, coordinates) = (axis.name.clone(), axis.coordinates.clone());
    let along = match axis.domain.kind {
        AxisKind::Periodic => {
            let ends = [axis.domain.from, axis.domain.to];
            GridAxis::periodic(name, coordinates, ends)
        }
        AxisKind::Closed | AxisKind::Times => GridAxis::closed(name, coordinates),
    };
    along.map_err(refused)
}
