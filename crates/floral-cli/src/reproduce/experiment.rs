//! An experiment: a problem, its data, trainings and evaluations, and the values in the paper.

use std::path::Path;

use serde::Deserialize;
use toml::{Table, Value};

use super::paper::Paper;
use floral::evaluate::Options;
use floral::predict::Sampling;
use floral::sample::OdeSolver;
use floral::train::{Method, TrainConfig};
use floral::{Error, Result};

/// The files in `experiments/`, embedded so that the command works in any folder.
const EMBEDDED: [(&str, &str); 5] = [
    (
        "experiments/1dcr.toml",
        include_str!("../../../../experiments/1dcr.toml"),
    ),
    (
        "experiments/advection.toml",
        include_str!("../../../../experiments/advection.toml"),
    ),
    (
        "experiments/burgers.toml",
        include_str!("../../../../experiments/burgers.toml"),
    ),
    (
        "experiments/darcy.toml",
        include_str!("../../../../experiments/darcy.toml"),
    ),
    (
        "experiments/darcy-reference.toml",
        include_str!("../../../../experiments/darcy-reference.toml"),
    ),
];

/// The scale at which an experiment is unchanged.
pub const PAPER_SCALE: &str = "paper";

/// The sections that a scale may change.
const SCALED: [&str; 6] = [
    "constants",
    "data",
    "protocol",
    "training",
    "budget",
    "evaluation",
];

/// One problem's share of the tables at one scale.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// The name for `--only`.
    pub name: String,
    /// The title in print.
    pub title: String,
    /// The built-in problem.
    pub problem: String,
    /// The constants that differ from the problem's defaults.
    #[serde(default)]
    pub constants: Table,
    /// The dataset.
    pub data: DataConfig,
    /// The cells of the tables.
    pub protocol: Protocol,
    /// The training that all methods share; parsed separately.
    #[serde(skip)]
    pub training: TrainConfig,
    /// Limits that keep a training short.
    #[serde(default)]
    pub budget: Budget,
    /// How predictions are made and evaluated.
    pub evaluation: EvaluationConfig,
    /// The values in the paper.
    pub paper: Paper,
}

/// The dataset, without the problem.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataConfig {
    /// Realizations per input.
    pub realizations: usize,
    /// The first seed of data and training.
    pub seed: u64,
    /// Number of consecutive seeds; a table shows mean and standard deviation over them.
    #[serde(default = "one")]
    pub seeds: u64,
}

fn one() -> u64 {
    1
}

/// The cells of the tables.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Protocol {
    /// Training samples of Table 1.
    pub sizes: Vec<usize>,
    /// Training samples of the cell in Table 2.
    pub timed_size: usize,
    /// Training points per axis of the cells in Table 3.
    pub resolutions: Vec<usize>,
    /// Training samples of the cells in Table 3.
    pub resolutions_size: usize,
    /// The methods.
    #[serde(default = "all_methods")]
    pub methods: Vec<Method>,
}

fn all_methods() -> Vec<Method> {
    Method::ALL.to_vec()
}

/// Limits that keep a training short, whatever its number of samples.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Budget {
    /// Maximum number of optimiser steps, rounded to whole epochs.
    pub steps: Option<usize>,
    /// The learning rate decays exponentially to this fraction of its initial value.
    pub final_rate: Option<f64>,
    /// Maximum number of points per axis on which networks are trained; they predict on all points.
    pub points: Option<usize>,
    /// Whether a regression on the means of inputs takes as many steps as one on their
    /// realizations.
    pub steps_of_realizations: bool,
}

/// How predictions are made and evaluated.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvaluationConfig {
    /// Realizations per test input of generative methods.
    pub realizations: usize,
    /// Fresh realizations per input that estimate the truth if it is not known exactly.
    pub reference: usize,
    /// The seed of the priors.
    pub seed: u64,
    /// The integrator.
    pub solver: OdeSolver,
}

impl Experiment {
    /// The experiments of the paper.
    pub fn embedded(scale: &str) -> Result<Vec<Self>> {
        let parse = |(context, text): (&str, &str)| Self::parse(text, scale, context);
        EMBEDDED.into_iter().map(parse).collect()
    }

