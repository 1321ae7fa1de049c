//! Errors of predicted fields, accumulated input by input.

use serde::{Deserialize, Serialize};

use super::fields::weighted;

/// Sums for the errors of mean fields over many inputs.
///
/// Predictions are p_i and truths t_i, i = 1..n, on N grid values each.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MeanFieldError {
    inputs: usize,
    values: usize,
    norms: f64,
    relative_norms: f64,
    rms: f64,
    squares: f64,
    truth_squares: f64,
    /// Expected contribution of the truths' sampling error to `squares`.
    #[serde(default)]
    sampled_squares: f64,
    #[serde(default)]
    corrected_norms: f64,
}

/// Errors corrected for the sampling error of the truth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CorrectedErrors {
    /// Mean over inputs of the Euclidean norm of the error.
    pub mean_l2: f64,
    /// Root mean square error, pooled over inputs and points.
    pub rmse: f64,
    /// RMSE divided by the root mean square of the truth.
    pub nrmse: f64,
}

impl MeanFieldError {
    /// Adds the predicted and the true field of one input.
    pub fn push(&mut self, predicted: &[f64], truth: &[f64]) {
        assert_eq!(predicted.len(), truth.len(), "fields on the same grid");
        let square: f64 = predicted
            .iter()
            .zip(truth)
            .map(|(p, t)| (p - t).powi(2))
            .sum();
        let truth_square: f64 = truth.iter().map(|t| t * t).sum();
        self.push_squares(square, truth_square, truth.len());
    }

    /// Adds one input whose true field is a mean over realizations. `sampled` is the expected
    /// squared norm of the sampling error of this mean.
    pub fn push_sampled(&mut self, predicted: &[f64], truth: &[f64], sampled: f64) {
        self.push_weighted(predicted, truth, &[], sampled);
    }

    /// The same with quadrature weights of the points, of mean 1; empty for equal weights.
    pub fn push_weighted(
        &mut self,
        predicted: &[f64],
        truth: &[f64],
        weights: &[f64],
        sampled: f64,
    ) {
        assert_eq!(predicted.len(), truth.len(), "fields on the same grid");
        let squares = predicted.iter().zip(truth).map(|(p, t)| (p - t).powi(2));
        let truth_square = weighted(truth.iter().map(|t| t * t), weights);
        let square = weighted(squares, weights);
        self.add(square, truth_square, truth.len(), sampled);
    }

    /// Adds one input, given the squared norms of its error and its true field, and the number of
    /// values.
    pub fn push_squares(&mut self, square: f64, truth_square: f64, values: usize) {
        self.add(square, truth_square, values, 0.0);
    }

    fn add(&mut self, square: f64, truth_square: f64, values: usize, sampled: f64) {
        self.inputs += 1;
        self.values += values;
        self.norms += square.sqrt();
        self.relative_norms += ratio(square, truth_square).sqrt();
        self.rms += (square / values as f64).sqrt();
        self.squares += square;
        self.truth_squares += truth_square;
        // The two errors are independent, so their squares add on average.
        self.sampled_squares += sampled;
        self.corrected_norms += (square - sampled).max(0.0).sqrt();
    }

    /// Adds sums gathered elsewhere.
    pub fn merge(&mut self, other: &Self) {
        self.inputs += other.inputs;
        self.values += other.values;
        self.norms += other.norms;
        self.relative_norms += other.relative_norms;
        self.rms += other.rms;
        self.squares += other.squares;
        self.truth_squares += other.truth_squares;
        self.sampled_squares += other.sampled_squares;
        self.corrected_norms += other.corrected_norms;
    }

    /// The errors corrected for the mean contribution of the truths' sampling error; none if the
    /// truths are exact. Errors far below the sampling error may be corrected to zero.
    pub fn corrected(&self) -> Option<CorrectedErrors> {
        let left = |squares: f64| (squares - self.sampled_squares).max(0.0);
        (self.sampled_squares > 0.0).then(|| CorrectedErrors {
            mean_l2: self.corrected_norms / self.inputs as f64,
            rmse: (left(self.squares) / self.values as f64).sqrt(),
            nrmse: ratio(left(self.squares), left(self.truth_squares)).sqrt(),
        })
    }

