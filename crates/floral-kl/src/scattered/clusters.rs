//! Clusters: groups of points that are close compared with the width of a filter.

use crate::symmetry::Points;

use super::place;

/// Maximum number of bins along an axis, and mean number of clusters per bin.
const MOST_BINS: usize = 256;
const IN_BIN: f64 = 2.0;

/// Points merged where they share a cube of a given side; each cluster has the total weight and the
/// centroid of its points. A filter of any width then reaches a bounded number of clusters.
#[derive(Debug, Clone)]
pub(crate) struct Clusters {
    /// The cluster of each point, and the point's share of the cluster's weight.
    of: Vec<(usize, f64)>,
    places: Vec<[f64; 3]>,
    weights: Vec<f64>,
    bins: Bins,
}

/// Clusters sorted into bins by position.
#[derive(Debug, Clone)]
struct Bins {
    /// Number of bins along each axis.
    counts: [usize; 3],
    starts: Vec<usize>,
    members: Vec<usize>,
}

impl Clusters {
    /// Clusters of cubes of this side; the order of points does not matter.
    pub(crate) fn new(points: &Points, side: f64) -> Self {
        let coordinates = points.coordinates();
        let count = points.count();
        let side = side.max(1e-6);
        let cube = |p: usize| place(coordinates, p).map(|x| (x / side) as u32);
        let mut order: Vec<([u32; 3], usize)> = (0..count).map(|p| (cube(p), p)).collect();
        order.sort_unstable();
        let mut of = vec![(0, 1.0); count];
        let (mut places, mut weights) = (Vec::new(), Vec::new());
        for group in order.chunk_by(|a, b| a.0 == b.0) {
            let weight = |p: usize| points.weights()[p];
            let sum: f64 = group.iter().map(|(_, p)| weight(*p)).sum();
            let mut centre = [0.0; 3];
            for &(_, p) in group {
                let share = weight(p) / sum;
                of[p] = (weights.len(), share);
                let at = place(coordinates, p);
                (0..3).for_each(|k| centre[k] += share * at[k]);
            }
            places.push(centre);
            weights.push(sum);
        }
        Self {
            bins: Bins::new(&places, coordinates.len()),
            of,
            places,
            weights,
        }
    }

    /// Number of clusters.
    pub(crate) fn count(&self) -> usize {
        self.weights.len()
    }

    /// The cluster of a point.
    pub(super) fn cluster(&self, point: usize) -> usize {
        self.of[point].0
    }

    /// The points of each cluster.
    pub(crate) fn members(&self) -> Vec<Vec<usize>> {
        let mut members = vec![Vec::new(); self.count()];
        for (point, (cluster, _)) in self.of.iter().enumerate() {
            members[*cluster].push(point);
        }
        members
    }

    /// The centroids of the clusters.
    pub(crate) fn places(&self) -> &[[f64; 3]] {
        &self.places
    }

    /// The weights of the clusters, sums of their points' weights.
    pub(crate) fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The weighted means of a field: [point] -> [cluster].
    pub(crate) fn means(&self, field: &[f64]) -> Vec<f64> {
        let mut means = vec![0.0; self.count()];
        for ((cluster, share), value) in self.of.iter().zip(field) {
            means[*cluster] += share * value;
        }
        means
    }

    /// Calls `take` for every cluster within a radius of a place, in an order that depends on the
    /// clusters alone. Its arguments: the cluster, the vector from it to the place divided by the
    /// radius, and the square of that vector.
    pub(super) fn around(
        &self,
        at: [f64; 3],
        radius: f64,
        mut take: impl FnMut(usize, [f64; 3], f64),
    ) {
        let [x, y, z] = [0, 1, 2].map(|k| self.bins.range(k, at[k] - radius, at[k] + radius));
        for i in x {
            for j in y.clone() {
                for k in z.clone() {
                    for &cluster in self.bins.members([i, j, k]) {
                        let from = &self.places[cluster];
                        let s: [f64; 3] = std::array::from_fn(|a| (at[a] - from[a]) / radius);
                        let square = s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
                        if square <= 1.0 {
                            take(cluster, s, square);
                        }
                    }
                }
            }
        }
    }
}

impl Bins {
    fn new(places: &[[f64; 3]], axes: usize) -> Self {
        let along = (places.len() as f64 / IN_BIN).powf(1.0 / axes.max(1) as f64);
        let along = (along.ceil() as usize).clamp(1, MOST_BINS);
        let counts = std::array::from_fn(|k| if k < axes { along } else { 1 });
        let mut bins = Self {
            counts,
            starts: vec![0; counts.iter().product::<usize>() + 1],
            members: (0..places.len()).collect(),
        };
        let of = |place: &[f64; 3]| bins.number([0, 1, 2].map(|k| bins.cell(k, place[k])));
        let numbers: Vec<usize> = places.iter().map(of).collect();
        bins.members.sort_by_key(|&cluster| numbers[cluster]);
        numbers.iter().for_each(|&n| bins.starts[n + 1] += 1);
        for n in 1..bins.starts.len() {
            bins.starts[n] += bins.starts[n - 1];
        }
        bins
    }

    fn cell(&self, axis: usize, x: f64) -> usize {
        ((x * self.counts[axis] as f64).max(0.0) as usize).min(self.counts[axis] - 1)
    }

    fn number(&self, [i, j, k]: [usize; 3]) -> usize {
        (i * self.counts[1] + j) * self.counts[2] + k
    }

    fn range(&self, axis: usize, from: f64, to: f64) -> std::ops::RangeInclusive<usize> {
        self.cell(axis, from)..=self.cell(axis, to)
    }

    fn members(&self, cell: [usize; 3]) -> &[usize] {
        let number = self.number(cell);
        &self.members[self.starts[number]..self.starts[number + 1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::scattered;

    #[test]
    fn clusters_keep_the_weight_and_the_mean_of_every_linear_field() {
        let points = scattered(300, 1);
        let clusters = Clusters::new(&points, 0.2);
        assert!(clusters.count() <= 36, "{}", clusters.count());
        assert!((clusters.weights().iter().sum::<f64>() - 300.0).abs() < 1e-9);
        for x in points.coordinates() {
            let means = clusters.means(x);
            let mean = |values: &[f64], weights: &[f64]| -> f64 {
                values.iter().zip(weights).map(|(v, w)| v * w).sum()
            };
            let difference = mean(&means, clusters.weights()) - mean(x, points.weights());
            assert!(difference.abs() < 1e-9);
        }
    }

    #[test]
    fn those_within_a_radius_are_found_and_no_others() {
        let points = scattered(200, 2);
        let clusters = Clusters::new(&points, 1e-9);
        assert_eq!(clusters.count(), 200);
        for (at, radius) in [([0.5, 0.5, 0.0], 0.2), ([0.0, 1.0, 0.0], 0.4)] {
            let mut found = 0;
            clusters.around(at, radius, |_, _, _| found += 1);
            let inside = |place: &&[f64; 3]| {
                let square: f64 = (0..3).map(|k| (place[k] - at[k]).powi(2)).sum();
                square <= radius * radius
            };
            assert_eq!(found, clusters.places().iter().filter(inside).count());
        }
    }
}
