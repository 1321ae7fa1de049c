//! Names of files: their extension and their natural order, for `import`.

use std::ffi::OsStr;
use std::path::Path;

/// The extension of a path, in lower case.
pub(super) fn ending(path: &Path) -> String {
    let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    ending.to_ascii_lowercase()
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
    fn ten_comes_after_two() {
        let mut names = [
            "run10.npz",
            "run2.npz",
            "a.npz",
            "run2b.npz",
            "run_10",
            "run_2",
        ];
        names.sort_by_key(|name| natural(name));
        let expected = [
            "a.npz",
            "run2.npz",
            "run2b.npz",
            "run10.npz",
            "run_2",
            "run_10",
        ];
        assert_eq!(names, expected);
    }
}
