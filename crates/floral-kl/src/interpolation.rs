//! Interpolation: a field from its values at known points, by a Gaussian process on the lattice.

use floral_linalg::{Mat, solve_positive};

use super::Lattice;

/// Candidate lengths along every axis, as shares of it.
const LENGTHS: [f64; 7] = [0.04, 0.07, 0.11, 0.17, 0.27, 0.45, 0.8];

/// Nugget added to the diagonal, as a share of the variance: known values are nearly exact.
const NUGGET: f64 = 1e-4;

/// Sweeps over the axes in the search for lengths.
const SWEEPS: usize = 2;

/// A squared-exponential covariance with one length per axis, or per coordinate of scattered
/// points.
pub(super) struct Interpolation<'a> {
    lattice: &'a Lattice,
    lengths: Vec<f64>,
}

impl<'a> Interpolation<'a> {
    /// Chooses the lengths with the least leave-one-out error. fields: the known points, and the
    /// values there, one field after another.
    pub(super) fn fitted(lattice: &'a Lattice, fields: &[(&[usize], Vec<f64>)]) -> Self {
        let axes = match lattice.points() {
            Some(points) => points.coordinates().len(),
            None => lattice.axes.len(),
        };
        let mut best = Self {
            lattice,
            lengths: vec![LENGTHS[3]; axes],
        };
        let mut least = best.left_out_error(fields);
        for axis in (0..SWEEPS).flat_map(|_| 0..axes) {
            for length in LENGTHS {
                let mut lengths = best.lengths.clone();
                lengths[axis] = length;
                let tried = Self { lattice, lengths };
                let error = tried.left_out_error(fields);
                if error < least {
                    (best, least) = (tried, error);
                }
            }
        }
        best
    }

    /// Interpolation weights of the known values at each point of the lattice: [point, known].
    pub(super) fn weights(&self, known: &[usize]) -> Mat<f64> {
        let cross = Mat::from_fn(known.len(), self.lattice.len(), |j, p| {
            self.covariance(known[j], p)
        });
        let solved = solve_positive(&self.gram(known), &cross);
        solved
            .map(|solved| solved.transpose().to_owned())
            .expect("a covariance with a nugget is positive definite")
    }

    /// The covariance of two points. A periodic axis is measured by the chord of its circle, which
    /// keeps the covariance positive definite.
    fn covariance(&self, a: usize, b: usize) -> f64 {
        let mut square = 0.0;
        if let Some(points) = self.lattice.points() {
            for (x, length) in points.coordinates().iter().zip(&self.lengths) {
                square += ((x[a] - x[b]) / length).powi(2);
            }
            return (-0.5 * square).exp();
        }
        for (axis, length) in self.lengths.iter().enumerate() {
            let (n, along) = (self.lattice.axes[axis].len, &self.lattice.axes[axis]);
            let [i, j] = [a, b].map(|p| self.lattice.position(p, axis) as f64);
            let distance = if along.periodic {
                (std::f64::consts::PI * (i - j) / n as f64).sin() / std::f64::consts::PI
            } else {
                (i - j) / (n.max(2) - 1) as f64
            };
            square += (distance / length).powi(2);
        }
        (-0.5 * square).exp()
    }

    fn gram(&self, known: &[usize]) -> Mat<f64> {
        Mat::from_fn(known.len(), known.len(), |i, j| {
            let nugget = if i == j { NUGGET } else { 0.0 };
            self.covariance(known[i], known[j]) + nugget
        })
    }

    /// The sum of squared leave-one-out errors (B y)_i / B_ii, with the inverse B of the Gram
    /// matrix.
    fn left_out_error(&self, fields: &[(&[usize], Vec<f64>)]) -> f64 {
        let error = |(points, values): &(&[usize], Vec<f64>)| {
            let n = points.len();
            let Some(inverse) = solve_positive(&self.gram(points), &Mat::identity(n, n)) else {
                return f64::INFINITY;
            };
            let y = Mat::from_fn(n, values.len() / n, |i, k| values[k * n + i]);
            let product = &inverse * &y;
            let square = |i: usize, k: usize| (product[(i, k)] / inverse[(i, i)]).powi(2);
            let all = (0..n).flat_map(|i| (0..y.ncols()).map(move |k| (i, k)));
            all.map(|(i, k)| square(i, k)).sum::<f64>()
        };
        fields.iter().map(error).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::lattice;

    #[test]
    fn a_smooth_field_is_found_again_across_the_seam() {
        let lattice = lattice(&[("t", 9), ("x", 32)], &["x"]);
        let wave = |p: usize| {
            let (t, x) = (lattice.position(p, 0), lattice.position(p, 1));
            (std::f64::consts::TAU * x as f64 / 32.0 + 0.3 * t as f64).sin()
        };
        let known: Vec<usize> = (0..lattice.len())
            .filter(|&p| {
                lattice.position(p, 0).is_multiple_of(2) && lattice.position(p, 1) % 4 == 1
            })
            .collect();
        let values: Vec<f64> = known.iter().map(|&p| wave(p)).collect();
        let fields = [(&known[..], values.clone())];
        let weights = Interpolation::fitted(&lattice, &fields).weights(&known);
        for p in 0..lattice.len() {
            let sum: f64 = (0..known.len()).map(|j| weights[(p, j)] * values[j]).sum();
            assert!((sum - wave(p)).abs() < 0.06, "{p}: {sum} {}", wave(p));
        }
    }
}
