//! NetCDF's classic format and its two extensions: CDF-1, CDF-2 (64-bit offsets) and CDF-5.
//!
//! The format is specified in the NetCDF User's Guide, appendix B. It is implemented here because
//! existing crates are far longer than the format. NetCDF 4 is HDF5 and is read by `hdf5.rs`.

use std::fs::File;
use std::io::{BufReader, Read};
use std::ops::Range;
use std::path::Path;

use super::beside::MOST_LABELS;
use super::bytes::Bytes;
use super::netcdf_header::{NetcdfHeader, Record};
use super::strided::Strided;
use super::{Beside, Source, Stored, Unread, Values, Variable};
use crate::storage::{Kind, Number};
use crate::{Error, Result};

/// Largest size of a header, in bytes.
const LONGEST_HEADER: u64 = 1 << 26;

/// Largest length of a label, in characters.
const LONGEST_LABEL: usize = 1 << 12;

/// Reads the header; lists of texts are stored as `beside`.
pub(super) fn open(path: &Path) -> Result<Source> {
    let file = File::open(path).map_err(Error::io(path))?;
    let size = file.metadata().map_err(Error::io(path))?.len();
    let header = NetcdfHeader::read(BufReader::new(&file).take(LONGEST_HEADER));
    let header = header.ok_or_else(|| Error::bad_file(path, "is no NetCDF file, or damaged"))?;
    let records = header.records(size);
    let (mut variables, mut places) = (Vec::new(), Vec::new());
    let (bytes, mut beside) = (Bytes::of(file), Beside::default());
    for record in &header.variables {
        let Some((variable, place)) = opened(record, &header, records) else {
            let texts = texts(record, &header, records, &bytes);
            beside.label(&record.name, texts.unwrap_or_default());
            continue;
        };
        check_end(path, &variable, &place, size)?;
        variables.push(variable);
        places.push(place);
    }
    let groups = [(String::new(), header.attributes)].into();
    let file = bytes;
    Ok(Source {
        groups,
        beside,
        has_defaults: true,
        ..Source::new(path, "NetCDF 3", variables, Places { file, places })
    })
}

/// The location of each variable's numbers in the file.
struct Places {
    file: Bytes,
    places: Vec<Strided>,
}

/// A variable of numbers and its location.
fn opened(record: &Record, header: &NetcdfHeader, records: u64) -> Option<(Variable, Strided)> {
    let number = record.number?;
    let shape = header.shape(record, records)?;
    let is_record = header.is_record(record);
    // The values of one record of a variable are contiguous; records of the variable are not.
    let inner = if is_record { &shape[1..] } else { &shape[..] };
    let mut place = Strided::dense(number, record.begin, inner, false);
    if is_record {
        place.strides.insert(0, header.record_size());
    }
    let name = |&id: &usize| header.dimensions.get(id).map(|(name, _)| name.clone());
    let dimensions = record.dimensions.iter().map(name).collect();
    let attributes = record.attributes.clone();
    let variable = Variable::new(&record.name, shape, dimensions, attributes, number);
    Some((variable, place))
}

/// The texts of a list, stored as [text, character].
fn texts(
    record: &Record,
    header: &NetcdfHeader,
    records: u64,
    file: &Bytes,
) -> Option<Vec<String>> {
    let shape = header.shape(record, records)?;
    let [count, length] = shape[..] else {
        return None;
    };
    let is_short = count <= MOST_LABELS && length <= LONGEST_LABEL;
    if record.number.is_some() || header.is_record(record) || !is_short {
        return None;
    }
    let byte = Number::new(Kind::Unsigned, 1, false)?;
    let place = Strided::dense(byte, record.begin, &shape, false);
    let values = place.read(file, &[0..count, 0..length]).ok()?;
    let text = |list: &[f64]| {
        let bytes: Vec<u8> = list.iter().map(|value| *value as u8).collect();
        String::from_utf8_lossy(&bytes)
            .trim_end_matches('\0')
            .to_owned()
    };
    Some(values.chunks_exact(length.max(1)).map(text).collect())
}

/// Refuses a variable that extends beyond the end of the file.
fn check_end(path: &Path, variable: &Variable, place: &Strided, size: u64) -> Result<()> {
    if variable.shape.contains(&0) {
        return Ok(());
    }
    let bytes = place.number.size() as u64;
    let along = variable.shape.iter().zip(&place.strides);
    let end = along.fold(place.start.checked_add(bytes), |end, (&n, &stride)| {
        end?.checked_add((n as u64 - 1).checked_mul(stride)?)
    });
    if end.is_some_and(|end| end <= size) {
        return Ok(());
    }
    let (name, shape) = (&variable.name, &variable.shape);
    let reason = format!(
        "the variable {name} of shape {shape:?} extends beyond the end of the file; is it truncated?"
    );
    Err(Error::bad_file(path, reason))
}

impl Values for Places {
    fn stored(&self, variable: usize, ranges: &[Range<usize>]) -> Stored {
        let read = self.places[variable].read(&self.file, ranges);
        read.map_err(Unread::from)
    }
}
