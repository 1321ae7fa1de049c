//! A grid as symmetries see it.

use floral_symmetry::{Lattice, LatticeAxis};

use super::{AxisKind, Grid};

/// Axes whose domain is periodic close.
impl From<&Grid> for Lattice {
    fn from(grid: &Grid) -> Self {
        let axes = grid.axes.iter().map(|axis| LatticeAxis {
            name: axis.name.clone(),
            len: axis.len(),
            periodic: axis.domain.kind == AxisKind::Periodic,
            // The order of a mesh's points says nothing about where they are.
            even: axis.is_even() && grid.mesh().is_none(),
        });
        Self::new(axes.collect())
    }
}
