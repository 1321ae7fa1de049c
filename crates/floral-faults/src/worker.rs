//! A worker: runs case after case of one format in a separate process that may die.
//!
//! Its progress is in a file that outlives it, which the watching process reads (`watch.rs`).

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context, Result};
use floral::dataset::Dataset;
use serde_json::json;

use crate::dice::Dice;
use crate::files::joined;
use crate::format::{Format, Surroundings};
use crate::mutate;
use crate::specimen::Specimen;

/// File names in the folder of a worker.
pub const STATE: &str = "state";
pub const FINDINGS: &str = "findings";

/// The progress of a worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// The current case, or the case after the last one.
    pub at: u64,
    /// Inputs that were read completely.
    pub accepted: u64,
    /// Inputs that were refused with an error.
    pub refused: u64,
    /// Maximum number of bytes held during a case.
    pub most_bytes: u64,
}

impl State {
    /// Reads the progress from the folder of a worker.
    pub fn read(folder: &Path) -> Self {
        let bytes = fs::read(folder.join(STATE)).unwrap_or_default();
        let words = bytes.as_chunks().0;
        let word = |i: usize| words.get(i).map_or(0, |word| u64::from_le_bytes(*word));
        Self {
            at: word(0),
            accepted: word(1),
            refused: word(2),
            most_bytes: word(3),
        }
    }

    fn write(self, file: &File) -> std::io::Result<()> {
        let words = [self.at, self.accepted, self.refused, self.most_bytes];
        file.write_all_at(words.map(u64::to_le_bytes).as_flattened(), 0)
    }
}

/// Cases of a format, by number.
pub struct Cases<'a> {
    pub format: Format,
    pub seed: u64,
    pub specimens: &'a Path,
    pub folder: &'a Path,
}

/// The message of the last panic.
static PANIC: Mutex<String> = Mutex::new(String::new());

impl Cases<'_> {
    /// Runs the cases `from..to`; `most` returns the maximum of bytes held since its last call.
    pub fn run(&self, from: u64, to: u64, most: impl Fn() -> usize) -> Result<()> {
        std::panic::set_hook(Box::new(|panic| {
            if let Ok(mut words) = PANIC.lock() {
                *words = panic.to_string();
            }
        }));
        let mut bench = Bench::new(self)?;
        let file = File::create(self.folder.join(STATE))?;
        let mut state = State::default();
        for case in from..to {
            state.at = case;
            state.write(&file)?;
            most();
            match self.case(&mut bench, case)? {
                Outcome::Accepted => state.accepted += 1,
                Outcome::Refused => state.refused += 1,
                Outcome::Panicked => self.record(case)?,
            }
            state.most_bytes = state.most_bytes.max(most() as u64);
        }
        state.at = to;
        Ok(state.write(&file)?)
    }

    /// Runs one case: damages a file and reads it.
    fn case(&self, bench: &mut Bench, case: u64) -> Result<Outcome> {
        let mut dice = Dice::new(self.seed, case);
        let (path, _) = bench.damage(&mut dice)?;
        let surroundings = Surroundings::of(bench.dataset.clone(), &mut dice);
        let read = catch_unwind(AssertUnwindSafe(|| {
            (self.format.read)(&path, &surroundings)
        }));
        Ok(match read {
            Ok(Ok(())) => Outcome::Accepted,
            Ok(Err(_)) => Outcome::Refused,
            Err(_) => Outcome::Panicked,
        })
    }

    /// Runs one case without protection; prints the damaged file and how reading it ends.
    #[expect(clippy::print_stdout, reason = "what a user asks for")]
    pub fn show(&self, case: u64) -> Result<()> {
        let mut bench = Bench::new(self)?;
        let mut dice = Dice::new(self.seed, case);
        let (path, file) = bench.damage(&mut dice)?;
        let damaged = fs::read(&file)?;
        println!("{}\n{}", file.display(), String::from_utf8_lossy(&damaged));
        let surroundings = Surroundings::of(bench.dataset.clone(), &mut dice);
        match (self.format.read)(&path, &surroundings) {
            Ok(()) => println!("outcome: read completely"),
            Err(error) => println!("outcome: {error}"),
        }
        Ok(())
    }

    fn record(&self, case: u64) -> Result<()> {
        let words = PANIC.lock().map(|words| words.clone()).unwrap_or_default();
        let find = json!({"format": self.format.name, "seed": self.seed, "case": case,
                          "kind": "panic", "words": words});
        let path = self.folder.join(FINDINGS);
        let mut file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(writeln!(file, "{find}")?)
    }
}

enum Outcome {
    Accepted,
    Refused,
    Panicked,
}

/// The specimens, copied to the folder in which they are damaged, and an intact dataset.
struct Bench {
    copies: Vec<(Specimen, PathBuf)>,
    dataset: Dataset,
    /// The damaged file: indices of the specimen and of its file.
    damaged: Option<(usize, usize)>,
}

impl Bench {
    /// Damages one file while all others are intact; returns the path to read, and the file.
    fn damage(&mut self, dice: &mut Dice) -> Result<(PathBuf, PathBuf)> {
        let specimen = dice.below(self.copies.len());
        let files = &self.copies[specimen].0.files;
        let (damaged, other) = (dice.below(files.len()), dice.below(files.len()));
        // The file is restored only if another is damaged next: writing takes half of the time.
        if let Some(before) = self.damaged.filter(|before| *before != (specimen, damaged)) {
            let (file, intact) = self.file(before);
            fs::write(file, intact)?;
        }
        let (file, intact) = self.file((specimen, damaged));
        let bytes = mutate::damaged(dice, &file, intact, &files[other].1);
        fs::write(&file, bytes)?;
        self.damaged = Some((specimen, damaged));
        Ok((self.copies[specimen].1.clone(), file))
    }

    /// The path of a file, and its intact bytes.
    fn file(&self, (specimen, file): (usize, usize)) -> (PathBuf, &[u8]) {
        let (specimen, path) = &self.copies[specimen];
        let (inner, bytes) = &specimen.files[file];
        (joined(path, inner), bytes)
    }

    fn new(cases: &Cases) -> Result<Self> {
        let folder = cases.specimens.join(cases.format.name);
        let mut paths: Vec<_> = fs::read_dir(&folder)
            .with_context(|| folder.display().to_string())?
            .map(|entry| Ok(entry?.path()))
            .collect::<Result<_>>()?;
        paths.sort();
        let copied = |path: &PathBuf| Specimen::copied(path, cases.folder);
        Ok(Self {
            copies: paths.iter().map(copied).collect::<Result<_>>()?,
            dataset: Dataset::open(cases.specimens.join("data.zarr"))?,
            damaged: None,
        })
    }
}
