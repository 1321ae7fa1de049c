//! The axes of imported fields: their coordinates as the files tell them, checked, and even where they
//! differ from even ones by rounding.

use std::f64::consts::TAU;

use serde_json::Value;

use super::part::PartAxis;
use super::recipe::Recipe;
use super::source::{Variable, bad, read_all};
use super::unit::Unit;
use crate::grid::{Direction, Domain};
use crate::storage::array_metadata::{AXIS, DOMAIN, LONG_NAME, UNITS, nameless};
use crate::{Axis, Result};

/// Distances from even points, in units of their spacing, that count as rounding.
const ROUNDING: f64 = 1e-3;

/// Lengths that say by themselves that an axis is a circle: radians and degrees.
const CIRCLES: [f64; 2] = [TAU, 360.0];

/// An axis of a part, and how it was found.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FoundAxis {
    /// With increasing coordinates.
    pub axis: Axis,
    /// Whether the file has them from the last to the first.
    pub is_reversed: bool,
    /// Whether its points are evenly spaced.
    pub is_even: bool,
    /// The array that tells the coordinates; none if they are counted or assumed.
    pub told_by: Option<String>,
}

impl FoundAxis {
    /// Whether nothing is known of its points but how many there are.
    pub fn is_counted(&self) -> bool {
        self.told_by.is_none() && !self.axis.domain.is_periodic()
    }
}

/// Finds the coordinates of an axis. Where they are not told, they are every s-th of the points of
/// the axis `like`, or spread evenly over its domain, or, without one, counted.
pub(super) fn find(
    unit: &Unit<'_>,
    recipe: &Recipe,
    wanted: &PartAxis,
    like: Option<&FoundAxis>,
) -> Result<FoundAxis> {
    let name = &wanted.name;
    let Some((variable, all)) = stored(unit, recipe, wanted)? else {
        return Ok(untold(wanted, like, recipe.periodic.contains(name)));
    };
    let mut taken: Vec<f64> = wanted.taken.iter().map(|&i| all[i]).collect();
    let is_reversed = taken.len() > 1 && taken.windows(2).all(|pair| pair[0] > pair[1]);
    if is_reversed {
        taken.reverse();
    }
    let is_increasing = taken.windows(2).all(|pair| pair[0] < pair[1]);
    if !is_increasing || taken.iter().any(|value| !value.is_finite()) {
        return Err(bad(
            unit.source.path(),
            format!(
                "the coordinates {} have to be finite and increasing or decreasing; sort the axis",
                variable.name
            ),
        ));
    }
    let is_periodic = recipe.periodic.contains(name);
    let (axis, is_even) = shaped(name, taken, variable, is_periodic)
        .map_err(|reason| bad(unit.source.path(), format!("the axis {name} {reason}")))?;
    Ok(FoundAxis {
        axis: Axis {
            units: variable.text(UNITS).map(str::to_owned),
            long_name: long_name(variable, name),
            declared: variable.text(AXIS).and_then(Direction::declared),
            ..axis
        },
        is_reversed,
        is_even,
        told_by: Some(variable.name.clone()),
    })
}

/// The name of an axis in full, unless it is one that datasets give to all.
fn long_name(variable: &Variable, name: &str) -> Option<String> {
    let told = variable.text(LONG_NAME)?;
    (told != nameless(name)).then(|| told.to_owned())
}

/// The array of an axis's coordinates, and its values.
fn stored<'a>(
    unit: &Unit<'a>,
    recipe: &Recipe,
    wanted: &PartAxis,
) -> Result<Option<(&'a Variable, Vec<f64>)>> {
    let name = &wanted.name;
    let named = recipe.coordinates.get(name);
    if let Some(index) = named.and_then(|array| unit.find(array)) {
        let values = coordinates(unit, index)?;
        // PDEBench stores one time more than it has fields.
        if values
            .as_ref()
            .is_some_and(|values| values.len() == wanted.points + 1)
        {
            return Ok(values.map(|values| (unit.variable(index), values)));
        }
    }
    let arrays = named.cloned().into_iter().chain([
        name.clone(),
        format!("{name}-coordinate"),
        format!("grid/{name}"),
        format!("coords/{name}"),
        format!("coordinates/{name}"),
        format!("dimensions/{name}"),
        format!("{name}_low"),
        format!("low_{name}"),
        format!("{name}_high"),
        format!("high_{name}"),
        format!("{name}_coarse"),
        format!("coarse_{name}"),
    ]);
    for array in arrays {
        let Some(index) = unit.find(&array) else {
            continue;
        };
        if unit.variable(index).shape.last() != Some(&wanted.points) {
            continue;
        }
        if let Some(values) = coordinates(unit, index)? {
            return Ok(Some((unit.variable(index), values)));
        }
    }
    Ok(None)
}

