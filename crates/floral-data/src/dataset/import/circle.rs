//! Whether an axis is periodic, judged by its attributes and units, never by its length alone.

use std::f64::consts::TAU;

use serde_json::Value;

use super::source::Variable;
use crate::storage::array_metadata::UNITS;

/// Units in which a full turn is 360.
const DEGREES: [&str; 12] = [
    "deg",
    "degree",
    "degrees",
    "°",
    "degree_east",
    "degrees_east",
    "degree_e",
    "degrees_e",
    "degreee",
    "degreese",
    "arc_degree",
    "arcdeg",
];

/// Units in which a full turn is 2 pi.
const RADIANS: [&str; 3] = ["rad", "radian", "radians"];

/// Names of longitudes, as CF standard names or names of axes.
const LONGITUDES: [&str; 4] = ["longitude", "grid_longitude", "lon", "long"];

/// Units of time.
const TIMES: [&str; 14] = [
    "s", "sec", "secs", "second", "seconds", "ms", "min", "minute", "minutes", "h", "hour",
    "hours", "day", "days",
];

/// What is known about the two ends of an axis.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Ends {
    /// The ends are the same point. Holds the period and the reason, in words.
    Same(f64, &'static str),
    /// The ends are declared to be the same point, but the period is unknown.
    Closing(&'static str),
    /// The ends may be the same point: the axis spans a full turn, but its units are unknown.
    Perhaps(&'static str),
    /// The ends are different points: this is an axis of times.
    Apart,
    /// Nothing is known.
    Unknown,
}

/// Judges the ends of an axis from its attributes. `is_near` compares a length with that of the
/// axis, including the step from the last point to the next.
pub(super) fn ends(name: &str, variable: &Variable, is_near: impl Fn(f64) -> bool) -> Ends {
    let text = |key: &str| variable.text(key).map(str::to_lowercase);
    let is_one_of = |text: &Option<String>, list: &[&str]| {
        text.as_deref().is_some_and(|text| list.contains(&text))
    };
    if is_said(variable) {
        return Ends::Closing("its attribute says so");
    }
    let (units, standard) = (text(UNITS), text("standard_name"));
    let own = Some(name.to_lowercase());
    let is_since = units
        .as_deref()
        .is_some_and(|units| units.contains(" since "));
    if is_one_of(&own, &["t", "time", "times"])
        || is_one_of(&standard, &["time"])
        || is_one_of(&text("axis"), &["t"])
        || is_one_of(&units, &TIMES)
        || is_since
    {
        return Ends::Apart;
    }
    let is_longitude = is_one_of(&standard, &LONGITUDES)
        || is_one_of(&own, &LONGITUDES) && units.as_deref().is_none_or(|units| units == "1");
    match (is_near(360.0), is_near(TAU)) {
        (true, _) if is_one_of(&units, &DEGREES) => Ends::Same(360.0, "it spans 360 degrees"),
        (true, _) if is_longitude => Ends::Same(360.0, "it spans 360 degrees of longitude"),
        (_, true) if is_one_of(&units, &RADIANS) => Ends::Same(TAU, "it spans 2 pi radians"),
        (true, _) if units.is_none() => Ends::Perhaps("360"),
        (_, true) if units.is_none() => Ends::Perhaps("2 pi"),
        _ => Ends::Unknown,
    }
}

/// Whether an attribute declares the axis periodic: `periodic`, or `topology = "circular"`.
fn is_said(variable: &Variable) -> bool {
    let is_true = |value: &Value| match value {
        Value::Bool(value) => *value,
        Value::String(text) => ["true", "yes", "1"].contains(&text.to_lowercase().trim()),
        value => value.as_f64().is_some_and(|value| value == 1.0),
    };
    variable.attributes.get("periodic").is_some_and(is_true)
        || variable.text("topology") == Some("circular")
}
