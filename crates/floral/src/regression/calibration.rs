//! Calibration: factors that make intervals hold as many realizations of new inputs as they say.
//!
//! Conformal prediction with one group of exchangeable values an input: the factor is such that each
//! judging input is covered on average by the factor that the others ask for.

use serde::{Deserialize, Serialize};

/// What intervals are calibrated to hold.
const COVERAGE: f64 = 0.9;

/// Half the width, in deviations, of a Gaussian interval that holds that much.
const HALF_WIDTH: f64 = 1.644_853_6;

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

/// A squared deviation of a realization from the predicted mean, with both predicted variances.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deviation {
    pub square: f64,
    pub aleatoric: f64,
    pub epistemic: f64,
}

impl Calibration {
    /// From the deviations of each judging input's realizations.
    pub(super) fn new(judges: &[Vec<Deviation>]) -> Self {
        let path = path();
        let table: Vec<Vec<f64>> = judges
            .iter()
            .filter(|judge| !judge.is_empty())
            .map(|judge| path.iter().map(|step| step.covered(judge)).collect())
            .collect();
        if table.is_empty() {
            return Self {
                epistemic: 1.0,
                total: 1.0,
            };
        }
        at(&path, reached(&table, None, level(&table)))
    }

    /// The share of values inside the interval.
    fn covered(&self, values: &[Deviation]) -> f64 {
        let inside = |value: &&Deviation| {
            let variance = self.total * (value.aleatoric + self.epistemic * value.epistemic);
            value.square <= HALF_WIDTH * HALF_WIDTH * variance
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
    use crate::random::{Purpose, stream};

    /// Judges whose means are off by `error` deviations and whose values vary by `spread`.
    fn judges(error: f64, spread: f64) -> Vec<Vec<Deviation>> {
        let judge = |i| {
            let mut rng = stream(1, Purpose::Realization, i, 0);
            let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
            let one = |_| Deviation {
                square: (error * normal() + spread * normal()).powi(2),
                aleatoric: 1.0,
                epistemic: 0.5,
            };
            (0..2000).map(one).collect()
        };
        (0..12).map(judge).collect()
    }

    #[test]
    fn what_is_calibrated_already_stays() {
        let found = Calibration::new(&judges(0.5_f64.sqrt(), 1.0));
        assert!((found.epistemic - 1.0).abs() < 0.2, "{found:?}");
        assert_eq!(found.total, 1.0);
    }

    #[test]
    fn errors_are_explained_by_ignorance_first_and_by_both_if_that_is_not_enough() {
        let found = Calibration::new(&judges(2.0_f64.sqrt(), 1.0));
        assert!(
            (found.epistemic - 4.0).abs() < 0.6 && found.total == 1.0,
            "{found:?}"
        );
        let found = Calibration::new(&judges(0.0, 6.0));
        assert!(
            found.epistemic == EPISTEMIC[1] && (found.total - 4.0).abs() < 0.5,
            "{found:?}"
        );
        let found = Calibration::new(&judges(0.0, 0.5));
        assert!(
            found.epistemic == EPISTEMIC[0] && found.total < 0.3,
            "{found:?}"
        );
    }

    #[test]
    fn judges_that_differ_ask_for_more_than_their_pooled_quantile() {
        let table = vec![vec![0.5, 0.9, 0.95, 1.0], vec![0.9, 0.95, 1.0, 1.0]];
        assert!(level(&table) > 0.9);
    }
}
