//! One test input with its truth, and the scored summary of a run's prediction.
//!
//! Used by `gather`, stored by `cache`.

use super::channel::Channel;
use super::summary::{Certainty, Summary, scattered};
use floral::Result;
use floral::evaluate::{BaselineFields, Scoring, Truth};
use floral::kl::Prediction;
use floral::metric::Fields;
use floral::predict::{Moments, PredictionCost};
use floral::sample::{EnsembleStatistics, Wanted};
use floral::{Field, Grid};
use serde::{Deserialize, Serialize};

/// Number of points per input at which spread and error are stored.
const POINTS: usize = 1024;

/// The prediction of one input by a run, with its scores.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ScoredSummary {
    /// The summary for figures.
    pub summary: Summary,
    /// The scores, in total and per channel.
    pub scoring: Scoring,
    /// Expected and observed squared error of the mean at some points, per channel; empty for a
    /// deterministic method.
    pub spread_error: Vec<Vec<[f32; 2]>>,
}

/// A test input with its truth.
pub(super) struct TestInput<'a> {
    pub grid: &'a Grid,
    pub low: Option<&'a Field>,
    pub truth: &'a Truth,
    pub kept: usize,
}

/// A run's prediction of the input.
pub(super) struct Predicted<'a> {
    /// Realizations: [member, value].
    pub members: &'a [f32],
    pub cost: PredictionCost,
    /// The moments in closed form, if the method has them.
    pub moments: Option<&'a Prediction>,
    /// The predictions of the baselines.
    pub baselines: &'a BaselineFields,
}

impl TestInput<'_> {
    /// The summary and the scores of a prediction.
    pub fn scored(&self, predicted: &Predicted) -> Result<ScoredSummary> {
        let mut scoring = Scoring::default();
        scoring.add_cost(predicted.cost);
        scoring.push_baselines(predicted.baselines, self.truth)?;
        scoring.push(predicted.members, predicted.moments, self.truth)?;
        let fields = Fields::new(predicted.members, self.truth.mean.len())?;
        let mut statistics = EnsembleStatistics::new(fields.points(), 0, &Wanted::default())?;
        fields
            .iter()
            .try_for_each(|member| statistics.push(member))?;
        let moments = Moments::of(predicted.moments, &statistics);
        let channels = Channel::all(fields.points(), self.grid.len());
        let spread_error =
            channels.map(|channel| self.spread_error(&moments, fields.count(), channel));
        Ok(ScoredSummary {
            spread_error: spread_error.collect(),
            summary: Summary {
                certainty: predicted
                    .moments
                    .map(|known| Certainty::of(known, self.grid.len())),
                ..self.summary(fields, &moments)
            },
            scoring,
        })
    }

    /// A summary of members with these moments.
    pub fn summary(&self, members: Fields, moments: &Moments) -> Summary {
        Summary::of(self.grid, self.low, members, moments, self.kept)
    }

    fn spread_error(&self, moments: &Moments, members: usize, channel: Channel) -> Vec<[f32; 2]> {
        let (values, observations) = (self.truth.mean.len(), &self.truth.observations);
        let variance = moments.variance.as_ref();
        let Some(variance) = variance.filter(|_| !observations.is_empty()) else {
            return Vec::new();
        };
        // A mean of draws has its own sampling error.
        let sampled = match moments.is_drawn {
            true => 1.0 + 1.0 / members as f64,
            false => 1.0,
        };
        let count = (observations.len() / values) as f64;
        let at = |point: usize| {
            let value = channel.index * channel.points + point;
            let mean = moments.mean[value];
            let seen = observations.iter().skip(value).step_by(values);
            let square: f64 = seen.map(|y| (*y - mean).powi(2)).sum();
            let expected = variance[value] * sampled;
            [expected as f32, (square / count) as f32]
        };
        scattered(channel.points, POINTS).map(at).collect()
    }
}
