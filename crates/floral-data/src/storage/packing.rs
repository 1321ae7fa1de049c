//! Decodes stored numbers by the CF conventions: `_Unsigned`, then `_FillValue`, `missing_value`
//! and the valid range, all in terms of stored numbers, then `scale_factor` and `add_offset`.
//!
//! All readers share these rules, for datasets and for imported files. They match xarray's
//! `mask_and_scale` together with the automatic mask of netCDF4-python.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value};

use super::{Kind, Number};

/// The conversion of stored numbers to values.
#[derive(Debug, Clone, PartialEq)]
pub struct Packing {
    number: Number,
    sign: Sign,
    missing: Vec<f64>,
    /// Smallest and largest valid number.
    valid: (f64, f64),
    scale: f64,
    offset: f64,
}

/// The interpretation of the highest bit of integers.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Sign {
    AsStored,
    Unsigned,
    Signed,
}

impl Packing {
    /// The packing defined by the attributes of an array. With `by_default`, NetCDF's default fill
    /// values count as missing. Fails if an attribute must be a number but is not.
    pub fn new(
        attributes: &Map<String, Value>,
        number: Number,
        by_default: bool,
    ) -> Result<Self, String> {
        let sign = sign(attributes.get("_Unsigned"), number.kind());
        if sign == Sign::Signed && number.size() == 8 {
            // As floats, small negative numbers would have lost their digits.
            return Err(
                "has 64-bit unsigned integers declared as signed; store them as signed integers"
                    .into(),
            );
        }
        let stored = |value: f64| sign.applied(number, number.nearest(value));
        let list = |name: &str| -> Vec<f64> {
            let list = numbers(attributes.get(name)).unwrap_or_default();
            list.into_iter().map(stored).collect()
        };
        let mut missing = [list("_FillValue"), list("missing_value")].concat();
        if by_default && !attributes.contains_key("_FillValue") {
            missing.extend(never_written(number).map(stored));
        }
        missing.retain(|value| !value.is_nan());
        let range = list("valid_range");
        let bound = |name: &str| list(name).first().copied();
        let valid = match range[..] {
            [from, to] => (from, to),
            _ => (
                bound("valid_min").unwrap_or(f64::NEG_INFINITY),
                bound("valid_max").unwrap_or(f64::INFINITY),
            ),
        };
        Ok(Self {
            number,
            sign,
            missing,
            valid,
            scale: factor(attributes, "scale_factor", number)?.unwrap_or(1.0),
            offset: factor(attributes, "add_offset", number)?.unwrap_or(0.0),
        })
    }

    /// Replaces stored numbers by their values, with NaN for missing ones.
    pub fn unpack(&self, values: &mut [f64]) {
        let is_any = (f64::NEG_INFINITY, f64::INFINITY) == self.valid;
        let is_packed = (self.scale, self.offset) != (1.0, 0.0);
        if self.missing.is_empty() && is_any && !is_packed && self.sign == Sign::AsStored {
            return;
        }
        for value in values {
            let stored = self.sign.applied(self.number, *value);
            let is_missing = self.missing.contains(&stored);
            let is_outside = stored < self.valid.0 || stored > self.valid.1;
            *value = if is_missing || is_outside {
                f64::NAN
            } else if is_packed {
                stored * self.scale + self.offset
            } else {
                stored
            };
        }
    }
}

fn sign(attribute: Option<&Value>, kind: Kind) -> Sign {
    let text = attribute.and_then(Value::as_str).unwrap_or_default();
    match (text.to_ascii_lowercase().as_str(), kind) {
        ("true", Kind::Signed) => Sign::Unsigned,
        ("false", Kind::Unsigned) => Sign::Signed,
        _ => Sign::AsStored,
    }
}

impl Sign {
    /// A number with its highest bit interpreted this way.
    fn applied(self, number: Number, value: f64) -> f64 {
        let range = (8.0 * number.size() as f64).exp2();
        match self {
            Self::Unsigned if value < 0.0 => value + range,
            Self::Signed if value >= range / 2.0 => value - range,
            _ => value,
        }
    }
}

/// NetCDF's default fill value for data that were never written; none for single bytes.
fn never_written(number: Number) -> Option<f64> {
    Some(match (number.kind(), number.size()) {
        (Kind::Float, 4 | 8) => 9.969_209_968_386_869e36,
        (Kind::Signed, 2) => -32767.0,
        (Kind::Signed, 4) => -2_147_483_647.0,
        (Kind::Signed, 8) => -9_223_372_036_854_775_806.0,
        (Kind::Unsigned, 2) => 65535.0,
        (Kind::Unsigned, 4) => 4_294_967_295.0,
        (Kind::Unsigned, 8) => 18_446_744_073_709_551_614.0,
        _ => return None,
    })
}

/// The value of an attribute that must be a single finite number; none if the attribute is absent.
fn factor(
    attributes: &Map<String, Value>,
    name: &str,
    number: Number,
) -> Result<Option<f64>, String> {
    let Some(attribute) = attributes.get(name) else {
        return Ok(None);
    };
    if number.is_complex() {
        return Err(format!("has complex values and the attribute {name}"));
    }
    match numbers(Some(attribute)).as_deref() {
        Some([one]) if one.is_finite() => Ok(Some(*one)),
        _ => Err(format!(
            "has the attribute {name} of {attribute}; a finite number is needed"
        )),
    }
}

