//! A limit on the values read from a file of a given size: a small file that expands far more is
//! damaged or hostile.

use std::cell::Cell;
use std::path::Path;

use floral_mesh::Error as MeshError;

use crate::{Error, Result};

/// Bytes of values per byte of a file: far more than the compression of meshes and fields.
const MOST: u64 = 256;

/// Bytes that any file may expand to.
const LEAST: u64 = 1 << 24;

/// The remaining number of bytes.
pub(super) struct Budget(Cell<u64>);

impl Budget {
    /// The budget of a file.
    pub(super) fn of(path: &Path) -> Result<Self> {
        let size = std::fs::metadata(path).map_err(Error::io(path))?.len();
        Ok(Self(Cell::new(
            size.saturating_mul(MOST).saturating_add(LEAST),
        )))
    }

    /// Subtracts the bytes of a box of these lengths; refuses it if the budget is exceeded.
    pub(super) fn take(
        &self,
        mut lengths: impl Iterator<Item = usize>,
    ) -> std::result::Result<(), MeshError> {
        let bytes = lengths.try_fold(8u64, |n, length| n.checked_mul(length as u64));
        let left = bytes.and_then(|bytes| self.0.get().checked_sub(bytes));
        let left = left.ok_or_else(|| {
            MeshError::Format(format!(
                "unpacks to over {MOST} times the file; it is damaged"
            ))
        })?;
        self.0.set(left);
        Ok(())
    }
}
