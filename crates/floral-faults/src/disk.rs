//! The possible states of a disk after a power failure, from the journal of file operations.
//!
//! Only synced data are durable: the bytes of a file by a sync of the file, its name by a sync of
//! its folder, everything by a sync of the file system. All other data may be lost or kept, and
//! bytes may be cut short or zero. A rename is atomic, and durable once its destination folder is
//! synced.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use anyhow::Result;
use floral_faults::injection::journal::Done;

use crate::dice::Dice;
use crate::files::below;
use crate::tree::{Change, Tree};

/// Everything that happened to the files below a folder.
#[derive(Default)]
pub struct Past {
    root: PathBuf,
    before: Tree,
    files: Vec<FilePast>,
    /// Changes of names, each with the index of its step in the journal.
    changes: Vec<(usize, Change)>,
    journal: Vec<Done>,
}

/// The bytes of a file, and the steps that wrote and synced them.
#[derive(Default)]
struct FilePast {
    durable: Vec<u8>,
    written: Vec<(usize, Vec<u8>)>,
    synced: Vec<usize>,
}

impl Past {
    /// The folder in its state before the journal starts.
    pub fn of(root: &Path) -> Result<Self> {
        let mut past = Self {
            root: root.to_owned(),
            ..Self::default()
        };
        for (path, bytes) in below(root)? {
            let change = match bytes {
                None => Change::Folder(path),
                Some(durable) => {
                    past.files.push(FilePast {
                        durable,
                        ..FilePast::default()
                    });
                    Change::File(path, past.files.len() - 1)
                }
            };
            past.before.apply(&change, &mut || true);
        }
        Ok(past)
    }

    /// Adds the steps of a journal.
    pub fn follow(&mut self, journal: Vec<Done>) {
        let mut numbers = HashMap::new();
        let mut live = self.before.clone();
        for (time, step) in journal.iter().enumerate() {
            if let Some(change) = self.note(time, step, &live, &mut numbers) {
                live.apply(&change, &mut || true);
                self.changes.push((time, change));
            }
        }
        self.journal = journal;
    }

    /// Records the bytes of a step; returns the change of names that it makes, if any.
    fn note(
        &mut self,
        time: usize,
        step: &Done,
        live: &Tree,
        numbers: &mut HashMap<u64, usize>,
    ) -> Option<Change> {
        let inner = |path: &Path| path.strip_prefix(&self.root).ok().map(Path::to_owned);
        match step {
            Done::Opened { path, file, .. } => {
                let path = inner(path)?;
                // An existing file is opened for appending.
                let known = live.file(&path);
                let number = known.unwrap_or(self.files.len());
                numbers.insert(*file, number);
                if known.is_some() {
                    return None;
                }
                self.files.push(FilePast::default());
                return Some(Change::File(path, number));
            }
            Done::Linked(path, file) => {
                return Some(Change::File(inner(path)?, *numbers.get(file)?));
            }
            Done::Renamed(from, to) => return Some(Change::Rename(inner(from)?, inner(to)?)),
            Done::Exchanged(one, other) => {
                return Some(Change::Exchange(inner(one)?, inner(other)?));
            }
            Done::FolderMade(path) => return inner(path).map(Change::Folder),
            Done::FolderRemoved(path) | Done::Removed(path) => {
                return inner(path).map(Change::Remove);
            }
            Done::Written(file, bytes) => {
                let file = &mut self.files[*numbers.get(file)?];
                file.written.push((time, bytes.clone()));
            }
            Done::Synced(file) => self.files[*numbers.get(file)?].synced.push(time),
            Done::AllSynced => {
                let files = self.files.iter_mut();
                files.for_each(|file| file.synced.push(time));
            }
            Done::FolderSynced(_) => {}
        }
        None
    }

    /// The number of steps in the journal; the power may fail after any of them, or before the
    /// first.
    pub fn moments(&self) -> usize {
        self.journal.len()
    }

    /// Writes a possible disk after a failure that followed the first `moment` steps into a folder.
    pub fn lay_out(&self, moment: usize, dice: &mut Dice, folder: &Path) -> Result<()> {
        let kept = self.kept(moment, dice);
        let mut tree = self.before.clone();
        for (number, (_, change)) in self.changes.iter().enumerate() {
            if kept.contains(&number) {
                // An interrupted removal may have removed only some of the files.
                let is_whole = self.is_durable(number, moment)
                    || self.is_needed(number, &kept)
                    || dice.one_in(2);
                tree.apply(change, &mut || is_whole || dice.one_in(2));
            }
        }
        std::fs::create_dir_all(folder)?;
        tree.lay_out(folder, &mut |file| self.files[file].bytes(moment, dice))
    }

    /// The changes of names that have reached the disk: the durable ones with those they need, and
    /// of the others either all up to some moment, as on a journalling file system, or an arbitrary
    /// subset.
    fn kept(&self, moment: usize, dice: &mut Dice) -> BTreeSet<usize> {
        let done = self.changes.iter().take_while(|(time, _)| *time < moment);
        let done = done.count();
        let mut kept: BTreeSet<usize> = (0..done).filter(|i| self.is_durable(*i, moment)).collect();
        match dice.below(3) {
            0 => {}
            1 => kept.extend(0..dice.below(done + 1)),
            _ => kept.extend((0..done).filter(|_| dice.one_in(2))),
        }
        for number in (0..done).rev() {
            if self.is_needed(number, &kept) {
                kept.insert(number);
            }
        }
        kept
    }

