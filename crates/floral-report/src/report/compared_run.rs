//! The runs of a comparison: loaded, checked for comparability, and labelled.

use std::path::Path;
use std::rc::Rc;

use super::cache::Key;
use super::comparison::{ChannelResult, RunResult};
use floral::dataset::Dataset;
use floral::device::Device;
use floral::evaluate::Baselines;
use floral::predict::{Predictor, check_terms};
use floral::train::checkpoint::DataIdentity;
use floral::train::{EpochRecord, Header, Method, RunFolder};
use floral::{Error, Observer, Result, counted};

/// A loaded run with everything that a comparison needs.
pub(super) struct ComparedRun {
    pub folder: RunFolder,
    pub predictor: Predictor,
    pub epochs: Vec<EpochRecord>,
    pub training_inputs: Option<usize>,
    pub label: String,
    pub variant: usize,
    /// The baselines fitted to its training inputs.
    pub baselines: Rc<Baselines>,
    /// The hash of its checkpoint.
    pub key: Key,
}

/// Loads the runs, sorts them by method, training size and grid, and labels them.
pub(super) fn loaded(
    runs: &[RunFolder],
    dataset: &Dataset,
    device: &Device,
    observer: &dyn Observer,
) -> Result<Vec<ComparedRun>> {
    if runs.is_empty() {
        return Err(Error::config(
            "report",
            "no run is given; name at least one run folder",
        ));
    }
    let mut all = Vec::new();
    for run in runs {
        all.push(ComparedRun::load(run, dataset, device)?);
    }
    all.sort_by_key(ComparedRun::order);
    for other in &all[1..] {
        check_alike(&all[0], other)?;
    }
    name(all.iter_mut(), &dataset.grid().shape());
    fit_baselines(&mut all, dataset, observer)?;
    Ok(all)
}

/// Fits the baselines of every run, once for runs that have the same.
fn fit_baselines(
    all: &mut [ComparedRun],
    dataset: &Dataset,
    observer: &dyn Observer,
) -> Result<()> {
    for i in 0..all.len() {
        let header = all[i].predictor.header();
        let same = |other: &&ComparedRun| have_same(header, other.predictor.header());
        let same = all[..i].iter().find(same);
        all[i].baselines = match same {
            Some(other) => other.baselines.clone(),
            None => Rc::new(Baselines::of(header, dataset, None, observer)?),
        };
    }
    Ok(())
}

/// Whether two runs have the same baselines: those of the same training data, low fidelity,
/// transform and symmetries, with kriging for both or for neither.
fn have_same(one: &Header, other: &Header) -> bool {
    let has_kriging = |header: &Header| header.config.method != Method::Kriging;
    let (own, its) = (&one.config, &other.config);
    (&own.split, &own.resolution) == (&its.split, &its.resolution)
        && (&own.low, &own.transform) == (&its.low, &its.transform)
        && (&own.symmetries, own.law, own.seed) == (&its.symmetries, its.law, its.seed)
        && has_kriging(one) == has_kriging(other)
}

impl ComparedRun {
    fn load(run: &RunFolder, dataset: &Dataset, device: &Device) -> Result<Self> {
        let predictor = Predictor::load(run, device)?;
        let header = predictor.header();
        check_data(run.path(), header, dataset)?;
        let split = header.config.split.clone();
        let known = split.train.or_else(|| {
            let is_same = DataIdentity::of(dataset) == header.data;
            let split = split.of(dataset.inputs()).ok().filter(|_| is_same);
            split.map(|split| split.train.len())
        });
        Ok(Self {
            training_inputs: known,
            ..Self::of(run, predictor)?
        })
    }

    /// A single loaded run without a label.
    pub fn of(run: &RunFolder, predictor: Predictor) -> Result<Self> {
        Ok(Self {
            epochs: run.epochs()?,
            training_inputs: predictor.header().config.split.train,
            baselines: Rc::default(),
            label: String::new(),
            variant: 0,
            key: Key::new().bytes(&run.best_bytes()?),
            folder: run.clone(),
            predictor,
        })
    }

    /// The sort key of a run: method, training size and grid.
    pub fn order(&self) -> (usize, Option<usize>, Vec<usize>) {
        let header = self.predictor.header();
        (
            header.config.method as usize,
            self.training_inputs,
            header.shapes.grid.clone(),
        )
    }
}

