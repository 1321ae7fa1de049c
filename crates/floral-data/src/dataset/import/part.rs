//! A part of a field: an array of a unit, read input by input as [realization, channel, axis...].

use std::ops::Range;

use super::channels;
use super::role::Role;
use super::source::COMPLEX;
use super::unit::Unit;
use super::{Along, Pick};
use crate::storage::array_metadata::CHANNEL_NAMES;
use crate::{Error, Result};

/// Largest number of indices taken along a dimension, 2^24: the largest number of points of an
/// axis.
const LONGEST: usize = 1 << 24;

/// An array of a unit, and the role of each of its dimensions.
#[derive(Debug, Clone)]
pub(super) struct Part {
    /// The selection that was requested.
    pub pick: Pick,
    /// The array's position in its source.
    pub variable: usize,
    /// The names of the array's dimensions.
    pub names: Vec<String>,
    dimensions: Vec<Dimension>,
}

/// A dimension of the array.
#[derive(Debug, Clone)]
struct Dimension {
    /// Role of the dimension; none if a single index is taken.
    role: Option<Role>,
    range: Range<usize>,
    step: usize,
}

impl Dimension {
    fn len(&self) -> usize {
        self.range.len().div_ceil(self.step)
    }
}

/// An axis of a part: its name, the number of points of the array along it, and the indices taken.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PartAxis {
    pub name: String,
    pub points: usize,
    pub taken: Vec<usize>,
}

impl Part {
    /// The array of a pick, with these names of its dimensions.
    pub fn new(unit: &Unit<'_>, pick: &Pick, names: &[String]) -> Result<Self> {
        let variable = find(unit, &pick.name)?;
        let array = unit.variable(variable);
        let refuse = |reason: String| {
            Err(Error::bad_file(
                &unit.source.path,
                format!("the array {} {reason}", pick.name),
            ))
        };
        let mut names = names.to_vec();
        if names.len() + 1 == array.shape.len() && array.is_complex() {
            names.push(COMPLEX.into());
        }
        if names.len() != array.shape.len() {
            return refuse(format!(
                "has shape {:?}, which does not match the dimensions ({})",
                array.shape,
                names.join(", ")
            ));
        }
        let unknown = pick
            .along
            .iter()
            .find(|(name, _)| !names.contains(name) || name == COMPLEX);
        if let Some((name, _)) = unknown {
            return refuse(format!(
                "has the dimensions ({}), no {name}",
                names.join(", ")
            ));
        }
        let lengths = names.iter().zip(&array.shape);
        let dimensions = lengths.map(|(name, &length)| dimension(pick, name, length));
        let dimensions: std::result::Result<Vec<Dimension>, String> = dimensions.collect();
        let dimensions = match dimensions.and_then(|dimensions| unlike(dimensions, &names)) {
            Ok(dimensions) => dimensions,
            Err(reason) => return refuse(reason),
        };
        Ok(Self {
            pick: pick.clone(),
            variable,
            names,
            dimensions,
        })
    }

    /// Number of inputs; none if the array is the same for all inputs.
    pub fn inputs(&self) -> Option<usize> {
        self.length(&Role::Input)
    }

    /// Number of realizations per input; none without such a dimension.
    pub fn realizations(&self) -> Option<usize> {
        self.length(&Role::Realization)
    }

    /// Number of channels: the product over all dimensions of channels.
    pub fn channels(&self) -> usize {
        self.of_role(&Role::Channel).map(Dimension::len).product()
    }

    /// The axes, in the order of the array's dimensions.
    pub fn axes(&self, unit: &Unit<'_>) -> Vec<PartAxis> {
        let shape = &unit.variable(self.variable).shape;
        let dimensions = self.dimensions.iter().zip(shape);
        dimensions
            .filter_map(|(dimension, &points)| match &dimension.role {
                Some(Role::Axis(name)) => Some(PartAxis {
                    name: name.clone(),
                    points,
                    taken: dimension.range.clone().step_by(dimension.step).collect(),
                }),
                _ => None,
            })
            .collect()
    }

    /// The values of an input as [realization, channel, axis...], with the axes in the order of
    /// `axes`. Axes that are `reversed` are read from their last point to their first.
    pub fn read(
        &self,
        unit: &Unit<'_>,
        input: usize,
        axes: &[String],
        reversed: &[bool],
    ) -> Result<Vec<f64>> {
        let place = |dimension: &Dimension| match dimension.role {
            Some(Role::Input) => {
                let index = dimension.range.start + input * dimension.step;
                index..index + 1
            }
            _ => dimension.range.clone(),
        };
        let ranges: Vec<Range<usize>> = self.dimensions.iter().map(place).collect();
        let values = unit.source.read(self.variable, &ranges)?;
        let mut strides = vec![1; ranges.len()];
        for i in (1..ranges.len()).rev() {
            strides[i - 1] = strides[i] * ranges[i].len();
        }
        let mut walks = Vec::new();
        for role in [Role::Realization, Role::Channel] {
            walks.extend(self.walks(&role, &strides, false));
        }
        for (name, is_reversed) in axes.iter().zip(reversed) {
            walks.extend(self.walks(&Role::Axis(name.clone()), &strides, *is_reversed));
        }
        let mut ordered = Vec::new();
        gather(&values, 0, &walks, &mut ordered);
        Ok(ordered)
    }

