//! Calibration: factors with which intervals reach their nominal coverage on new inputs.
//!
//! Conformal scores with one group of exchangeable values per input (Dunn, Wasserman & Ramdas, J.
//! Am. Stat. Assoc. 118, 2023): the squares d^2 / (a + c e) of deviations d of realizations from a
//! mean predicted without them, with the predicted aleatoric and epistemic variances a and e. An
//! interval covers the values whose score is below t times the square of its reach. The factors c
//! and t bring the coverage of the judging inputs closest to nominal, for each input and on
//! average: with a quantile of pooled scores, easy inputs would compensate for hard ones.

use serde::{Deserialize, Serialize};

use super::law::LawKind;
use super::unknown::STUDENT_VARIANCE;

/// Nominal coverage of the calibrated intervals.
const COVERAGE: f64 = 0.9;

/// Minimum number of runs of an input from which the shape of their law can be estimated.
const FEWEST_RUNS: usize = 12;

/// How far, in standard deviations, an interval of nominal coverage reaches down and up from the
/// mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Reach {
    down: f64,
    up: f64,
}

impl Reach {
    /// The reach of a normal distribution.
    pub(super) const NORMAL: Self = Self {
        down: 1.644_853_6,
        up: 1.644_853_6,
    };

    /// The reach of runs, [input][run] at many points, each in deviations of its own input; with
    /// few runs per input, the reach of a normal distribution.
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

/// Exponents, in half steps of a power of two, of the candidate factors for the epistemic variance.
const EPISTEMIC: std::ops::RangeInclusive<i32> = -4..=8;

/// The factor of both variances together lies between 1 / `MOST` and `MOST`, in `STEPS` logarithmic
/// steps; the middle one is 1.
const MOST: f64 = 30.0;
const STEPS: usize = 120;

/// Penalties of the squared logarithms of the total and of the epistemic factor, relative to a
/// judging input's squared error of coverage: few judging inputs do not move the factors far from
/// 1.
const COSTS: [f64; 2] = [0.15, 0.0025];

/// Losses that differ by less are equivalent: twice the square of 0.05, the error of coverage by
/// chance.
const WIDTH: f64 = 0.005;

/// Weight of the squared error of the mean coverage, relative to that of each judging input.
const MEAN: f64 = 0.5;

/// Values whose variance is below this share of their input's mean count less: where hardly
/// anything varies, any interval covers.
const SMALL: f64 = 0.1;

/// Factors by which predicted variances are calibrated.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Calibration {
    /// Factor of the epistemic variance.
    pub epistemic: f64,
    /// Factor of both variances together.
    pub total: f64,
}

/// A deviation of a realization from the predicted mean, with both predicted variances.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deviation {
    pub value: f64,
    pub aleatoric: f64,
    pub epistemic: f64,
    /// Quadrature weight of its point, normalised to mean 1.
    pub weight: f64,
}

impl Calibration {
    /// Factors that leave variances unchanged.
    pub(super) const NONE: Self = Self {
        epistemic: 1.0,
        total: 1.0,
    };

    /// Factors from the deviations of each judging input's realizations, for intervals of this
    /// reach. `independent` is the number of statistically independent judging inputs. The
    /// epistemic factor is for the variance of a law of this kind.
    pub(super) fn new(
        judges: &[Vec<Deviation>],
        independent: usize,
        reach: Reach,
        kind: LawKind,
    ) -> Self {
        // An input that is predicted exactly carries no information about calibration.
        let says = |judge: &&Vec<Deviation>| judge.iter().any(|d| d.value != 0.0);
        let judges: Vec<&Vec<Deviation>> = judges.iter().filter(says).collect();
        if judges.is_empty() {
            return Self::NONE;
        }
        let independent = independent.max(1) as f64;
        let tried = EPISTEMIC.flat_map(|half| {
            let epistemic = (0.5 * f64::from(half)).exp2();
            let row = |judge: &&Vec<Deviation>| coverages(judge, epistemic, reach);
            let table: Vec<Vec<f64>> = judges.iter().map(row).collect();
            (0..=STEPS).map(move |step| {
                let total = total(step);
                let factors = Self { epistemic, total };
                (independent * misses(&table, step) + factors.cost(), factors)
            })
        });
        Self::averaged(&tried.collect::<Vec<(f64, Self)>>()).of_few(independent, kind)
    }

