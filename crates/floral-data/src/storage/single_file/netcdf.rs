//! Writes a group as classic NetCDF with 64-bit offsets, by the NetCDF Classic Format
//! Specification.
//!
//! It is implemented here because the libraries that write the format are in C: a header of
//! big-endian words, followed by the values.

use std::io::Write;

use serde_json::{Map, Number, Value};

use super::{Contents, Variable};
use crate::Result;

const DIMENSIONS: u32 = 10;
const VARIABLES: u32 = 11;
const ATTRIBUTES: u32 = 12;

/// Largest size of a variable in bytes: the format stores it in 32 bits.
const LARGEST: u64 = (1 << 32) - 4;

/// Storage types of values, with their codes in the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text = 2,
    Int = 4,
    Float = 5,
    Double = 6,
}

impl Kind {
    fn size(self) -> usize {
        match self {
            Self::Text => 1,
            Self::Int | Self::Float => 4,
            Self::Double => 8,
        }
    }

    fn bytes(self, values: &[f64]) -> Vec<u8> {
        let values = values.iter();
        match self {
            Self::Text => Vec::new(),
            Self::Int => values.flat_map(|v| (*v as i32).to_be_bytes()).collect(),
            Self::Float => values.flat_map(|v| (*v as f32).to_be_bytes()).collect(),
            Self::Double => values.flat_map(|v| v.to_be_bytes()).collect(),
        }
    }

    /// The storage type of an array: integers that exceed 32 bits are stored as doubles.
    fn of(variable: &Variable) -> Result<Self> {
        if !variable.is_whole() {
            return Ok(match variable.is_single() {
                true => Self::Float,
                false => Self::Double,
            });
        }
        for piece in variable.pieces() {
            if piece?.iter().any(|v| *v != f64::from(*v as i32)) {
                return Ok(Self::Double);
            }
        }
        Ok(Self::Int)
    }
}

/// A variable with its storage type and its offset in the file.
struct Placed<'a> {
    variable: &'a Variable,
    kind: Kind,
    begin: u64,
}

impl Placed<'_> {
    /// Size in bytes, padded to a multiple of four.
    fn size(&self) -> u64 {
        (self.variable.len() * self.kind.size()).next_multiple_of(4) as u64
    }
}

/// Writes the file.
pub(super) fn write(contents: &Contents, out: &mut impl Write) -> Result<()> {
    let dimensions = dimensions(contents);
    let mut placed = Vec::new();
    for variable in &contents.variables {
        let kind = Kind::of(variable)?;
        placed.push(Placed {
            variable,
            kind,
            begin: 0,
        });
    }
    if let Some(large) = placed.iter().find(|v| v.size() > LARGEST) {
        let name = &large.variable.name;
        return Err(contents.bad(format!(
            "the array {name} takes more than the 4 GiB of a NetCDF variable; keep fewer \
             realizations, or write .zarr or .npz"
        )));
    }
    // The length of the header does not depend on the offsets.
    let mut begin = header(contents, &dimensions, &placed).len() as u64;
    for variable in &mut placed {
        variable.begin = begin;
        begin += variable.size();
    }
    let header = header(contents, &dimensions, &placed);
    out.write_all(&header).map_err(contents.io())?;
    placed
        .iter()
        .try_for_each(|variable| values(contents, variable, out))
}

fn values(contents: &Contents, placed: &Placed<'_>, out: &mut impl Write) -> Result<()> {
    let mut written = 0;
    for piece in placed.variable.pieces() {
        let bytes = placed.kind.bytes(&piece?);
        written += bytes.len() as u64;
        out.write_all(&bytes).map_err(contents.io())?;
    }
    let rest = vec![0; (placed.size() - written) as usize];
    out.write_all(&rest).map_err(contents.io())
}

/// Every dimension and its length, in order of first use by the variables.
fn dimensions(contents: &Contents) -> Vec<(&str, usize)> {
    let mut found: Vec<(&str, usize)> = Vec::new();
    for variable in &contents.variables {
        let shape = variable.shape();
        for (name, length) in variable.dimensions.iter().zip(shape) {
            if !found.iter().any(|(known, _)| known == name) {
                found.push((name, length));
            }
        }
    }
    found
}

fn header(contents: &Contents, dimensions: &[(&str, usize)], placed: &[Placed<'_>]) -> Vec<u8> {
    let mut bytes = Bytes(b"CDF\x02".to_vec());
    // No dimension is unlimited, so there are no records.
    bytes.word(0);
    bytes.list(DIMENSIONS, dimensions.len());
    for (name, length) in dimensions {
        bytes.name(name);
        bytes.word(*length as u32);
    }
    bytes.attributes(&contents.attributes);
    bytes.list(VARIABLES, placed.len());
    for each in placed {
        bytes.variable(each, dimensions);
    }
    bytes.0
}

/// The header under construction.
struct Bytes(Vec<u8>);

impl Bytes {
    fn word(&mut self, word: u32) {
        self.0.extend(word.to_be_bytes());
    }

    /// Appends bytes, padded to a multiple of four.
    fn padded(&mut self, bytes: &[u8]) {
        self.0.extend(bytes);
        self.0.resize(self.0.len().next_multiple_of(4), 0);
    }

    fn name(&mut self, name: &str) {
        self.word(name.len() as u32);
        self.padded(name.as_bytes());
    }

    /// The tag and the length of a list; an empty list has no tag.
    fn list(&mut self, tag: u32, length: usize) {
        self.word(if length == 0 { 0 } else { tag });
        self.word(length as u32);
    }

    fn variable(&mut self, placed: &Placed<'_>, dimensions: &[(&str, usize)]) {
        let Placed {
            variable,
            kind,
            begin,
        } = placed;
        self.name(&variable.name);
        self.word(variable.dimensions.len() as u32);
        for name in &variable.dimensions {
            let index = dimensions.iter().position(|(known, _)| known == name);
            self.word(index.unwrap_or(0) as u32);
        }
        self.attributes(&variable.attributes);
        self.word(*kind as u32);
        self.word(placed.size() as u32);
        self.0.extend(begin.to_be_bytes());
    }

    fn attributes(&mut self, attributes: &Map<String, Value>) {
        self.list(ATTRIBUTES, attributes.len());
        for (name, value) in attributes {
            self.name(name);
            match Attribute::of(value) {
                Attribute::Text(text) => {
                    self.word(Kind::Text as u32);
                    self.name(&text);
                }
                Attribute::Numbers(kind, numbers) => {
                    self.word(kind as u32);
                    self.word(numbers.len() as u32);
                    self.padded(&kind.bytes(&numbers));
                }
            }
        }
    }
}

/// An attribute as text or numbers; other values are written as JSON text.
enum Attribute {
    Text(String),
    Numbers(Kind, Vec<f64>),
}

impl Attribute {
    fn of(value: &Value) -> Self {
        let numbers: Option<Vec<&Number>> = match value {
            Value::String(text) => return Self::Text(text.clone()),
            Value::Number(number) => Some(vec![number]),
            Value::Array(values) if !values.is_empty() => {
                values.iter().map(Value::as_number).collect()
            }
            _ => None,
        };
        let Some(numbers) = numbers else {
            return Self::Text(value.to_string());
        };
        let fits = |number: &&Number| number.as_i64().is_some_and(|n| i32::try_from(n).is_ok());
        let kind = match numbers.iter().all(fits) {
            true => Kind::Int,
            false => Kind::Double,
        };
        let numbers = numbers.iter().map(|n| n.as_f64().unwrap_or(f64::NAN));
        Self::Numbers(kind, numbers.collect())
    }
}