    /// The labels of the channels, if the file has any: as coordinates of their dimension, or in an
    /// attribute of the array.
    pub fn labels(&self, unit: &Unit<'_>) -> Result<Option<Vec<String>>> {
        let variable = unit.variable(self.variable);
        let of_channels = |i: &usize| {
            let name = &self.names[*i];
            Role::named(name) == Role::Channel && name != COMPLEX
        };
        let mut places = (0..self.names.len()).filter(of_channels);
        let (Some(place), None) = (places.next(), places.next()) else {
            return Ok(None);
        };
        let count = variable.shape[place];
        let dimension = variable.dimensions[place].as_deref();
        let labels = channels::labels(unit, dimension, count)?.or_else(|| {
            let list = variable.attributes.get(CHANNEL_NAMES)?.as_array()?;
            let texts = list.iter().map(|text| text.as_str().map(str::to_owned));
            texts.collect::<Option<Vec<String>>>()
        });
        let Dimension { range, step, .. } = &self.dimensions[place];
        let labels = labels.filter(|labels| labels.len() == count);
        Ok(labels.map(|labels| {
            let taken = range.clone().step_by(*step);
            taken.map(|i| labels[i].clone()).collect()
        }))
    }

    fn of_role(&self, role: &Role) -> impl Iterator<Item = &Dimension> {
        let role = role.clone();
        self.dimensions
            .iter()
            .filter(move |d| d.role.as_ref() == Some(&role))
    }

    fn length(&self, role: &Role) -> Option<usize> {
        self.of_role(role).next().map(Dimension::len)
    }

    /// The walks along the dimensions of a role.
    fn walks(&self, role: &Role, strides: &[usize], is_reversed: bool) -> Vec<Walk> {
        let dimensions = self.dimensions.iter().zip(strides);
        dimensions
            .filter(|(dimension, _)| dimension.role.as_ref() == Some(role))
            .map(|(dimension, stride)| Walk {
                length: dimension.len(),
                stride: stride * dimension.step,
                is_reversed,
            })
            .collect()
    }
}

/// The selection along a dimension, or the reason why it is invalid.
fn dimension(pick: &Pick, name: &str, length: usize) -> std::result::Result<Dimension, String> {
    let taken = pick.along.iter().find(|(wanted, _)| wanted == name);
    let (range, step) = match taken {
        None => (0..length, 1),
        Some((_, along)) => along
            .indices(length)
            .ok_or_else(|| format!("has {length} along {name}, no {along}"))?,
    };
    if range.len() > LONGEST {
        return Err(format!(
            "has {length} along {name}, and at most {LONGEST} are taken"
        ));
    }
    let is_single = matches!(taken, Some((_, Along::Index(_))));
    Ok(Dimension {
        role: (!is_single).then(|| Role::named(name)),
        range,
        step,
    })
}

/// Refuses two dimensions with the same role, unless both are channels.
fn unlike(
    dimensions: Vec<Dimension>,
    names: &[String],
) -> std::result::Result<Vec<Dimension>, String> {
    let roles: Vec<&Role> = dimensions.iter().filter_map(|d| d.role.as_ref()).collect();
    let mut twice = roles.iter().enumerate().filter(|(i, role)| {
        let is_channel = **role == &Role::Channel;
        !is_channel && roles[..*i].contains(role)
    });
    match twice.next() {
        None => Ok(dimensions),
        Some((_, role)) => Err(format!(
            "has the dimensions ({}), and two of them are {}",
            names.join(", "),
            role.name()
        )),
    }
}

/// A walk through values at a fixed stride.
struct Walk {
    length: usize,
    stride: usize,
    is_reversed: bool,
}

/// Collects values in the order of the walks, the last one fastest.
fn gather(values: &[f64], at: usize, walks: &[Walk], ordered: &mut Vec<f64>) {
    let [walk, inner @ ..] = walks else {
        ordered.push(values[at]);
        return;
    };
    for i in 0..walk.length {
        let i = if walk.is_reversed {
            walk.length - 1 - i
        } else {
            i
        };
        gather(values, at + i * walk.stride, inner, ordered);
    }
}

/// The index of an array in its source; an error if it is missing, unreadable or empty.
pub(super) fn find(unit: &Unit<'_>, name: &str) -> Result<usize> {
    if let Some(why) = unit.unread(name) {
        let reason = format!("the array {name} {why}; store it as numbers in this file");
        return Err(Error::bad_file(&unit.source.path, reason));
    }
    let Some(index) = unit.find(name) else {
        let known: Vec<&str> = unit.arrays().map(|(_, name, _)| name).take(20).collect();
        let reason = format!("has no array {name}; it has {}", known.join(", "));
        return Err(Error::bad_file(&unit.source.path, reason));
    };
    let shape = &unit.variable(index).shape;
    if shape.contains(&0) {
        let reason = format!("the array {name} has the shape {shape:?}, so it is empty");
        return Err(Error::bad_file(&unit.source.path, reason));
    }
    Ok(index)
}
