//! Quickstart: 1DCR from nothing to a report, at a size that two cores train in two minutes.
//!
//! Each step is also a command that a user could type; a step that an earlier call has finished is
//! not done again.

mod command;
mod figures;
mod observer;
mod plan;
mod portrait;
mod scores;
mod story;
mod training;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use burn::tensor::Device;

pub use command::{Command, commands};
pub use observer::{Observer, Sampled};
pub use plan::Plan;
pub use portrait::{Likeness, Portrait};

use crate::dataset::{self, Dataset, generate, write_atomically};
use crate::evaluate::{Evaluation, evaluate};
use crate::predict::Predictor;
use crate::report::Table;
use crate::train::Method;
use crate::{Error, Result};

/// Where the files of a quickstart are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder(pub PathBuf);

impl Folder {
    /// The dataset.
    pub fn data(&self) -> PathBuf {
        self.0.join("1dcr.zarr")
    }

    /// The settings that all methods share.
    pub fn settings(&self) -> PathBuf {
        self.0.join("train.toml")
    }

    /// The run of a method.
    pub fn run(&self, method: Method) -> PathBuf {
        self.0.join(method.name())
    }

    /// The report.
    pub fn report(&self) -> PathBuf {
        self.0.join("report.html")
    }
}

/// What a quickstart leaves behind, besides its files.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Where the report is.
    pub report: PathBuf,
    /// Methods by metrics.
    pub table: Table,
}

/// A method with what it predicts and how well.
#[derive(Debug, Clone)]
struct Contestant {
    method: Method,
    evaluation: Evaluation,
    training_seconds: f64,
}

/// Generates, trains, evaluates and reports.
pub fn quickstart(
    path: &Path,
    plan: &Plan,
    device: &Device,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<Outcome> {
    let folder = Folder(path.to_owned());
    std::fs::create_dir_all(path).map_err(Error::io(path))?;
    let dataset = data(&folder, plan, observer, stop)?;
    let runs = training::runs(&folder, plan)?;
    write_atomically(&folder.settings(), plan.settings().as_bytes())?;
    training::train_all(&runs, &dataset, device, observer, stop)?;
    let mut portrait = Portrait::of_truth(&dataset, 0)?;
    let mut results = Vec::new();
    for run in &runs {
        let predictor = Predictor::load(run, device)?;
        results.push(score(&folder, plan, &predictor, &dataset, observer, stop)?);
        portrait.add(&predictor, &dataset, plan, stop)?;
    }
    let table = scores::table(&results);
    let page = story::page(&folder, plan, &portrait, &results);
    write_atomically(&folder.report(), page.to_html().as_bytes())?;
    Ok(Outcome {
        report: folder.report(),
        table,
    })
}

fn data(
    folder: &Folder,
    plan: &Plan,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<Dataset> {
    observer.began(&command::generate(folder, plan));
    let start = Instant::now();
    let problem = plan.problem()?;
    let progress = observer.generating();
    let outcome = generate(
        &problem,
        &plan.request(),
        &folder.data(),
        progress.as_ref(),
        stop,
    )?;
    drop(progress);
    let what = match outcome {
        dataset::Outcome::AlreadyComplete { .. } => "the dataset is already complete".into(),
        dataset::Outcome::Generated { computed, .. } => format!("{computed} inputs generated"),
    };
    observer.ended(&what, start.elapsed().as_secs_f64());
    Dataset::open(folder.data())
}

fn score(
    folder: &Folder,
    plan: &Plan,
    predictor: &Predictor,
    dataset: &Dataset,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<Contestant> {
    let method = predictor.method();
    observer.began(&command::evaluate(folder, plan, method));
    let start = Instant::now();
    let evaluation = evaluate(
        predictor,
        dataset,
        &plan.evaluation(),
        &observer.sampling(method),
        stop,
    )?;
    let what = format!(
        "{method}: mean L2 error {:.3}",
        evaluation.prediction.mean.mean_l2
    );
    observer.ended(&what, start.elapsed().as_secs_f64());
    Ok(Contestant {
        method,
        evaluation,
        training_seconds: predictor.header().progress.seconds,
    })
}

#[cfg(test)]
mod tests;
