//! Readings in the units of the data and in units of the fit: checked, sorted, without repeated
//! exact ones.

use std::cmp::Ordering;

use crate::{Error, Result};

/// Maximum number of readings: the covariances of more would not fit into memory.
const MOST: usize = 1000;

/// A linear reading of one realization: sum_i factor_i u_i + noise, in the units of the data.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The name of the reading in messages.
    pub name: String,
    /// Places in [channel, point], and their factors.
    pub entries: Vec<(usize, f64)>,
    /// The value that was read.
    pub value: f64,
    /// The standard deviation of its noise; 0 if it is exact.
    pub deviation: f64,
}

impl Reading {
    fn check(&self, values: usize) -> Result<()> {
        let reason = if !self.value.is_finite() {
            "its value is not a number; leave it out"
        } else if !(self.deviation.is_finite() && self.deviation >= 0.0) {
            "its std has to be a number of 0 or more"
        } else if self.entries.iter().any(|(place, _)| *place >= values) {
            "it reads a place off the grid"
        } else if !self.entries.iter().all(|(_, factor)| factor.is_finite()) {
            "a factor of it is not a number"
        } else {
            return Ok(());
        };
        Err(refused(&self.name, reason))
    }
}

/// Readings in units of the fit, minus the predicted mean: one row of H each.
pub(crate) struct Rows {
    pub names: Vec<String>,
    pub entries: Vec<Vec<(usize, f64)>>,
    /// y - H m.
    pub missed: Vec<f64>,
    /// Standard deviations of the noise.
    pub noise: Vec<f64>,
}

impl Rows {
    /// Rows from readings of a solution with this mean, [channel, point], in the units of the data;
    /// `scale` is the unit of a place.
    pub(crate) fn new(
        readings: &[Reading],
        mean: &[f64],
        scale: impl Fn(usize) -> f64,
    ) -> Result<Self> {
        if readings.is_empty() || readings.len() > MOST {
            let reason = match readings.len() {
                0 => "there are none; give at least one".into(),
                n => format!("{n} are more than the {MOST} that are possible; thin them"),
            };
            return Err(refused("readings", &reason));
        }
        for reading in readings {
            reading.check(mean.len())?;
        }
        let mut sorted: Vec<Reading> = readings.iter().map(tidy).collect();
        sorted.sort_by(order);
        let mut rows = Self {
            names: Vec::new(),
            entries: Vec::new(),
            missed: Vec::new(),
            noise: Vec::new(),
        };
        for (i, reading) in sorted.iter().enumerate() {
            let before = sorted[..i].iter().rev();
            let mut twins = before.take_while(|other| other.entries == reading.entries);
            match twins.find(|other| other.deviation == 0.0 && reading.deviation == 0.0) {
                Some(twin) if twin.value == reading.value => {}
                Some(twin) => return Err(contradiction(twin, reading)),
                None => rows.push(reading, mean, &scale),
            }
        }
        Ok(rows)
    }

    pub(super) fn len(&self) -> usize {
        self.missed.len()
    }

    fn push(&mut self, reading: &Reading, mean: &[f64], scale: impl Fn(usize) -> f64) {
        let predicted = reading.entries.iter().map(|(place, f)| f * mean[*place]);
        self.missed.push(reading.value - predicted.sum::<f64>());
        let scaled = reading.entries.iter();
        let scaled = scaled.map(|(place, f)| (*place, f * scale(*place)));
        self.entries.push(scaled.collect());
        self.noise.push(reading.deviation);
        self.names.push(reading.name.clone());
    }

    /// The readings of a field by every row: H u.
    pub(super) fn of<T: Copy + Into<f64>>(&self, field: &[T]) -> Vec<f64> {
        let read = |entries: &Vec<(usize, f64)>| read(entries, field);
        self.entries.iter().map(read).collect()
    }
}

/// One reading of a field: sum_i factor_i u_i.
pub(super) fn read<T: Copy + Into<f64>>(entries: &[(usize, f64)], field: &[T]) -> f64 {
    entries.iter().map(|(p, f)| f * field[*p].into()).sum()
}

/// The same reading, with its places in order and without repetition.
fn tidy(reading: &Reading) -> Reading {
    let mut sorted = reading.entries.clone();
    sorted.sort_by_key(|(place, _)| *place);
    let mut entries: Vec<(usize, f64)> = Vec::with_capacity(sorted.len());
    for (place, factor) in sorted.into_iter().filter(|(_, factor)| *factor != 0.0) {
        match entries.last_mut().filter(|(last, _)| *last == place) {
            Some((_, sum)) => *sum += factor,
            None => entries.push((place, factor)),
        }
    }
    Reading {
        entries,
        ..reading.clone()
    }
}

/// An order of readings that does not depend on the order in which they are given.
fn order(a: &Reading, b: &Reading) -> Ordering {
    let pairs = a.entries.iter().zip(&b.entries);
    let parted = pairs.map(|((p, f), (q, g))| p.cmp(q).then(f.total_cmp(g)));
    let by_entries = parted.fold(Ordering::Equal, Ordering::then);
    by_entries
        .then(a.entries.len().cmp(&b.entries.len()))
        .then(a.deviation.total_cmp(&b.deviation))
        .then(a.value.total_cmp(&b.value))
}

fn contradiction(one: &Reading, other: &Reading) -> Error {
    refused(
        &format!("{} and {}", one.name, other.name),
        &format!(
            "both are exact and read the same, but {} and {}; leave one out or give their std",
            one.value, other.value
        ),
    )
}

pub(super) fn refused(context: &str, reason: &str) -> Error {
    Error::Config {
        context: context.into(),
        reason: reason.into(),
    }
}
