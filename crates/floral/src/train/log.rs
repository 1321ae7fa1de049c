//! The log of a run: one row of `epochs.csv` per epoch, written by the trainer and read by reports.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

use super::EpochRecord;
use crate::storage::{operations, write_atomically, write_error};
use crate::{Error, Result};

const COLUMNS: &str = "epoch,train_loss,validation_loss,learning_rate,gradient_norm,seconds";

/// The log file of a run.
pub(super) struct Log {
    path: PathBuf,
}

// Only networks are trained in epochs.
#[cfg_attr(not(feature = "networks"), allow(dead_code))]
impl Log {
    /// The log of a run folder.
    pub(super) fn of(folder: &Path) -> Self {
        Self {
            path: folder.join("epochs.csv"),
        }
    }

    /// Path of the file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// All epochs; empty if there is no log, as beside a copied checkpoint.
    pub(super) fn read(&self) -> Result<Vec<EpochRecord>> {
        let mut best = f64::INFINITY;
        let text = self.text()?;
        let rows = text.lines().enumerate().skip(1);
        rows.map(|(line, row)| {
            let mut record = parsed(row).ok_or_else(|| {
                Error::bad_file(
                    self.path.clone(),
                    format!(
                        "line {} is not a row of {COLUMNS}; correct it, or remove the file",
                        line + 1
                    ),
                )
            })?;
            record.is_best = record.validation_loss < best;
            best = best.min(record.validation_loss);
            Ok(record)
        })
        .collect()
    }

    /// Keeps one row for each of the first `epochs` epochs. Later epochs will be run again; a row
    /// that a crash left incomplete is dropped.
    pub(super) fn cut(&self, epochs: usize) -> Result<()> {
        let text = self.text()?;
        let mut kept = format!("{COLUMNS}\n");
        let mut last = 0;
        for row in text.lines().skip(1) {
            let Some(epoch) = parsed(row).map(|record| record.epoch) else {
                continue;
            };
            if epoch > last && epoch <= epochs {
                last = epoch;
                kept.push_str(row);
                kept.push('\n');
            }
        }
        write_atomically(&self.path, kept.as_bytes())
    }

    pub(super) fn append(&self, record: &EpochRecord) -> Result<()> {
        let written = operations::write_all(&self.open()?, row(record).as_bytes());
        written.map_err(write_error(&self.path))
    }

    /// Waits until the rows have reached the disk, so that a checkpoint never has more epochs than
    /// the log.
    pub(super) fn sync(&self) -> Result<()> {
        operations::sync_all(&self.open()?).map_err(write_error(&self.path))
    }

    fn open(&self) -> Result<std::fs::File> {
        let opened = operations::open(OpenOptions::new().append(true), &self.path);
        opened.map_err(write_error(&self.path))
    }

    fn text(&self) -> Result<String> {
        let text = operations::read(&self.path)
            .and_then(|bytes| String::from_utf8(bytes).map_err(std::io::Error::other));
        match text {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
            other => other.map_err(Error::io(&self.path)),
        }
    }
}

#[cfg_attr(not(feature = "networks"), allow(dead_code))]
fn row(record: &EpochRecord) -> String {
    let EpochRecord {
        epoch,
        train_loss,
        validation_loss,
        learning_rate,
        gradient_norm,
        seconds,
        ..
    } = record;
    format!(
        "{epoch},{train_loss:.9e},{validation_loss:.9e},{learning_rate:.6e},{gradient_norm:.6e},\
         {seconds:.3}\n"
    )
}

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

#[cfg(test)]
mod tests {
    use super::*;

    fn record(epoch: usize, validation_loss: f64) -> EpochRecord {
        EpochRecord {
            epoch,
            train_loss: 0.5,
            validation_loss,
            learning_rate: 1e-3,
            gradient_norm: 2.0,
            seconds: 1.5,
            is_best: false,
        }
    }

    #[test]
    fn rows_written_are_read_with_the_best_marked() {
        let folder = tempfile::tempdir().unwrap();
        let log = Log::of(folder.path());
        assert!(log.read().unwrap().is_empty());
        log.cut(0).unwrap();
        for (epoch, loss) in [(1, 3.0), (2, 1.0), (3, 2.0)] {
            log.append(&record(epoch, loss)).unwrap();
        }
        let best: Vec<bool> = log.read().unwrap().iter().map(|r| r.is_best).collect();
        assert_eq!(best, [true, true, false]);
    }

    #[test]
    fn a_cut_keeps_one_whole_row_for_each_epoch() {
        let folder = tempfile::tempdir().unwrap();
        let log = Log::of(folder.path());
        log.cut(0).unwrap();
        for epoch in [1, 2, 2, 3, 4] {
            log.append(&record(epoch, 1.0)).unwrap();
        }
        let path = folder.path().join("epochs.csv");
        let torn = std::fs::read_to_string(&path).unwrap() + "5,1.0";
        std::fs::write(&path, torn).unwrap();
        assert!(log.read().is_err(), "the last row is torn");
        log.cut(3).unwrap();
        let epochs: Vec<usize> = log.read().unwrap().iter().map(|r| r.epoch).collect();
        assert_eq!(epochs, [1, 2, 3]);
    }
}
