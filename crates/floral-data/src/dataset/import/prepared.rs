//! Data that have been read and checked, ready to be summarized or written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::ImportOptions;
use super::channels;
use super::conversion;
use super::frame::Frame;
use super::quantity::quantities;
use super::reading::Reading;
use super::recipe::Recipe;
use super::source::Source;
use super::stack::Stack;
use super::survey::{Survey, realizations, survey};
use super::unit::units;
use super::write::ImportPlan;
use crate::dataset::LowPairing;
use crate::dataset::layout::SYMMETRIES;
use crate::dataset::mask::MASK;
use crate::dataset::sensors::SENSORS;
use crate::dataset::stochastic_low::LOW_PAIRING;
use crate::observer::Observer;
use crate::storage::Precision;
use crate::{Advice, Error, Quantities, Result};

/// The result of reading and checking all data, before anything is written.
pub(super) struct Prepared<'a> {
    /// One for each unit, at least one.
    pub readings: Vec<Reading<'a>>,
    pub frame: Frame,
    pub recipe: Recipe,
    pub survey: Survey,
    pub quantities: Quantities,
    /// Conversions of units, in words.
    pub converted: Vec<String>,
}

impl<'a> Prepared<'a> {
    /// Reads all values once, and refuses data that cannot form a dataset.
    pub fn new(
        sources: &'a [Source],
        options: &ImportOptions,
        observer: &dyn Observer,
    ) -> Result<Self> {
        let mut all = Vec::new();
        for source in sources {
            all.extend(units(source, options.prefix.as_deref())?);
        }
        let is_one_of_several = all.len() > 1;
        let mut readings: Vec<Reading<'a>> = Vec::new();
        let mut first: Option<(Recipe, Frame)> = None;
        for unit in all {
            let recipe = match &first {
                Some((recipe, _)) => recipe.clone(),
                None => Recipe::choose(&unit, options)?,
            };
            let before = first.as_ref().map(|(_, frame)| frame);
            let (mut reading, frame) =
                Reading::new(unit, &recipe, options, before, is_one_of_several)?;
            channels::align(&mut reading, readings.first())?;
            if let Some(before) = readings.first() {
                check_alike(before, &reading)?;
            }
            readings.push(reading);
            first.get_or_insert((recipe, frame));
        }
        let (Some((recipe, frame)), Some(reading)) = (first, readings.first()) else {
            return Err(Error::bad_file(
                Path::new("."),
                "there is nothing to import",
            ));
        };
        let mut quantities = described(reading, &frame)?;
        let axes: Vec<String> = frame.grid.axes.iter().map(|a| a.name.clone()).collect();
        let converted = conversion::agree(&mut readings, &axes, &mut quantities)?;
        let survey = survey(&readings, &frame, options, observer)?;
        check_pairs(&readings, &survey, options)?;
        Ok(Self {
            readings,
            frame,
            recipe,
            survey,
            quantities,
            converted,
        })
    }

    /// The plan for writing the dataset.
    pub fn plan(&self, options: &ImportOptions, paths: &[PathBuf]) -> ImportPlan<'_> {
        ImportPlan {
            readings: &self.readings,
            frame: &self.frame,
            survey: &self.survey,
            quantities: self.quantities.clone(),
            precision: options.precision.unwrap_or_else(|| self.precision()),
            shard: options.shard.unwrap_or(1),
            attributes: self.attributes(options, paths),
        }
    }

    /// 32 bits if the arrays have no more, and if they resolve the parameters.
    fn precision(&self) -> Precision {
        let is_coarse = self.readings.first().is_some_and(|reading| {
            let stacks = reading
                .input
                .iter()
                .chain(&reading.low)
                .chain(&reading.high);
            let mut arrays = stacks.map(|stack| reading.unit.variable(stack.part.variable));
            arrays.all(|array| array.number.is_coarse())
        });
        match is_coarse {
            true => self.precision_of_parameters(),
            false => Precision::F64,
        }
    }

    /// The precision that resolves the differences of each parameter between inputs.
    fn precision_of_parameters(&self) -> Precision {
        let mut ranges: BTreeMap<&str, [f64; 2]> = BTreeMap::new();
        for (name, values) in self.readings.iter().flat_map(|one| &one.parameters) {
            let none = [f64::INFINITY, f64::NEG_INFINITY];
            let [low, high] = ranges.entry(name).or_insert(none);
            for value in values {
                (*low, *high) = (low.min(*value), high.max(*value));
            }
        }
        let of =
            |[low, high]: [f64; 2]| Precision::holding(&[[low.abs().max(high.abs()), high - low]]);
        ranges.into_values().map(of).max().unwrap_or_default()
    }

    fn has_low_realizations(&self) -> bool {
        let mut readings = self.readings.iter();
        readings.any(|reading| realizations(&reading.low) > 1)
    }

    /// Attributes of the group: the origin of the data, and the global attributes of the first
    /// file.
    fn attributes(&self, options: &ImportOptions, paths: &[PathBuf]) -> Map<String, Value> {
        let mut attributes = Map::new();
        let first = self.readings.first();
        let root = first.and_then(|reading| reading.unit.source.groups.get(""));
        for key in ["title", SYMMETRIES] {
            let found = root.and_then(|root| root.get(key));
            attributes.extend(found.map(|value| (key.to_owned(), value.clone())));
        }
        if let Some(pairing) = pairing(options, root).filter(|_| self.has_low_realizations()) {
            attributes.insert(LOW_PAIRING.into(), pairing);
        }
        if options.sensors {
            attributes.insert(SENSORS.into(), json!(true));
        }
        if self.survey.mask.is_some() {
            attributes.insert(MASK.into(), json!(true));
        }
        if let Some(title) = &options.title {
            attributes.insert("title".into(), json!(title));
        }
        let recipe = &self.recipe;
        let imported = json!({
            "from": paths,
            "layout": recipe.layout,
            "input": recipe.input,
            "low": recipe.low,
            "high": recipe.high,
            "parameters": recipe.parameters,
            "notes": self.notes(),
        });
        attributes.insert("imported".into(), imported);
        attributes
    }
}

