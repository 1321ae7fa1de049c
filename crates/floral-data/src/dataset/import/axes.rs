//! The axes of imported fields: their coordinates are checked, and made even if they differ from
//! even ones only by rounding.

use serde_json::Value;

use super::circle::{Ends, ends};
use super::part::PartAxis;
use super::recipe::Recipe;
use super::source::Variable;
use super::unit::Unit;
use crate::grid::{Direction, Domain};
use crate::storage::array_metadata::{AXIS, DOMAIN, LONG_NAME, UNITS, nameless};
use crate::{Advice, Axis, Error, Note, Result};

/// Deviations from even points that count as rounding, in units of the spacing.
const ROUNDING: f64 = 1e-3;

/// The attribute that names a calendar, and the names of the standard calendar.
pub(super) const CALENDAR: &str = "calendar";
const STANDARD: [&str; 3] = ["standard", "gregorian", "proleptic_gregorian"];

/// An axis of a part, and how it was found.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FoundAxis {
    /// The axis, with increasing coordinates.
    pub axis: Axis,
    /// Whether the file stores the coordinates in decreasing order.
    pub is_reversed: bool,
    /// Whether its points are evenly spaced.
    pub is_even: bool,
    /// Name of the coordinate array; none if the coordinates are indices or assumed.
    pub coordinates: Option<String>,
    /// The calendar of dates, if it is not the standard one.
    pub calendar: Option<String>,
    /// What was assumed about the ends of the axis, if anything.
    pub note: Option<Note>,
}

impl FoundAxis {
    /// Whether only the number of points is known.
    pub fn is_counted(&self) -> bool {
        self.coordinates.is_none() && !self.axis.domain.is_periodic()
    }
}

/// Finds the coordinates of an axis. If the file has none, they are every s-th point of the axis
/// `like`, or evenly spread over its domain. Without `like` they are indices.
pub(super) fn find(
    unit: &Unit<'_>,
    recipe: &Recipe,
    wanted: &PartAxis,
    like: Option<&FoundAxis>,
) -> Result<FoundAxis> {
    let name = &wanted.name;
    let Some((variable, all)) = stored(unit, recipe, wanted)? else {
        return Ok(without_coordinates(
            wanted,
            like,
            recipe.periodic.contains(name),
        ));
    };
    let mut taken: Vec<f64> = wanted.taken.iter().map(|&i| all[i]).collect();
    let is_reversed = taken.len() > 1 && taken.windows(2).all(|pair| pair[0] > pair[1]);
    if is_reversed {
        taken.reverse();
    }
    let is_increasing = taken.windows(2).all(|pair| pair[0] < pair[1]);
    if !is_increasing || taken.iter().any(|value| !value.is_finite()) {
        return Err(Error::bad_file(
            &unit.source.path,
            format!(
                "the coordinates {} have to be finite and increasing or decreasing; sort the axis",
                variable.name
            ),
        ));
    }
    let is_periodic = recipe.periodic.contains(name);
    let (axis, is_even, note) = shaped(name, taken, variable, is_periodic).map_err(|reason| {
        Error::bad_file(&unit.source.path, format!("the axis {name} {reason}"))
    })?;
    Ok(FoundAxis {
        axis: Axis {
            units: variable.text(UNITS).map(str::to_owned),
            long_name: long_name(variable, name),
            declared: variable.text(AXIS).and_then(Direction::declared),
            ..axis
        },
        is_reversed,
        is_even,
        coordinates: Some(variable.name.clone()),
        calendar: calendar(variable),
        note,
    })
}

/// The long name of an axis, unless it is the default long name.
fn long_name(variable: &Variable, name: &str) -> Option<String> {
    let found = variable.text(LONG_NAME)?;
    (found != nameless(name)).then(|| found.to_owned())
}

