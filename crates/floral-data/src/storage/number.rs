//! The storage type of numbers in a file: kind, size and byte order, as described by NumPy, HDF5,
//! NetCDF and Zarr.

/// The kind of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// IEEE 754, of 16, 32 or 64 bits.
    Float,
    /// A signed integer.
    Signed,
    /// An unsigned integer or a boolean.
    Unsigned,
    /// Two floats: the real part, then the imaginary part.
    Complex,
}

/// The storage type of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Number {
    kind: Kind,
    size: usize,
    is_big_endian: bool,
}

impl Number {
    /// A number of `size` bytes; none if this size is not supported.
    pub fn new(kind: Kind, size: usize, is_big_endian: bool) -> Option<Self> {
        let is_known = match kind {
            Kind::Float => matches!(size, 2 | 4 | 8),
            Kind::Signed | Kind::Unsigned => matches!(size, 1 | 2 | 4 | 8),
            Kind::Complex => matches!(size, 8 | 16),
        };
        is_known.then_some(Self {
            kind,
            size,
            is_big_endian,
        })
    }

    /// The type with a NumPy name such as `<f4`.
    pub fn numpy(name: &str) -> Option<Self> {
        let (order, rest) = name.split_at_checked(1)?;
        let (kind, size) = rest.split_at_checked(1)?;
        let kind = match kind {
            "f" => Kind::Float,
            "i" => Kind::Signed,
            "u" | "b" => Kind::Unsigned,
            "c" => Kind::Complex,
            _ => return None,
        };
        // Numbers of one byte have no byte order: NumPy writes a bar.
        let is_big_endian = match order {
            "<" | "|" => false,
            ">" => true,
            _ => return None,
        };
        Self::new(kind, size.parse().ok()?, is_big_endian)
    }

    /// The type with a Zarr name such as `float32`; decoded values have the machine's byte order.
    pub fn zarr(name: &str) -> Option<Self> {
        let digits = name.find(|c: char| c.is_ascii_digit());
        let (kind, bits) = name.split_at(digits.unwrap_or(name.len()));
        let kind = match kind {
            "float" => Kind::Float,
            "int" => Kind::Signed,
            "uint" => Kind::Unsigned,
            "complex" => Kind::Complex,
            "bool" => return Self::new(Kind::Unsigned, 1, false),
            _ => return None,
        };
        let bits: usize = bits.parse().ok()?;
        Self::new(kind, bits / 8, cfg!(target_endian = "big"))
    }

    /// Bytes per number.
    pub fn size(self) -> usize {
        self.size
    }

    /// The kind of the number.
    pub fn kind(self) -> Kind {
        self.kind
    }

    /// The value rounded to a float of this type; integer types return the value itself.
    pub fn nearest(self, value: f64) -> f64 {
        match (self.kind, self.size) {
            (Kind::Float, 2) => {
                let exponent = value.abs().log2().floor().clamp(-14.0, 15.0);
                let step = (exponent - 10.0).exp2();
                (value / step).round_ties_even() * step
            }
            (Kind::Float, 4) | (Kind::Complex, 8) => f64::from(value as f32),
            _ => value,
        }
    }

    /// Whether it consists of two values.
    pub fn is_complex(self) -> bool {
        self.kind == Kind::Complex
    }

    /// Whether it has no more precision than a 32-bit float.
    pub fn is_coarse(self) -> bool {
        let bytes = if self.is_complex() { 8 } else { 4 };
        matches!(self.kind, Kind::Float | Kind::Complex) && self.size <= bytes
    }

