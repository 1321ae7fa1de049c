//! What an evaluation found, as numbers with names.

use std::ops::Range;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{InterestEvaluation, TruthSource};
use crate::Quantity;
use crate::metric::{CorrectedErrors, CorrectedVariance, Interval, MeanFieldError};
use crate::sample::OdeSolver;
use crate::train::Method;

/// A run's predictions beside the truth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// The run's method.
    pub method: Method,
    /// The epoch of its best checkpoint.
    pub epoch: usize,
    /// The dataset.
    pub data: PathBuf,
    /// The inputs that were predicted.
    pub inputs: Range<usize>,
    /// How many of them the run was trained or validated on; their scores are no test.
    #[serde(default)]
    pub seen: usize,
    /// Their indices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seen_inputs: Vec<usize>,
    /// The seed of the priors.
    pub seed: u64,
    /// The integrator; absent for deterministic methods.
    pub solver: Option<OdeSolver>,
    /// Where the true moments come from.
    pub truth: TruthSource,
    /// Realizations of the dataset per input that ensembles are scored against.
    pub observations: usize,
    /// What of the dataset was converted to the run's axes, channels and units.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The run's own scores.
    pub prediction: Prediction,
    /// The low-fidelity solution taken as the prediction of the mean, where there is one.
    pub low: Option<MeanErrors>,
    /// The low-fidelity solution plus the mean residual of the run's training inputs, where the
    /// dataset holds them.
    #[serde(default)]
    pub mean_residual: Option<MeanErrors>,
    /// Kernel regression from the run's training inputs, where the dataset holds them.
    #[serde(default)]
    pub kriging: Option<MeanErrors>,
    /// Of several channels, the scores of each in its own units; those above are then of all of them
    /// in units of their deviations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub channels: Vec<ChannelEvaluation>,
    /// Scores of quantities of interest, where they were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interests: Vec<InterestEvaluation>,
}

/// The scores in one channel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChannelEvaluation {
    /// What it is.
    #[serde(flatten)]
    pub quantity: Quantity,
    /// The standard deviation that is its unit when channels are pooled.
    pub deviation: f64,
    /// The run's own scores.
    pub prediction: Prediction,
    /// The low-fidelity solution taken as the prediction of the mean.
    pub low: Option<MeanErrors>,
    /// The low-fidelity solution plus the mean residual of the training inputs.
    pub mean_residual: Option<MeanErrors>,
    /// Kernel regression from the training inputs.
    pub kriging: Option<MeanErrors>,
}

/// The scores of a prediction and what it has cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// Realizations per input.
    pub realizations: usize,
    /// Errors of the mean field.
    pub mean: MeanErrors,
    /// The mean L2 error that a perfect prediction of as many realizations would have on average,
    /// at most, since both means have a sampling error.
    pub mean_l2_floor: Option<f64>,
    /// Scores of the spread; absent for deterministic methods.
    pub spread: Option<SpreadScores>,
    /// Evaluations of the network per realization.
    pub evaluations: f64,
    /// Seconds per realization, over all threads.
    pub seconds: f64,
}

/// Errors of mean fields.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MeanErrors {
    /// Mean over inputs of the Euclidean norm of the error.
    pub mean_l2: f64,
    /// Root mean square error, pooled over inputs and points.
    pub rmse: f64,
    /// RMSE over the root mean square of the truth.
    pub nrmse: f64,
    /// PDEBench's RMSE: averaged over inputs.
    pub pdebench_rmse: f64,
    /// PDEBench's nRMSE: averaged over inputs.
    pub pdebench_nrmse: f64,
    /// The first three without what the sampling of the truth adds to them; absent where the truth
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
    /// Mean over inputs of the Euclidean norm of the error of the variance field; absent where the
    /// truth has no variance.
    pub variance_l2: Option<f64>,
    /// That error over the norm of the true variance field: 1 is no skill.
    pub variance_relative: Option<f64>,
    /// The same error of the variance of the realizations as they are drawn, which for methods that
    /// separate the two holds the epistemic part as well.
    #[serde(default)]
    pub drawn_variance_relative: Option<f64>,
    /// Mean norm of the true variance field.
    pub variance_truth_l2: Option<f64>,
    /// The variance error that a perfect prediction of as many realizations would have on average,
    /// at most, since both variances have a sampling error.
    #[serde(default)]
    pub variance_l2_floor: Option<f64>,
    /// The first two without what the sampling of the truth adds to them; absent where the truth is
    /// exact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrected: Option<CorrectedVariance>,
    /// Scores against single realizations; absent where the dataset has none.
    pub observed: Option<ObservedScores>,
}

/// Scores of ensembles against realizations of the dataset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ObservedScores {
    /// Fair CRPS.
    pub crps: f64,
    /// Fair energy score, its norm the root mean square over points.
    pub energy_score: f64,
    /// Central intervals of 50, 90 and 95 %.
    pub coverage: Vec<Interval>,
    /// Coverage of the 90 % interval at the input where it is least.
    #[serde(default)]
    pub worst_input_coverage: Option<f64>,
    /// The error that the ensemble expects of its mean.
    pub spread: f64,
    /// The error of its mean against single realizations.
    pub error: f64,
    /// Spread over error: 1 when calibrated, below when overconfident.
    pub spread_skill: f64,
    /// Share of realizations by rank among the members, flat when calibrated.
    pub rank_histogram: Vec<f64>,
    /// Sum of the histogram's deviations from flat.
    pub reliability_index: f64,
}
