//! HDF5 links that point out of the file, or to nothing. They are not followed, so that a file
//! cannot cause other files to be read; they are reported instead.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use hdf5_reader::error::Result;
use hdf5_reader::group::Group;
use hdf5_reader::messages::HdfMessage;
use hdf5_reader::messages::link::LinkTarget;
use hdf5_reader::object_header::ObjectHeader;
use hdf5_reader::{ExternalLinkResolver, Hdf5File};

/// The files that links point to; they are not opened.
#[derive(Clone, Default)]
pub(super) struct LeadingOut(Arc<Mutex<BTreeSet<String>>>);

impl LeadingOut {
    /// The files.
    pub fn files(&self) -> BTreeSet<String> {
        let files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        files.clone()
    }
}

impl ExternalLinkResolver for LeadingOut {
    fn resolve_external_link(&self, file: &str) -> Result<Option<Hdf5File>> {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        files.insert(file.to_owned());
        Ok(None)
    }
}

/// A link that is not followed.
pub(super) struct Link {
    pub name: String,
    pub why: String,
    /// The external file that it points to.
    pub file: Option<String>,
}

/// The links of a group that resolve to none of its `members`. Only links in the object header are
/// listed. Large groups store their links elsewhere; [`LeadingOut`] records those.
pub(super) fn unfollowed(group: &Group, members: &[&str]) -> Vec<Link> {
    let header = ObjectHeader::parse_at_storage(
        group.storage(),
        group.address(),
        group.offset_size(),
        group.length_size(),
    );
    let messages = header.map(|header| header.messages).unwrap_or_default();
    let links = messages.into_iter().filter_map(|message| match message {
        HdfMessage::Link(link) if !members.contains(&link.name.as_str()) => Some(link),
        _ => None,
    });
    let unfollowed = links.filter_map(|link| match link.target {
        LinkTarget::External { filename, path } => Some(Link {
            name: link.name,
            why: format!("is a link to {path} of the file {filename}, which is not followed"),
            file: Some(filename),
        }),
        LinkTarget::Soft { path } => Some(Link {
            name: link.name,
            why: format!("is a link to {path}, which the file does not hold"),
            file: None,
        }),
        LinkTarget::Hard { .. } => None,
    });
    unfollowed.collect()
}
