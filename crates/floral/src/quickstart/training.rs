//! The four trainings, as many at a time as there are cores.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use burn::tensor::Device;

use super::{Folder, Observer, Plan, command};
use crate::dataset::Dataset;
use crate::train::{Method, RunFolder, train};
use crate::workers::Workers;
use crate::{Error, Result};

/// The run folders of all methods, made where they are missing.
pub(super) fn runs(folder: &Folder, plan: &Plan) -> Result<Vec<RunFolder>> {
    Method::ALL
        .into_iter()
        .map(|method| run(folder, plan, method))
        .collect()
}

fn run(folder: &Folder, plan: &Plan, method: Method) -> Result<RunFolder> {
    let (path, config) = (folder.run(method), plan.training(method));
    if !path.exists() {
        return RunFolder::create(&path, &config);
    }
    let run = RunFolder::open(&path)?;
    match run.config()? == config {
        true => Ok(run),
        false => Err(Error::BadFile {
            path,
            reason: "holds a run with other settings; remove the folder, or choose another with -o"
                .into(),
        }),
    }
}

/// Trains every run that is not finished. A training of this size keeps one core busy, so several
/// go on side by side.
pub(super) fn train_all(
    runs: &[RunFolder],
    dataset: &Dataset,
    device: &Device,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<()> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    // One thread each: small tensors gain nothing from being handed around.
    let workers = Workers {
        count: cores,
        threads: 1,
    };
    // The longest, which are the last, begin first.
    workers.run(runs.iter().rev(), |run| {
        if stop.load(Ordering::SeqCst) {
            return Err(interrupted());
        }
        one(run, dataset, device, observer, stop)
    })
}

fn one(
    run: &RunFolder,
    dataset: &Dataset,
    device: &Device,
    observer: &dyn Observer,
    stop: &AtomicBool,
) -> Result<()> {
    let method = run.config()?.method;
    let folder = Folder(run.path().parent().map(Into::into).unwrap_or_default());
    let before = run.last()?.map(|checkpoint| checkpoint.header.progress);
    if before.as_ref().is_some_and(|progress| progress.finished) {
        observer.began(&command::resume(&folder, method));
        observer.ended(&format!("{method} is already trained"), 0.0);
        return Ok(());
    }
    observer.began(&match before {
        None => command::train(&folder, method),
        Some(_) => command::resume(&folder, method),
    });
    let start = Instant::now();
    let progress = observer.training(method);
    train(run, dataset, device, progress.as_ref(), stop).map_err(advised)?;
    drop(progress);
    observer.ended(
        &format!("{method} is trained"),
        start.elapsed().as_secs_f64(),
    );
    Ok(())
}

/// An interrupted quickstart is continued by the quickstart.
fn advised(error: Error) -> Error {
    match error {
        Error::Interrupted { .. } => interrupted(),
        other => other,
    }
}

fn interrupted() -> Error {
    Error::Interrupted {
        advice: "all is saved; run the same command again to continue".into(),
    }
}
