//! Rank histogram: the ranks of observations among the members, flat for a calibrated ensemble.

use serde::{Deserialize, Serialize};

use crate::metric::sorted::SortedMembers;

/// The default number of bins.
pub const BINS: usize = 20;

/// Counts of observations by their rank among the members, in a fixed number of bins.
///
/// An observation with l members below it and u below or equal to it has any of the ranks l..=u
/// with equal probability. Rank r among m members represents the probabilities r/(m + 1) to (r +
/// 1)/(m + 1). The observation is spread evenly over the whole range of its ranks. Ties therefore
/// need no random numbers, ensembles of any size share the same bins, and the expected counts are
/// equal for every calibrated ensemble. With m + 1 bins this is the classical histogram. With fewer
/// than bins - 1 members it is blurred, and one member only separates above from below. Hamill
/// (2001); Czado, Gneiting & Held (2009).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RankHistogram {
    counts: Vec<f64>,
    cases: f64,
}

impl Default for RankHistogram {
    fn default() -> Self {
        Self::new(BINS)
    }
}

impl RankHistogram {
    /// A histogram with this number of bins, at least one.
    pub fn new(bins: usize) -> Self {
        Self {
            counts: vec![0.0; bins.max(1)],
            cases: 0.0,
        }
    }

    /// Adds the members and the observations at one point.
    pub fn push(&mut self, members: &SortedMembers, observations: &[f32]) {
        for y in observations {
            let (below, up_to) = members.ranks(*y);
            self.share(below, up_to + 1, members.count() + 1);
        }
        self.cases += observations.len() as f64;
    }

    /// Spreads one observation evenly over the ranks from..to, out of `ranks`.
    fn share(&mut self, from: usize, to: usize, ranks: usize) {
        // In units of 1 / (bins * ranks), all bounds are integers and the shares are exact.
        let bins = self.counts.len();
        let (from, to) = (from * bins, to * bins);
        for bin in from / ranks..=(to - 1) / ranks {
            let overlap = to.min((bin + 1) * ranks) - from.max(bin * ranks);
            self.counts[bin] += overlap as f64 / (to - from) as f64;
        }
    }

    /// Adds counts gathered in the same number of bins.
    pub fn merge(&mut self, other: &Self) {
        self.merge_weighted(other, 1.0);
    }

    /// Adds counts gathered in the same number of bins, scaled by `weight`.
    pub fn merge_weighted(&mut self, other: &Self, weight: f64) {
        assert_eq!(self.counts.len(), other.counts.len(), "histograms alike");
        self.cases += weight * other.cases;
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine += weight * theirs;
        }
    }

    /// Share of observations in each bin, 1/bins for a calibrated ensemble. High values at both
    /// ends mean too little spread, in the middle too much spread, and at one end bias.
    pub fn frequencies(&self) -> Vec<f64> {
        self.counts.iter().map(|count| count / self.cases).collect()
    }

    /// Reliability index, sum_b |f_b - 1/B|: 0 when flat, at most 2 (1 - 1/B).
    /// Delle Monache et al. (2006).
    pub fn reliability_index(&self) -> f64 {
        let flat = 1.0 / self.counts.len() as f64;
        self.frequencies().iter().map(|f| (f - flat).abs()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::testing::normals;

    fn histogram(bins: usize, m: usize, deviation: f32, cases: usize) -> RankHistogram {
        let mut histogram = RankHistogram::new(bins);
        for case in normals(m as u64, cases * (m + 1)).chunks_exact(m + 1) {
            let mut members: Vec<f32> = case[1..].iter().map(|z| deviation * z).collect();
            histogram.push(&SortedMembers::new(&mut members), &case[..1]);
        }
        histogram
    }

    #[test]
    fn the_histogram_of_a_calibrated_ensemble_is_flat() {
        // Pearson's statistic sum of B (n_b - n/B)^2 / n has B - 1 degrees of freedom: mean B - 1,
        // standard deviation sqrt(2 (B - 1)). Bins that split ranks share observations and can only
        // be flatter.
        for (bins, m) in [(20, 19), (20, 99), (10, 50), (20, 7)] {
            let histogram = histogram(bins, m, 1.0, 10_000);
            let (flat, freedom) = (1.0 / bins as f64, bins as f64 - 1.0);
            let squares = histogram
                .frequencies()
                .into_iter()
                .map(|f| (f - flat).powi(2));
            let pearson = 10_000.0 * squares.sum::<f64>() / flat;
            assert!(pearson < freedom + 4.0 * (2.0 * freedom).sqrt());
            assert!(histogram.reliability_index() < 0.05);
        }
    }

    #[test]
    fn too_little_spread_makes_a_u_and_too_much_a_dome() {
        let u = histogram(10, 19, 0.5, 10_000).frequencies();
        assert!(u[0] > 0.2 && u[9] > 0.2 && u[4] < 0.08 && u[5] < 0.08);
        let dome = histogram(10, 19, 2.0, 10_000).frequencies();
        assert!(dome[0] < 0.05 && dome[9] < 0.05 && dome[4] > 0.12 && dome[5] > 0.12);
    }

    #[test]
    fn ties_are_split_evenly_over_their_ranks() {
        let mut histogram = RankHistogram::new(5);
        let mut values = [1.0, 2.0, 2.0, 3.0];
        let members = SortedMembers::new(&mut values);
        histogram.push(&members, &[2.0]);
        let third = 1.0 / 3.0;
        assert_eq!(histogram.frequencies(), [0.0, third, third, third, 0.0]);
        histogram.push(&members, &[9.0, 9.0]);
        assert_eq!(histogram.frequencies()[4], 2.0 / 3.0);
    }

    #[test]
    fn pooling_keeps_every_observation_once() {
        for (m, bins) in [(1, 20), (6, 4), (2500, 20), (3, 1)] {
            let mut histogram = RankHistogram::new(bins);
            let mut values = normals(1, m);
            histogram.push(&SortedMembers::new(&mut values), &normals(2, 100));
            assert!((histogram.frequencies().iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn a_histogram_in_one_bin_is_as_unreliable_as_can_be() {
        let mut histogram = RankHistogram::new(4);
        histogram.push(&SortedMembers::new(&mut [0.0; 3]), &[1.0; 8]);
        assert_eq!(histogram.reliability_index(), 1.5);
    }
}
