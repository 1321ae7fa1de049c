//! Inspection of a dataset: its contents, and whether its low-fidelity solver is worth using.

mod candidates;
mod comparison;
mod gather;
mod suggestion;
mod verdict;

use std::path::PathBuf;

use serde::Serialize;

pub use candidates::Candidate;
pub use suggestion::Suggestion;
pub use verdict::{Verdict, Worth};

use crate::dataset::Dataset;
use crate::metric::Band;
use crate::{Error, Quantity, Result};

/// The results of the inspection of a dataset.
#[derive(Debug, Clone, Serialize)]
pub struct Summary {
    /// Path of the dataset.
    pub path: PathBuf,
    /// The problem's name, if known.
    pub problem: Option<String>,
    /// The random seed, if known.
    pub seed: Option<u64>,
    /// Number of inputs.
    pub inputs: usize,
    /// Realizations per input.
    pub realizations: usize,
    /// Draws that the solver had to repeat, if known.
    pub redraws: Option<u64>,
    /// The title, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Remarks on the grid.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The grid's axes.
    pub axes: Vec<AxisSummary>,
    /// The arrays, with their ranges.
    pub arrays: Vec<ArraySummary>,
    /// The skill of the low-fidelity solver, if high fidelity exists for comparison.
    pub low_fidelity: Option<LowFidelity>,
    /// Candidates for low fidelity, the nearest to the mean of high fidelity first.
    pub candidates: Vec<Candidate>,
    /// Suggested transforms for channels of the solution.
    pub transforms: Vec<Suggestion>,
    /// Whether the low-fidelity solver is worth using.
    pub verdict: Verdict,
}

impl Summary {
    /// Whether every value of every array is a finite number.
    pub fn is_finite(&self) -> bool {
        self.arrays.iter().all(|array| array.non_finite == 0)
    }
}

/// One axis of the grid.
#[derive(Debug, Clone, Serialize)]
pub struct AxisSummary {
    /// Its name.
    pub name: String,
    /// Number of points.
    pub points: usize,
    /// First coordinate.
    pub from: f64,
    /// Last coordinate.
    pub to: f64,
    /// Units of the coordinates, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub units: Option<String>,
    /// The long name, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub long_name: Option<String>,
    /// Whether its points are evenly spaced.
    pub even: bool,
}

/// One array and the range of its values.
#[derive(Debug, Clone, Serialize)]
pub struct ArraySummary {
    /// Its name.
    pub name: &'static str,
    /// Its shape.
    pub shape: Vec<usize>,
    /// The range of its values; none for several channels, which may be different quantities.
    #[serde(flatten)]
    pub range: Option<Range>,
    /// Number of values that are NaN or infinite.
    pub non_finite: u64,
    /// The first input with such a value.
    pub first_non_finite_input: Option<usize>,
    /// Its channels.
    pub channels: Vec<ChannelSummary>,
}

/// The range of finite values.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Range {
    /// Smallest value.
    pub min: f64,
    /// Largest value.
    pub max: f64,
    /// Mean.
    pub mean: f64,
    /// Standard deviation.
    pub deviation: f64,
}

/// One channel and the range of its values.
#[derive(Debug, Clone, Serialize)]
pub struct ChannelSummary {
    /// Its name and units.
    #[serde(flatten)]
    pub quantity: Quantity,
    /// The range of its values.
    #[serde(flatten)]
    pub range: Range,
    /// Number of values that are NaN or infinite.
    pub non_finite: u64,
}

/// Comparison of low with high fidelity. Several channels are pooled in units of their standard
/// deviation.
#[derive(Debug, Clone, Serialize)]
pub struct LowFidelity {
    /// The skill.
    #[serde(flatten)]
    pub skill: Skill,
    /// Agreement with the mean of high fidelity, by wave number.
    pub bands: Vec<Band>,
    /// The skill per channel, in its own units, if there are several channels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub channels: Vec<ChannelSkill>,
}

/// Comparison of low with high fidelity in one channel.
#[derive(Debug, Clone, Serialize)]
pub struct ChannelSkill {
    /// Its name and units.
    #[serde(flatten)]
    pub quantity: Quantity,
    /// The skill in this channel.
    #[serde(flatten)]
    pub skill: Skill,
}

/// Measures of agreement between low and high fidelity.
#[derive(Debug, Clone, Serialize)]
pub struct Skill {
    /// Mean over inputs of the Euclidean norm of the error: low minus the mean of high.
    pub mean_l2: f64,
    /// Root mean square error, over all inputs and points.
    pub rmse: f64,
    /// RMSE over the root mean square of the mean of high.
    pub nrmse: f64,
    /// RMSE as defined by PDEBench: averaged over inputs.
    pub pdebench_rmse: f64,
    /// nRMSE as defined by PDEBench: averaged over inputs.
    pub pdebench_nrmse: f64,
    /// RMSE of a perfect solver: the sampling error of the mean of high fidelity.
    pub rmse_floor: f64,
    /// Mean over inputs of the Euclidean norm of the variance field; requires two realizations.
    pub variance_norm: Option<f64>,
    /// Variance of the residual divided by the variance of high fidelity, each about its mean.
    /// Below 1, the residual is easier to learn than the solution.
    pub residual_to_solution_variance: f64,
    /// Share of the residual variance that is random, and that no deterministic solver could
    /// remove.
    pub random_share: Option<f64>,
    /// Correlation of low fidelity with the mean of high fidelity, over all inputs and points.
    pub correlation: f64,
}

/// Reads a dataset input by input and summarises it.
pub fn inspect(dataset: &Dataset) -> Result<Summary> {
    if dataset.inputs() == 0 {
        return Err(Error::bad_file(
            dataset.path(),
            "holds no inputs; generate at least one",
        ));
    }
    let gathered = gather::gather(dataset)?;
    let arrays = gathered.arrays(dataset);
    let finite = arrays.iter().all(|array| array.non_finite == 0);
    let low_fidelity = if finite {
        gathered.low_fidelity(dataset)
    } else {
        None
    };
    Ok(Summary {
        path: dataset.path().to_owned(),
        problem: dataset.problem().map(str::to_owned),
        seed: dataset.seed(),
        inputs: dataset.inputs(),
        realizations: dataset.realizations(),
        redraws: dataset.redraws()?,
        title: dataset.title().map(str::to_owned),
        notes: dataset.notes(),
        axes: axes(dataset),
        candidates: if finite {
            gathered.candidates()
        } else {
            Vec::new()
        },
        transforms: gathered.suggestions(dataset),
        verdict: Verdict::of(finite, dataset, low_fidelity.as_ref()),
        arrays,
        low_fidelity,
    })
}

fn axes(dataset: &Dataset) -> Vec<AxisSummary> {
    let summary = |axis: &crate::Axis| AxisSummary {
        name: axis.name.clone(),
        points: axis.len(),
        from: axis.coordinates.first().copied().unwrap_or(f64::NAN),
        to: axis.coordinates.last().copied().unwrap_or(f64::NAN),
        units: axis.units.clone(),
        long_name: axis.long_name.clone(),
        even: axis.is_even(),
    };
    dataset.grid().axes.iter().map(summary).collect()
}
