//! A run folder: configuration, checkpoints and log of epochs, written by the trainer and read by
//! prediction and reports.
//!
//! The best checkpoint alone is a model file, which can be used wherever a finished run can.

use std::path::{Path, PathBuf};

use super::EpochRecord;
use super::TrainConfig;
use super::checkpoint::Checkpoint;
use super::differences::{differences, goes_on};
use super::log::Log;
use crate::dataset::Dataset;
use crate::flow::prior;
use crate::storage::{FolderLock, read_regular, write_atomically};
use crate::{Error, Result};

/// The folder of a run, or a model file exported from a run.
///
/// ```
/// use floral::prelude::*;
///
/// # let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("run");
/// RunFolder::create(&path, &TrainConfig::default())?;
/// assert_eq!(RunFolder::open(&path)?.config()?.method, Method::FloralKl);
/// # Ok::<(), floral::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFolder {
    path: PathBuf,
}

impl RunFolder {
    /// A folder for a new run; one that holds a run already is refused.
    pub fn create(path: &Path, config: &TrainConfig) -> Result<Self> {
        let run = Self::at(path);
        let _lock = run.lock()?;
        if run.config_path().exists() {
            return Err(run.refusal("holds a run already; continue it, or choose another folder"));
        }
        run.begin(config)
    }

    /// Creates a run, or opens the run with the same settings that the folder holds. More epochs or
    /// more patience continue that run; other settings are refused, and the error names the
    /// differences.
    pub fn create_or_continue(path: &Path, config: &TrainConfig) -> Result<Self> {
        let run = Self::at(path);
        let _lock = run.lock()?;
        if !run.config_path().exists() {
            return run.begin(config);
        }
        let there = run.config()?;
        match differences(&there, config) {
            None => Ok(run),
            Some(_) if goes_on(&there, config) => {
                run.write_settings(config)?;
                Ok(run)
            }
            Some(differences) => Err(Error::OtherSettings {
                path: path.to_owned(),
                differences,
            }),
        }
    }

    /// Opens an existing run folder or a model file. A model file is checked only when it is read.
    pub fn open(path: &Path) -> Result<Self> {
        let run = Self::at(path);
        if run.config_path().is_file() || run.is_file() {
            Ok(run)
        } else if path.exists() {
            Err(run.refusal("is not a run folder: it has no config.toml; give the folder of a run"))
        } else {
            Err(run.refusal("does not exist; train a run there first"))
        }
    }

