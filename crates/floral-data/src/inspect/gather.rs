//! One pass over a dataset, input by input, that computes all sums of a summary.

use rayon::prelude::*;

use super::candidates::{self, Candidates};
use super::comparison::Comparison;
use super::suggestion::Shape;
use super::{ArraySummary, Candidate, ChannelSummary, LowFidelity, Range, Suggestion};
use crate::dataset::{Dataset, Realizations};
use crate::metric::RunningMoments;
use crate::quantity::labels;
use crate::{Field, Quantity, Result};

/// Number of inputs read and summed in parallel. Their sums are added in the order of the inputs,
/// so that the result does not depend on the number of threads.
const SIDE_BY_SIDE: usize = 32;

/// The sums over all inputs.
pub(super) struct Gathered {
    input: Ranged,
    low: Ranged,
    high: Ranged,
    /// One per channel of the solution.
    shapes: Vec<Shape>,
    candidates: Candidates,
    comparison: Option<Comparison>,
}

/// The ranges of an array's channels, and the first input that has a value that is not finite.
#[derive(Default)]
struct Ranged {
    channels: Vec<RunningMoments>,
    first_non_finite: Option<usize>,
}

/// The contribution of one input.
struct Part {
    input: (Field, Vec<RunningMoments>),
    low: Option<(Field, Vec<RunningMoments>)>,
    high: Option<(Realizations, Vec<RunningMoments>)>,
}

impl Part {
    fn read(dataset: &Dataset, index: usize) -> Result<Self> {
        let points = dataset.inside_points().max(1);
        let solution = dataset.solution_channels().unwrap_or(0);
        let range = |values: &[f64], channels: usize| {
            ranges(&dataset.inside(values.to_vec()), channels, points)
        };
        let low = dataset.has_low().then(|| dataset.low(index)).transpose()?;
        let high = dataset
            .has_high()
            .then(|| dataset.high_inside(index))
            .transpose()?;
        let input = dataset.input(index)?;
        let input_range = range(input.values(), dataset.input_channels());
        Ok(Self {
            input: (input, input_range),
            low: low.map(|low| (low.clone(), range(low.values(), solution))),
            high: high.map(|high| {
                let known = high.shape()[2..].iter().product::<usize>().max(1);
                let moments = ranges(high.values(), solution, known);
                (high, moments)
            }),
        })
    }

    /// None for sensors: inputs measured at different points have no common mean.
    fn candidates(&self, dataset: &Dataset, index: usize) -> Result<Option<candidates::Part>> {
        if dataset.has_sensors() {
            return Ok(None);
        }
        let low = self.low.as_ref().map(|(low, _)| low);
        let part = |(high, _): &(Realizations, _)| {
            candidates::Part::new(dataset, index, &self.input.0, low, high)
        };
        self.high.as_ref().map(part).transpose()
    }

    fn comparison(&self, dataset: &Dataset, index: usize) -> Result<Option<Comparison>> {
        let (Some((low, _)), Some((high, _))) = (&self.low, &self.high) else {
            return Ok(None);
        };
        let mut comparison = Comparison::new(dataset);
        comparison.push(&dataset.at_known(index, low.values().to_vec())?, high);
        Ok(Some(comparison))
    }
}

/// Reads all inputs once.
pub(super) fn gather(dataset: &Dataset) -> Result<Gathered> {
    let mut gathered = Gathered {
        input: Ranged::default(),
        low: Ranged::default(),
        high: Ranged::default(),
        shapes: vec![Shape::default(); dataset.solution_channels().unwrap_or(0)],
        candidates: Candidates::default(),
        comparison: None,
    };
    let indices: Vec<usize> = (0..dataset.inputs()).collect();
    for batch in indices.chunks(SIDE_BY_SIDE) {
        let parts: Vec<_> = batch
            .par_iter()
            .map(|&index| {
                let part = Part::read(dataset, index)?;
                let comparison = part.comparison(dataset, index)?;
                let shapes = part.high.as_ref().map(|(high, _)| Shape::of(high));
                let candidates = part.candidates(dataset, index)?;
                let low = part.low.map(|(_, range)| range).unwrap_or_default();
                let high = part.high.map(|(_, range)| range).unwrap_or_default();
                let apart = (shapes, candidates, comparison);
                Ok((index, part.input.1, low, high, apart))
            })
            .collect::<Result<_>>()?;
        for (index, input, low, high, (shapes, candidates, comparison)) in parts {
            gathered.input.add(index, &input);
            gathered.low.add(index, &low);
            gathered.high.add(index, &high);
            let own = gathered.shapes.iter_mut().zip(shapes.iter().flatten());
            own.for_each(|(whole, part)| whole.merge(part));
            if let Some(part) = candidates {
                gathered.candidates.push(&part, gathered.shapes.len());
            }
            gathered.compare(comparison);
        }
    }
    Ok(gathered)
}

