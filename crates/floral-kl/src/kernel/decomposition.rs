//! The Gram matrix of a kernel, one Hermitian system per frequency.

use floral_linalg::{Mat, hermitian_eigen};
use rayon::prelude::*;

use super::spectrum::{C64, Half};
use super::system::System;
use super::{Covariance, Rows};
use crate::Symmetries;
use crate::large::picked;
use crate::target::Examples;

/// Frequencies that hold less than this share of the targets' squares are skipped.
const NEGLIGIBLE: f64 = 1e-9;

/// The Gram matrix at each frequency, decomposed; `None` at a frequency that is skipped. Returns
/// `None` as a whole if all targets are zero or an eigenvalue iteration fails. Where nothing rolls,
/// targets may be restricted to some points, `at`.
pub(super) fn systems(
    covariance: Covariance,
    rows: &Rows,
    symmetries: &Symmetries,
    examples: &Examples<'_>,
    at: Option<&[usize]>,
) -> Option<Vec<Option<System>>> {
    let rolls = rows.resemblance.rolls();
    let (motions, count) = (symmetries.motions.len(), rows.signatures.len());
    let pair = |(i, j): (usize, usize)| {
        let [a, b] = [i, j].map(|row| &rows.signatures[row]);
        rows.resemblance.covariance(covariance, a, b)
    };
    let places = (0..count).flat_map(|i| (0..=i).map(move |j| (i, j)));
    let places: Vec<(usize, usize)> = places.collect();
    let lower: Vec<Vec<C64>> = places.into_par_iter().map(pair).collect();
    let target = |i: usize| {
        let motion = &symmetries.motions[i % motions];
        let target = &examples.train.targets[i / motions];
        let moved = examples.parity.apply(motion, target);
        match at {
            Some(at) => in_complex(&picked(&moved, motion.points(), at)),
            None => rolls.forward(&moved),
        }
    };
    let targets: Vec<Vec<C64>> = (0..count).into_par_iter().map(target).collect();
    let halves = rolls.halves();
    let square = |(h, half): (usize, &Half)| {
        let values = targets
            .iter()
            .flat_map(|t| t.iter().skip(h).step_by(halves.len()));
        half.count() * values.map(C64::norm_sqr).sum::<f64>()
    };
    let squares: Vec<f64> = halves.iter().enumerate().map(square).collect();
    let total: f64 = squares.iter().sum();
    if !(total.is_finite() && total > 0.0) {
        return None;
    }
    let system = |(h, half): (usize, &Half)| {
        let energy = squares[h] / total;
        if energy.is_nan() || energy < NEGLIGIBLE {
            return Some(None);
        }
        let rest = targets[0].len() / halves.len();
        let y = Mat::from_fn(count, rest, |i, r| targets[i][r * halves.len() + h]);
        // The eigenvalue solver reads the lower triangle only.
        let gram = Mat::from_fn(count, count, |i, j| {
            lower[i.max(j) * (i.max(j) + 1) / 2 + i.min(j)][h]
        });
        let (values, vectors) = hermitian_eigen(&gram)?;
        Some(Some(System {
            values,
            targets: vectors.adjoint() * &y,
            vectors,
            weight: half.count() / rolls.count as f64,
            energy,
        }))
    };
    halves.par_iter().enumerate().map(system).collect()
}

/// Real values as complex ones.
pub(super) fn in_complex(values: &[f64]) -> Vec<C64> {
    values.iter().map(|v| C64::from(*v)).collect()
}
