//! A unit ready for reading: input, low and high fidelity of each input, on one grid.

use super::ImportOptions;
use super::frame::{Frame, check_same, frame};
use super::part::{Part, find};
use super::parts::parts;
use super::recipe::Recipe;
use super::stack::Stack;
use super::survey::realizations;
use super::unit::Unit;
use crate::units::Conversion;
use crate::{Error, Grid, Result};

/// The arrays of a unit, on the grid.
pub(super) struct Reading<'a> {
    pub unit: Unit<'a>,
    pub inputs: usize,
    pub input: Vec<Stack>,
    pub low: Vec<Stack>,
    pub high: Vec<Stack>,
    /// Name and values of each parameter: one value, or one per input.
    pub parameters: Vec<(String, Vec<f64>)>,
    /// For each channel of input, low and high fidelity: its conversion to the units of the
    /// dataset.
    pub conversions: [Vec<Conversion>; 3],
}

impl<'a> Reading<'a> {
    /// Sets up a unit by a recipe, on the grid of the earlier units if there are any.
    pub fn new(
        unit: Unit<'a>,
        recipe: &Recipe,
        options: &ImportOptions,
        before: Option<&Frame>,
        is_one_of_several: bool,
    ) -> Result<(Self, Frame)> {
        let parts = parts(&unit, recipe, is_one_of_several)?;
        let frame = frame(&unit, recipe, options, &parts, before)?;
        if let Some(before) = before {
            check_same(&unit, before, &frame)?;
        }
        let Frame { found, grid, .. } = &frame;
        let stacks = |parts: Vec<Part>, grid: &Grid| -> Result<Vec<Stack>> {
            let parts = parts.into_iter();
            parts
                .map(|part| Stack::new(&unit, recipe, part, found, grid))
                .collect()
        };
        let (input, low) = (stacks(parts.input, grid)?, stacks(parts.low, grid)?);
        let high = stacks(parts.high, &frame.high_grid())?;
        let mut reading = Self {
            inputs: 0,
            parameters: parameters(&unit, recipe)?,
            conversions: Default::default(),
            input,
            low,
            high,
            unit,
        };
        reading.inputs = reading.count()?;
        reading.check_realizations()?;
        Ok((reading, frame))
    }

    /// The number of inputs, on which the arrays must agree.
    fn count(&self) -> Result<usize> {
        let stacks = self.input.iter().chain(&self.low).chain(&self.high);
        let counts = stacks.filter_map(|stack| {
            let inputs = stack.part.inputs()?;
            Some((stack.part.pick.name.as_str(), inputs))
        });
        let lists = self
            .parameters
            .iter()
            .filter(|(_, values)| values.len() > 1);
        let lists = lists.map(|(name, values)| (name.as_str(), values.len()));
        let mut counts = counts.chain(lists);
        let Some((first, inputs)) = counts.next() else {
            return Ok(1);
        };
        match counts.find(|(_, other)| *other != inputs) {
            None => Ok(inputs),
            Some((name, other)) => Err(Error::bad_file(
                &self.unit.source.path,
                format!("{first} has {inputs} inputs, but {name} has {other}; both need the same"),
            )),
        }
    }

    fn check_realizations(&self) -> Result<()> {
        let refuse = |reason: String| Err(Error::bad_file(&self.unit.source.path, reason));
        if let Some(stack) = self.input.iter().find(|s| s.part.realizations().is_some()) {
            return refuse(format!(
                "the array {} has realizations, but an input is one field; take one of them, or \
                 their mean",
                stack.part.pick.name
            ));
        }
        for stacks in [&self.low, &self.high] {
            let counts: Vec<Option<usize>> = stacks
                .iter()
                .map(|stack| stack.part.realizations())
                .collect();
            if counts.windows(2).any(|pair| pair[0] != pair[1]) {
                return refuse(format!(
                    "arrays of one solution have unlike numbers of realizations: {}",
                    stacks
                        .iter()
                        .map(|stack| stack.part.pick.to_string())
                        .collect::<Vec<_>>()
                        .join(", ")
                ));
            }
        }
        Ok(())
    }

    /// The input field of an input: [channel, grid...].
    pub fn input(&self, index: usize, points: usize) -> Result<Vec<f64>> {
        let mut values = Vec::new();
        for stack in &self.input {
            values.extend(stack.read(&self.unit, index)?);
        }
        for (_, list) in &self.parameters {
            let value = list
                .get(index)
                .or(list.first())
                .copied()
                .unwrap_or(f64::NAN);
            values.extend(std::iter::repeat_n(value, points));
        }
        convert(&mut values, &self.conversions[0], 1);
        Ok(values)
    }

    /// The low-fidelity solution of an input: [realization, channel, grid...].
    pub fn low(&self, index: usize) -> Result<Vec<f64>> {
        let mut values = self.solution(&self.low, index)?;
        convert(&mut values, &self.conversions[1], realizations(&self.low));
        Ok(values)
    }

    /// The high-fidelity solution of an input: [realization, channel, grid...].
    pub fn high(&self, index: usize) -> Result<Vec<f64>> {
        let mut values = self.solution(&self.high, index)?;
        convert(&mut values, &self.conversions[2], realizations(&self.high));
        Ok(values)
    }

    /// A solution of an input in the units of the file: [realization, channel, grid...].
    fn solution(&self, stacks: &[Stack], index: usize) -> Result<Vec<f64>> {
        if let [only] = stacks {
            return only.read(&self.unit, index);
        }
        let count = stacks
            .first()
            .and_then(|stack| stack.part.realizations())
            .unwrap_or(1);
        let read = stacks.iter().map(|stack| stack.read(&self.unit, index));
        let arrays: Vec<Vec<f64>> = read.collect::<Result<_>>()?;
        let mut values = Vec::new();
        for realization in 0..count {
            for array in &arrays {
                let size = array.len() / count;
                values.extend_from_slice(&array[realization * size..][..size]);
            }
        }
        Ok(values)
    }
}

/// Converts the units of fields [realization, channel, point].
fn convert(values: &mut [f64], conversions: &[Conversion], realizations: usize) {
    if conversions.iter().all(|conversion| conversion.is_none()) {
        return;
    }
    let points = values.len() / (realizations.max(1) * conversions.len());
    let fields = values.chunks_exact_mut(points.max(1));
    for (field, conversion) in fields.zip(conversions.iter().cycle()) {
        field
            .iter_mut()
            .for_each(|value| *value = conversion.apply(*value));
    }
}

/// The values of parameters, from arrays or from attributes of the file.
fn parameters(unit: &Unit<'_>, recipe: &Recipe) -> Result<Vec<(String, Vec<f64>)>> {
    let values = |name: &String| {
        let group = unit.source.groups.get(unit.group.trim_end_matches('/'));
        let attribute = group.and_then(|attributes| attributes.get(name)?.as_f64());
        if let (None, Some(value)) = (unit.find(name), attribute) {
            return Ok((name.clone(), vec![value]));
        }
        let index = find(unit, name)?;
        let shape = &unit.variable(index).shape;
        if shape.iter().filter(|n| **n != 1).count() > 1 {
            return Err(Error::bad_file(
                &unit.source.path,
                format!(
                    "the parameter {name} has the shape {shape:?}; one number for each input is needed"
                ),
            ));
        }
        Ok((name.clone(), unit.source.read_all(index)?))
    };
    recipe.parameters.iter().map(values).collect()
}
