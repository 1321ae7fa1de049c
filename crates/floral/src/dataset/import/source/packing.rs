//! Packed values, by the attributes of the CF conventions: `scale_factor`, `add_offset`, and
//! `_FillValue` or `missing_value` where there is none.

use serde_json::{Map, Value};

/// Values as they are meant: NaN where they are missing, scaled where they are packed.
pub(super) fn unpack(attributes: &Map<String, Value>, values: &mut [f64]) {
    let missing: Vec<f64> = ["_FillValue", "missing_value"]
        .iter()
        .flat_map(|name| numbers(attributes.get(*name)))
        .filter(|value| !value.is_nan())
        .collect();
    let number = |name: &str| numbers(attributes.get(name)).first().copied();
    let (scale, offset) = (number("scale_factor"), number("add_offset"));
    if missing.is_empty() && scale.is_none() && offset.is_none() {
        return;
    }
    let (scale, offset) = (scale.unwrap_or(1.0), offset.unwrap_or(0.0));
    for value in values {
        *value = if missing.contains(value) {
            f64::NAN
        } else {
            *value * scale + offset
        };
    }
}

/// The numbers of an attribute: a single one, or a list.
fn numbers(attribute: Option<&Value>) -> Vec<f64> {
    match attribute {
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_f64).collect(),
        Some(value) => value.as_f64().into_iter().collect(),
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn packed_and_missing_values_are_what_they_mean() {
        let attributes = json!({"scale_factor": 0.5, "add_offset": [10.0], "_FillValue": -99});
        let mut values = [0.0, 4.0, -99.0];
        unpack(attributes.as_object().unwrap(), &mut values);
        assert_eq!(values[..2], [10.0, 12.0]);
        assert!(values[2].is_nan());
        let mut values = [0.1, -99.0];
        unpack(json!({"units": "m"}).as_object().unwrap(), &mut values);
        assert_eq!(values, [0.1, -99.0]);
    }
}
