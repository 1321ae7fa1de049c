//! The data a run trains on, in the network's units.

use std::borrow::Cow;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::ranges::{Norms, Ranges};
pub(super) use super::reader::Case;
pub use super::reader::Reader;
use super::sample_arrays::SampleArrays;
use crate::dataset::{Dataset, Normaliser};
use crate::metric::RunningMoments;
use crate::{Field, Grid, Result};

/// How input, low-fidelity solution and target are scaled; part of a checkpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scaling {
    /// Scale of the input.
    pub input: Normaliser,
    /// Scale of the low-fidelity solution, where it is used.
    pub low: Option<Normaliser>,
    /// Scale of what is learned.
    pub target: Normaliser,
}

impl Scaling {
    /// Whether it is that of so many channels; `low` says whether a low-fidelity solution is used.
    pub(super) fn fits(&self, input: usize, solution: usize, low: bool) -> bool {
        let low_fits = match &self.low {
            Some(scale) => low && scale.fits(solution),
            None => !low,
        };
        low_fits && self.input.fits(input) && self.target.fits(solution)
    }

    /// The condition a~ = (a, G_l\[a\]) of an input: [channel, point].
    pub fn condition(&self, input: &Field, low: Option<&Field>) -> Vec<f32> {
        let points = input.grid_shape().iter().product();
        let mut condition = self.input.apply(input.values(), points);
        if let (Some(scale), Some(low)) = (&self.low, low) {
            condition.extend(scale.apply(low.values(), points));
        }
        condition
    }
}

/// Inputs with their conditions and all realizations of their targets.
pub struct Samples {
    /// The grid, perhaps coarser than the dataset's.
    pub grid: Grid,
    /// Per input: a~, [channel, point].
    conditions: SampleArrays,
    /// Per input: [realization, channel, point].
    targets: SampleArrays,
    /// Values of one realization.
    size: usize,
    /// Per input the number of its first sample, and at the end that of all samples.
    starts: Vec<usize>,
}

impl Samples {
    /// The samples of these inputs, of so many values each; inputs may have unlike numbers of them.
    pub fn new(grid: Grid, conditions: Vec<Vec<f32>>, targets: Vec<Vec<f32>>, size: usize) -> Self {
        Self::of(grid, conditions.into(), targets.into(), size)
    }

    /// The same of arrays that need not be in memory.
    pub(super) fn of(
        grid: Grid,
        conditions: SampleArrays,
        targets: SampleArrays,
        size: usize,
    ) -> Self {
        let mut starts = vec![0];
        for length in targets.lengths() {
            let before = starts.last().copied().unwrap_or(0);
            starts.push(before + length / size.max(1));
        }
        Self {
            grid,
            conditions,
            targets,
            size,
            starts,
        }
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
        self.targets.len()
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
        let start = (sample - self.starts[input]) * self.size;
        self.targets.part(input, start..start + self.size)
    }

    /// The first channels of the condition of an input: [channel, point].
    pub fn condition_of(&self, input: usize, channels: usize) -> Result<Cow<'_, [f32]>> {
        self.conditions.part(input, 0..channels * self.grid.len())
    }
}

/// Moments of input, low fidelity and target, channel by channel.
pub(super) struct Scales {
    input: Vec<RunningMoments>,
    low: Option<Vec<RunningMoments>>,
    target: Vec<RunningMoments>,
    input_norms: Norms,
    /// Of low fidelity as it is given, before any transform.
    given_low: Vec<RunningMoments>,
    low_norms: Norms,
}

impl Scales {
    pub(super) fn new(dataset: &Dataset, has_low: bool, is_given: bool) -> Self {
        let solution = dataset.solution_channels().unwrap_or(0);
        let zeros = |channels: usize| vec![RunningMoments::default(); channels];
        Self {
            input: zeros(dataset.input_channels()),
            low: has_low.then(|| zeros(solution)),
            target: zeros(solution),
            input_norms: Norms::new(dataset.input_channels()),
            given_low: zeros(if is_given { solution } else { 0 }),
            low_norms: Norms::new(if is_given { solution } else { 0 }),
        }
    }

    pub(super) fn push(&mut self, case: &Case, points: usize, kept: &[usize]) {
        push(&mut self.input, case.input.values(), points);
        self.input_norms.push(case.input.values(), points);
        if let (Some(moments), Some(field)) = (&mut self.low, &case.low) {
            push(moments, field.values(), points);
        }
        if let Some(field) = &case.given_low {
            push(&mut self.given_low, field.values(), points);
            self.low_norms.push(field.values(), points);
        }
        push(&mut self.target, &case.gaps(kept), kept.len());
    }

    pub(super) fn scaling(&self) -> Scaling {
        Scaling {
            input: Normaliser::new(&self.input),
            low: self.low.as_deref().map(Normaliser::new),
            target: Normaliser::new(&self.target),
        }
    }

    pub(super) fn ranges(&self) -> Ranges {
        Ranges {
            input: self.input_norms.ranges(&self.input),
            low: self.low_norms.ranges(&self.given_low),
        }
    }
}

pub(super) fn push(moments: &mut [RunningMoments], values: &[f64], points: usize) {
    let channels = moments.len();
    for (i, channel) in values.chunks_exact(points).enumerate() {
        moments[i % channels].merge(&RunningMoments::of(channel.iter().copied()));
    }
}
