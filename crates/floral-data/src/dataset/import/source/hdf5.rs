//! HDF5, and therefore NetCDF 4: groups of arrays. The netCDF library and h5py name dimensions by
//! scales.
//!
//! Read by the crate `hdf5-reader`, written in Rust: it supports every chunk layout and index,
//! deflate, shuffle and Fletcher-32. It is maintained, tested against the C library and bounded on
//! hostile files. The C library would have to be built from source or installed.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use hdf5_reader::group::Group;
use hdf5_reader::storage::FileStorage;
use hdf5_reader::{Dataset, Datatype, Hdf5File, OpenOptions, SliceInfo, SliceInfoElem};

use super::beside::MOST_LABELS;
use super::hdf5_values::{Parts, attributes, number};
use super::links::{LeadingOut, unfollowed};
use super::{Beside, Groups, MOST_ARRAYS, Source, Stored, Unread, Values, Variable, leaf};
use crate::storage::Number;
use crate::{Error, Result};

/// Largest depth of nested groups.
const DEEPEST: usize = 32;

/// Bound on the ratio of contents to file size: deflate compresses at most 1032 times.
const LARGEST_RATIO: u64 = 1100;

/// Largest size of a list of texts, in bytes.
const LONGEST_LIST: u64 = 1 << 24;
/// Prefix of the name of a netCDF scale that represents a dimension without coordinates.
const NO_COORDINATES: &str = "This is a netCDF dimension but not a netCDF variable";

/// Prefix that netCDF adds to a variable that has the name of a dimension which is not its first.
const OTHER_THAN_DIMENSION: &str = "_nc4_non_coord_";

/// NetCDF's attribute for the dimension number of a scale, and for the dimension numbers of an
/// array that is itself a scale.
const DIMENSION: &str = "_Netcdf4Dimid";
const DIMENSIONS: &str = "_Netcdf4Coordinates";

/// Reads the groups of a file; arrays that are not numbers are stored as `beside`.
pub(super) fn open(path: &Path) -> Result<Source> {
    // Reads ranges of the file: a memory map would crash the program if another process truncated
    // the file.
    let file = std::fs::File::open(path).map_err(Error::io(path))?;
    let size = file.metadata().map_err(Error::io(path))?.len();
    let mut walk = Walk::default();
    walk_file(file, &mut walk).map_err(|refused| refused.about(path))?;
    let names = Names::of(&walk.arrays);
    let root = walk.groups.get("");
    let is_netcdf = root.is_some_and(|root| root.contains_key("_NCProperties"))
        || walk.arrays.iter().any(|(_, array)| is_of_netcdf(array));
    let (mut variables, mut arrays) = (Vec::new(), Vec::new());
    for (name, array) in walk.arrays {
        let number = number(array.dtype());
        let Some(variable) = number.and_then(|n| variable(&name, &array, n, &names)) else {
            other(&name, &array, &mut walk.beside);
            continue;
        };
        check_size(path, &variable, &array, size)?;
        variables.push(variable);
        arrays.push(array);
    }
    let format = if is_netcdf { "NetCDF 4" } else { "HDF5" };
    Ok(Source {
        groups: walk.groups,
        beside: walk.beside,
        has_defaults: is_netcdf,
        ..Source::new(path, format, variables, Datasets(arrays))
    })
}

/// The arrays of numbers.
struct Datasets(Vec<Dataset>);

/// The reason why a file is refused.
enum Refused {
    /// The error of the reader.
    Reader(hdf5_reader::error::Error),
    /// The file is shorter than its header declares.
    Cut { size: u64, declared: u64 },
    /// A link points to another file.
    LeadsOut(String),
}

impl From<hdf5_reader::error::Error> for Refused {
    fn from(error: hdf5_reader::error::Error) -> Self {
        Self::Reader(error)
    }
}

impl Refused {
    fn about(self, path: &Path) -> Error {
        use hdf5_reader::error::Error::{UnsupportedLayoutClass, UnsupportedLayoutVersion};
        let reason = match self {
            Self::Reader(error @ (UnsupportedLayoutClass(_) | UnsupportedLayoutVersion(_))) => {
                format!("cannot be read ({error}); repack it with h5repack or h5py")
            }
            Self::Reader(error) => format!("is no HDF5 file, or damaged ({error})"),
            Self::Cut { size, declared } => {
                format!("is truncated: it has {size} of {declared} bytes")
            }
            Self::LeadsOut(other) => format!(
                "one of its links leads to the file {other}, which is not followed; copy what it \
                 leads to into one file"
            ),
        };
        Error::bad_file(path, reason)
    }
}

