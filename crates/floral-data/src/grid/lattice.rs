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
            even: axis.is_even(),
        });
        Self::new(axes.collect())
    }
}