    /// Appends the values of stored numbers; a complex number gives two values.
    pub fn append(self, bytes: &[u8], values: &mut Vec<f64>) {
        let big = self.is_big_endian;
        match (self.kind, self.size) {
            (Kind::Float, 2) => extend(values, bytes, big, half),
            (Kind::Float, 4) | (Kind::Complex, 8) => {
                extend(values, bytes, big, |w| f64::from(f32::from_le_bytes(w)));
            }
            (Kind::Float, _) | (Kind::Complex, _) => extend(values, bytes, big, f64::from_le_bytes),
            (Kind::Signed, 1) => extend(values, bytes, big, |w| f64::from(i8::from_le_bytes(w))),
            (Kind::Signed, 2) => extend(values, bytes, big, |w| f64::from(i16::from_le_bytes(w))),
            (Kind::Signed, 4) => extend(values, bytes, big, |w| f64::from(i32::from_le_bytes(w))),
            (Kind::Signed, _) => extend(values, bytes, big, |w| i64::from_le_bytes(w) as f64),
            (Kind::Unsigned, 1) => extend(values, bytes, big, |w: [u8; 1]| f64::from(w[0])),
            (Kind::Unsigned, 2) => extend(values, bytes, big, |w| f64::from(u16::from_le_bytes(w))),
            (Kind::Unsigned, 4) => extend(values, bytes, big, |w| f64::from(u32::from_le_bytes(w))),
            (Kind::Unsigned, _) => extend(values, bytes, big, |w| u64::from_le_bytes(w) as f64),
        }
    }
}

fn extend<const N: usize>(
    values: &mut Vec<f64>,
    bytes: &[u8],
    is_big_endian: bool,
    value: impl Fn([u8; N]) -> f64,
) {
    let words = bytes.as_chunks().0.iter().copied();
    values.extend(words.map(|mut word| {
        if is_big_endian {
            word.reverse();
        }
        value(word)
    }));
}

/// A 16-bit float: sign, 5 bits of exponent, 10 bits of fraction.
fn half(word: [u8; 2]) -> f64 {
    let bits = u16::from_le_bytes(word);
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let size = match exponent {
        0 => fraction * (-24f64).exp2(),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * f64::from(exponent - 25).exp2(),
    };
    if bits >> 15 == 1 { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(name: &str, bytes: &[u8]) -> Vec<f64> {
        let mut values = Vec::new();
        Number::numpy(name).unwrap().append(bytes, &mut values);
        values
    }

    #[test]
    fn every_kind_is_read_in_both_orders() {
        assert_eq!(values("|i1", &[0xff, 2]), [-1.0, 2.0]);
        assert_eq!(values("|u1", &[0xff, 2]), [255.0, 2.0]);
        assert_eq!(values("|b1", &[0, 1]), [0.0, 1.0]);
        assert_eq!(values(">i2", &[0xff, 0xfe]), [-2.0]);
        assert_eq!(values("<u2", &[1, 2]), [513.0]);
        assert_eq!(values("<i4", &(-7i32).to_le_bytes()), [-7.0]);
        assert_eq!(values(">u4", &7u32.to_be_bytes()), [7.0]);
        assert_eq!(values("<i8", &(-7i64).to_le_bytes()), [-7.0]);
        assert_eq!(values(">u8", &7u64.to_be_bytes()), [7.0]);
        assert_eq!(values(">f8", &0.1f64.to_be_bytes()), [0.1]);
        let complex = [1.5f32.to_le_bytes(), (-2.0f32).to_le_bytes()].concat();
        assert_eq!(values("<c8", &complex), [1.5, -2.0]);
        for (zarr, numpy) in [("float16", "<f2"), ("int64", "<i8"), ("bool", "|b1")] {
            assert_eq!(Number::zarr(zarr), Number::numpy(numpy));
        }
        assert_eq!(Number::zarr("complex64"), Number::numpy("<c8"));
        assert_eq!(Number::zarr("string"), None);
        for name in ["<U4", "<f16", "|O", "", "f4", "<M8[ns]"] {
            assert_eq!(Number::numpy(name), None, "{name}");
        }
    }

    /// Reference values from NumPy: `numpy.array([..], "<f2").tobytes()`.
    #[test]
    fn halves_are_those_of_the_standard() {
        let words: [(u16, f64); 7] = [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x0001, 5.960_464_477_539_063e-8),
            (0x3555, 0.333_251_953_125),
            (0xfc00, f64::NEG_INFINITY),
            (0x0000, 0.0),
        ];
        for (word, expected) in words {
            assert_eq!(values("<f2", &word.to_le_bytes()), [expected]);
        }
        assert!(values("<f2", &0x7e00u16.to_le_bytes())[0].is_nan());
    }
}
