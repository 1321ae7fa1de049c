//! The store of results: datasets, runs and evaluations, each with a name derived from its content.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::study::{Cell, Study};
use floral::evaluate::Evaluation;
use floral::storage::{FolderLock, create_folder, write_atomically};
use floral::train::RunFolder;
use floral::{Error, Result};

/// A folder of results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Store {
    root: PathBuf,
}

/// A finished evaluation, with the cost of its run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Version and commit of the program.
    pub floral: String,
    /// Everything that determines the scores.
    pub recipe: serde_json::Value,
    /// Number of threads of training and evaluation.
    pub threads: usize,
    /// Epochs trained.
    pub epochs: usize,
    /// Seconds of training.
    pub training_seconds: f64,
    /// Seconds of evaluation, including the computation of the truth.
    pub evaluation_seconds: f64,
    /// The scores.
    pub evaluation: Evaluation,
}

impl Store {
    /// The results in this folder, which need not exist yet.
    pub fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
        }
    }

    /// Creates the folder if missing, and keeps other processes from working in it until the lock
    /// is dropped.
    pub fn occupy(&self) -> Result<FolderLock> {
        for folder in ["data", "runs", "evaluations"] {
            create_folder(&self.root.join(folder))?;
        }
        FolderLock::acquire(&self.root, "folder of results")
    }

    /// The dataset of a study.
    pub fn data(&self, study: &Study) -> PathBuf {
        self.root.join("data").join(study.data_name())
    }

    /// The run of a cell.
    pub fn run(&self, cell: &Cell) -> PathBuf {
        self.root.join("runs").join(cell.run_name())
    }

    /// The evaluation of a cell.
    pub fn evaluation(&self, cell: &Cell) -> PathBuf {
        self.root.join("evaluations").join(cell.evaluation_name())
    }

    /// The run folder of a cell, created if missing.
    pub fn run_folder(&self, cell: &Cell) -> Result<RunFolder> {
        let path = self.run(cell);
        let run = match RunFolder::open(&path) {
            Err(_) if !path.join("config.toml").exists() => {
                return RunFolder::create(&path, &cell.training);
            }
            run => run?,
        };
        if run.config()? == cell.training {
            return Ok(run);
        }
        Err(other(path))
    }

    /// The recorded evaluation of a cell, if there is one.
    pub fn record(&self, cell: &Cell) -> Result<Option<Record>> {
        let path = self.evaluation(cell);
        if !path.exists() {
            return Ok(None);
        }
        let text = std::fs::read_to_string(&path).map_err(Error::io(&path))?;
        let record: Record = serde_json::from_str(&text).map_err(|error| {
            Error::bad_file(&path, format!("is not an evaluation ({error}); remove it"))
        })?;
        if record.recipe == cell.recipe() {
            return Ok(Some(record));
        }
        Err(other(path))
    }

    /// Writes the evaluation of a cell atomically.
    pub fn write_record(&self, cell: &Cell, record: &Record) -> Result<()> {
        let text = serde_json::to_string_pretty(record).expect("numbers, strings and lists");
        write_atomically(&self.evaluation(cell), (text + "\n").as_bytes())
    }

    /// Writes a table or a page.
    pub fn write(&self, name: &str, text: &str) -> Result<PathBuf> {
        let path = self.root.join(name);
        write_atomically(&path, text.as_bytes())?;
        Ok(path)
    }
}

fn other(path: PathBuf) -> Error {
    Error::bad_file(
        path,
        "was made with other settings than its name says; remove it",
    )
}