    /// Whether a later change that is kept needs this one.
    fn is_needed(&self, number: usize, kept: &BTreeSet<usize>) -> bool {
        let (_, change) = &self.changes[number];
        let mut later = kept.range(number + 1..);
        later.any(|later| self.changes[*later].1.needs(change))
    }

    fn is_durable(&self, number: usize, moment: usize) -> bool {
        let (time, change) = &self.changes[number];
        let after = &self.journal[*time..moment];
        after.iter().any(|step| match step {
            Done::AllSynced => true,
            Done::FolderSynced(folder) => folder
                .strip_prefix(&self.root)
                .is_ok_and(|folder| change.is_in(folder)),
            _ => false,
        })
    }
}

impl FilePast {
    fn bytes(&self, moment: usize, dice: &mut Dice) -> Vec<u8> {
        let synced = self.synced.iter().rfind(|time| **time < moment).copied();
        let mut bytes = self.durable.clone();
        let mut unsynced = Vec::new();
        for (time, piece) in self.written.iter().filter(|(time, _)| *time < moment) {
            match synced.is_some_and(|synced| *time < synced) {
                true => bytes.extend(piece),
                false => unsynced.extend(piece),
            }
        }
        let cut = dice.below(unsynced.len() + 1);
        match dice.below(5) {
            0 => unsynced.clear(),
            1 => unsynced.truncate(cut),
            2 => unsynced[cut..].fill(0),
            3 => unsynced.fill(0),
            _ => {}
        }
        bytes.extend(unsynced);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The possible contents of the file `b` over many draws; `None` if the file is absent.
    fn found(journal: &[Done], moment: usize) -> BTreeSet<Option<Vec<u8>>> {
        (0..200)
            .map(|case| {
                let folder = tempfile::tempdir().unwrap();
                let mut past = Past::of(folder.path()).unwrap();
                past.root = "/disk".into();
                past.follow(journal.to_vec());
                let state = folder.path().join("state");
                past.lay_out(moment, &mut Dice::new(1, case), &state)
                    .unwrap();
                std::fs::read(state.join("b")).ok()
            })
            .collect()
    }

    fn write_and_rename(syncs_file: bool) -> Vec<Done> {
        let [a, b] = ["/disk/a", "/disk/b"].map(PathBuf::from);
        let mut journal = vec![
            Done::Opened {
                path: a.clone(),
                file: 7,
                is_empty: true,
            },
            Done::Written(7, b"whole".to_vec()),
        ];
        if syncs_file {
            journal.push(Done::Synced(7));
        }
        journal.push(Done::Renamed(a, b));
        journal.push(Done::FolderSynced("/disk".into()));
        journal
    }

    #[test]
    fn a_file_that_is_synced_before_it_takes_its_name_is_whole_or_absent() {
        let journal = write_and_rename(true);
        let either = BTreeSet::from([None, Some(b"whole".to_vec())]);
        assert_eq!(found(&journal, 4), either);
        assert_eq!(found(&journal, 2), BTreeSet::from([None]));
        let durable = BTreeSet::from([Some(b"whole".to_vec())]);
        assert_eq!(found(&journal, 5), durable);
    }

    #[test]
    fn a_second_name_of_a_synced_file_is_whole_or_absent() {
        let [a, link, b] = ["/disk/a", "/disk/link", "/disk/b"].map(PathBuf::from);
        let journal = [
            Done::Opened {
                path: a,
                file: 7,
                is_empty: true,
            },
            Done::Written(7, b"whole".to_vec()),
            Done::Synced(7),
            Done::Linked(link.clone(), 7),
            Done::Renamed(link, b),
            Done::FolderSynced("/disk".into()),
        ];
        let either = BTreeSet::from([None, Some(b"whole".to_vec())]);
        assert_eq!(found(&journal, 5), either);
        assert_eq!(
            found(&journal, 6),
            BTreeSet::from([Some(b"whole".to_vec())])
        );
    }

    #[test]
    fn a_file_that_was_not_synced_may_be_cut_or_zeros_under_its_name() {
        let there = found(&write_and_rename(false), 4);
        for bytes in [b"whole".as_slice(), b"", b"\0\0\0\0\0", b"wh", b"wh\0\0\0"] {
            assert!(there.contains(&Some(bytes.to_vec())), "{bytes:?}");
        }
    }

    #[test]
    fn what_a_sure_change_needs_is_durable() {
        let [folder, a, b] = ["/disk/new", "/disk/new/a", "/disk/b"].map(PathBuf::from);
        let journal = vec![
            Done::FolderMade(folder),
            Done::Opened {
                path: a.clone(),
                file: 7,
                is_empty: true,
            },
            Done::Written(7, b"whole".to_vec()),
            Done::Synced(7),
            Done::Renamed(a, b),
            Done::FolderSynced("/disk".into()),
        ];
        let durable = BTreeSet::from([Some(b"whole".to_vec())]);
        assert_eq!(found(&journal, 6), durable);
    }
}
