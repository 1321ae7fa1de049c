//! The folder in which a dataset, or another group, grows until it is complete.
//!
//! ```text
//! data.zarr.partial/
//!   lock        held while a process writes
//!   plan.json   metadata of the planned dataset
//!   scratch/    incomplete files
//!   pending/    parts of unfinished inputs
//!   store/      the dataset; no reader opens it until its metadata are written at the end
//!   complete/   during the final exchange: the dataset, then the replaced one
//!   replaced/   the replaced one, if the file system cannot exchange two names atomically
//! ```

use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::atomic::write_atomically;
use super::differences::differences;
use super::files::{
    create_folder, parent_of, read_json, refuse_dangling, remove_folder, sync, write_error,
};
use super::group_plan::METADATA_FILE;
use super::lock::FolderLock;
use super::operations;
use crate::{Advice, Error, Result};

/// An unfinished dataset locked by this process, or by another process on behalf of this one.
pub(super) struct Partial {
    target: PathBuf,
    folder: PathBuf,
    force: bool,
    /// None if another process holds the lock on behalf of this one.
    _lock: Option<FolderLock>,
}

impl Partial {
    /// Begins or continues the dataset `target` with the group metadata `wanted`; none if it is
    /// already complete. Without `force`, anything else at this path is left unchanged and
    /// reported.
    pub fn open(target: &Path, wanted: &Value, force: bool) -> Result<Option<Self>> {
        let folder = partial_path(target)?;
        refuse_dangling(target)?;
        if is_complete(target, wanted, force)? && !folder.exists() {
            return Ok(None);
        }
        let partial = Self {
            target: target.to_owned(),
            _lock: Some(FolderLock::acquire(&folder, "dataset")?),
            folder,
            force,
        };
        partial.settle_exchange()?;
        if is_complete(target, wanted, force)? {
            partial.clear_remains(wanted)?;
            return Ok(None);
        }
        partial.adopt(wanted)?;
        Ok(Some(partial))
    }

    /// The dataset opened by another process on behalf of several processes, including this one;
    /// the other process publishes it.
    pub fn join(target: &Path) -> Result<Self> {
        Ok(Self {
            target: target.to_owned(),
            folder: partial_path(target)?,
            force: false,
            _lock: None,
        })
    }

    /// The folder of the growing dataset.
    pub fn store(&self) -> PathBuf {
        self.folder.join("store")
    }

    /// The folder of files under construction.
    pub fn scratch(&self) -> PathBuf {
        self.folder.join("scratch")
    }

    /// The folder of unfinished inputs.
    pub fn pending(&self) -> PathBuf {
        self.folder.join("pending")
    }

    /// Renames the dataset to its final path, replacing an existing one if `force` allows it.
    pub fn publish(self) -> Result<()> {
        if self.force && self.target.exists() {
            self.replace()?;
        } else {
            self.rename(&self.store(), &self.target)?;
        }
        sync(parent_of(&self.target))?;
        // The dataset is complete; the next run removes leftovers that cannot be removed here.
        let _ = remove_folder(&self.folder);
        Ok(())
    }

    /// Replaces the existing dataset. If the file system can exchange two names atomically, the
    /// path is never empty.
    fn replace(&self) -> Result<()> {
        let complete = self.complete();
        self.rename(&self.store(), &complete)?;
        match operations::exchange(&complete, &self.target) {
            Err(error) if error.kind() == io::ErrorKind::Unsupported => {
                self.rename(&self.target, &self.replaced())?;
                self.rename(&complete, &self.target)
            }
            other => other.map_err(write_error(&self.target)),
        }
    }

    fn plan(&self) -> PathBuf {
        self.folder.join("plan.json")
    }

    fn complete(&self) -> PathBuf {
        self.folder.join("complete")
    }

    fn replaced(&self) -> PathBuf {
        self.folder.join("replaced")
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        operations::rename(from, to).map_err(write_error(to))
    }

