//! Realizations of an unfinished input, kept in the folder of `partial.rs`, so that an interrupted
//! run need not compute them again.
//!
//! The folder has one file per block of realizations, named by the first one. A file holds a
//! checksum of the rest, the number of evaluations, and the values in the group's precision. The
//! folder is removed when the input is finished.

use std::ops::Range;
use std::path::PathBuf;

use super::atomic::write_whole;
use super::files::{create_folder, remove_folder};
use super::{Precision, operations};
use crate::{Checksum, Result};

/// The realizations of one input computed so far.
pub struct Spool {
    folder: PathBuf,
    scratch: PathBuf,
    /// Number of values of a realization.
    size: usize,
    /// Number of realizations of a block.
    rows: usize,
    /// Precision of the values, which are already rounded to it.
    precision: Precision,
    /// Index of the next realization.
    next: usize,
    block: Block,
}

/// Number and cost of stored realizations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spooled {
    /// Number of realizations.
    pub realizations: usize,
    /// Number of evaluations of the network.
    pub evaluations: usize,
}

#[derive(Default)]
struct Block {
    evaluations: u64,
    values: Vec<f64>,
}

impl Spool {
    /// A spool of realizations of `size` values, in blocks of `rows`.
    pub(super) fn new(
        folder: PathBuf,
        scratch: PathBuf,
        (size, rows): (usize, usize),
        precision: Precision,
    ) -> Self {
        Self {
            folder,
            scratch,
            size,
            rows: rows.max(1),
            precision,
            next: 0,
            block: Block::default(),
        }
    }

    /// Passes the realizations stored by an earlier run to `consume`, in order. Stops at the first
    /// missing or damaged block; all later realizations must be computed.
    pub fn replay(
        &mut self,
        mut consume: impl FnMut(usize, &[f64]) -> Result<()>,
    ) -> Result<Spooled> {
        let mut found = Spooled::default();
        while let Some(block) = self.read(self.next) {
            found.evaluations += block.evaluations as usize;
            for values in block.values.chunks_exact(self.size) {
                consume(self.next, values)?;
                self.next += 1;
            }
        }
        found.realizations = self.next;
        Ok(found)
    }

    /// Moves to the first realization in this range that is not stored, or to the end of the range.
    /// The range must begin at a block.
    pub fn seek(&mut self, within: Range<usize>) -> usize {
        self.next = within.start;
        while self.next < within.end && self.read(self.next).is_some() {
            self.next = (self.next + self.rows).min(within.end);
        }
        self.next
    }

    /// Appends the next realization; stores the block once it is full.
    pub fn push(&mut self, values: &[f64], evaluations: usize) -> Result<()> {
        self.block.values.extend_from_slice(values);
        self.block.evaluations += evaluations as u64;
        self.next += 1;
        if !self.next.is_multiple_of(self.rows) {
            return Ok(());
        }
        self.store()
    }

    /// Stores an incomplete block, after the last realization.
    pub fn store(&mut self) -> Result<()> {
        if self.block.values.is_empty() {
            return Ok(());
        }
        let block = std::mem::take(&mut self.block);
        let first = self.next - block.values.len() / self.size;
        create_folder(&self.folder)?;
        write_whole(
            &self.path(first),
            &block.bytes(self.precision),
            &self.scratch,
        )
    }

    /// Removes the stored blocks, once the input is stored.
    pub fn clear(self) -> Result<()> {
        remove_folder(&self.folder)
    }

    fn path(&self, first: usize) -> PathBuf {
        self.folder.join(format!("{first}.block"))
    }

    fn read(&self, first: usize) -> Option<Block> {
        let block = Block::parse(&operations::read(&self.path(first)).ok()?, self.precision)?;
        let is_whole = !block.values.is_empty() && block.values.len().is_multiple_of(self.size);
        is_whole.then_some(block)
    }
}

impl Block {
    fn bytes(&self, precision: Precision) -> Vec<u8> {
        let mut body = self.evaluations.to_le_bytes().to_vec();
        for value in &self.values {
            match precision {
                Precision::F32 => body.extend((*value as f32).to_le_bytes()),
                Precision::F64 => body.extend(value.to_le_bytes()),
            }
        }
        let sum = Checksum::default().bytes(&body).short();
        [&sum.to_le_bytes(), body.as_slice()].concat()
    }

    fn parse(bytes: &[u8], precision: Precision) -> Option<Self> {
        let (sum, body) = bytes.split_first_chunk()?;
        let (evaluations, values) = body.split_first_chunk()?;
        let is_sound = Checksum::default().bytes(body).short() == u64::from_le_bytes(*sum)
            && values.len().is_multiple_of(precision.size());
        is_sound.then(|| Self {
            evaluations: u64::from_le_bytes(*evaluations),
            values: match precision {
                Precision::F32 => {
                    let words = values.as_chunks().0.iter();
                    words.map(|word| f32::from_le_bytes(*word).into()).collect()
                }
                Precision::F64 => {
                    let words = values.as_chunks().0.iter();
                    words.map(|word| f64::from_le_bytes(*word)).collect()
                }
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn spool(folder: &Path) -> Spool {
        Spool::new(folder.join("7"), folder.to_owned(), (2, 3), Precision::F32)
    }

    fn replayed(folder: &Path) -> (Spooled, Vec<Vec<f64>>) {
        let mut values = Vec::new();
        let found = spool(folder).replay(|j, realization| {
            assert_eq!(j, values.len(), "in order");
            values.push(realization.to_vec());
            Ok(())
        });
        (found.unwrap(), values)
    }

    #[test]
    fn whole_blocks_are_kept_and_what_is_damaged_ends_the_list() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        assert_eq!(replayed(folder).0, Spooled::default());
        let mut writer = spool(folder);
        for j in 0..8u8 {
            writer.push(&[f64::from(j), -1.0], 10).unwrap();
        }
        let (found, values) = replayed(folder);
        assert_eq!((found.realizations, found.evaluations), (6, 60));
        assert_eq!(values[5], [5.0, -1.0]);

        // A run that continues stores the incomplete block.
        let mut writer = spool(folder);
        assert_eq!(writer.replay(|_, _| Ok(())).unwrap().realizations, 6);
        for _ in 0..3 {
            writer.push(&[9.0, 9.0], 1).unwrap();
        }
        assert_eq!(replayed(folder).0.realizations, 9);

        // Other ranks may have computed later blocks, and the last one.
        let mut other = spool(folder);
        assert_eq!((other.seek(6..12), other.seek(12..14)), (9, 12));
        other.push(&[1.0, 1.0], 1).unwrap();
        other.push(&[1.0, 1.0], 1).unwrap();
        other.store().unwrap();
        assert_eq!(spool(folder).seek(12..14), 14);
        assert_eq!(replayed(folder).0.realizations, 9);

        let path = folder.join("7/3.block");
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[20] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(replayed(folder).0.realizations, 3);
        spool(folder).clear().unwrap();
        assert_eq!(replayed(folder).0.realizations, 0);
    }
}
