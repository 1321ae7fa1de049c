//! Training without a network: the training inputs of a dataset, fitted in closed form.
//!
//! [`fit_run`] writes the fit as the best checkpoint of a run folder; `evaluate` fits the same way
//! for its baseline.

use std::ops::Range;
use std::time::Instant;

use super::adam::Adam;
use super::checkpoint::{Checkpoint, Header, Progress};
use super::config::Coefficients;
use super::differences::differences;
use super::samples::{Case, Reader};
use super::trainer::Outcome;
use super::{Method, RunFolder, TrainConfig};
use crate::Result;
use crate::dataset::Dataset;
use crate::expansion::{Expansion, Material};
use crate::grid::AxisKind;
use crate::observer::Observer;
use crate::regression::{self, Channels, Lattice, Query, Recipe, Symmetries};

/// The lattice of a dataset's grid; axes whose ends are one point close.
fn lattice(dataset: &Dataset) -> Result<Lattice> {
    let axes = dataset.grid().axes.iter();
    let periodic = axes.filter(|axis| axis.domain.kind == AxisKind::Periodic);
    let periodic: Vec<&str> = periodic.map(|axis| axis.name.as_str()).collect();
    Lattice::new(dataset.grid(), &periodic)
}

/// The symmetries that the settings declare, or else the dataset; refused unless they fit the grid.
pub(super) fn symmetries(config: &TrainConfig, dataset: &Dataset) -> Result<Symmetries> {
    let declared = match &config.symmetries {
        Some(declared) => declared.clone(),
        None => dataset.symmetries()?,
    };
    let Channels { input, solution } = channels(dataset);
    for symmetry in &declared {
        symmetry.check_spacing(dataset.grid())?;
    }
    Symmetries::new(&declared, &lattice(dataset)?, input, solution)
}

fn channels(dataset: &Dataset) -> Channels {
    Channels {
        input: dataset.input_channels(),
        solution: dataset.solution_channels().unwrap_or(0),
    }
}

/// Fits the training inputs of a dataset; its validation inputs choose among candidates.
pub(crate) fn fitted(
    config: &TrainConfig,
    dataset: &Dataset,
    recipe: Recipe,
    observer: &dyn Observer,
) -> Result<Expansion> {
    let split = config.split_of(dataset.inputs())?;
    let reader = Reader::new(dataset, method_of(recipe), config.resolution.as_deref())?;
    let read = |inputs: Range<usize>| -> Result<Vec<Case>> {
        inputs.map(|index| reader.case(index)).collect()
    };
    let (train, validation) = (read(split.train)?, read(split.validation)?);
    let known = reader.known();
    let train: Vec<regression::Case<'_>> = train.iter().map(|case| view(case, known)).collect();
    let validation: Vec<regression::Case<'_>> =
        validation.iter().map(|case| view(case, known)).collect();
    let material = Material {
        lattice: &lattice(dataset)?,
        channels: channels(dataset),
        symmetries: &symmetries(config, dataset)?,
        cases: &train,
        held_out: &validation,
    };
    let learns = config.coefficients == Coefficients::Chosen;
    Expansion::fit((recipe, learns), &material, config.seed, observer)
}

fn method_of(recipe: Recipe) -> Method {
    match recipe {
        Recipe::Kernels => Method::Kriging,
        Recipe::Blend => Method::FloralKl,
    }
}

/// A case as regression takes it; `known` are the points of its realizations.
fn view<'a>(case: &'a Case, known: Option<&'a [usize]>) -> regression::Case<'a> {
    regression::Case {
        query: Query {
            input: case.input.values(),
            low: case.low.as_ref().map(|low| low.values()),
        },
        realizations: &case.high,
        points: known,
    }
}

/// Fits a run, unless it is there already.
pub(super) fn fit_run(
    run: &RunFolder,
    dataset: &Dataset,
    recipe: Recipe,
    observer: &dyn Observer,
) -> Result<Outcome> {
    let _lock = run.lock()?;
    let start = Instant::now();
    let config = run.config()?;
    let mut header = header(&config, dataset)?;
    if let Some(before) = run.last()? {
        same(run, dataset, &before.header, &header)?;
        let energy = Expansion::from_bytes(&before.regression)?.energy();
        return Ok(Outcome::Fitted { energy });
    }
    let fitted = fitted(&config, dataset, recipe, observer)?;
    header.progress = Progress {
        finished: true,
        seconds: start.elapsed().as_secs_f64(),
        ..Progress::default()
    };
    let checkpoint = Checkpoint {
        header,
        weights: Vec::new(),
        adam: Adam::default(),
        average: Vec::new(),
        regression: fitted.to_bytes(),
    };
    checkpoint.write(&run.best_path())?;
    Ok(Outcome::Fitted {
        energy: fitted.energy(),
    })
}

fn header(config: &TrainConfig, dataset: &Dataset) -> Result<Header> {
    let reader = Reader::new(dataset, config.method, config.resolution.as_deref())?;
    let split = config.split_of(dataset.inputs())?;
    let scales = reader.scales(split.train)?;
    Ok(Header::new(config, dataset, &reader, scales))
}

/// Refuses a fit of other settings or other data.
fn same(run: &RunFolder, dataset: &Dataset, there: &Header, asked: &Header) -> Result<()> {
    if let Some(differences) = differences(&there.config, &asked.config) {
        return Err(run.edited(&differences));
    }
    if (&there.shapes, &there.scaling, &there.data) == (&asked.shapes, &asked.scaling, &asked.data)
    {
        return Ok(());
    }
    Err(run.other_data(dataset))
}
