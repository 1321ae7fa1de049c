//! Reads the inputs of a dataset as a method learns from them.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::config::Rows;
use super::control_variate::ControlVariate;
use super::model::Shapes;
use super::ranges::Ranges;
use super::samples::Samples;
use super::scaling::{InputScales, Scales, Scaling};
use super::transforms::transforms;
use super::{LearnedLow, Method, TrainConfig, learned_low};
use crate::dataset::{Dataset, LowPairing};
use crate::flow::{Prior, PriorConfig};
use crate::grid::{MOST_AXES, Thinning};
use crate::low::LowKind;
use crate::problem::Origin;
use crate::ranks::{Alone, Ranks, agreed, gathered, share};
use crate::transform::{Refused, Transforms};
use crate::{Error, Field, Grid, Result};
use floral_flow::training::sample_arrays::SampleArrays;

/// The largest value of an input: the sum of the squares of a field of them is still a number.
const LARGEST_INPUT: f64 = 1e150;

/// The largest value of a solution: realizations are in single precision.
const LARGEST_SOLUTION: f64 = 1e37;

/// Reads inputs of a dataset for a method, high fidelity on every s-th point of the grid.
pub struct Reader {
    pub(super) dataset: Dataset,
    method: Method,
    /// Of the grid.
    pub(super) thinning: Thinning,
    /// Of the points at which the dataset knows high fidelity.
    pub(super) of_known: Thinning,
    learned_low: LearnedLow,
    pub(super) control: Option<ControlVariate>,
}

/// One input as read, solutions as they are learned.
pub(super) struct Case {
    /// The input.
    pub input: Field,
    /// Low fidelity as it is learned from, if the method looks at it.
    pub low: Option<Field>,
    /// The same before any transform, if nothing stands in for it.
    pub given_low: Option<Field>,
    /// High fidelity at the points that are kept: [realization, channel, point].
    pub high: Vec<f64>,
    /// Positions of its own in the grid at which it was measured; none if they are all inputs'.
    pub sensors: Option<Vec<usize>>,
}

