//! Reads the inputs of a dataset in the form from which a method learns.

use std::ops::Range;

use super::config::NetworkKind;
use super::control_variate::ControlVariate;
use super::model::Shapes;
use super::suited;
use super::training_input::TrainingInput;
use super::transforms::transforms;
use super::{LearnedLow, Method, TrainConfig, learned_low};
use crate::dataset::Dataset;
use crate::flow::{Prior, PriorConfig};
use crate::grid::{MOST_AXES, Thinning};
use crate::transform::{Refused, Transforms};
use crate::{Error, Field, Grid, Result};
use floral_flow::network::Nodes;

/// Largest accepted magnitude of an input value: sums of squares over a field stay finite.
const LARGEST_INPUT: f64 = 1e150;

/// Largest accepted magnitude of a solution value: realizations are stored in single precision.
const LARGEST_SOLUTION: f64 = 1e37;

/// Reads the inputs of a dataset for a method, with high fidelity at every s-th point of the grid.
pub struct Reader {
    pub(super) dataset: Dataset,
    method: Method,
    /// Selects the training points from the dataset's grid.
    pub(super) thinning: Thinning,
    /// Selects the training points from those at which the dataset has high fidelity.
    pub(super) of_known: Thinning,
    learned_low: LearnedLow,
    pub(super) control: Option<ControlVariate>,
    /// Number of coordinate channels of a network that takes points; `None` for other methods.
    coordinates: Option<usize>,
}

impl Reader {
    /// Refuses a dataset that lacks what the method needs, a resolution that does not divide the
    /// dataset's, and transforms that do not match the channels.
    pub fn new(dataset: &Dataset, config: &TrainConfig) -> Result<Self> {
        let method = config.method;
        let bad = |reason: String| Error::bad_file(dataset.path().to_owned(), reason);
        if !dataset.has_high() {
            return Err(bad(
                "has no array `high`; there is nothing to learn from".into()
            ));
        }
        let full = dataset.grid().shape();
        if full.is_empty() || full.len() > MOST_AXES {
            return Err(bad(format!(
                "has {} grid axes; methods learn on one to three",
                full.len()
            )));
        }
        suited::check(dataset, config)?;
        let known = dataset.high_shape();
        let wanted = config.resolution.as_deref().unwrap_or(&known);
        let thinned = |shape: &[usize]| {
            Thinning::to(shape, wanted).ok_or_else(|| {
                bad(format!(
                    "has grid {known:?}; every s-th point of it cannot give {wanted:?}; choose \
                     numbers that divide"
                ))
            })
        };
        let (thinning, of_known) = (thinned(&full)?, thinned(&known)?);
        let grid = seen_grid(dataset, method, &thinning);
        let stand_in = learned_low::stand_in(dataset, config, &thinning, &grid)?;
        let learned_low = LearnedLow {
            is_used: stand_in.is_some() || learned_low::is_given(dataset, config),
            stand_in,
            transforms: transforms(dataset, config)?,
            channels: dataset.solution_channels().unwrap_or(0),
            grid,
        };
        if method.needs_low() && !learned_low.is_used {
            return Err(bad(format!(
                "gives no low fidelity to {method}, which needs it; add an array `low`, set \
                 low.command to compute it or low.kind to filter, mean or zero, or choose the method \
                 floral-kl"
            )));
        }
        let mut reader = Self {
            dataset: dataset.clone(),
            method,
            thinning,
            of_known,
            learned_low,
            control: None,
            coordinates: None,
        };
        if method.recipe().is_none() && config.network.kind == NetworkKind::Slices {
            reader.coordinates = Some(Nodes::channels_of(&reader.grid()));
        }
        reader.control = reader.control_variate(config)?;
        Ok(reader)
    }

    /// Transforms applied to the solutions before learning.
    pub(super) fn transforms(&self) -> &Transforms {
        &self.learned_low.transforms
    }

    /// How low fidelity is obtained and transformed.
    pub(super) fn learned_low(&self) -> &LearnedLow {
        &self.learned_low
    }

    /// Refuses inputs with solution values outside the range of their transforms.
    pub(super) fn check_values(&self, inputs: Range<usize>) -> Result<()> {
        if self.transforms().is_none() {
            return Ok(());
        }
        inputs.into_iter().try_for_each(|i| self.case(i).map(drop))
    }

    /// Grid of input and low fidelity: every s-th point for a network, all points for a regression.
    pub fn grid(&self) -> Grid {
        self.learned_low.grid.clone()
    }

    /// Numbers of channels of input and solution, and the grid of the input.
    pub(super) fn shapes(&self) -> Shapes {
        Shapes {
            input_channels: self.dataset.input_channels(),
            solution_channels: self.learned_low.channels,
            grid: self.learned_low.grid.shape(),
            coordinates: self.coordinates,
        }
    }