    fn at(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
        }
    }

    /// Creates the files of a new run. The settings are written last, as their presence marks a run
    /// folder.
    fn begin(self, config: &TrainConfig) -> Result<Self> {
        if self.last_path().exists() || self.best_path().exists() {
            return Err(self.refusal(
                "holds checkpoints but no config.toml; put it back, or choose another folder",
            ));
        }
        self.log().cut(0)?;
        self.write_settings(config)?;
        Ok(self)
    }

    fn write_settings(&self, config: &TrainConfig) -> Result<()> {
        let text = format!(
            "# floral {}\n{}",
            env!("CARGO_PKG_VERSION"),
            config.to_toml()
        );
        write_atomically(&self.config_path(), text.as_bytes())
    }

    /// Whether this is a model file rather than a folder.
    pub fn is_file(&self) -> bool {
        self.path.is_file()
    }

    /// Exports the trained model as one file that can predict on any machine. It contains settings,
    /// grid, scales, origin of the data and the learned arrays. Reading it executes no code.
    pub fn export(&self, path: &Path) -> Result<()> {
        let bytes = self.best_bytes()?;
        Checkpoint::parse(&bytes).map_err(|reason| Error::bad_file(self.best_path(), reason))?;
        write_atomically(path, &bytes)
    }

    /// Locks the folder against training by another process.
    pub(super) fn lock(&self) -> Result<FolderLock> {
        if self.is_file() {
            return Err(self.refusal("is a file; training needs a folder of its own"));
        }
        FolderLock::acquire(&self.path, "run")
    }

    /// The folder and its files, or the model file.
    pub fn files(&self) -> Vec<PathBuf> {
        if self.is_file() {
            return vec![self.path.clone()];
        }
        vec![
            self.path.clone(),
            self.config_path(),
            self.best_path(),
            self.last_path(),
            self.log().path().to_owned(),
        ]
    }

    /// Path of the folder or model file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The settings of the run.
    pub fn config(&self) -> Result<TrainConfig> {
        if self.is_file() {
            return Ok(self.best()?.header.config);
        }
        let path = self.config_path();
        let text = read_regular(&path).and_then(|bytes| {
            String::from_utf8(bytes).map_err(|error| std::io::Error::other(error.utf8_error()))
        });
        let text = text.map_err(Error::io(&path))?;
        let context = path.display().to_string();
        let mut table = text.parse().map_err(Error::toml(context.clone()))?;
        prior::name_coordinates(&mut table);
        TrainConfig::from_table(table, &context)
    }

    /// The newest checkpoint, from which training continues; `None` if none was written.
    ///
    /// The best checkpoint is written first and is equally complete, so if it is the only one it is
    /// the newest.
    pub fn last(&self) -> Result<Option<Checkpoint>> {
        match read_if_there(&self.last_path())? {
            Some(last) => Ok(Some(last)),
            None => read_if_there(&self.best_path()),
        }
    }

    /// The checkpoint with the best validation loss, which is used for prediction.
    pub fn best(&self) -> Result<Checkpoint> {
        read_if_there(&self.best_path())?.ok_or_else(|| self.unfinished())
    }

    /// The epochs in the log; empty if there is no log, as for a model file.
    pub fn epochs(&self) -> Result<Vec<EpochRecord>> {
        if self.is_file() {
            return Ok(Vec::new());
        }
        self.log().read()
    }

    /// The bytes of the best checkpoint file.
    pub fn best_bytes(&self) -> Result<Vec<u8>> {
        let path = self.best_path();
        if !path.exists() {
            return Err(self.unfinished());
        }
        read_regular(&path).map_err(Error::io(&path))
    }

    /// Path of the newest checkpoint.
    pub fn last_path(&self) -> PathBuf {
        self.path.join("last.safetensors")
    }

    /// Path of the best checkpoint.
    pub fn best_path(&self) -> PathBuf {
        if self.is_file() {
            return self.path.clone();
        }
        self.path.join("best.safetensors")
    }

    pub(super) fn config_path(&self) -> PathBuf {
        self.path.join("config.toml")
    }

    pub(super) fn log(&self) -> Log {
        Log::of(&self.path)
    }

    /// Error for settings that were changed after the checkpoint was written.
    pub(super) fn edited(&self, differences: &str) -> Error {
        Error::bad_file(
            self.config_path(),
            format!(
                "differs from the checkpoint beside it ({differences}); put the settings back, or \
                 start a new run"
            ),
        )
    }

    /// Error for a dataset other than the one the run was started with.
    pub(super) fn other_data(&self, dataset: &Dataset) -> Error {
        Error::bad_file(
            dataset.path().to_owned(),
            format!(
                "is not the dataset on which {} was trained; resume with that one, or start a new \
                 run",
                self.path.display()
            ),
        )
    }

    fn unfinished(&self) -> Error {
        self.refusal(
            "has no best.safetensors: training has not finished an epoch; continue it first",
        )
    }

    fn refusal(&self, reason: &str) -> Error {
        Error::bad_file(self.path.clone(), reason)
    }
}

fn read_if_there(path: &Path) -> Result<Option<Checkpoint>> {
    if path.exists() {
        Checkpoint::read(path).map(Some)
    } else {
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::Method;

    fn settings() -> TrainConfig {
        TrainConfig::default().for_method(Method::Floral)
    }

    fn message(result: Result<RunFolder>) -> String {
        result.unwrap_err().to_string()
    }

    #[test]
    fn the_same_settings_continue_a_run_and_others_are_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let mut config = settings();
        let run = RunFolder::create_or_continue(&path, &config).unwrap();
        assert_eq!(run.config().unwrap(), config);
        assert_eq!(RunFolder::create_or_continue(&path, &config).unwrap(), run);
        assert!(message(RunFolder::create(&path, &config)).contains("holds a run already"));
        config.optimiser.batch = 8;
        let words = message(RunFolder::create_or_continue(&path, &config));
        assert!(words.contains("optimiser.batch 32, not 8"), "{words}");
    }

    #[test]
    fn a_folder_in_use_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let config = settings();
        let run = RunFolder::create(folder.path(), &config).unwrap();
        let _held = run.lock().unwrap();
        let words = message(RunFolder::create_or_continue(folder.path(), &config));
        assert!(words.contains("another process"), "{words}");
    }

    #[test]
    fn checkpoints_without_settings_are_not_trained_over() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["last.safetensors", "best.safetensors"] {
            let path = folder.path().join(name).with_extension("");
            std::fs::create_dir(&path).unwrap();
            std::fs::write(path.join(name), "anything").unwrap();
            let words = message(RunFolder::create_or_continue(&path, &settings()));
            assert!(words.contains("no config.toml"), "{words}");
            assert_eq!(std::fs::read(path.join(name)).unwrap(), b"anything");
        }
    }

    #[test]
    fn settings_that_do_not_name_the_priors_coordinates_mean_raw_ones() {
        let folder = tempfile::tempdir().unwrap();
        let run = RunFolder::create(folder.path(), &settings()).unwrap();
        let text = std::fs::read_to_string(run.config_path()).unwrap();
        let older = text.replace("coordinates = \"unit\"\n", "");
        assert_ne!(older, text);
        std::fs::write(run.config_path(), older).unwrap();
        let config = run.config().unwrap();
        assert_eq!(config.prior.coordinates, prior::Coordinates::Raw);
    }
}
