//! All scores from the sorted members at each point, in one pass over an ensemble of fields.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::calibration::{Coverage, RankHistogram, SpreadSkill};
use super::crps::Crps;
use super::fields::Fields;
use super::sorted::SortedMembers;
use crate::Result;

/// Number of points transposed and scored together: two cache lines of each member, 320 kB for 2500
/// members. Sums are combined tile by tile in order, so that results do not depend on the number of
/// threads.
const TILE: usize = 32;

/// Pointwise scores of ensembles. Every observation and input has the same weight, and every point
/// too unless quadrature weights are given.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct EnsembleScores {
    /// Distance of the members from the observations.
    pub crps: Crps,
    /// Shares of observations inside central intervals.
    pub coverage: Coverage,
    /// Ranks of observations among members.
    pub ranks: RankHistogram,
    /// Spread of the ensemble relative to the error of its mean.
    pub spread: SpreadSkill,
}

impl EnsembleScores {
    /// Adds the ensemble of one input and its observations.
    ///
    /// members: [member, point], observations: [observation, point]. The members at each point are
    /// sorted once, in O(m log m), for any number of observations. Each thread copies one tile of
    /// points at a time.
    pub fn push(&mut self, members: Fields, observations: Fields) -> Result<()> {
        self.push_weighted(members, observations, &[])
    }

    /// The same with quadrature weights of the points, of mean 1 and repeated for every channel;
    /// empty for equal weights.
    pub fn push_weighted(
        &mut self,
        members: Fields,
        observations: Fields,
        weights: &[f64],
    ) -> Result<()> {
        members.check_same_grid(observations)?;
        let tiles: Vec<Self> = (0..members.points().div_ceil(TILE))
            .into_par_iter()
            .map(|tile| Self::of_tile(members, observations, weights, tile * TILE))
            .collect();
        for tile in &tiles {
            self.merge(tile);
        }
        Ok(())
    }

    /// Adds the members and the observations at one point.
    pub fn push_point(&mut self, members: &SortedMembers, observations: &[f32]) {
        self.crps.push(members, observations);
        self.coverage.push(members, observations);
        self.ranks.push(members, observations);
        self.spread.push(members, observations);
    }

    /// Adds scores gathered over other inputs.
    pub fn merge(&mut self, other: &Self) {
        self.merge_weighted(other, 1.0);
    }

    fn merge_weighted(&mut self, other: &Self, weight: f64) {
        self.crps.merge_weighted(&other.crps, weight);
        self.coverage.merge_weighted(&other.coverage, weight);
        self.ranks.merge_weighted(&other.ranks, weight);
        self.spread.merge_weighted(&other.spread, weight);
    }

    fn of_tile(members: Fields, observations: Fields, weights: &[f64], start: usize) -> Self {
        let width = TILE.min(members.points() - start);
        let mut columns = members.columns(start, width);
        let seen = observations.columns(start, width);
        let mut scores = Self::default();
        let seen = seen.chunks_exact(observations.count());
        let points = columns.chunks_exact_mut(members.count()).zip(seen);
        for (point, (column, seen)) in (start..).zip(points) {
            let members = SortedMembers::new(column);
            if weights.is_empty() {
                scores.push_point(&members, seen);
                continue;
            }
            let mut own = Self::default();
            own.push_point(&members, seen);
            scores.merge_weighted(&own, weights[point % weights.len()]);
        }
        scores
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{normals, on_threads};
    use super::*;

    const POINTS: usize = 3 * TILE + 5;

    fn scores(members: &[f32], observations: &[f32]) -> EnsembleScores {
        let mut scores = EnsembleScores::default();
        let observations = Fields::new(observations, POINTS).unwrap();
        let members = Fields::new(members, POINTS).unwrap();
        scores.push(members, observations).unwrap();
        scores
    }

    #[test]
    fn a_field_scores_as_its_points_one_by_one() {
        let (members, seen) = (normals(1, 11 * POINTS), normals(2, 4 * POINTS));
        let mut expected = EnsembleScores::default();
        let column = |values: &[f32], point| -> Vec<f32> {
            values.iter().skip(point).step_by(POINTS).copied().collect()
        };
        for point in 0..POINTS {
            let mut values = column(&members, point);
            expected.push_point(&SortedMembers::new(&mut values), &column(&seen, point));
        }
        let found = scores(&members, &seen);
        assert!((found.crps.fair() - expected.crps.fair()).abs() < 1e-12);
        assert!((found.spread.ratio() - expected.spread.ratio()).abs() < 1e-12);
        let ranks = |s: &EnsembleScores| s.ranks.frequencies();
        for (found, expected) in ranks(&found).iter().zip(ranks(&expected)) {
            assert!((found - expected).abs() < 1e-12);
        }
        let inside =
            |s: &EnsembleScores| s.coverage.curve().iter().map(|i| i.coverage).sum::<f64>();
        assert_eq!(inside(&found), inside(&expected));
    }

    #[test]
    fn scores_are_the_same_on_any_number_of_threads() {
        let (members, seen) = (normals(1, 9 * POINTS), normals(2, 3 * POINTS));
        let one = on_threads(1, || scores(&members, &seen));
        assert_eq!(one, on_threads(2, || scores(&members, &seen)));
    }

    #[test]
    fn one_member_and_one_observation_give_finite_scores() {
        let found = scores(&normals(1, POINTS), &normals(2, POINTS));
        assert_eq!(found.crps.fair(), found.crps.mean_distance());
        assert_eq!(found.spread.ratio(), 0.0);
        assert_eq!(found.coverage.at(0.95).map(|i| i.coverage), Some(0.0));
        assert!(found.ranks.reliability_index().is_finite());
    }

    #[test]
    fn inputs_with_ensembles_of_different_sizes_merge() {
        let mut whole = scores(&normals(1, 8 * POINTS), &normals(2, 2 * POINTS));
        let rest = scores(&normals(3, 30 * POINTS), &normals(4, 2 * POINTS));
        let mean = 0.5 * (whole.crps.fair() + rest.crps.fair());
        whole.merge(&rest);
        assert!((whole.crps.fair() - mean).abs() < 1e-12);
        assert!((whole.ranks.frequencies().iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn observations_on_another_grid_are_refused_and_leave_no_trace() {
        let mut scores = EnsembleScores::default();
        let (two, three) = (Fields::new(&[0.0; 6], 2), Fields::new(&[0.0; 6], 3));
        assert!(scores.push(two.unwrap(), three.unwrap()).is_err());
        assert_eq!(scores, EnsembleScores::default());
    }
}