/// The values of a list, or of one that is the same for every input.
fn coordinates(unit: &Unit<'_>, index: usize) -> Result<Option<Vec<f64>>> {
    let variable = unit.variable(index);
    let values = match variable.shape.len() {
        1 => read_all(unit.source, index)?,
        2 => {
            let all = read_all(unit.source, index)?;
            let mut lists = all.chunks_exact(variable.shape[1].max(1));
            let Some(first) = lists.next() else {
                return Ok(None);
            };
            if lists.any(|list| list != first) {
                return Err(bad(
                    unit.source.path(),
                    format!(
                        "the coordinates {} differ from one input to the next; all inputs need \
                         the same grid",
                        variable.name
                    ),
                ));
            }
            first.to_vec()
        }
        _ => return Ok(None),
    };
    Ok(Some(values))
}

/// An axis with these coordinates, and whether they are even; what is wrong otherwise.
fn shaped(
    name: &str,
    coordinates: Vec<f64>,
    variable: &Variable,
    is_periodic: bool,
) -> std::result::Result<(Axis, bool), String> {
    let told = variable.attributes.get(DOMAIN).and_then(domain);
    let n = coordinates.len();
    let Some(step) = even_step(&coordinates, variable.is_coarse) else {
        if is_periodic {
            return Err("is uneven, so that its period is not known".into());
        }
        return Axis::stored(name, coordinates, told).map(|axis| (axis, n < 2));
    };
    let from = coordinates[0];
    let near = |length: f64| (step * n as f64 - length).abs() < ROUNDING * step;
    let circle = CIRCLES.into_iter().find(|circle| near(*circle));
    let domain = match (told, circle) {
        (Some(told), _) => told,
        (None, Some(circle)) => Domain::periodic(from, from + circle),
        (None, None) if is_periodic && near(1.0) => Domain::periodic(from, from + 1.0),
        (None, None) if is_periodic => Domain::periodic(from, from + step * n as f64),
        (None, None) => Domain::of_coordinates(&coordinates),
    };
    let even = Axis::over(domain, name, n);
    let is_near = |(a, b): (&f64, &f64)| (a - b).abs() < ROUNDING * step;
    if even.coordinates.iter().zip(&coordinates).all(is_near) {
        return Ok((even, true));
    }
    Axis::stored(name, coordinates, Some(domain)).map(|axis| (axis, true))
}

/// The distance between points if they are even up to rounding, or to the digits of their numbers.
fn even_step(coordinates: &[f64], is_coarse: bool) -> Option<f64> {
    let (first, last) = (coordinates.first()?, coordinates.last()?);
    let step = (last - first) / (coordinates.len().checked_sub(1).filter(|n| *n > 0)? as f64);
    let digits = if is_coarse {
        f32::EPSILON.into()
    } else {
        f64::EPSILON
    };
    let margin = (ROUNDING * step).max(4.0 * digits * first.abs().max(last.abs()));
    let is_even = |(i, x): (usize, &f64)| (x - first - step * i as f64).abs() <= margin;
    coordinates.iter().enumerate().all(is_even).then_some(step)
}

fn domain(attribute: &Value) -> Option<Domain> {
    serde_json::from_value(attribute.clone()).ok()
}

/// An axis of which no coordinates are told.
fn untold(wanted: &PartAxis, like: Option<&FoundAxis>, is_periodic: bool) -> FoundAxis {
    let (name, n) = (&wanted.name, wanted.taken.len());
    let axis = match like.map(|like| &like.axis) {
        Some(like) if like.len() == n => like.clone(),
        Some(like) => like.resampled(n),
        None if is_periodic => Axis::over(Domain::periodic(0.0, n as f64), name, n),
        None => Axis::over(Domain::closed(0.0, n.saturating_sub(1) as f64), name, n),
    };
    FoundAxis {
        axis,
        is_reversed: like.is_some_and(|like| like.is_reversed),
        is_even: true,
        told_by: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AxisKind;

    fn axis(coordinates: Vec<f64>, is_coarse: bool, is_periodic: bool) -> (Axis, bool) {
        let variable = Variable {
            name: "x".into(),
            shape: vec![coordinates.len()],
            dimensions: vec![None],
            attributes: serde_json::Map::new(),
            is_coarse,
        };
        shaped("x", coordinates, &variable, is_periodic).unwrap()
    }

    #[test]
    fn coordinates_in_few_digits_are_even_and_circles_are_known() {
        let float = |i: i32| f64::from((f64::from(i) / 256.0 * TAU) as f32);
        let (ring, is_even) = axis((0..256).map(float).collect(), true, false);
        assert!(is_even);
        assert_eq!(ring, Axis::over(Domain::periodic(0.0, TAU), "x", 256));
        let far = |i: i32| f64::from((1e4 + f64::from(i) * 0.01) as f32);
        assert!(axis((0..64).map(far).collect(), true, false).1);
        assert!(!axis(vec![0.0, 1.0, 4.0], true, false).1);
    }

    #[test]
    fn an_axis_is_periodic_where_it_is_said() {
        let centres = |n: usize| (0..n).map(|i| (i as f64 + 0.5) / n as f64).collect();
        let (closed, _) = axis(centres(8), false, false);
        assert_eq!(closed.domain.kind, AxisKind::Closed);
        let (ring, _) = axis(centres(8), false, true);
        assert_eq!(ring.domain, Domain::periodic(0.0625, 1.0625));
    }
}
