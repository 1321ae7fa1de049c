//! Lists, writes and copies files and folders for the campaign.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// A path below a folder, and the bytes of a file, or `None` for a folder.
pub type Entry = (PathBuf, Option<Vec<u8>>);

/// All files and folders below a path, sorted. If the path itself is a file, its entry has an empty
/// path.
pub fn below(path: &Path) -> Result<Vec<Entry>> {
    kept_below(path, |_, _| true)
}

/// Like `below`, without the entries for which `keeps(name, is_folder)` is false; those are not
/// read either.
pub fn kept_below(path: &Path, keeps: impl Fn(&str, bool) -> bool) -> Result<Vec<Entry>> {
    let mut found = Vec::new();
    gather(path, Path::new(""), &keeps, &mut found)?;
    found.sort();
    Ok(found)
}

fn gather(
    path: &Path,
    inner: &Path,
    keeps: &impl Fn(&str, bool) -> bool,
    found: &mut Vec<Entry>,
) -> Result<()> {
    if path.is_file() {
        found.push((inner.to_owned(), Some(fs::read(path)?)));
        return Ok(());
    }
    let entries = fs::read_dir(path).with_context(|| path.display().to_string())?;
    for entry in entries {
        let entry = entry?;
        let (path, name) = (entry.path(), entry.file_name());
        if !keeps(&name.to_string_lossy(), path.is_dir()) {
            continue;
        }
        let inner = inner.join(name);
        if path.is_dir() {
            found.push((inner.clone(), None));
        }
        gather(&path, &inner, keeps, found)?;
    }
    Ok(())
}

/// Joins paths; an empty inner path gives the outer path itself.
pub fn joined(path: &Path, inner: &Path) -> PathBuf {
    match inner.as_os_str().is_empty() {
        true => path.to_owned(),
        false => path.join(inner),
    }
}

/// Writes entries below a path.
pub fn write_below(path: &Path, entries: &[Entry]) -> Result<()> {
    for (inner, bytes) in entries {
        match bytes {
            None => fs::create_dir_all(path.join(inner))?,
            Some(bytes) => write(&joined(path, inner), bytes)?,
        }
    }
    Ok(())
}

/// Writes a file, and creates the folders above it.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    Ok(fs::write(path, bytes)?)
}

/// Copies a file or folder.
pub fn copy(from: &Path, to: &Path) -> Result<()> {
    write_below(to, &below(from)?)
}

/// A folder in memory if the system has one: thousands of files are written and read, and waiting
/// for a disk at every sync would take most of the time.
pub fn scratch() -> PathBuf {
    let memory = Path::new("/dev/shm");
    match memory.is_dir() {
        true => memory.to_owned(),
        false => std::env::temp_dir(),
    }
}