/// The arrays and groups of a file, collected recursively.
#[derive(Default)]
struct Walk {
    groups: Groups,
    arrays: Vec<(String, Dataset)>,
    beside: Beside,
    /// Other files that named links point to.
    named: HashSet<String>,
    seen: HashSet<u64>,
}

fn walk_file(file: std::fs::File, walk: &mut Walk) -> std::result::Result<(), Refused> {
    let storage = Arc::new(FileStorage::from_file(file)?);
    let leading_out = LeadingOut::default();
    let options = OpenOptions::default().with_external_link_resolver(Arc::new(leading_out.clone()));
    let file = Hdf5File::from_storage_with_options(storage, options)?;
    let (declared, size) = (file.superblock().eof_address, file.storage().len());
    if declared > size {
        return Err(Refused::Cut { size, declared });
    }
    walk.group("", &file.root_group()?, 0)?;
    let mut unnamed = leading_out.files().into_iter();
    match unnamed.find(|file| !walk.named.contains(file)) {
        None => Ok(()),
        Some(other) => Err(Refused::LeadsOut(other)),
    }
}

impl Walk {
    fn group(&mut self, path: &str, group: &Group, depth: usize) -> hdf5_reader::error::Result<()> {
        // A link may point back to a group above.
        if depth > DEEPEST || !self.seen.insert(group.address()) {
            return Ok(());
        }
        self.groups
            .insert(path.to_owned(), attributes(&group.attributes()?));
        let (groups, arrays) = group.members()?;
        let join = |name: &str| {
            let own = leaf(name);
            let own = own.strip_prefix(OTHER_THAN_DIMENSION).unwrap_or(own);
            match path {
                "" => own.to_owned(),
                _ => format!("{path}/{own}"),
            }
        };
        let members: Vec<&str> = groups.iter().map(Group::name).collect();
        let members = members.into_iter().chain(arrays.iter().map(Dataset::name));
        let members: Vec<&str> = members.map(leaf).collect();
        for link in unfollowed(group, &members) {
            self.beside.unreadable(&join(&link.name), link.why);
            self.named.extend(link.file);
        }
        for array in arrays {
            self.arrays.push((join(array.name()), array));
        }
        for inner in groups {
            if self.arrays.len() + self.groups.len() > MOST_ARRAYS {
                break;
            }
            self.group(&join(inner.name()), &inner, depth + 1)?;
        }
        Ok(())
    }
}

/// An array of numbers; none if it only represents a dimension.
fn variable(name: &str, array: &Dataset, number: Number, names: &Names) -> Option<Variable> {
    let found = array.attributes();
    let text = |key: &str| {
        let attribute = found.iter().find(|attribute| attribute.name == key)?;
        attribute.read_string().ok()
    };
    let is_scale = text("CLASS").is_some_and(|class| class == "DIMENSION_SCALE");
    if is_scale && text("NAME").is_some_and(|name| name.starts_with(NO_COORDINATES)) {
        return None;
    }
    let shape: Option<Vec<usize>> = array.shape().iter().map(|&n| n.try_into().ok()).collect();
    let shape = shape?;
    let dimensions = match shape.len() {
        1 if is_scale => vec![Some(leaf(name).to_owned())],
        rank => scales(array, rank, names),
    };
    Some(Variable::new(
        name,
        shape,
        dimensions,
        attributes(&found),
        number,
    ))
}

/// Whether the netCDF library wrote an array; its older versions leave no mark on the file.
fn is_of_netcdf(array: &Dataset) -> bool {
    !numbers(array, DIMENSION).is_empty()
}

/// The names of scales, by address and by netCDF's dimension number.
struct Names {
    by_address: HashMap<u64, String>,
    by_number: HashMap<u64, String>,
}

impl Names {
    fn of(arrays: &[(String, Dataset)]) -> Self {
        let name = |name: &String| leaf(name).to_owned();
        let addresses = arrays.iter().map(|(n, array)| (array.address(), name(n)));
        let scales = arrays
            .iter()
            .filter(|(_, array)| array.attribute("CLASS").is_ok());
        let numbers = scales.filter_map(|(n, array)| {
            let number = *numbers(array, DIMENSION).first()?;
            Some((number, name(n)))
        });
        Self {
            by_address: addresses.collect(),
            by_number: numbers.collect(),
        }
    }
}

/// The integers of an attribute; empty if it is absent.
fn numbers(array: &Dataset, attribute: &str) -> Vec<u64> {
    let mut values = Vec::new();
    if let Ok(attribute) = array.attribute(attribute)
        && let Some(number) = number(&attribute.datatype)
    {
        number.append(&attribute.raw_data, &mut values);
    }
    values.into_iter().map(|value| value as u64).collect()
}

