//! The arrays of a run's samples: in memory, or in a private file if they do not fit.
//!
//! [`Samples`](super::samples::Samples) reads from either with the same results. Each array is
//! stored once, when it is first needed. The file holds decoded values, so that no array is decoded
//! twice; the operating system caches as much of it as it has room for.

use std::borrow::Cow;
use std::fs::{File, OpenOptions, remove_file};
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::storage::unique_name;
use crate::{Error, Result};

const BYTES: u64 = 4;

/// Arrays of values, identified by number.
pub enum SampleArrays {
    /// In memory; each array is set once.
    Memory(Vec<OnceLock<Vec<f32>>>),
    /// In a scratch file.
    File(Scratch),
}

/// A file without a name; where the system requires names, it is removed on drop.
pub struct Scratch {
    file: Mutex<File>,
    path: PathBuf,
    /// Position of the first value of each array, once it is stored.
    starts: Vec<OnceLock<u64>>,
}

impl SampleArrays {
    /// Room for `count` arrays; in a file if a folder is given.
    pub fn new(folder: Option<&Path>, name: &str, count: usize) -> Result<Self> {
        Ok(match folder {
            Some(folder) => Self::File(Scratch::new(folder, name, count)?),
            None => Self::Memory(vec![OnceLock::new(); count]),
        })
    }

    /// Number of arrays.
    pub fn count(&self) -> usize {
        match self {
            Self::Memory(all) => all.len(),
            Self::File(scratch) => scratch.starts.len(),
        }
    }

    /// Whether an array is stored.
    pub fn has(&self, index: usize) -> bool {
        match self {
            Self::Memory(all) => all[index].get().is_some(),
            Self::File(scratch) => scratch.starts[index].get().is_some(),
        }
    }

    /// Stores an array; if it is stored already, the first one stays.
    pub fn put(&self, index: usize, values: Vec<f32>) -> Result<()> {
        match self {
            Self::Memory(all) => {
                let _ = all[index].set(values);
                Ok(())
            }
            Self::File(scratch) => scratch.put(index, &values),
        }
    }

    /// A range of values of a stored array.
    pub fn part(&self, index: usize, values: Range<usize>) -> Result<Cow<'_, [f32]>> {
        const THERE: &str = "an array is put before it is read";
        match self {
            Self::Memory(all) => Ok(Cow::Borrowed(&all[index].get().expect(THERE)[values])),
            Self::File(scratch) => {
                let start = scratch.starts[index].get().expect(THERE);
                Ok(Cow::Owned(scratch.read(*start, values)?))
            }
        }
    }
}

impl From<Vec<Vec<f32>>> for SampleArrays {
    fn from(all: Vec<Vec<f32>>) -> Self {
        Self::Memory(all.into_iter().map(OnceLock::from).collect())
    }
}

impl Scratch {
    fn new(folder: &Path, name: &str, count: usize) -> Result<Self> {
        let path = folder.join(format!(".{name}-{}", unique_name()));
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create_new(true);
        let file = options.open(&path).map_err(Error::io(&path))?;
        // A file without a name disappears however the program ends.
        let _ = remove_file(&path);
        Ok(Self {
            file: Mutex::new(file),
            path,
            starts: vec![OnceLock::new(); count],
        })
    }

    fn put(&self, index: usize, values: &[f32]) -> Result<()> {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let start = self.at(SeekFrom::End(0), |file| file.write_all(&bytes))? / BYTES;
        let _ = self.starts[index].set(start);
        Ok(())
    }

    fn read(&self, start: u64, values: Range<usize>) -> Result<Vec<f32>> {
        let mut bytes = vec![0; values.len() * BYTES as usize];
        let first = SeekFrom::Start((start + values.start as u64) * BYTES);
        self.at(first, |file| file.read_exact(&mut bytes))?;
        let values = bytes.as_chunks().0.iter();
        Ok(values.map(|value| f32::from_le_bytes(*value)).collect())
    }

    /// Seeks to `place`, reads or writes there, and returns the byte position.
    fn at(
        &self,
        place: SeekFrom,
        act: impl FnOnce(&mut File) -> std::io::Result<()>,
    ) -> Result<u64> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let moved = file.seek(place);
        moved
            .and_then(|byte| act(&mut file).map(|()| byte))
            .map_err(Error::io(&self.path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_holds_what_memory_holds_and_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let all = vec![vec![1.0, -2.5, f32::MIN_POSITIVE], vec![], vec![7.0; 5]];
        let memory = SampleArrays::from(all.clone());
        let file = SampleArrays::new(Some(folder.path()), "samples", all.len()).unwrap();
        // In any order, and repeatedly.
        for index in [2, 0, 1, 0] {
            assert_eq!(file.has(index), index == 0 && file.has(1));
            file.put(index, all[index].clone()).unwrap();
        }
        for (index, part) in [(0, 0..3), (2, 1..4), (0, 1..2), (1, 0..0)] {
            assert_eq!(
                file.part(index, part.clone()).unwrap(),
                memory.part(index, part).unwrap()
            );
        }
        drop(file);
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }

    #[test]
    fn a_missing_folder_is_named() {
        let error = SampleArrays::new(Some(Path::new("nowhere/at/all")), "samples", 1).err();
        assert!(error.unwrap().to_string().contains("nowhere"));
    }
}
