//! Fields on fewer points, such that every motion of the lattice is one of the thinned lattice.
//!
//! A periodic axis keeps every s-th point, from 0 on. Another axis keeps every s-th point from end
//! to end, or means of s neighbours.

use crate::realizations::Realizations;
use crate::scattered::Clusters;
use crate::{Lattice, LatticeAxis, Points};

/// Approximate number of points of a thinned lattice.
const POINTS: f64 = 600.0;

/// A lattice of fewer points.
pub(super) struct Thinned {
    pub lattice: Lattice,
    /// Number of points of the original lattice.
    points: usize,
    /// The original points over which the value of each thinned point is averaged.
    cells: Vec<Vec<usize>>,
}

impl Thinned {
    pub(super) fn new(lattice: &Lattice) -> Self {
        if let Some(points) = lattice.points() {
            return Self::scattered(&lattice.axes[0].name, points);
        }
        let most = POINTS.powf(1.0 / lattice.axes.len().max(1) as f64) as usize;
        let mut cells = vec![vec![0]];
        let mut axes = Vec::new();
        for (number, axis) in lattice.axes.iter().enumerate() {
            let along = along(axis, most);
            let stride = lattice.stride(number);
            axes.push(LatticeAxis {
                len: along.len(),
                ..axis.clone()
            });
            let with = |cell: &Vec<usize>, places: &Vec<usize>| {
                let pairs = cell.iter().flat_map(|p| places.iter().map(move |i| (p, i)));
                pairs.map(|(p, i)| p + i * stride).collect::<Vec<usize>>()
            };
            let products = cells
                .iter()
                .flat_map(|c| along.iter().map(move |a| with(c, a)));
            cells = products.collect();
        }
        Self {
            lattice: Lattice::new(axes),
            points: lattice.len(),
            cells,
        }
    }

    /// Thinned realizations: [realization, channel, fewer points].
    pub(super) fn realizations(&self, all: Realizations<'_>) -> Vec<f64> {
        let fields = all.fields(self.points);
        fields.flat_map(|field| self.fields(&field)).collect()
    }

    /// Merges scattered points that share a cube; there are about [`POINTS`] cubes.
    fn scattered(name: &str, points: &Points) -> Self {
        let axes = points.coordinates().len().max(1) as f64;
        let clusters = Clusters::new(points, POINTS.powf(-1.0 / axes));
        let coordinates: Vec<Vec<f64>> = (0..points.coordinates().len())
            .map(|k| clusters.places().iter().map(|place| place[k]).collect())
            .collect();
        let thinned = Points::new(&coordinates, clusters.weights(), points.dimension());
        Self {
            lattice: Lattice::of_points(name, thinned),
            points: points.count(),
            cells: clusters.members(),
        }
    }

    /// Thinned fields: [.., point] -> [.., fewer points].
    pub(super) fn fields(&self, values: &[f64]) -> Vec<f64> {
        let mean = |field: &[f64], cell: &Vec<usize>| {
            cell.iter().map(|p| field[*p]).sum::<f64>() / cell.len() as f64
        };
        let fields = values.chunks_exact(self.points);
        fields
            .flat_map(|field| self.cells.iter().map(move |cell| mean(field, cell)))
            .collect()
    }
}

/// Groups of positions along an axis that are merged into one.
fn along(axis: &LatticeAxis, most: usize) -> Vec<Vec<usize>> {
    let n = axis.len;
    let single = |step: usize| (0..n).step_by(step).map(|i| vec![i]).collect();
    for step in n.div_ceil(most.max(1)).max(1)..=n / 4 {
        if axis.periodic && n.is_multiple_of(step)
            || (!axis.periodic && (n - 1).is_multiple_of(step))
        {
            return single(step);
        }
        if n.is_multiple_of(step) {
            let block = |start: usize| (start..start + step).collect();
            return (0..n).step_by(step).map(block).collect();
        }
    }
    single(1)
}