impl Reader {
    /// Refuses a dataset that lacks what the method needs, a resolution that does not divide, and
    /// transforms of other channels.
    pub fn new(dataset: &Dataset, config: &TrainConfig) -> Result<Self> {
        let method = config.method;
        let bad = |reason: String| Error::BadFile {
            path: dataset.path().to_owned(),
            reason,
        };
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
        check_mesh(dataset, config)?;
        check_sensors(dataset, config)?;
        check_mask(dataset, config)?;
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
        };
        reader.control = reader.control_variate(config)?;
        Ok(reader)
    }

    /// The transforms through which solutions are learned.
    pub(super) fn transforms(&self) -> &Transforms {
        &self.learned_low.transforms
    }

    /// How low fidelity becomes what is learned from.
    pub(super) fn learned_low(&self) -> &LearnedLow {
        &self.learned_low
    }

    /// Refuses values that the transforms of these inputs do not take.
    pub(super) fn check_values(&self, inputs: Range<usize>) -> Result<()> {
        if self.transforms().is_none() {
            return Ok(());
        }
        inputs.into_iter().try_for_each(|i| self.case(i).map(drop))
    }

    /// The grid of input and low fidelity: every s-th point for a network, all for a regression.
    pub fn grid(&self) -> Grid {
        self.learned_low.grid.clone()
    }

    /// Channels of input and solution, and the grid of the former.
    pub(super) fn shapes(&self) -> Shapes {
        Shapes {
            input_channels: self.dataset.input_channels(),
            solution_channels: self.learned_low.channels,
            grid: self.learned_low.grid.shape(),
        }
    }

    /// Positions in [`Self::grid`] of the points where high fidelity is known; none if at all.
    pub(super) fn known(&self) -> Option<&[usize]> {
        let kept = self.thinning.kept();
        (kept.len() < self.grid().len()).then_some(kept)
    }

    /// Whether the method is given low fidelity.
    pub(super) fn has_low(&self) -> bool {
        self.learned_low.is_used
    }

    /// The prior on the grid of every s-th point, each at its place in the domain of them all.
    pub fn prior(&self, config: &PriorConfig) -> Result<Box<dyn Prior>> {
        config.at(&self.thinning.grid(&config.placed(self.dataset.grid())?))
    }

    /// The scales of these inputs.
    pub fn scaling(&self, inputs: Range<usize>) -> Result<Scaling> {
        Ok(self.scales(inputs)?.0)
    }

    /// The scales of these inputs, and the ranges that they lie in.
    pub(super) fn scales(&self, inputs: Range<usize>) -> Result<(Scaling, Ranges)> {
        self.scales_across(&Alone::default(), inputs)
    }

    /// The same by several ranks, each with its own inputs, to the same bits.
    pub(super) fn scales_across(
        &self,
        ranks: &dyn Ranks,
        inputs: Range<usize>,
    ) -> Result<(Scaling, Ranges)> {
        let of_input = |index: usize| {
            let case = self.case(index)?;
            let channels = self.learned_low.channels;
            let (points, kept) = (self.grid().len(), self.kept(&case));
            Ok(InputScales::of(&case, channels, points, kept))
        };
        let own = share(inputs.len(), ranks.rank(), ranks.size());
        let own = own.map(|i| of_input(inputs.start + i));
        let own = agreed(ranks, own.collect::<Result<Vec<_>>>(), &mut || {})?;
        let mut scales = Scales::new(&self.dataset, self.has_low(), self.learned_low.is_given());
        for of_input in gathered(ranks, own, "scales")?.iter().flatten() {
            scales.push(of_input);
        }
        Ok((scales.scaling(), scales.ranges()))
    }

    /// These inputs in the network's units.
    pub fn samples(
        &self,
        inputs: Range<usize>,
        rows: Rows,
        scaling: &Scaling,
    ) -> Result<Samples<'static>> {
        self.samples_in(None, inputs, rows, scaling)
    }

    /// The same; a folder says to keep them in a file there.
    pub(super) fn samples_in(
        &self,
        folder: Option<&Path>,
        inputs: Range<usize>,
        rows: Rows,
        scaling: &Scaling,
    ) -> Result<Samples<'static>> {
        let samples = self.room(folder, inputs.clone(), rows)?;
        for (i, index) in inputs.enumerate() {
            samples.put(i, self.sample(index, rows, scaling)?)?;
        }
        Ok(samples)
    }

    /// The same, each input read when it is first wanted.
    #[cfg_attr(not(feature = "networks"), allow(dead_code))]
    pub(super) fn samples_on_demand(
        self: &Arc<Self>,
        folder: Option<&Path>,
        inputs: Range<usize>,
        rows: Rows,
        scaling: &Scaling,
    ) -> Result<Samples<'static>> {
        let samples = self.room(folder, inputs.clone(), rows)?;
        let (reader, scaling, first) = (self.clone(), scaling.clone(), inputs.start);
        Ok(samples.from(Box::new(move |i| reader.sample(first + i, rows, &scaling))))
    }

    /// Room for the samples of these inputs.
    fn room<'s>(
        &self,
        folder: Option<&Path>,
        inputs: Range<usize>,
        rows: Rows,
    ) -> Result<Samples<'s>> {
        let count = |index: usize| match rows {
            Rows::Inputs => 1,
            Rows::Realizations => self.dataset.realizations_of(index),
        };
        let counts: Vec<usize> = inputs.map(count).collect();
        let arrays = |name| SampleArrays::new(folder, name, counts.len());
        let arrays = [arrays("conditions")?, arrays("targets")?];
        let channels = self.dataset.solution_channels().unwrap_or(0);
        let size = channels * self.grid().len();
        Ok(Samples::of(self.grid(), &counts, arrays, size))
    }

    /// The condition of an input and its targets, in the network's units.
    fn sample(&self, index: usize, rows: Rows, scaling: &Scaling) -> Result<[Vec<f32>; 2]> {
        let case = self.case(index)?;
        let mut residuals = case.residuals(self.kept(&case));
        if rows == Rows::Inputs {
            residuals = mean(&residuals, self.dataset.realizations_of(index));
        }
        Ok([
            scaling.condition(&case.input, case.low.as_ref()),
            scaling.target.apply(&residuals, self.grid().len()),
        ])
    }

    /// An input with all that the method sees of it.
    pub(super) fn case(&self, index: usize) -> Result<Case> {
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

    /// Refuses values that are no numbers, or too large for what is computed of them.
    fn check_size(&self, of: &str, index: usize, values: &[f64], largest: f64) -> Result<()> {
        let is_fit = |value: &&f64| value.is_finite() && value.abs() <= largest;
        let Some(value) = values.iter().find(|value| !is_fit(value)) else {
            return Ok(());
        };
        Err(Error::BadFile {
            path: self.dataset.path().to_owned(),
            reason: match value.is_finite() {
                true => format!(
                    "{of}input {index} has the value {value:e}, and at most {largest:e} can be \
                     computed with; divide it by a constant, or choose other units"
                ),
                false => format!(
                    "input {index} holds a NaN or an infinity; correct it, or leave out this input"
                ),
            },
        })
    }

    /// Low and high fidelity as they are learned.
    fn learned(
        &self,
        index: usize,
        input: Field,
        given_low: Option<Field>,
        mut high: Vec<f64>,
    ) -> Result<Case> {
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
        Ok(Case {
            input,
            low,
            given_low,
            high,
            sensors,
        })
    }

    /// Positions in the grid of the points of a case's high fidelity.
    fn kept<'c>(&'c self, case: &'c Case) -> &'c [usize] {
        case.sensors.as_deref().unwrap_or(self.thinning.kept())
    }

    /// The error of a value that a transform does not take.
    pub(super) fn refused(
        &self,
        array: &'static str,
        index: usize,
    ) -> impl FnOnce(Refused) -> Error {
        let path = self.dataset.path().to_owned();
        move |refused: Refused| Error::BadFile {
            path,
            reason: format!(
                "{array} fidelity of input {index} {}; {}",
                refused.what(),
                refused.advice()
            ),
        }
    }

    /// Input or low fidelity at the points where the method sees them.
    fn condition(&self, field: &Field) -> Result<Field> {
        if self.method.recipe().is_some() {
            return Ok(field.clone());
        }
        let values = self.thinning.apply(field.values());
        Field::from_values(field.channels(), &self.thinning.shape(), values)
    }
}

