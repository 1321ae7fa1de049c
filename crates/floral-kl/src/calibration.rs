//! Calibration: factors that make intervals hold as many realizations of new inputs as they say.
//!
//! Conformal prediction with one group of exchangeable values an input (Dunn, Wasserman & Ramdas,
//! J. Am. Stat. Assoc. 118, 2023): scores d^2 / (a + c e) of deviations d with the predicted aleatoric
//! and epistemic variances a and e are compared with a factor such that each judging input is covered
//! on average by what the others ask for; c makes coverage differ least between inputs.

use serde::{Deserialize, Serialize};

/// What intervals are calibrated to hold.
const COVERAGE: f64 = 0.9;

/// Realizations of an input below which its runs do not say what shape their law has.
const FEWEST_RUNS: usize = 12;

/// How far, in deviations, an interval that holds that much reaches down and up from the mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Reach {
    down: f64,
    up: f64,
}

impl Reach {
    /// That of a normal law.
    pub(super) const NORMAL: Self = Self {
        down: 1.644_853_6,
        up: 1.644_853_6,
    };

    /// That of runs, [input][run] at many points, each in deviations of its own input; of few runs
    /// that of a normal law.
    pub(super) fn of(standardised: &mut [f64], runs: usize) -> Self {
        if runs < FEWEST_RUNS || standardised.is_empty() {
            return Self::NORMAL;
        }
        standardised.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let place = share * (standardised.len() - 1) as f64;
            standardised[place.round() as usize]
        };
        let tail = 0.5 * (1.0 - COVERAGE);
        Self {
            down: (-at(tail)).max(0.1),
            up: at(1.0 - tail).max(0.1),
        }
    }
}

/// Factors of the epistemic part that are tried: powers of two, by halves, between these.
const EPISTEMIC: std::ops::RangeInclusive<i32> = -4..=6;

/// What a squared logarithm of the total factor costs beside a squared miss of coverage, and what one
/// of the epistemic factor costs, both for one judge: few judges do not move far from one.
const COSTS: [f64; 2] = [0.05, 0.0125];

/// Both parts together are scaled between the inverse of this and this, in so many steps.
const MOST: f64 = 30.0;
const STEPS: usize = 120;

/// Bisections in search of a level.
const BISECTIONS: usize = 30;

/// Factors of predicted variances.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Calibration {
    /// Of the epistemic variance.
    pub epistemic: f64,
    /// Of both variances together.
    pub total: f64,
}

/// A deviation of a realization from the predicted mean, with both predicted variances.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deviation {
    pub value: f64,
    pub aleatoric: f64,
    pub epistemic: f64,
}

impl Calibration {
    /// Variances as they are.
    pub(super) const NONE: Self = Self {
        epistemic: 1.0,
        total: 1.0,
    };

    /// From the deviations of each judging input's realizations, by intervals that reach so far: of
    /// the epistemic factors, each with the total that covers judges on average as it should, the one
    /// by which coverage differs least between judges.
    /// So many of them are independent.
    pub(super) fn new(judges: &[Vec<Deviation>], independent: usize, reach: Reach) -> Self {
        // A judge of which everything is exact has nothing to say.
        let says = |judge: &&Vec<Deviation>| judge.iter().any(|d| d.value != 0.0);
        let judges: Vec<&Vec<Deviation>> = judges.iter().filter(says).collect();
        if judges.is_empty() {
            return Self::NONE;
        }
        let independent = independent.max(1) as f64;
        let tried = EPISTEMIC.map(|half| {
            let epistemic = (0.5 * f64::from(half)).exp2();
            let row = |judge: &&Vec<Deviation>| coverages(judge, epistemic, reach);
            let table: Vec<Vec<f64>> = judges.iter().map(row).collect();
            let place = reached(&table, None, level(&table, independent));
            let miss = |row: &Vec<f64>| (interpolated(row, place) - COVERAGE).powi(2);
            let total = total(place);
            let misses = table.iter().map(miss).sum::<f64>() / table.len() as f64;
            let moved = COSTS[0] * total.ln().powi(2) + COSTS[1] * epistemic.ln().powi(2);
            (misses + moved / independent, Self { epistemic, total })
        });
        let best = tried.min_by(|a, b| a.0.total_cmp(&b.0));
        best.map_or(Self::NONE, |(_, best)| best.of_few(independent))
    }

    /// The same with more of the epistemic part where so few independent judges asked for it: about
    /// the square of Student's 95 % quantile with as many degrees of freedom over the normal one.
    fn of_few(self, judges: f64) -> Self {
        Self {
            epistemic: self.epistemic * (1.0 + 2.0 / judges + 4.6 / (judges * judges)),
            ..self
        }
    }
}

/// The total factor at a place on the path from narrow to wide.
fn total(place: f64) -> f64 {
    MOST.powf(2.0 * place / STEPS as f64 - 1.0)
}

