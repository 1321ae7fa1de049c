//! The header of a NetCDF file in the classic format: dimensions, attributes, variables.

use std::io::Read;

use serde_json::{Map, Value, json};

use crate::storage::{Kind, Number};

/// Tags of the three lists.
const DIMENSIONS: u32 = 0x0a;
const VARIABLES: u32 = 0x0b;
const ATTRIBUTES: u32 = 0x0c;

/// The type code of texts.
const CHARACTERS: u32 = 2;

/// Largest size of a name or text, in bytes.
const LONGEST_TEXT: u64 = 1 << 20;

/// The contents of the header.
pub(super) struct NetcdfHeader {
    /// Number of records; none if unknown to the writer.
    written: Option<u64>,
    /// Names and lengths of dimensions; the record dimension has length zero.
    pub dimensions: Vec<(String, u64)>,
    /// Global attributes.
    pub attributes: Map<String, Value>,
    /// The variables.
    pub variables: Vec<Record>,
}

/// A variable.
pub(super) struct Record {
    pub name: String,
    /// Indices into the list of dimensions.
    pub dimensions: Vec<usize>,
    pub attributes: Map<String, Value>,
    /// The storage type of its numbers; none for characters.
    pub number: Option<Number>,
    /// Offset of its first value.
    pub begin: u64,
}

impl NetcdfHeader {
    /// Reads a header from the start of a file; none if it is not one.
    pub fn read(file: impl Read) -> Option<Self> {
        let mut file = Words { file, version: 0 };
        let magic: [u8; 4] = file.bytes()?;
        file.version = match magic {
            [b'C', b'D', b'F', version @ (1 | 2 | 5)] => version,
            _ => return None,
        };
        let written = file.count()?;
        let unknown = if file.version == 5 {
            u64::MAX
        } else {
            u64::from(u32::MAX)
        };
        Some(Self {
            written: (written != unknown).then_some(written),
            dimensions: file.list(DIMENSIONS, |file| Some((file.text()?, file.count()?)))?,
            attributes: file.attributes()?,
            variables: file.list(VARIABLES, Words::variable)?,
        })
    }

    /// Whether a variable is stored record by record.
    pub fn is_record(&self, variable: &Record) -> bool {
        let first = variable.dimensions.first();
        let first = first.and_then(|&id| self.dimensions.get(id));
        first.is_some_and(|(_, length)| *length == 0)
    }

    /// The shape of a variable; none if it refers to a missing dimension.
    pub fn shape(&self, variable: &Record, records: u64) -> Option<Vec<usize>> {
        let lengths = variable.dimensions.iter().enumerate().map(|(i, &id)| {
            let (_, length) = self.dimensions.get(id)?;
            // Only the first dimension may be the record dimension.
            let length = if i == 0 && *length == 0 {
                records
            } else {
                *length
            };
            usize::try_from(length).ok()
        });
        lengths.collect()
    }

    /// Bytes between successive records.
    pub fn record_size(&self) -> u64 {
        let of_records = self.variables.iter().filter(|v| self.is_record(v));
        let sizes: Vec<u64> = of_records.map(|v| self.size_in_record(v)).collect();
        match sizes[..] {
            // If there is a single record variable, its records are not padded.
            [one] => one,
            _ => sizes.iter().fold(0, |sum: u64, size| {
                sum.saturating_add(size.div_ceil(4).saturating_mul(4))
            }),
        }
    }

    /// Number of records in a file of this size.
    pub fn records(&self, size: u64) -> u64 {
        let begins = self.variables.iter().filter(|v| self.is_record(v));
        let first = begins.map(|v| v.begin).min().unwrap_or(size);
        let stored = size.saturating_sub(first) / self.record_size().max(1);
        self.written.unwrap_or(stored)
    }

