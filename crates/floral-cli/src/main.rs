//! The program `floral`: the command of this crate's library, with an allocator for training.

use std::process::ExitCode;

#[global_allocator]
static MEMORY: floral::memory::Allocator = floral::memory::Allocator::new();

fn main() -> ExitCode {
    MEMORY.keep(floral::cost::spare_memory());
    ExitCode::from(floral_cli::run(std::env::args_os().collect()))
}
