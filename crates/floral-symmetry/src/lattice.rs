//! The lattice on which fields are given: named axes with a length and periodicity, or scattered
//! points.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Error, Points, Result};

/// One axis of a lattice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LatticeAxis {
    /// The axis's name.
    pub name: String,
    /// Number of points.
    pub len: usize,
    /// Whether the axis is periodic: the point after the last is the first.
    pub periodic: bool,
    /// Whether its points are evenly spaced, so that rolls and reflections map points to points.
    pub even: bool,
}

/// A tensor product of axes, the last one fastest in memory; or scattered points, numbered along
/// the only axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lattice {
    /// The axes, slowest first.
    pub axes: Vec<LatticeAxis>,
    /// The scattered points; `None` for a tensor product of axes.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_points",
        deserialize_with = "read_points"
    )]
    points: Option<Arc<Points>>,
}

impl Lattice {
    /// A lattice of these axes, slowest first.
    pub fn new(axes: Vec<LatticeAxis>) -> Self {
        Self { axes, points: None }
    }

    /// Scattered points, numbered along an axis of this name.
    pub fn of_points(name: &str, points: Points) -> Self {
        let axis = LatticeAxis {
            name: name.to_owned(),
            len: points.count(),
            periodic: false,
            even: false,
        };
        Self {
            axes: vec![axis],
            points: Some(Arc::new(points)),
        }
    }

    /// The scattered points; `None` for a tensor product of axes.
    #[inline]
    pub fn points(&self) -> Option<&Arc<Points>> {
        self.points.as_ref()
    }

    /// Number of points.
    #[inline]
    pub fn len(&self) -> usize {
        self.axes.iter().map(|axis| axis.len).product()
    }

    /// Whether there are no points.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of points per axis.
    #[inline]
    pub fn shape(&self) -> Vec<usize> {
        self.axes.iter().map(|axis| axis.len).collect()
    }

    /// The distance in memory between neighbours along `axis`.
    #[inline]
    pub fn stride(&self, axis: usize) -> usize {
        self.axes[axis + 1..].iter().map(|axis| axis.len).product()
    }

    /// The position along `axis` of the point at `index` in memory.
    #[inline]
    pub fn position(&self, index: usize, axis: usize) -> usize {
        index / self.stride(axis) % self.axes[axis].len
    }

    /// The number of the axis with this name.
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

fn write_points<S: Serializer>(
    points: &Option<Arc<Points>>,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    points.as_deref().serialize(serializer)
}

fn read_points<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<Option<Arc<Points>>, D::Error> {
    Ok(Option::<Points>::deserialize(deserializer)?.map(Arc::new))
}

#[cfg(test)]
mod tests {
    use crate::testing::lattice;

    #[test]
    fn strides_and_positions_follow_the_memory() {
        let lattice = lattice(&[("t", 3), ("x", 4)], &["x"]);
        assert_eq!((lattice.stride(0), lattice.stride(1)), (4, 1));
        assert_eq!((lattice.position(7, 0), lattice.position(7, 1)), (1, 3));
        assert!(lattice.axes[1].periodic && !lattice.axes[0].periodic);
        assert!(lattice.axis("y").is_err());
    }
}
