//! Groups files into inputs and realizations by their paths.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::dataset::file_names::natural;
use crate::{Error, Result};

/// The placeholders of a pattern.
const INPUT: &str = "{input}";
const REALIZATION: &str = "{realization}";

/// What a pattern finds in a path.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Labels {
    pub input: String,
    realization: Option<String>,
}

/// The files of each input, in natural order of inputs and realizations.
pub(super) fn grouped(
    files: &[PathBuf],
    pattern: Option<&str>,
) -> Result<Vec<(String, Vec<PathBuf>)>> {
    let labelled = match pattern {
        Some(pattern) => by_pattern(files, pattern)?,
        None => by_place(files),
    };
    let mut inputs: Vec<(String, Vec<PathBuf>)> = Vec::new();
    for (label, path) in labelled {
        match inputs.iter_mut().find(|(known, _)| *known == label) {
            Some((_, own)) => own.push(path),
            None => inputs.push((label, vec![path])),
        }
    }
    inputs.sort_by_cached_key(|(label, _)| natural(label));
    Ok(inputs)
}

/// The files that match a pattern, with the labels of their inputs. Refuses two files with the same
/// labels, which lie in folders that the pattern does not name.
fn by_pattern(files: &[PathBuf], pattern: &str) -> Result<Vec<(String, PathBuf)>> {
    let mut found = Vec::new();
    let mut known: HashMap<Labels, &PathBuf> = HashMap::new();
    for path in files {
        let Some(own) = labels(pattern, path)? else {
            continue;
        };
        found.push((own.input.clone(), path.clone()));
        if let Some(other) = known.insert(own, path) {
            return Err(Error::bad_file(
                path,
                format!(
                    "and {} are the same input and realization by the pattern {pattern}; name more of their \
                     folders in it",
                    other.display()
                ),
            ));
        }
    }
    if found.is_empty() {
        return Err(Error::config(
            format!("pattern {pattern}"),
            format!("none of {} files matches it", files.len()),
        ));
    }
    Ok(found)
}

/// The files with the label of their folder if there are several folders, else with their own.
fn by_place(files: &[PathBuf]) -> Vec<(String, PathBuf)> {
    let folder = |path: &PathBuf| path.parent().unwrap_or(Path::new("")).to_owned();
    let mut folders: Vec<PathBuf> = files.iter().map(folder).collect();
    folders.sort();
    folders.dedup();
    let names = distinct_ends(&folders);
    let label = |path: &PathBuf| match folders.binary_search(&folder(path)) {
        Ok(at) if folders.len() > 1 => names[at].clone(),
        _ => text(path.file_stem().unwrap_or_default()),
    };
    files
        .iter()
        .map(|path| (label(path), path.clone()))
        .collect()
}

/// The shortest ends of folders' paths by which all folders differ.
fn distinct_ends(folders: &[PathBuf]) -> Vec<String> {
    let parts = |folder: &PathBuf| -> Vec<String> {
        let parts = folder.components();
        parts.map(|part| text(part.as_os_str())).collect()
    };
    let parts: Vec<Vec<String>> = folders.iter().map(parts).collect();
    let ends = |depth: usize| -> Vec<String> {
        let end = |parts: &Vec<String>| parts[parts.len().saturating_sub(depth)..].join("/");
        parts.iter().map(end).collect()
    };
    let is_distinct = |ends: &Vec<String>| {
        let all: HashSet<&String> = ends.iter().collect();
        all.len() == ends.len()
    };
    let deepest = parts.iter().map(Vec::len).max().unwrap_or(0);
    let found = (1..deepest).map(ends).find(is_distinct);
    found.unwrap_or_else(|| ends(deepest))
}

fn text(name: &OsStr) -> String {
    name.to_string_lossy().into_owned()
}

