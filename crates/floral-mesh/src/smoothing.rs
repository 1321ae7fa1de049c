//! Smoothing at a width, by sparse averages over nearby points.

use crate::tree::Tree;
use crate::weights::unit_ball;
use crate::{Mesh, Sparse};

/// A Gaussian is cut at this many of its standard deviations.
const CUT: f64 = 2.5;

/// The share of a Gaussian's variance within [`CUT`], in d = 1, 2, 3 dimensions: P(chi2_{d+2} < c^2)
/// / P(chi2_d < c^2).
const KEPT: [f64; 3] = [0.911_22, 0.856_40, 0.797_12];

/// Entries per row, on average, beyond which a wide filter is split into repeated narrow ones.
const ENTRIES: f64 = 60.0;

/// Repeats beyond which a filter is not split further.
const MOST_REPEATS: f64 = 400.0;

/// A filter that averages over a width: a sparse matrix S [n, n] with rows that sum to one, applied
/// one or several times.
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

    /// How many times S is applied.
    pub fn repeats(&self) -> usize {
        self.repeats
    }

    /// The smoothed field, [n] -> [n].
    ///
    /// # Panics
    /// If the field has not one value per point.
    pub fn apply(&self, field: &[f64]) -> Vec<f64> {
        (0..self.repeats).fold(field.to_vec(), |f, _| self.step.apply(&f))
    }
}

impl Mesh {
    /// The average around each point with a Gaussian of standard deviation `width` per axis, in
    /// units of the coordinates.
    ///
    /// Where points are close, S_ij is proportional to w_j exp(-|x_i - x_j|^2 / (2 s^2)), w the
    /// quadrature weights. Where neighbours are farther than the Gaussian reaches, S_i = (1 - a)
    /// e_i + a P_i with P_i the mean over neighbours and a such that the second moment is that of
    /// the Gaussian: a step of diffusion. A wide Gaussian is a narrow one repeated, since variances
    /// add: that bounds the matrix to some 60 entries per row.
    ///
    /// A width of zero, or one that is not a positive number, leaves the field as it is.
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

    /// The radius that holds [`ENTRIES`] points on average.
    fn reach(&self, weights: &[f64]) -> f64 {
        let t = self.dimension();
        let density = weights.iter().map(|w| 1.0 / w).sum::<f64>() / weights.len() as f64;
        (ENTRIES / (density * unit_ball(t))).powf(1.0 / t as f64)
    }

    /// Where a Gaussian of this width is cut, widened for the variance that the cut takes.
    fn cut(&self, width: f64) -> f64 {
        CUT * width / KEPT[self.dimension() - 1].sqrt()
    }
}

/// What the rows of a filter are built from.
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

    /// (1 - a) e_i + a P_i, with the variance of the Gaussian if a is at most one.
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