    /// Completes an interrupted exchange.
    fn settle_exchange(&self) -> Result<()> {
        let [complete, replaced] = [self.complete(), self.replaced()];
        if replaced.exists() && !self.target.exists() {
            let is_whole = |folder: &PathBuf| folder.join(METADATA_FILE).exists();
            let whole = [complete.clone(), self.store()].into_iter().find(is_whole);
            self.rename(whole.as_ref().unwrap_or(&replaced), &self.target)?;
        }
        remove_folder(&replaced)?;
        if complete.exists() {
            self.settle_complete(&complete)?;
        }
        Ok(())
    }

    /// Settles the folder `complete`. If its dataset is already published, the folder holds the
    /// replaced one and is removed; otherwise it becomes the growing dataset again.
    fn settle_complete(&self, complete: &Path) -> Result<()> {
        let published = read_json(&self.target.join(METADATA_FILE))?;
        let is_published = match (published, read_json(&self.plan())?) {
            (Some(published), Some(plan)) => differences(&published, &plan).is_none(),
            _ => false,
        };
        if is_published {
            return remove_folder(complete);
        }
        remove_folder(&self.store())?;
        self.rename(complete, &self.store())
    }

    /// Removes the leftovers of a run that was interrupted after it had published this dataset.
    fn clear_remains(&self, wanted: &Value) -> Result<()> {
        match read_json(&self.plan())? {
            Some(plan) if differences(&plan, wanted).is_some() => Ok(()),
            _ => remove_folder(&self.folder),
        }
    }

    /// Takes over the folder for this plan; keeps data that were written with an equal plan.
    fn adopt(&self, wanted: &Value) -> Result<()> {
        let kept = match read_json(&self.plan())? {
            None => false,
            Some(plan) => match differences(&plan, wanted) {
                None => true,
                Some(_) if self.force => false,
                Some(words) => return Err(self.refusal(&words)),
            },
        };
        if !kept {
            remove_folder(&self.store())?;
            remove_folder(&self.pending())?;
        }
        remove_folder(&self.scratch())?;
        create_folder(&self.scratch())?;
        create_folder(&self.store())?;
        // Written by a run that was interrupted just before publishing.
        let metadata = self.store().join(METADATA_FILE);
        if metadata.exists() {
            operations::remove_file(&metadata).map_err(write_error(metadata))?;
        }
        write_atomically(&self.plan(), format!("{wanted:#}\n").as_bytes())
    }

    fn refusal(&self, words: &str) -> Error {
        Error::bad_file(
            &self.folder,
            format!("is an unfinished dataset with {words}"),
        )
        .advised(Advice::Discard)
    }
}

/// `data.zarr.partial` for `data.zarr`.
pub fn partial_path(target: &Path) -> Result<PathBuf> {
    let mut name = target
        .file_name()
        .ok_or_else(|| {
            Error::bad_file(
                target,
                "is no name for a dataset; choose one such as data.zarr",
            )
        })?
        .to_owned();
    name.push(".partial");
    Ok(target.with_file_name(name))
}

/// Whether a folder is the partial folder of a dataset.
pub fn is_partial(folder: &Path) -> bool {
    folder.join("plan.json").is_file()
}

/// Whether the target is the wanted dataset; an error if it is another one that must not be
/// replaced.
fn is_complete(target: &Path, wanted: &Value, force: bool) -> Result<bool> {
    if !target.exists() {
        return Ok(false);
    }
    let refusal = |reason| Error::bad_file(target, reason);
    match read_json(&target.join(METADATA_FILE))? {
        Some(root) if root["node_type"] == "group" => match differences(&root, wanted) {
            _ if force => Ok(false),
            None => Ok(true),
            Some(words) => {
                Err(refusal(format!("is a dataset with {words}")).advised(Advice::Replace))
            }
        },
        // Not replaced even with `force`, because it might be anything.
        _ => Err(refusal(
            "exists and is not a dataset; choose another name".into(),
        )),
    }
}
