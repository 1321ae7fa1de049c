//! Runs the built `floral` as a user would.

#![allow(dead_code, reason = "no test uses all of it")]

use std::ops::Deref;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

/// A folder of a test, which is removed behind it.
pub struct Folder(TempDir);

impl Folder {
    /// An empty one.
    pub fn new() -> Self {
        Self(TempDir::new().unwrap())
    }
}

impl Deref for Folder {
    type Target = Path;

    fn deref(&self) -> &Path {
        self.0.path()
    }
}

impl AsRef<Path> for Folder {
    fn as_ref(&self) -> &Path {
        self
    }
}

/// Commands in a folder.
pub trait Commands {
    /// `floral` with these words.
    fn floral(&self, words: &str) -> Command;

    /// Runs to the end and expects success.
    fn succeed(&self, words: &str) -> Output {
        let output = self.floral(words).output().unwrap();
        assert!(output.status.success(), "floral {words}: {output:?}");
        output
    }

    /// Runs to the end, expects success and returns what is printed.
    fn printed(&self, words: &str) -> String {
        String::from_utf8(self.succeed(words).stdout).unwrap()
    }

    /// The same of standard error.
    fn noted(&self, words: &str) -> String {
        String::from_utf8(self.succeed(words).stderr).unwrap()
    }

    /// Runs to the end, expects exit code 2 and one line of error, and returns that line.
    fn refuse(&self, words: &str) -> String {
        let output = self.floral(words).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "floral {words}: {message}");
        assert_eq!(
            message.trim().lines().count(),
            1,
            "floral {words}: {message}"
        );
        message
    }
}

impl Commands for Path {
    fn floral(&self, words: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_floral"));
        command.args(words.split_whitespace()).current_dir(self);
        // Beside the folder, which tests look into, and away from the user's own.
        command.env(
            "FLORAL_CACHE",
            std::env::temp_dir().join("floral-test-cache"),
        );
        command
    }
}