/// The numbers of an attribute, which is a single one or a list; none if an entry is not a number.
fn numbers(attribute: Option<&Value>) -> Option<Vec<f64>> {
    match attribute? {
        Value::Array(list) => list.iter().map(one).collect(),
        value => Some(vec![one(value)?]),
    }
}

/// A number or its text; xarray writes floats to Zarr as eight bytes in base 64.
fn one(value: &Value) -> Option<f64> {
    let text = match value {
        Value::String(text) => text.trim(),
        value => return value.as_f64(),
    };
    let bytes = || BASE64_STANDARD.decode(text).ok()?.try_into().ok();
    let number = text.parse().ok();
    number.or_else(|| bytes().map(f64::from_le_bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Unpacks numbers of this NumPy type with these attributes; `by_default` as in a NetCDF file.
    fn unpacked(name: &str, attributes: Value, by_default: bool, values: &[f64]) -> Vec<f64> {
        let number = Number::numpy(name).unwrap();
        let packing = Packing::new(attributes.as_object().unwrap(), number, by_default);
        let mut values = values.to_vec();
        packing.unwrap().unpack(&mut values);
        values
    }

    fn is_missing(name: &str, attributes: Value, value: f64) -> bool {
        unpacked(name, attributes, true, &[value])[0].is_nan()
    }

    #[test]
    fn packed_and_missing_values_are_what_they_mean() {
        let attributes = json!({"scale_factor": 0.5, "add_offset": [10.0], "_FillValue": -99});
        let values = unpacked("<i2", attributes, false, &[0.0, 4.0, -99.0]);
        assert_eq!(values[..2], [10.0, 12.0]);
        assert!(values[2].is_nan());
        let values = unpacked("<f8", json!({"units": "m"}), false, &[0.1, -99.0]);
        assert_eq!(values, [0.1, -99.0]);
    }

    #[test]
    fn missing_values_are_known_in_every_spelling() {
        let single = f64::from(1e20f32);
        assert!(is_missing("<f4", json!({"missing_value": 1e20}), single));
        assert!(is_missing(
            "<f4",
            json!({"missing_value": [1.0, 1e20]}),
            single
        ));
        assert!(is_missing("<f2", json!({"_FillValue": 1000.3}), 1000.5));
        assert!(is_missing("<f2", json!({"missing_value": 5e4}), 49984.0));
        assert!(is_missing("<i2", json!({"missing_value": -999.0}), -999.0));
        assert!(is_missing(
            "<f8",
            json!({"_FillValue": "AAAAAAA4j8A="}),
            -999.0
        ));
        assert!(is_missing("<f8", json!({"_FillValue": "-999"}), -999.0));
        assert!(!is_missing(
            "<f8",
            json!({"_FillValue": "AAAAAAAA+H8="}),
            -999.0
        ));
        assert!(!is_missing("<f8", json!({"missing_value": "none"}), -999.0));
    }

    #[test]
    fn what_netcdf_never_wrote_is_missing() {
        let never = f64::from(9.969_21e36_f32);
        for (name, value) in [
            ("<f4", never),
            (">f8", 9.969_209_968_386_869e36),
            ("<i4", -2147483647.0),
        ] {
            assert!(is_missing(name, json!({}), value), "{name}");
            assert!(!is_missing(name, json!({"_FillValue": 7}), value), "{name}");
            let plain = unpacked(name, json!({}), false, &[value]);
            assert_eq!(plain, [value], "{name}");
        }
        assert!(!is_missing("|i1", json!({}), -127.0));
    }

    #[test]
    fn the_highest_bit_is_read_as_it_is_said() {
        let attributes =
            json!({"_Unsigned": "true", "_FillValue": -1, "valid_max": -3, "scale_factor": 2});
        let values = unpacked("|i1", attributes, false, &[5.0, -56.0, -1.0, -2.0]);
        assert_eq!(values[..2], [10.0, 400.0]);
        assert!(values[2].is_nan() && values[3].is_nan());
        let signed = unpacked("<u2", json!({"_Unsigned": "false"}), false, &[65535.0, 3.0]);
        assert_eq!(signed, [-1.0, 3.0]);
    }

    #[test]
    fn what_lies_outside_of_the_valid_range_is_missing() {
        for attributes in [
            json!({"valid_range": [-1.5, 100.1]}),
            json!({"valid_min": -1.5, "valid_max": 100.1}),
        ] {
            let edges = [-1.5, f64::from(100.1f32), -1.6, 101.0];
            let values = unpacked("<f4", attributes, false, &edges);
            assert_eq!(values[..2], edges[..2]);
            assert!(values[2].is_nan() && values[3].is_nan());
        }
    }

    #[test]
    fn a_scale_that_is_no_number_is_refused() {
        let number = Number::numpy("<i2").unwrap();
        for scale in [json!("a"), json!([1, 2]), json!("NaN"), json!(null)] {
            let attributes = json!({"scale_factor": scale});
            let refused = Packing::new(attributes.as_object().unwrap(), number, false);
            assert!(refused.unwrap_err().contains("scale_factor"));
        }
    }
}
