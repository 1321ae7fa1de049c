//! An allocator that keeps large freed blocks, for arrays that are allocated and freed many times a
//! second.
//!
//! A network's intermediate arrays take megabytes each. If they are returned to the system and
//! requested again, every page is mapped and cleared anew, which takes up to a quarter of the time
//! of a training step. Other work allocates many sizes that rarely recur; its blocks are returned,
//! unless a network is at work ([`Reuse`]).

use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::VecDeque;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

pub use crate::bounded_memory::Bounded;

/// Smaller blocks are left to the system allocator, which keeps them itself.
const SMALLEST: usize = 1 << 15;

/// Most blocks held. The store's own array is thus small, and never one of these blocks.
const MOST: usize = 1 << 10;

const _: () = assert!(MOST * size_of::<Block>() < SMALLEST);

/// Most bytes held while no network is at work.
const FEW: usize = 1 << 26;

/// Number of networks at work.
static AT_WORK: AtomicUsize = AtomicUsize::new(0);

/// A guard for a network at work: while one lives, allocators hold as much as their programs allow.
#[derive(Debug)]
pub struct Reuse(());

impl Reuse {
    /// Starts the guard.
    pub fn begin() -> Self {
        AT_WORK.fetch_add(1, Ordering::Relaxed);
        Self(())
    }
}