    fn size_in_record(&self, variable: &Record) -> u64 {
        let bytes = variable.number.map_or(1, Number::size) as u64;
        let inner = variable.dimensions.iter().skip(1);
        let lengths = inner.map(|&id| self.dimensions.get(id).map_or(0, |(_, n)| *n));
        lengths.fold(bytes, u64::saturating_mul)
    }
}

/// The words of a header, big-endian.
struct Words<R> {
    file: R,
    version: u8,
}

impl<R: Read> Words<R> {
    fn bytes<const N: usize>(&mut self) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        self.file.read_exact(&mut bytes).ok()?;
        Some(bytes)
    }

    fn word(&mut self) -> Option<u32> {
        self.bytes().map(u32::from_be_bytes)
    }

    /// A count: 64 bits in CDF-5, else 32.
    fn count(&mut self) -> Option<u64> {
        match self.version {
            5 => self.bytes().map(u64::from_be_bytes),
            _ => self.word().map(u64::from),
        }
    }

    /// Reads `length` bytes, padded to whole words.
    fn padded(&mut self, length: u64) -> Option<Vec<u8>> {
        if length > LONGEST_TEXT {
            return None;
        }
        let mut bytes = vec![0; length.div_ceil(4) as usize * 4];
        self.file.read_exact(&mut bytes).ok()?;
        bytes.truncate(length as usize);
        Some(bytes)
    }

    fn text(&mut self) -> Option<String> {
        let length = self.count()?;
        String::from_utf8(self.padded(length)?).ok()
    }

    /// A list of entries under a tag; an absent list is two zeros.
    fn list<T>(&mut self, tag: u32, entry: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let (found, count) = (self.word()?, self.count()?);
        if found != tag && (found, count) != (0, 0) {
            return None;
        }
        // The list grows entry by entry: memory is not reserved for a declared count.
        let mut entries = Vec::new();
        for _ in 0..count {
            entries.push(entry(self)?);
        }
        Some(entries)
    }

    fn attributes(&mut self) -> Option<Map<String, Value>> {
        let list = self.list(ATTRIBUTES, |file| {
            let (name, kind) = (file.text()?, file.word()?);
            let count = file.count()?;
            let number = number(kind);
            let bytes = file.padded(count.checked_mul(number.map_or(1, Number::size) as u64)?)?;
            Some((name, value(number, &bytes)))
        })?;
        Some(list.into_iter().collect())
    }

    fn variable(&mut self) -> Option<Record> {
        let name = self.text()?;
        let rank = self.count()?;
        let mut dimensions = Vec::new();
        for _ in 0..rank {
            dimensions.push(usize::try_from(self.count()?).ok()?);
        }
        let attributes = self.attributes()?;
        let kind = self.word()?;
        // The size that follows overflows for large variables, and is redundant.
        self.count()?;
        let begin = match self.version {
            1 => self.word()?.into(),
            _ => self.bytes().map(u64::from_be_bytes)?,
        };
        Some(Record {
            name,
            dimensions,
            attributes,
            number: number(kind),
            begin,
        })
    }
}

fn number(kind: u32) -> Option<Number> {
    let (kind, size) = match kind {
        CHARACTERS => return None,
        1 => (Kind::Signed, 1),
        3 => (Kind::Signed, 2),
        4 => (Kind::Signed, 4),
        5 => (Kind::Float, 4),
        6 => (Kind::Float, 8),
        7 => (Kind::Unsigned, 1),
        8 => (Kind::Unsigned, 2),
        9 => (Kind::Unsigned, 4),
        10 => (Kind::Signed, 8),
        11 => (Kind::Unsigned, 8),
        _ => return None,
    };
    Number::new(kind, size, true)
}

/// An attribute: a text, a number or a list of numbers.
fn value(number: Option<Number>, bytes: &[u8]) -> Value {
    let Some(number) = number else {
        return json!(String::from_utf8_lossy(bytes).trim_end_matches('\0'));
    };
    let mut values = Vec::new();
    number.append(bytes, &mut values);
    match values[..] {
        [one] => json!(one),
        _ => json!(values),
    }
}
