//! An allocator that counts held memory and enforces a limit, for programs that measure how much
//! memory a piece of work takes.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The system's allocator with a count and a limit. Beyond the limit allocation fails, which ends a
/// program that does not check.
pub struct Bounded {
    limit: AtomicUsize,
    held: AtomicUsize,
    most: AtomicUsize,
}

impl Bounded {
    /// An allocator without a limit.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        Self {
            limit: AtomicUsize::new(usize::MAX),
            held: AtomicUsize::new(0),
            most: AtomicUsize::new(0),
        }
    }

    /// Sets the limit on held bytes.
    pub fn limit(&self, bytes: usize) {
        self.limit.store(bytes, Ordering::Relaxed);
    }

    /// The most bytes held at once since the last call.
    pub fn most(&self) -> usize {
        let held = self.held.load(Ordering::Relaxed);
        self.most.swap(held, Ordering::Relaxed).max(held)
    }

    /// Counts these bytes if they fit within the limit.
    fn takes(&self, bytes: usize) -> bool {
        let held = self
            .held
            .fetch_add(bytes, Ordering::Relaxed)
            .saturating_add(bytes);
        if held > self.limit.load(Ordering::Relaxed) {
            self.held.fetch_sub(bytes, Ordering::Relaxed);
            return false;
        }
        self.most.fetch_max(held, Ordering::Relaxed);
        true
    }
}

// Safety: every block is allocated and freed by the system allocator with the caller's layout; this
// type only counts bytes, and returns null beyond the limit.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Bounded {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !self.takes(layout.size()) {
            return std::ptr::null_mut();
        }
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !self.takes(layout.size()) {
            return std::ptr::null_mut();
        }
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        self.held.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(start, layout) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[allow(unsafe_code)]
    #[test]
    fn what_is_held_is_counted_and_no_more_than_the_limit_is_given() {
        let memory = Bounded::new();
        memory.limit(1000);
        let [small, large] = [600, 500].map(|n| Layout::from_size_align(n, 8).unwrap());
        // Safety: each block is freed once, with its own layout.
        unsafe {
            let first = memory.alloc(small);
            assert!(!first.is_null());
            assert!(memory.alloc_zeroed(large).is_null());
            memory.dealloc(first, small);
            assert_eq!(memory.most(), 600);
            let second = memory.alloc_zeroed(large);
            assert!(!second.is_null());
            memory.dealloc(second, large);
        }
        assert_eq!((memory.most(), memory.most()), (500, 0));
    }
}
