//! The turn of the factors: one rotation for all inputs, and how many of them are worth keeping.
//!
//! Factors may be turned among each other without a change of the covariance. Eigenvectors of each
//! input's own inner products would be orthogonal, but where two of their eigenvalues meet they
//! swap, and coefficients of neighbouring inputs could not be compared. The eigenvectors of the mean
//! over training inputs are the same for all: factors are orthogonal on average, in order of their
//! mean square, and as smooth in the input as the network is.

use floral_linalg::{Mat, symmetric_eigen};

use super::gram::Overlap;
use crate::{Error, Result};

/// Directions with less than this share of the largest mean square are null.
const NULL: f64 = 1e-4;

/// The rotation of the training inputs' mean inner products: [factor, kept], null ones left out.
pub(super) fn common(overlaps: &[Overlap]) -> Result<Mat<f64>> {
    let mut mean = overlaps[0].gram.clone();
    overlaps[1..]
        .iter()
        .for_each(|overlap| mean += &overlap.gram);
    let (values, vectors) = symmetric_eigen(&mean).ok_or_else(|| Error::Numerical {
        what: "the factors' inner products have no eigenvalues".into(),
        advice: "lower the learning rate".into(),
    })?;
    let kept = values.iter().filter(|v| **v > NULL * values[0]).count();
    let sign = |k: usize| {
        let column = vectors.col(k).iter();
        let largest = column.fold(0.0, |a: f64, b| if b.abs() > a.abs() { *b } else { a });
        largest.signum()
    };
    Ok(Mat::from_fn(vectors.nrows(), kept, |j, k| {
        sign(k) * vectors[(j, k)]
    }))
}

/// Mean relative error of the covariance for 0, 1, .. leading factors.
pub(super) fn errors_by_number(turn: &Mat<f64>, overlaps: &[Overlap]) -> Vec<f64> {
    let scored = || overlaps.iter().filter(|overlap| overlap.covariance > 0.0);
    let count = scored().count().max(1) as f64;
    let mean = |kept: usize| {
        let turn = turn.as_ref().subcols(0, kept);
        scored().map(|overlap| overlap.error(turn)).sum::<f64>() / count
    };
    (0..=turn.ncols()).map(mean).collect()
}

/// The share of the correction that errs least, between none and all of it, and the relative
/// squared error that is left of the mean's.
pub(super) fn share(overlaps: &[Overlap]) -> (f64, f64) {
    let sum = |k: usize| overlaps.iter().map(|o| o.correction[k]).sum::<f64>();
    let [own, both, error] = [sum(0), sum(1), sum(2)];
    if !(own > 0.0 && error > 0.0) {
        return (0.0, 1.0);
    }
    let share = (both / own).clamp(0.0, 1.0);
    let left = error - 2.0 * share * both + share * share * own;
    (share, left / error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlap(gram: [f64; 2], correction: [f64; 3]) -> Overlap {
        let diagonal = |d: [f64; 2]| Mat::from_fn(2, 2, |i, j| if i == j { d[i] } else { 0.0 });
        Overlap {
            gram: diagonal(gram),
            seen: diagonal([1.0, 0.0]),
            covariance: 1.0,
            correction,
        }
    }

    #[test]
    fn factors_come_by_their_mean_square_and_null_ones_go() {
        let overlaps = [overlap([1.0, 0.0], [0.0; 3]), overlap([2.0, 5.0], [0.0; 3])];
        let turn = common(&overlaps).unwrap();
        assert_eq!((turn[(0, 0)], turn[(1, 0)]), (0.0, 1.0));
        assert_eq!((turn[(0, 1)], turn[(1, 1)]), (1.0, 0.0));
        let null = common(&[overlap([1.0, 1e-6], [0.0; 3])]).unwrap();
        assert_eq!(null.ncols(), 1);
    }

    #[test]
    fn a_factor_that_is_not_seen_raises_the_error() {
        let overlaps = [overlap([1.0, 0.5], [0.0; 3])];
        let errors = errors_by_number(&common(&overlaps).unwrap(), &overlaps);
        assert_eq!(errors, [1.0, 0.0, 0.25]);
    }

    #[test]
    fn a_correction_is_shrunk_to_what_it_explains() {
        assert_eq!(share(&[overlap([1.0; 2], [4.0, 2.0, 2.0])]), (0.5, 0.5));
        assert_eq!(share(&[overlap([1.0; 2], [4.0, -2.0, 2.0])]), (0.0, 1.0));
        assert_eq!(share(&[overlap([1.0; 2], [1.0, 2.0, 8.0])]).0, 1.0);
    }
}