impl Gathered {
    fn compare(&mut self, part: Option<Comparison>) {
        match (&mut self.comparison, part) {
            (Some(whole), Some(part)) => whole.merge(&part),
            (whole @ None, part) => *whole = part,
            (Some(_), None) => {}
        }
    }

    /// The ranges of the arrays that exist.
    pub(super) fn arrays(&self, dataset: &Dataset) -> Vec<ArraySummary> {
        let shape = |first: &[usize]| [first, &dataset.grid().shape()].concat();
        let (inputs, solution) = (dataset.inputs(), dataset.solution_channels().unwrap_or(0));
        let quantities = dataset.quantities();
        let input = shape(&[inputs, dataset.input_channels()]);
        let mut arrays = vec![self.input.summary("input", input, &quantities.input)];
        if dataset.has_low() {
            let shape = shape(&[inputs, solution]);
            arrays.push(self.low.summary("low", shape, &quantities.solution));
        }
        if dataset.has_high() {
            let leading = [inputs, dataset.realizations(), solution];
            let shape = [&leading[..], &dataset.high_shape()].concat();
            arrays.push(self.high.summary("high", shape, &quantities.solution));
        }
        arrays
    }

    /// Candidates for low fidelity.
    pub(super) fn candidates(&self) -> Vec<Candidate> {
        self.candidates.list()
    }

    /// Suggested transforms for channels of the solution.
    pub(super) fn suggestions(&self, dataset: &Dataset) -> Vec<Suggestion> {
        let low = self.low.channels.iter().map(RunningMoments::min);
        let low = low.chain(std::iter::repeat(f64::INFINITY));
        let labels = labels(dataset.solution_quantities()).into_iter();
        let channels = self.shapes.iter().zip(labels).zip(low).enumerate();
        channels
            .filter_map(|(c, ((shape, label), low))| shape.suggestion((c, label), low))
            .collect()
    }

    /// The comparison, if both fidelities exist.
    pub(super) fn low_fidelity(&self, dataset: &Dataset) -> Option<LowFidelity> {
        let comparison = self.comparison.as_ref()?;
        Some(comparison.summary(dataset.solution_quantities()))
    }
}

impl Ranged {
    fn add(&mut self, index: usize, part: &[RunningMoments]) {
        let is_broken = part.iter().any(|channel| channel.non_finite() > 0);
        if is_broken && self.first_non_finite.is_none() {
            self.first_non_finite = Some(index);
        }
        self.channels
            .resize_with(part.len(), RunningMoments::default);
        for (whole, part) in self.channels.iter_mut().zip(part) {
            whole.merge(part);
        }
    }

    fn summary(
        &self,
        name: &'static str,
        shape: Vec<usize>,
        quantities: &[Quantity],
    ) -> ArraySummary {
        let channels = self.channels.iter().zip(quantities);
        let channels: Vec<ChannelSummary> = channels
            .map(|(moments, quantity)| ChannelSummary {
                quantity: quantity.clone(),
                range: Range::of(moments),
                non_finite: moments.non_finite(),
            })
            .collect();
        ArraySummary {
            name,
            shape,
            range: match channels.as_slice() {
                [one] => Some(one.range),
                _ => None,
            },
            non_finite: channels.iter().map(|channel| channel.non_finite).sum(),
            first_non_finite_input: self.first_non_finite,
            channels,
        }
    }
}

impl Range {
    fn of(moments: &RunningMoments) -> Self {
        Self {
            min: moments.min(),
            max: moments.max(),
            mean: moments.mean(),
            deviation: moments.variance().sqrt(),
        }
    }
}

/// The moments of each channel of a stack of fields: [.., channel, point].
fn ranges(values: &[f64], channels: usize, points: usize) -> Vec<RunningMoments> {
    let mut ranges = vec![RunningMoments::default(); channels];
    for (i, field) in values.chunks_exact(points).enumerate() {
        for value in field {
            ranges[i % channels].push(*value);
        }
    }
    ranges
}
