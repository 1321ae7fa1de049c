//! One test input with its truth, and the scored summary of what a run predicts for it.
//!
//! Made by `gather`, kept by `cache`.

use super::channel::Channel;
use super::distribution::{Distribution, kept_points};
use super::summary::{Summary, scattered};
use floral::Result;
use floral::evaluate::{BaselineFields, Scoring, Truth};
use floral::metric::Fields;
use floral::predict::PredictionCost;
use floral::regression::Prediction;
use floral::sample::{EnsembleStatistics, Wanted};
use floral::{Field, Grid};

/// Points of each input at which spread and error are kept.
const POINTS: usize = 1024;

/// A run's prediction of one input, and its scores.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ScoredSummary {
    /// What is shown.
    pub summary: Summary,
    /// What each channel is scored.
    pub channels: Vec<ScoredChannel>,
}

/// The scores of one channel of a prediction.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ScoredChannel {
    /// Its scores alone.
    pub scoring: Scoring,
    /// The variance that the ensemble expects of its mean's error and the square of that error, at
    /// some points; empty for a deterministic method.
    pub spread_error: Vec<[f32; 2]>,
}

/// One input with all that is true of it.
pub(super) struct TestInput<'a> {
    pub grid: &'a Grid,
    pub low: Option<&'a Field>,
    pub truth: &'a Truth,
    pub kept: usize,
}

/// What a run predicts for it.
pub(super) struct Predicted<'a> {
    /// [member, value]
    pub members: &'a [f32],
    pub cost: PredictionCost,
    /// Its moments in closed form, of methods that have them.
    pub moments: Option<&'a Prediction>,
    /// What the baselines of the run's training inputs predict.
    pub baselines: &'a BaselineFields,
}

impl TestInput<'_> {
    /// The summary and the scores of a prediction.
    pub fn scored(&self, predicted: &Predicted) -> Result<ScoredSummary> {
        let fields = Fields::new(predicted.members, self.truth.mean.len())?;
        let (mean, variance) = moments(fields)?;
        let channels = Channel::all(fields.points(), self.grid.len());
        let channels = channels.map(|channel| self.scored_channel(predicted, channel));
        Ok(ScoredSummary {
            channels: channels.collect::<Result<_>>()?,
            summary: self.summary(fields, &mean, variance.as_deref()),
        })
    }

    fn scored_channel(&self, predicted: &Predicted, channel: Channel) -> Result<ScoredChannel> {
        let truth = channel.truth(self.truth);
        let members = channel.of(predicted.members);
        let own = predicted.moments.map(|moments| channel.moments(moments));
        let mut scoring = Scoring::default();
        scoring.add_cost(predicted.cost);
        scoring.push_baselines(&channel.baselines(predicted.baselines), &truth)?;
        scoring.push(&members, own.as_ref(), &truth)?;
        Ok(ScoredChannel {
            scoring,
            spread_error: spread_error(Fields::new(&members, channel.points)?, &truth)?,
        })
    }

    /// A summary of members with these moments.
    pub fn summary(&self, members: Fields, mean: &[f64], variance: Option<&[f64]>) -> Summary {
        let shape = self.grid.shape();
        let places = kept_points(&shape, members.points() / self.grid.len().max(1));
        let distribution = Distribution::of(members, mean, variance, self.kept, &places);
        Summary::new(members, self.low.map(Field::values), &shape, distribution)
    }
}

/// Mean and variance of members, the latter of more than one.
fn moments(members: Fields) -> Result<(Vec<f64>, Option<Vec<f64>>)> {
    let mut statistics = EnsembleStatistics::new(members.points(), 0, &Wanted::default())?;
    members
        .iter()
        .try_for_each(|member| statistics.push(member))?;
    let variance = (members.count() > 1).then(|| statistics.variance());
    Ok((statistics.mean().to_vec(), variance))
}

fn spread_error(members: Fields, truth: &Truth) -> Result<Vec<[f32; 2]>> {
    let (points, observations) = (truth.mean.len(), &truth.observations);
    let (mean, variance) = moments(members)?;
    let Some(variance) = variance.filter(|_| !observations.is_empty()) else {
        return Ok(Vec::new());
    };
    let share = 1.0 + 1.0 / members.count() as f64;
    let count = (observations.len() / points) as f64;
    let at = |point: usize| {
        let seen = observations.iter().skip(point).step_by(points);
        let square: f64 = seen.map(|y| (f64::from(*y) - mean[point]).powi(2)).sum();
        [(variance[point] * share) as f32, (square / count) as f32]
    };
    Ok(scattered(points, POINTS).map(at).collect())
}