    /// The experiments in a folder: its `.toml` files, sorted by name.
    pub fn read_all(folder: &Path, scale: &str) -> Result<Vec<Self>> {
        let entries = std::fs::read_dir(folder).map_err(Error::io(folder))?;
        let mut paths = Vec::new();
        for entry in entries {
            let path = entry.map_err(Error::io(folder))?.path();
            if path.extension().is_some_and(|end| end == "toml") {
                paths.push(path);
            }
        }
        paths.sort();
        if paths.is_empty() {
            return Err(Error::bad_file(
                folder,
                "holds no experiment: no file ends in .toml",
            ));
        }
        let read = |path: &std::path::PathBuf| {
            let text = std::fs::read_to_string(path).map_err(Error::io(path))?;
            Self::parse(&text, scale, &path.display().to_string())
        };
        paths.iter().map(read).collect()
    }

    /// Reads an experiment at a scale. Unknown keys are refused.
    pub fn parse(text: &str, scale: &str, context: &str) -> Result<Self> {
        let mut table: Table = text.parse().map_err(Error::toml(context))?;
        let scales = match table.remove("scale") {
            Some(Value::Table(scales)) => scales,
            None => Table::new(),
            Some(_) => return Err(Error::config(context, "scale must be a table of scales")),
        };
        if scale != PAPER_SCALE {
            let change = scales.get(scale).and_then(Value::as_table);
            let change = change.ok_or_else(|| unknown_scale(scale, &scales))?;
            if let Some(key) = change.keys().find(|key| !SCALED.contains(&key.as_str())) {
                let known = SCALED.join(", ");
                let reason = format!("scale.{scale}.{key}: a scale can change {known}");
                return Err(Error::config(context, reason));
            }
            merge(&mut table, change);
        }
        let training = match table.remove("training") {
            Some(Value::Table(training)) => training,
            None => Table::new(),
            Some(_) => {
                return Err(Error::config(
                    context,
                    "training must be a table of settings",
                ));
            }
        };
        let mut experiment: Self = table.try_into().map_err(Error::toml(context))?;
        let context = format!("{context}, scale {scale}");
        experiment.training = trained_by(training, &context)?;
        experiment.checked(&context)?;
        Ok(experiment)
    }

    fn checked(&self, context: &str) -> Result<()> {
        let realizations = self.data.realizations;
        if realizations == 0 {
            return Err(Error::config(context, "data.realizations must be positive"));
        }
        let mut sizes = self.all_sizes();
        if let Some(size) = sizes.find(|size| *size == 0 || size % realizations != 0) {
            let reason = format!(
                "{size} samples are not a whole number of inputs with {realizations} realizations \
                 each; choose a multiple"
            );
            return Err(Error::config(context, reason));
        }
        if self.training.split.test_inputs() == 0 || self.paper.grid.contains(&0) {
            let reason = "training.split.test and paper.grid must be positive";
            return Err(Error::config(context, reason));
        }
        Ok(())
    }

    /// How a run is evaluated: on all test inputs.
    pub fn options(&self) -> Options {
        let EvaluationConfig {
            realizations,
            reference,
            seed,
            solver,
        } = self.evaluation;
        Options {
            sampling: Sampling {
                realizations,
                seed,
                solver,
            },
            inputs: Some(0..self.training.split.test_inputs()),
            reference,
            // Kriging has its own rows.
            kriging: false,
            ..Options::default()
        }
    }

    /// One experiment per seed, with its own data and its own random draws in training.
    pub fn by_seed(self) -> impl Iterator<Item = Self> {
        let seeds = 0..self.data.seeds;
        seeds.map(move |seed| {
            let mut replica = self.clone();
            replica.data.seed += seed;
            replica.training.seed += seed;
            replica
        })
    }

    /// The number of inputs whose realizations make up this many training samples.
    pub fn inputs(&self, samples: usize) -> usize {
        samples / self.data.realizations
    }

    /// The numbers of training samples of all cells.
    fn all_sizes(&self) -> impl Iterator<Item = usize> {
        let Protocol {
            timed_size,
            resolutions_size,
            ..
        } = self.protocol;
        let sizes = self.protocol.sizes.iter().copied();
        sizes.chain([timed_size, resolutions_size])
    }

    /// The number of inputs of a dataset that serves every cell.
    pub fn all_inputs(&self) -> usize {
        let most = self.all_sizes().max().map_or(0, |size| self.inputs(size));
        let split = &self.training.split;
        split.test_inputs() + split.validation_inputs() + most
    }
}

/// The settings shared by all cells.
fn trained_by(mut table: Table, context: &str) -> Result<TrainConfig> {
    for key in ["method", "resolution"] {
        if table.contains_key(key) {
            let reason = format!("training.{key} belongs to each cell; leave it out");
            return Err(Error::config(context, reason));
        }
    }
    // Each cell sets its own method; network settings are parsed for a method that uses all of
    // them.
    table.insert("method".into(), Method::ResidualFno.name().into());
    let mut training = TrainConfig::from_table(table, context)?;
    // The dataset is sized for the split, not the reverse.
    training.split = training.split.in_full();
    Ok(training)
}

