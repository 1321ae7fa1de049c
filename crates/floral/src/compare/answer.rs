//! What a run says of one input: a sketch of its ensemble, and how it scores.

use super::likeness::{Likeness, kept_points};
use super::sketch::{Sketch, scattered};
use crate::Result;
use crate::evaluate::{Scoring, Truth};
use crate::metric::Fields;
use crate::sample::{EnsembleStatistics, Progress, Wanted};
use crate::{Field, Grid};

/// Points of each input at which spread and error are kept.
const POINTS: usize = 1024;

/// A run's prediction of one input, and its scores.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// What is shown.
    pub sketch: Sketch,
    /// Its scores alone.
    pub scoring: Scoring,
    /// The variance that the ensemble expects of its mean's error and the square of that error, at
    /// some points; empty for a deterministic method.
    pub spread_error: Vec<[f32; 2]>,
}

/// One input with all that is true of it.
pub(super) struct Question<'a> {
    pub grid: &'a Grid,
    pub low: Option<&'a Field>,
    pub truth: &'a Truth,
    pub kept: usize,
}

impl Question<'_> {
    /// The answer of members, [member, value], that have cost so much.
    pub fn answer(&self, members: &[f32], cost: (Progress, f64)) -> Result<Answer> {
        let mut scoring = Scoring::default();
        scoring.add_cost(cost.0, cost.1);
        scoring.push(members, self.low, self.truth)?;
        let fields = Fields::new(members, self.truth.mean.len())?;
        let mut statistics = EnsembleStatistics::new(fields.points(), 0, &Wanted::default())?;
        fields
            .iter()
            .try_for_each(|member| statistics.push(member))?;
        let variance = (fields.count() > 1).then(|| statistics.variance());
        Ok(Answer {
            spread_error: self.spread_error(&statistics, variance.as_deref()),
            sketch: self.sketch(fields, statistics.mean(), variance.as_deref()),
            scoring,
        })
    }

    /// A sketch of members with these moments.
    pub fn sketch(&self, members: Fields, mean: &[f64], variance: Option<&[f64]>) -> Sketch {
        let shape = self.grid.shape();
        let places = kept_points(&shape, members.points() / self.grid.len().max(1));
        let likeness = Likeness::of(members, mean, variance, self.kept, &places);
        Sketch::new(members, self.low.map(Field::values), &shape, likeness)
    }

    fn spread_error(
        &self,
        statistics: &EnsembleStatistics,
        variance: Option<&[f64]>,
    ) -> Vec<[f32; 2]> {
        let (points, observations) = (self.truth.mean.len(), &self.truth.observations);
        let Some(variance) = variance.filter(|_| !observations.is_empty()) else {
            return Vec::new();
        };
        let members = statistics.count() as f64;
        let count = (observations.len() / points) as f64;
        let at = |point: usize| {
            let mean = statistics.mean()[point];
            let seen = observations.iter().skip(point).step_by(points);
            let square: f64 = seen.map(|y| (f64::from(*y) - mean).powi(2)).sum();
            let expected = variance[point] * (members + 1.0) / members;
            [expected as f32, (square / count) as f32]
        };
        scattered(points, POINTS).map(at).collect()
    }
}
