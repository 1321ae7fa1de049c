//! Cache of inputs that were read once, limited in memory.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::Case;

/// Largest size of the cache in bytes; other inputs are read again. Two fields on 64x64 points take
/// 64 KiB.
const MOST: usize = 256 << 20;

/// Inputs by their index.
#[derive(Default)]
pub(super) struct ReadCases(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    cases: HashMap<usize, Case>,
    bytes: usize,
}

impl ReadCases {
    /// A cached input.
    pub fn find(&self, index: usize) -> Option<Case> {
        self.with(|kept| kept.cases.get(&index).cloned())
    }

    /// Keeps an input if there is room for it.
    pub fn keep(&self, index: usize, case: Case) {
        self.with(|kept| {
            let bytes = kept.bytes + case.bytes();
            if bytes <= MOST && !kept.cases.contains_key(&index) {
                kept.cases.insert(index, case);
                kept.bytes = bytes;
            }
        });
    }

    fn with<T>(&self, work: impl FnOnce(&mut Kept) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Axis, Field, Grid};

    #[test]
    fn cases_are_kept_until_memory_for_them_is_used_up() {
        let grid = Grid::new(vec![Axis::closed("x", MOST / 16 + 1)]);
        let case = Case {
            input: Field::scalar(&grid, vec![1.0; MOST / 16 + 1]),
            low: None,
        };
        let read = ReadCases::default();
        read.keep(3, case.clone());
        read.keep(4, case);
        assert!(read.find(3).is_some() && read.find(4).is_none());
    }
}
