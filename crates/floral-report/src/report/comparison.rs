//! The numbers that a report shows.

use std::borrow::Cow;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;

use super::band::Band;
use super::distribution::Distribution;
use super::picture::Picture;
use super::questions::Questions;
use super::summary::Certainty;
use crate::draw::Label;
use floral::Grid;
use floral::evaluate::{MeanErrors, Prediction, TruthSource};
use floral::metric::Interval;
use floral::predict::Sampling;
use floral::train::{EpochRecord, Method};

/// Several runs compared with each other, and with the truth if it is known.
#[derive(Debug, Clone, Serialize)]
pub struct Comparison {
    /// The compared data, and how they are compared.
    pub setting: Setting,
    /// The channels of the solution. Each is scored and drawn in its own units.
    pub channels: Vec<ChannelTruth>,
    /// The runs: methods in the order of the paper, small training sets first.
    pub runs: Vec<RunResult>,
    /// The inputs that are shown.
    pub shown: Vec<ShownInput>,
    /// Results beyond fields: quantities, sensitivity, readings, learning.
    pub questions: Questions,
}

/// Maximum number of runs that can be distinguished in one figure.
const MOST_DRAWN: usize = 8;

impl Comparison {
    /// The runs in figures: all if they are few, otherwise the last of each method, which has the
    /// most training inputs on the finest grid.
    pub(super) fn drawn(&self) -> Cow<'_, Self> {
        if self.runs.len() <= MOST_DRAWN {
            return Cow::Borrowed(self);
        }
        let leads = |i: &usize| {
            let later = &self.runs[i + 1..];
            later.iter().all(|run| run.method != self.runs[*i].method)
        };
        let leading: Vec<usize> = (0..self.runs.len()).filter(leads).collect();
        let run = |i: &usize| RunResult {
            variant: 0,
            ..self.runs[*i].clone()
        };
        let shown = |shown: &ShownInput| ShownInput {
            runs: leading.iter().map(|i| shown.runs[*i].clone()).collect(),
            certainty: leading
                .iter()
                .map(|i| shown.certainty[*i].clone())
                .collect(),
            ..shown.clone()
        };
        Cow::Owned(Self {
            runs: leading.iter().map(run).collect(),
            shown: self.shown.iter().map(shown).collect(),
            ..self.clone()
        })
    }
}

/// The compared data, and how they are compared.
#[derive(Debug, Clone, Serialize)]
pub struct Setting {
    /// The title of the dataset, or else its problem, or the name of its folder.
    pub title: String,
    /// The problem, if the dataset states it.
    pub problem: Option<String>,
    /// The dataset.
    pub data: PathBuf,
    /// The grid. Axes of a single point are left out unless there is no other axis.
    #[serde(skip)]
    pub grid: Grid,
    /// How fields on a mesh are drawn; `None` on a grid.
    #[serde(skip)]
    pub picture: Option<Arc<Picture>>,
    /// The parameters of the inputs, with their units.
    pub parameters: Vec<Label>,
    /// The names of the axes, with their units.
    pub axes: Vec<Label>,
    /// The axis that points to the right in maps; the other axis points upwards.
    pub right: usize,
    /// On three axes, the index along each axis at which figures show planes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub through: Vec<usize>,
    /// The plane shown of fields on three axes, as in `z = 0.5`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The meaning of bands around means.
    pub band: Band,
    /// The inputs that are scored.
    pub inputs: Range<usize>,
    /// Number of scored inputs that were used in training or validation of any run.
    pub seen: usize,
    /// Number of realizations in the dataset per input.
    pub observations: usize,
    /// The source of the true moments; `None` if the truth is unknown.
    pub truth: Option<TruthSource>,
    /// How realizations of generative methods were made.
    pub sampling: Sampling,
    /// Version and commit of the program.
    pub build: String,
    /// Notes on the inputs, for example that they are far from the training inputs.
    pub notes: Vec<String>,
}

impl Setting {
    /// Whether fields are drawn as maps.
    pub(super) fn has_maps(&self) -> bool {
        self.grid.dimensions() == 2 || self.picture.is_some()
    }

    /// Whether fields are drawn as curves: not on a mesh, and not if they are single numbers.
    pub(super) fn has_curves(&self) -> bool {
        !self.has_maps() && self.grid.len() > 1
    }

