//! The trainings of a quickstart, one at a time per core.

use std::time::Instant;

use floral::dataset::Dataset;
use floral::device::Device;
use floral::train::{Method, RunFolder, train};
use floral::{Error, Result};

use super::sizes::METHODS;
use super::{Folder, QuickstartSizes, command};
use crate::step_log::StepLog;
use crate::workers::Workers;

/// The run folders of all methods, created if missing.
pub(super) fn runs(folder: &Folder, sizes: &QuickstartSizes) -> Result<Vec<RunFolder>> {
    METHODS
        .into_iter()
        .map(|method| run(folder, sizes, method))
        .collect()
}

fn run(folder: &Folder, sizes: &QuickstartSizes, method: Method) -> Result<RunFolder> {
    let (path, config) = (folder.run(method), sizes.training(method));
    if !path.exists() {
        return RunFolder::create(&path, &config);
    }
    let run = RunFolder::open(&path)?;
    if run.config()? == config {
        return Ok(run);
    }
    Err(Error::bad_file(
        path,
        "holds a run with other settings; remove the folder, or choose another with -o",
    ))
}

/// Trains every run that is not finished. A training of this size keeps one core busy, so one runs
/// per thread of the current pool.
pub(super) fn train_all(
    runs: &[RunFolder],
    sizes: &QuickstartSizes,
    dataset: &Dataset,
    device: &Device,
    log: &StepLog,
) -> Result<()> {
    // One thread each: operations on small tensors gain nothing from several threads.
    let workers = Workers {
        count: rayon::current_num_threads(),
        threads: 1,
    };
    // The longest trainings are last in the list and start first.
    workers.run(runs.iter().rev(), |run| {
        if log.should_stop() {
            return Err(Error::Interrupted);
        }
        one(run, sizes, dataset, device, log)
    })
}

fn one(
    run: &RunFolder,
    sizes: &QuickstartSizes,
    dataset: &Dataset,
    device: &Device,
    log: &StepLog,
) -> Result<()> {
    let method = run.config()?.method;
    let folder = Folder(run.path().parent().map(Into::into).unwrap_or_default());
    log.line(&format!("$ {}", command::train(&folder, sizes, method)));
    let before = run.last()?.map(|checkpoint| checkpoint.header.progress);
    if before.is_some_and(|progress| progress.finished) {
        log.line(&format!("  {method} is already trained"));
        return Ok(());
    }
    let start = Instant::now();
    let progress = log.watch(method.name());
    train(run, dataset, device, &progress)?;
    progress.finish();
    let seconds = start.elapsed().as_secs_f64();
    log.line(&format!("  {method} is trained ({seconds:.1} s)"));
    Ok(())
}