    /// Mean L2 error, sum_i ||p_i - t_i|| / n, with the Euclidean norm over grid values: the first
    /// column of the paper's tables.
    pub fn mean_l2(&self) -> f64 {
        self.norms / self.inputs as f64
    }

    /// Root mean square error pooled over all inputs and grid values.
    pub fn rmse(&self) -> f64 {
        (self.squares / self.values as f64).sqrt()
    }

    /// RMSE divided by the root mean square of the truth, both pooled over inputs.
    pub fn nrmse(&self) -> f64 {
        ratio(self.squares, self.truth_squares).sqrt()
    }

    /// RMSE as defined by PDEBench: the root mean square error of each input, averaged over inputs.
    /// Takamoto et al. (2022), appendix B.
    pub fn pdebench_rmse(&self) -> f64 {
        self.rms / self.inputs as f64
    }

    /// nRMSE as defined by PDEBench: ||p_i - t_i|| / ||t_i||, averaged over inputs. Takamoto et al.
    /// (2022), appendix B.
    pub fn pdebench_nrmse(&self) -> f64 {
        self.relative_norms / self.inputs as f64
    }
}

/// a / b, with 0 / 0 = 0: a prediction that matches a zero field has no error.
pub fn ratio(a: f64, b: f64) -> f64 {
    if a == 0.0 { 0.0 } else { a / b }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(&[f64], &[f64])]) -> MeanFieldError {
        let mut error = MeanFieldError::default();
        for (predicted, truth) in pairs {
            error.push(predicted, truth);
        }
        error
    }

    #[test]
    fn pooled_and_per_input_errors_differ_as_their_formulas_say() {
        let error = of(&[(&[3.0, 4.0], &[0.0, 0.0]), (&[1.0, 1.0], &[1.0, 2.0])]);
        assert_eq!(error.mean_l2(), (5.0 + 1.0) / 2.0);
        assert_eq!(error.rmse(), (26.0f64 / 4.0).sqrt());
        assert_eq!(error.nrmse(), (26.0f64 / 5.0).sqrt());
        let per_input = [12.5f64.sqrt(), 0.5f64.sqrt()];
        assert!((error.pdebench_rmse() - per_input.iter().sum::<f64>() / 2.0).abs() < 1e-15);
    }

    #[test]
    fn a_perfect_prediction_has_no_error_and_a_zero_one_has_relative_error_one() {
        let truth: &[f64] = &[1.0, -2.0, 0.5];
        let perfect = of(&[(truth, truth)]);
        assert_eq!((perfect.mean_l2(), perfect.nrmse()), (0.0, 0.0));
        let zero = of(&[(&[0.0; 3], truth)]);
        assert_eq!((zero.nrmse(), zero.pdebench_nrmse()), (1.0, 1.0));
    }

    #[test]
    fn a_sampled_truth_is_taken_out_of_the_error() {
        let mut error = of(&[(&[3.0, 4.0], &[0.0, 0.0])]);
        assert_eq!(error.corrected(), None);
        error = MeanFieldError::default();
        error.push_sampled(&[3.0, 4.0], &[0.0, 5.0], 9.0 + 1.0 - 4.0);
        error.push_sampled(&[1.0, 0.0], &[0.0, 0.0], 2.0);
        let corrected = error.corrected().unwrap();
        // 10 - 6 and 1 - 2, which is clipped to 0.
        assert!((corrected.mean_l2 - (2.0 + 0.0) / 2.0).abs() < 1e-12);
        assert!((corrected.rmse - (3.0f64 / 4.0).sqrt()).abs() < 1e-12);
        assert!((corrected.nrmse - (3.0f64 / 17.0).sqrt()).abs() < 1e-12);
        assert!(error.rmse() > corrected.rmse);
    }

    #[test]
    fn an_exact_truth_counts_fully_in_the_corrected_error() {
        let mut error = of(&[(&[3.0, 4.0], &[0.0, 0.0])]);
        error.push_sampled(&[3.0, 4.0], &[0.0, 0.0], 9.0);
        assert_eq!(error.corrected().unwrap().mean_l2, (5.0 + 4.0) / 2.0);
    }
}