/// Refuses what needs high fidelity at the same points of every input.
fn check_sensors(dataset: &Dataset, config: &TrainConfig) -> Result<()> {
    let is_paired = dataset.low_pairing()? == Some(LowPairing::Shared);
    let refused = match config {
        _ if !dataset.has_sensors() => return Ok(()),
        _ if config.method.recipe().is_none() => {
            "a network needs high fidelity on a grid; choose the method floral-kl or kriging"
        }
        _ if config.resolution.is_some() => "no coarser grid can be asked for as well",
        _ if config.low.kind == LowKind::Mean => {
            "their mean solution cannot be taken for low fidelity; choose another low.kind"
        }
        _ if is_paired => "low_pairing = shared cannot be used; declare it independent",
        _ => return Ok(()),
    };
    Err(Error::BadFile {
        path: dataset.path().to_owned(),
        reason: format!("has sensors, so that {refused}"),
    })
}

/// Refuses a coarser grid of a dataset with points outside of the domain, and symmetries that take
/// points from outside to inside.
fn check_mask(dataset: &Dataset, config: &TrainConfig) -> Result<()> {
    let Some(mask) = dataset.mask() else {
        return Ok(());
    };
    let refused = |reason: String| {
        Err(Error::BadFile {
            path: dataset.path().to_owned(),
            reason: format!("has points outside of the domain, so that {reason}"),
        })
    };
    if config
        .resolution
        .as_ref()
        .is_some_and(|r| *r != mask.shape())
    {
        return refused("no coarser grid can be asked for".into());
    }
    let declared = match &config.symmetries {
        Some(declared) => declared.clone(),
        None => dataset.symmetries()?,
    };
    match declared.iter().find(|symmetry| symmetry.moves_points()) {
        None => Ok(()),
        Some(symmetry) => refused(format!(
            "{symmetry} is no symmetry of it; declare those alone that leave points where they are"
        )),
    }
}

/// Refuses what fields on a mesh do not have.
fn check_mesh(dataset: &Dataset, config: &TrainConfig) -> Result<()> {
    if dataset.grid().mesh().is_none() {
        return Ok(());
    }
    let reason = if config.method.recipe().is_none() {
        "networks need a grid, and these fields live on a mesh; use --method floral-kl"
    } else if config.resolution.is_some() {
        "fields on a mesh have no resolution; leave it out, or give data on a coarser mesh"
    } else if config.low.kind == LowKind::Filter {
        "a filter needs a grid, and these fields live on a mesh; choose low.kind mean, zero or none"
    } else {
        return Ok(());
    };
    Err(Error::Config {
        context: format!("method {}", config.method),
        reason: reason.into(),
    })
}

/// The grid on which a method sees input and low fidelity.
fn seen_grid(dataset: &Dataset, method: Method, thinning: &Thinning) -> Grid {
    match method.recipe() {
        Some(_) => dataset.grid().clone(),
        None => thinning.grid(dataset.grid()),
    }
}

impl Case {
    /// Realizations minus low fidelity at the points `kept` of a grid that the latter may live on
    /// as a whole: [realization, channel, point].
    pub(super) fn residuals(&self, kept: &[usize]) -> Vec<f64> {
        let mut residuals = self.high.clone();
        let Some(low) = &self.low else {
            return residuals;
        };
        let points = low.values().len() / low.channels();
        let is_whole = points > kept.len();
        for (i, channel) in residuals.chunks_exact_mut(kept.len()).enumerate() {
            let low = &low.values()[i % low.channels() * points..][..points];
            for (k, residual) in channel.iter_mut().enumerate() {
                *residual -= if is_whole { low[kept[k]] } else { low[k] };
            }
        }
        residuals
    }
}

/// The mean over realizations: [realization, value] -> [value].
fn mean(fields: &[f64], realizations: usize) -> Vec<f64> {
    let size = fields.len() / realizations.max(1);
    let at = |p: usize| fields[p..].iter().step_by(size).sum::<f64>() / realizations as f64;
    (0..size).map(at).collect()
}
