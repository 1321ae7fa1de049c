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
    /// What is compared, and how.
    pub setting: Setting,
    /// The channels of the solution. Each is scored and drawn in units of its own.
    pub channels: Vec<ChannelTruth>,
    /// The runs, methods in the order of the paper, small training sets first.
    pub runs: Vec<RunResult>,
    /// The inputs that are shown.
    pub shown: Vec<ShownInput>,
    /// Answers beside fields.
    pub questions: Questions,
}

/// More runs than this cannot be distinguished in one figure.
const MOST_DRAWN: usize = 8;

impl Comparison {
    /// What figures show: all runs if they are few, otherwise the last of each method, which has the
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

/// What is compared, and how.
#[derive(Debug, Clone, Serialize)]
pub struct Setting {
    /// The dataset's own title, or else its problem, or the name of its folder.
    pub title: String,
    /// The problem, if the dataset names it.
    pub problem: Option<String>,
    /// The dataset.
    pub data: PathBuf,
    /// The grid, without axes of a single point unless it has no other.
    #[serde(skip)]
    pub grid: Grid,
    /// How fields on a mesh are drawn; none of a grid.
    #[serde(skip)]
    pub picture: Option<Arc<Picture>>,
    /// The parameters of inputs with their units.
    pub parameters: Vec<Label>,
    /// The names of its axes with their units.
    pub axes: Vec<Label>,
    /// The axis that maps have to the right; the other one goes upwards.
    pub right: usize,
    /// On three axes, the point of each through which the planes of figures go.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub through: Vec<usize>,
    /// The plane that is shown of fields on three axes, as in `z = 0.5`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// What bands around means are.
    pub band: Band,
    /// The inputs over which scores are taken.
    pub inputs: Range<usize>,
    /// How many of them were used in training or validation of some run.
    pub seen: usize,
    /// Realizations of the dataset per input.
    pub observations: usize,
    /// The source of the true moments; none if the truth is unknown.
    pub truth: Option<TruthSource>,
    /// How realizations of generative methods were made.
    pub sampling: Sampling,
    /// The program, by version and commit.
    pub build: String,
    /// Notes on the inputs, such as that they are far from the training inputs.
    pub notes: Vec<String>,
}

impl Setting {
    /// Whether fields are drawn as maps.
    pub(super) fn has_maps(&self) -> bool {
        self.grid.dimensions() == 2 || self.picture.is_some()
    }

    /// Whether fields are drawn as curves: not those of a mesh, and not single numbers.
    pub(super) fn has_curves(&self) -> bool {
        !self.has_maps() && self.grid.len() > 1
    }

    /// Whether the explorer shows fields: those on a grid.
    pub(super) fn is_explored(&self) -> bool {
        self.picture.is_none() && self.grid.len() > 1
    }
}

/// One channel of the solution, and its truth.
#[derive(Debug, Clone, Serialize)]
pub struct ChannelTruth {
    /// Its name in the names of files; empty where it is the only one.
    pub key: String,
    /// What it is called, with its units.
    pub quantity: Label,
    /// The low-fidelity solution; none where there is none.
    pub low: Option<LowResult>,
    /// Energy by wave number of true realizations.
    pub spectrum: Vec<f64>,
    /// The smallest value in all realizations of all inputs; without a truth, in those of all runs and
    /// in low fidelity.
    pub lowest: f32,
    /// Values of the truth after those of the low-fidelity solution, over all inputs.
    #[serde(skip)]
    pub pairs: Vec<[f32; 2]>,
}

/// The low-fidelity solution taken as a prediction.
#[derive(Debug, Clone, Serialize)]
pub struct LowResult {
    /// Its errors.
    pub errors: MeanErrors,
    /// Its energy by wave number.
    pub spectrum: Vec<f64>,
}

/// A run over all inputs.
#[derive(Debug, Clone, Serialize)]
pub struct RunResult {
    /// Its name in the report.
    pub label: String,
    /// Its folder.
    pub folder: PathBuf,
    /// Its method.
    pub method: Method,
    /// Which of the runs of its method it is, from 0.
    pub variant: usize,
    /// Inputs it was trained on; none if that is not known.
    pub training_inputs: Option<usize>,
    /// Points per axis of the grid it was trained on.
    pub training_grid: Vec<usize>,
    /// Seconds of training.
    pub training_seconds: f64,
    /// The epoch of the checkpoint; none of a method in closed form.
    pub epoch: Option<usize>,
    /// The log of its epochs; empty where there is none.
    #[serde(skip)]
    pub epochs: Vec<EpochRecord>,
    /// What it predicts of each channel of the solution.
    pub channels: Vec<ChannelResult>,
}

/// A run's predictions of one channel over all inputs.
#[derive(Debug, Clone, Default, Serialize)]
pub struct ChannelResult {
    /// Its scores and what all channels together cost; none without a truth.
    pub prediction: Option<Prediction>,
    /// The low-fidelity solution plus the mean residual of the run's training inputs, where the
    /// dataset holds them.
    pub mean_residual: Option<MeanErrors>,
    /// Kernel regression from its training inputs.
    pub kriging: Option<MeanErrors>,
    /// Central intervals; empty for a deterministic method, as are the following.
    pub coverage: Vec<Interval>,
    /// Share of realizations by their rank among the members.
    pub ranks: Vec<f64>,
    /// Expected and observed error, in groups of points of similar expected error.
    pub spread_error: Vec<[f64; 2]>,
    /// Energy by wave number of single realizations.
    pub spectrum: Vec<f64>,
    /// The smallest value in all realizations of all inputs.
    pub lowest: f32,
    /// Predicted values after those of the low-fidelity solution, over all inputs.
    #[serde(skip)]
    pub pairs: Vec<[f32; 2]>,
}

/// An input with its truth, if known, and the prediction of each run.
#[derive(Debug, Clone, Serialize)]
pub struct ShownInput {
    /// What it is called: its number, and its file where there are several.
    pub name: String,
    /// Its index in the dataset, which names its figures.
    pub input: usize,
    /// Its parameters, in the order of the setting's.
    pub parameters: Vec<f64>,
    /// The low-fidelity solution, where there is one.
    #[serde(skip)]
    pub low: Option<Vec<f32>>,
    /// The truth.
    #[serde(skip)]
    pub truth: Option<Distribution>,
    /// The runs, in their order.
    #[serde(skip)]
    pub runs: Vec<Distribution>,
    /// Novelty and epistemic share per run, of methods that estimate them.
    pub certainty: Vec<Option<Certainty>>,
}

impl ShownInput {
    /// What colour scales cover: the truth or, if it is unknown, the runs.
    pub(super) fn references(&self) -> impl Iterator<Item = &Distribution> {
        let runs = self.runs.iter().filter(|_| self.truth.is_none());
        self.truth.iter().chain(runs)
    }
}
