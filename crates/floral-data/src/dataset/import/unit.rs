//! Units: arrays that belong together, from a file or one of its groups, with one or more inputs.

use std::collections::BTreeSet;

use super::layouts::plain;
use super::source::{Source, Variable};
use crate::{Error, Result};

/// Prefixes of names that separate training data from test data, in order of preference.
const SPLITS: [&str; 5] = ["train", "training", "test", "valid", "val"];

/// Characters that separate a prefix from the rest of a name.
const DIVIDERS: [char; 4] = ['_', '/', '-', '.'];

/// A file, or a group of one.
#[derive(Clone)]
pub(super) struct Unit<'a> {
    /// The file.
    pub source: &'a Source,
    /// The group with a trailing slash; empty for the whole file.
    pub group: String,
    /// The prefix of the names of its arrays, such as `train_` or `train/`.
    pub prefix: String,
}

impl<'a> Unit<'a> {
    /// The arrays with their indices in the source and their names in this unit.
    pub fn arrays(&self) -> impl Iterator<Item = (usize, &str, &'a Variable)> {
        let variables = self.source.variables.iter().enumerate();
        variables.filter_map(|(i, variable)| {
            let name = variable.name.strip_prefix(&self.group)?;
            let own = name.strip_prefix(&self.prefix);
            // Data under another prefix belong to another dataset.
            let is_other = own.is_none() && prefix_of(name).is_some();
            (!is_other).then(|| (i, own.unwrap_or(name), variable))
        })
    }

    /// Index of an array by its name, either in this unit or in the file.
    pub fn find(&self, name: &str) -> Option<usize> {
        let position = |wanted: &str| {
            let mut variables = self.source.variables.iter();
            variables.position(|variable| variable.name == wanted)
        };
        self.names_of(name).iter().find_map(|name| position(name))
    }

    /// The reason why the array of this name cannot be read; none if it is readable or absent.
    pub fn unread(&self, name: &str) -> Option<&'a str> {
        let names = self.names_of(name);
        let mut unread = self.source.beside.unread.iter();
        let found = unread.find(|(found, _)| names.contains(found));
        found.map(|(_, why)| why.as_str())
    }

    /// The list of texts of this name.
    pub fn texts(&self, name: &str) -> Option<&'a [String]> {
        let labels = &self.source.beside.labels;
        let names = self.names_of(name);
        names
            .iter()
            .find_map(|name| labels.get(name))
            .map(Vec::as_slice)
    }

    /// The names in the file that a name in this unit may refer to, the most specific first.
    fn names_of(&self, name: &str) -> [String; 3] {
        [
            format!("{}{}{name}", self.group, self.prefix),
            format!("{}{name}", self.group),
            name.trim_start_matches('/').to_owned(),
        ]
    }

    /// An array by its index.
    pub fn variable(&self, index: usize) -> &'a Variable {
        &self.source.variables[index]
    }

    /// The group as the subject of a sentence; empty for a whole file.
    pub fn subject(&self) -> String {
        match self.group.trim_end_matches('/') {
            "" => String::new(),
            group => format!("its group {group} "),
        }
    }
}

/// The units of a source: its groups if they are numbered and hold the same arrays, else the whole
/// source.
pub(super) fn units<'a>(source: &'a Source, prefix: Option<&str>) -> Result<Vec<Unit<'a>>> {
    let unit = |group: String| {
        Ok(Unit {
            prefix: chosen(source, &group, prefix)?,
            source,
            group,
        })
    };
    match numbered(source) {
        Some(groups) => groups.into_iter().map(unit).collect(),
        None => Ok(vec![unit(String::new())?]),
    }
}

/// The groups of a source, if all of its arrays lie in numbered groups with the same contents, such
/// as `0000/data`.
fn numbered(source: &Source) -> Option<Vec<String>> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for variable in &source.variables {
        let (group, name) = variable.name.split_once('/')?;
        let is_numbered = group.ends_with(|c: char| c.is_ascii_digit());
        match groups.iter_mut().rfind(|(found, _)| *found == group) {
            _ if !is_numbered => return None,
            Some((_, names)) => names.push(name),
            None => groups.push((group, vec![name])),
        }
    }
    let (_, first) = groups.first()?;
    let is_alike = groups.iter().all(|(_, names)| names == first);
    is_alike.then(|| {
        groups
            .iter()
            .map(|(group, _)| format!("{group}/"))
            .collect()
    })
}

/// The prefix of a unit's arrays: the `wanted` one, else that of training data.
fn chosen(source: &Source, group: &str, wanted: Option<&str>) -> Result<String> {
    let found = prefixes(source, group);
    let is_plain = |variable: &Variable| {
        let name = variable.name.strip_prefix(group);
        name.is_some_and(|name| plain::INPUT.contains(&name.to_lowercase().as_str()))
    };
    if wanted.is_none() && source.variables.iter().any(is_plain) {
        return Ok(String::new());
    }
    if let Some(wanted) = wanted {
        let names = source.variables.iter().map(|variable| &variable.name);
        let mut names = names.filter_map(|name| name.strip_prefix(group));
        let prefix = names.find_map(|name| {
            let rest = name.strip_prefix(wanted)?;
            let divider = rest.chars().next().filter(|c| DIVIDERS.contains(c))?;
            Some(format!("{wanted}{divider}"))
        });
        return prefix.ok_or_else(|| {
            let reason = format!("has no arrays whose names begin with {wanted}_ or {wanted}/");
            Error::bad_file(&source.path, reason)
        });
    }
    let preferred = SPLITS
        .iter()
        .find_map(|name| found.iter().find(|found| split(found) == *name));
    Ok(preferred.cloned().unwrap_or_default())
}

/// The prefix without its separator.
pub(super) fn split(prefix: &str) -> &str {
    prefix.trim_end_matches(DIVIDERS)
}

/// The prefixes of array names that name a split, such as `train_` of `train_input`.
fn prefixes(source: &Source, group: &str) -> BTreeSet<String> {
    let names = source.variables.iter().map(|variable| &variable.name);
    let names = names.filter_map(|name| name.strip_prefix(group));
    names.filter_map(prefix_of).map(str::to_owned).collect()
}

/// The prefix of an array's name, if it names a split.
fn prefix_of(name: &str) -> Option<&str> {
    let end = name.find(DIVIDERS)?;
    let prefix = &name[..=end];
    SPLITS.contains(&split(prefix)).then_some(prefix)
}

/// Other prefixes than that of a unit, which hold more data.
pub(super) fn other_prefixes(unit: &Unit<'_>) -> Vec<String> {
    if unit.prefix.is_empty() {
        return Vec::new();
    }
    let found = prefixes(unit.source, &unit.group);
    let others = found.iter().filter(|prefix| **prefix != unit.prefix);
    others.map(|prefix| split(prefix).to_owned()).collect()
}