/// The labels in a path whose end matches the pattern; none if it does not match.
pub(super) fn labels(pattern: &str, path: &Path) -> Result<Option<Labels>> {
    if pattern.matches(INPUT).count() != 1 || pattern.matches(REALIZATION).count() > 1 {
        return Err(Error::config(
            format!("pattern {pattern}"),
            format!("write {INPUT} once, and {REALIZATION} at most once"),
        ));
    }
    let text = path.to_string_lossy().replace('\\', "/");
    let parts = pattern.split('/').count();
    let pieces: Vec<&str> = text.rsplit('/').take(parts).collect();
    let tail = pieces.into_iter().rev().collect::<Vec<_>>().join("/");
    let holes = pattern
        .replace(INPUT, "\0i\0")
        .replace(REALIZATION, "\0r\0");
    let mut rest = tail.as_str();
    let (mut input, mut realization) = (None, None);
    let mut parts = holes.split('\0').peekable();
    while let Some(part) = parts.next() {
        if part != "i" && part != "r" {
            let Some(behind) = rest.strip_prefix(part) else {
                return Ok(None);
            };
            rest = behind;
            continue;
        }
        let until = parts.peek().copied().unwrap_or_default();
        let end = if until.is_empty() {
            Some(rest.len())
        } else {
            rest.find(until)
        };
        let Some(end) = end.filter(|end| *end > 0) else {
            return Ok(None);
        };
        let label = match part {
            "i" => &mut input,
            _ => &mut realization,
        };
        *label = Some(rest[..end].to_owned());
        rest = &rest[end..];
    }
    let input = input.filter(|_| rest.is_empty());
    Ok(input.map(|input| Labels { input, realization }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_told_apart_by_the_pattern() {
        let pattern = "case_{input}/run_{realization}.vtu";
        let label = |path: &str| {
            let found = labels(pattern, Path::new(path)).unwrap();
            found.map(|labels| labels.input)
        };
        assert_eq!(label("data/case_7/run_01.vtu").as_deref(), Some("7"));
        assert_eq!(label("case_a_b/run_2.vtu").as_deref(), Some("a_b"));
        assert_eq!(label("case_7/out_01.vtu"), None);
        assert_eq!(label("case_/run_1.vtu"), None);
        assert!(labels("run_{realization}.vtu", Path::new("run_1.vtu")).is_err());
    }

    #[test]
    fn files_of_a_folder_are_realizations_if_there_are_several_folders() {
        let files = ["a/1.vtu", "a/2.vtu", "b/1.vtu"].map(PathBuf::from);
        let inputs = grouped(&files, None).unwrap();
        assert_eq!(
            inputs.iter().map(|(_, own)| own.len()).collect::<Vec<_>>(),
            [2, 1]
        );
        let inputs = grouped(&files[..2], None).unwrap();
        assert_eq!(
            inputs.iter().map(|(_, own)| own.len()).collect::<Vec<_>>(),
            [1, 1]
        );
    }

    #[test]
    fn folders_with_the_same_last_name_are_different_inputs() {
        let files = ["case_1/out/a.vtu", "case_1/out/b.vtu", "case_2/out/a.vtu"];
        let inputs = grouped(&files.map(PathBuf::from), None).unwrap();
        let counts = inputs.iter().map(|(label, own)| (&label[..], own.len()));
        assert_eq!(
            counts.collect::<Vec<_>>(),
            [("case_1/out", 2), ("case_2/out", 1)]
        );
    }

    #[test]
    fn files_with_the_same_labels_are_refused() {
        let files = ["a/7/1.vtu", "b/7/1.vtu"].map(PathBuf::from);
        let grouped = |pattern| grouped(&files, Some(pattern));
        let refusal = grouped("{input}/{realization}.vtu").unwrap_err();
        assert!(refusal.to_string().contains("the same input"), "{refusal}");
        assert!(grouped("{input}/1.vtu").is_err());
        let both = grouped("{realization}/{input}/1.vtu").unwrap();
        assert_eq!(both, [("7".to_owned(), files.to_vec())]);
    }
}