/// The share of values that an interval holds at each place of the path.
fn coverages(values: &[Deviation], epistemic: f64, reach: Reach) -> Vec<f64> {
    let mut counts = vec![0_usize; STEPS + 2];
    for deviation in values {
        let unit = if deviation.value < 0.0 { reach.down } else { reach.up };
        let variance = deviation.aleatoric + epistemic * deviation.epistemic;
        let needed = (deviation.value / unit).powi(2) / variance.max(f64::MIN_POSITIVE);
        let place = 0.5 * STEPS as f64 * (1.0 + needed.ln() / MOST.ln());
        counts[place.ceil().clamp(0.0, STEPS as f64 + 1.0) as usize] += 1;
    }
    let cumulated = counts.iter().take(STEPS + 1).scan(0, |sum, count| {
        *sum += count;
        Some(*sum as f64 / values.len() as f64)
    });
    cumulated.collect()
}

/// The level to ask of all judges, so that each is covered as it should be by what the others ask:
/// as many judges and one new input are exchangeable, which leaves n / (n + 1) of what may be missed.
fn level(table: &[Vec<f64>], independent: f64) -> f64 {
    let wanted = 1.0 - (1.0 - COVERAGE) * independent / (independent + 1.0);
    if table.len() < 2 {
        return wanted;
    }
    let covered = |level: f64| {
        let one = |i: usize| interpolated(&table[i], reached(table, Some(i), level));
        (0..table.len()).map(one).sum::<f64>() / table.len() as f64
    };
    let (mut low, mut high) = (0.5, 0.999);
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (low + high);
        if covered(middle) < wanted {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// Where on the path the mean coverage of all judges but one reaches a level.
fn reached(table: &[Vec<f64>], without: Option<usize>, level: f64) -> f64 {
    let others = || (0..table.len()).filter(|i| Some(*i) != without);
    let mean = |k: usize| others().map(|i| table[i][k]).sum::<f64>() / others().count() as f64;
    let steps = table[0].len();
    let Some(k) = (0..steps).find(|&k| mean(k) >= level) else {
        return (steps - 1) as f64;
    };
    if k == 0 {
        return 0.0;
    }
    let (before, after) = (mean(k - 1), mean(k));
    (k - 1) as f64 + (level - before) / (after - before)
}

fn interpolated(row: &[f64], place: f64) -> f64 {
    let k = (place as usize).min(row.len() - 2);
    row[k] + (row[k + 1] - row[k]) * (place - k as f64)
}

#[cfg(test)]
mod tests {
    use rand_distr::{Distribution, StandardNormal};

    use super::*;
    use crate::testing::{Purpose, stream};

    /// Judges whose means are off by `error` deviations and whose values vary by `spread`.
    fn judges(error: f64, spread: f64) -> Vec<Vec<Deviation>> {
        let judge = |i| {
            let mut rng = stream(1, Purpose::Realization, i, 0);
            let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
            let one = |_| Deviation {
                value: error * normal() + spread * normal(),
                aleatoric: 1.0,
                epistemic: 0.5,
            };
            (0..2000).map(one).collect()
        };
        (0..12).map(judge).collect()
    }

    #[test]
    fn what_is_calibrated_already_stays() {
        let found = Calibration::new(&judges(0.5_f64.sqrt(), 1.0), 12, Reach::NORMAL);
        let few = Calibration::NONE.of_few(12.0).epistemic;
        assert!((found.epistemic - few).abs() < 1e-9 && (found.total - 1.0).abs() < 0.1);
    }

    #[test]
    fn the_part_that_differs_between_judges_as_their_errors_do_is_the_one_that_is_scaled() {
        let judge = |i: u64| {
            let mut rng = stream(2, Purpose::Realization, i, 0);
            let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
            let epistemic = if i.is_multiple_of(2) { 0.1 } else { 10.0 };
            let one = |_| Deviation {
                value: normal() + (4.0 * epistemic).sqrt() * normal(),
                aleatoric: 1.0,
                epistemic,
            };
            (0..2000).map(one).collect()
        };
        let judges: Vec<Vec<Deviation>> = (0..12).map(judge).collect();
        let found = Calibration::new(&judges, 1000, Reach::NORMAL);
        assert!((found.epistemic - 4.0).abs() < 0.1 && (found.total - 1.0).abs() < 0.1, "{found:?}");
    }

    #[test]
    fn few_judges_ask_for_students_quantile() {
        for (judges, quantile) in [(2.0, 2.92), (5.0, 2.015), (10.0, 1.812), (30.0, 1.697)] {
            let factor = Calibration::NONE.of_few(judges).epistemic.sqrt();
            assert!(
                (factor * 1.645 / quantile - 1.0).abs() < 0.03,
                "{judges}: {factor}"
            );
        }
    }

    #[test]
    fn the_reach_follows_the_shape_of_the_law() {
        let mut two_modes: Vec<f64> = (0..100).map(|k| if k < 25 { -1.7 } else { 0.6 }).collect();
        let reach = Reach::of(&mut two_modes, 20);
        assert_eq!((reach.down, reach.up), (1.7, 0.6));
        assert_eq!(Reach::of(&mut two_modes, 5), Reach::NORMAL);
    }

    #[test]
    fn judges_that_differ_ask_for_more_than_their_pooled_quantile() {
        let table = vec![vec![0.5, 0.9, 0.95, 1.0], vec![0.9, 0.95, 1.0, 1.0]];
        assert!(level(&table, 2.0) > 0.9);
    }
}
