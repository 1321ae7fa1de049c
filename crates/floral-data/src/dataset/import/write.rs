//! Writes the dataset, input by input, into a group that gets its final name once complete.

use std::path::Path;

use rayon::prelude::*;
use serde_json::{Map, Value};

use super::frame::Frame;
use super::reading::Reading;
use super::survey::{Kept, Survey, realizations};
use crate::dataset::layout::{HIGH, INPUT, LOW, LOW_REALIZATIONS, REALIZATIONS_OF};
use crate::observer::{Event, Observer, go_on};
use crate::storage::{Group, Precision};
use crate::{Error, Quantities, Result};

/// The result of checking all data, before anything is written.
pub(super) struct ImportPlan<'a> {
    pub readings: &'a [Reading<'a>],
    pub frame: &'a Frame,
    pub survey: &'a Survey,
    pub quantities: Quantities,
    pub precision: Precision,
    /// Number of inputs per stored file of an array.
    pub shard: usize,
    /// Attributes of the group, in addition to those of every dataset.
    pub attributes: Map<String, Value>,
}

impl ImportPlan<'_> {
    /// Writes the dataset, unless it exists already. Returns whether it was written.
    pub fn write(&self, path: &Path, force: bool, observer: &dyn Observer) -> Result<bool> {
        let Some(group) = Group::open(path, self.group()?, force)? else {
            return Ok(false);
        };
        let total = self.survey.kept.len();
        observer.observe(&Event::Inputs { done: 0, total });
        let kept: Vec<(usize, &Kept)> = self.survey.kept.iter().enumerate().collect();
        // In order, so that few shards are incomplete at any time.
        let in_turn = kept.into_iter().par_bridge();
        in_turn.try_for_each(|(input, kept)| {
            go_on(observer)?;
            self.write_input(&group, input, kept)?;
            observer.observe(&Event::Generated { input });
            Ok::<_, Error>(())
        })?;
        for axis in &self.frame.grid.axes {
            if group.plans(&axis.name) {
                group.write_coordinates(&axis.name, &axis.coordinates)?;
            }
        }
        for (name, coordinates) in self.high_axes() {
            group.write_coordinates(&name, &coordinates)?;
        }
        group.finish()?;
        Ok(true)
    }

    fn write_input(&self, group: &Group, input: usize, kept: &Kept) -> Result<()> {
        let reading = &self.readings[kept.unit];
        let field = reading.input(kept.index, self.frame.grid.len())?;
        // The survey has accepted the missing values of the input.
        group.write_measured(INPUT, input, &field, field.len())?;
        if !reading.low.is_empty() {
            let low = reading.low(kept.index)?;
            let count = realizations(&reading.low);
            let mean = mean(&low, count);
            // A missing solution is written as NaN.
            let known = |values: &[f64]| match values.iter().all(|value| value.is_nan()) {
                true => 0,
                false => values.len(),
            };
            if group.plans(LOW_REALIZATIONS) {
                let there = &low[..known(&low)];
                group.write_measured(LOW_REALIZATIONS, input, there, low.len())?;
            }
            group.write_measured(LOW, input, &mean[..known(&mean)], mean.len())?;
        }
        if reading.high.is_empty() {
            return Ok(());
        }
        let all = reading.high(kept.index)?;
        let size = all.len() / realizations(&reading.high).max(1);
        let rows = kept.realizations.iter().map(|&i| &all[i * size..][..size]);
        let high: Vec<f64> = rows.flatten().copied().collect();
        group.write_measured(HIGH, input, &high, self.realizations() * size)?;
        if group.plans(REALIZATIONS_OF) {
            let count = u32::try_from(kept.realizations.len()).unwrap_or(u32::MAX);
            group.write_count(REALIZATIONS_OF, input, count)?;
        }
        Ok(())
    }

    /// Largest number of realizations of an input.
    pub fn realizations(&self) -> usize {
        let counts = self.survey.kept.iter().map(|kept| kept.realizations.len());
        counts.max().unwrap_or(0)
    }

    /// Whether the numbers of realizations differ between inputs.
    pub fn is_ragged(&self) -> bool {
        let most = self.realizations();
        let mut kept = self.survey.kept.iter();
        kept.any(|kept| kept.realizations.len() != most)
    }
}

/// The mean of realizations.
fn mean(values: &[f64], count: usize) -> Vec<f64> {
    let size = values.len() / count.max(1);
    let mut mean = vec![0.0; size];
    for realization in values.chunks_exact(size.max(1)) {
        for (mean, value) in mean.iter_mut().zip(realization) {
            *mean += value / count as f64;
        }
    }
    mean
}
