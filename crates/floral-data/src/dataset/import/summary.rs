//! Summarizes prepared data, and what was assumed.

use std::path::PathBuf;

use super::Pick;
use super::axes::FoundAxis;
use super::found::{ArrayFound, AxisFound, ChannelFound, Found, PartFound};
use super::prepared::Prepared;
use super::reading::Reading;
use super::stack::Stack;
use super::survey::realizations;
use super::unit::Unit;
use crate::dataset::layout::{HIGH, INPUT, LOW};
use crate::{Axis, Note, Quantities};

impl Prepared<'_> {
    /// The summary.
    pub fn found(&self) -> Found {
        let counts = self.survey.kept.iter().map(|kept| kept.realizations.len());
        let sources = self.readings.iter().map(|r| r.unit.source.path.clone());
        let mut sources: Vec<PathBuf> = sources.collect();
        sources.dedup();
        Found {
            sources,
            format: self.readings.first().map_or("", |r| r.unit.source.format),
            layout: self.recipe.layout,
            inputs: self.survey.kept.len(),
            realizations: (counts.clone().min().unwrap_or(0), counts.max().unwrap_or(0)),
            axes: self.axes(),
            high_points: self.frame.high.clone(),
            arrays: self.arrays(),
            absent: self.survey.absent,
            skipped_realizations: self.survey.skipped_realizations,
            skipped_inputs: self.survey.skipped_inputs,
            left: self.left(),
            notes: self.notes(),
        }
    }

    fn axes(&self) -> Vec<AxisFound> {
        let axes = self.frame.grid.axes.iter().zip(&self.frame.found);
        axes.map(|(axis, found)| AxisFound {
            name: axis.name.clone(),
            points: axis.len(),
            from: axis.coordinates.first().copied().unwrap_or(0.0),
            to: axis.coordinates.last().copied().unwrap_or(0.0),
            units: axis.units.clone(),
            kind: axis.domain.kind,
            is_even: found.is_even,
            coordinates: found.coordinates.clone(),
        })
        .collect()
    }

    fn arrays(&self) -> Vec<ArrayFound> {
        let Some(first) = self.readings.first() else {
            return Vec::new();
        };
        let Quantities { input, solution } = &self.quantities;
        let roles = [
            (INPUT, &first.input, input),
            (LOW, &first.low, solution),
            (HIGH, &first.high, solution),
        ];
        let mut arrays = Vec::new();
        for ((role, stacks, quantities), extents) in roles.into_iter().zip(&self.survey.extents) {
            let channels = quantities.iter().zip(extents);
            let mut channels = channels.map(|(quantity, &(min, max))| ChannelFound {
                quantity: quantity.clone(),
                min,
                max,
            });
            let mut parts: Vec<PartFound> = stacks
                .iter()
                .map(|stack| part(&first.unit, stack, &mut channels))
                .collect();
            if role == INPUT {
                let names = first.parameters.iter().map(|(name, _)| name);
                parts.extend(names.zip(channels).map(|(name, channel)| PartFound {
                    from: name.clone(),
                    dimensions: Vec::new(),
                    channels: vec![channel],
                }));
            }
            if !parts.is_empty() {
                arrays.push(ArrayFound { role, parts });
            }
        }
        arrays
    }

    /// Arrays of the first unit that were not used.
    fn left(&self) -> Vec<String> {
        let Some(first) = self.readings.first() else {
            return Vec::new();
        };
        let stacks = first.input.iter().chain(&first.low).chain(&first.high);
        let taken: Vec<usize> = stacks.map(|stack| stack.part.variable).collect();
        let of_stacks = first.input.iter().chain(&first.low).chain(&first.high);
        let own: Vec<&String> = of_stacks.flat_map(|stack| &stack.coordinates).collect();
        let is_coordinate = |name: &str| {
            let mut axes = self.frame.found.iter();
            axes.any(|axis| axis.coordinates.as_deref() == Some(name))
                || own.iter().any(|n| *n == name)
        };
        first
            .unit
            .arrays()
            .filter(|(index, name, variable)| {
                let is_parameter = self.recipe.parameters.iter().any(|p| p == name);
                !taken.contains(index) && !is_parameter && !is_coordinate(&variable.name)
            })
            .map(|(_, name, _)| name.to_owned())
            .collect()
    }

    /// Assumptions and conversions.
    pub fn notes(&self) -> Vec<Note> {
        let mut notes = self.recipe.notes.clone();
        notes.extend(self.frame.notes.iter().cloned().map(Note::from));
        let axes = self.frame.grid.axes.iter().zip(&self.frame.found);
        notes.extend(axes.flat_map(|(axis, found)| axis_notes(axis, found)));
        if let Some(first) = self.readings.first() {
            notes.extend(self.array_notes(first).into_iter().map(Note::from));
        }
        notes.extend(self.converted.iter().cloned().map(Note::from));
        notes
    }

    /// Conversions of arrays, and other remarks.
    fn array_notes(&self, first: &Reading<'_>) -> Vec<String> {
        let mut notes = Vec::new();
        for (role, stacks) in [("input", &first.input), ("low fidelity", &first.low)] {
            let own_notes = stacks.iter().flat_map(|stack| &stack.notes);
            notes.extend(own_notes.map(|note| format!("{role} {note}")));
            if let Some(own) = stacks.iter().find_map(|stack| stack.own_shape.as_ref()) {
                let grid = self.frame.grid.shape();
                notes.push(format!(
                    "{role} is interpolated linearly from {own:?} to {grid:?} points"
                ));
            }
        }
        if let Some(mask) = &self.survey.mask {
            notes.push(format!(
                "{} of {} points are outside of the domain: every input has NaN there",
                mask.count(),
                mask.outside().len()
            ));
        }
        if let count @ 1.. = self.survey.absent_low {
            notes.push(format!(
                "{count} inputs have no low fidelity; a command may compute it"
            ));
        }
        if let count @ 2.. = realizations(&first.low) {
            notes.push(format!(
                "low is the mean of {count} realizations, which are kept beside it"
            ));
        }
        if let Some(points) = &self.frame.high {
            notes.push(format!(
                "high fidelity is known on {points:?} points, every s-th of the grid"
            ));
        }
        if first.high.is_empty() {
            notes.push("there is no high fidelity: these are inputs to predict".into());
        }
        notes
    }
}

