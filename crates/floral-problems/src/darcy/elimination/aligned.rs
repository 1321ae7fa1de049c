//! Memory for SIMD lanes that begins on a cache line, so that no vector straddles two.

use std::marker::PhantomData;

use pulp::{Simd, bytemuck};

/// A number per lane at each of some places.
pub(super) struct Aligned<S: Simd> {
    memory: Vec<f64>,
    start: usize,
    length: usize,
    lanes: PhantomData<S>,
}

/// Numbers in a cache line.
const LINE: usize = 8;

impl<S: Simd> Aligned<S> {
    /// No places.
    pub fn empty() -> Self {
        Self {
            memory: Vec::new(),
            start: 0,
            length: 0,
            lanes: PhantomData,
        }
    }

    /// Makes it `length` places long; what they hold is left over from earlier use.
    pub fn resize(&mut self, length: usize) {
        let needed = length * S::F64_LANES + LINE;
        if self.memory.len() < needed {
            self.memory.resize(needed, 0.0);
            self.start = self.memory.as_ptr().align_offset(LINE * size_of::<f64>());
            self.start = self.start.min(LINE);
        }
        self.length = length;
    }

    /// All places.
    #[inline(always)]
    pub fn values(&self) -> &[S::f64s] {
        bytemuck::cast_slice(&self.memory[self.start..][..self.length * S::F64_LANES])
    }

    /// All places.
    #[inline(always)]
    pub fn values_mut(&mut self) -> &mut [S::f64s] {
        bytemuck::cast_slice_mut(&mut self.memory[self.start..][..self.length * S::F64_LANES])
    }
}
