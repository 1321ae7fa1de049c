//! The folder of a loop: solutions, skipped inputs, and the learning curve.
//!
//! `solved/000012.npz` has the solution of input 12, `skipped.json` the inputs that failed,
//! `curve.json` the estimates after each fit, and `quantity.csv` the quantity for the inputs of the
//! pool after the last fit, which is in `rounds/`. Files are written atomically.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::Asking;
use super::knowledge::Knowledge;
use crate::dataset::Dataset;
use crate::low::{read_high, write_high};
use crate::sensitivity::refusal;
use crate::storage::{FolderLock, create_folder, read_json, write_atomically};
use crate::{Checksum, Error, Field, Grid, Result};

/// The state of a loop.
pub(super) struct State {
    folder: PathBuf,
    grid: Grid,
    inputs: usize,
    /// The realizations of every solved input.
    pub solved: BTreeMap<usize, Vec<Field>>,
    /// Skipped inputs, with the reason.
    pub skipped: BTreeMap<usize, String>,
    curve: Vec<Value>,
    _lock: FolderLock,
}

impl State {
    /// Opens a folder, or creates it; refuses the folder of a loop over another pool.
    pub(super) fn open(folder: &Path, pool: &Dataset) -> Result<Self> {
        let lock = FolderLock::acquire(folder, "loop")?;
        let mut sum = Checksum::default();
        for input in 0..pool.inputs() {
            sum = sum.numbers(pool.input(input)?.values());
        }
        let path = folder.join("pool.json");
        let (found, own) = (read_json(&path)?, json!({ "pool": sum.to_string() }));
        match found {
            None => write_atomically(&path, own.to_string().as_bytes())?,
            Some(found) if found == own => {}
            Some(_) => {
                return Err(Error::bad_file(
                    folder,
                    "is the folder of a loop over another pool; choose another folder",
                ));
            }
        }
        let mut state = Self {
            folder: folder.to_owned(),
            grid: pool.grid().clone(),
            inputs: pool.inputs(),
            solved: BTreeMap::new(),
            skipped: BTreeMap::new(),
            curve: Vec::new(),
            _lock: lock,
        };
        create_folder(&state.folder.join("solved"))?;
        state.read()?;
        Ok(state)
    }

    fn read(&mut self) -> Result<()> {
        for input in 0..self.inputs {
            let path = self.path(input);
            if path.is_file() {
                self.solved.insert(input, read_high(&path, &self.grid)?);
            }
        }
        if let Some(Value::Object(skipped)) = read_json(&self.folder.join("skipped.json"))? {
            let pairs = skipped.iter().filter_map(|(input, reason)| {
                Some((input.parse().ok()?, reason.as_str()?.to_owned()))
            });
            self.skipped = pairs.collect();
        }
        if let Some(Value::Array(curve)) = read_json(&self.folder.join("curve.json"))? {
            self.curve = curve;
        }
        Ok(())
    }

    fn path(&self, input: usize) -> PathBuf {
        self.folder.join("solved").join(format!("{input:06}.npz"))
    }

    /// Whether an input is neither solved nor skipped.
    pub(super) fn is_free(&self, input: usize) -> bool {
        !self.solved.contains_key(&input) && !self.skipped.contains_key(&input)
    }

    /// Adds the realizations of an input.
    pub(super) fn add(&mut self, input: usize, high: &[Field]) -> Result<()> {
        if input >= self.inputs {
            let reason = format!("the pool has inputs 0..{}", self.inputs);
            return Err(refusal(&format!("input {input}"), &reason));
        }
        self.check_shapes(input, high)?;
        write_high(&self.path(input), high)?;
        self.solved.insert(input, high.to_vec());
        match self.skipped.remove(&input) {
            Some(_) => self.write_skipped(),
            None => Ok(()),
        }
    }

    /// Refuses a realization on another grid, or with other channels than those before it.
    fn check_shapes(&self, input: usize, high: &[Field]) -> Result<()> {
        let first = high
            .first()
            .ok_or_else(|| refusal(&format!("input {input}"), "has no realization"))?;
        let known = self.solved.values().next().map(|other| &other[0]);
        let channels = known.unwrap_or(first).channels();
        let expected = [vec![channels], self.grid.shape()].concat();
        let found = |field: &Field| [&[field.channels()], field.grid_shape()].concat();
        match high.iter().map(found).find(|found| *found != expected) {
            None => Ok(()),
            Some(found) => Err(Error::shape(
                format!("the solution of input {input}, [channel, grid...],"),
                found,
                expected,
            )),
        }
    }

    /// Marks an input as skipped.
    pub(super) fn skip(&mut self, input: usize, reason: &str) -> Result<()> {
        self.skipped
            .insert(input, reason.lines().next().unwrap_or_default().to_owned());
        self.write_skipped()
    }

    fn write_skipped(&self) -> Result<()> {
        let all: BTreeMap<String, &String> = self
            .skipped
            .iter()
            .map(|(i, r)| (i.to_string(), r))
            .collect();
        write_atomically(
            &self.folder.join("skipped.json"),
            json!(all).to_string().as_bytes(),
        )
    }

    /// Adds a point to the learning curve; an existing point with the same number of runs is
    /// replaced.
    pub(super) fn record(&mut self, asking: &Asking) -> Result<()> {
        if asking.std.is_none() {
            return Ok(());
        }
        self.curve
            .retain(|point| point["runs"] != json!(asking.runs));
        self.curve.push(json!(asking));
        let text = serde_json::to_vec_pretty(&self.curve).unwrap_or_default();
        write_atomically(&self.folder.join("curve.json"), &text)
    }

    /// Writes the quantity for the inputs of the pool: its mean and epistemic standard deviation.
    pub(super) fn write_quantity(&self, known: &Knowledge) -> Result<()> {
        let numbers = known.means.iter().zip(&known.stds);
        let lines = known.inputs.iter().zip(numbers);
        let lines = lines.map(|(input, (mean, std))| format!("{input},{mean},{std}\n"));
        let text: String = ["input,mean,std\n".to_owned()]
            .into_iter()
            .chain(lines)
            .collect();
        write_atomically(&self.folder.join("quantity.csv"), text.as_bytes())
    }

    /// The folder of the fit to the solved inputs.
    pub(super) fn round(&self) -> PathBuf {
        let solved = self.solved.keys().map(|input| *input as f64);
        let sum = Checksum::default().numbers(&solved.collect::<Vec<f64>>());
        let name = format!("{:04}-{:08x}", self.solved.len(), sum.short() as u32);
        self.folder.join("rounds").join(name)
    }
}