/// The attribute that states how realizations of low and high fidelity are paired.
fn pairing(options: &ImportOptions, root: Option<&Map<String, Value>>) -> Option<Value> {
    let asked = options.low_pairing.map(|pairing| json!(pairing.name()));
    asked.or_else(|| root?.get(LOW_PAIRING).cloned())
}

/// Refuses paired realizations if one of high fidelity is missing before others: the i-th
/// realizations of low and high fidelity would not correspond.
fn check_pairs(readings: &[Reading<'_>], survey: &Survey, options: &ImportOptions) -> Result<()> {
    let shared = json!(LowPairing::Shared.name());
    let odd = survey.kept.iter().find(|kept| {
        let reading = &readings[kept.unit];
        let root = reading.unit.source.groups.get("");
        let is_paired = pairing(options, root) == Some(shared.clone());
        let is_first = kept
            .realizations
            .iter()
            .copied()
            .eq(0..kept.realizations.len());
        is_paired && realizations(&reading.low) > 1 && !is_first
    });
    odd.map_or(Ok(()), |kept| {
        Err(Error::bad_file(
            &readings[kept.unit].unit.source.path,
            format!(
                "input {}: realizations of high fidelity are missing before others, so that those of \
                 low fidelity do not correspond",
                kept.index
            ),
        )
        .advised(Advice::DeclareIndependent))
    })
}

/// The quantities of input and solution.
fn described(reading: &Reading<'_>, frame: &Frame) -> Result<Quantities> {
    let axes: Vec<String> = frame
        .grid
        .axes
        .iter()
        .map(|axis| axis.name.clone())
        .collect();
    let of = |stacks: &[Stack]| quantities(&reading.unit, stacks, &axes);
    let mut input = of(&reading.input);
    input.extend(conversion::parameters(reading));
    let (low, high) = (of(&reading.low), of(&reading.high));
    if high.is_empty() {
        let solution = channels::of_low_alone(reading, low)?;
        return Ok(Quantities { input, solution });
    }
    if !low.is_empty() && low.len() != high.len() {
        return Err(Error::bad_file(
            &reading.unit.source.path,
            format!(
                "low fidelity has {} channels, but high fidelity has {}; both need the same",
                low.len(),
                high.len()
            ),
        ));
    }
    let solution = high;
    Ok(Quantities { input, solution })
}

/// Refuses a unit whose numbers of channels or of low realizations differ from those of the first.
fn check_alike(first: &Reading<'_>, other: &Reading<'_>) -> Result<()> {
    let channels = |reading: &Reading<'_>| {
        [&reading.input, &reading.low, &reading.high].map(|stacks| {
            let channels = stacks.iter().map(|stack| stack.part.channels());
            channels.sum::<usize>()
        })
    };
    let (before, found) = (channels(first), channels(other));
    let low = [first, other].map(|reading| realizations(&reading.low));
    if before == found && low[0] == low[1] {
        return Ok(());
    }
    Err(Error::bad_file(
        &other.unit.source.path,
        format!(
            "{}has {found:?} channels of input, low and high fidelity with {} realizations of \
             low, but the first has {before:?} with {}; all need the same",
            other.unit.subject(),
            low[1],
            low[0]
        ),
    ))
}
