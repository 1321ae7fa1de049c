//! `floral reproduce`: the paper's tables, with our values next to the paper's.
//!
//! An `Experiment` is a file that says what to generate, train and evaluate, how a scale shrinks
//! it, and what the paper reports. A `ReproductionPlan` is the list of cells that tables are made of; `work`
//! does what is missing of it in a `Store`, where everything is found again by its content: the
//! same settings on the same data. A `PaperTable` shows what is there, and says of the rest why
//! it is not.

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

/// Refuses an invalid experiment; for tests of many.
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
