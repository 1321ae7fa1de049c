//! The posterior variance of a kernel regression: how much less is known of one input than of another.
//!
//! With K the Gram matrix at one frequency, eigenvalues v_k and eigenvectors u_k, the ridge r and the
//! covariances c of a query with the rows,
//!
//!   own - c* (K + r)^-1 c = own - sum_k |u_k* c|^2 / (v_k + r),
//!
//! summed over frequencies with the share e of the targets' squares that each holds. The joint
//! covariance of query and rows has no negative eigenvalue, so sum_k |u_k* c|^2 / v_k <= own, and the
//! eigenvectors with v_k <= t (v_k + r) explain at most t own together: those that matter to no query
//! are left out.

use floral_linalg::{Mat, c64};

use super::spectrum::C64;
use super::system::System;

/// What eigenvectors that are left out may explain, as a share of the judging inputs' posterior
/// variance, over the weight of the regression. The bound is seldom met: a query's covariances share
/// themselves out over many more eigenvectors.
const NEGLIGIBLE: f64 = 1e-5;

/// Posterior variances over the mean of the judging inputs'.
#[derive(Default)]
pub(crate) struct Posterior {
    /// That mean; zero if nothing is known of it.
    pub reference: f64,
    pub parts: Vec<Part>,
}

/// The part of one frequency.
pub(crate) struct Part {
    /// The place among the frequencies that hold a real field.
    pub half: usize,
    /// Share of the targets' squares.
    pub energy: f64,
    /// Eigenvectors over the roots of eigenvalue plus ridge: [row, direction].
    pub directions: Mat<c64>,
}

impl Posterior {
    /// Of the systems of a regression with a ridge, which has a weight in a blend; `own` bounds an
    /// input's own covariance at each frequency.
    pub(super) fn new(
        systems: &[Option<System>],
        own: &[f64],
        ridge: f64,
        reference: f64,
        weight: f64,
    ) -> Self {
        let parts = systems.iter().enumerate();
        let parts = parts.filter_map(|(half, system)| Some((half, system.as_ref()?)));
        let count = systems.iter().flatten().count().max(1) as f64;
        let part = |(half, system): (usize, &System)| {
            let least = NEGLIGIBLE * reference / (weight * count * system.energy * own[half]);
            Part {
                half,
                energy: system.energy,
                directions: system.directions(ridge, least),
            }
        };
        Self {
            reference,
            parts: parts.map(part).collect(),
        }
    }

    /// The variance of a query over that of the judging inputs, from its covariances with the rows,
    /// `columns`, [row][frequency]: 1 for an input like those, more for one farther away.
    pub(super) fn novelty(&self, columns: &[Vec<C64>], own: &[f64]) -> f64 {
        if self.reference <= 0.0 {
            return 1.0;
        }
        let unknown = |part: &Part| {
            let column = Mat::from_fn(1, columns.len(), |_, j| columns[j][part.half]);
            let explained = (column * &part.directions).squared_norm_l2();
            part.energy * (own[part.half] - explained).max(0.0)
        };
        self.parts.iter().map(unknown).sum::<f64>() / self.reference
    }
}
