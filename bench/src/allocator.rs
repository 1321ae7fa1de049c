//! The allocator of this build: that of the `floral` command, unless a feature names another for
//! bench/allocators to set beside it.

#[cfg(not(any(feature = "mimalloc", feature = "jemalloc", feature = "system")))]
mod chosen {
    #[global_allocator]
    static MEMORY: floral::memory::Allocator = floral::memory::Allocator::new();

    pub fn prepare() {
        MEMORY.keep(floral::cost::spare_memory());
    }
}

#[cfg(feature = "mimalloc")]
mod chosen {
    #[global_allocator]
    static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

    pub fn prepare() {}
}

#[cfg(feature = "jemalloc")]
mod chosen {
    #[global_allocator]
    static MEMORY: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

    pub fn prepare() {}
}

#[cfg(feature = "system")]
mod chosen {
    pub fn prepare() {}
}

pub use chosen::prepare;
