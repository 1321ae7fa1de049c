//! Smoothing over a given width, by sparse averages over nearby points.

use crate::tree::Tree;
use crate::weights::unit_ball;
use crate::{Mesh, Sparse};

/// A Gaussian is truncated at this number of standard deviations.
const CUT: f64 = 2.5;

/// The share of a Gaussian's variance within [`CUT`], in d = 1, 2, 3 dimensions: P(chi2_{d+2} <
/// c^2) / P(chi2_d < c^2).
const KEPT: [f64; 3] = [0.911_22, 0.856_40, 0.797_12];

/// Average number of entries per row beyond which a wide filter is split into repeated narrow ones.
const ENTRIES: f64 = 60.0;

/// Largest number of repeats of a filter.
const MOST_REPEATS: f64 = 400.0;

/// A filter that averages over a width: a sparse matrix S [n, n] whose rows sum to one, applied
/// once or several times.
///
/// Built by [`Mesh::smoothing`].
#[derive(Clone, Debug, PartialEq)]
pub struct Smoothing {
    step: Sparse,
    repeats: usize,
}

impl Smoothing {
    /// The matrix S of one step, [n, n]; its rows sum to one.
    pub fn step(&self) -> &Sparse {
        &self.step
    }

    /// Number of times that S is applied.
    pub fn repeats(&self) -> usize {
        self.repeats
    }

    /// The smoothed field, `[n]` -> `[n]`.
    ///
    /// # Panics
    /// If the field does not have one value per point.
    pub fn apply(&self, field: &[f64]) -> Vec<f64> {
        (0..self.repeats).fold(field.to_vec(), |f, _| self.step.apply(&f))
    }
}

impl Mesh {
    /// The average around each point with a Gaussian of standard deviation `width` per axis, in
    /// units of the coordinates.
    ///
    /// Where points are close together, S_ij is proportional to w_j exp(-|x_i - x_j|^2 / (2 s^2)),
    /// with quadrature weights w. Where neighbours are farther away than the Gaussian reaches, S_i
    /// = (1 - a) e_i + a P_i, where P_i is the mean over neighbours and a is chosen so that the
    /// second moment is that of the Gaussian: a step of diffusion. A wide Gaussian is a repeated
    /// narrow one, since variances add; this bounds the matrix to about 60 entries per row.
    ///
    /// A width that is zero or not a positive number leaves the field unchanged.
    pub fn smoothing(&self, width: f64) -> Smoothing {
        let n = self.points().count();
        if !(width.is_finite() && width > 0.0) {
            let step = Sparse::from_rows(n, (0..n).map(|i| vec![(i, 1.0)]));
            return Smoothing { step, repeats: 1 };
        }
        let weights = self.weights();
        let reach = self.reach(&weights);
        let repeats = (self.cut(width) / reach)
            .powi(2)
            .ceil()
            .clamp(1.0, MOST_REPEATS);
        let rows = Rows {
            mesh: self,
            tree: Tree::new(self.points()),
            neighbours: self.neighbours(),
            weights,
            width: width / repeats.sqrt(),
        };
        Smoothing {
            step: Sparse::from_rows(n, (0..n).map(|i| rows.row(i))),
            repeats: repeats as usize,
        }
    }

    /// The radius that contains [`ENTRIES`] points on average.
    fn reach(&self, weights: &[f64]) -> f64 {
        let t = self.dimension();
        let density = weights.iter().map(|w| 1.0 / w).sum::<f64>() / weights.len() as f64;
        (ENTRIES / (density * unit_ball(t))).powf(1.0 / t as f64)
    }

    /// The radius at which a Gaussian of this width is truncated, enlarged to compensate for the
    /// variance lost by truncation.
    fn cut(&self, width: f64) -> f64 {
        CUT * width / KEPT[self.dimension() - 1].sqrt()
    }
}

/// Data from which the rows of a filter are built.
struct Rows<'a> {
    mesh: &'a Mesh,
    tree: Tree,
    neighbours: Sparse,
    weights: Vec<f64>,
    width: f64,
}

impl Rows<'_> {
    fn row(&self, i: usize) -> Vec<(usize, f64)> {
        let inside = self
            .tree
            .within(self.mesh.points().rows()[i], self.mesh.cut(self.width));
        if inside.len() > self.neighbours.row(i).len() + 1 {
            let spread = self.mesh.cut(self.width) / CUT;
            let gauss = |r: f64| (-0.5 * (r / spread).powi(2)).exp();
            let row = inside
                .iter()
                .map(|n| (n.point, self.weights[n.point] * gauss(n.distance)));
            normalized(row.collect())
        } else {
            self.diffusion(i)
        }
    }

    /// (1 - a) e_i + a P_i, with the variance of the Gaussian unless that would need a > 1.
    fn diffusion(&self, i: usize) -> Vec<(usize, f64)> {
        let near = self.neighbours.row(i);
        if near.len() == 0 {
            return vec![(i, 1.0)];
        }
        let mean = normalized(near.map(|(j, _)| (j, self.weights[j])).collect());
        let distances = self.neighbours.row(i).map(|(_, r)| r);
        let moment: f64 = mean
            .iter()
            .zip(distances)
            .map(|((_, p), r)| p * r * r)
            .sum();
        let axes = self.mesh.dimension() as f64;
        let share = (axes * self.width.powi(2) / moment).min(1.0);
        let mut row: Vec<_> = mean.into_iter().map(|(j, p)| (j, share * p)).collect();
        row.push((i, 1.0 - share));
        row
    }
}

fn normalized(mut row: Vec<(usize, f64)>) -> Vec<(usize, f64)> {
    let sum: f64 = row.iter().map(|(_, value)| value).sum();
    row.iter_mut().for_each(|(_, value)| *value /= sum);
    row
}
