//! Spread-skill relation: whether the ensemble's spread predicts the error of its mean.

use serde::{Deserialize, Serialize};

use crate::metric::{error::ratio, sorted::SortedMembers};

/// Sums for comparing spread and error over points, observations and inputs.
///
/// The mean squared distance of an observation from the mean of m exchangeable members is (m + 1)/m
/// times the variance, because the mean has a sampling error. Squares are averaged before roots are
/// taken:
///
/// spread = sqrt(mean of (m + 1)/m * variance), variance with divisor m - 1,
/// error = sqrt(mean of (member mean - y)^2).
///
/// Fortin et al. (2014).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SpreadSkill {
    cases: f64,
    variances: f64,
    squares: f64,
}

impl SpreadSkill {
    /// Adds the members and the observations at one point.
    pub fn push(&mut self, members: &SortedMembers, observations: &[f32]) {
        let (m, mean) = (members.count() as f64, members.mean());
        let square = |y: &f32| (f64::from(*y) - mean).powi(2);
        self.cases += observations.len() as f64;
        self.variances += observations.len() as f64 * members.variance() * (m + 1.0) / m;
        self.squares += observations.iter().map(square).sum::<f64>();
    }

    /// Adds sums gathered elsewhere.
    pub fn merge(&mut self, other: &Self) {
        self.merge_weighted(other, 1.0);
    }

    /// Adds sums gathered elsewhere, scaled by `weight`.
    pub fn merge_weighted(&mut self, other: &Self, weight: f64) {
        self.cases += weight * other.cases;
        self.variances += weight * other.variances;
        self.squares += weight * other.squares;
    }

    /// The expected root mean square error of the ensemble mean, according to the ensemble.
    pub fn spread(&self) -> f64 {
        (self.variances / self.cases).sqrt()
    }

    /// Root mean square error of the ensemble mean against single observations.
    pub fn error(&self) -> f64 {
        (self.squares / self.cases).sqrt()
    }

    /// Spread over error: 1 for a calibrated ensemble, below 1 for an overconfident one, and 0 for
    /// a single member.
    pub fn ratio(&self) -> f64 {
        ratio(self.variances, self.squares).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::testing::normals;

    fn spread_skill(m: usize, deviation: f32, cases: usize) -> SpreadSkill {
        let mut spread_skill = SpreadSkill::default();
        for case in normals(m as u64, cases * (m + 1)).chunks_exact(m + 1) {
            let mut members: Vec<f32> = case[1..].iter().map(|z| deviation * z).collect();
            spread_skill.push(&SortedMembers::new(&mut members), &case[..1]);
        }
        spread_skill
    }

    #[test]
    fn the_ratio_of_a_calibrated_ensemble_is_one_at_any_size() {
        // With n Gaussian cases, the error has the relative standard deviation 1/sqrt(2n), and the
        // spread at most as much: 0.7 % together for n = 20 000, times four.
        for m in [2, 5, 40] {
            assert!((spread_skill(m, 1.0, 20_000).ratio() - 1.0).abs() < 0.028);
        }
    }

    #[test]
    fn the_ratio_separates_too_little_from_too_much_spread() {
        assert!(spread_skill(20, 0.5, 2000).ratio() < 0.6);
        assert!(spread_skill(20, 2.0, 2000).ratio() > 1.6);
    }

    #[test]
    fn one_member_has_no_spread_and_its_own_error() {
        let mut one = SpreadSkill::default();
        one.push(&SortedMembers::new(&mut [1.0]), &[3.0]);
        assert_eq!((one.spread(), one.error(), one.ratio()), (0.0, 2.0, 0.0));
        let mut perfect = SpreadSkill::default();
        perfect.push(&SortedMembers::new(&mut [1.0]), &[1.0]);
        assert_eq!((perfect.error(), perfect.ratio()), (0.0, 0.0));
    }

    #[test]
    fn spread_and_error_of_a_small_ensemble() {
        // Members 0, 1, 5: mean 2, variance 7; the observations deviate from it by 1 and 3.
        let mut small = SpreadSkill::default();
        small.push(&SortedMembers::new(&mut [5.0, 0.0, 1.0]), &[3.0, -1.0]);
        assert!((small.spread().powi(2) - 7.0 * 4.0 / 3.0).abs() < 1e-12);
        assert!((small.error().powi(2) - 5.0).abs() < 1e-12);
    }
}