impl Drop for Reuse {
    fn drop(&mut self) {
        AT_WORK.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The system's allocator with a store of large free blocks. A program declares it as its global
/// allocator and sets with [`keep`](Self::keep) how much it may hold.
pub struct Allocator {
    /// Bytes that may be held; zero by default.
    limit: AtomicUsize,
    free: Mutex<Free>,
}

/// Free blocks, oldest first.
struct Free {
    blocks: VecDeque<Block>,
    bytes: usize,
}

struct Block {
    start: NonNull<u8>,
    layout: Layout,
}

// Safety: nobody refers to a free block's memory; any thread may hand it out.
#[allow(unsafe_code)]
unsafe impl Send for Block {}

impl Allocator {
    /// An allocator that holds nothing.
    #[allow(clippy::new_without_default)]
    pub const fn new() -> Self {
        Self {
            limit: AtomicUsize::new(0),
            free: Mutex::new(Free {
                blocks: VecDeque::new(),
                bytes: 0,
            }),
        }
    }

    /// Sets the number of bytes of freed blocks that may be held; fewer are held while no network
    /// is at work.
    pub fn keep(&self, bytes: usize) {
        self.limit.store(bytes, Ordering::Relaxed);
    }

    /// A held block with this layout, if there is one.
    fn take(&self, layout: Layout) -> Option<Block> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        // The youngest first: it is most likely to be in cache.
        let place = free.blocks.iter().rposition(|b| b.layout == layout)?;
        let block = free.blocks.remove(place)?;
        free.bytes -= layout.size();
        Some(block)
    }

    /// Holds a block. Before that, the oldest blocks beyond the limit are freed, so that the
    /// store's own array never grows beyond its bound.
    fn hold(&self, block: Block) {
        let limit = self.limit.load(Ordering::Relaxed);
        let limit = match AT_WORK.load(Ordering::Relaxed) {
            0 => limit.min(FEW),
            _ => limit,
        };
        let size = block.layout.size();
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        while free.bytes + size > limit || free.blocks.len() >= MOST {
            let Some(oldest) = free.blocks.pop_front() else {
                // This block alone exceeds the limit.
                return give_back(block);
            };
            free.bytes -= oldest.layout.size();
            give_back(oldest);
        }
        free.bytes += size;
        free.blocks.push_back(block);
    }
}

fn give_back(Block { start, layout }: Block) {
    // Safety: the block came from the system allocator with this layout, and nobody refers to it.
    #[allow(unsafe_code)]
    unsafe {
        System.dealloc(start.as_ptr(), layout);
    }
}

/// The layout of the block that serves a large request: sizes are rounded up by at most an eighth,
/// so that similar sizes share blocks. None for small requests.
fn class(layout: Layout) -> Option<Layout> {
    if layout.size() < SMALLEST {
        return None;
    }
    let step = (1 << layout.size().ilog2()) / 8;
    let size = layout.size().checked_next_multiple_of(step)?;
    Layout::from_size_align(size, layout.align()).ok()
}

// Safety: every block comes from the system allocator. Small blocks are passed through. A large
// block is allocated, held and freed with the layout of its class, which is a function of the
// layout passed to both `alloc` and `dealloc`. Nobody refers to a block in the store, and it leaves
// the store before it is handed out. The store itself allocates small blocks only, so it never
// re-enters this code while locked.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some(class) = class(layout) else {
            return unsafe { System.alloc(layout) };
        };
        match self.take(class) {
            Some(block) => block.start.as_ptr(),
            None => unsafe { System.alloc(class) },
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let Some(class) = class(layout) else {
            return unsafe { System.alloc_zeroed(layout) };
        };
        match self.take(class) {
            Some(block) => {
                let start = block.start.as_ptr();
                unsafe { start.write_bytes(0, layout.size()) };
                start
            }
            None => unsafe { System.alloc_zeroed(class) },
        }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        match (class(layout), NonNull::new(start)) {
            (Some(layout), Some(start)) => self.hold(Block { start, layout }),
            _ => unsafe { System.dealloc(start, layout) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[global_allocator]
    static MEMORY: Allocator = Allocator::new();

    fn held() -> usize {
        MEMORY.free.lock().unwrap().bytes
    }

    #[test]
    fn similar_sizes_share_a_class_that_holds_them() {
        for size in [SMALLEST, SMALLEST + 1, 1_000_000, (1 << 25) + 77] {
            let layout = Layout::from_size_align(size, 4).unwrap();
            let class = class(layout).unwrap();
            assert!(class.size() >= size && class.size() <= size + size / 8);
            assert_eq!(super::class(class), Some(class));
        }
        assert_eq!(
            class(Layout::from_size_align(SMALLEST - 1, 4).unwrap()),
            None
        );
    }

    /// All tests set the limit of the one store.
    static TURN: Mutex<()> = Mutex::new(());

    #[test]
    fn blocks_are_held_zeroed_and_never_shared() {
        let _turn = TURN.lock();
        MEMORY.keep(1 << 26);
        std::thread::scope(|scope| {
            for thread in 0..4u8 {
                scope.spawn(move || {
                    for round in 0..50usize {
                        let size = SMALLEST * (1 + (round + usize::from(thread)) % 9);
                        let zeros = vec![0u8; size];
                        assert!(zeros.iter().all(|&v| v == 0));
                        let mut own = zeros;
                        own.fill(thread);
                        own.extend_from_slice(&vec![thread; size / 2]);
                        std::thread::yield_now();
                        assert!(own.iter().all(|&v| v == thread));
                    }
                });
            }
        });
        assert!(held() <= 1 << 26);
        MEMORY.keep(0);
        drop(vec![1u8; SMALLEST]);
        // Other tests may free blocks meanwhile; each test leaves the store empty.
        assert_eq!(held(), 0);
    }

    #[test]
    fn without_a_network_few_blocks_are_held() {
        let _turn = TURN.lock();
        MEMORY.keep(1 << 30);
        let held_after = || {
            drop(vec![1u8; 2 * FEW]);
            held()
        };
        let reuse = Reuse::begin();
        assert!(held_after() >= 2 * FEW);
        drop(reuse);
        assert!(held_after() <= FEW);
        MEMORY.keep(0);
        drop(vec![1u8; SMALLEST]);
    }

    /// If the store's array grew while the store is locked, it would wait for the lock forever.
    #[test]
    fn more_blocks_than_the_store_holds_are_given_back() {
        let _turn = TURN.lock();
        let _reuse = Reuse::begin();
        MEMORY.keep(1 << 30);
        let many: Vec<Vec<u8>> = (0..2 * MOST).map(|_| vec![1; SMALLEST]).collect();
        drop(many);
        let count = MEMORY.free.lock().unwrap().blocks.len();
        assert!(count > MOST / 2 && count <= MOST, "{count}");
        MEMORY.keep(0);
        drop(vec![1u8; SMALLEST]);
    }
}
