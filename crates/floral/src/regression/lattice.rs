//! The grid as regression sees it: axes with a name, a length, and whether their ends are one point.

use serde::{Deserialize, Serialize};

use crate::{Error, Grid, Result};

/// One axis of a lattice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatticeAxis {
    /// The axis's name.
    pub name: String,
    /// Number of points.
    pub len: usize,
    /// Whether the point after the last is the first.
    pub periodic: bool,
}

/// A tensor product of axes, the last one fastest in memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lattice {
    /// The axes, slowest first.
    pub axes: Vec<LatticeAxis>,
}

impl Lattice {
    /// The lattice of `grid`, whose axes named in `periodic` close.
    pub fn new(grid: &Grid, periodic: &[&str]) -> Result<Self> {
        let names: Vec<&str> = grid.axes.iter().map(|axis| axis.name.as_str()).collect();
        if let Some(unknown) = periodic.iter().find(|name| !names.contains(name)) {
            return Err(Error::UnknownName {
                kind: "axis",
                name: (*unknown).to_owned(),
                known: names.join(", "),
            });
        }
        let axes = grid.axes.iter().map(|axis| LatticeAxis {
            name: axis.name.clone(),
            len: axis.len(),
            periodic: periodic.contains(&axis.name.as_str()),
        });
        Ok(Self {
            axes: axes.collect(),
        })
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.axes.iter().map(|axis| axis.len).product()
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of points per axis.
    pub fn shape(&self) -> Vec<usize> {
        self.axes.iter().map(|axis| axis.len).collect()
    }

    /// How far apart in memory neighbours along `axis` are.
    pub fn stride(&self, axis: usize) -> usize {
        self.axes[axis + 1..].iter().map(|axis| axis.len).product()
    }

    /// The position along `axis` of the point at `index` in memory.
    pub fn position(&self, index: usize, axis: usize) -> usize {
        index / self.stride(axis) % self.axes[axis].len
    }

    /// The number of the axis of this name.
    pub fn axis(&self, name: &str) -> Result<usize> {
        let found = self.axes.iter().position(|axis| axis.name == name);
        found.ok_or_else(|| {
            let names: Vec<&str> = self.axes.iter().map(|axis| axis.name.as_str()).collect();
            Error::UnknownName {
                kind: "axis",
                name: name.to_owned(),
                known: names.join(", "),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Axis;

    #[test]
    fn strides_and_positions_follow_the_memory() {
        let grid = Grid::new(vec![Axis::closed("t", 3), Axis::periodic("x", 4)]);
        let lattice = Lattice::new(&grid, &["x"]).unwrap();
        assert_eq!((lattice.stride(0), lattice.stride(1)), (4, 1));
        assert_eq!((lattice.position(7, 0), lattice.position(7, 1)), (1, 3));
        assert!(lattice.axes[1].periodic && !lattice.axes[0].periodic);
        assert!(Lattice::new(&grid, &["y"]).is_err());
    }
}
