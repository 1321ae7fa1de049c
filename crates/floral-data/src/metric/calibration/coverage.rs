//! Coverage: the share of observations inside central intervals of the ensemble.

use serde::{Deserialize, Serialize};

use crate::metric::{fields::Fields, sorted::SortedMembers};
use crate::{Error, Result};

/// The levels of the coverage curve; 0.5, 0.9 and 0.95 are usually quoted.
pub const LEVELS: [f64; 20] = [
    0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85,
    0.9, 0.95, 0.99,
];

/// Coverage and width of the central interval at one level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The nominal coverage.
    pub level: f64,
    /// Share of observations inside; equal to the level for a calibrated ensemble.
    pub coverage: f64,
    /// Mean width in units of the field; of two calibrated ensembles, the narrower is more
    /// informative.
    pub width: f64,
}

/// Counts of observations inside the central interval of each level.
///
/// The interval of level c lies between the quantiles at (1 - c)/2 and (1 + c)/2, bounds included.
/// Quantiles are those of [`SortedMembers::quantile`]: the interval between members i and j then
/// covers (j - i)/(m + 1) of the observations on average, for any distribution. With m members, the
/// largest exact level is (m - 1)/(m + 1). Beyond it, the interval is their full range and covers
/// less than nominal. A single member covers only observations equal to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Coverage {
    levels: Vec<f64>,
    inside: Vec<f64>,
    widths: Vec<f64>,
    cases: f64,
}

impl Default for Coverage {
    fn default() -> Self {
        Self::new(&LEVELS)
    }
}

impl Coverage {
    /// Counts for central intervals at these levels, each between 0 and 1.
    pub fn new(levels: &[f64]) -> Self {
        Self {
            levels: levels.to_vec(),
            inside: vec![0.0; levels.len()],
            widths: vec![0.0; levels.len()],
            cases: 0.0,
        }
    }

    /// Adds the members and the observations at one point.
    pub fn push(&mut self, members: &SortedMembers, observations: &[f32]) {
        self.cases += observations.len() as f64;
        let counts = self.inside.iter_mut().zip(&mut self.widths);
        for (level, (inside, width)) in self.levels.iter().zip(counts) {
            let low = members.quantile(0.5 - 0.5 * level);
            let high = members.quantile(0.5 + 0.5 * level);
            *width += (high - low) * observations.len() as f64;
            *inside += count_inside(low, high, observations) as f64;
        }
    }

    /// Adds counts gathered at the same levels.
    pub fn merge(&mut self, other: &Self) {
        self.merge_weighted(other, 1.0);
    }

    /// Adds counts gathered at the same levels, scaled by `weight`.
    pub fn merge_weighted(&mut self, other: &Self, weight: f64) {
        assert_eq!(self.levels, other.levels, "coverage of the same levels");
        self.cases += weight * other.cases;
        for level in 0..self.levels.len() {
            self.inside[level] += weight * other.inside[level];
            self.widths[level] += weight * other.widths[level];
        }
    }

    /// The coverage curve: the interval at every level, in the given order.
    pub fn curve(&self) -> Vec<Interval> {
        (0..self.levels.len()).map(|i| self.interval(i)).collect()
    }

    /// The interval at one level, if it is among the levels.
    pub fn at(&self, level: f64) -> Option<Interval> {
        let found = self.levels.iter().position(|l| (l - level).abs() < 1e-9);
        found.map(|i| self.interval(i))
    }

    fn interval(&self, i: usize) -> Interval {
        Interval {
            level: self.levels[i],
            coverage: self.inside[i] / self.cases,
            width: self.widths[i] / self.cases,
        }
    }
}

/// Share of observations between a lower and an upper field, bounds included: the coverage of
/// intervals that do not come from members, such as mean +- 1.645 standard deviations.
///
/// lower, upper: one value per point; observations: [observation, point].
pub fn interval_coverage(lower: &[f64], upper: &[f64], observations: Fields) -> Result<f64> {
    for bound in [lower, upper] {
        if bound.len() != observations.points() {
            return Err(Error::shape(
                "a bound of an interval",
                vec![bound.len()],
                vec![observations.points()],
            ));
        }
    }
    let inside = |field: &[f32]| -> u64 {
        let bounds = lower.iter().zip(upper).zip(field);
        bounds.map(|((l, u), y)| count_inside(*l, *u, &[*y])).sum()
    };
    let total: u64 = observations.iter().map(inside).sum();
    Ok(total as f64 / (observations.count() * observations.points()) as f64)
}

fn count_inside(low: f64, high: f64, observations: &[f32]) -> u64 {
    let inside = |y: &&f32| (low..=high).contains(&f64::from(**y));
    observations.iter().filter(inside).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::testing::normals;

    /// Coverage over independent cases, each with m members N(0, deviation^2) and an observation
    /// N(0, 1).
    fn coverage(m: usize, deviation: f32, cases: usize) -> Coverage {
        let mut coverage = Coverage::default();
        for case in normals(1, cases * (m + 1)).chunks_exact(m + 1) {
            let mut members: Vec<f32> = case[1..].iter().map(|z| deviation * z).collect();
            coverage.push(&SortedMembers::new(&mut members), &case[..1]);
        }
        coverage
    }

    #[test]
    fn coverage_of_a_calibrated_ensemble_is_nominal() {
        // With 199 members, the bounds of every level are members, and the coverage is binomial.
        let cases = 10_000;
        for interval in coverage(199, 1.0, cases).curve() {
            let error = (interval.level * (1.0 - interval.level) / cases as f64).sqrt();
            assert!((interval.coverage - interval.level).abs() < 4.0 * error);
        }
    }

    #[test]
    fn too_narrow_an_ensemble_covers_too_little_and_too_wide_a_one_too_much() {
        let at = |deviation| coverage(49, deviation, 2000).at(0.9).unwrap();
        let (narrow, wide) = (at(0.5), at(2.0));
        assert!(narrow.coverage < 0.8 && wide.coverage > 0.97);
        assert!((wide.width / narrow.width - 4.0).abs() < 1e-3);
    }

    #[test]
    fn one_member_covers_only_what_it_meets() {
        let mut coverage = Coverage::default();
        coverage.push(&SortedMembers::new(&mut [0.1]), &[0.1, 0.2]);
        for interval in coverage.curve() {
            assert_eq!((interval.coverage, interval.width), (0.5, 0.0));
        }
        assert_eq!(coverage.at(0.123), None);
    }

    #[test]
    fn bounds_given_as_fields_count_the_same_as_members() {
        let (draws, seen) = (normals(1, 30), normals(2, 400));
        let mut values = draws.clone();
        let members = SortedMembers::new(&mut values);
        let mut coverage = Coverage::new(&[0.5]);
        coverage.push(&members, &seen);
        let bounds = [[members.quantile(0.25)], [members.quantile(0.75)]];
        let seen = Fields::new(&seen, 1).unwrap();
        let found = interval_coverage(&bounds[0], &bounds[1], seen).unwrap();
        assert_eq!(Some(found), coverage.at(0.5).map(|i| i.coverage));
        assert!(interval_coverage(&[0.0; 2], &[0.0; 2], seen).is_err());
    }
}
