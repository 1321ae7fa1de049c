//! Runs the built `floral` as a user would.

#![allow(dead_code, reason = "no test uses all of it")]

use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use tempfile::TempDir;

/// The folder of a test, removed when dropped.
pub struct Folder(TempDir);

impl Folder {
    /// Creates an empty folder.
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

/// Runs commands in a folder.
pub trait Commands {
    /// `floral` with these arguments.
    fn floral(&self, words: &str) -> Command;

    /// Runs to the end and expects success.
    fn succeed(&self, words: &str) -> Output {
        let output = self.floral(words).output().unwrap();
        assert!(output.status.success(), "floral {words}: {output:?}");
        output
    }

    /// Runs to the end, expects success and returns standard output.
    fn printed(&self, words: &str) -> String {
        String::from_utf8(self.succeed(words).stdout).unwrap()
    }

    /// Runs to the end, expects success and returns standard error.
    fn noted(&self, words: &str) -> String {
        String::from_utf8(self.succeed(words).stderr).unwrap()
    }

    /// Kills the n-th attempt of a command after `time(n)`, until one succeeds; returns the number
    /// of kills. The times must grow, so that kills fall into every stage and the command finishes
    /// eventually.
    fn kills_until_done<'a>(
        &self,
        words: impl Fn(u64) -> &'a str,
        time: impl Fn(u64) -> Duration,
    ) -> u64 {
        for attempt in 0..200 {
            let mut child = self.floral(words(attempt)).spawn().unwrap();
            std::thread::sleep(time(attempt));
            let ended = child.try_wait().unwrap();
            if ended.is_some_and(|status| status.success()) {
                return attempt;
            }
            child.kill().unwrap();
            child.wait().unwrap();
        }
        panic!("floral {}: never done", words(0));
    }

    /// Runs to the end, expects exit code 2 and a single line on standard error, and returns that
    /// line.
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
        // Outside the folder, whose files tests compare, and apart from the user's own cache.
        command.env(
            "FLORAL_CACHE",
            std::env::temp_dir().join("floral-test-cache"),
        );
        command
    }
}

/// Every file of a store, by path.
pub fn files(store: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![store.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(store).unwrap().display().to_string();
                found.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// The values of an array in an .npz of `floral sample`, whose entries are not compressed.
pub fn values(archive: &Path, name: &str) -> Vec<u8> {
    let bytes = std::fs::read(archive).unwrap();
    let file = format!("{name}.npy");
    let find = |what: &[u8], from: usize| {
        let place = bytes[from..].windows(what.len()).position(|w| w == what);
        from + place.unwrap_or_else(|| panic!("{name}"))
    };
    let start = find(b"\x93NUMPY", find(file.as_bytes(), 0));
    let header = usize::from(u16::from_le_bytes([bytes[start + 8], bytes[start + 9]]));
    let begin = start + 10 + header;
    // A data descriptor follows the values.
    bytes[begin..find(b"PK\x07\x08", begin)].to_vec()
}
