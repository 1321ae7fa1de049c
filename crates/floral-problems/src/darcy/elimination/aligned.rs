//! Memory for SIMD lanes, aligned to cache lines so that no vector straddles two.

use std::marker::PhantomData;

use pulp::{Simd, bytemuck};

/// An array of vectors with one number per lane.
pub(super) struct Aligned<S: Simd> {
    memory: Vec<f64>,
    start: usize,
    length: usize,
    lanes: PhantomData<S>,
}

/// Numbers in a cache line.
const LINE: usize = 8;

impl<S: Simd> Aligned<S> {
    /// An empty array.
    pub fn empty() -> Self {
        Self {
            memory: Vec::new(),
            start: 0,
            length: 0,
            lanes: PhantomData,
        }
    }

    /// Sets the length; the values are left over from earlier use.
    pub fn resize(&mut self, length: usize) {
        let needed = length * S::F64_LANES + LINE;
        if self.memory.len() < needed {
            self.memory.resize(needed, 0.0);
            self.start = self.memory.as_ptr().align_offset(LINE * size_of::<f64>());
            self.start = self.start.min(LINE);
        }
        self.length = length;
    }

    /// The array.
    #[inline(always)]
    pub fn values(&self) -> &[S::f64s] {
        bytemuck::cast_slice(&self.memory[self.start..][..self.length * S::F64_LANES])
    }

    /// The array.
    #[inline(always)]
    pub fn values_mut(&mut self) -> &mut [S::f64s] {
        bytemuck::cast_slice_mut(&mut self.memory[self.start..][..self.length * S::F64_LANES])
    }
}
