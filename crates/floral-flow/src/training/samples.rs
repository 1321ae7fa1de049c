//! The data a run trains on, in the network's units, each input read when it is first wanted.

use std::borrow::Cow;
use std::ops::Range;

use super::sample_arrays::SampleArrays;
use crate::network::Nodes;
use crate::{Grid, Result};

/// Inputs with their conditions and all realizations of their targets.
pub struct Samples<'a> {
    /// The grid, perhaps coarser than the dataset's.
    pub grid: Grid,
    /// Its points, for networks that are fed with them.
    pub nodes: Option<Nodes>,
    /// Per input: a~, [channel, point].
    conditions: SampleArrays,
    /// Per input: [realization, channel, point].
    targets: SampleArrays,
    /// Values of one realization.
    size: usize,
    /// Per input the number of its first sample, and at the end that of all samples.
    starts: Vec<usize>,
    /// Where inputs come from that are not there yet.
    source: Option<Source<'a>>,
}

/// Reads an input: its condition and its targets.
pub type Source<'a> = Box<dyn Fn(usize) -> Result<[Vec<f32>; 2]> + Send + Sync + 'a>;

impl<'a> Samples<'a> {
    /// The samples of these inputs, each of `size` values; inputs may differ in their number of samples.
    pub fn new(grid: Grid, conditions: Vec<Vec<f32>>, targets: Vec<Vec<f32>>, size: usize) -> Self {
        let count = |target: &Vec<f32>| target.len() / size.max(1);
        let counts: Vec<usize> = targets.iter().map(count).collect();
        Self::of(grid, &counts, [conditions.into(), targets.into()], size)
    }

    /// The same of arrays that may be on disk or not read yet; `counts` has the samples of each input.
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

    /// The same with inputs that are read when they are first wanted.
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

    /// Reads the inputs of these samples that are not there yet.
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

    /// Puts an input where it belongs.
    pub fn put(&self, input: usize, [condition, targets]: [Vec<f32>; 2]) -> Result<()> {
        self.conditions.put(input, condition)?;
        // Last: what has targets is there.
        self.targets.put(input, targets)
    }

    /// Inputs that are there.
    pub fn held(&self) -> usize {
        let all = 0..self.inputs();
        all.filter(|input| self.targets.has(*input)).count()
    }

    /// Number of (input, realization) pairs.
    pub fn len(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Whether there are none.
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

    /// The first channels of the condition of an input: [channel, point].
    pub fn condition_of(&self, input: usize, channels: usize) -> Result<Cow<'_, [f32]>> {
        self.supply(input)?;
        self.conditions.part(input, 0..channels * self.grid.len())
    }
}
