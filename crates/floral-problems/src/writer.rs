//! Writes a dataset input by input, for `generate.rs`, into a storage group.

use std::ops::Range;
use std::path::Path;

use floral_data::dataset::layout::{EXACT_MEAN, EXACT_VARIANCE, HIGH, INPUT, LOW, REDRAWS};
use floral_data::storage::{Group, GroupPlan};

use crate::ranks::Ranks;
use crate::{Error, ExactMoments, Field, Grid, Result};

/// Everything that is stored about one input.
pub(super) struct Solution {
    pub input: Field,
    pub low: Field,
    /// [realization, channel, grid...]
    pub high: Vec<f64>,
    pub moments: Option<ExactMoments>,
    pub redraws: u32,
}

/// An unfinished dataset, open for writing by many threads at once.
pub(super) struct Writer {
    group: Group,
}

impl Writer {
    /// Creates or continues a dataset that several ranks write; none if it is complete.
    pub fn open(
        ranks: &dyn Ranks,
        target: &Path,
        plan: GroupPlan,
        force: bool,
    ) -> Result<Option<Self>> {
        let group = Group::open_across(ranks, target, plan, force)?;
        Ok(group.map(|group| Self { group }))
    }

    /// Number of parts of `inputs` inputs; the inputs of a part share files.
    pub fn parts(&self, inputs: usize) -> usize {
        self.group.parts(inputs)
    }

    /// The inputs of a part.
    pub fn part(&self, part: usize, inputs: usize) -> Range<usize> {
        self.group.part(part, inputs)
    }

    /// Number of redraws of these inputs if all their chunks are present with valid checksums; none
    /// if they have to be computed.
    pub fn finished(&self, mut inputs: Range<usize>) -> Option<u64> {
        inputs.try_fold(0, |sum, input| Some(sum + u64::from(self.redraws(input)?)))
    }

    fn redraws(&self, input: usize) -> Option<u32> {
        // Written last: if it is missing, the others need not be checked.
        let redraws = self.group.count(REDRAWS, input)?;
        let others = [INPUT, LOW, HIGH, EXACT_MEAN, EXACT_VARIANCE];
        self.group.has(&others, input).then_some(redraws)
    }

    /// Stores an input and its solutions.
    pub fn write(&self, input: usize, solution: &Solution) -> Result<()> {
        let group = &self.group;
        group.write_values(INPUT, input, solution.input.values())?;
        group.write_values(LOW, input, solution.low.values())?;
        group.write_values(HIGH, input, &solution.high)?;
        if solution.moments.is_some() != group.plans(EXACT_MEAN) {
            return Err(sometimes_exact(input));
        }
        if let Some(moments) = &solution.moments {
            group.write_values(EXACT_MEAN, input, moments.mean.values())?;
            group.write_values(EXACT_VARIANCE, input, moments.variance.values())?;
        }
        group.write_count(REDRAWS, input, solution.redraws)
    }

    /// Waits until everything that this rank has stored has reached the disk.
    pub fn settle(&self, ranks: &dyn Ranks) -> Result<()> {
        self.group.settle(ranks)
    }

    /// Adds coordinates and metadata, and gives the complete dataset its name.
    pub fn finish(self, grid: &Grid) -> Result<()> {
        for axis in &grid.axes {
            self.group
                .write_coordinates(&axis.name, &axis.coordinates)?;
        }
        self.group.finish()
    }
}

fn sometimes_exact(input: usize) -> Error {
    Error::numerical(
        format!("input {input}: exact moments are known for only one of this input and the first"),
        "a problem has to know them for all inputs or for none",
    )
}
