//! Sufficient number of realizations: the standard error of their mean is as small as wanted.
//!
//! The error is the root mean square, over the points of a channel, of the standard error of the
//! mean field, in units of the standard deviation of all predicted values of the channel, over
//! points and realizations together. It measures the share of the visible structure that is due to
//! chance. The worst channel counts.

use crate::sample::EnsembleStatistics;

/// Number of realizations at the first estimate of the error.
const FIRST: usize = 64;

/// Decides how many realizations to draw. Decisions are made at numbers of realizations that depend
/// on the values alone, so they are the same on any number of threads and after an interruption.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Enough {
    wanted: f64,
    channels: usize,
    /// Number of realizations computed together; targets are multiples of it.
    rows: usize,
    most: usize,
    target: usize,
    error: f64,
}

impl Enough {
    /// `wanted` is the standard error to reach with at least `least` and at most `most`
    /// realizations.
    pub fn new(wanted: f64, channels: usize, rows: usize, [least, most]: [usize; 2]) -> Self {
        let rows = rows.max(1);
        Self {
            wanted,
            channels,
            rows,
            most,
            target: least.max(FIRST).next_multiple_of(rows).min(most),
            error: f64::INFINITY,
        }
    }

    /// Number of realizations to draw, according to the last estimate.
    pub fn target(&self) -> usize {
        self.target
    }

    /// Whether the wanted error is reached.
    pub fn is_reached(&self) -> bool {
        self.error <= self.wanted
    }

    /// Updates the target; to be called after every realization.
    pub fn judge(&mut self, statistics: &EnsembleStatistics) {
        let count = statistics.count();
        if count != self.target {
            return;
        }
        self.error = standard_error(statistics, self.channels);
        if !self.is_reached() {
            // The error is inversely proportional to the square root of the number.
            let needed = count as f64 * (self.error / self.wanted).powi(2);
            let needed = needed.min(self.most as f64).ceil() as usize;
            let next = needed.max(count + 1).next_multiple_of(self.rows);
            self.target = next.min(self.most);
        }
    }
}

/// Standard error of the mean in units of the standard deviation of all values, for the worst
/// channel.
fn standard_error(statistics: &EnsembleStatistics, channels: usize) -> f64 {
    let (mean, variance) = (statistics.mean(), statistics.variance());
    let points = mean.len() / channels.max(1);
    let each = mean
        .chunks(points.max(1))
        .zip(variance.chunks(points.max(1)));
    let errors = each.map(|(mean, variance)| {
        let average =
            |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / mean.len() as f64;
        let within = average(&mut variance.iter().copied());
        let centre = average(&mut mean.iter().copied());
        let between = average(&mut mean.iter().map(|m| (m - centre).powi(2)));
        match within {
            0.0 => 0.0,
            within => (within / statistics.count() as f64 / (within + between)).sqrt(),
        }
    });
    errors.fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};
    use crate::sample::Wanted;
    use rand_distr::{Distribution, StandardNormal};

    /// Draws fields slope * point + normal noise until the number is sufficient.
    fn drawn(wanted: f64, slope: f32, rows: usize, most: usize) -> (Enough, EnsembleStatistics) {
        let mut enough = Enough::new(wanted, 1, rows, [0, most]);
        let mut statistics = EnsembleStatistics::new(50, 0, &Wanted::default()).unwrap();
        let mut rng = stream(5, Purpose::Prior, 0, 0);
        while statistics.count() < enough.target() {
            let field: Vec<f32> = (0..50u8)
                .map(|p| {
                    let noise: f32 = StandardNormal.sample(&mut rng);
                    slope * f32::from(p) + noise
                })
                .collect();
            statistics.push(&field).unwrap();
            enough.judge(&statistics);
        }
        (enough, statistics)
    }

    #[test]
    fn draws_end_when_the_error_is_reached_and_not_much_later() {
        // If the mean has no structure, the error is the inverse square root of the number.
        let (enough, statistics) = drawn(0.05, 0.0, 1, 10_000);
        assert!(enough.is_reached());
        assert!(
            (395..450).contains(&statistics.count()),
            "{}",
            statistics.count()
        );
        // If the mean has a strong structure, the same noise is soon small in comparison.
        let (enough, statistics) = drawn(0.05, 1.0, 1, 10_000);
        assert!(enough.is_reached());
        assert_eq!(statistics.count(), FIRST);
    }

    #[test]
    fn the_most_is_not_exceeded_and_targets_are_whole_blocks() {
        let (enough, statistics) = drawn(0.01, 0.0, 1, 300);
        assert_eq!(statistics.count(), 300);
        assert!(!enough.is_reached());
        let (_, statistics) = drawn(0.05, 0.0, 30, 10_000);
        assert!(statistics.count().is_multiple_of(30));
    }

    #[test]
    fn fields_that_do_not_vary_need_no_more() {
        let mut enough = Enough::new(0.01, 1, 1, [0, 1000]);
        let mut statistics = EnsembleStatistics::new(3, 0, &Wanted::default()).unwrap();
        for _ in 0..FIRST {
            statistics.push(&[1.0, 1.0, 1.0]).unwrap();
            enough.judge(&statistics);
        }
        assert!(enough.is_reached() && enough.target() == FIRST);
    }

    #[test]
    fn the_worst_channel_counts() {
        let mut both = EnsembleStatistics::new(4, 0, &Wanted::default()).unwrap();
        for noise in [-1.0, 1.0] {
            both.push(&[0.0, 100.0, noise, noise]).unwrap();
        }
        assert_eq!(standard_error(&both, 2), 0.5f64.sqrt());
    }
}
