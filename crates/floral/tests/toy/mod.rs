//! A problem small enough to solve by hand, which counts its solutions.
#![allow(dead_code)] // Each test binary uses its own part.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use floral::dataset::{Outcome, Precision, Request, generate};
use floral::problem::{ExactMoments, Problem};
use floral::random::Stream;
use floral::{Axis, Field, Grid, Result, Silent};
use rand::Rng;
use serde_json::Value;
use tempfile::TempDir;

/// Input w on (t, x); low fidelity (w, w^2); high fidelity adds a uniform draw to each of these
/// values.
pub struct Toy {
    pub grid: Grid,
    pub solved: AtomicUsize,
    pub knows_moments: bool,
    pub delay: Duration,
    /// Index of the solve, counted from 0, whose first value is `breaking_value`.
    pub breaks_at: Option<usize>,
    pub breaking_value: f64,
}

impl Toy {
    pub fn new() -> Self {
        Self {
            grid: Grid::new(vec![Axis::times("t", 3, 1.0), Axis::periodic("x", 4)]),
            solved: AtomicUsize::new(0),
            knows_moments: true,
            delay: Duration::ZERO,
            breaks_at: None,
            breaking_value: f64::NAN,
        }
    }

    pub fn solved(&self) -> usize {
        self.solved.load(Ordering::SeqCst)
    }
}

fn uniform(rng: &mut Stream) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

impl Problem for Toy {
    fn name(&self) -> &'static str {
        "toy"
    }

    fn grid(&self) -> &Grid {
        &self.grid
    }

    fn constants(&self) -> toml::Table {
        toml::toml! {
            length = 0.1
            points = [3, 4]
        }
    }

    fn draw_input(&self, rng: &mut Stream) -> Result<Field> {
        let values = (0..self.grid.len()).map(|_| uniform(rng)).collect();
        Ok(Field::scalar(&self.grid, values))
    }

    fn low_fidelity(&self, input: &Field) -> Result<Field> {
        let squares = input.values().iter().map(|w| w * w);
        let values = input.values().iter().copied().chain(squares).collect();
        Field::from_values(2, input.grid_shape(), values)
    }

    fn high_fidelity(
        &self,
        input: &Field,
        streams: &mut [Stream],
        out: &mut [f64],
    ) -> Result<usize> {
        std::thread::sleep(self.delay);
        let low = self.low_fidelity(input)?;
        let realizations = out.chunks_exact_mut(low.values().len());
        let mut redraws = 0;
        for (rng, realization) in streams.iter_mut().zip(realizations) {
            for (value, low) in realization.iter_mut().zip(low.values()) {
                *value = low + uniform(rng);
            }
            redraws += (rng.next_u64() % 3) as usize;
        }
        if self.breaks_at == Some(self.solved.fetch_add(1, Ordering::SeqCst)) {
            out[0] = self.breaking_value;
        }
        Ok(redraws)
    }

    fn exact_moments(&self, input: &Field) -> Result<Option<ExactMoments>> {
        if !self.knows_moments {
            return Ok(None);
        }
        let low = self.low_fidelity(input)?;
        let field = |value: &dyn Fn(f64) -> f64| {
            let values = low.values().iter().map(|&v| value(v)).collect();
            Field::from_values(2, input.grid_shape(), values)
        };
        Ok(Some(ExactMoments {
            mean: field(&|v| v + 0.5)?,
            variance: field(&|_| 1.0 / 12.0)?,
        }))
    }
}

pub fn request(inputs: usize) -> Request {
    Request {
        precision: Precision::F64,
        ..Request::new(inputs, 4, 7)
    }
}

/// A dataset of three inputs.
pub fn small(folder: &TempDir) -> PathBuf {
    let path = folder.path().join("data.zarr");
    run(&Toy::new(), &request(3), &path).unwrap();
    path
}

/// Changes the metadata of a group or an array, given its folder or its metadata file.
pub fn edit(path: &Path, change: impl FnOnce(&mut Value)) {
    let path = match path.is_dir() {
        true => path.join("zarr.json"),
        false => path.to_owned(),
    };
    let mut value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut value);
    fs::write(path, value.to_string()).unwrap();
}

pub fn run(problem: &Toy, request: &Request, path: &Path) -> Result<Outcome> {
    generate(problem, request, path, &Silent)
}

/// Numbers of inputs that were computed, and that were kept from an earlier run.
pub fn generated(outcome: Outcome) -> (usize, usize) {
    match outcome {
        Outcome::Generated {
            computed, resumed, ..
        } => (computed, resumed),
        Outcome::AlreadyComplete { .. } => panic!("it was there already"),
    }
}

/// The contents of every file below a folder.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().display().to_string();
                found.insert(name, fs::read(path).unwrap());
            }
        }
    }
    found
}
