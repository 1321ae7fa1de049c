//! Identifies a solver by the contents of the files that its command names: a changed file means a
//! different solver.
//!
//! A word of a command names a file if it is a path relative to the command's working directory, or
//! a program found by `PATH`. Files that a program loads itself are not detected.

use std::env;
use std::path::{Path, PathBuf};

use crate::Checksum;

/// Checksum of the contents of all files that a command names, in order.
pub(super) fn checksum(command: &str) -> Checksum {
    let files = words(command).into_iter().filter_map(|word| file(&word));
    // An unreadable file is identified only by its name in the command.
    files.fold(Checksum::default(), |sum, path| {
        sum.file(&path).unwrap_or(sum)
    })
}

/// The file named by a word, if any.
fn file(word: &str) -> Option<PathBuf> {
    let value = word.split_once('=').map(|(_, value)| value);
    let mut given = [Some(word), value].into_iter().flatten().map(in_home);
    given
        .find(|path| path.is_file())
        .or_else(|| by_search(word))
}

/// The program of this name in the folders of `PATH`.
fn by_search(word: &str) -> Option<PathBuf> {
    if word.is_empty() || word.contains('/') {
        return None;
    }
    let folders = env::var_os("PATH")?;
    let mut paths = env::split_paths(&folders).map(|folder| folder.join(word));
    paths.find(|path| path.is_file())
}

/// A path with a leading `~` replaced by the home directory.
fn in_home(path: &str) -> PathBuf {
    match (path.strip_prefix("~/"), env::var_os("HOME")) {
        (Some(rest), Some(home)) => Path::new(&home).join(rest),
        _ => path.into(),
    }
}

/// The words of a shell command, without quotes and operators.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    let mut letters = command.chars();
    while let Some(letter) = letters.next() {
        let word = words.last_mut();
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (None, '\'' | '"') => quote = Some(letter),
            (None, '\\') => word
                .into_iter()
                .for_each(|word| word.extend(letters.next())),
            (None, ';' | '|' | '&' | '(' | ')' | '<' | '>') => words.push(String::new()),
            (None, _) if letter.is_whitespace() => words.push(String::new()),
            _ => word.into_iter().for_each(|word| word.push(letter)),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_a_shell() {
        let command = r#"cd a&&'it is' "b c" d\ e --f=g|h; (i) '{input}'"#;
        let expected = [
            "cd", "a", "it is", "b c", "d e", "--f=g", "h", "i", "{input}",
        ];
        assert_eq!(words(command), expected);
    }

    #[test]
    fn contents_of_named_files_count_and_other_words_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let mesh = folder.path().join("mesh");
        std::fs::write(&mesh, "fine").unwrap();
        let by_option = format!("no-such-program --mesh={}", mesh.display());
        let fine = checksum(&by_option);
        assert_ne!(fine, Checksum::default());
        assert_eq!(checksum(&mesh.display().to_string()), fine);
        std::fs::write(&mesh, "coarse").unwrap();
        assert_ne!(checksum(&by_option), fine);
        assert_eq!(checksum("no-such-program {input}"), Checksum::default());
        #[cfg(unix)]
        assert_ne!(checksum("sh"), Checksum::default());
    }
}
