//! Parameters of inputs: named numbers [input, parameter]. Methods see them as channels that are
//! constant over the domain.

use serde_json::{Value, json};

use super::layout::{INPUT_DIMENSION, PARAMETER_DIMENSION};
use crate::quantity::non_empty;
use crate::storage::{Precision, StoredArray, array_metadata};
use crate::{Error, Field, Quantity, Result};

const NAMES: &str = "parameter_names";
const UNITS: &str = "parameter_units";
const LONG_NAMES: &str = "parameter_long_names";

/// Largest number of parameters, each of which becomes a channel.
const MOST: usize = 1 << 16;

/// Metadata of the array of parameters.
pub(super) fn array(inputs: usize, quantities: &[Quantity], precision: Precision) -> Value {
    let inner = [(PARAMETER_DIMENSION, quantities.len())];
    let meaning = "parameters of the input";
    let mut array = array_metadata::values((INPUT_DIMENSION, inputs), &inner, precision, meaning);
    let mut list = |key: &str, of: fn(&Quantity) -> &Option<String>| {
        if quantities.iter().any(|quantity| of(quantity).is_some()) {
            let texts = quantities.iter().map(|quantity| of(quantity).as_deref());
            let texts: Vec<&str> = texts.map(Option::unwrap_or_default).collect();
            array["attributes"][key] = json!(texts);
        }
    };
    list(NAMES, |quantity| &quantity.name);
    list(UNITS, |quantity| &quantity.units);
    list(LONG_NAMES, |quantity| &quantity.long_name);
    array
}

/// Checks the shape of a stored array of parameters.
pub(super) fn check(array: &StoredArray) -> Result<()> {
    match array.shape()[..] {
        [inputs, count] if inputs > 0 && (1..=MOST).contains(&count) => Ok(()),
        _ => Err(array.bad(&format!(
            "has the shape {:?}, but ({INPUT_DIMENSION}, {PARAMETER_DIMENSION}) is needed",
            array.shape()
        ))),
    }
}

/// The quantities of the parameters of a stored array.
pub(super) fn quantities(array: &StoredArray) -> Result<Vec<Quantity>> {
    let count = array.shape()[1];
    let list = |key: &str| -> Result<Vec<Option<String>>> {
        let Some(written) = array.attribute(key) else {
            return Ok(vec![None; count]);
        };
        let texts: Option<Vec<String>> = serde_json::from_value(written.clone()).ok();
        match texts.filter(|texts| texts.len() == count) {
            Some(texts) => Ok(texts.iter().map(|text| non_empty(text)).collect()),
            None => Err(array.bad(&format!(
                "its attribute {key} is {written}, but a list of {count} texts is needed, one for \
                 each parameter"
            ))),
        }
    };
    let (names, units, long_names) = (list(NAMES)?, list(UNITS)?, list(LONG_NAMES)?);
    let each = names.into_iter().zip(units).zip(long_names);
    let quantity = |((name, units), long_name)| Quantity {
        name,
        units,
        long_name,
        parameter: true,
    };
    Ok(each.map(quantity).collect())
}

/// Number of parameters among an input's channels, where they come last.
pub fn count(quantities: &[Quantity]) -> Result<usize> {
    let first = quantities.iter().position(|quantity| quantity.parameter);
    let first = first.unwrap_or(quantities.len());
    match quantities[first..]
        .iter()
        .all(|quantity| quantity.parameter)
    {
        true => Ok(quantities.len() - first),
        false => Err(Error::config(
            "quantities",
            "parameters come after all other channels of the input; reorder them",
        )),
    }
}

/// The values of an input's last channels, which are these parameters; fails unless each channel is
/// constant.
pub(super) fn values(input: &Field, parameters: &[Quantity], index: usize) -> Result<Vec<f64>> {
    let points = input.values().len() / input.channels();
    let own = input.channels() - parameters.len();
    let channels = input.values()[own * points..].chunks_exact(points.max(1));
    let constant = |(channel, quantity): (&[f64], &Quantity)| {
        let first = channel[0];
        if channel.iter().all(|value| *value == first) {
            return Ok(first);
        }
        let name = quantity.name.as_deref().unwrap_or("a parameter");
        let reason = match channel.iter().all(|value| value.is_nan()) {
            true => format!("the parameter {name} is NaN; give a finite number"),
            false => format!("{name} is a parameter but varies over the domain; give one number"),
        };
        Err(Error::config(format!("input {index}"), reason))
    };
    channels.zip(parameters).map(constant).collect()
}

/// Parameters as channels: `[parameter]` -> `[parameter, point]`.
pub fn channels(parameters: &[f64], points: usize) -> impl Iterator<Item = f64> {
    let each = parameters.iter();
    each.flat_map(move |value| std::iter::repeat_n(*value, points))
}
