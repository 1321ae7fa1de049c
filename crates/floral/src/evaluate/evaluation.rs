//! The scores of an evaluation.

use std::ops::Range;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{InterestEvaluation, TruthSource};
use crate::Quantity;
use crate::metric::{CorrectedErrors, CorrectedVariance, Interval, MeanFieldError};
use crate::sample::OdeSolver;
use crate::train::Method;

/// The scores of a run's predictions against the truth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// Method of the run.
    pub method: Method,
    /// Epoch of the best checkpoint.
    pub epoch: usize,
    /// Path of the dataset.
    pub data: PathBuf,
    /// Indices of the evaluated inputs.
    pub inputs: Range<usize>,
    /// Number of evaluated inputs on which the run was trained or validated; their scores are not a
    /// test.
    #[serde(default)]
    pub seen: usize,
    /// Indices of these inputs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seen_inputs: Vec<usize>,
    /// Seed of the random draws.
    pub seed: u64,
    /// ODE solver; `None` for a method that is not a flow.
    pub solver: Option<OdeSolver>,
    /// Origin of the true moments.
    pub truth: TruthSource,
    /// Realizations per input in the dataset, against which ensembles are scored; the largest
    /// number, if it differs between inputs.
    pub observations: usize,
    /// The smallest number of an input with any, if the number differs between inputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fewest_observations: Option<usize>,
    /// Notes on conversions to the run's axes, channels and units, on baselines and on calibration.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Scores of the run.
    pub prediction: Prediction,
    /// Baseline: the low-fidelity solution as prediction of the mean, if there is one.
    pub low: Option<MeanErrors>,
    /// Baseline: the low-fidelity solution plus the mean residual of the training inputs, if the
    /// training inputs are available.
    #[serde(default)]
    pub mean_residual: Option<MeanErrors>,
    /// Baseline: kriging of the training inputs, if they are available.
    #[serde(default)]
    pub kriging: Option<MeanErrors>,
    /// Scores of each channel in its own units, if there are several. The scores above then pool
    /// all channels in units of their standard deviations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub channels: Vec<ChannelEvaluation>,
    /// Scores of the quantities of interest that were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interests: Vec<InterestEvaluation>,
}

/// The scores of one channel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChannelEvaluation {
    /// Name and units of the channel.
    #[serde(flatten)]
    pub quantity: Quantity,
    /// Standard deviation of the channel, its unit when channels are pooled.
    pub deviation: f64,
    /// Scores of the run.
    pub prediction: Prediction,
    /// Baseline: the low-fidelity solution as prediction of the mean.
    pub low: Option<MeanErrors>,
    /// Baseline: the low-fidelity solution plus the mean residual of the training inputs.
    pub mean_residual: Option<MeanErrors>,
    /// Baseline: kriging of the training inputs.
    pub kriging: Option<MeanErrors>,
}

/// The scores of a prediction, and its cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// Realizations per input.
    pub realizations: usize,
    /// Errors of the mean field.
    pub mean: MeanErrors,
    /// Upper bound of the average mean L2 error of a perfect prediction with as many realizations,
    /// which is not zero because of the sampling errors of truth and prediction.
    pub mean_l2_floor: Option<f64>,
    /// Scores of the spread; absent for deterministic methods.
    pub spread: Option<SpreadScores>,
    /// Network evaluations per realization.
    pub evaluations: f64,
    /// Measured time per realization in seconds; for inputs predicted in parallel, the share of
    /// each.
    pub seconds: f64,
}

/// Errors of mean fields.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeanErrors {
    /// Mean over inputs of the Euclidean norm of the error.
    pub mean_l2: f64,
    /// Root mean square error, pooled over inputs and points.
    pub rmse: f64,
    /// RMSE divided by the root mean square of the truth.
    pub nrmse: f64,
    /// RMSE as in PDEBench: averaged over inputs.
    pub pdebench_rmse: f64,
    /// nRMSE as in PDEBench: averaged over inputs.
    pub pdebench_nrmse: f64,
    /// The first three errors, corrected for the sampling error of the truth; `None` if the truth
    /// is exact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrected: Option<CorrectedErrors>,
}

impl From<&MeanFieldError> for MeanErrors {
    fn from(error: &MeanFieldError) -> Self {
        Self {
            mean_l2: error.mean_l2(),
            rmse: error.rmse(),
            nrmse: error.nrmse(),
            pdebench_rmse: error.pdebench_rmse(),
            pdebench_nrmse: error.pdebench_nrmse(),
            corrected: error.corrected(),
        }
    }
}

/// Scores of an ensemble's spread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SpreadScores {
    /// Mean over inputs of the Euclidean norm of the error of the variance field; `None` if the
    /// truth has no variance. For methods that separate them, the predicted variance is the
    /// aleatoric part.
    pub variance_l2: Option<f64>,
    /// The same error relative to the norm of the true variance field: 1 is no skill.
    pub variance_relative: Option<f64>,
    /// The relative error of the variance of the drawn realizations, which includes the epistemic
    /// part.
    #[serde(default)]
    pub drawn_variance_relative: Option<f64>,
    /// Mean over inputs of the norm of the true variance field.
    pub variance_truth_l2: Option<f64>,
    /// Upper bound of the average variance error of a perfect prediction with as many realizations,
    /// which is not zero because of the sampling errors of truth and prediction.
    #[serde(default)]
    pub variance_l2_floor: Option<f64>,
    /// The first two errors, corrected for the sampling error of the truth; `None` if the truth is
    /// exact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrected: Option<CorrectedVariance>,
    /// Scores against single realizations; `None` if the dataset has none.
    pub observed: Option<ObservedScores>,
}

/// Scores of ensembles against realizations of the dataset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ObservedScores {
    /// Fair CRPS.
    pub crps: f64,
    /// Fair energy score; its norm is the root mean square over points.
    pub energy_score: f64,
    /// Coverage of the central intervals of 50, 90 and 95 %.
    pub coverage: Vec<Interval>,
    /// Coverage of the 90 % interval for the input with the lowest coverage.
    #[serde(default)]
    pub worst_input_coverage: Option<f64>,
    /// Error of the ensemble mean that the spread of the ensemble predicts.
    pub spread: f64,
    /// Error of the ensemble mean against single realizations.
    pub error: f64,
    /// Spread divided by error: 1 if calibrated, below 1 if overconfident.
    pub spread_skill: f64,
    /// Shares of realizations by rank among the members, flat if calibrated.
    pub rank_histogram: Vec<f64>,
    /// Sum of the absolute deviations of the histogram from flat.
    pub reliability_index: f64,
}
