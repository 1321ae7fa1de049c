//! Groups files into inputs and realizations by their paths.

use std::path::{Path, PathBuf};

use crate::{Error, Result};

/// The placeholders of a pattern.
const INPUT: &str = "{input}";
const REALIZATION: &str = "{realization}";

/// The files of each input, in natural order of inputs and realizations.
pub(super) fn grouped(
    files: &[PathBuf],
    pattern: Option<&str>,
) -> Result<Vec<(String, Vec<PathBuf>)>> {
    let mut inputs: Vec<(String, Vec<PathBuf>)> = Vec::new();
    let folder = |path: &PathBuf| path.parent().map(Path::to_owned);
    let several = files
        .windows(2)
        .any(|pair| folder(&pair[0]) != folder(&pair[1]));
    for path in files {
        let label = match pattern {
            Some(pattern) => match labels(pattern, path)? {
                Some(label) => label,
                None => continue,
            },
            None if several => folder(path)
                .and_then(|folder| Some(folder.file_name()?.to_string_lossy().into_owned()))
                .unwrap_or_default(),
            None => path
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
        };
        match inputs.iter_mut().find(|(known, _)| *known == label) {
            Some((_, own)) => own.push(path.clone()),
            None => inputs.push((label, vec![path.clone()])),
        }
    }
    if let (Some(pattern), true) = (pattern, inputs.is_empty()) {
        return Err(Error::config(
            format!("pattern {pattern}"),
            format!("none of {} files matches it", files.len()),
        ));
    }
    inputs.sort_by_cached_key(|(label, _)| natural(label));
    Ok(inputs)
}

/// The label of the input in a path whose end matches the pattern; none if it does not match.
pub(super) fn labels(pattern: &str, path: &Path) -> Result<Option<String>> {
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
    let mut label = None;
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
        if part == "i" {
            label = Some(rest[..end].to_owned());
        }
        rest = &rest[end..];
    }
    Ok(label.filter(|_| rest.is_empty()))
}

/// A sort key that puts `run_2` before `run_10`.
pub(super) fn natural(text: &str) -> Vec<(u64, String)> {
    let mut key = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let words = rest
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(rest.len());
        let (word, behind) = rest.split_at(words);
        let digits = behind
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(behind.len());
        let (number, behind) = behind.split_at(digits);
        key.push((0, word.to_owned()));
        key.push((number.parse().unwrap_or(u64::MAX), number.to_owned()));
        rest = behind;
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_told_apart_by_the_pattern() {
        let pattern = "case_{input}/run_{realization}.vtu";
        let label = |path: &str| labels(pattern, Path::new(path)).unwrap();
        assert_eq!(label("data/case_7/run_01.vtu").as_deref(), Some("7"));
        assert_eq!(label("case_a_b/run_2.vtu").as_deref(), Some("a_b"));
        assert_eq!(label("case_7/out_01.vtu"), None);
        assert_eq!(label("case_/run_1.vtu"), None);
        assert!(labels("run_{realization}.vtu", Path::new("run_1.vtu")).is_err());
    }

    #[test]
    fn ten_comes_after_two() {
        let mut names = ["run_10", "run_2", "run_1"];
        names.sort_by_key(|name| natural(name));
        assert_eq!(names, ["run_1", "run_2", "run_10"]);
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
}
