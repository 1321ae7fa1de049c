//! Scaling of a run's data, from the moments of its training inputs and their solutions.

use serde::{Deserialize, Serialize};

use super::control_variate::mean;
use super::ranges::{Norms, Ranges, SolutionRange, root_mean_square};
use super::training_input::TrainingInput;
use crate::Field;
use crate::dataset::{Dataset, Normaliser};
use crate::metric::RunningMoments;

/// Scales of input, low-fidelity solution and target; part of a checkpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scaling {
    /// Scale of the input.
    pub input: Normaliser,
    /// Scale of the low-fidelity solution, if it is used.
    pub low: Option<Normaliser>,
    /// Scale of the target: the residual, or the solution if low fidelity is not used.
    pub target: Normaliser,
}

impl Scaling {
    /// Whether the scales have these numbers of channels; `low`: whether a low-fidelity solution is
    /// used.
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

/// Moments of input, low fidelity and target, per channel.
pub(super) struct Scales {
    input: Vec<RunningMoments>,
    low: Option<Vec<RunningMoments>>,
    target: Vec<RunningMoments>,
    /// Transformed high fidelity.
    high: Vec<RunningMoments>,
    /// Deviations of high fidelity from the mean over realizations.
    deviations: Vec<RunningMoments>,
    input_norms: Norms,
    /// Low fidelity before any transform.
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
            high: zeros(solution),
            deviations: zeros(solution),
            input_norms: Norms::new(dataset.input_channels()),
            given_low: zeros(if is_given { solution } else { 0 }),
            low_norms: Norms::new(if is_given { solution } else { 0 }),
        }
    }

    /// Adds the moments of one input.
    pub(super) fn push(&mut self, of_input: &InputScales) {
        merge(&mut self.input, &of_input.input);
        self.input_norms.push(&of_input.input_norms);
        if let Some(moments) = &mut self.low {
            merge(moments, &of_input.low);
        }
        merge(&mut self.given_low, &of_input.given_low);
        self.low_norms.push(&of_input.low_norms);
        merge(&mut self.target, &of_input.target);
        merge(&mut self.high, &of_input.high);
        merge(&mut self.deviations, &of_input.deviations);
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
            solution: self.solution_ranges(),
        }
    }

    fn solution_ranges(&self) -> Vec<SolutionRange> {
        let channels = self.high.iter().zip(&self.deviations).zip(&self.target);
        let range = |((high, deviations), target): ((&RunningMoments, _), &RunningMoments)| {
            let deviations: &RunningMoments = deviations;
            let within = deviations.variance().sqrt();
            SolutionRange {
                min: high.min(),
                max: high.max(),
                spread: if within > 0.0 {
                    within
                } else {
                    target.variance().sqrt()
                },
            }
        };
        channels.map(range).collect()
    }
}

/// Moments of one input, per field and channel; exchanged between ranks.
#[derive(Serialize, Deserialize)]
pub(super) struct InputScales {
    input: Vec<RunningMoments>,
    input_norms: Vec<f64>,
    low: Vec<RunningMoments>,
    given_low: Vec<RunningMoments>,
    low_norms: Vec<f64>,
    target: Vec<RunningMoments>,
    high: Vec<RunningMoments>,
    deviations: Vec<RunningMoments>,
}

impl InputScales {
    pub(super) fn of(case: &TrainingInput, channels: usize, points: usize, kept: &[usize]) -> Self {
        let of = |field: &Option<Field>| {
            let values = field.as_ref().map_or(&[][..], Field::values);
            (moments(values, points), norms(values, points))
        };
        let (given_low, low_norms) = of(&case.given_low);
        let size = channels * kept.len();
        Self {
            input: moments(case.input.values(), points),
            input_norms: norms(case.input.values(), points),
            low: of(&case.low).0,
            given_low,
            low_norms,
            target: moments(&case.residuals(kept), kept.len()),
            high: moments(&case.high, kept.len()),
            deviations: moments(&deviations(&case.high, size), kept.len()),
        }
    }
}

fn moments(values: &[f64], points: usize) -> Vec<RunningMoments> {
    let channels = values.chunks_exact(points);
    channels
        .map(|channel| RunningMoments::of(channel.iter().copied()))
        .collect()
}

/// Deviations of realizations of `size` values from their mean, scaled so that their mean square is
/// the unbiased variance; empty for a single realization.
fn deviations(realizations: &[f64], size: usize) -> Vec<f64> {
    let count = realizations.len() / size.max(1);
    if count < 2 {
        return Vec::new();
    }
    let mean = mean(realizations, size);
    let scale = (count as f64 / (count - 1) as f64).sqrt();
    let pairs = realizations.iter().zip(mean.iter().cycle());
    pairs.map(|(v, mean)| scale * (v - mean)).collect()
}

fn norms(values: &[f64], points: usize) -> Vec<f64> {
    values.chunks_exact(points).map(root_mean_square).collect()
}

/// Adds the moments of fields, whose channels cycle through `moments`.
pub(super) fn push(moments: &mut [RunningMoments], values: &[f64], points: usize) {
    merge(moments, &self::moments(values, points));
}

/// Merges the moments of fields, whose channels cycle through `moments`.
fn merge(moments: &mut [RunningMoments], fields: &[RunningMoments]) {
    let channels = moments.len();
    for (i, field) in fields.iter().enumerate().filter(|_| channels > 0) {
        moments[i % channels].merge(field);
    }
}
