//! Error of predicted variance fields, accumulated input by input.

use serde::{Deserialize, Serialize};

use super::error::ratio;
use super::fields::weighted;

/// Sums for the variance errors over many inputs.
///
/// Predicted variance fields are p_i and true ones t_i, i = 1..n; the norm is the Euclidean norm
/// over grid values. Variances estimated from m samples have a sampling error: for Gaussian
/// samples, the relative error is about sqrt(2 / m) even for the right distribution.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct VarianceError {
    inputs: usize,
    norms: f64,
    truth_norms: f64,
    /// Sum of the norms of the errors expected from sampling alone.
    #[serde(default)]
    floors: f64,
    /// Sums of the errors and of the truth's norms, corrected for the sampling error of the truths.
    #[serde(default)]
    corrected: Option<(f64, f64)>,
}

/// Errors of variances, corrected for the sampling error of the truth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CorrectedVariance {
    /// Mean over inputs of the Euclidean norm of the error of the variance field.
    pub variance_l2: f64,
    /// That error divided by the norm of the true variance field.
    pub variance_relative: f64,
}

/// Expected squared norms of sampling errors.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Sampled {
    /// Sampling error of the true variance field.
    pub truth: f64,
    /// Sampling error of the predicted variance field.
    pub prediction: f64,
}

impl VarianceError {
    /// Adds the predicted and the true variance field of one input, one value per grid value each.
    pub fn push(&mut self, predicted: &[f64], truth: &[f64]) {
        self.push_sampled(predicted, truth, Sampled::default());
    }

    /// Adds one input whose variance fields have sampling errors.
    pub fn push_sampled(&mut self, predicted: &[f64], truth: &[f64], sampled: Sampled) {
        self.push_weighted(predicted, truth, &[], sampled);
    }

    /// The same with quadrature weights of the points, of mean 1; empty for equal weights.
    pub fn push_weighted(
        &mut self,
        predicted: &[f64],
        truth: &[f64],
        weights: &[f64],
        sampled: Sampled,
    ) {
        assert_eq!(predicted.len(), truth.len(), "fields on the same grid");
        let squares = predicted.iter().zip(truth).map(|(p, t)| (p - t).powi(2));
        let square = weighted(squares, weights);
        let truth_square = weighted(truth.iter().map(|t| t * t), weights);
        // An unbiased estimate may be negative; a squared norm is not.
        let error = sampled.truth.max(0.0);
        let left = |square: f64| (square - error).max(0.0).sqrt();
        self.merge(&Self {
            inputs: 1,
            norms: square.sqrt(),
            truth_norms: truth_square.sqrt(),
            floors: (sampled.truth + sampled.prediction).max(0.0).sqrt(),
            corrected: (error > 0.0).then(|| (left(square), left(truth_square))),
        });
    }

    /// Adds sums gathered over other inputs.
    pub fn merge(&mut self, other: &Self) {
        if self.corrected.is_some() || other.corrected.is_some() {
            let (own, more) = (self.left(), other.left());
            self.corrected = Some((own.0 + more.0, own.1 + more.1));
        }
        self.inputs += other.inputs;
        self.norms += other.norms;
        self.truth_norms += other.truth_norms;
        self.floors += other.floors;
    }

    /// The corrected sums. Exact truths need no correction.
    fn left(&self) -> (f64, f64) {
        self.corrected.unwrap_or((self.norms, self.truth_norms))
    }

    /// An upper bound on the mean variance error of a perfect prediction, caused by the sampling of
    /// both variances.
    pub fn floor(&self) -> f64 {
        self.floors / self.inputs as f64
    }

    /// The errors corrected for the mean contribution of the truths' sampling error; none if the
    /// truths are exact. Errors far below the sampling error may be corrected to zero.
    pub fn corrected(&self) -> Option<CorrectedVariance> {
        let (norms, truth_norms) = self.corrected?;
        Some(CorrectedVariance {
            variance_l2: norms / self.inputs as f64,
            variance_relative: ratio(norms, truth_norms),
        })
    }

