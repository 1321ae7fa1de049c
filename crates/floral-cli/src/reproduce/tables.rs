//! The tables: our value next to the paper's in every cell, or the reason why it is missing.

use serde::Serialize;

use super::entry::Entry;
use super::paper::PaperScores;
use super::plan::{ReproductionPlan, Target};
use super::results::{Record, Store};
use super::study::{Cell, in_short};
use super::work::States;
use floral::evaluate::MeanErrors;
use floral_report::draw::{Best, Column, Row, Table};

/// The note under every table.
#[derive(Debug, Clone, Serialize)]
pub struct Provenance {
    /// The command that made the table.
    pub command: String,
    /// The version of the program.
    pub floral: String,
    /// The version of the default method, which changes whenever its predictions do.
    pub method_version: u32,
    /// Processors of the machine.
    pub cores: usize,
    /// The number of runs trained in parallel.
    pub jobs: usize,
}

/// A table of the paper, system by system.
#[derive(Debug, Clone, Serialize)]
pub struct PaperTable {
    /// The target of the table.
    #[serde(serialize_with = "as_name")]
    pub target: Target,
    /// The scale at which it was made.
    pub scale: String,
    /// How it was made.
    #[serde(flatten)]
    pub provenance: Provenance,
    /// Hours of training and evaluation of the finished cells, each counted once.
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
    /// The sizes of the experiment in one line.
    pub settings: String,
    /// A description of the true moments; `None` until something is evaluated.
    pub truth: Option<String>,
    /// The dataset's name.
    pub data: String,
    /// The factor that converts norms over our grid to norms over the paper's.
    pub norm_factor: f64,
    /// The low-fidelity solution: ours and the paper's.
    pub low: (Option<MeanErrors>, Option<PaperScores>),
    /// Number of seeds that means are taken over once all have finished.
    pub seeds: usize,
    /// The entries in the order of the paper.
    pub cells: Vec<Entry>,
}

