//! The tables: our value beside the paper's in every cell, or why there is none.

use serde::Serialize;

use super::paper::{PaperScores, PaperTimes};
use super::plan::{Plan, Target};
use super::results::{Record, Store};
use super::study::{Cell, Study, in_short};
use super::work::{State, States};
use floral::evaluate::MeanErrors;
use floral_report::draw::{Best, Column, Row, Table};

/// What is told of every table.
#[derive(Debug, Clone, Serialize)]
pub struct Provenance {
    /// The command that made it.
    pub command: String,
    /// The version of the program.
    pub floral: String,
    /// Processors of the machine.
    pub cores: usize,
    /// Runs that were trained side by side.
    pub jobs: usize,
}

/// A table of the paper, system by system.
#[derive(Debug, Clone, Serialize)]
pub struct PaperTable {
    /// Which one.
    #[serde(serialize_with = "as_name")]
    pub target: Target,
    /// The scale at which it was made.
    pub scale: String,
    /// How it was made.
    #[serde(flatten)]
    pub provenance: Provenance,
    /// Hours of training and evaluation of the cells that are there, each counted once.
    pub hours: f64,
    /// The systems.
    pub systems: Vec<System>,
}

/// The rows of one system.
#[derive(Debug, Clone, Serialize)]
pub struct System {
    /// The experiment's name.
    pub name: String,
    /// The name in print.
    pub title: String,
    /// The sizes, in words.
    pub settings: String,
    /// The true moments, in words; absent while nothing is evaluated.
    pub truth: Option<String>,
    /// The dataset's name.
    pub data: String,
    /// Norms over our grid times this are norms over the paper's.
    pub norm_factor: f64,
    /// The low-fidelity solution: ours and the paper's.
    pub low: (Option<MeanErrors>, Option<PaperScores>),
    /// The entries in the order of the paper.
    pub cells: Vec<Entry>,
}

/// A cell's row.
#[derive(Debug, Clone, Serialize)]
pub struct Entry {
    /// The row's name.
    pub name: String,
    /// Training samples.
    pub samples: usize,
    /// Training points per axis; all of them if absent.
    pub resolution: Option<usize>,
    /// Why there are no values of ours.
    pub missing: Option<String>,
    /// What the paper reports of scores.
    pub paper: Option<PaperScores>,
    /// What the paper reports of times.
    pub paper_times: Option<PaperTimes>,
    /// The run's name.
    pub run: String,
    /// Our scores and times.
    pub ours: Option<Record>,
    #[serde(skip)]
    short: Option<&'static str>,
}

impl PaperTable {
    /// The table with what is there.
    pub fn new(
        target: Target,
        plan: &Plan,
        store: &Store,
        states: &States,
        provenance: &Provenance,
    ) -> Self {
        let positions = 0..plan.studies.len();
        let systems = positions.map(|position| System::new(target, plan, store, states, position));
        let systems: Vec<System> = systems.filter(|system| !system.cells.is_empty()).collect();
        let entries = systems.iter().flat_map(|system| &system.cells);
        let seconds: f64 = entries
            .filter_map(|entry| entry.ours.as_ref())
            .map(|record| record.training_seconds + record.evaluation_seconds)
            .sum();
        Self {
            target,
            scale: plan.scale.clone(),
            provenance: provenance.clone(),
            hours: seconds / 3600.0,
            systems,
        }
    }

    /// The title, with the scale.
    pub fn title(&self) -> String {
        let what = match self.target {
            Target::Table1 => "Table 1: errors by number of training samples",
            Target::Table2 => "Table 2: seconds of training and prediction",
            Target::Table3 => "Table 3: errors by training resolution",
            Target::Figures => "Figures",
        };
        format!("{what} (scale {})", self.scale)
    }

    /// Cells without a value of ours.
    pub fn missing(&self) -> usize {
        let cells = self.systems.iter().flat_map(|system| &system.cells);
        cells.filter(|entry| entry.ours.is_none()).count()
    }

    /// The numbers of a system.
    pub fn numbers(&self, system: &System) -> Table {
        match self.target {
            Target::Table2 => system.times(),
            _ => system.scores(),
        }
    }
}

impl System {
    fn new(target: Target, plan: &Plan, store: &Store, states: &States, position: usize) -> Self {
        let study = &plan.studies[position];
        let cells = plan.cells_of(target, position);
        let entry = |cell: &Cell| {
            let state = states.get(&cell.evaluation_name());
            Entry::new(target, study, store, cell, state)
        };
        let cells: Vec<Entry> = cells.iter().map(entry).collect();
        let mut records = cells.iter().filter_map(|entry| entry.ours.as_ref());
        let first = records.next().map(|record| &record.evaluation);
        Self {
            name: study.experiment.name.clone(),
            title: study.experiment.title.clone(),
            settings: in_short(study),
            truth: first.map(|evaluation| evaluation.truth.to_string()),
            data: study.data_name(),
            norm_factor: study.norm_factor(),
            low: (
                first.and_then(|evaluation| evaluation.low.clone()),
                study.experiment.paper.low,
            ),
            cells,
        }
    }