impl ComparedRun {
    /// The result of the run in a comparison, with its predictions of each channel.
    pub fn result(&self, channels: Vec<ChannelResult>) -> RunResult {
        let header = self.predictor.header();
        let logged = self.epochs.last().map(|record| record.seconds);
        let method = self.predictor.method();
        RunResult {
            label: self.label.clone(),
            folder: self.folder.path().to_owned(),
            method,
            variant: self.variant,
            training_inputs: self.training_inputs,
            training_grid: header.shapes.grid.clone(),
            // The best checkpoint only records the time up to its own epoch.
            training_seconds: logged.unwrap_or(header.progress.seconds),
            epoch: method.recipe().is_none().then_some(header.progress.epoch),
            epochs: self.epochs.clone(),
            channels,
        }
    }
}

/// Refuses a dataset of another problem, or with other channels or axes.
pub fn check_data(run: &Path, header: &Header, dataset: &Dataset) -> Result<()> {
    let named = |problem: Option<&str>| problem.unwrap_or("no built-in problem").to_owned();
    let (trained, given) = (header.data.problem.as_deref(), dataset.problem());
    let shapes = &header.shapes;
    let reason = if trained != given {
        let (trained, given) = (named(trained), named(given));
        format!("was trained on {trained}, but the dataset is of {given}")
    } else if dataset.input_channels() != shapes.input_channels
        || dataset
            .solution_channels()
            .is_some_and(|n| n != shapes.solution_channels)
        || dataset.grid().dimensions() != shapes.grid.len()
    {
        format!(
            "has {} input and {} solution channels on {} axes, but the dataset has {}, {} and {}",
            shapes.input_channels,
            shapes.solution_channels,
            shapes.grid.len(),
            dataset.input_channels(),
            dataset.solution_channels().unwrap_or(0),
            dataset.grid().dimensions()
        )
    } else {
        return check_terms(header, dataset);
    };
    Err(Error::bad_file(
        run,
        format!(
            "{reason} ({}); report on runs and a dataset of the same problem",
            dataset.path().display()
        ),
    ))
}

/// Refuses runs with different test inputs, and a run named twice.
fn check_alike(first: &ComparedRun, other: &ComparedRun) -> Result<()> {
    let test = |c: &ComparedRun| c.predictor.header().config.split.test_inputs();
    if test(first) == test(other) && first.folder.path() != other.folder.path() {
        return Ok(());
    }
    Err(Error::bad_file(
        other.folder.path().to_owned(),
        if first.folder.path() == other.folder.path() {
            "is named twice; name it once".into()
        } else {
            format!(
                "holds out {} for testing, but {} holds out {}: one may have been trained on the test \
                 inputs of the other. Report on them separately",
                counted(test(other), "input"),
                first.folder.path().display(),
                test(first)
            )
        },
    ))
}

/// Labels each run with its method, with whatever distinguishes it from other runs of the method,
/// and with its training grid if that differs from the dataset's.
pub(super) fn name<'a>(all: impl Iterator<Item = &'a mut ComparedRun>, full: &[usize]) {
    let mut all: Vec<&mut ComparedRun> = all.collect();
    let facts: Vec<(Option<usize>, Vec<usize>)> = all
        .iter()
        .map(|c| (c.training_inputs, c.predictor.header().shapes.grid.clone()))
        .collect();
    let mut known = facts.iter().filter_map(|(size, _)| *size);
    let first = known.next();
    let sizes_differ = known.any(|size| Some(size) != first);
    for (run, (size, grid)) in all.iter_mut().zip(&facts) {
        let mut label = run.predictor.method().title().to_owned();
        if let (true, Some(size)) = (sizes_differ, size) {
            label += &format!(" {}", counted(*size, "input"));
        }
        if grid != full {
            let grid: Vec<String> = grid.iter().map(usize::to_string).collect();
            label += &format!(" at {}", grid.join("\u{d7}"));
        }
        run.label = label;
    }
    for i in 0..all.len() {
        let is_alike = |c: &ComparedRun| c.label == all[i].label;
        if all.iter().filter(|c| is_alike(c)).count() > 1 {
            let folder = all[i].folder.path().file_name().unwrap_or_default();
            all[i].label = format!("{} ({})", all[i].label, folder.to_string_lossy());
        }
        let method = all[i].predictor.method();
        let before = all[..i].iter().filter(|c| c.predictor.method() == method);
        all[i].variant = before.count();
    }
}
