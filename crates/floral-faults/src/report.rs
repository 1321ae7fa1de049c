//! The report: every run of the campaign with its command, and the sums over all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use floral::dataset::write_atomically;
use serde::{Deserialize, Serialize};

use crate::arguments::Budget;
use crate::outcome::Found;

/// Unlike finds that are told at once.
const TOLD: usize = 20;

/// All runs so far.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Report {
    /// Sums over all runs, by part and by what is counted.
    totals: BTreeMap<String, BTreeMap<String, u64>>,
    /// Hours of all runs that have told theirs.
    #[serde(default)]
    hours: f64,
    /// The runs.
    runs: Vec<Run>,
}

/// One run.
#[derive(Debug, Serialize, Deserialize)]
struct Run {
    part: String,
    seed: u64,
    command: String,
    version: String,
    /// Seconds by the clock; the first runs did not tell them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seconds: Option<u64>,
    #[serde(flatten)]
    found: Found,
}

impl Report {
    /// Tells what a part found and adds it to the report, if there is one; whether nothing was.
    pub fn add(budget: &Budget, part: &str, mut found: Found, took: Duration) -> Result<bool> {
        for find in &mut found.finds {
            find["words"] = without_folders(find["words"].as_str().unwrap_or_default()).into();
        }
        let mut words = BTreeSet::new();
        let unlike = found
            .finds
            .iter()
            .filter(|find| words.insert(find["words"].to_string()));
        for find in unlike.take(TOLD) {
            found.tell("find", &find.to_string());
        }
        let is_sound = found.finds.is_empty();
        if let Some(path) = &budget.report {
            // Campaigns that end at the same time add to it one after the other.
            let folder = File::open(path.parent().unwrap_or(Path::new(".")))?;
            folder.lock()?;
            let mut report = Self::read(path)?;
            report.runs.push(Run {
                part: part.to_owned(),
                seed: budget.seed,
                command: command(),
                version: env!("CARGO_PKG_VERSION").into(),
                seconds: Some(took.as_secs()),
                found,
            });
            report.sum_up();
            let text = serde_json::to_string_pretty(&report)? + "\n";
            write_atomically(path, text.as_bytes())?;
        }
        Ok(is_sound)
    }

    fn read(path: &Path) -> Result<Self> {
        if !path.exists() {
            return Ok(Self::default());
        }
        let text = std::fs::read(path)?;
        serde_json::from_slice(&text).with_context(|| path.display().to_string())
    }

    fn sum_up(&mut self) {
        self.totals.clear();
        let seconds: u64 = self.runs.iter().filter_map(|run| run.seconds).sum();
        self.hours = seconds as f64 / 3600.0;
        for run in &self.runs {
            let totals = self.totals.entry(run.part.clone()).or_default();
            for (name, number) in run.found.counts.values().flatten() {
                let total = totals.entry(name.clone()).or_default();
                // Of memory the most counts, of all else the sum.
                *total = match name.starts_with("most") {
                    true => (*total).max(*number),
                    false => *total + number,
                };
            }
            *totals.entry("finds".into()).or_default() += run.found.finds.len() as u64;
        }
    }
}

/// The words that repeat a run.
fn command() -> String {
    let words = std::env::args_os().skip(1);
    let words: Vec<String> = words
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let told = words.iter().position(|word| word == "--report");
    let kept = words
        .iter()
        .enumerate()
        .filter(|(i, _)| told.is_none_or(|at| *i != at && *i != at + 1));
    let kept: Vec<&str> = kept.map(|(_, word)| word.as_str()).collect();
    format!("bench/faults {}", kept.join(" "))
}

/// Words in which files are named by the last parts of their paths, which are the same anywhere.
fn without_folders(text: &str) -> String {
    let short = |word: &str| {
        let parts: Vec<&str> = word.split('/').collect();
        parts[parts.len().saturating_sub(3)..].join("/")
    };
    text.split_whitespace()
        .map(short)
        .collect::<Vec<_>>()
        .join(" ")
}
