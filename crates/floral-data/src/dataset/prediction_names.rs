//! Names of the arrays and dimensions of stored predictions. Axes of a dataset must not have these
//! names, because otherwise a run of hours could not store its predictions.

use super::layout::{CHANNEL_DIMENSION, INPUT_DIMENSION, REALIZATION_DIMENSION};

pub const MEAN: &str = "mean";
pub const VARIANCE: &str = "variance";
pub const DEVIATION: &str = "std";
pub const ALEATORIC: &str = "aleatoric";
pub const EPISTEMIC: &str = "epistemic";
pub const NOVELTY: &str = "novelty";
pub const QUANTILES: &str = "quantiles";
pub const EXCEEDANCE: &str = "exceedance";
pub const REALIZATIONS: &str = "realizations";
pub const EVALUATIONS: &str = "evaluations";
pub const DRAWS: &str = "draws";
pub const QUANTILE_DIMENSION: &str = "quantile";
pub const THRESHOLD_DIMENSION: &str = "threshold";
pub const THRESHOLD_CHANNEL: &str = "threshold_channel";

/// Names that are not allowed for axes, in predictions or in datasets.
pub const RESERVED: [&str; 17] = [
    DRAWS,
    MEAN,
    VARIANCE,
    DEVIATION,
    THRESHOLD_CHANNEL,
    ALEATORIC,
    EPISTEMIC,
    NOVELTY,
    QUANTILES,
    EXCEEDANCE,
    REALIZATIONS,
    EVALUATIONS,
    INPUT_DIMENSION,
    REALIZATION_DIMENSION,
    CHANNEL_DIMENSION,
    QUANTILE_DIMENSION,
    THRESHOLD_DIMENSION,
];
