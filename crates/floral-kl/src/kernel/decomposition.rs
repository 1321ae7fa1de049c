//! The Gram matrix of a kernel, one Hermitian system a frequency.

use floral_linalg::{Mat, hermitian_eigen};
use rayon::prelude::*;

use super::gram::Signature;
use super::spectrum::C64;
use super::system::System;
use super::{Covariance, Resemblance};
use crate::Symmetries;
use crate::target::Examples;

/// Frequencies that hold less than this share of the targets' squares are not worth a system.
const NEGLIGIBLE: f64 = 1e-9;

/// The Gram matrix at each frequency, decomposed; none where the targets hold nothing, and none at all
/// if they are zero everywhere or an eigenvalue iteration fails.
pub(super) fn systems(
    covariance: Covariance,
    resemblance: &Resemblance,
    symmetries: &Symmetries,
    examples: &Examples<'_>,
    rows: &[Signature],
) -> Option<Vec<Option<System>>> {
    let rolls = resemblance.rolls();
    let motions = symmetries.motions.len();
    let pair = |(i, j): (usize, usize)| {
        let inner = resemblance.inner(&rows[i], &rows[j]);
        resemblance.covariance(covariance, &rows[i], &rows[j], &inner)
    };
    let places = (0..rows.len()).flat_map(|i| (0..=i).map(move |j| (i, j)));
    let places: Vec<(usize, usize)> = places.collect();
    let lower: Vec<Vec<C64>> = places.into_par_iter().map(pair).collect();
    let target = |i: usize| {
        let motion = &symmetries.motions[i % motions];
        let target = &examples.train.targets[i / motions];
        rolls.forward(&examples.parity.apply(motion, target))
    };
    let targets: Vec<Vec<C64>> = (0..rows.len()).into_par_iter().map(target).collect();
    let total: f64 = targets.iter().flatten().map(C64::norm_sqr).sum();
    if !(total.is_finite() && total > 0.0) {
        return None;
    }
    let system = |&(frequency, count): &(usize, f64)| {
        let rest = targets[0].len() / rolls.count;
        let y = Mat::from_fn(rows.len(), rest, |i, r| {
            targets[i][r * rolls.count + frequency]
        });
        let energy = count * y.squared_norm_l2() / total;
        if energy.is_nan() || energy < NEGLIGIBLE {
            return Some(None);
        }
        // The eigenvalue solver reads the lower triangle alone.
        let gram = Mat::from_fn(rows.len(), rows.len(), |i, j| {
            lower[i.max(j) * (i.max(j) + 1) / 2 + i.min(j)][frequency]
        });
        let (values, vectors) = hermitian_eigen(&gram)?;
        Some(Some(System {
            values,
            targets: vectors.adjoint() * &y,
            vectors,
            weight: count / rolls.count as f64,
            energy,
        }))
    };
    rolls.halves().par_iter().map(system).collect()
}
