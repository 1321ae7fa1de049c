//! Bytes with random access: a file, or data decompressed into memory.

use std::fs::File;
use std::io;

use rawzip::{FileReader, ReaderAt};

/// A file, or a piece of memory.
pub(super) enum Bytes {
    /// A file.
    File(FileReader),
    /// Memory.
    Memory(Vec<u8>),
}

impl Bytes {
    /// The bytes of a file.
    pub fn of(file: File) -> Self {
        Self::File(FileReader::from(file))
    }

    /// Fills `into` with the bytes from offset `at`.
    pub fn read(&self, at: u64, into: &mut [u8]) -> io::Result<()> {
        match self {
            Self::File(file) => file.read_exact_at(into, at),
            Self::Memory(bytes) => {
                let start = usize::try_from(at).ok();
                let found = start
                    .and_then(|start| bytes.get(start..))
                    .and_then(|rest| rest.get(..into.len()));
                into.copy_from_slice(found.ok_or(io::ErrorKind::UnexpectedEof)?);
                Ok(())
            }
        }
    }
}
