//! Tests of shards: the same values in fewer files, the same bytes however they are made
//! (`making.rs`), and refusal of inconsistent metadata (`hostile.rs`).
#![allow(clippy::unwrap_used)] // A test may panic.

mod hostile;
mod making;
#[path = "../toy/mod.rs"]
mod toy;

use std::path::PathBuf;

use floral::dataset::Request;
use tempfile::TempDir;
use toy::{Toy, request, run};

const INPUTS: usize = 7;

fn sharded(shard: usize) -> Request {
    Request {
        shard,
        ..request(INPUTS)
    }
}

/// A dataset with this number of inputs per shard, made by this number of threads.
fn made(folder: &TempDir, shard: usize, threads: usize) -> PathBuf {
    let path = folder.path().join(format!("{shard}-{threads}.zarr"));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let work = || run(&Toy::new(), &sharded(shard), &path).unwrap();
    pool.unwrap().install(work);
    path
}
