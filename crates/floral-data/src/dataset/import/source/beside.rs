//! Contents of a source beside numbers: lists of texts, such as the labels of channels, and
//! unreadable arrays, which are reported rather than ignored.

use std::collections::BTreeMap;

/// Largest number of texts in a list.
pub(super) const MOST_LABELS: usize = 1 << 16;

/// Lists of texts, and unreadable arrays.
#[derive(Debug, Clone, Default)]
pub(in crate::dataset) struct Beside {
    /// Lists of texts by the name of their array.
    pub labels: BTreeMap<String, Vec<String>>,
    /// Arrays that cannot be read, and why.
    pub unread: Vec<(String, String)>,
}

impl Beside {
    /// Adds a list of texts; ignores an empty or overlong list.
    pub fn label(&mut self, name: &str, texts: Vec<String>) {
        if (1..=MOST_LABELS).contains(&texts.len()) {
            let texts = texts.iter().map(|text| text.trim().to_owned()).collect();
            self.labels.insert(name.to_owned(), texts);
        }
    }

    /// Records an unreadable array and the reason.
    pub fn unreadable(&mut self, name: &str, why: impl Into<String>) {
        self.unread.push((name.to_owned(), why.into()));
    }
}
