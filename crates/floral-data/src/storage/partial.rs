//! The folder in which a dataset, or another group, grows until it is complete.
//!
//! ```text
//! data.zarr.partial/
//!   lock        held while a process writes
//!   plan.json   what the dataset will be
//!   scratch/    files that are not yet whole
//!   pending/    parts of an input that is under way
//!   store/      the dataset, which no reader opens before its metadata is written at the end
//!   complete/   during the final exchange, the dataset, then what stood under its name
//!   replaced/   the latter, where the file system cannot exchange two names at once
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

/// An unfinished dataset that this process may write, alone or with those that it works with.
pub(super) struct Partial {
    target: PathBuf,
    folder: PathBuf,
    force: bool,
    /// None where another process holds it for this one too.
    _lock: Option<FolderLock>,
}

impl Partial {
    /// Begins or continues the dataset `target` with the group metadata `wanted`; none if it is
    /// there already. Without `force`, whatever else is there is left alone and named.
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

    /// The dataset that another process has opened on behalf of several, including this one; that
    /// process publishes it.
    pub fn join(target: &Path) -> Result<Self> {
        Ok(Self {
            target: target.to_owned(),
            folder: partial_path(target)?,
            force: false,
            _lock: None,
        })
    }

    /// Where the dataset grows.
    pub fn store(&self) -> PathBuf {
        self.folder.join("store")
    }

    /// Where files grow.
    pub fn scratch(&self) -> PathBuf {
        self.folder.join("scratch")
    }

    /// Where parts of inputs under way are kept.
    pub fn pending(&self) -> PathBuf {
        self.folder.join("pending")
    }

    /// Gives the dataset its name, in the place of what `force` allows to replace.
    pub fn publish(self) -> Result<()> {
        if self.force && self.target.exists() {
            self.replace()?;
        } else {
            self.rename(&self.store(), &self.target)?;
        }
        sync(parent_of(&self.target))?;
        // The dataset is complete: what cannot be removed is cleared by the next run.
        let _ = remove_folder(&self.folder);
        Ok(())
    }

    /// Puts the dataset in the place of what stands under its name, which is never empty if the
    /// file system can exchange two names at once.
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

    /// Brings an exchange to its end that was cut.
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

    /// What was to be exchanged is the dataset as long as another stands under its name; it goes on
    /// growing where it did.
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

    /// Removes what a run left that was cut after it had published this dataset.
    fn clear_remains(&self, wanted: &Value) -> Result<()> {
        match read_json(&self.plan())? {
            Some(plan) if differences(&plan, wanted).is_some() => Ok(()),
            _ => remove_folder(&self.folder),
        }
    }

    /// Takes over the folder for this plan: what an equal plan left is kept.
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
        // Written by a run that was cut just before it published.
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

/// Whether a folder is the partial one of a dataset.
pub fn is_partial(folder: &Path) -> bool {
    folder.join("plan.json").is_file()
}

/// Whether the target is the dataset wanted; an error if it is another that must not be replaced.
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
        // Not replaced even with `force`: it might be anything.
        _ => Err(refusal(
            "exists and is not a dataset; choose another name".into(),
        )),
    }
}
