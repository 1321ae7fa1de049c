//! The figures: which runs belong to each.

use std::path::PathBuf;

use super::plan::{Plan, Target};
use super::store::Store;
use super::study::Cell;
use super::work::{State, States};

/// The runs of one figure of the paper: all methods on the same data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    /// What it shows.
    pub title: String,
    /// The dataset, whose test inputs it shows.
    pub data: PathBuf,
    /// The runs, in the order of the paper's methods.
    pub runs: Vec<PathBuf>,
    /// Whether all runs are there.
    pub complete: bool,
}

/// Means and spreads of every system, by size and by training resolution.
pub fn figures(plan: &Plan, store: &Store, states: &States) -> Vec<Figure> {
    let mut figures: Vec<Figure> = Vec::new();
    for (position, study) in plan.studies.iter().enumerate() {
        for cell in plan.cells_of(Target::Figures, position) {
            let done = is_done(&cell, states);
            let title = title(&study.experiment.title, &cell);
            match figures.iter_mut().find(|figure| figure.title == title) {
                Some(figure) => {
                    figure.runs.push(store.run(&cell));
                    figure.complete &= done;
                }
                None => figures.push(Figure {
                    title,
                    data: store.data(study),
                    runs: vec![store.run(&cell)],
                    complete: done,
                }),
            }
        }
    }
    figures
}

fn title(system: &str, cell: &Cell) -> String {
    match cell.resolution {
        None => format!("{system}, {} samples", cell.samples),
        Some(points) => format!("{system}, trained on {points} points per axis"),
    }
}

fn is_done(cell: &Cell, states: &States) -> bool {
    matches!(states.get(&cell.evaluation_name()), Some(State::Done(_)))
}
