//! `floral reproduce`: the paper's tables, with our values next to the paper's.
//!
//! An `Experiment` is a file that states what to generate, train and evaluate, how a scale shrinks
//! it, and the values in the paper. A `ReproductionPlan` lists the cells of the tables. `work` does
//! the missing steps in a `Store`, which names every result after its content: the settings and the
//! data. A `PaperTable` shows the finished cells, and states why the others are missing.

mod command;
mod entry;
mod estimate;
mod experiment;
mod figures;
mod paper;
mod plan;
mod publish;
mod recipe;
mod results;
mod study;
mod tables;
mod variant;
mod work;

use experiment::{Experiment, PAPER_SCALE};

pub use command::{Arguments, run};

/// Refuses an invalid experiment; used by tests of all experiments.
pub fn check_experiment(text: &str) -> floral::Result<()> {
    let experiment = Experiment::parse(text, PAPER_SCALE, "the experiment")?;
    experiment.options();
    experiment.all_inputs();
    Ok(())
}

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
