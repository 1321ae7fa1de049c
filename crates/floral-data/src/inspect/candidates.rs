//! Candidates for low fidelity, and their distance from the mean of high fidelity.

use serde::Serialize;

use crate::dataset::{Dataset, Realizations};
use crate::low::{LowConfig, LowKind, StandIn};
use crate::metric::RunningMoments;
use crate::metric::error::ratio;
use crate::{Field, Result};

/// A candidate for low fidelity.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Candidate {
    /// The kind of low fidelity.
    pub kind: LowKind,
    /// Root mean square distance from the mean of high fidelity, divided by the standard deviation
    /// of that mean and averaged over channels. The best constant has the value 1.
    pub error: f64,
}

/// The contribution of one input to the errors of all candidates.
pub(super) struct Part {
    /// The mean over realizations of high fidelity: [channel, point].
    mean: Vec<f64>,
    stored: Option<Vec<f64>>,
    filtered: Option<Vec<f64>>,
}

impl Part {
    pub(super) fn new(
        dataset: &Dataset,
        index: usize,
        input: &Field,
        low: Option<&Field>,
        high: &Realizations,
    ) -> Result<Self> {
        let count = high.len() as f64;
        let mut mean = vec![0.0; high.shape()[1..].iter().product()];
        for field in high.iter() {
            let sums = mean.iter_mut().zip(field);
            sums.for_each(|(sum, value)| *sum += value / count);
        }
        let channels = high.shape()[1];
        let grid = dataset.grid();
        let filter = StandIn::filter(grid, LowConfig::default().keep);
        let filtered = match filter.check(input.channels(), channels) {
            Ok(()) if grid.mesh().is_none() => {
                Some(filter.of(input, grid, (channels, grid))?.into_values())
            }
            _ => None,
        };
        let known = |field: Option<Vec<f64>>| {
            let known = field.map(|field| dataset.at_known(index, field));
            known.transpose()
        };
        Ok(Self {
            mean,
            stored: known(low.map(|low| low.values().to_vec()))?,
            filtered: known(filtered)?,
        })
    }
}

/// Sums over inputs.
#[derive(Default)]
pub(super) struct Candidates {
    channels: Vec<Channel>,
    inputs: usize,
    /// The running mean over inputs: [channel, point].
    mean: Vec<f64>,
}

/// Moments of one channel: of the solution, and of the squared error of each candidate.
#[derive(Default, Clone)]
struct Channel {
    solution: RunningMoments,
    stored: Option<RunningMoments>,
    filtered: Option<RunningMoments>,
    zero: RunningMoments,
    /// Sum of squared deviations from the mean over inputs.
    about_mean: f64,
}

impl Candidates {
    /// Adds an input; inputs must be added in order.
    pub(super) fn push(&mut self, part: &Part, channels: usize) {
        self.channels.resize(channels, Channel::default());
        self.mean.resize(part.mean.len(), 0.0);
        self.inputs += 1;
        let points = (part.mean.len() / channels.max(1)).max(1);
        for (i, (value, mean)) in part.mean.iter().zip(&mut self.mean).enumerate() {
            let channel = &mut self.channels[i / points];
            let distance = |field: &[f64]| (field[i] - value).powi(2);
            channel.solution.push(*value);
            channel.zero.push(value * value);
            let both = [
                (&mut channel.stored, &part.stored),
                (&mut channel.filtered, &part.filtered),
            ];
            for (sum, field) in both {
                if let Some(field) = field {
                    sum.get_or_insert_default().push(distance(field));
                }
            }
            let step = value - *mean;
            *mean += step / self.inputs as f64;
            channel.about_mean += step * (value - *mean);
        }
    }

    /// The available candidates, best first.
    pub(super) fn list(&self) -> Vec<Candidate> {
        if self.inputs < 2 || self.channels.is_empty() {
            return Vec::new();
        }
        let kinds = [
            LowKind::Stored,
            LowKind::Filter,
            LowKind::Mean,
            LowKind::Zero,
        ];
        let mut all: Vec<Candidate> = kinds
            .into_iter()
            .filter_map(|kind| {
                Some(Candidate {
                    kind,
                    error: self.error(kind)?,
                })
            })
            .collect();
        all.sort_by(|a, b| a.error.total_cmp(&b.error));
        all
    }

    fn error(&self, kind: LowKind) -> Option<f64> {
        let n = self.inputs as f64;
        let square = |channel: &Channel| match kind {
            LowKind::Stored => channel.stored.as_ref().map(RunningMoments::mean),
            LowKind::Filter => channel.filtered.as_ref().map(RunningMoments::mean),
            LowKind::Zero => Some(channel.zero.mean()),
            // Leave-one-out: the distance from the mean of the other inputs is n / (n - 1) times
            // the distance from the mean of all.
            LowKind::Mean => {
                let points = self.mean.len() as f64 / self.channels.len() as f64;
                Some(channel.about_mean / (n * points) * (n / (n - 1.0)).powi(2))
            }
            LowKind::None => None,
        };
        let errors = self
            .channels
            .iter()
            .map(|channel| Some(ratio(square(channel)?, channel.solution.variance()).sqrt()));
        let errors: Option<Vec<f64>> = errors.collect();
        errors.map(|errors| errors.iter().sum::<f64>() / self.channels.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(mean: [f64; 2], stored: Option<[f64; 2]>) -> Part {
        Part {
            mean: mean.to_vec(),
            stored: stored.map(Vec::from),
            filtered: None,
        }
    }

    fn listed(parts: &[Part]) -> Vec<Candidate> {
        let mut all = Candidates::default();
        parts.iter().for_each(|part| all.push(part, 1));
        all.list()
    }

    #[test]
    fn each_is_as_far_as_it_is() {
        let means = [[1.0, 5.0], [2.0, 4.0], [4.5, 6.0]];
        let low = |mean: [f64; 2]| Some(mean.map(|v| v + 0.5));
        let found = listed(&means.map(|mean| part(mean, low(mean))));
        let values = means.as_flattened();
        let deviation = RunningMoments::of(values.iter().copied()).variance().sqrt();
        let error = |kind: LowKind| {
            let found = found.iter().find(|candidate| candidate.kind == kind);
            found.unwrap().error * deviation
        };
        assert!((error(LowKind::Stored) - 0.5).abs() < 1e-12);
        let square = values.iter().map(|v| v * v).sum::<f64>() / 6.0;
        assert!((error(LowKind::Zero) - square.sqrt()).abs() < 1e-12);
        let left_out: f64 = (0..6)
            .map(|i| {
                let others = (0..3).filter(|j| *j != i / 2).map(|j| means[j][i % 2]);
                (values[i] - others.sum::<f64>() / 2.0).powi(2)
            })
            .sum();
        assert!((error(LowKind::Mean) - (left_out / 6.0).sqrt()).abs() < 1e-12);
        assert_eq!(found[0].kind, LowKind::Stored, "the best comes first");
        assert_eq!(found.len(), 3, "there is no filter");
    }

    #[test]
    fn one_input_is_not_enough() {
        assert!(listed(&[part([1.0, 2.0], None)]).is_empty());
    }
}
