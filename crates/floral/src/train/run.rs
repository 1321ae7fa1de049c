//! A run folder: configuration, log of epochs, checkpoints.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::TrainConfig;
use super::checkpoint::Checkpoint;
use super::trainer::EpochRecord;
use crate::dataset::write_atomically;
use crate::{Error, Result};

const LOG_HEADER: &str = "epoch,train_loss,validation_loss,learning_rate,gradient_norm,seconds";

/// Where a run keeps its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFolder {
    path: PathBuf,
}

impl RunFolder {
    /// A folder for a new run; one that holds a run already is refused.
    pub fn create(path: &Path, config: &TrainConfig) -> Result<Self> {
        let run = Self {
            path: path.to_owned(),
        };
        if run.config_path().exists() {
            return Err(Error::BadFile {
                path: path.to_owned(),
                reason: "holds a run already; add --resume to continue it, or choose another \
                         folder"
                    .into(),
            });
        }
        std::fs::create_dir_all(path).map_err(Error::io(path))?;
        run.write_log(&[])?;
        let text = toml::to_string(config).expect("a configuration of numbers and strings");
        let text = format!("# floral {}\n{text}", env!("CARGO_PKG_VERSION"));
        write_atomically(&run.config_path(), text.as_bytes())?;
        Ok(run)
    }

    /// The folder of an existing run.
    pub fn open(path: &Path) -> Result<Self> {
        let run = Self {
            path: path.to_owned(),
        };
        if run.config_path().is_file() {
            return Ok(run);
        }
        let reason = match path.exists() {
            true => "is no run folder: it has no config.toml; `floral train -o` makes one",
            false => "does not exist; `floral train -o` makes a run folder",
        };
        Err(Error::BadFile {
            path: path.to_owned(),
            reason: reason.into(),
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The configuration it was started with.
    pub fn config(&self) -> Result<TrainConfig> {
        let path = self.config_path();
        let text = std::fs::read_to_string(&path).map_err(Error::io(&path))?;
        let context = path.display().to_string();
        let table = text.parse().map_err(Error::toml(context.clone()))?;
        TrainConfig::from_table(table, &context)
    }

    /// The newest checkpoint, from which training goes on; none if it never came so far.
    pub fn last(&self) -> Result<Option<Checkpoint>> {
        read_if_there(&self.last_path())
    }

    /// The checkpoint with the best validation loss.
    pub fn best(&self) -> Result<Checkpoint> {
        read_if_there(&self.best_path())?.ok_or_else(|| Error::BadFile {
            path: self.path.clone(),
            reason:
                "has no best.safetensors: training has not finished an epoch; continue it with \
                     `floral train --resume`"
                    .into(),
        })
    }

    /// The epochs of its log; none where there is no log, as of a copied checkpoint.
    pub fn epochs(&self) -> Result<Vec<EpochRecord>> {
        let path = self.log_path();
        if !path.exists() {
            return Ok(Vec::new());
        }
        let text = std::fs::read_to_string(&path).map_err(Error::io(&path))?;
        let mut best = f64::INFINITY;
        let rows = text.lines().enumerate().skip(1);
        rows.map(|(line, row)| {
            let mut record = parsed(row).ok_or_else(|| Error::BadFile {
                path: path.clone(),
                reason: format!(
                    "line {} is not a row of {LOG_HEADER}; mend it, or remove the file",
                    line + 1
                ),
            })?;
            record.is_best = record.validation_loss < best;
            best = best.min(record.validation_loss);
            Ok(record)
        })
        .collect()
    }

    /// The bytes of the best checkpoint's file.
    pub fn best_bytes(&self) -> Result<Vec<u8>> {
        let path = self.best_path();
        std::fs::read(&path).map_err(Error::io(&path))
    }

    pub(super) fn last_path(&self) -> PathBuf {
        self.path.join("last.safetensors")
    }

    pub(super) fn best_path(&self) -> PathBuf {
        self.path.join("best.safetensors")
    }

    fn config_path(&self) -> PathBuf {
        self.path.join("config.toml")
    }

    fn log_path(&self) -> PathBuf {
        self.path.join("epochs.csv")
    }

    /// Drops the rows of epochs that the checkpoint does not know: they will be run again.
    pub(super) fn cut_log(&self, epochs: usize) -> Result<()> {
        let path = self.log_path();
        let text = std::fs::read_to_string(&path).map_err(Error::io(&path))?;
        let rows: Vec<&str> = text.lines().skip(1).take(epochs).collect();
        self.write_log(&rows)
    }

    fn write_log(&self, rows: &[&str]) -> Result<()> {
        let mut text = format!("{LOG_HEADER}\n");
        for row in rows {
            text.push_str(row);
            text.push('\n');
        }
        write_atomically(&self.log_path(), text.as_bytes())
    }

    pub(super) fn append(&self, record: &EpochRecord) -> Result<()> {
        let path = self.log_path();
        let mut row = String::new();
        let EpochRecord {
            epoch,
            train_loss,
            validation_loss,
            learning_rate,
            gradient_norm,
            seconds,
            ..
        } = record;
        writeln!(
            row,
            "{epoch},{train_loss:.9e},{validation_loss:.9e},{learning_rate:.6e},{gradient_norm:.6e},{seconds:.3}"
        )
        .expect("writing to a string");
        let mut file = std::fs::OpenOptions::new()
            .append(true)
            .open(&path)
            .map_err(Error::io(&path))?;
        file.write_all(row.as_bytes()).map_err(Error::io(&path))
    }
}

/// A row of the log.
fn parsed(row: &str) -> Option<EpochRecord> {
    let mut cells = row.split(',');
    let epoch = cells.next()?.parse().ok()?;
    let numbers: Option<Vec<f64>> = cells.map(|cell| cell.parse().ok()).collect();
    match numbers?[..] {
        [
            train_loss,
            validation_loss,
            learning_rate,
            gradient_norm,
            seconds,
        ] => Some(EpochRecord {
            epoch,
            train_loss,
            validation_loss,
            learning_rate,
            gradient_norm,
            seconds,
            is_best: false,
        }),
        _ => None,
    }
}

fn read_if_there(path: &Path) -> Result<Option<Checkpoint>> {
    match path.exists() {
        true => Checkpoint::read(path).map(Some),
        false => Ok(None),
    }
}
