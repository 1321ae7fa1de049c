//! Names of files in folders, and how they change: a file is a number, whoever holds its bytes.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

/// A file by its number, or a folder.
#[derive(Clone, Debug)]
pub enum Tree {
    File(usize),
    Folder(BTreeMap<OsString, Tree>),
}

/// A change of names, below the folder that is looked at.
#[derive(Clone, Debug)]
pub enum Change {
    File(PathBuf, usize),
    Folder(PathBuf),
    Rename(PathBuf, PathBuf),
    Exchange(PathBuf, PathBuf),
    /// A file, or a folder and all in it.
    Remove(PathBuf),
}

impl Default for Tree {
    fn default() -> Self {
        Self::Folder(BTreeMap::new())
    }
}

impl Tree {
    /// The number of the file at a path.
    pub fn file(&self, path: &Path) -> Option<usize> {
        match self.at(path)? {
            Self::File(number) => Some(*number),
            Self::Folder(_) => None,
        }
    }

    /// Puts a file at a path, in the place of what stands there.
    pub fn put(&mut self, path: &Path, file: usize) {
        self.insert(path, Self::File(file));
    }

    /// Makes a folder, unless it is there.
    pub fn make_folder(&mut self, path: &Path) {
        if self.at(path).is_none() {
            self.insert(path, Self::default());
        }
    }

    /// Changes names; what does not apply, as its source is not there, is left. Of what is removed goes
    /// what `goes` says.
    pub fn apply(&mut self, change: &Change, goes: &mut impl FnMut(usize) -> bool) {
        match change {
            Change::File(path, file) => self.put(path, *file),
            Change::Folder(path) => self.make_folder(path),
            Change::Rename(from, to) => {
                if let Some(moved) = self.take(from) {
                    self.insert(to, moved);
                }
            }
            Change::Exchange(one, other) => {
                if let (Some(first), Some(second)) = (self.take(one), self.take(other)) {
                    self.insert(one, second);
                    self.insert(other, first);
                }
            }
            Change::Remove(path) => {
                if let Some(left) = self.take(path).and_then(|tree| tree.without(goes)) {
                    self.insert(path, left);
                }
            }
        }
    }

    /// What is left once files are removed; none if nothing is.
    fn without(self, goes: &mut impl FnMut(usize) -> bool) -> Option<Self> {
        match self {
            Self::File(number) => (!goes(number)).then_some(self),
            Self::Folder(inner) => {
                let left: BTreeMap<_, _> = inner
                    .into_iter()
                    .filter_map(|(name, tree)| Some((name, tree.without(goes)?)))
                    .collect();
                (!left.is_empty()).then_some(Self::Folder(left))
            }
        }
    }

    /// Writes it below a folder, each file with its bytes.
    pub fn lay_out(&self, path: &Path, bytes: &mut impl FnMut(usize) -> Vec<u8>) -> Result<()> {
        match self {
            Self::File(number) => fs::write(path, bytes(*number))?,
            Self::Folder(inner) => {
                fs::create_dir_all(path)?;
                for (name, tree) in inner {
                    tree.lay_out(&path.join(name), bytes)?;
                }
            }
        }
        Ok(())
    }

    fn at(&self, path: &Path) -> Option<&Self> {
        path.iter().try_fold(self, |tree, name| match tree {
            Self::Folder(inner) => inner.get(name),
            Self::File(_) => None,
        })
    }

    /// The entries of a folder, which is made where it is missing.
    fn folder(&mut self, path: &Path) -> Option<&mut BTreeMap<OsString, Self>> {
        let tree = path.iter().try_fold(self, |tree, name| match tree {
            Self::Folder(inner) => Some(inner.entry(name.to_owned()).or_default()),
            Self::File(_) => None,
        })?;
        match tree {
            Self::Folder(inner) => Some(inner),
            Self::File(_) => None,
        }
    }

    fn insert(&mut self, path: &Path, tree: Self) {
        let folder = path.parent().and_then(|parent| self.folder(parent));
        if let Some((folder, name)) = folder.zip(path.file_name()) {
            folder.insert(name.to_owned(), tree);
        }
    }

    fn take(&mut self, path: &Path) -> Option<Self> {
        self.at(path)?;
        self.folder(path.parent()?)?.remove(path.file_name()?)
    }
}

impl Change {
    /// Whether it changes the list of this folder, to which it leads.
    pub fn is_in(&self, folder: &Path) -> bool {
        let changed = match self {
            Self::File(path, _) | Self::Folder(path) | Self::Remove(path) => vec![path],
            Self::Rename(_, to) => vec![to],
            Self::Exchange(one, other) => vec![one, other],
        };
        changed.iter().any(|path| path.parent() == Some(folder))
    }

    /// Whether it cannot have happened without an earlier one: that made what it moves or the folder it
    /// leads to, or that made room for it.
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
        let makes: Vec<&PathBuf> = match earlier {
            Self::File(path, _) | Self::Folder(path) => vec![path],
            Self::Rename(_, to) => vec![to],
            Self::Exchange(one, other) => vec![one, other],
            Self::Remove(_) => vec![],
        };
        let leaves = match earlier {
            Self::Rename(path, _) | Self::Remove(path) => Some(path),
            _ => None,
        };
        let takes = match self {
            Self::File(path, _) | Self::Folder(path) | Self::Rename(_, path) => Some(path),
            _ => None,
        };
        let is_made = uses
            .iter()
            .any(|used| makes.iter().any(|made| used.starts_with(made)));
        is_made || takes.is_some() && takes == leaves
    }
}
