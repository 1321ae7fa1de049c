//! Converts numbers and attributes of HDF5.

use hdf5_reader::error::{Error, Result};
use hdf5_reader::{Attribute, ByteOrder, Datatype, H5Type};
use serde_json::{Map, Value, json};

use crate::storage::{Kind, Number};

/// Attributes used internally by the format.
const INTERNAL: [&str; 7] = [
    "CLASS",
    "NAME",
    "DIMENSION_LIST",
    "DIMENSION_LABELS",
    "REFERENCE_LIST",
    "_Netcdf4Dimid",
    "_Netcdf4Coordinates",
];

/// The storage type of numbers; none if the type is not numeric.
pub(super) fn number(datatype: &Datatype) -> Option<Number> {
    let is_big = |order: &ByteOrder| *order == ByteOrder::BigEndian;
    match datatype {
        Datatype::FloatingPoint { size, byte_order } => {
            Number::new(Kind::Float, (*size).into(), is_big(byte_order))
        }
        Datatype::FixedPoint {
            size,
            signed,
            byte_order,
        } => {
            let kind = if *signed {
                Kind::Signed
            } else {
                Kind::Unsigned
            };
            Number::new(kind, (*size).into(), is_big(byte_order))
        }
        // Booleans of h5py.
        Datatype::Enum { base, .. } => number(base),
        Datatype::Compound { size, fields } => {
            let [real, imaginary] = &fields[..] else {
                return None;
            };
            let names = [real.name.as_str(), imaginary.name.as_str()];
            let is_complex = matches!(names, ["r", "i"] | ["real", "imag"])
                && real.datatype == imaginary.datatype
                && real.byte_offset == 0
                && imaginary.byte_offset * 2 == *size;
            let Datatype::FloatingPoint { byte_order, .. } = &real.datatype else {
                return None;
            };
            let size = usize::try_from(*size).ok().filter(|_| is_complex)?;
            Number::new(Kind::Complex, size, is_big(byte_order))
        }
        _ => None,
    }
}

/// The parts of a number: one for a real number, two for a complex one.
#[derive(Clone)]
pub(super) struct Parts<const N: usize>(pub [f64; N]);

impl<const N: usize> H5Type for Parts<N> {
    fn hdf5_type() -> Datatype {
        Datatype::FloatingPoint {
            size: 8,
            byte_order: ByteOrder::LittleEndian,
        }
    }

    fn from_bytes(bytes: &[u8], datatype: &Datatype) -> Result<Self> {
        let values = decoded(bytes, datatype)?;
        let parts = values.first_chunk().map(|parts| Self(*parts));
        parts.ok_or_else(|| Error::InvalidData("too few bytes for a number".into()))
    }

    fn element_size(datatype: &Datatype) -> usize {
        number(datatype).map_or(0, Number::size)
    }

    fn decode_vec(raw: &[u8], datatype: &Datatype, count: usize) -> Option<Result<Vec<Self>>> {
        Some(decoded(raw, datatype).map(|values| {
            let numbers = values.as_chunks().0.iter().map(|parts| Self(*parts));
            numbers.take(count).collect()
        }))
    }
}

fn decoded(bytes: &[u8], datatype: &Datatype) -> Result<Vec<f64>> {
    let number = number(datatype).ok_or_else(|| Error::InvalidData("no number".into()))?;
    let mut values = Vec::new();
    number.append(bytes, &mut values);
    Ok(values)
}

/// Attributes as texts, numbers and lists of them; others are ignored.
pub(super) fn attributes(list: &[Attribute]) -> Map<String, Value> {
    list.iter()
        .filter(|attribute| !INTERNAL.contains(&attribute.name.as_str()))
        .filter_map(|attribute| Some((attribute.name.clone(), value(attribute)?)))
        .collect()
}

fn value(attribute: &Attribute) -> Option<Value> {
    let is_scalar = attribute.shape.is_empty() || attribute.shape == [1];
    if let Some(number) = number(&attribute.datatype) {
        let mut values = Vec::new();
        number.append(&attribute.raw_data, &mut values);
        return match values[..] {
            [one] if is_scalar => Some(json!(one)),
            _ => Some(json!(values)),
        };
    }
    let texts = attribute.read_strings().ok();
    let texts = texts.or_else(|| attribute.read_string().ok().map(|text| vec![text]))?;
    match &texts[..] {
        [one] if is_scalar => Some(json!(one)),
        _ => Some(json!(texts)),
    }
}
