//! Low fidelity as a run learns from it: stored, computed or a stand-in, after its transforms.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::{Header, TrainConfig};
use crate::dataset::Dataset;
use crate::field::refined;
use crate::grid::Thinning;
use crate::low::{LowKind, StandIn};
use crate::observer::Observer;
use crate::transform::{Refused, Transforms};
use crate::{Error, Field, Grid, Result};

/// How a run obtains and transforms the low fidelity that it learns from.
#[derive(Debug, Clone)]
pub(crate) struct LearnedLow {
    /// Whether the method uses low fidelity.
    pub is_used: bool,
    pub stand_in: Option<StandIn>,
    pub transforms: Transforms,
    /// Channels of the solution.
    pub channels: usize,
    /// The grid of training.
    pub grid: Grid,
}

/// Why low fidelity cannot be learned from.
pub(crate) enum Fault {
    Value(Refused),
    Other(Error),
}

impl Fault {
    /// The error; `value` makes it from a value that a transform refused.
    pub fn into_error(self, value: impl FnOnce(Refused) -> Error) -> Error {
        match self {
            Self::Value(refused) => value(refused),
            Self::Other(error) => error,
        }
    }
}

impl LearnedLow {
    /// Whether an input must come with a low-fidelity solution.
    pub fn is_given(&self) -> bool {
        self.is_used && self.stand_in.is_none()
    }

    /// Transformed low fidelity of an input on its grid; `None` if the method uses none.
    pub fn of(
        &self,
        input: &Field,
        low: Option<&Field>,
        grid: &Grid,
    ) -> std::result::Result<Option<Field>, Fault> {
        let low = match &self.stand_in {
            _ if !self.is_used => None,
            Some(stand_in) => {
                let trained = (self.channels, &self.grid);
                Some(stand_in.of(input, grid, trained).map_err(Fault::Other)?)
            }
            None => low.cloned(),
        };
        let Some(mut low) = low else {
            return Ok(None);
        };
        self.transforms.apply_to(&mut low).map_err(Fault::Value)?;
        Ok(Some(low))
    }
}

impl Header {
    /// How the run obtained and transformed the low fidelity that it learned from.
    pub(crate) fn learned_low(&self) -> LearnedLow {
        LearnedLow {
            is_used: self.uses_low(),
            stand_in: self.stand_in.clone(),
            transforms: self.transforms.clone(),
            channels: self.shapes.solution_channels,
            grid: self.grid.clone(),
        }
    }

    /// Whether an input must come with a low-fidelity solution: the model uses one and has no
    /// stand-in for it.
    pub fn needs_low(&self) -> bool {
        self.uses_low() && self.stand_in.is_none()
    }
}

/// The dataset with the low-fidelity solver named in the settings, unless it has one already, and
/// with the low fidelity of all validation and training inputs computed. `folder` is the run
/// folder.
pub fn supplied(
    config: &TrainConfig,
    dataset: &Dataset,
    folder: &Path,
    observer: &dyn Observer,
) -> Result<Dataset> {
    let mut dataset = dataset.clone();
    if !dataset.has_low_solver() {
        let channels = dataset.solution_channels().unwrap_or(1);
        if let Some(on_demand) = config.low.on_demand(folder, channels)? {
            dataset = dataset.with_low(Arc::new(on_demand));
        }
    }
    if is_given(&dataset, config) {
        let split = config.split_of(dataset.inputs())?;
        dataset.prepare_low(split.validation.start..split.train.end, observer)?;
    }
    Ok(dataset)
}

/// Stand-in for low fidelity, if the settings ask for one and the method uses low fidelity.
pub(super) fn stand_in(
    dataset: &Dataset,
    config: &TrainConfig,
    thinning: &Thinning,
    grid: &Grid,
) -> Result<Option<StandIn>> {
    if !config.method.uses_low() {
        return Ok(None);
    }
    let mean = || {
        let train = config.split_of(dataset.inputs())?.train;
        let mean = mean_solution(dataset, train, thinning)?;
        let known = thinning.grid(dataset.grid());
        match &known == grid {
            true => Ok(mean.into_values()),
            false => Ok(refined(&mean, &known, grid)?.into_values()),
        }
    };
    let stand_in = StandIn::new(&config.low, grid, mean)?;
    let channels = dataset.solution_channels().unwrap_or(0);
    let checked = stand_in.as_ref().map_or(Ok(()), |stand_in| {
        stand_in.check(dataset.input_channels(), channels)
    });
    checked.map(|()| stand_in)
}

/// Whether a dataset provides low fidelity to the method, stored or computed.
pub(super) fn is_given(dataset: &Dataset, config: &TrainConfig) -> bool {
    config.method.uses_low() && config.low.kind == LowKind::Stored && dataset.has_low()
}

/// Mean solution over inputs and realizations at the training points.
fn mean_solution(dataset: &Dataset, inputs: Range<usize>, thinning: &Thinning) -> Result<Field> {
    let channels = dataset.solution_channels().unwrap_or(0);
    let mut mean = vec![0.0; channels * thinning.kept().len()];
    let of_known = Thinning::to(&dataset.high_shape(), &thinning.shape());
    let thinning = of_known.as_ref().unwrap_or(thinning);
    let count = inputs.len() as f64;
    for index in inputs {
        let high = dataset.high(index)?;
        let share = count * high.len() as f64;
        for field in high.iter() {
            let sums = mean.iter_mut().zip(thinning.apply(field));
            sums.for_each(|(sum, value)| *sum += value / share);
        }
    }
    Field::from_values(channels, &thinning.shape(), mean)
}
