//! One array in NumPy's format: a header in Python's notation, followed by the bytes.
//!
//! The format is specified in the documentation of `numpy.lib.format`, versions 1 to 3. It is
//! implemented here because existing crates need a parser generator for one line of header.

use std::io::{self, Read};

use crate::storage::Number;

const MAGIC: &[u8] = b"\x93NUMPY";

/// Largest size of a header, in bytes; NumPy writes about a hundred.
const LONGEST_HEADER: u32 = 1 << 16;

/// Largest number of values of an array, 2^29: 4 GiB in memory.
const LARGEST: u64 = 1 << 29;

/// Number of values read at a time.
const BLOCK: usize = 8192;

/// An array of numbers in C order, regardless of the order in the file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NpyArray {
    pub shape: Vec<usize>,
    pub values: Vec<f64>,
}

/// The contents of a file, according to its header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NpyContents {
    /// Numbers.
    Numbers(NpyHeader),
    /// Values of another type, such as texts, with the reason why they are not numbers.
    Other(String),
}

/// The header of a file of numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NpyHeader {
    pub number: Number,
    pub is_fortran: bool,
    pub shape: Vec<usize>,
    /// Size of the header itself, in bytes.
    pub length: u64,
}

impl NpyContents {
    /// Reads the header of a file of `size` bytes; an error describes what is wrong with the file.
    pub fn read(mut file: impl Read, size: u64) -> Result<Self, String> {
        let damaged = || "is no NumPy array, or damaged".to_owned();
        let (text, length) = header(&mut file).ok_or_else(damaged)?;
        let parsed = Parsed::of(&text).ok_or_else(damaged)?;
        let Some(number) = Number::numpy(parsed.data_type) else {
            return Ok(Self::Other(format!(
                "has values of type {}; convert them with .astype(\"float32\")",
                parsed.data_type
            )));
        };
        let shape = parsed.shape;
        let expected = shape
            .iter()
            .try_fold(number.size() as u64, |n, &m| n.checked_mul(m as u64));
        if expected != size.checked_sub(length) {
            let stored = size.saturating_sub(length) / number.size() as u64;
            return Err(format!(
                "has {stored} values, but the shape {shape:?}; is the file cut?"
            ));
        }
        Ok(Self::Numbers(NpyHeader {
            number,
            is_fortran: parsed.is_fortran,
            shape,
            length,
        }))
    }
}

impl NpyHeader {
    /// Number of values, if they are few enough to be held in memory.
    pub fn count(&self) -> Result<usize, String> {
        let count = self.shape.iter().product::<usize>();
        if count as u64 <= LARGEST {
            return Ok(count);
        }
        let shape = &self.shape;
        Err(format!(
            "has the shape {shape:?}, and at most {LARGEST} values are read; split it"
        ))
    }
}

impl NpyArray {
    /// The array in a file of `size` bytes, or what is wrong with it. The header is checked before
    /// any value is read.
    pub fn read(mut file: impl Read, size: u64) -> Result<Self, String> {
        let header = match NpyContents::read(&mut file, size)? {
            NpyContents::Numbers(header) => header,
            NpyContents::Other(reason) => return Err(reason),
        };
        let (count, number) = (header.count()?, header.number);
        if number.is_complex() {
            return Err("has complex values; give real and imaginary parts as two channels".into());
        }
        let values = values(&mut file, count, number)
            .map_err(|error| format!("cannot be read ({error})"))?;
        let shape = header.shape;
        let values = if header.is_fortran {
            transposed(&values, &shape)
        } else {
            values
        };
        Ok(Self { shape, values })
    }
}

/// The parsed header.
pub(super) struct Parsed<'a> {
    pub data_type: &'a str,
    is_fortran: bool,
    pub shape: Vec<usize>,
}

/// The text of the header, and its size in bytes including the preamble.
pub(super) fn header(file: &mut impl Read) -> Option<(String, u64)> {
    let start: [u8; 8] = bytes(file)?;
    let [version, _] = *start.strip_prefix(MAGIC)? else {
        return None;
    };
    let (length, before) = match version {
        1 => (u16::from_le_bytes(bytes(file)?).into(), 10),
        2 | 3 => (u32::from_le_bytes(bytes(file)?), 12),
        _ => return None,
    };
    if length > LONGEST_HEADER {
        return None;
    }
    let mut text = vec![0; length as usize];
    file.read_exact(&mut text).ok()?;
    Some((String::from_utf8(text).ok()?, before + u64::from(length)))
}

fn bytes<const N: usize>(file: &mut impl Read) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    file.read_exact(&mut bytes).ok()?;
    Some(bytes)
}

impl<'a> Parsed<'a> {
    /// Parses `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`.
    pub fn of(text: &'a str) -> Option<Self> {
        let after = |key: &str| {
            let (_, rest) = text.split_once(&format!("'{key}':"))?;
            Some(rest.trim_start())
        };
        let data_type = after("descr")?;
        let data_type = match data_type.strip_prefix('\'') {
            Some(quoted) => quoted.split_once('\'')?.0,
            None => "a record",
        };
        let (shape, _) = after("shape")?.strip_prefix('(')?.split_once(')')?;
        let lengths = shape.split(',').map(str::trim).filter(|n| !n.is_empty());
        Some(Self {
            data_type,
            is_fortran: after("fortran_order")?.starts_with("True"),
            shape: lengths.map(|n| n.parse().ok()).collect::<Option<_>>()?,
        })
    }
}