/// Assumptions about an axis, and changes made to it.
fn axis_notes(axis: &Axis, found: &FoundAxis) -> Vec<Note> {
    let (name, last) = (&axis.name, axis.len().saturating_sub(1));
    let evened = if axis.coordinates == found.axis.coordinates {
        format!("the axis {name} is uneven")
    } else {
        format!("the axis {name} is made even, by linear interpolation")
    };
    let notes = [
        (
            found.coordinates.is_none(),
            format!("there are no coordinates of {name}; its points are 0 to {last}"),
        ),
        (
            found.is_reversed,
            format!("the axis {name} is turned around, so that it increases"),
        ),
        (!found.is_even, evened),
    ];
    let notes = notes.into_iter().filter(|(is_so, _)| *is_so);
    let notes = notes.map(|(_, note)| Note::from(note));
    notes.chain(found.note.clone()).collect()
}

/// An array of a unit, with its channels taken from `channels`.
fn part(unit: &Unit<'_>, stack: &Stack, channels: impl Iterator<Item = ChannelFound>) -> PartFound {
    let part = &stack.part;
    let variable = unit.variable(part.variable);
    let from = Pick {
        name: variable.name.clone(),
        along: part.pick.along.clone(),
    };
    let names = part.names.iter().cloned();
    PartFound {
        from: from.to_string(),
        dimensions: names.zip(variable.shape.iter().copied()).collect(),
        channels: channels.take(part.channels()).collect(),
    }
}
