//! Named values, and decoding of numbers from bytes.

use crate::Error;
use crate::error::format;

/// A named array of numbers, [rows, components].
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// The name.
    pub name: String,
    /// Numbers per row: 1 for a scalar, 3 for a VTK vector.
    pub components: usize,
    /// The numbers, one row after another.
    pub values: Vec<f64>,
}

impl Array {
    /// An array of one component.
    pub fn scalar(name: impl Into<String>, values: Vec<f64>) -> Self {
        Self {
            name: name.into(),
            components: 1,
            values,
        }
    }
}

/// The number types of VTK and Gmsh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Number {
    /// The type with this name in VTK's legacy or XML files, in upper or lower case.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "int8" | "char" | "signed_char" => Self::I8,
            "uint8" | "unsigned_char" => Self::U8,
            "int16" | "short" => Self::I16,
            "uint16" | "unsigned_short" => Self::U16,
            // vtkIdType is written with 32 bits.
            "int32" | "int" | "vtkidtype" => Self::I32,
            "uint32" | "unsigned_int" => Self::U32,
            "int64" | "long" | "vtktypeint64" | "long_long" => Self::I64,
            "uint64" | "unsigned_long" | "vtktypeuint64" => Self::U64,
            "float32" | "float" => Self::F32,
            "float64" | "double" => Self::F64,
            _ => return None,
        })
    }

    /// Bytes per number.
    pub(crate) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    /// Numbers decoded from bytes; an incomplete number at the end is ignored.
    pub(crate) fn decode(self, bytes: &[u8], big: bool) -> Vec<f64> {
        let size = self.size();
        let one = |chunk: &[u8]| {
            let mut low = [0; 8];
            for (to, from) in low.iter_mut().zip(0..size) {
                *to = chunk[if big { size - 1 - from } else { from }];
            }
            self.value(u64::from_le_bytes(low))
        };
        bytes.chunks_exact(size).map(one).collect()
    }

    /// The number in the low bytes of `bits`; the casts keep these bytes and interpret their sign.
    fn value(self, bits: u64) -> f64 {
        match self {
            Self::I8 => f64::from(bits as i8),
            Self::I16 => f64::from(bits as i16),
            Self::I32 => f64::from(bits as i32),
            Self::I64 => bits as i64 as f64,
            Self::U8 | Self::U16 | Self::U32 | Self::U64 => bits as f64,
            Self::F32 => f64::from(f32::from_bits(bits as u32)),
            Self::F64 => f64::from_bits(bits),
        }
    }
}

/// Converts numbers to indices or counts.
pub(crate) fn indices(values: &[f64], what: &str) -> Result<Vec<usize>, Error> {
    let index = |(i, &value): (usize, &f64)| {
        if value >= 0.0 && value < 2f64.powi(53) && value.fract() == 0.0 {
            Ok(value as usize)
        } else {
            Err(format(format!(
                "entry {i} of {what} is {value}, not an index; the file is damaged"
            )))
        }
    };
    values.iter().enumerate().map(index).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_both_byte_orders() {
        assert_eq!(Number::I16.decode(&[0xff, 0xfe], true), [-2.0]);
        assert_eq!(Number::I16.decode(&[0xfe, 0xff, 7], false), [-2.0]);
        assert_eq!(Number::F64.decode(&1.5f64.to_be_bytes(), true), [1.5]);
        assert_eq!(Number::F32.decode(&1.5f32.to_le_bytes(), false), [1.5]);
        assert_eq!(Number::U8.decode(&[255], false), [255.0]);
        assert_eq!(Number::I64.decode(&(-3i64).to_be_bytes(), true), [-3.0]);
    }
}