    /// The mean of the logarithms of factors, weighted by exp(-loss / [`WIDTH`]): the best point of
    /// a grid would jump when data hardly change.
    fn averaged(tried: &[(f64, Self)]) -> Self {
        let least = tried
            .iter()
            .map(|(loss, _)| *loss)
            .fold(f64::INFINITY, f64::min);
        let weight = |loss: f64| (-(loss - least) / WIDTH).exp();
        let sum: f64 = tried.iter().map(|(loss, _)| weight(*loss)).sum();
        let mean = |of: fn(&Self) -> f64| {
            let parts = tried.iter().map(|(loss, f)| weight(*loss) * of(f).ln());
            (parts.sum::<f64>() / sum).exp()
        };
        Self {
            epistemic: mean(|f| f.epistemic),
            total: mean(|f| f.total),
        }
    }

    fn cost(&self) -> f64 {
        COSTS[0] * self.total.ln().powi(2) + COSTS[1] * self.epistemic.ln().powi(2)
    }

    /// Increases the epistemic factor for few independent judging inputs, by about the squared
    /// ratio of Student's 95 % quantile, with one degree of freedom per input, to the normal one.
    /// If the epistemic part itself follows Student's law, the increase is at least the variance of
    /// that law over the square of its scale.
    fn of_few(self, judges: f64, kind: LawKind) -> Self {
        let least = match kind {
            LawKind::Resampled => STUDENT_VARIANCE,
            LawKind::Normal => 1.0,
        };
        let few = 1.0 + 2.0 / judges + 4.6 / (judges * judges);
        Self {
            epistemic: self.epistemic * few.max(least),
            ..self
        }
    }
}

/// The total factor of a step from narrow to wide.
fn total(step: usize) -> f64 {
    MOST.powf(2.0 * step as f64 / STEPS as f64 - 1.0)
}

/// The mean squared error of coverage at a step, plus the weighted squared error of the mean
/// coverage.
fn misses(table: &[Vec<f64>], step: usize) -> f64 {
    let count = table.len() as f64;
    let miss = |row: &Vec<f64>| row[step] - COVERAGE;
    let mean = table.iter().map(miss).sum::<f64>() / count;
    let squares = table.iter().map(|row| miss(row).powi(2)).sum::<f64>() / count;
    squares + MEAN * mean * mean
}

/// The share of an input's values that the interval covers at each step.
fn coverages(values: &[Deviation], epistemic: f64, reach: Reach) -> Vec<f64> {
    let variance = |d: &Deviation| d.aleatoric + d.epistemic;
    let (count, sum) = values.iter().fold((0.0, 0.0), |(count, sum), d| {
        (count + d.weight, sum + d.weight * variance(d))
    });
    let small = SMALL * sum / count;
    let mut weights = vec![0.0; STEPS + 2];
    for deviation in values {
        let unit = match deviation.value < 0.0 {
            true => reach.down,
            false => reach.up,
        };
        let own = deviation.aleatoric + epistemic * deviation.epistemic;
        let needed = (deviation.value / unit).powi(2) / own.max(f64::MIN_POSITIVE);
        let step = 0.5 * STEPS as f64 * (1.0 + needed.ln() / MOST.ln());
        let variance = variance(deviation).max(f64::MIN_POSITIVE);
        weights[step.ceil().clamp(0.0, STEPS as f64 + 1.0) as usize] +=
            deviation.weight * variance / (variance + small);
    }
    let all: f64 = weights.iter().sum();
    let cumulated = weights.iter().take(STEPS + 1).scan(0.0, |sum, weight| {
        *sum += weight;
        Some(*sum / all)
    });
    cumulated.collect()
}