/// Reads `count` values, which must end the file.
fn values(file: &mut impl Read, count: usize, number: Number) -> io::Result<Vec<f64>> {
    // The list grows as values arrive: memory is not reserved for a declared count.
    let mut values = Vec::new();
    let mut block = vec![0; BLOCK * number.size()];
    while values.len() < count {
        let block = &mut block[..(count - values.len()).min(BLOCK) * number.size()];
        file.read_exact(block)?;
        number.append(block, &mut values);
    }
    // Reading past the end makes an archive verify its checksum.
    match file.read(&mut [0])? {
        0 => Ok(values),
        _ => Err(io::Error::other("it is longer than it says")),
    }
}

/// Reorders values from Fortran order to C order.
fn transposed(values: &[f64], shape: &[usize]) -> Vec<f64> {
    let place = |mut index: usize| {
        let mut place = 0;
        // The last index varies fastest in the result, and has the largest stride in the file.
        let mut stride = values.len();
        for &n in shape.iter().rev() {
            stride /= n;
            place += index % n * stride;
            index /= n;
        }
        place
    };
    (0..values.len())
        .map(|index| values[place(index)])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file in NumPy's format.
    fn file(descr: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
        let header =
            format!("{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
        let length = u16::try_from(header.len()).unwrap().to_le_bytes();
        [MAGIC, &[1, 0], &length, header.as_bytes(), data].concat()
    }

    fn bytes(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|v| v.to_le_bytes()).collect()
    }

    #[test]
    fn both_orders_and_byte_orders_give_the_same_array() {
        let rows = bytes(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let columns = bytes(&[1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
        let expected = NpyArray {
            shape: vec![2, 3],
            values: vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        };
        let parse = |file: Vec<u8>| NpyArray::read(&*file, file.len() as u64).unwrap();
        assert_eq!(parse(file("'<f4'", "False", "(2, 3)", &rows)), expected);
        assert_eq!(parse(file("'<f4'", "True", "(2, 3)", &columns)), expected);
        let big: Vec<u8> = expected
            .values
            .iter()
            .flat_map(|v| v.to_be_bytes())
            .collect();
        assert_eq!(parse(file("'>f8'", "False", "(2, 3)", &big)), expected);
        let one = parse(file("'<f4'", "False", "(1,)", &bytes(&[7.0])));
        assert_eq!((one.shape, one.values), (vec![1], vec![7.0]));
        let scalar = parse(file("'<f4'", "False", "()", &bytes(&[7.0])));
        assert_eq!((scalar.shape, scalar.values), (vec![], vec![7.0]));
    }

    #[test]
    fn other_types_and_damage_are_refused() {
        let refusal = |file: &[u8]| NpyArray::read(file, file.len() as u64).unwrap_err();
        let four = bytes(&[1.0; 4]);
        assert!(refusal(&file("'<U1'", "False", "(4,)", &four)).contains("<U1"));
        assert!(refusal(&file("'<c8'", "False", "(2,)", &four)).contains("two channels"));
        assert!(refusal(&file("[('a', '<f4')]", "False", "(4,)", &four)).contains("record"));
        assert!(refusal(&file("'<f4'", "False", "(5,)", &four)).contains("[5]"));
        let whole = file("'<f4'", "False", "(4,)", &four);
        for length in [0, 3, 7, 9, 30] {
            assert!(refusal(&whole[..length]).contains("damaged"), "{length}");
        }
    }

    /// The archive declares the size that the header requires, which is wrong.
    #[test]
    fn a_declared_size_takes_no_memory() {
        for (shape, values) in [
            ("(1, 1, 1152921504606846976)", 1u64 << 60),
            ("(536870913,)", (1 << 29) + 1),
        ] {
            let file = file("'<f4'", "False", shape, &bytes(&[1.0; 4]));
            let honest = NpyArray::read(&*file, file.len() as u64).unwrap_err();
            assert!(honest.contains("is the file cut?"), "{honest}");
            let size = file.len() as u64 - 16 + values * 4;
            let refusal = NpyArray::read(&*file, size).unwrap_err();
            assert!(refusal.contains("at most 536870912 values"), "{refusal}");
        }
        let overflow = file("'<f8'", "False", "(4294967296, 4294967296)", &[]);
        let refusal = NpyArray::read(&*overflow, overflow.len() as u64).unwrap_err();
        assert!(refusal.contains("is the file cut?"), "{refusal}");
        let absent = file("'<f8'", "False", "(536870912,)", &[0; 80]);
        let refusal = NpyArray::read(&*absent, absent.len() as u64 - 80 + (4 << 30)).unwrap_err();
        assert!(refusal.contains("cannot be read"), "{refusal}");
        let long = [MAGIC, &[2, 0], &u32::MAX.to_le_bytes()].concat();
        assert!(
            NpyArray::read(&*long, 1 << 33)
                .unwrap_err()
                .contains("damaged")
        );
    }
}
