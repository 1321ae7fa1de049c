//! The posterior variance of a kernel regression, from which the novelty of an input follows.
//!
//! With the Gram matrix K at one frequency, its eigenvalues v_k and eigenvectors u_k, the ridge r
//! and the covariances c of a query with the rows, the posterior variance is
//!
//!   own - c* (K + r)^-1 c = own - sum_k |u_k* c|^2 / (v_k + r),
//!
//! summed over frequencies with the share e of the targets' squares that each holds. The joint
//! covariance of query and rows has no negative eigenvalue, so sum_k |u_k* c|^2 / v_k <= own, and
//! the eigenvectors with v_k <= t (v_k + r) together explain at most t own. Eigenvectors that
//! matter to no query are left out.

use floral_linalg::{Mat, c64};

use super::spectrum::C64;
use super::system::System;

/// Posterior variance that the omitted eigenvectors may explain, as a share of the judging inputs'
/// mean and divided by the weight of the regression. The bound is seldom reached: the covariances
/// of a query are spread over many more eigenvectors.
const NEGLIGIBLE: f64 = 1e-5;

/// Posterior variances over their mean at the judging inputs.
#[derive(Default)]
pub(crate) struct Posterior {
    /// The mean at the judging inputs; zero if it is not known.
    pub reference: f64,
    pub parts: Vec<Part>,
}

/// The part of one frequency.
pub(crate) struct Part {
    /// The index of the frequency, among those that hold a real field.
    pub half: usize,
    /// The frequency's share of the targets' squares.
    pub energy: f64,
    /// Eigenvectors divided by sqrt(eigenvalue + ridge): [row, direction].
    pub directions: Mat<c64>,
}

impl Posterior {
    /// The posterior from the systems of a regression with this ridge and this weight in a blend;
    /// `own` bounds an input's own covariance at each frequency.
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

    /// Posterior variance of a query over the mean of the judging inputs', from its covariances
    /// with the rows, `columns`, [row][frequency]: 1 for an input like those, more for one farther
    /// away.
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
