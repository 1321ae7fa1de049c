//! Writes files atomically: they exist completely or not at all, even after a power failure.

use std::fs::{File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::files::{parent_of, sync_folder, write_error};
use super::operations;
use crate::Result;

/// Writes a file under a temporary name and renames it, so that the path holds either the old or
/// the new contents. They have reached the disk when the call returns.
///
/// The temporary name is unique, so that two writers never share a file. A killed process may leave
/// a hidden file ending in `.new`, which does not disturb later writes.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<()> {
    write_atomically_by(path, |file| {
        operations::write_all(file, bytes).map_err(write_error(path))
    })
}

/// The same for contents that are written piece by piece.
pub(super) fn write_atomically_by(
    path: &Path,
    write: impl FnOnce(&mut File) -> Result<()>,
) -> Result<()> {
    let folder = parent_of(path);
    let (mut file, temporary) = create_unique(folder).map_err(write_error(path))?;
    let written = write(&mut file);
    let written = written.and_then(|()| operations::sync_all(&file).map_err(write_error(path)));
    drop(file);
    if written.is_err() {
        // The original error matters more than a leftover file.
        let _ = operations::remove_file(&temporary);
    }
    written?;
    take_name(Ok(()), &temporary, path)
        .and_then(|()| sync_folder(folder))
        .map_err(write_error(path))
}

/// Adds a hard link `second` to a file that is already on disk, replacing any existing file of that
/// name, and waits until the link is on disk too. Returns false if the file system does not support
/// hard links.
pub fn name_twice(path: &Path, second: &Path) -> Result<bool> {
    let folder = parent_of(second);
    let temporary = folder.join(format!(".floral-{}.new", unique_name()));
    if operations::link(path, &temporary).is_err() {
        return Ok(false);
    }
    take_name(Ok(()), &temporary, second)
        .and_then(|()| sync_folder(folder))
        .map_err(write_error(second))?;
    Ok(true)
}

/// Writes a file that appears under its name only once it is complete; `scratch` is a folder on the
/// same file system. The contents reach the disk when the system decides.
pub(super) fn write_whole(path: &Path, bytes: &[u8], scratch: &Path) -> Result<()> {
    let temporary = scratch.join(unique_name());
    let mut anew = OpenOptions::new();
    anew.write(true).create(true).truncate(true);
    let created = operations::open(&anew, &temporary);
    let written = created.and_then(|file| operations::write_all(&file, bytes));
    take_name(written, &temporary, path).map_err(write_error(path))
}

/// Renames a written file to its final path, or removes it if writing or renaming failed.
fn take_name(written: io::Result<()>, temporary: &Path, path: &Path) -> io::Result<()> {
    let outcome = written.and_then(|()| operations::rename(temporary, path));
    if outcome.is_err() {
        // The original error matters more than a leftover file.
        let _ = operations::remove_file(temporary);
    }
    outcome
}

/// Creates a new file in a folder, under a unique name.
fn create_unique(folder: &Path) -> io::Result<(File, PathBuf)> {
    loop {
        let path = folder.join(format!(".floral-{}.new", unique_name()));
        match operations::open(OpenOptions::new().write(true).create_new(true), &path) {
            // Left by a killed process that had the same random prefix.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            other => return other.map(|file| (file, path)),
        }
    }
}

/// A name that no other write uses, on this machine or on another one that writes to the same
/// folder. A process id is not sufficient: processes on different machines may share it.
pub fn unique_name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    static PROCESS: OnceLock<u64> = OnceLock::new();
    let process = PROCESS.get_or_init(|| RandomState::new().hash_one(std::process::id()));
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{process:016x}-{count}")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn writers_of_one_file_leave_the_whole_work_of_one_of_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        std::thread::scope(|scope| {
            for writer in 0..4u8 {
                let path = &path;
                scope.spawn(move || {
                    for _ in 0..8 {
                        write_atomically(path, &[writer; 5000]).unwrap();
                        let found = fs::read(path).unwrap();
                        assert_eq!(found, [found[0]; 5000]);
                    }
                });
            }
        });
        assert_eq!(names(folder.path()), ["state"]);
    }

    #[test]
    fn leftovers_of_a_killed_process_stand_in_nobodys_way() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        let (_, first) = create_unique(folder.path()).unwrap();
        // The next names of this process, and a name used by older builds.
        let next = unique_name();
        let (process, count) = next.split_once('-').unwrap();
        let count: u64 = count.parse().unwrap();
        for ahead in 0..50 {
            let name = format!(".floral-{process}-{}.new", count + ahead);
            fs::write(folder.path().join(name), "cut").unwrap();
        }
        fs::create_dir(folder.path().join("state.new")).unwrap();
        write_atomically(&path, b"whole").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        assert_eq!(fs::read(first).unwrap(), b"");
    }

    #[test]
    fn a_write_that_fails_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        fs::create_dir(&path).unwrap();
        let message = write_atomically(&path, b"new").unwrap_err().to_string();
        assert!(
            message.starts_with(&path.display().to_string()),
            "{message}"
        );
        assert_eq!(names(folder.path()), ["state"]);
        assert!(write_atomically(&folder.path().join("none/state"), b"new").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_second_name_takes_the_place_of_what_had_it_and_is_left_alone_by_later_writes() {
        let folder = tempfile::tempdir().unwrap();
        let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
        write_atomically(&one, b"first").unwrap();
        write_atomically(&other, b"old").unwrap();
        assert!(name_twice(&one, &other).unwrap());
        assert_eq!(fs::read(&other).unwrap(), b"first");
        write_atomically(&one, b"second").unwrap();
        assert_eq!(fs::read(&other).unwrap(), b"first");
        assert_eq!(names(folder.path()), ["one", "other"]);
        assert!(!name_twice(&folder.path().join("none"), &other).unwrap());
        assert_eq!(fs::read(&other).unwrap(), b"first");
    }

    #[test]
    fn a_name_without_a_folder_is_written_where_the_process_stands() {
        assert_eq!(parent_of(Path::new("state")), Path::new("."));
        assert_eq!(parent_of(Path::new("runs/state")), Path::new("runs"));
    }
}
