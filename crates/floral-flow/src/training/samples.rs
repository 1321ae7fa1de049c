//! The training data of a run in the network's units; each input is read when it is first needed.

use std::borrow::Cow;
use std::ops::Range;

use super::sample_arrays::SampleArrays;
use crate::network::Nodes;
use crate::{Grid, Result};

/// Inputs with their conditions and all realizations of their targets.
pub struct Samples<'a> {
    /// The grid, perhaps coarser than the dataset's.
    pub grid: Grid,
    /// The points of the grid, for a network of points.
    pub nodes: Option<Nodes>,
    /// Per input: a~, [channel, point].
    conditions: SampleArrays,
    /// Per input: [realization, channel, point].
    targets: SampleArrays,
    /// Values of one realization.
    size: usize,
    /// Number of the first sample of each input, followed by the number of all samples.
    starts: Vec<usize>,
    /// Reads inputs that are not stored yet.
    source: Option<Source<'a>>,
}

/// Reads an input: its condition and its targets.
pub type Source<'a> = Box<dyn Fn(usize) -> Result<[Vec<f32>; 2]> + Send + Sync + 'a>;

impl<'a> Samples<'a> {
    /// Samples with these conditions and targets, one of each per input; a realization has `size`
    /// values. Inputs may differ in their number of realizations.
    pub fn new(grid: Grid, conditions: Vec<Vec<f32>>, targets: Vec<Vec<f32>>, size: usize) -> Self {
        let count = |target: &Vec<f32>| target.len() / size.max(1);
        let counts: Vec<usize> = targets.iter().map(count).collect();
        Self::of(grid, &counts, [conditions.into(), targets.into()], size)
    }

    /// The same for arrays that may be on disk or not read yet; `counts` holds the number of
    /// samples of each input.
    pub fn of(
        grid: Grid,
        counts: &[usize],
        [conditions, targets]: [SampleArrays; 2],
        size: usize,
    ) -> Self {
        let mut starts = vec![0];
        for count in counts {
            let before = starts.last().copied().unwrap_or(0);
            starts.push(before + count);
        }
        Self {
            grid,
            nodes: None,
            conditions,
            targets,
            size,
            starts,
            source: None,
        }
    }

    /// The same with a source for inputs that are not stored yet.
    pub fn from(self, source: Source<'a>) -> Self {
        Self {
            source: Some(source),
            ..self
        }
    }

    /// The same for a network of points.
    pub fn with_nodes(self, nodes: Option<Nodes>) -> Self {
        Self { nodes, ..self }
    }

    /// Reads those inputs of these samples that are not stored yet.
    pub fn fetch(&self, samples: Range<usize>) -> Result<()> {
        if samples.is_empty() {
            return Ok(());
        }
        let mut inputs = self.input_of(samples.start)..=self.input_of(samples.end - 1);
        inputs.try_for_each(|input| self.supply(input))
    }

    fn supply(&self, input: usize) -> Result<()> {
        match &self.source {
            Some(source) if !self.targets.has(input) => self.put(input, source(input)?),
            _ => Ok(()),
        }
    }

    /// Stores an input.
    pub fn put(&self, input: usize, [condition, targets]: [Vec<f32>; 2]) -> Result<()> {
        self.conditions.put(input, condition)?;
        // Targets last: an input with targets counts as stored.
        self.targets.put(input, targets)
    }

    /// Number of stored inputs.
    pub fn held(&self) -> usize {
        let all = 0..self.inputs();
        all.filter(|input| self.targets.has(*input)).count()
    }

    /// Number of (input, realization) pairs.
    pub fn len(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Values of one target.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Number of inputs.
    pub fn inputs(&self) -> usize {
        self.targets.count()
    }

    /// The samples of an input.
    pub fn of_input(&self, input: usize) -> Range<usize> {
        self.starts[input]..self.starts[input + 1]
    }

    /// The input of a sample.
    pub fn input_of(&self, sample: usize) -> usize {
        self.starts.partition_point(|start| *start <= sample) - 1
    }

    /// The target of a sample: [channel, point].
    pub fn target_of(&self, sample: usize) -> Result<Cow<'_, [f32]>> {
        let input = self.input_of(sample);
        self.supply(input)?;
        let start = (sample - self.starts[input]) * self.size;
        self.targets.part(input, start..start + self.size)
    }

    /// The first `channels` channels of the condition of an input: [channel, point].
    pub fn condition_of(&self, input: usize, channels: usize) -> Result<Cow<'_, [f32]>> {
        self.supply(input)?;
        self.conditions.part(input, 0..channels * self.grid.len())
    }
}
