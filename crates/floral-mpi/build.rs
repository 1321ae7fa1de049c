//! States what to install if MPI or libclang is missing, before the bindings fail with long
//! messages.

use std::env;
use std::path::Path;
use std::process::Command;

const INSTALL: &str = "apt-get install openmpi-bin libopenmpi-dev libclang-dev";

fn main() {
    for name in ["MPICC", "MPI_PKG_CONFIG", "LIBCLANG_PATH"] {
        println!("cargo::rerun-if-env-changed={name}");
    }
    println!("cargo::rerun-if-changed=build.rs");
    if env::var_os("CARGO_FEATURE_MPI").is_none() {
        return;
    }
    if !has_mpi() {
        println!(
            "cargo::error=the feature mpi needs Open MPI or MPICH, and its compiler mpicc was not \
             found; on Debian: {INSTALL}"
        );
    }
    if !has_libclang() {
        println!(
            "cargo::error=the feature mpi needs libclang for the bindings of MPI, and none was \
             found; on Debian: {INSTALL}; elsewhere set LIBCLANG_PATH to its folder"
        );
    }
}

/// Whether the bindings can find MPI.
fn has_mpi() -> bool {
    let mpicc = env::var("MPICC").unwrap_or_else(|_| "mpicc".into());
    env::var_os("MPI_PKG_CONFIG").is_some() || runs(&mpicc)
}

/// Whether the bindings can find libclang.
fn has_libclang() -> bool {
    let folders = [
        "/usr/lib",
        "/usr/lib64",
        "/usr/local/lib",
        "/opt/homebrew/opt/llvm",
    ];
    env::var_os("LIBCLANG_PATH").is_some()
        || runs("llvm-config")
        || folders
            .iter()
            .any(|folder| holds_libclang(Path::new(folder), 2))
}

/// Whether a folder, or a folder at most `levels` below it, contains the library.
fn holds_libclang(folder: &Path, levels: usize) -> bool {
    let Ok(entries) = folder.read_dir() else {
        return false;
    };
    let mut entries = entries.flatten();
    entries.any(|entry| {
        let name = entry.file_name();
        let is_library = name.to_string_lossy().starts_with("libclang");
        is_library && !entry.path().is_dir()
            || levels > 0 && entry.path().is_dir() && holds_libclang(&entry.path(), levels - 1)
    })
}

fn runs(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success())
}