/// The calendar of an axis of dates, unless it is the standard one.
fn calendar(variable: &Variable) -> Option<String> {
    let calendar = variable.text(CALENDAR)?.to_lowercase();
    (!STANDARD.contains(&calendar.as_str())).then_some(calendar)
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
        // PDEBench stores one more time than it has fields.
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

/// The values of a coordinate list; a list per input must be the same for every input.
fn coordinates(unit: &Unit<'_>, index: usize) -> Result<Option<Vec<f64>>> {
    let variable = unit.variable(index);
    let values = match variable.shape.len() {
        1 => unit.source.read_all(index)?,
        2 => {
            let all = unit.source.read_all(index)?;
            let mut lists = all.chunks_exact(variable.shape[1].max(1));
            let Some(first) = lists.next() else {
                return Ok(None);
            };
            if lists.any(|list| list != first) {
                return Err(Error::bad_file(
                    &unit.source.path,
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

/// An axis, whether its points are even, and a note on what was assumed about its ends.
type Shaped = (Axis, bool, Option<Note>);

/// An axis with these coordinates, or what is wrong with them.
fn shaped(
    name: &str,
    coordinates: Vec<f64>,
    variable: &Variable,
    is_periodic: bool,
) -> std::result::Result<Shaped, String> {
    let declared = variable.attributes.get(DOMAIN).and_then(domain);
    let n = coordinates.len();
    let Some(step) = even_step(&coordinates, variable.number.is_coarse()) else {
        if is_periodic {
            return Err("is uneven, so that its period is not known".into());
        }
        return Axis::stored(name, coordinates, declared).map(|axis| (axis, n < 2, None));
    };
    let (domain, note) = match declared {
        Some(declared) if is_periodic && !declared.is_periodic() => {
            let (domain, _) = assumed(name, &coordinates, variable, (true, step));
            let fact = format!("the axis {name} is periodic as requested, not as its file says");
            (domain, Some(Note::from(fact)))
        }
        Some(declared) => (declared, None),
        None => assumed(name, &coordinates, variable, (is_periodic, step)),
    };
    let even = Axis::over(domain, name, n);
    let is_near = |(a, b): (&f64, &f64)| (a - b).abs() < ROUNDING * step;
    if even.coordinates.iter().zip(&coordinates).all(is_near) {
        return Ok((even, true, note));
    }
    Axis::stored(name, coordinates, Some(domain)).map(|axis| (axis, true, note))
}

/// The domain of even points for which none is declared, and a note about it.
fn assumed(
    name: &str,
    coordinates: &[f64],
    variable: &Variable,
    (is_periodic, step): (bool, f64),
) -> (Domain, Option<Note>) {
    let (n, from) = (coordinates.len() as f64, coordinates[0]);
    let near = |length: f64| (step * n - length).abs() < ROUNDING * step;
    let around = |length: f64| Domain::periodic(from, from + length);
    let usual = Domain::of_coordinates(coordinates);
    let periodic = |why: &str| Note::from(format!("the axis {name} is taken as periodic: {why}"));
    match ends(name, variable, near) {
        _ if is_periodic => match [360.0, std::f64::consts::TAU, 1.0]
            .into_iter()
            .find(|l| near(*l))
        {
            Some(length) => (around(length), None),
            None => (around(step * n), None),
        },
        Ends::Closing(why) => (around(step * n), Some(periodic(why))),
        Ends::Same(length, why) => (around(length), Some(periodic(why))),
        Ends::Perhaps(length) => (
            usual,
            Some(Note {
                fact: format!(
                    "the axis {name} spans {length} without units and is not taken as periodic"
                ),
                advice: Some(Advice::DeclarePeriodic {
                    axis: name.to_owned(),
                }),
            }),
        ),
        Ends::Apart if usual.is_periodic() => {
            let last = coordinates.last().copied().unwrap_or(from);
            (Domain::closed(from, last), None)
        }
        Ends::Unknown if usual.is_periodic() => {
            let why = "its points are i/n of the unit interval";
            (usual, Some(periodic(why)))
        }
        Ends::Apart | Ends::Unknown => (usual, None),
    }
}

/// The spacing of the points if they are even up to rounding or the precision of their numbers.
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

/// An axis without stored coordinates.
fn without_coordinates(
    wanted: &PartAxis,
    like: Option<&FoundAxis>,
    is_periodic: bool,
) -> FoundAxis {
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
        coordinates: None,
        calendar: None,
        note: None,
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use serde_json::json;

    use super::*;
    use crate::AxisKind;
    use crate::storage::Number;

    fn found_axis(
        name: &str,
        coordinates: Vec<f64>,
        attributes: &[(&str, Value)],
        is_periodic: bool,
    ) -> Shaped {
        let attributes = attributes.iter();
        let variable = Variable {
            name: name.into(),
            shape: vec![coordinates.len()],
            dimensions: vec![None],
            attributes: attributes
                .map(|(key, value)| ((*key).to_owned(), value.clone()))
                .collect(),
            number: Number::numpy("<f4").unwrap(),
        };
        shaped(name, coordinates, &variable, is_periodic).unwrap()
    }

    fn around(length: f64, n: u32) -> Vec<f64> {
        let float = |i: u32| f64::from((f64::from(i) / f64::from(n) * length) as f32);
        (0..n).map(float).collect()
    }

    #[test]
    fn coordinates_in_few_digits_are_even() {
        let units = [("units", json!("radian"))];
        let (ring, is_even, _) = found_axis("x", around(TAU, 256), &units, false);
        assert!(is_even);
        assert_eq!(ring, Axis::over(Domain::periodic(0.0, TAU), "x", 256));
        let far = |i: i32| f64::from((1e4 + f64::from(i) * 0.01) as f32);
        assert!(found_axis("x", (0..64).map(far).collect(), &[], false).1);
        assert!(!found_axis("x", vec![0.0, 1.0, 4.0], &[], false).1);
    }

    #[test]
    fn a_length_alone_makes_no_circle() {
        let kind = |name: &str, length: f64, attributes: &[(&str, Value)]| {
            let (axis, _, note) = found_axis(name, around(length, 36), attributes, false);
            (axis.domain.kind, note)
        };
        for units in ["s", "m", "days since 2000-01-01"] {
            let closed = kind("x", 360.0, &[("units", json!(units))]);
            assert_eq!(closed, (AxisKind::Closed, None), "{units}");
        }
        let (unknown, note) = kind("x", TAU, &[]);
        assert_eq!(unknown, AxisKind::Closed);
        let advice = Advice::DeclarePeriodic { axis: "x".into() };
        assert_eq!(note.unwrap().advice, Some(advice));
        assert_eq!(kind("time", 1.0, &[]).0, AxisKind::Closed);
        for attributes in [
            [("units", json!("degrees_east"))],
            [("standard_name", json!("longitude"))],
            [("periodic", json!(true))],
            [("topology", json!("circular"))],
        ] {
            let (ring, note) = kind("x", 360.0, &attributes);
            assert_eq!(ring, AxisKind::Periodic, "{attributes:?}");
            assert!(note.unwrap().fact.contains("taken as periodic"));
        }
        let (unit, note) = kind("x", 1.0, &[]);
        assert_eq!(unit, AxisKind::Periodic);
        assert!(note.unwrap().fact.contains("unit interval"));
    }

    #[test]
    fn an_axis_is_periodic_where_it_is_said() {
        let centres = |n: usize| (0..n).map(|i| (i as f64 + 0.5) / n as f64).collect();
        let (closed, ..) = found_axis("x", centres(8), &[], false);
        assert_eq!(closed.domain.kind, AxisKind::Closed);
        let (ring, ..) = found_axis("x", centres(8), &[], true);
        assert_eq!(ring.domain, Domain::periodic(0.0625, 1.0625));
    }

    #[test]
    fn a_request_for_a_periodic_axis_overrides_the_file_with_a_note() {
        let closed = json!({"kind": "closed", "from": 0.0, "to": 3.0});
        let declared = [(DOMAIN, closed)];
        let of = |is_periodic| found_axis("x", vec![0.0, 1.0, 2.0, 3.0], &declared, is_periodic);
        let (ring, _, note) = of(true);
        assert_eq!(ring.domain, Domain::periodic(0.0, 4.0));
        assert!(note.unwrap().fact.contains("not as its file says"));
        let (line, _, note) = of(false);
        assert_eq!((line.domain, note), (Domain::closed(0.0, 3.0), None));
    }
}
