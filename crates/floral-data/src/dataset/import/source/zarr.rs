//! Zarr, version 2 or 3: a folder of groups and arrays, as written by xarray and zarr-python.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value};
use zarrs::storage::ReadableStorage;

use super::zarr_texts::texts;
use super::{Beside, Groups, MOST_ARRAYS, Source, Stored, Unread, Values, Variable};
use crate::storage::{METADATA_FILE, Number, StoredArray, read_json, zarr_store};
use crate::{Error, Result};

/// Largest depth of nested groups.
const DEEPEST: usize = 32;

/// Files of version 2.
const GROUP: &str = ".zgroup";
const ARRAY: &str = ".zarray";
const ATTRIBUTES: &str = ".zattrs";

/// xarray's attribute for dimension names in version 2.
const DIMENSIONS: &str = "_ARRAY_DIMENSIONS";

/// The contents of a store, collected recursively.
struct Walk {
    path: PathBuf,
    storage: ReadableStorage,
    groups: Groups,
    variables: Vec<Variable>,
    arrays: Vec<StoredArray>,
    beside: Beside,
}

/// The arrays of numbers.
struct Arrays(Vec<StoredArray>);

/// Whether a folder is a Zarr group or array.
pub(super) fn is_zarr(folder: &Path) -> bool {
    [METADATA_FILE, GROUP, ARRAY, ".zmetadata"]
        .iter()
        .any(|name| folder.join(name).is_file())
}

/// Reads the groups of a store; arrays that are not numbers are stored as `beside`.
pub(super) fn open(path: &Path) -> Result<Source> {
    let mut walk = Walk {
        path: path.to_owned(),
        storage: Arc::new(zarr_store(path)?),
        groups: Groups::new(),
        variables: Vec::new(),
        arrays: Vec::new(),
        beside: Beside::default(),
    };
    walk.node("", 0)?;
    let is_third = path.join(METADATA_FILE).is_file();
    let format = if is_third { "Zarr v3" } else { "Zarr v2" };
    Ok(Source {
        groups: walk.groups,
        beside: walk.beside,
        ..Source::new(path, format, walk.variables, Arrays(walk.arrays))
    })
}

impl Walk {
    /// Reads the node at this path, and those below it.
    fn node(&mut self, name: &str, depth: usize) -> Result<()> {
        let folder = self.path.join(name);
        let metadata = read_json(&folder.join(METADATA_FILE))?;
        let kind = metadata.as_ref().map(|node| node["node_type"].clone());
        if folder.join(ARRAY).is_file() || kind == Some("array".into()) {
            return self.array(name);
        }
        let attributes = match metadata {
            Some(Value::Object(mut node)) => node.remove("attributes").unwrap_or_default(),
            Some(_) => Value::Null,
            None => read_json(&folder.join(ATTRIBUTES))?.unwrap_or_default(),
        };
        self.groups.insert(name.to_owned(), object(attributes));
        for inner in folders(&folder)? {
            if depth >= DEEPEST || self.variables.len() + self.groups.len() > MOST_ARRAYS {
                break;
            }
            let inner = match name {
                "" => inner,
                _ => format!("{name}/{inner}"),
            };
            if is_zarr(&self.path.join(&inner)) {
                self.node(&inner, depth + 1)?;
            }
        }
        Ok(())
    }

    fn array(&mut self, name: &str) -> Result<()> {
        let opened = StoredArray::open_any(&self.storage, &self.path, name);
        let number = opened.as_ref().ok().and_then(StoredArray::number);
        let (array, number) = match (opened, number) {
            (Ok(array), Some(number)) => (array, number),
            (opened, _) => return self.other(name, opened.map(|array| array.data_type())),
        };
        let mut attributes = array.attributes().clone();
        let listed = attributes.remove(DIMENSIONS);
        if listed.is_some() && !attributes.contains_key("_FillValue") {
            // In version 2, xarray stores the missing value as the fill value.
            let second = read_json(&self.path.join(name).join(ARRAY))?;
            let missing = second.map(|node| node["fill_value"].clone());
            attributes.extend(missing.map(|missing| ("_FillValue".to_owned(), missing)));
        }
        let listed: Vec<Value> = listed
            .and_then(|names| names.as_array().cloned())
            .unwrap_or_default();
        let dimension = |i: usize| {
            let listed = listed.get(i).and_then(Value::as_str);
            array.dimension(i).or(listed).map(str::to_owned)
        };
        let shape = array.shape();
        let dimensions = (0..shape.len()).map(dimension).collect();
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy();
        let name = if name.is_empty() { &stem } else { name };
        let variable = Variable::new(name, shape, dimensions, attributes, number);
        self.variables.push(variable);
        self.arrays.push(array);
        Ok(())
    }
}

impl Walk {
    /// Handles an array that is not numeric, with data type `kind`: a list of texts becomes labels,
    /// anything else is recorded as unreadable.
    fn other(&mut self, name: &str, kind: Result<String>) -> Result<()> {
        match (texts(&self.storage, &self.path, name), kind) {
            (Some(texts), _) => self.beside.label(name, texts),
            (None, Ok(kind)) => {
                let why = format!("holds values of type {kind}, which are no numbers");
                self.beside.unreadable(name, why);
            }
            // A damaged array of numbers is an error, not another type.
            (None, Err(error)) => match other_kind(&self.path.join(name))? {
                Some(kind) => {
                    let why = format!("holds values of type {kind}, which are not read");
                    self.beside.unreadable(name, why);
                }
                None => return Err(error),
            },
        }
        Ok(())
    }
}

/// The data type of an array, if it is not numeric.
fn other_kind(folder: &Path) -> Result<Option<String>> {
    let metadata = match read_json(&folder.join(METADATA_FILE))? {
        Some(metadata) => metadata["data_type"].clone(),
        None => read_json(&folder.join(ARRAY))?.unwrap_or_default()["dtype"].clone(),
    };
    let name = metadata.as_str().or_else(|| metadata["name"].as_str());
    let is_number = |name: &str| Number::zarr(name).or_else(|| Number::numpy(name)).is_some();
    Ok(match name {
        Some(name) if is_number(name) => None,
        Some(name) => Some(name.to_owned()),
        None => metadata.is_array().then(|| "record".to_owned()),
    })
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// The names of the subfolders of a folder, sorted.
fn folders(folder: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(Error::io(folder))? {
        let entry = entry.map_err(Error::io(folder))?;
        if entry.path().is_dir() {
            names.extend(entry.file_name().into_string());
        }
    }
    names.sort();
    Ok(names)
}

impl Values for Arrays {
    fn stored(&self, variable: usize, ranges: &[Range<usize>]) -> Stored {
        self.0[variable].read_box(ranges).map_err(Unread::Whole)
    }
}
