//! `floral export`: what a run has learned as one file.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use floral::storage::refuse_overwriting;
use floral::train::RunFolder;

use crate::{Ending, output};

/// What `floral export` takes.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    floral export runs/darcy -o darcy.floral\n  \
    floral sample darcy.floral --input new.zarr -o predicted.zarr\n\n\
    The file is a safetensors file with settings, grid, scales and provenance in its header. `sample`,\n\
    `evaluate` and `report` take it in place of the run folder, and floral.load in Python. Later\n\
    versions of floral read it; a file of a later format is refused by an older floral. Its checksum\n\
    covers every byte: a damaged or edited file is refused. Reading it executes nothing.")]
pub struct Arguments {
    /// The run folder
    #[arg(value_name = "RUN")]
    run: PathBuf,

    /// The model file to write
    #[arg(short, long, value_name = "MODEL.floral")]
    output: PathBuf,

    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

/// Writes the file.
pub fn run(arguments: &Arguments) -> Result<Ending> {
    let path = &arguments.output;
    let run = RunFolder::open(&arguments.run)?;
    refuse_overwriting(path, run.files().iter().map(PathBuf::as_path))?;
    // A command that was cut once it was done is given again.
    let is_there = path.is_file() && std::fs::read(path).ok() == run.best_bytes().ok();
    ensure!(
        arguments.force || is_there || !path.exists(),
        "{}: exists; add --force to replace it, or choose another name",
        path.display()
    );
    run.export(path)?;
    output::notes(&run.best()?.header.notes());
    output::tell(&format!("{}: written", path.display()));
    Ok(Ending::Done)
}