#[cfg(test)]
mod tests {
    use rand_distr::{Distribution, StandardNormal};

    use super::*;
    use crate::testing::{Purpose, stream};

    /// Judging inputs whose means are off by `error` deviations and whose values vary by `spread`.
    fn judges(error: f64, spread: f64) -> Vec<Vec<Deviation>> {
        let judge = |i| {
            let mut rng = stream(1, Purpose::Realization, i, 0);
            let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
            let one = |_| Deviation {
                value: error * normal() + spread * normal(),
                aleatoric: 1.0,
                epistemic: 0.5,
                weight: 1.0,
            };
            (0..2000).map(one).collect()
        };
        (0..12).map(judge).collect()
    }

    #[test]
    fn what_is_calibrated_already_stays() {
        let found = Calibration::new(
            &judges(0.5_f64.sqrt(), 1.0),
            12,
            Reach::NORMAL,
            LawKind::Normal,
        );
        let few = Calibration::NONE.of_few(12.0, LawKind::Normal).epistemic;
        assert!(
            (0.7..1.5).contains(&(found.epistemic / few)) && (found.total - 1.0).abs() < 0.1,
            "{found:?}"
        );
    }

    #[test]
    fn the_part_that_differs_between_judges_as_their_errors_do_is_the_one_that_is_scaled() {
        let judge = |i: u64| {
            let mut rng = stream(2, Purpose::Realization, i, 0);
            let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
            let epistemic: f64 = if i.is_multiple_of(2) { 0.1 } else { 10.0 };
            let one = |_| Deviation {
                value: normal() + (4.0 * epistemic).sqrt() * normal(),
                aleatoric: 1.0,
                epistemic,
                weight: 1.0,
            };
            (0..2000).map(one).collect()
        };
        let judges: Vec<Vec<Deviation>> = (0..12).map(judge).collect();
        let found = Calibration::new(&judges, 1000, Reach::NORMAL, LawKind::Normal);
        assert!(
            (found.epistemic - 4.0).abs() < 0.1 && (found.total - 1.0).abs() < 0.1,
            "{found:?}"
        );
    }

    #[test]
    fn few_judges_ask_for_students_quantile() {
        for (judges, quantile) in [(2.0, 2.92), (5.0, 2.015), (10.0, 1.812), (30.0, 1.697)] {
            let normal = Calibration::NONE.of_few(judges, LawKind::Normal);
            let factor = normal.epistemic.sqrt();
            assert!(
                (factor * 1.645 / quantile - 1.0).abs() < 0.03,
                "{judges}: {factor}"
            );
        }
        let student = |judges| {
            Calibration::NONE
                .of_few(judges, LawKind::Resampled)
                .epistemic
        };
        assert_eq!(student(30.0), STUDENT_VARIANCE);
        assert!(student(2.0) > STUDENT_VARIANCE);
    }

    #[test]
    fn the_reach_follows_the_shape_of_the_law() {
        let mut two_modes: Vec<f64> = (0..100).map(|k| if k < 25 { -1.7 } else { 0.6 }).collect();
        let reach = Reach::of(&mut two_modes, 20);
        assert_eq!((reach.down, reach.up), (1.7, 0.6));
        assert_eq!(Reach::of(&mut two_modes, 5), Reach::NORMAL);
    }

    #[test]
    fn places_where_hardly_anything_varies_do_not_narrow_intervals_elsewhere() {
        let mut all = judges(0.5_f64.sqrt(), 1.0);
        let dead = Deviation {
            value: 1e-9,
            aleatoric: 1e-4,
            epistemic: 0.0,
            weight: 1.0,
        };
        all.iter_mut().for_each(|judge| judge.extend([dead; 1000]));
        let found = Calibration::new(&all, 12, Reach::NORMAL, LawKind::Normal);
        assert!((found.total - 1.0).abs() < 0.1, "{found:?}");
    }
}
