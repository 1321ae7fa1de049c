//! The values in the paper, cell by cell.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use floral::train::Method;

/// The paper's values for one problem.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paper {
    /// Points per axis of the grid over which the paper takes norms.
    pub grid: Vec<usize>,
    /// The low-fidelity solution.
    pub low: Option<PaperScores>,
    /// Table 1, by method and number of training samples.
    #[serde(default)]
    pub table1: ByMethod<BTreeMap<String, PaperScores>>,
    /// Table 2, by method.
    #[serde(default)]
    pub table2: ByMethod<PaperTimes>,
    /// Table 3, by method and number of training points per axis.
    #[serde(default)]
    pub table3: ByMethod<BTreeMap<String, PaperScores>>,
}

/// A value for each method of the paper.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ByMethod<T> {
    fno: T,
    residual_fno: T,
    flora: T,
    floral: T,
}

impl<T> ByMethod<T> {
    /// The value for a method; `None` for methods that the paper does not have.
    pub fn of(&self, method: Method) -> Option<&T> {
        match method {
            Method::Fno => Some(&self.fno),
            Method::ResidualFno => Some(&self.residual_fno),
            Method::Flora => Some(&self.flora),
            Method::Floral => Some(&self.floral),
            Method::Kriging | Method::FloralKl => None,
        }
    }
}

/// A row of Table 1 or 3.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaperScores {
    /// Mean over inputs of the Euclidean norm of the error of the mean field.
    pub mean_l2: f64,
    /// Pooled root mean square error.
    pub rmse: f64,
    /// RMSE divided by the root mean square of the truth.
    pub nrmse: f64,
    /// Mean norm of the error of the variance field; absent for deterministic methods.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variance_l2: Option<f64>,
}

/// A row of Table 2.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PaperTimes {
    /// Seconds of the whole training.
    pub training_seconds: Option<f64>,
    /// Training samples per second.
    pub samples_per_second: Option<f64>,
    /// Seconds to predict one input, with all its realizations.
    pub seconds_per_input: Option<f64>,
    /// Seconds per realization.
    pub seconds_per_realization: Option<f64>,
}

impl Paper {
    /// The entry of Table 1 for a method and a number of training samples.
    pub fn by_size(&self, method: Method, samples: usize) -> Option<PaperScores> {
        self.table1.of(method)?.get(&samples.to_string()).copied()
    }

    /// The entry of Table 3 for a method and a number of training points per axis.
    pub fn by_resolution(&self, method: Method, points: usize) -> Option<PaperScores> {
        self.table3.of(method)?.get(&points.to_string()).copied()
    }
}