    /// Positions in [`Self::grid`] of the points where high fidelity is known; `None` if it is
    /// known at every point.
    pub(super) fn known(&self) -> Option<&[usize]> {
        let kept = self.thinning.kept();
        (kept.len() < self.grid().len()).then_some(kept)
    }

    /// Whether the method uses low fidelity.
    pub(super) fn has_low(&self) -> bool {
        self.learned_low.is_used
    }

    /// The prior on the grid of training points, whose coordinates are scaled by the domain of the
    /// full grid.
    pub fn prior(&self, config: &PriorConfig) -> Result<Box<dyn Prior>> {
        config.at(&self.thinning.grid(&config.placed(self.dataset.grid())?))
    }

    /// Whether the samples are for a network that takes points.
    pub(super) fn has_nodes(&self) -> bool {
        self.coordinates.is_some()
    }

    /// One input with its low and high fidelity, as the method sees them.
    pub(super) fn case(&self, index: usize) -> Result<TrainingInput> {
        let input = self.condition(&self.dataset.input(index)?)?;
        let low = match self.learned_low.is_given() {
            true => Some(self.condition(&self.dataset.low(index)?)?),
            false => None,
        };
        let high = self.dataset.high(index)?.into_values();
        let high = match self.dataset.has_sensors() {
            true => high,
            false => self.of_known.apply(&high),
        };
        let given: Vec<&[f64]> = low.iter().map(Field::values).collect();
        self.check_size("", index, input.values(), LARGEST_INPUT)?;
        self.check_size("low fidelity of ", index, &given.concat(), LARGEST_SOLUTION)?;
        self.check_size("high fidelity of ", index, &high, LARGEST_SOLUTION)?;
        self.learned(index, input, low, high)
    }

    /// Refuses values that are not finite, or too large to compute with.
    fn check_size(&self, of: &str, index: usize, values: &[f64], largest: f64) -> Result<()> {
        let is_fit = |value: &&f64| value.is_finite() && value.abs() <= largest;
        let Some(value) = values.iter().find(|value| !is_fit(value)) else {
            return Ok(());
        };
        Err(Error::bad_file(
            self.dataset.path().to_owned(),
            match value.is_finite() {
                true => format!(
                    "{of}input {index} has the value {value:e}, but values must be at most \
                     {largest:e}; rescale it by a constant, or choose other units"
                ),
                false => format!(
                    "input {index} holds a NaN or an infinity; correct it, or leave out this input"
                ),
            },
        ))
    }

    /// Applies transforms and the correction of the mean, and adds low fidelity.
    fn learned(
        &self,
        index: usize,
        input: Field,
        given_low: Option<Field>,
        mut high: Vec<f64>,
    ) -> Result<TrainingInput> {
        let sensors = match self.dataset.has_sensors() {
            true => self.dataset.points_of(index)?,
            false => None,
        };
        let known = sensors
            .as_ref()
            .map_or(self.thinning.kept().len(), Vec::len);
        let transformed = self.transforms().apply(&mut high, known);
        transformed.map_err(self.refused("high", index))?;
        self.correct_mean(index, &mut high)?;
        let given = given_low.as_ref();
        let low = self.learned_low.of(&input, given, &self.learned_low.grid);
        let low = low.map_err(|fault| fault.into_error(self.refused("low", index)))?;
        Ok(TrainingInput {
            input,
            low,
            given_low,
            high,
            sensors,
        })
    }

    /// Positions in the grid of the points of an input's high fidelity.
    pub(super) fn kept<'c>(&'c self, case: &'c TrainingInput) -> &'c [usize] {
        case.sensors.as_deref().unwrap_or(self.thinning.kept())
    }

    /// Error for a value that a transform refuses.
    pub(super) fn refused(
        &self,
        array: &'static str,
        index: usize,
    ) -> impl FnOnce(Refused) -> Error {
        let path = self.dataset.path().to_owned();
        move |refused: Refused| {
            Error::bad_file(
                path,
                format!(
                    "{array} fidelity of input {index} {}; {}",
                    refused.what(),
                    refused.advice()
                ),
            )
        }
    }

    /// Input or low fidelity at the points that the method uses.
    fn condition(&self, field: &Field) -> Result<Field> {
        if self.method.recipe().is_some() {
            return Ok(field.clone());
        }
        let values = self.thinning.apply(field.values());
        Field::from_values(field.channels(), &self.thinning.shape(), values)
    }
}

/// The grid on which a method uses input and low fidelity.
fn seen_grid(dataset: &Dataset, method: Method, thinning: &Thinning) -> Grid {
    match method.recipe() {
        Some(_) => dataset.grid().clone(),
        None => thinning.grid(dataset.grid()),
    }
}
