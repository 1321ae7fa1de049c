//! The figures: a page for each system and amount of training data, as in the paper, and one with
//! all runs of a system.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::plan::{ReproductionPlan, Target};
use super::results::Store;
use super::study::{Cell, Study};
use super::work::{State, States};
use floral::evaluate;
use floral::predict::Sampling;
use floral_report::report::{Band, Options};

/// Maximum number of realizations for pictures; more would not be visible.
const REALIZATIONS: usize = 200;

/// The contents of a page.
#[derive(Debug, Clone)]
pub struct Figures {
    /// The experiment, and the amount of training data if the page has only one: `darcy-500-r8`.
    pub name: String,
    /// The dataset whose test inputs are shown.
    pub data: PathBuf,
    /// The finished runs.
    pub runs: Vec<PathBuf>,
    /// Number of missing runs.
    pub missing: usize,
    /// How predictions are made.
    pub options: Options,
}

/// The figures of every system of a plan.
pub fn figures(plan: &ReproductionPlan, store: &Store, states: &States) -> Vec<Figures> {
    let mut all = Vec::new();
    // Only the first seed is shown.
    for position in plan.replicas().iter().map(|group| group[0]) {
        let study = &plan.studies[position];
        let cells = plan.cells_of(Target::Figures, position);
        let groups: BTreeMap<Amount, Vec<&Cell>> =
            cells.iter().fold(BTreeMap::new(), |mut groups, cell| {
                let amount = (cell.resolution, cell.samples);
                groups.entry(amount).or_default().push(cell);
                groups
            });
        for ((resolution, samples), group) in &groups {
            let coarse = resolution.map_or(String::new(), |points| format!("-r{points}"));
            let name = format!("{}-{samples}{coarse}", study.experiment.name);
            all.push(of_cells(name, study, group, store, states));
        }
        if groups.len() > 1 {
            let name = study.experiment.name.clone();
            let cells: Vec<&Cell> = cells.iter().collect();
            all.push(of_cells(name, study, &cells, store, states));
        }
    }
    all
}

/// Training points per axis (`None` means all) and number of training samples.
type Amount = (Option<usize>, usize);

fn of_cells(
    name: String,
    study: &Study,
    cells: &[&Cell],
    store: &Store,
    states: &States,
) -> Figures {
    let is_done = |name: &String| matches!(states.get(name), Some(State::Done(_)));
    let done = cells.iter().filter(|cell| is_done(&cell.evaluation_name()));
    let runs: Vec<PathBuf> = done.map(|cell| store.run(cell)).collect();
    let evaluation = study.experiment.options();
    Figures {
        name,
        data: store.data(study),
        missing: cells.len() - runs.len(),
        runs,
        options: Options {
            evaluation: evaluate::Options {
                sampling: Sampling {
                    realizations: evaluation.sampling.realizations.min(REALIZATIONS),
                    ..evaluation.sampling
                },
                ..evaluation
            },
            // As in the paper.
            band: Band::Deviations(5.0),
            build: crate::provenance::build(),
            ..Options::default()
        },
    }
}
