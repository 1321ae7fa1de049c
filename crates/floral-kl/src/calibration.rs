//! Calibration: factors that make intervals hold as many realizations of new inputs as they say.
//!
//! Conformal prediction with one group of exchangeable values an input: the factor is such that each
//! judging input is covered on average by the factor that the others ask for.

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

/// The epistemic part is scaled between these before both parts are.
const EPISTEMIC: [f64; 2] = [0.25, 16.0];

/// Steps of each part of the path from narrow to wide intervals.
const STEPS: usize = 40;

/// Both parts together are scaled between the inverse of this and this.
const MOST: f64 = 30.0;

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

    /// From the deviations of each judging input's realizations, by intervals that reach so far.
    pub(super) fn new(judges: &[Vec<Deviation>], reach: Reach) -> Self {
        let path = path();
        // A judge of which everything is exact has nothing to say.
        let says = |judge: &&Vec<Deviation>| judge.iter().any(|d| d.value != 0.0);
        let table: Vec<Vec<f64>> = judges
            .iter()
            .filter(says)
            .map(|judge| path.iter().map(|step| step.covered(judge, reach)).collect())
            .collect();
        if table.is_empty() {
            return Self::NONE;
        }
        at(&path, reached(&table, None, level(&table)))
    }

    /// The same with more of the epistemic part where so few independent judges asked for it: about
    /// the square of Student's 95 % quantile with as many degrees of freedom over the normal one.
    pub(super) fn of_few(self, judges: usize) -> Self {
        let n = judges.max(1) as f64;
        Self {
            epistemic: self.epistemic * (1.0 + 2.0 / n + 4.6 / (n * n)),
            ..self
        }
    }

    /// The share of values inside the interval.
    fn covered(&self, values: &[Deviation], reach: Reach) -> f64 {
        let inside = |deviation: &&Deviation| {
            let variance = deviation.aleatoric + self.epistemic * deviation.epistemic;
            let unit = (self.total * variance).sqrt();
            (-reach.down * unit..=reach.up * unit).contains(&deviation.value)
        };
        values.iter().filter(inside).count() as f64 / values.len() as f64
    }
}

/// From narrow to wide: both parts, then the epistemic one, then both again.
fn path() -> Vec<Calibration> {
    let geometric = |from: f64, to: f64| {
        (0..STEPS).map(move |k| from * (to / from).powf(k as f64 / STEPS as f64))
    };
    let [low, high] = EPISTEMIC;
    let both = |epistemic| move |total| Calibration { epistemic, total };
    let narrow = geometric(1.0 / MOST, 1.0).map(both(low));
    let middle = geometric(low, high).map(|epistemic| Calibration {
        epistemic,
        total: 1.0,
    });
    let wide = geometric(1.0, MOST).map(both(high));
    narrow.chain(middle).chain(wide).collect()
}

/// The level to ask of all judges, so that each is covered as it should be by what the others ask.
fn level(table: &[Vec<f64>]) -> f64 {
    if table.len() < 2 {
        return COVERAGE;
    }
    let covered = |level: f64| {
        let one = |i: usize| interpolated(&table[i], reached(table, Some(i), level));
        (0..table.len()).map(one).sum::<f64>() / table.len() as f64
    };
    let (mut low, mut high) = (0.5, 0.999);
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (low + high);
        if covered(middle) < COVERAGE {
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

fn at(path: &[Calibration], place: f64) -> Calibration {
    let k = (place as usize).min(path.len() - 2);
    let between = |a: f64, b: f64| a * (b / a).powf(place - k as f64);
    Calibration {
        epistemic: between(path[k].epistemic, path[k + 1].epistemic),
        total: between(path[k].total, path[k + 1].total),
    }
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
        let found = Calibration::new(&judges(0.5_f64.sqrt(), 1.0), Reach::NORMAL);
        assert!((found.epistemic - 1.0).abs() < 0.2, "{found:?}");
        assert_eq!(found.total, 1.0);
    }

    #[test]
    fn errors_are_explained_by_the_epistemic_part_first_and_by_both_if_that_is_not_enough() {
        let found = Calibration::new(&judges(2.0_f64.sqrt(), 1.0), Reach::NORMAL);
        assert!(
            (found.epistemic - 4.0).abs() < 0.6 && found.total == 1.0,
            "{found:?}"
        );
        let found = Calibration::new(&judges(0.0, 6.0), Reach::NORMAL);
        assert!(
            found.epistemic == EPISTEMIC[1] && (found.total - 4.0).abs() < 0.5,
            "{found:?}"
        );
        let found = Calibration::new(&judges(0.0, 0.5), Reach::NORMAL);
        assert!(
            found.epistemic == EPISTEMIC[0] && found.total < 0.3,
            "{found:?}"
        );
    }

    #[test]
    fn few_judges_ask_for_students_quantile() {
        for (judges, quantile) in [(2, 2.92), (5, 2.015), (10, 1.812), (30, 1.697)] {
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
        assert!(level(&table) > 0.9);
    }
}
