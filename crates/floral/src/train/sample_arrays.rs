//! The arrays of a run's samples: in memory, or in a file that nobody else sees where they do not fit.
//!
//! [`Samples`](super::samples::Samples) reads from either, so training comes to the same numbers. The
//! file is written once, input by input, and holds what is read as it is read: the system keeps what
//! it has room for, and no array is decoded twice.

use std::borrow::Cow;
use std::fs::{File, OpenOptions, remove_file};
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::storage::unique_name;
use crate::{Error, Result};

const BYTES: u64 = 4;

/// Arrays of values, known by their number.
pub struct SampleArrays {
    place: Place,
    lengths: Vec<usize>,
}

enum Place {
    Memory(Vec<Vec<f32>>),
    File(Scratch),
}

/// A file without a name, or one that is removed at the end where the system wants names.
struct Scratch {
    file: Mutex<File>,
    path: PathBuf,
    /// Per array the position of its first value.
    starts: Vec<u64>,
    end: u64,
}

impl SampleArrays {
    /// None yet; a folder says to keep them in a file there.
    pub fn new(folder: Option<&Path>, name: &str) -> Result<Self> {
        let place = match folder {
            Some(folder) => Place::File(Scratch::new(folder, name)?),
            None => Place::Memory(Vec::new()),
        };
        Ok(Self {
            place,
            lengths: Vec::new(),
        })
    }

    /// Number of arrays.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Values of each array.
    pub fn lengths(&self) -> &[usize] {
        &self.lengths
    }

    /// Adds an array.
    pub fn push(&mut self, values: Vec<f32>) -> Result<()> {
        self.lengths.push(values.len());
        match &mut self.place {
            Place::Memory(all) => all.push(values),
            Place::File(scratch) => scratch.push(&values)?,
        }
        Ok(())
    }

    /// Some values of an array.
    pub fn part(&self, index: usize, values: Range<usize>) -> Result<Cow<'_, [f32]>> {
        match &self.place {
            Place::Memory(all) => Ok(Cow::Borrowed(&all[index][values])),
            Place::File(scratch) => Ok(Cow::Owned(scratch.part(index, values)?)),
        }
    }
}

impl From<Vec<Vec<f32>>> for SampleArrays {
    fn from(all: Vec<Vec<f32>>) -> Self {
        Self {
            lengths: all.iter().map(Vec::len).collect(),
            place: Place::Memory(all),
        }
    }
}

impl Scratch {
    fn new(folder: &Path, name: &str) -> Result<Self> {
        let path = folder.join(format!(".{name}-{}", unique_name()));
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create_new(true);
        let file = options.open(&path).map_err(Error::io(&path))?;
        // Without its name it is gone however the program ends.
        let _ = remove_file(&path);
        Ok(Self {
            file: Mutex::new(file),
            path,
            starts: Vec::new(),
            end: 0,
        })
    }

    fn push(&mut self, values: &[f32]) -> Result<()> {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.starts.push(self.end);
        self.at(self.end, |file| file.write_all(&bytes))?;
        self.end += values.len() as u64;
        Ok(())
    }

    fn part(&self, index: usize, values: Range<usize>) -> Result<Vec<f32>> {
        let mut bytes = vec![0; values.len() * BYTES as usize];
        let first = self.starts[index] + values.start as u64;
        self.at(first, |file| file.read_exact(&mut bytes))?;
        let values = bytes.as_chunks().0.iter();
        Ok(values.map(|value| f32::from_le_bytes(*value)).collect())
    }

    /// Reads or writes from a value on.
    fn at(&self, value: u64, act: impl FnOnce(&mut File) -> std::io::Result<()>) -> Result<()> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let moved = file.seek(SeekFrom::Start(value * BYTES));
        moved
            .and_then(|_| act(&mut file))
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
        let mut file = SampleArrays::new(Some(folder.path()), "samples").unwrap();
        for array in all {
            file.push(array).unwrap();
        }
        assert_eq!(file.lengths(), memory.lengths());
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
    fn a_folder_that_is_not_there_is_named() {
        let error = SampleArrays::new(Some(Path::new("nowhere/at/all")), "samples").err();
        assert!(error.unwrap().to_string().contains("nowhere"));
    }
}
