//! Continuous ranked probability score: the distance of an ensemble from observations.

use serde::{Deserialize, Serialize};

use super::sorted::SortedMembers;

/// Sums for the CRPS, averaged over points, observations and inputs.
///
/// For members x_1..x_m and an observation y, in units of the field, with 0 for a perfect ensemble:
///
/// CRPS = sum_i |x_i - y| / m - sum_{i<j} |x_i - x_j| / (m (m - 1))
///
/// This is the fair version. Its mean does not depend on m: it is the score of the distribution
/// from which the members are drawn. The standard version divides the second sum by m^2 and scores
/// the m members themselves. With one member both versions equal the absolute error, so that
/// deterministic and probabilistic methods share a scale; the score is then no longer fair. Ferro
/// (2014); Zamo & Naveau (2018).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Crps {
    cases: f64,
    distance: f64,
    fair_spread: f64,
    standard_spread: f64,
}

impl Crps {
    /// Adds the members and the observations at one point, in O(log m) per observation.
    pub fn push(&mut self, members: &SortedMembers, observations: &[f32]) {
        let (m, n) = (members.count() as f64, observations.len() as f64);
        let distances = observations.iter().map(|y| members.mean_distance(*y));
        self.cases += n;
        self.distance += distances.sum::<f64>();
        self.fair_spread += n * members.pair_distances() / (m * (m - 1.0).max(1.0));
        self.standard_spread += n * members.pair_distances() / (m * m);
    }

    /// Adds sums gathered elsewhere.
    pub fn merge(&mut self, other: &Self) {
        self.merge_weighted(other, 1.0);
    }

    /// Adds sums gathered elsewhere, scaled by `weight`.
    pub fn merge_weighted(&mut self, other: &Self, weight: f64) {
        self.cases += weight * other.cases;
        self.distance += weight * other.distance;
        self.fair_spread += weight * other.fair_spread;
        self.standard_spread += weight * other.standard_spread;
    }

    /// The mean fair CRPS. It may be negative for few cases.
    pub fn fair(&self) -> f64 {
        (self.distance - self.fair_spread) / self.cases
    }

    /// The mean standard CRPS. It exceeds the fair one by 1/m of the mean fair spread term.
    pub fn standard(&self) -> f64 {
        (self.distance - self.standard_spread) / self.cases
    }

    /// Mean absolute difference of members and observations: the first term of the score.
    pub fn mean_distance(&self) -> f64 {
        self.distance / self.cases
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{gaussian_crps, mean_and_error, normal_quantiles, normals};
    use super::*;
    use std::f64::consts::PI;

    fn crps(members: &[f32], observations: &[f32]) -> Crps {
        let mut crps = Crps::default();
        crps.push(&SortedMembers::new(&mut members.to_vec()), observations);
        crps
    }

    #[test]
    fn crps_of_a_perfect_ensemble_is_zero() {
        for m in [1, 2, 7] {
            let crps = crps(&vec![0.3; m], &[0.3, 0.3]);
            assert_eq!((crps.fair(), crps.standard()), (0.0, 0.0));
        }
    }

    #[test]
    fn crps_of_one_member_is_the_absolute_error() {
        let crps = crps(&[1.5], &[1.0, 3.0]);
        assert_eq!((crps.fair(), crps.standard()), (1.0, 1.0));
    }

    /// Reference: the double sums, computed with NumPy.
    #[test]
    fn crps_of_a_small_ensemble() {
        let crps = crps(&[0.5, -1.0, 2.0, 0.25, 1.0], &[0.75, -2.0]);
        assert!((crps.fair() - 1.0).abs() < 1e-12);
        assert!((crps.standard() - 1.135).abs() < 1e-12);
    }

    #[test]
    fn crps_of_a_large_gaussian_ensemble_tends_to_the_closed_form() {
        // Quantiles of the standard normal distribution replace a large ensemble without sampling
        // noise.
        for (m, tolerance) in [(100, 1e-2), (10_000, 1e-4)] {
            let members: Vec<f32> = normal_quantiles(m).iter().map(|z| 2.0 + 0.5 * z).collect();
            for y in [0.9, 2.0, 2.4, 5.0] {
                let expected = gaussian_crps(2.0, 0.5, f64::from(y));
                let crps = crps(&members, &[y]);
                assert!((crps.fair() - expected).abs() < tolerance);
                assert!((crps.standard() - expected).abs() < tolerance);
            }
        }
    }

    #[test]
    fn the_fair_crps_does_not_depend_on_the_size_of_the_ensemble() {
        // Members and observation are standard normal: the mean is 1/sqrt(pi), and that of the
        // standard version is larger by the factor 1 + 1/m. Four standard errors: one chance in 16
        // 000 per line.
        let cases = 20_000;
        for m in [2, 5, 20] {
            let draws = normals(m as u64, cases * (m + 1));
            let scores: Vec<Crps> = draws
                .chunks_exact(m + 1)
                .map(|case| crps(&case[1..], &case[..1]))
                .collect();
            let (fair, error) = mean_and_error(scores.iter().map(Crps::fair));
            assert!((fair - 1.0 / PI.sqrt()).abs() < 4.0 * error);
            let (standard, error) = mean_and_error(scores.iter().map(Crps::standard));
            assert!((standard - (1.0 + 1.0 / m as f64) / PI.sqrt()).abs() < 4.0 * error);
        }
    }

    #[test]
    fn crps_is_least_for_the_true_distribution() {
        let observations = normals(3, 20_000);
        let score = |mean: f32, deviation: f32| {
            let members: Vec<f32> = normal_quantiles(1000)
                .iter()
                .map(|z| mean + deviation * z)
                .collect();
            crps(&members, &observations).fair()
        };
        let truth = score(0.0, 1.0);
        for (mean, deviation) in [(0.2, 1.0), (-0.2, 1.0), (0.0, 0.75), (0.0, 1.3), (0.0, 0.0)] {
            assert!(truth < score(mean, deviation));
        }
    }
}
