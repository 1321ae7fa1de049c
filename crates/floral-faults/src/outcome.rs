//! What a part of the campaign came to: counts, by what they are of, and finds.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::watch::Tally;

/// Counts and finds.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Found {
    /// Numbers by format or command, each by its name.
    pub counts: BTreeMap<String, BTreeMap<String, u64>>,
    /// What went wrong, with seed and number, so that it can be repeated.
    pub finds: Vec<Value>,
}

impl Found {
    /// Adds to a count.
    pub fn count(&mut self, of: &str, what: &str, number: u64) {
        let counts = self.counts.entry(of.to_owned()).or_default();
        *counts.entry(what.to_owned()).or_default() += number;
    }

    /// Tells how far it is.
    pub fn tell(&self, of: &str, words: &str) {
        #[expect(clippy::print_stdout, reason = "what a user waits for")]
        {
            println!("{of}: {words}");
        }
    }

    /// Adds what the work on a format came to.
    pub fn add_tally(&mut self, format: &str, tally: Tally) {
        self.count(format, "inputs", tally.inputs);
        self.count(format, "accepted", tally.accepted);
        self.count(format, "refused", tally.refused);
        self.count(
            format,
            "most_megabytes",
            tally.most_bytes.div_ceil(1_000_000),
        );
        self.finds.extend(tally.finds);
    }
}

impl Tally {
    /// In a line.
    pub fn words(&self) -> String {
        format!(
            "{} inputs, {} refused, {} read to the end, at most {} MB, {} finds",
            self.inputs,
            self.refused,
            self.accepted,
            self.most_bytes.div_ceil(1_000_000),
            self.finds.len()
        )
    }
}
