//! `floral export`: the trained model of a run as one file.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use floral::storage::refuse_overwriting;
use floral::train::RunFolder;

use crate::{Ending, output};

/// Arguments of `floral export`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    floral export runs/darcy -o darcy.floral\n  \
    floral sample darcy.floral --input new.zarr -o predicted.zarr\n\n\
    The model is a safetensors file with settings, grid, scales and provenance in its header. sample, \
    evaluate and report take it in place of the run folder, and so does floral.load in Python. Later \
    versions of floral read it; an older version refuses a newer format. Its checksum covers every byte: \
    a damaged or edited file is refused. Reading it executes nothing.")]
pub struct Arguments {
    /// Run folder
    #[arg(value_name = "RUN")]
    run: PathBuf,

    /// Model file to write
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
    // An identical file is accepted: an interrupted command may be given again after its file is
    // written.
    let is_there = path.is_file() && std::fs::read(path).ok() == run.best_bytes().ok();
    ensure!(
        arguments.force || is_there || !path.exists(),
        "{}: exists; add --force to replace it, or choose another name",
        path.display()
    );
    run.export(path)?;
    output::notes(&run.best()?.header.notes());
    output::message(&format!("{}: written", path.display()));
    Ok(Ending::Done)
}
