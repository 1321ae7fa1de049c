//! Histograms of values and of pairs of values, over bins of a shared range.

/// Number of bins of a histogram, and of a joint histogram along each axis.
pub(super) const BINS: usize = 60;
pub(super) const JOINT_BINS: usize = 40;

/// The fraction of values that a range omits at either end, so that a few outliers do not compress
/// the picture of all others.
const STRAY: f64 = 5e-4;

/// The margin of a range, as a fraction of its length.
const MARGIN: f64 = 0.04;

/// A range that contains nearly all values, with a margin. If no value is negative, neither is the
/// range.
pub(super) fn range(values: impl Iterator<Item = f64>) -> [f64; 2] {
    let mut values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    if values.is_empty() {
        return [0.0, 1.0];
    }
    values.sort_unstable_by(f64::total_cmp);
    let stray = (STRAY * values.len() as f64) as usize;
    let ends = [values[stray], values[values.len() - 1 - stray]];
    let [low, high] = widened(ends, MARGIN);
    [if values[0] >= 0.0 { low.max(0.0) } else { low }, high]
}

/// Adds this fraction of the length as a margin at both ends. A range around a single value becomes
/// as long as the value is large.
pub(super) fn widened([low, high]: [f64; 2], share: f64) -> [f64; 2] {
    let margin = match high - low {
        length if length > 0.0 => share * length,
        _ if low != 0.0 => 0.5 * low.abs(),
        _ => 0.5,
    };
    [low - margin, high + margin]
}

/// Bins of equal width.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bins {
    low: f64,
    width: f64,
}

impl Bins {
    /// Bins over a range.
    pub fn over([low, high]: [f64; 2]) -> Self {
        let width = (high - low) / BINS as f64;
        Self { low, width }
    }

    /// Bins over a range that contains zero, with an edge at zero: a quantity that is never
    /// negative then has no values in the bins below.
    pub fn around_zero([low, high]: [f64; 2]) -> Self {
        let below = (BINS as f64 * -low / (high - low))
            .ceil()
            .clamp(1.0, BINS as f64 - 1.0);
        let width = high / (BINS as f64 - below);
        let low = -below * width;
        Self { low, width }
    }

    /// The edges, in ascending order.
    pub fn edges(self) -> Vec<f64> {
        (0..=BINS)
            .map(|i| self.low + self.width * i as f64)
            .collect()
    }

    /// The density of values. Values outside the bins only count in the total.
    pub fn density(self, values: impl Iterator<Item = f64>) -> Vec<f64> {
        let (mut counts, mut total) = (vec![0.0; BINS], 0.0);
        let range = [self.low, self.low + self.width * BINS as f64];
        for value in values.filter(|value| value.is_finite()) {
            total += 1.0;
            if let Some(bin) = bin(value, range, BINS) {
                counts[bin] += 1.0;
            }
        }
        let scale = 1.0 / (self.width * f64::max(total, 1.0));
        counts.iter().map(|count| count * scale).collect()
    }
}

/// The logarithm to base 10 of the share of pairs in each cell, [second, first]; NaN in empty
/// cells.
pub(super) fn joint(
    pairs: impl Iterator<Item = [f64; 2]>,
    first: [f64; 2],
    second: [f64; 2],
) -> Vec<f64> {
    let (mut counts, mut total) = (vec![0.0; JOINT_BINS * JOINT_BINS], 0.0);
    for [a, b] in pairs.filter(|[a, b]| a.is_finite() && b.is_finite()) {
        total += 1.0;
        let cell = bin(a, first, JOINT_BINS).zip(bin(b, second, JOINT_BINS));
        if let Some((a, b)) = cell {
            counts[b * JOINT_BINS + a] += 1.0;
        }
    }
    let share = |count: &f64| {
        if *count > 0.0 {
            (count / total).log10()
        } else {
            f64::NAN
        }
    };
    counts.iter().map(share).collect()
}

fn bin(value: f64, [low, high]: [f64; 2], bins: usize) -> Option<usize> {
    let position = (value - low) / (high - low);
    (0.0..1.0)
        .contains(&position)
        .then_some((position * bins as f64) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_density_integrates_to_one() {
        let values = || (0..1000).map(|i| (f64::from(i) * 0.37).sin());
        for scale in [1e-12, 1.0, 1e9] {
            let values = || values().map(|v| v * scale);
            let bins = Bins::over(range(values()));
            let sum: f64 = bins.density(values()).iter().map(|d| d * bins.width).sum();
            assert!((sum - 1.0).abs() < 2e-3, "{sum}");
            assert_eq!(bins.edges().len(), BINS + 1);
        }
    }

    #[test]
    fn what_is_never_negative_has_no_density_below_zero() {
        let values = || (0..1000).map(|i| (f64::from(i) * 0.37).sin().abs() * 1e-9);
        let [low, high] = range(values());
        assert!(low >= 0.0 && high > 1e-9);
        // As required if a prediction is negative somewhere.
        let bins = Bins::around_zero([-0.3 * high, high]);
        let edges = bins.edges();
        assert!(edges.contains(&0.0) && edges[0] <= -0.3 * high);
        assert!((edges[BINS] - high).abs() < 1e-6 * high);
        for (height, edge) in bins.density(values()).iter().zip(&edges) {
            assert!(*edge >= 0.0 || *height == 0.0, "{edge}: {height}");
        }
    }

    #[test]
    fn ranges_survive_values_that_are_all_alike_or_missing() {
        for values in [
            vec![],
            vec![f64::NAN],
            vec![3.0; 4],
            vec![0.0],
            vec![-1e-12; 2],
        ] {
            let [low, high] = range(values.iter().copied());
            assert!(low < high, "{values:?}");
        }
    }

    #[test]
    fn pairs_are_counted_in_their_cell() {
        let shares = joint(
            [[0.5, 0.0], [f64::NAN, 0.0]].into_iter(),
            [0.0, 1.0],
            [0.0, 1.0],
        );
        let found: Vec<usize> = (0..shares.len()).filter(|i| shares[*i] == 0.0).collect();
        assert_eq!(found, [JOINT_BINS / 2]);
    }
}
