//! Training without a network: closed-form regression of the training inputs of a dataset.
//!
//! `fit_run` writes the fit as the best checkpoint of a run folder; `evaluate` fits its kriging
//! baseline in the same way.

use std::ops::Range;
use std::time::Instant;

use super::checkpoint::{Checkpoint, Header, Progress};
use super::differences::differences;
use super::reader::Reader;
use super::training::Outcome;
use super::training_input::TrainingInput;
use super::{LearnedLow, Method, RunFolder, Stack, TrainConfig};
use crate::dataset::Dataset;
use crate::kl::{
    self, Channels, Expansion, Lattice, Learner, Material, Part, Query, Recipe, Symmetries,
    Symmetry,
};
use crate::observer::Observer;
use crate::problem::Origin;
use crate::{Error, Field, Result};
use floral_flow::training::adam::Adam;

/// The symmetries declared by the settings, or else by the dataset. They must suit the grid.
///
/// A symmetry that changes the sign or size of a transformed channel is not a symmetry of the
/// learned values. It is ignored if declared by the dataset, and refused if declared by the
/// settings.
pub(super) fn symmetries(config: &TrainConfig, dataset: &Dataset) -> Result<Symmetries> {
    let transforms = config.transform.of_channels(channels(dataset).solution)?;
    let transformed: Vec<bool> = transforms.iter().map(|t| !t.is_none()).collect();
    let keeps =
        |symmetry: &Symmetry| !transformed.contains(&true) || symmetry.keeps_values(&transformed);
    let declared: Vec<Symmetry> = match &config.symmetries {
        Some(declared) => match declared.iter().find(|symmetry| !keeps(symmetry)) {
            Some(symmetry) => return Err(broken(symmetry)),
            None => declared.clone(),
        },
        None => dataset.symmetries()?.into_iter().filter(keeps).collect(),
    };
    let Channels { input, solution } = channels(dataset);
    for symmetry in &declared {
        kl::check_spacing(symmetry, dataset.grid())?;
    }
    Ok(Symmetries::new(
        &declared,
        &Lattice::from(dataset.grid()),
        input,
        solution,
    )?)
}

fn broken(symmetry: &Symmetry) -> Error {
    Error::config(
        "symmetries",
        format!(
            "{symmetry} changes the values of a channel that is learned through a transform; leave \
             out the symmetry or the transform"
        ),
    )
}

fn channels(dataset: &Dataset) -> Channels {
    Channels {
        input: dataset.input_channels(),
        solution: dataset.solution_channels().unwrap_or(0),
    }
}

/// Kriging of the training inputs of a run's settings, and the treatment of low fidelity that
/// queries need as well.
pub(crate) fn kriging(
    config: &TrainConfig,
    dataset: &Dataset,
    observer: &dyn Observer,
) -> Result<(Expansion, LearnedLow)> {
    let config = TrainConfig {
        method: Method::Kriging,
        ..config.clone()
    };
    let reader = Reader::new(dataset, &config)?;
    let fitted = fitted(&config, &reader, Recipe::Kernels, observer)?;
    Ok((fitted, reader.learned_low().clone()))
}

/// Fits the training inputs of a reader; validation inputs choose among candidates.
fn fitted(
    config: &TrainConfig,
    reader: &Reader,
    recipe: Recipe,
    observer: &dyn Observer,
) -> Result<Expansion> {
    let (start, dataset) = (Instant::now(), &reader.dataset);
    let split = config.split_of(dataset.inputs())?;
    let read = |inputs: Range<usize>| -> Result<Vec<Held>> {
        let cases = inputs.map(|index| reader.case(index));
        cases.map(|case| case.map(Held::from)).collect()
    };
    let (train, validation) = (read(split.train)?, read(split.validation)?);
    let known = reader.known();
    let (train, validation) = (views(&train, known), views(&validation, known));
    let material = Material {
        lattice: &Lattice::from(dataset.grid()),
        channels: channels(dataset),
        symmetries: &symmetries(config, dataset)?,
        cases: &train,
        held_out: &validation,
    };
    let watched = kl::Watched {
        observer,
        deadline: config.budget.map(|budget| start + budget.duration()),
    };
    let stack = Stack { seed: config.seed };
    let has_network = recipe.has(Part::Network) && dataset.grid().mesh().is_none();
    let learner = has_network.then_some(&stack as &dyn Learner);
    let fitted = Expansion::fit_with(recipe, config.law, &material, learner, &watched);
    fitted.map_err(kl::failed)
}

/// A stored fit, with its networks.
pub(crate) fn restored(bytes: &[u8]) -> Result<Expansion> {
    // The seed is not used for reading.
    let stack = Stack { seed: 0 };
    Expansion::from_bytes_with(bytes, Some(&stack)).map_err(kl::failed)
}

/// An input with its solutions, held in memory for a fit.
struct Held {
    input: Field,
    low: Option<Field>,
    high: kl::Held,
    sensors: Option<Vec<usize>>,
}

impl From<TrainingInput> for Held {
    fn from(case: TrainingInput) -> Self {
        Self {
            input: case.input,
            low: case.low,
            high: case.high.into(),
            sensors: case.sensors,
        }
    }
}

impl Held {
    /// The input in the form that regression takes; `known` are the points of high fidelity if the
    /// input has no sensors.
    fn view<'a>(&'a self, known: Option<&'a [usize]>) -> kl::Case<'a> {
        kl::Case {
            query: Query {
                input: self.input.values(),
                low: self.low.as_ref().map(|low| low.values()),
            },
            realizations: (&self.high).into(),
            points: self.sensors.as_deref().or(known),
        }
    }
}

/// Inputs in the form that regression takes.
fn views<'a>(all: &'a [Held], known: Option<&'a [usize]>) -> Vec<kl::Case<'a>> {
    all.iter().map(|case| case.view(known)).collect()
}

/// Fits a run, unless its fit exists already.
pub(super) fn fit_run(
    run: &RunFolder,
    config: &TrainConfig,
    reader: &Reader,
    recipe: Recipe,
    observer: &dyn Observer,
) -> Result<Outcome> {
    let _lock = run.lock()?;
    let start = Instant::now();
    let split = config.split_of(reader.dataset.inputs())?;
    let mut header = Header::new(config, reader, reader.scales(split.train)?)?;
    if let Some(before) = run.last()? {
        same(run, &reader.dataset, &before.header, &header)?;
        restored(&before.regression)?;
        return Ok(Outcome::Fitted);
    }
    let fitted = fitted(config, reader, recipe, observer)?;
    header.progress = Progress {
        finished: true,
        seconds: start.elapsed().as_secs_f64(),
        ..Progress::default()
    };
    let regression = fitted.to_bytes();
    // Frees memory first: the fit that is read back is as large.
    drop(fitted);
    restored(&regression).map_err(|error| {
        Error::numerical(
            format!("what was fitted could not be read again ({error})"),
            "look for extreme values in the data, or choose other units",
        )
    })?;
    let checkpoint = Checkpoint {
        header,
        weights: Vec::new(),
        adam: Adam::default(),
        average: Vec::new(),
        regression,
    };
    checkpoint.write(&run.best_path())?;
    Ok(Outcome::Fitted)
}

/// Outcome of a run that another rank has fitted.
pub(super) fn fitted_before(run: &RunFolder) -> Result<Outcome> {
    restored(&run.best()?.regression)?;
    Ok(Outcome::Fitted)
}

/// Refuses an existing fit with other settings or other data.
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
