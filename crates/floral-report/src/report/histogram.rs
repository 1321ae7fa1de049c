//! Distributions of values and of pairs of values, over bins of a shared range.

/// Bins of a distribution, and of a joint one along each axis.
pub(super) const BINS: usize = 60;
pub(super) const JOINT_BINS: usize = 40;

/// The share of values, from below and from above, that a range leaves out: a few stray values do
/// not shrink the picture of all others.
const STRAY: f64 = 5e-4;

/// A range that holds nearly all values, and a little more.
pub(super) fn range(values: impl Iterator<Item = f64>) -> [f64; 2] {
    let mut values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    if values.is_empty() {
        return [0.0, 1.0];
    }
    values.sort_unstable_by(f64::total_cmp);
    let stray = (STRAY * values.len() as f64) as usize;
    let (low, high) = (values[stray], values[values.len() - 1 - stray]);
    let margin = if high > low {
        0.04 * (high - low)
    } else {
        0.5 * low.abs().max(1e-6)
    };
    [low - margin, high + margin]
}

/// The edges of bins over a range.
pub(super) fn edges([low, high]: [f64; 2]) -> Vec<f64> {
    let width = (high - low) / BINS as f64;
    (0..=BINS).map(|i| low + width * i as f64).collect()
}

/// The density of values over a range; those outside count in the total alone.
pub(super) fn density(values: impl Iterator<Item = f64>, [low, high]: [f64; 2]) -> Vec<f64> {
    let (mut counts, mut total) = (vec![0.0; BINS], 0.0);
    for value in values.filter(|value| value.is_finite()) {
        total += 1.0;
        if let Some(bin) = bin(value, [low, high], BINS) {
            counts[bin] += 1.0;
        }
    }
    let scale = BINS as f64 / (high - low) / f64::max(total, 1.0);
    counts.iter().map(|count| count * scale).collect()
}

/// The share of pairs in each cell, [first, second], as a power of ten; not a number where there
/// are none.
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
            counts[a * JOINT_BINS + b] += 1.0;
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
        let range = range(values());
        let width = (range[1] - range[0]) / BINS as f64;
        let sum: f64 = density(values(), range).iter().map(|d| d * width).sum();
        assert!((sum - 1.0).abs() < 2e-3, "{sum}");
        assert_eq!(edges(range).len(), BINS + 1);
    }

    #[test]
    fn ranges_survive_values_that_are_all_alike_or_missing() {
        for values in [vec![], vec![f64::NAN], vec![3.0; 4], vec![0.0]] {
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
        assert_eq!(found, [JOINT_BINS / 2 * JOINT_BINS]);
    }
}
