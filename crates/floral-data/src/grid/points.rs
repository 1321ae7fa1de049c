//! Scattered points of a domain, as targets of an `Interpolation` from a grid.

/// Points of a domain, given by their coordinates along each axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Points {
    /// Name of each axis and the coordinates of all points along it, in the order of the grid's
    /// axes.
    pub axes: Vec<(String, Vec<f64>)>,
    /// The units of each axis, if known.
    pub units: Vec<Option<String>>,
}

impl Points {
    /// Number of points.
    pub fn len(&self) -> usize {
        self.axes.first().map_or(0, |(_, along)| along.len())
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
