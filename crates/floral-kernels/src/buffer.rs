//! Arrays that are reused without being cleared, and arrays of zeros that all threads clear.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

/// Largest number of unused arrays that are kept.
const KEPT: usize = 16;

static RESTING: Mutex<Vec<Vec<f32>>> = Mutex::new(Vec::new());

/// An array of zeros. Memory that was in use before has to be cleared, which for megabytes takes as
/// long as some of the arithmetic, so all threads share it.
pub fn zeros(length: usize) -> Vec<f32> {
    const BLOCK: usize = 64;
    const BLOCKS_OF_A_TASK: usize = 1 << 9;
    let blocks = length.div_ceil(BLOCK);
    if blocks < 2 * BLOCKS_OF_A_TASK {
        return vec![0.0; length];
    }
    let cleared = rayon::iter::repeat_n([0.0; BLOCK], blocks).with_min_len(BLOCKS_OF_A_TASK);
    let mut values = cleared.collect::<Vec<_>>().into_flattened();
    values.truncate(length);
    values
}

/// An array with arbitrary values left by its last user; write before reading.
pub struct Buffer {
    values: Vec<f32>,
    length: usize,
}

impl Buffer {
    pub fn new(length: usize) -> Self {
        let mut resting = RESTING.lock().unwrap_or_else(PoisonError::into_inner);
        // Not much larger than needed: a large array could serve another request.
        let fits = |values: &Vec<f32>| (length..=length + length / 4).contains(&values.len());
        let place = resting.iter().rposition(fits);
        let values = place.map(|place| resting.remove(place));
        drop(resting);
        Self {
            values: values.unwrap_or_else(|| zeros(length)),
            length,
        }
    }

    /// The array itself, which is not reused by another buffer.
    pub fn into_vec(mut self) -> Vec<f32> {
        let mut values = std::mem::take(&mut self.values);
        values.truncate(self.length);
        values
    }
}

impl Deref for Buffer {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &self.values[..self.length]
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.values[..self.length]
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.values.is_empty() {
            return;
        }
        let mut resting = RESTING.lock().unwrap_or_else(PoisonError::into_inner);
        resting.push(std::mem::take(&mut self.values));
        if resting.len() > KEPT {
            resting.remove(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_as_many_as_asked_for() {
        for length in [0, 1, 63, 64, 65_535, 65_536, 100_001] {
            let values = zeros(length);
            assert!(values.len() == length && values.iter().all(|v| *v == 0.0));
        }
    }

    #[test]
    fn a_buffer_has_its_length_whatever_its_memory_served_before() {
        for length in [1000, 900, 1001, 0, 1000] {
            let mut buffer = Buffer::new(length);
            buffer.fill(1.0);
            assert_eq!(buffer.len(), length);
        }
        assert_eq!(Buffer::new(950).into_vec().len(), 950);
    }
}
