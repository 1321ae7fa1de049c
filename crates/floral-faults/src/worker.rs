//! A worker: case after case of one format, in a process of its own that may die of one.
//!
//! What it is at stands in a file that outlives it, for the one that watches (`watch.rs`).

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
use crate::format::{Around, Format};
use crate::mutate;
use crate::specimen::{Specimen, file_of};

/// Names in a worker's folder.
pub const STATE: &str = "state";
pub const FINDS: &str = "finds";

/// What a worker has come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// The case under way, or the one after the last.
    pub at: u64,
    /// Inputs that were read to the end.
    pub accepted: u64,
    /// Inputs that were refused with an error.
    pub refused: u64,
    /// The most bytes held during a case.
    pub most_bytes: u64,
}

impl State {
    /// From the file of a worker.
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

/// The last panic, in words.
static PANIC: Mutex<String> = Mutex::new(String::new());

impl Cases<'_> {
    /// Works on cases from `from` up to `to`.
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

    /// One case: damages a file and reads.
    fn case(&self, bench: &mut Bench, case: u64) -> Result<Outcome> {
        let mut dice = Dice::new(self.seed, case);
        let (path, _) = bench.damage(&mut dice)?;
        let around = Around::of(bench.dataset.clone(), &mut dice);
        let read = catch_unwind(AssertUnwindSafe(|| (self.format.read)(&path, &around)));
        Ok(match read {
            Ok(Ok(())) => Outcome::Accepted,
            Ok(Err(_)) => Outcome::Refused,
            Err(_) => Outcome::Panicked,
        })
    }

    /// One case, without a net: tells what is damaged and what reading it comes to.
    pub fn show(&self, case: u64) -> Result<String> {
        let mut bench = Bench::new(self)?;
        let mut dice = Dice::new(self.seed, case);
        let (path, file) = bench.damage(&mut dice)?;
        let damaged = String::from_utf8_lossy(&fs::read(&file)?).into_owned();
        #[expect(
            clippy::print_stdout,
            reason = "to be seen also if reading ends the process"
        )]
        {
            println!("{}\n{damaged}", file.display());
        }
        let around = Around::of(bench.dataset.clone(), &mut dice);
        Ok(match (self.format.read)(&path, &around) {
            Ok(()) => "read to the end".into(),
            Err(error) => error.to_string(),
        })
    }

    fn record(&self, case: u64) -> Result<()> {
        let words = PANIC.lock().map(|words| words.clone()).unwrap_or_default();
        let find = json!({"format": self.format.name, "seed": self.seed, "case": case,
                          "kind": "panic", "words": words});
        let path = self.folder.join(FINDS);
        let mut file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(writeln!(file, "{find}")?)
    }
}

enum Outcome {
    Accepted,
    Refused,
    Panicked,
}

/// The specimens, laid out where they are damaged, and a sound dataset.
struct Bench {
    laid_out: Vec<(Specimen, PathBuf)>,
    dataset: Dataset,
    /// The file that is damaged: a specimen, and a file of it.
    damaged: Option<(usize, usize)>,
}

impl Bench {
    /// Damages a file, all others being sound; returns what is read, and the file.
    fn damage(&mut self, dice: &mut Dice) -> Result<(PathBuf, PathBuf)> {
        let specimen = dice.below(self.laid_out.len());
        let files = &self.laid_out[specimen].0.files;
        let (damaged, other) = (dice.below(files.len()), dice.below(files.len()));
        // Put back only where another is damaged next: half of the time is writing.
        if let Some(before) = self.damaged.filter(|before| *before != (specimen, damaged)) {
            let (file, sound) = self.file(before);
            fs::write(file, sound)?;
        }
        let (file, sound) = self.file((specimen, damaged));
        let bytes = mutate::damaged(dice, &file, sound, &files[other].1);
        fs::write(&file, bytes)?;
        self.damaged = Some((specimen, damaged));
        Ok((self.laid_out[specimen].1.clone(), file))
    }

    /// Where a file lies, and its sound bytes.
    fn file(&self, (specimen, file): (usize, usize)) -> (PathBuf, &[u8]) {
        let (specimen, path) = &self.laid_out[specimen];
        let (inner, bytes) = &specimen.files[file];
        (file_of(path, inner), bytes)
    }

    fn new(cases: &Cases) -> Result<Self> {
        let folder = cases.specimens.join(cases.format.name);
        let mut paths: Vec<_> = fs::read_dir(&folder)
            .with_context(|| folder.display().to_string())?
            .map(|entry| Ok(entry?.path()))
            .collect::<Result<_>>()?;
        paths.sort();
        let lay_out = |path: &PathBuf| {
            let specimen = Specimen::read(path)?;
            let place = specimen.lay_out(cases.folder)?;
            Ok((specimen, place))
        };
        Ok(Self {
            laid_out: paths.iter().map(lay_out).collect::<Result<_>>()?,
            dataset: Dataset::open(cases.specimens.join("data.zarr"))?,
            damaged: None,
        })
    }
}