    /// What a reader of the numbers has to know.
    pub fn notes(&self) -> Vec<String> {
        let truth = self.truth.as_deref().unwrap_or("not evaluated yet");
        let mut notes = vec![format!("{}; truth: {truth}.", self.settings)];
        if (self.norm_factor - 1.0).abs() > 1e-9 {
            notes.push(format!(
                "Norms are multiplied by {:.3}, the root of the ratio of grid points, to be \
                 comparable with the paper's.",
                self.norm_factor
            ));
        }
        let reasons = self.cells.iter().filter_map(|entry| {
            let reason = entry.missing.as_ref()?;
            (Some(reason.as_str()) != entry.short).then(|| format!("{}: {reason}", entry.name))
        });
        notes.extend(reasons);
        notes
    }

    fn scores(&self) -> Table {
        let columns = [
            ("mean L2", "error of the mean"),
            ("paper", "its mean L2"),
            ("RMSE", "pooled"),
            ("paper", "its RMSE"),
            ("nRMSE", "relative"),
            ("paper", "its nRMSE"),
            ("variance", "error of its field"),
            ("paper", "its variance error"),
            ("relative", "variance error, 1 = no skill"),
        ];
        let (low, paper) = &self.low;
        let low = Row {
            name: "Low-fidelity".into(),
            values: self.score_values(low.as_ref(), None, *paper),
            competes: false,
        };
        let cells = self.cells.iter().map(|entry| {
            let evaluation = entry.ours.as_ref().map(|record| &record.evaluation);
            let mean = evaluation.map(|e| &e.prediction.mean);
            let spread = evaluation.and_then(|e| e.prediction.spread.as_ref());
            let variance = spread.map(|s| (s.variance_l2, s.variance_relative));
            entry.row(self.score_values(mean, variance, entry.paper))
        });
        table(&columns, std::iter::once(low).chain(cells))
    }

    fn score_values(
        &self,
        ours: Option<&MeanErrors>,
        variance: Option<(Option<f64>, Option<f64>)>,
        paper: Option<PaperScores>,
    ) -> Vec<Option<f64>> {
        let norm = |value: f64| value * self.norm_factor;
        let (variance, relative) = variance.unwrap_or_default();
        vec![
            ours.map(|e| norm(e.mean_l2)),
            paper.map(|p| p.mean_l2),
            ours.map(|e| e.rmse),
            paper.map(|p| p.rmse),
            ours.map(|e| e.nrmse),
            paper.map(|p| p.nrmse),
            variance.map(norm),
            paper.and_then(|p| p.variance_l2),
            relative,
        ]
    }

    fn times(&self) -> Table {
        let columns = [
            ("training", "seconds"),
            ("paper", "its seconds, on an H100"),
            ("samples/s", "in training"),
            ("paper", "its samples/s"),
            ("per input", "seconds"),
            ("paper", "its seconds"),
            ("per realization", "seconds"),
            ("paper", "its seconds"),
        ];
        let rows = self.cells.iter().map(|entry| {
            let ours = entry.ours.as_ref();
            let predicted = ours.map(|record| &record.evaluation.prediction);
            let paper = entry.paper_times.unwrap_or_default();
            let generative = predicted.filter(|p| p.spread.is_some());
            let samples = |record: &Record| (record.epochs * entry.samples) as f64;
            entry.row(vec![
                ours.map(|record| record.training_seconds),
                paper.training_seconds,
                ours.map(|record| samples(record) / record.training_seconds),
                paper.samples_per_second,
                predicted.map(|p| p.seconds * p.realizations as f64),
                paper.seconds_per_input,
                generative.map(|p| p.seconds),
                paper.seconds_per_realization,
            ])
        });
        table(&columns, rows)
    }
}

impl Entry {
    fn new(
        target: Target,
        study: &Study,
        store: &Store,
        cell: &Cell,
        state: Option<&State>,
    ) -> Self {
        let paper = &study.experiment.paper;
        let place = match cell.resolution {
            Some(points) => format!("at {points}"),
            None => cell.samples.to_string(),
        };
        let (ours, short, reason) = match state.unwrap_or(&State::NOT_RUN) {
            State::Done(record) => (Some(record.as_ref().clone()), None, None),
            State::Missing { short, reason } => (None, Some(*short), reason.clone()),
        };
        let run = store.run(cell);
        Self {
            name: format!("{} {place}", cell.method.title()),
            samples: cell.samples,
            resolution: cell.resolution,
            missing: reason.or(short.map(str::to_owned)),
            paper: match (target, cell.resolution) {
                (Target::Table2, _) => None,
                (_, Some(points)) => paper.by_resolution(cell.method, points),
                (_, None) => paper.by_size(cell.method, cell.samples),
            },
            paper_times: (target == Target::Table2).then(|| *paper.table2.of(cell.method)),
            run: run
                .file_name()
                .map(|n| n.to_string_lossy().into())
                .unwrap_or_default(),
            ours,
            short,
        }
    }

    fn row(&self, values: Vec<Option<f64>>) -> Row {
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

/// A table without winners: rows of different sizes do not compete.
fn table(columns: &[(&str, &str)], rows: impl Iterator<Item = Row>) -> Table {
    let column = |&(name, meaning): &(&str, &str)| Column {
        name: name.into(),
        meaning: meaning.into(),
        best: Best::Unranked,
    };
    Table {
        columns: columns.iter().map(column).collect(),
        rows: rows.collect(),
    }
}

fn as_name<S: serde::Serializer>(target: &Target, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(target.name())
}
