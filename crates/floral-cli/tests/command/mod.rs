//! Runs the built `floral` as a user would.

use std::path::Path;
use std::process::{Command, Output};

/// `floral` with these words, in this folder.
pub fn floral(folder: &Path, words: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_floral"));
    command.args(words.split_whitespace()).current_dir(folder);
    // Beside the folder, which tests look into, and away from the user's own.
    command.env(
        "FLORAL_CACHE",
        std::env::temp_dir().join("floral-test-cache"),
    );
    command
}

/// Runs to the end and expects success.
pub fn succeed(folder: &Path, words: &str) -> Output {
    let output = floral(folder, words).output().unwrap();
    assert!(output.status.success(), "floral {words}: {output:?}");
    output
}

/// Runs to the end, expects exit code 2 and one line of error, and returns that line.
pub fn refuse(folder: &Path, words: &str) -> String {
    let output = floral(folder, words).output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "floral {words}: {message}");
    assert_eq!(
        message.trim().lines().count(),
        1,
        "floral {words}: {message}"
    );
    message
}
