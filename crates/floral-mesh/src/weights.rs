//! Quadrature weights of the points: the integral of a field is the sum of weight times value.

use std::f64::consts::PI;

use crate::Mesh;
use crate::tree::Tree;

impl Mesh {
    /// Quadrature weights w `[n]`, all positive: the integral of f is sum_i w_i f(x_i).
    ///
    /// With cells, w_i is the integral of the nodal basis function of point i (a lumped mass
    /// matrix): the sum of w is the measure of the domain, and linear functions are integrated
    /// exactly on simplices.
    ///
    /// Without cells, w_i = 2 V_d sum_j r_ij^d / (k (k + 1)) over the k nearest points, with their
    /// distances r_ij and the volume V_d of the unit ball. This is the inverse density, an unbiased
    /// estimate for randomly distributed points, with k = 8 in the plane and 18 in space. Points at
    /// the border have neighbours on one side only, so that their weights are up to 2^d too large.
    /// A single point has weight one.
    pub fn weights(&self) -> Vec<f64> {
        if self.cells().is_empty() {
            return self.weights_by_density();
        }
        let mut weights = vec![0.0; self.points().count()];
        for (nodes, quadrature) in self.quadratures() {
            quadrature.lump(nodes, &mut weights);
        }
        weights
    }

    fn weights_by_density(&self) -> Vec<f64> {
        let points = self.points();
        let k = nearest_count(points.dimension()).min(points.count() - 1);
        if k == 0 {
            return vec![1.0];
        }
        let d = points.dimension();
        let tree = Tree::new(points);
        let scale = 2.0 * unit_ball(d) / (k * (k + 1)) as f64;
        let weight = |&x| {
            let near = tree.nearest(x, k + 1);
            let sum: f64 = near.iter().map(|n| n.distance.powi(d as i32)).sum();
            // Distances whose powers underflow still leave a positive weight.
            (scale * sum).max(f64::MIN_POSITIVE)
        };
        points.rows().iter().map(weight).collect()
    }
}

/// Number of nearest points that count as neighbours without cells: those around a point of a
/// square or cubic lattice, up to the diagonals of its faces.
pub(crate) fn nearest_count(dimension: usize) -> usize {
    [2, 8, 18][dimension - 1]
}

/// The volume of the unit ball.
pub(crate) fn unit_ball(dimension: usize) -> f64 {
    [2.0, PI, 4.0 / 3.0 * PI][dimension - 1]
}