/// Handles an array that is not numeric: a list of texts may be labels, single texts are ignored,
/// and anything else is recorded as unreadable.
fn other(name: &str, array: &Dataset, beside: &mut Beside) {
    if number(array.dtype()).is_some() {
        // It represents a dimension without coordinates.
        return;
    }
    // Declared elements may take no space in the file, so the size is bounded before reading.
    let count = array.num_elements().unwrap_or(u64::MAX);
    let bytes = count.saturating_mul(array.raw_element_size().unwrap_or(usize::MAX) as u64);
    let is_short = count <= MOST_LABELS as u64 && bytes <= LONGEST_LIST;
    let texts = is_short.then(|| array.read_strings().ok()).flatten();
    match (array.dtype(), texts) {
        (_, Some(texts)) if array.ndim() == 1 => beside.label(name, texts),
        (Datatype::String { .. }, Some(letters)) if array.ndim() == 2 => {
            beside.label(name, joined(&letters, array.shape()));
        }
        (_, Some(_)) | (Datatype::String { .. }, None) => {}
        (Datatype::Compound { .. }, None) => {
            beside.unreadable(name, "holds records of several values");
        }
        (Datatype::VarLen { .. }, None) => {
            beside.unreadable(name, "holds lists of unlike lengths");
        }
        _ => beside.unreadable(name, "holds something else than numbers"),
    }
}

/// Texts of an array [text, character], as netCDF stores them without a string type.
fn joined(letters: &[String], shape: &[u64]) -> Vec<String> {
    let length = shape.last().map_or(1, |n| (*n).max(1) as usize);
    let texts = letters.chunks_exact(length);
    texts.map(|text| text.concat()).collect()
}

/// The names of dimensions: those of their scales, else their labels.
fn scales(array: &Dataset, rank: usize, names: &Names) -> Vec<Option<String>> {
    let labels = array.attribute("DIMENSION_LABELS").ok();
    let labels = labels.and_then(|labels| labels.read_strings().ok());
    let label = |i: usize| {
        let label = labels.as_ref()?.get(i)?.trim();
        (!label.is_empty()).then(|| label.to_owned())
    };
    let list = array.attribute("DIMENSION_LIST").ok();
    let scale = |i: usize| {
        let width = array.vlen_reference_size();
        let entry = list.as_ref()?.raw_data.get(i * width..)?.get(..width)?;
        // An entry is a 4-byte length, the address, and a 4-byte index.
        let address = width.checked_sub(8)?;
        let object = array.resolve_vlen_reference_bytes(entry, address).ok()?;
        let addresses =
            hdf5_reader::reference::read_object_references(&object, address.try_into().ok()?);
        names.by_address.get(addresses.ok()?.first()?).cloned()
    };
    let own = numbers(array, DIMENSIONS);
    let dimension = |i: usize| names.by_number.get(own.get(i)?).cloned();
    let name = |i: usize| scale(i).or_else(|| dimension(i)).or_else(|| label(i));
    (0..rank).map(name).collect()
}

/// Refuses an array too large for a file of this size: its values would be mostly made up.
fn check_size(path: &Path, variable: &Variable, array: &Dataset, size: u64) -> Result<()> {
    let element = array.raw_element_size().unwrap_or(8) as u64;
    let bytes = array
        .shape()
        .iter()
        .try_fold(element, |n, m| n.checked_mul(*m));
    if bytes.is_some_and(|bytes| bytes / LARGEST_RATIO <= size) {
        return Ok(());
    }
    let (name, shape) = (&variable.name, &variable.shape);
    Err(Error::bad_file(
        path,
        format!("the array {name} of shape {shape:?} cannot be stored in {size} bytes"),
    ))
}

impl Values for Datasets {
    fn stored(&self, variable: usize, ranges: &[Range<usize>]) -> Stored {
        let array = &self.0[variable];
        let slice = |range: &Range<usize>| SliceInfoElem::Slice {
            start: range.start as u64,
            end: range.end as u64,
            step: 1,
        };
        let selection = SliceInfo {
            selections: ranges.iter().map(slice).collect(),
        };
        match number(array.dtype()).is_some_and(Number::is_complex) {
            true => parts::<2>(array, &selection),
            false => parts::<1>(array, &selection),
        }
    }
}

/// The values of a selection, with the real and imaginary parts of each number adjacent.
fn parts<const N: usize>(array: &Dataset, selection: &SliceInfo) -> Stored {
    let numbers = array.read_slice::<Parts<N>>(selection);
    let numbers = numbers.map_err(Unread::from)?;
    Ok(numbers.into_iter().flat_map(|parts| parts.0).collect())
}
