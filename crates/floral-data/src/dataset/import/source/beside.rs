//! What a source holds beside numbers: lists of texts, such as the labels of channels, and arrays that
//! cannot be read, which are named rather than passed over.

use std::collections::BTreeMap;

/// Texts of the longest list that is read.
pub(super) const MOST_LABELS: usize = 1 << 16;

/// Lists of texts, and what cannot be read.
#[derive(Debug, Clone, Default)]
pub(in crate::dataset) struct Beside {
    /// Lists of texts by the name of their array.
    pub labels: BTreeMap<String, Vec<String>>,
    /// Arrays that cannot be read, and why.
    pub unread: Vec<(String, String)>,
}

impl Beside {
    /// Adds a list of texts; an empty or an overlong one labels nothing.
    pub fn label(&mut self, name: &str, texts: Vec<String>) {
        if (1..=MOST_LABELS).contains(&texts.len()) {
            let texts = texts.iter().map(|text| text.trim().to_owned()).collect();
            self.labels.insert(name.to_owned(), texts);
        }
    }

    /// Names an array that cannot be read.
    pub fn unreadable(&mut self, name: &str, why: impl Into<String>) {
        self.unread.push((name.to_owned(), why.into()));
    }
}
