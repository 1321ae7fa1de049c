//! Names of files and folders, and their changes. A file is a number; its bytes are kept elsewhere.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::files::{joined, write_below};

/// Paths below a folder: the number of a file, or `None` for a folder.
#[derive(Clone, Debug, Default)]
pub struct Tree(BTreeMap<PathBuf, Option<usize>>);

/// A change of names below a folder.
#[derive(Clone, Debug)]
pub enum Change {
    File(PathBuf, usize),
    Folder(PathBuf),
    Rename(PathBuf, PathBuf),
    Exchange(PathBuf, PathBuf),
    /// Removes a file, or a folder with all its contents.
    Remove(PathBuf),
}

impl Tree {
    /// The number of the file at a path.
    pub fn file(&self, path: &Path) -> Option<usize> {
        self.0.get(path).copied().flatten()
    }

    /// Changes names. A change whose source is missing is ignored. A removal only removes the files
    /// for which `goes` returns true.
    pub fn apply(&mut self, change: &Change, goes: &mut impl FnMut() -> bool) {
        match change {
            Change::File(path, file) => self.put(path, vec![(PathBuf::new(), Some(*file))]),
            Change::Folder(path) => {
                if !self.0.contains_key(path) {
                    self.put(path, vec![(PathBuf::new(), None)]);
                }
            }
            Change::Rename(from, to) => {
                let moved = self.take(from);
                self.put(to, moved);
            }
            Change::Exchange(one, other) => {
                if self.0.contains_key(one) && self.0.contains_key(other) {
                    let (first, second) = (self.take(one), self.take(other));
                    self.put(one, second);
                    self.put(other, first);
                }
            }
            Change::Remove(path) => {
                let mut left = self.take(path);
                left.retain(|(_, file)| file.is_some() && !goes());
                self.put(path, left);
            }
        }
    }

    /// Writes the tree below a folder, with the bytes of each file.
    pub fn lay_out(&self, path: &Path, bytes: &mut impl FnMut(usize) -> Vec<u8>) -> Result<()> {
        let mut entries = Vec::new();
        for (inner, file) in &self.0 {
            entries.push((inner.clone(), file.map(&mut *bytes)));
        }
        write_below(path, &entries)
    }

    /// Removes the entries at a path and below it, and returns them with paths relative to it.
    fn take(&mut self, path: &Path) -> Vec<(PathBuf, Option<usize>)> {
        let below = self.0.extract_if(.., |inner, _| inner.starts_with(path));
        let relative = |(inner, file): (PathBuf, _)| {
            let inner = inner.strip_prefix(path).map(Path::to_owned);
            (inner.unwrap_or_default(), file)
        };
        below.map(relative).collect()
    }

    /// Replaces the entries at a path, and creates the folders above it.
    fn put(&mut self, path: &Path, entries: Vec<(PathBuf, Option<usize>)>) {
        let mut above = path.ancestors().skip(1);
        if entries.is_empty() || above.any(|folder| self.file(folder).is_some()) {
            return;
        }
        self.take(path);
        for (inner, file) in entries {
            let path = joined(path, &inner);
            let above = path.ancestors().skip(1);
            for folder in above.filter(|folder| !folder.as_os_str().is_empty()) {
                self.0.entry(folder.to_owned()).or_default();
            }
            self.0.insert(path, file);
        }
    }
}

impl Change {
    /// The paths that exist after the change but perhaps not before.
    fn makes(&self) -> Vec<&Path> {
        match self {
            Self::File(path, _) | Self::Folder(path) | Self::Rename(_, path) => vec![path],
            Self::Exchange(one, other) => vec![one, other],
            Self::Remove(_) => Vec::new(),
        }
    }

    /// Whether the change modifies the entries of this folder; for a rename, the destination
    /// folder.
    pub fn is_in(&self, folder: &Path) -> bool {
        let changed = match self {
            Self::Remove(path) => vec![path.as_path()],
            other => other.makes(),
        };
        changed.iter().any(|path| path.parent() == Some(folder))
    }

    /// Whether the change is impossible without an earlier one: one that made what it moves or its
    /// destination folder, or that freed its new name.
    pub fn needs(&self, earlier: &Self) -> bool {
        let uses: Vec<&Path> = match self {
            Self::File(path, _) | Self::Folder(path) => path.parent().into_iter().collect(),
            Self::Rename(from, to) => [Some(from.as_path()), to.parent()]
                .into_iter()
                .flatten()
                .collect(),
            Self::Exchange(one, other) => vec![one, other],
            Self::Remove(path) => vec![path],
        };
        let freed = match earlier {
            Self::Rename(path, _) | Self::Remove(path) => Some(path.as_path()),
            _ => None,
        };
        let taken = match self {
            Self::Exchange(..) | Self::Remove(_) => None,
            other => other.makes().first().copied(),
        };
        let makes = earlier.makes();
        let is_made = uses
            .iter()
            .any(|used| makes.iter().any(|made| used.starts_with(made)));
        is_made || taken.is_some() && taken == freed
    }
}
