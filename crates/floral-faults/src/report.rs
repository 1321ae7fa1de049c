//! Counts and findings of a part of the campaign, and the report that sums up all runs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use floral::dataset::write_atomically;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::arguments::Effort;

/// Maximum number of different findings that are printed.
const MOST_PRINTED: usize = 20;

/// Counts and findings of a part.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Found {
    /// Counts by format or command, then by name.
    counts: BTreeMap<String, BTreeMap<String, u64>>,
    /// Errors, with the seed and number that reproduce them.
    #[serde(rename = "finds")]
    findings: Vec<Value>,
}

impl Found {
    /// Adds to a count.
    pub fn count(&mut self, of: &str, what: &str, number: u64) {
        let counts = self.counts.entry(of.to_owned()).or_default();
        *counts.entry(what.to_owned()).or_default() += number;
    }

    /// Adds a finding.
    pub fn find(&mut self, finding: Value) {
        self.findings.push(finding);
    }

    /// The number of findings.
    pub fn findings(&self) -> usize {
        self.findings.len()
    }

    /// Prints the counts of a format or command.
    pub fn print_counts(&self, of: &str) {
        if let Some(counts) = self.counts.get(of) {
            self.print(of, counts);
        }
    }

    /// Prints the totals of all formats or commands.
    pub fn print_totals(&self, label: &str) {
        let mut totals = BTreeMap::new();
        add_up(&mut totals, self);
        self.print(label, &totals);
    }

    fn print(&self, label: &str, counts: &BTreeMap<String, u64>) {
        let counts = counts
            .iter()
            .map(|(name, number)| format!("{name} {number}"));
        let counts = counts.collect::<Vec<_>>().join(", ");
        let findings = self.findings.len();
        print(&format!("{label}: {counts}; findings {findings}"));
    }
}

#[expect(clippy::print_stdout, reason = "what a user waits for")]
fn print(line: &str) {
    println!("{line}");
}

/// Adds the counts of a run to totals. Names that start with `most` are maxima, all others are
/// sums.
fn add_up(totals: &mut BTreeMap<String, u64>, found: &Found) {
    for (name, number) in found.counts.values().flatten() {
        let total = totals.entry(name.clone()).or_default();
        *total = match name.starts_with("most") {
            true => (*total).max(*number),
            false => *total + number,
        };
    }
}

/// The report of all runs so far.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Report {
    /// Totals of all runs, by part and name of the count.
    totals: BTreeMap<String, BTreeMap<String, u64>>,
    /// Hours of all runs that recorded their time.
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
    /// Elapsed seconds; early runs did not record them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seconds: Option<u64>,
    #[serde(flatten)]
    found: Found,
}

impl Report {
    /// Prints the findings of a part and adds its run to the report, if there is one. Returns
    /// whether there were no findings.
    pub fn add(effort: &Effort, part: &str, mut found: Found, took: Duration) -> Result<bool> {
        for finding in &mut found.findings {
            let words = finding["words"].as_str().unwrap_or_default();
            finding["words"] = without_folders(words).into();
        }
        let mut words = BTreeSet::new();
        let is_new = |finding: &&Value| words.insert(finding["words"].to_string());
        for finding in found.findings.iter().filter(is_new).take(MOST_PRINTED) {
            print(&format!("finding: {finding}"));
        }
        let has_none = found.findings.is_empty();
        if let Some(path) = &effort.report {
            // Campaigns that end at the same time add to the report one after another.
            let folder = File::open(path.parent().unwrap_or(Path::new(".")))?;
            folder.lock()?;
            let mut report = Self::read(path)?;
            report.runs.push(Run {
                part: part.to_owned(),
                seed: effort.seed,
                command: command(),
                version: env!("CARGO_PKG_VERSION").into(),
                seconds: Some(took.as_secs()),
                found,
            });
            report.sum_up();
            let text = serde_json::to_string_pretty(&report)? + "\n";
            write_atomically(path, text.as_bytes())?;
        }
        Ok(has_none)
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
            add_up(totals, &run.found);
            *totals.entry("finds".into()).or_default() += run.found.findings.len() as u64;
        }
    }
}

/// The command that repeats a run: its arguments without `--report`.
fn command() -> String {
    let mut arguments = std::env::args_os().skip(1);
    let mut command = String::from("bench/faults");
    while let Some(argument) = arguments.next() {
        let argument = argument.to_string_lossy();
        match &*argument {
            "--report" => drop(arguments.next()),
            argument => command = command + " " + argument,
        }
    }
    command
}

/// Shortens paths in a message to their last three parts, which are the same on any machine.
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