    /// Whether the explorer shows fields: only on a grid.
    pub(super) fn is_explored(&self) -> bool {
        self.picture.is_none() && self.grid.len() > 1
    }
}

/// One channel of the solution with its truth.
#[derive(Debug, Clone, Serialize)]
pub struct ChannelTruth {
    /// The name of the channel in file names; empty if it is the only channel.
    pub key: String,
    /// The name of the channel with its units.
    pub quantity: Label,
    /// The low-fidelity solution, if there is one.
    pub low: Option<LowResult>,
    /// Energy by wave number of true realizations.
    pub spectrum: Vec<f64>,
    /// The smallest value in all realizations of all inputs; without a truth, in those of all runs
    /// and in low fidelity.
    pub lowest: f32,
    /// Pairs of a low-fidelity value and a true value, over all inputs.
    #[serde(skip)]
    pub pairs: Vec<[f32; 2]>,
}

/// The low-fidelity solution as a prediction.
#[derive(Debug, Clone, Serialize)]
pub struct LowResult {
    /// The errors.
    pub errors: MeanErrors,
    /// Energy by wave number.
    pub spectrum: Vec<f64>,
}

/// A run with its predictions of all inputs.
#[derive(Debug, Clone, Serialize)]
pub struct RunResult {
    /// The label in the report.
    pub label: String,
    /// The run folder.
    pub folder: PathBuf,
    /// The method.
    pub method: Method,
    /// The index of the run among those of its method, from 0.
    pub variant: usize,
    /// Number of training inputs; `None` if unknown.
    pub training_inputs: Option<usize>,
    /// Points per axis of the training grid.
    pub training_grid: Vec<usize>,
    /// Seconds of training.
    pub training_seconds: f64,
    /// The epoch of the checkpoint; `None` for a method in closed form.
    pub epoch: Option<usize>,
    /// The log of the epochs; empty if there is none.
    #[serde(skip)]
    pub epochs: Vec<EpochRecord>,
    /// The predictions of each channel of the solution.
    pub channels: Vec<ChannelResult>,
}

/// A run's predictions of one channel over all inputs.
#[derive(Debug, Clone, Default, Serialize)]
pub struct ChannelResult {
    /// Scores, and the cost of all channels together; `None` without a truth.
    pub prediction: Option<Prediction>,
    /// Errors of the low-fidelity solution plus the mean residual of the run's training inputs, if
    /// the dataset contains them.
    pub mean_residual: Option<MeanErrors>,
    /// Errors of kernel regression on the run's training inputs.
    pub kriging: Option<MeanErrors>,
    /// Coverage of central intervals. Empty for a deterministic method, as are the next two.
    pub coverage: Vec<Interval>,
    /// Share of realizations by their rank among the ensemble members.
    pub ranks: Vec<f64>,
    /// Expected and observed error, in groups of points with similar expected error.
    pub spread_error: Vec<[f64; 2]>,
    /// Energy by wave number of single realizations.
    pub spectrum: Vec<f64>,
    /// The smallest value in all predicted realizations of all inputs.
    pub lowest: f32,
    /// Pairs of a low-fidelity value and a predicted value, over all inputs.
    #[serde(skip)]
    pub pairs: Vec<[f32; 2]>,
}

/// An input with its truth, if known, and the predictions of all runs.
#[derive(Debug, Clone, Serialize)]
pub struct ShownInput {
    /// The name: the number of the input, and its file if there are several files.
    pub name: String,
    /// The index in the dataset, which is used in figure names.
    pub input: usize,
    /// The parameters, in the order of [`Setting::parameters`].
    pub parameters: Vec<f64>,
    /// The low-fidelity solution, if there is one.
    #[serde(skip)]
    pub low: Option<Vec<f32>>,
    /// The truth.
    #[serde(skip)]
    pub truth: Option<Distribution>,
    /// The predictions of the runs, in their order.
    #[serde(skip)]
    pub runs: Vec<Distribution>,
    /// Novelty and epistemic share for each run whose method estimates them.
    pub certainty: Vec<Option<Certainty>>,
}

impl ShownInput {
    /// The distributions that colour scales cover: the truth or, if it is unknown, the runs.
    pub(super) fn references(&self) -> impl Iterator<Item = &Distribution> {
        let runs = self.runs.iter().filter(|_| self.truth.is_none());
        self.truth.iter().chain(runs)
    }
}
