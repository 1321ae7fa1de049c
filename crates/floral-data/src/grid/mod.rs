//! Grids: named axes with coordinates and domains, or the points of a mesh; thinning to every s-th
//! point; linear interpolation to finer grids, other meshes and scattered points.

mod axis;
mod direction;
mod domain;
mod interpolation;
mod lattice;
mod mask;
mod mesh;
mod points;
mod refinement;
mod thinning;

use serde::{Deserialize, Serialize};

pub use axis::Axis;
pub use direction::Direction;
pub use domain::{AxisKind, Domain};
pub use interpolation::Interpolation;
pub use mask::{Mask, blank};
pub use mesh::{MeshDomain, POINT};
pub use points::Points;
pub use refinement::refined_grid;
pub use thinning::{Thinning, picked};

/// Largest number of axes that the methods support.
pub const MOST_AXES: usize = 3;

/// A tensor product of axes, the last one fastest in memory; or the points of a mesh, with one axis
/// that counts them.
///
/// ```
/// use floral_data::{Axis, Grid};
///
/// let grid = Grid::new(vec![Axis::closed("y", 2), Axis::periodic("x", 4)]);
/// assert_eq!((grid.shape(), grid.len()), (vec![2, 4], 8));
/// assert_eq!(grid.point(5), [1.0, 0.25]);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredGrid")]
pub struct Grid {
    /// The axes, slowest first.
    pub axes: Vec<Axis>,
    /// The mesh, if the axis counts its points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mesh: Option<MeshDomain>,
}

/// A grid as stored in a checkpoint.
#[derive(Deserialize)]
struct StoredGrid {
    axes: Vec<Axis>,
    #[serde(default)]
    mesh: Option<MeshDomain>,
}

impl TryFrom<StoredGrid> for Grid {
    type Error = String;

    fn try_from(StoredGrid { axes, mesh }: StoredGrid) -> Result<Self, String> {
        let grid = Self { axes, mesh };
        match grid.mesh().map(|mesh| mesh.points().count()) {
            Some(count) if grid.shape() != [count] => Err(format!(
                "its axes have the shape {:?}, but its mesh has {count} points",
                grid.shape()
            )),
            _ => Ok(grid),
        }
    }
}

impl Grid {
    /// A grid of these axes.
    pub fn new(axes: Vec<Axis>) -> Self {
        Self { axes, mesh: None }
    }

    /// The same points with other axes, for example with other names.
    pub fn with_axes(&self, axes: Vec<Axis>) -> Self {
        Self {
            axes,
            mesh: self.mesh.clone(),
        }
    }

    /// Number of points per axis.
    pub fn shape(&self) -> Vec<usize> {
        self.axes.iter().map(Axis::len).collect()
    }

    /// Total number of points.
    pub fn len(&self) -> usize {
        self.axes.iter().map(Axis::len).product()
    }

    /// Whether the grid has no points.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of axes.
    pub fn dimensions(&self) -> usize {
        self.axes.len()
    }

    /// Whether both grids have the same points and domains, regardless of the names of axes.
    pub fn coincides(&self, other: &Self) -> bool {
        let same = |(one, other): (&Axis, &Axis)| {
            one.coordinates == other.coordinates && one.domain == other.domain
        };
        self.dimensions() == other.dimensions()
            && self.axes.iter().zip(&other.axes).all(same)
            && self.mesh == other.mesh
    }

    /// The same grid over the unit cube: see [`Axis::unit`].
    pub fn unit(&self) -> Self {
        Self {
            axes: self.axes.iter().map(Axis::unit).collect(),
            mesh: self.mesh.clone(),
        }
    }

    /// Index of the axis that points to the right on a map. It is the last axis, as in xarray,
    /// unless CF's attribute `axis` or the name declares the first axis as X or the last as the
    /// vertical, Z.
    pub fn rightward(&self) -> usize {
        let is = |axis: &Axis, wanted| axis.direction() == Some(wanted);
        match &self.axes[..] {
            [first, last] if is(first, Direction::X) && !is(last, Direction::X) => 0,
            [first, last] if is(last, Direction::Z) && !is(first, Direction::Z) => 0,
            axes => axes.len().saturating_sub(1),
        }
    }

    /// Coordinates of the point at position `index` in memory.
    pub fn point(&self, mut index: usize) -> Vec<f64> {
        if let Some(mesh) = self.mesh() {
            return mesh.points().rows()[index][..mesh.points().dimension()].to_vec();
        }
        let mut point = vec![0.0; self.dimensions()];
        for (coordinate, axis) in point.iter_mut().zip(&self.axes).rev() {
            *coordinate = axis.coordinates[index % axis.len()];
            index /= axis.len();
        }
        point
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_axis_varies_fastest() {
        let grid = Grid::new(vec![Axis::closed("x", 2), Axis::closed("y", 3)]);
        assert_eq!(grid.point(1), [0.0, 0.5]);
        assert_eq!(grid.point(3), [1.0, 0.0]);
    }

    #[test]
    fn maps_have_the_last_axis_to_the_right_unless_an_attribute_says_otherwise() {
        let right = |names: [&str; 2], directions: [Option<Direction>; 2]| {
            let axes = names.into_iter().zip(directions);
            let axes = axes.map(|(name, direction)| {
                let axis = Axis::closed(name, 3);
                match direction {
                    Some(direction) => axis.with_direction(direction),
                    None => axis,
                }
            });
            let grid = Grid::new(axes.collect());
            names[grid.rightward()].to_owned()
        };
        let none = [None, None];
        assert_eq!(right(["y", "x"], none), "x");
        assert_eq!(right(["x", "y"], none), "x");
        assert_eq!(right(["t", "x"], none), "x");
        assert_eq!(right(["row", "column"], none), "column");
        assert_eq!(right(["lat", "lon"], none), "lon");
        assert_eq!(right(["time", "lat"], none), "lat");
        assert_eq!(right(["time", "depth"], [None, Some(Direction::Z)]), "time");
        let east = [Some(Direction::X), Some(Direction::Y)];
        assert_eq!(right(["east", "north"], east), "east");
        // A declared direction takes precedence over the name.
        assert_eq!(
            right(["x", "a"], [Some(Direction::Y), Some(Direction::X)]),
            "a"
        );
        assert_eq!(Grid::new(vec![Axis::closed("x", 3)]).rightward(), 0);
    }

    /// Distances in unit coordinates do not change when points are left out.
    #[test]
    fn a_thinned_grid_has_the_unit_coordinates_of_the_full_one() {
        let full = Grid::new(vec![
            Axis::times("t", 8, 0.2),
            Axis::over(Domain::closed(0.0, 50.0), "x", 12),
        ]);
        let thinning = Thinning::every(&full.shape(), &[4, 3]);
        assert_eq!(thinning.grid(&full).unit(), thinning.grid(&full.unit()));
    }

    #[test]
    fn a_grid_of_an_older_checkpoint_is_read_by_the_rule() {
        let old = r#"{"axes": [
            {"name": "t", "coordinates": [0.05, 0.1, 0.15, 0.2]},
            {"name": "x", "coordinates": [0.0, 0.25, 0.5, 0.75]},
            {"name": "y", "coordinates": [0.0, 0.5, 1.0]}
        ]}"#;
        let grid: Grid = serde_json::from_str(old).unwrap();
        let expected = [
            Domain::times(0.0, 0.2),
            Domain::periodic(0.0, 1.0),
            Domain::closed(0.0, 1.0),
        ];
        assert_eq!(
            grid.axes.iter().map(|a| a.domain).collect::<Vec<_>>(),
            expected
        );
    }
}