    /// Variance error, sum_i ||p_i - t_i|| / n: the third column of the paper's tables.
    pub fn mean_l2(&self) -> f64 {
        self.norms / self.inputs as f64
    }

    /// Mean norm of the true variance field, sum_i ||t_i|| / n.
    pub fn truth_l2(&self) -> f64 {
        self.truth_norms / self.inputs as f64
    }

    /// Relative variance error, sum_i ||p_i - t_i|| / sum_i ||t_i||: 1 for a prediction without
    /// spread, and thus without skill.
    ///
    /// This is a ratio of averages rather than an average of ratios: inputs with almost no variance
    /// have almost no weight, and the paper's variance errors are divided by the same number.
    pub fn relative(&self) -> f64 {
        ratio(self.norms, self.truth_norms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_spread_scores_one_and_the_true_spread_zero() {
        let (mut none, mut perfect) = (VarianceError::default(), VarianceError::default());
        for truth in [[3.0, 4.0], [0.1, 0.2]] {
            none.push(&[0.0; 2], &truth);
            perfect.push(&truth, &truth);
        }
        assert_eq!((none.relative(), perfect.relative()), (1.0, 0.0));
        assert_eq!(none.mean_l2(), none.truth_l2());
    }

    #[test]
    fn the_relative_error_is_the_ratio_of_averages() {
        let mut error = VarianceError::default();
        error.push(&[3.0, 4.0], &[0.0, 0.0]);
        error.push(&[6.0, 8.0], &[0.0, 8.0]);
        assert_eq!(error.mean_l2(), (5.0 + 6.0) / 2.0);
        assert_eq!(error.relative(), (5.0 + 6.0) / (0.0 + 8.0));
    }

    #[test]
    fn merging_is_the_same_as_pushing_everything_into_one() {
        let (mut whole, mut part) = (VarianceError::default(), VarianceError::default());
        let mut rest = VarianceError::default();
        for (i, target) in [&mut part, &mut rest].into_iter().enumerate() {
            let truth = [1.0 + i as f64, 2.0];
            target.push(&[1.0, 1.0], &truth);
            whole.push(&[1.0, 1.0], &truth);
        }
        part.merge(&rest);
        assert_eq!(part, whole);
    }

    #[test]
    fn a_sampled_truth_is_taken_out_of_the_error() {
        let mut error = VarianceError::default();
        error.push(&[1.0, 2.0], &[1.0, 1.0]);
        assert_eq!((error.corrected(), error.floor()), (None, 0.0));
        let sampled = Sampled {
            truth: 3.0,
            prediction: 1.0,
        };
        let mut error = VarianceError::default();
        error.push_sampled(&[0.0, 0.0], &[2.0, 2.0], sampled);
        assert_eq!(error.floor(), 2.0);
        let corrected = error.corrected().unwrap();
        assert!((corrected.variance_l2 - 5.0f64.sqrt()).abs() < 1e-12);
        assert!((corrected.variance_relative - 1.0).abs() < 1e-12);
    }

    #[test]
    fn an_exact_truth_counts_fully_in_the_corrected_error() {
        let sampled = |truth| Sampled {
            truth,
            prediction: 0.0,
        };
        let of = |truths: &[f64]| {
            let mut error = VarianceError::default();
            for truth in truths {
                error.push_sampled(&[0.0, 0.0], &[3.0, 4.0], sampled(*truth));
            }
            error
        };
        // 5 of the exact truth, 4 of the other, whose square is reduced from 25 to 16.
        let expected = (5.0 + 4.0) / 2.0;
        for truths in [[0.0, 9.0], [9.0, 0.0], [9.0, -1.0]] {
            let corrected = of(&truths).corrected().unwrap();
            assert_eq!(corrected.variance_l2, expected, "{truths:?}");
            let mut merged = of(&truths[..1]);
            merged.merge(&of(&truths[1..]));
            assert_eq!(merged, of(&truths));
        }
        assert_eq!(of(&[0.0, 0.0]).corrected(), None);
    }
}
