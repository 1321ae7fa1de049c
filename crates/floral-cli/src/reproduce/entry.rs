//! A row of a table: one cell over all seeds, and the paper's value for it.

use serde::Serialize;

use super::paper::{PaperScores, PaperTimes};
use super::plan::Target;
use super::results::{Record, Store};
use super::study::{Cell, Study};
use super::work::{State, States};
use floral::evaluate::MeanErrors;
use floral::train::Method;
use floral_report::draw::Row;

/// The row of a cell.
#[derive(Debug, Clone, Serialize)]
pub struct Entry {
    /// The row's name.
    pub name: String,
    /// Training samples.
    pub samples: usize,
    /// Rows of an epoch: the samples, or their inputs if a network learns means over realizations.
    #[serde(skip)]
    pub rows: usize,
    /// Training points per axis; `None` means all.
    pub resolution: Option<usize>,
    /// Why values of ours are missing, if any are.
    pub missing: Option<String>,
    /// The scores in the paper.
    pub paper: Option<PaperScores>,
    /// The scores with the smallest error in the paper for this cell, for methods that it does not
    /// have.
    pub best: Option<PaperScores>,
    /// The times in the paper.
    pub paper_times: Option<PaperTimes>,
    /// The run's name.
    pub run: String,
    /// Our scores and times: a record for every seed that is evaluated.
    pub ours: Vec<Record>,
    /// Why values are missing, in a word or two, for the row's name.
    #[serde(skip)]
    pub short: Option<&'static str>,
}

impl Entry {
    /// `seeds` holds the same cell for every seed.
    pub(super) fn new(
        target: Target,
        study: &Study,
        store: &Store,
        seeds: &[&Cell],
        states: &States,
    ) -> Self {
        let (paper, cell) = (&study.experiment.paper, seeds[0]);
        let place = match cell.resolution {
            Some(points) => format!("at {points}"),
            None => cell.samples.to_string(),
        };
        let state = |cell: &&Cell| {
            states
                .get(&cell.evaluation_name())
                .unwrap_or(&State::NotRun)
        };
        let records = seeds.iter().map(state).filter_map(State::record);
        let ours: Vec<Record> = records.cloned().collect();
        let missing = seeds.iter().map(state).find_map(State::missing);
        let (short, reason) = missing.unzip();
        let run = store.run(cell);
        let is_ours = cell.method.recipe().is_some();
        let by_place = |method| match cell.resolution {
            Some(points) => paper.by_resolution(method, points),
            None => paper.by_size(method, cell.samples),
        };
        let has_scores = target != Target::Table2;
        Self {
            name: match (target, cell.variant) {
                (Target::Ablation, "") => format!("FLORAL-KL {place}"),
                (Target::Ablation, variant) => format!("{place}, {variant}"),
                _ => format!("{} {place}", cell.method.title()),
            },
            samples: cell.samples,
            rows: study.rows(cell),
            resolution: cell.resolution,
            missing: reason.flatten().or(short.map(str::to_owned)),
            paper: by_place(cell.method).filter(|_| has_scores),
            best: (is_ours && has_scores)
                .then(|| Method::PAPER.into_iter().filter_map(by_place))
                .and_then(|rows| rows.min_by(|a, b| a.mean_l2.total_cmp(&b.mean_l2))),
            paper_times: paper
                .table2
                .of(cell.method)
                .copied()
                .filter(|_| !has_scores),
            run: run
                .file_name()
                .map(|n| n.to_string_lossy().into())
                .unwrap_or_default(),
            ours,
            short,
        }
    }

    /// The mean over seeds; `None` unless every record has the value.
    pub(super) fn mean(&self, of: impl Fn(&Record) -> Option<f64>) -> Option<f64> {
        let values: Vec<f64> = self.ours.iter().map(of).collect::<Option<_>>()?;
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    }

    /// The standard deviation over seeds, from two records or more.
    pub(super) fn deviation(&self, of: impl Fn(&Record) -> Option<f64>) -> Option<f64> {
        let mean = self.mean(&of)?;
        let rest = self.ours.len().checked_sub(1).filter(|rest| *rest > 0)?;
        let square = |record: &Record| Some((of(record)? - mean).powi(2));
        let squares: Vec<f64> = self.ours.iter().map(square).collect::<Option<_>>()?;
        Some((squares.iter().sum::<f64>() / rest as f64).sqrt())
    }

    /// The errors of low fidelity, averaged over seeds.
    pub(super) fn low(&self) -> Option<MeanErrors> {
        let of = |value: fn(&MeanErrors) -> f64| {
            self.mean(|record| record.evaluation.low.as_ref().map(value))
        };
        Some(MeanErrors {
            mean_l2: of(|e| e.mean_l2)?,
            rmse: of(|e| e.rmse)?,
            nrmse: of(|e| e.nrmse)?,
            pdebench_rmse: of(|e| e.pdebench_rmse)?,
            pdebench_nrmse: of(|e| e.pdebench_nrmse)?,
            corrected: None,
        })
    }

    /// A row with these values; its name says if values are missing.
    pub(super) fn row(&self, values: Vec<Option<f64>>) -> Row {
        let name = match self.short {
            Some(short) => format!("{} ({short})", self.name),
            None => self.name.clone(),
        };
        Row {
            name,
            values,
            competes: false,
        }
    }
}