impl PaperTable {
    /// The table of all cells; cells that are not finished have no values.
    pub fn new(
        target: Target,
        plan: &ReproductionPlan,
        store: &Store,
        states: &States,
        provenance: &Provenance,
    ) -> Self {
        let replicas = plan.replicas();
        let systems = replicas
            .iter()
            .map(|group| System::new(target, plan, store, states, group));
        let systems: Vec<System> = systems.filter(|system| !system.cells.is_empty()).collect();
        let entries = systems.iter().flat_map(|system| &system.cells);
        let seconds: f64 = entries
            .flat_map(|entry| &entry.ours)
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
            Target::Ablation => "Ablation: what each part of FLORAL-KL contributes",
        };
        format!("{what} (scale {})", self.scale)
    }

    /// The number of cells without a value of ours.
    pub fn missing(&self) -> usize {
        let cells = self.systems.iter().flat_map(|system| &system.cells);
        cells.filter(|entry| entry.ours.is_empty()).count()
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
    /// `replicas` holds the positions of the studies of one experiment, which differ in their seed.
    fn new(
        target: Target,
        plan: &ReproductionPlan,
        store: &Store,
        states: &States,
        replicas: &[usize],
    ) -> Self {
        let study = &plan.studies[replicas[0]];
        let all: Vec<Vec<Cell>> = replicas
            .iter()
            .map(|position| plan.cells_of(target, *position))
            .collect();
        let entry = |row: usize| {
            let seeds: Vec<&Cell> = all.iter().map(|cells| &cells[row]).collect();
            Entry::new(target, study, store, &seeds, states)
        };
        let cells: Vec<Entry> = (0..all[0].len()).map(entry).collect();
        let mut records = cells.iter().flat_map(|entry| &entry.ours);
        let first = records.next().map(|record| &record.evaluation);
        Self {
            name: study.experiment.name.clone(),
            title: study.experiment.title.clone(),
            settings: in_short(study),
            truth: first.map(|evaluation| evaluation.truth.to_string()),
            data: study.data_name(),
            norm_factor: study.norm_factor(),
            low: (
                cells.iter().find_map(Entry::low),
                study.experiment.paper.low,
            ),
            seeds: replicas.len(),
            cells,
        }
    }

    /// Notes for readers of the numbers.
    pub fn notes(&self) -> Vec<String> {
        let truth = self.truth.as_deref().unwrap_or("not evaluated yet");
        let mut notes = vec![format!("{}; truth: {truth}.", self.settings)];
        if self.seeds > 1 {
            notes.push(format!(
                "Means over {} of data and training; \u{b1} is the deviation over them.",
                self.seeds_in_means()
            ));
        }
        if self.cells.iter().any(|entry| entry.best.is_some()) {
            notes.push(
                "For methods that are not in the paper, the paper columns show its best method."
                    .into(),
            );
        }
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

    /// The number of seeds in the means, which may differ between rows until all have finished.
    fn seeds_in_means(&self) -> String {
        let finished = || self.cells.iter().map(|entry| entry.ours.len());
        let finished = || finished().filter(|seeds| *seeds > 0);
        let (few, most) = (finished().min().unwrap_or(0), finished().max().unwrap_or(0));
        match self.seeds {
            all if few == all => format!("{all} seeds"),
            all if few == most => format!("{few} of {all} seeds"),
            all => format!("{few} to {most} of {all} seeds"),
        }
    }

    fn scores(&self) -> Table {
        let columns = [
            ("mean L2", "error of the mean"),
            ("\u{b1}", "over seeds"),
            ("paper", "its mean L2"),
            ("of low", "share of low fidelity's"),
            ("nRMSE", "relative"),
            ("paper", "its nRMSE"),
            ("variance", "error of its field"),
            ("paper", "its variance error"),
            ("relative", "variance error, 1 = no skill"),
            ("\u{b1}", "over seeds"),
            ("90 % band", "share of true values inside"),
            ("energy", "score of whole fields"),
        ];
        let low = Row {
            name: "Low-fidelity".into(),
            values: self.low_values(),
            competes: false,
        };
        let cells = self
            .cells
            .iter()
            .map(|entry| entry.row(self.score_values(entry)));
        table(&columns, std::iter::once(low).chain(cells))
    }

    fn low_values(&self) -> Vec<Option<f64>> {
        let (ours, paper) = (self.low.0.as_ref(), self.low.1);
        vec![
            ours.map(|e| e.mean_l2 * self.norm_factor),
            None,
            paper.map(|p| p.mean_l2),
            None,
            ours.map(|e| e.nrmse),
            paper.map(|p| p.nrmse),
        ]
    }

    fn score_values(&self, entry: &Entry) -> Vec<Option<f64>> {
        let spread = |record: &Record| record.evaluation.prediction.spread.clone();
        let l2 = |record: &Record| Some(record.evaluation.prediction.mean.mean_l2);
        let norm = |value: Option<f64>| value.map(|value| value * self.norm_factor);
        let relative = |record: &Record| spread(record)?.variance_relative;
        let paper = entry.paper.or(entry.best);
        let low = self.low.0.as_ref();
        vec![
            norm(entry.mean(l2)),
            norm(entry.deviation(l2)),
            paper.map(|p| p.mean_l2),
            entry.mean(l2).zip(low).map(|(own, low)| own / low.mean_l2),
            entry.mean(|record| Some(record.evaluation.prediction.mean.nrmse)),
            paper.map(|p| p.nrmse),
            norm(entry.mean(|record| spread(record)?.variance_l2)),
            paper.and_then(|p| p.variance_l2),
            entry.mean(relative),
            entry.deviation(relative),
            entry.mean(|record| {
                let coverage = spread(record)?.observed?.coverage;
                let ninety = coverage.iter().find(|i| (i.level - 0.9).abs() < 1e-9);
                ninety.map(|interval| interval.coverage)
            }),
            entry.mean(|record| Some(spread(record)?.observed?.energy_score)),
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
            let paper = entry.paper_times.unwrap_or_default();
            let seconds = |record: &Record| record.evaluation.prediction.seconds;
            let count = |record: &Record| record.evaluation.prediction.realizations as f64;
            let samples = |record: &Record| {
                let trained = (record.epochs * entry.rows) as f64;
                (record.epochs > 0).then(|| trained / record.training_seconds)
            };
            entry.row(vec![
                entry.mean(|record| Some(record.training_seconds)),
                paper.training_seconds,
                entry.mean(samples),
                paper.samples_per_second,
                entry.mean(|record| Some(seconds(record) * count(record))),
                paper.seconds_per_input,
                entry.mean(|record| (count(record) > 1.0).then(|| seconds(record))),
                paper.seconds_per_realization,
            ])
        });
        table(&columns, rows)
    }
}

/// A table without marked winners: rows of different sizes do not compete.
fn table(columns: &[(&str, &str)], rows: impl Iterator<Item = Row>) -> Table {
    let column = |(name, meaning): &(&str, &str)| Column::new(name, meaning, Best::Unranked);
    Table {
        columns: columns.iter().map(column).collect(),
        rows: rows.collect(),
    }
}

fn as_name<S: serde::Serializer>(target: &Target, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(target.name())
}
