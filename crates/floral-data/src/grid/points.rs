//! Scattered points of a domain, to which an `Interpolation` leads from a grid.

/// Points of a domain, by the coordinates along each of its axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Points {
    /// An axis's name and every point's coordinate along it, in the order of the grid's axes.
    pub axes: Vec<(String, Vec<f64>)>,
    /// The units of each axis, if known.
    pub units: Vec<Option<String>>,
}

impl Points {
    /// Number of points.
    pub fn len(&self) -> usize {
        self.axes.first().map_or(0, |(_, along)| along.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
