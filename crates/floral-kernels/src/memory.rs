//! An allocator that keeps what was freed, for arrays that come and go many times a second.
//!
//! A network's intermediate arrays are megabytes each. Given back to the system and asked for
//! again, every page of them is cleared and mapped anew, which takes a tenth of the time of a
//! velocity evaluation.

/// Memory in the manner of mimalloc; a program names it as its global allocator.
pub type Allocator = mimalloc::MiMalloc;

/// The allocator to name.
pub const ALLOCATOR: Allocator = mimalloc::MiMalloc;

/// The number of mimalloc's option `purge_delay`, which its Rust interface does not name.
const PURGE_DELAY: libmimalloc_sys::mi_option_t = 15;

/// How long freed memory is kept before the system gets it back.
const KEPT_MILLISECONDS: std::ffi::c_long = 10_000;

/// Keeps freed memory for ten seconds; of use once, at the start of a program that has named
/// [`ALLOCATOR`].
#[allow(unsafe_code)]
pub fn keep_freed_memory() {
    // Safety: sets a number inside the allocator, which reads it atomically; any value is valid.
    unsafe {
        libmimalloc_sys::mi_option_set(PURGE_DELAY, KEPT_MILLISECONDS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[global_allocator]
    static MEMORY: Allocator = ALLOCATOR;

    #[test]
    fn memory_is_kept_and_given_out_again() {
        keep_freed_memory();
        for size in [1, 4097, 1 << 24] {
            let values = vec![1u8; size];
            assert_eq!(values.iter().map(|&v| usize::from(v)).sum::<usize>(), size);
        }
    }
}
