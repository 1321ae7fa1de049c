//! Disks as a power failure may leave them, from the journal of what was done to files.
//!
//! Sure is only what was synced: the bytes of a file by a sync of the file, its name by a sync of its
//! folder, all by a sync of the file system. The rest may be there or not, and bytes may be cut short
//! or zeros. A renaming is done or not done; it is sure once the folder that it leads to is synced.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use floral_faults::injection::journal::Done;

use crate::dice::Dice;
use crate::tree::{Change, Tree};

/// All that happened to the files below a folder.
pub struct Past {
    root: PathBuf,
    before: Tree,
    files: Vec<FilePast>,
    changes: Vec<(usize, Change)>,
    journal: Vec<Done>,
}

/// The bytes of a file, and when each came.
#[derive(Default)]
struct FilePast {
    sure: Vec<u8>,
    written: Vec<(usize, Vec<u8>)>,
    synced: Vec<usize>,
}

impl Past {
    /// Of a folder as it is, before the journal begins.
    pub fn of(root: &Path) -> Result<Self> {
        let mut past = Self {
            root: root.to_owned(),
            before: Tree::default(),
            files: Vec::new(),
            changes: Vec::new(),
            journal: Vec::new(),
        };
        let mut found = Vec::new();
        gather(root, root, &mut found)?;
        for (path, bytes) in found {
            let Some(bytes) = bytes else {
                past.before.make_folder(&path);
                continue;
            };
            past.before.put(&path, past.files.len());
            past.files.push(FilePast {
                sure: bytes,
                ..FilePast::default()
            });
        }
        Ok(past)
    }

    /// Adds what happened.
    pub fn follow(mut self, journal: Vec<Done>) -> Self {
        let mut numbers = HashMap::new();
        let mut live = self.before.clone();
        for (time, step) in journal.iter().enumerate() {
            self.note(time, step, &live, &mut numbers);
            if let Some((_, change)) = self.changes.last().filter(|(at, _)| *at == time) {
                live.apply(change, &mut |_| true);
            }
        }
        self.journal = journal;
        self
    }

    fn note(&mut self, time: usize, step: &Done, live: &Tree, numbers: &mut HashMap<u64, usize>) {
        let inner = |path: &Path| path.strip_prefix(&self.root).ok().map(Path::to_owned);
        let change = match step {
            Done::Opened { path, file, .. } => inner(path).and_then(|path| {
                // One that was there is opened to be added to.
                if let Some(known) = live.file(&path) {
                    numbers.insert(*file, known);
                    return None;
                }
                self.files.push(FilePast::default());
                numbers.insert(*file, self.files.len() - 1);
                Some(Change::File(path, self.files.len() - 1))
            }),
            Done::Linked(path, file) => {
                let known = numbers.get(file).copied();
                let change = inner(path).zip(known);
                change.map(|(path, file)| Change::File(path, file))
            }
            Done::Written(file, bytes) => {
                if let Some(at) = numbers.get(file) {
                    self.files[*at].written.push((time, bytes.clone()));
                }
                None
            }
            Done::Synced(file) => {
                if let Some(at) = numbers.get(file) {
                    self.files[*at].synced.push(time);
                }
                None
            }
            Done::AllSynced => {
                self.files
                    .iter_mut()
                    .for_each(|file| file.synced.push(time));
                None
            }
            Done::FolderSynced(_) => None,
            Done::Renamed(from, to) => inner(from)
                .zip(inner(to))
                .map(|(from, to)| Change::Rename(from, to)),
            Done::Exchanged(one, other) => inner(one)
                .zip(inner(other))
                .map(|(one, other)| Change::Exchange(one, other)),
            Done::FolderMade(path) => inner(path).map(Change::Folder),
            Done::FolderRemoved(path) | Done::Removed(path) => inner(path).map(Change::Remove),
        };
        self.changes.extend(change.map(|change| (time, change)));
    }

    /// Steps after which the power may fail: none to all.
    pub fn moments(&self) -> usize {
        self.journal.len()
    }

    /// A disk after a failure behind the first `moment` steps, laid out below a folder.
    pub fn lay_out(&self, moment: usize, dice: &mut Dice, folder: &Path) -> Result<()> {
        let kept = self.kept(moment, dice);
        let mut tree = self.before.clone();
        for (number, (_, change)) in self.changes.iter().enumerate() {
            if kept.contains(&number) {
                // What is removed bit by bit may be half there.
                let is_whole =
                    self.is_sure(number, moment) || self.is_needed(number, &kept) || dice.one_in(2);
                tree.apply(change, &mut |_| is_whole || dice.one_in(2));
            }
        }
        let bytes = |file: usize, dice: &mut Dice| self.files[file].bytes(moment, dice);
        fs::create_dir_all(folder)?;
        tree.lay_out(folder, &mut |file| bytes(file, dice))
    }

    /// The changes of names that have reached the disk: the sure ones and what they need, and of the
    /// others all up to some moment, as file systems with a journal have it, or any.
    fn kept(&self, moment: usize, dice: &mut Dice) -> BTreeSet<usize> {
        let done = self.changes.iter().take_while(|(time, _)| *time < moment);
        let done = done.count();
        let mut kept: BTreeSet<usize> = (0..done).filter(|i| self.is_sure(*i, moment)).collect();
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

    fn is_sure(&self, number: usize, moment: usize) -> bool {
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
        let mut bytes = self.sure.clone();
        let mut unsure = Vec::new();
        for (time, piece) in self.written.iter().filter(|(time, _)| *time < moment) {
            match synced.is_some_and(|synced| *time < synced) {
                true => bytes.extend(piece),
                false => unsure.extend(piece),
            }
        }
        let cut = dice.below(unsure.len() + 1);
        match dice.below(5) {
            0 => unsure.clear(),
            1 => unsure.truncate(cut),
            2 => unsure[cut..].fill(0),
            3 => unsure.fill(0),
            _ => {}
        }
        bytes.extend(unsure);
        bytes
    }
}

/// Folders, and files with their bytes, below a folder.
pub fn gather(root: &Path, path: &Path, found: &mut Vec<(PathBuf, Option<Vec<u8>>)>) -> Result<()> {
    for entry in fs::read_dir(path)? {
        let path = entry?.path();
        let inner = path.strip_prefix(root)?.to_owned();
        if path.is_dir() {
            found.push((inner, None));
            gather(root, &path, found)?;
        } else {
            found.push((inner, Some(fs::read(&path)?)));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that a disk may hold under the name `b`, over many throws; none if it is absent.
    fn found(journal: &[Done], moment: usize) -> BTreeSet<Option<Vec<u8>>> {
        (0..200)
            .map(|case| {
                let folder = tempfile::tempdir().unwrap();
                let past = Past::of(folder.path()).unwrap();
                let root = PathBuf::from("/disk");
                let past = Past { root, ..past }.follow(journal.to_vec());
                let state = folder.path().join("state");
                past.lay_out(moment, &mut Dice::new(1, case), &state)
                    .unwrap();
                fs::read(state.join("b")).ok()
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
        let sure = BTreeSet::from([Some(b"whole".to_vec())]);
        assert_eq!(found(&journal, 5), sure);
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
    fn what_a_sure_change_needs_is_sure() {
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
        let sure = BTreeSet::from([Some(b"whole".to_vec())]);
        assert_eq!(found(&journal, 6), sure);
    }
}
