//! Training inputs in every position of the finite group, as features of a kernel.

use std::sync::Arc;

use rayon::prelude::*;

use super::gram::Signature;
use super::spectrum::C64;
use super::{Covariance, Kernel, Resemblance};
use crate::case::Framed;
use crate::{Lattice, Symmetries};

/// The training inputs' features, one row per input and motion; the motion of an input's first row
/// is the identity.
pub(crate) struct Rows {
    pub(super) resemblance: Resemblance,
    pub(super) signatures: Vec<Signature>,
}

impl Rows {
    /// The rows of the training inputs `framed`, with the features of a kernel.
    pub(crate) fn new(
        lattice: &Lattice,
        symmetries: &Symmetries,
        framed: &[Framed],
        kernel: &Kernel,
    ) -> Self {
        let resemblance = Resemblance::new(lattice, symmetries, framed, kernel);
        Self::seen(resemblance, symmetries, framed)
    }

    /// The rows of inputs, with known features.
    pub(super) fn seen(
        resemblance: Resemblance,
        symmetries: &Symmetries,
        framed: &[Framed],
    ) -> Self {
        let motions = symmetries.motions.len();
        let row =
            |i: usize| resemblance.signature(&framed[i / motions].moved(symmetries, i % motions));
        let signatures = (0..framed.len() * motions).into_par_iter().map(row);
        Self {
            signatures: signatures.collect(),
            resemblance,
        }
    }

    /// Number of frequencies that hold a real field.
    pub(crate) fn frequencies(&self) -> usize {
        self.resemblance.rolls().halves().len()
    }

    /// Covariances of a query with each row: [row][frequency].
    pub(super) fn columns(&self, covariance: Covariance, query: &Signature) -> Vec<Vec<C64>> {
        let column = |row: &Signature| self.resemblance.covariance(covariance, query, row);
        self.signatures.par_iter().map(column).collect()
    }

    /// The covariance of an input with its own rolls, at every frequency.
    pub(super) fn own(&self, covariance: Covariance, query: &Signature) -> Vec<f64> {
        let own = self.resemblance.covariance(covariance, query, query);
        own.iter().map(|value| value.re).collect()
    }
}

/// Rows that several kernels over the same inputs share.
#[derive(Default)]
pub(crate) struct SharedRows(Vec<([f64; 2], Arc<Rows>)>);

impl SharedRows {
    /// The rows of a kernel, computed unless an earlier kernel had the same features.
    pub(crate) fn of(
        &mut self,
        lattice: &Lattice,
        symmetries: &Symmetries,
        framed: &[Framed],
        kernel: &Kernel,
    ) -> Arc<Rows> {
        let features = [kernel.share, kernel.smoothing];
        if let Some((_, rows)) = self.0.iter().find(|(known, _)| *known == features) {
            return rows.clone();
        }
        let rows = Arc::new(Rows::new(lattice, symmetries, framed, kernel));
        self.0.push((features, rows.clone()));
        rows
    }
}