/// Merges the values of `change` into `table`, recursively.
fn merge(table: &mut Table, change: &Table) {
    for (key, value) in change {
        match (table.get_mut(key), value) {
            (Some(Value::Table(inner)), Value::Table(change)) => merge(inner, change),
            _ => {
                table.insert(key.clone(), value.clone());
            }
        }
    }
}

fn unknown_scale(name: &str, scales: &Table) -> Error {
    let known = scales.keys().map(String::as_str).chain([PAPER_SCALE]);
    Error::unknown_name("scale", name, known.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::paper::PaperScores;
    use crate::reproduce::testing::TINY;

    fn named(name: &str) -> Experiment {
        let all = Experiment::embedded(PAPER_SCALE).unwrap();
        all.into_iter().find(|e| e.name == name).unwrap()
    }

    #[test]
    fn every_experiment_can_be_read_at_every_scale() {
        for scale in ["quick", "recommended", "trained", PAPER_SCALE] {
            assert_eq!(Experiment::embedded(scale).unwrap().len(), EMBEDDED.len());
        }
        let error = Experiment::embedded("huge").unwrap_err().to_string();
        assert!(
            error.contains("quick, recommended, trained, paper"),
            "{error}"
        );
    }

    #[test]
    fn the_paper_scale_is_the_default_training() {
        for experiment in Experiment::embedded(PAPER_SCALE).unwrap() {
            let mut default = TrainConfig::default().for_method(Method::ResidualFno);
            default.split = default.split.in_full();
            assert_eq!(experiment.training, default);
            assert_eq!(experiment.evaluation.solver, OdeSolver::default());
            assert_eq!(experiment.budget, Budget::default());
        }
    }

    /// Sums over the rows of the printed tables reveal a mistyped digit.
    #[test]
    fn the_papers_values_add_up() {
        let sums = |name: &str| {
            let paper = named(name).paper;
            let tables = [&paper.table1, &paper.table3];
            tables.map(|table| {
                let rows: Vec<&PaperScores> = Method::PAPER
                    .iter()
                    .filter_map(|method| table.of(*method))
                    .flat_map(|rows| rows.values())
                    .collect();
                let sum = |of: fn(&PaperScores) -> f64| rows.iter().map(|row| of(row)).sum();
                let sums: [f64; 3] = [
                    sum(|row| row.mean_l2),
                    sum(|row| row.nrmse),
                    sum(|row| row.variance_l2.unwrap_or(0.0)),
                ];
                (rows.len(), sums.map(|sum| (sum * 1e3).round() / 1e3))
            })
        };
        assert_eq!(
            sums("advection"),
            [(12, [135.24, 2.405, 8.83]), (8, [163.19, 2.86, 4.32])]
        );
        assert_eq!(
            sums("burgers"),
            [(12, [159.4, 4.03, 17.02]), (8, [133.28, 3.43, 11.18])]
        );
        for law in ["darcy", "darcy-reference"] {
            let expected = [(12, [22.01, 1.495, 0.765]), (8, [20.9, 1.396, 0.122])];
            assert_eq!(sums(law), expected);
        }
    }

    #[test]
    fn unknown_keys_are_refused_wherever_they_stand() {
        let refused = |from: &str, to: &str| {
            let text = TINY.replacen(from, to, 1);
            assert_ne!(text, TINY);
            Experiment::parse(&text, "small", "e.toml")
                .unwrap_err()
                .to_string()
        };
        assert!(Experiment::parse(TINY, "small", "e.toml").is_ok());
        assert!(refused("seed = 0", "seeed = 0").contains("seeed"));
        let none = refused("realizations = ", "realizations = 0 # ");
        assert!(none.contains("realizations must be positive"), "{none}");
        assert!(refused("[scale.small]", "[scale.small]\nname = 'x'").contains("scale.small.name"));
        assert!(refused("[scale.small]", "[scale.small]\nbudget.step = 3").contains("step"));
        assert!(refused("[training.split]", "[training.split]\ntests = 3").contains("tests"));
        assert!(refused("sizes = [4, 8]", "sizes = [4, 9]").contains("9 samples"));
        assert!(
            refused(
                "[training.split]",
                "[training]\nmethod = 'fno'\n[training.split]"
            )
            .contains("training.method")
        );
    }
}
