//! Calibration of a quantity: the factor by which its deviations from the median must grow for
//! intervals to reach their nominal coverage.

use crate::distribution::{median, quantile_of};
use crate::error::{Error, Result};

/// Number of independent values that count against narrowing an interval: the logarithm of a factor
/// below 1 is shrunk by n / (n + `CAUTION`), because intervals that are too narrow do more harm than
/// wide ones.
const CAUTION: f64 = 20.0;

/// Largest share of equal draws of a quantity that can be stretched, and the least number of them that
/// counts.
const MOST_TIES: f64 = 0.05;
const FEWEST_TIES: usize = 3;

/// An input that judges the calibration: draws predicted without its data, and observed values.
#[derive(Debug, Clone, Copy)]
pub struct Judged<'a> {
    /// Draws of the quantity, in any order.
    pub draws: &'a [f64],
    /// Observed values of the quantity, one per realization of the solver.
    pub observed: &'a [f64],
}

/// A factor that stretches deviations about the median, so that intervals reach their nominal
/// coverage.
///
/// With the median M and the ends L < U of the central interval of the draws, an observed value y
/// has the score
///
/// ```text
/// r = (y - M) / (U - M)  if y >= M,  else  (M - y) / (M - L),
/// ```
///
/// and the stretched interval contains it if and only if r <= factor. The factor is the quantile of
/// the scores at the level c (1 + 1 / n) for coverage c: split conformal prediction (Vovk,
/// Gammerman & Shafer 2005; Lei et al. 2018), here with a score in units of the draws' own spread.
/// With one observed value per input, n is the number of inputs, and the interval of a new input
/// then covers with probability at least c. If predictions are out-of-fold, each is made by a
/// slightly different model, as in the jackknife+ (Barber et al. 2021), which guarantees 1 - 2 (1 -
/// c) and in practice covers about c.
///
/// A factor below 1 is drawn towards 1 if few values support it.
///
/// Each input has the same total weight, whatever its number of observed values; values of one
/// input are correlated. Let rho be the correlation, within inputs, of whether a value is covered.
/// Then N values in J inputs have the precision of n = N / (1 + (N / J - 1) rho) independent ones
/// (Kish 1965), at least J and at most N; for a single input, n = 1.
///
/// Only a continuous quantity can be stretched. A condition, a share that is often 0 or a place on the
/// grid takes single values with positive probability: stretching would move these values and leave
/// their probability as it is. Such a quantity is refused, and draws with ties stay as they are.
///
/// ```
/// use floral_quantities::{Calibration, Judged};
/// let draws: Vec<f64> = (0..99).map(f64::from).collect();
/// let observed: Vec<f64> = (0..99).map(|y| 2.0 * f64::from(y) - 49.0).collect();
/// let judged = [Judged { draws: &draws, observed: &observed }; 4];
/// let calibration = Calibration::fit(&judged, 0.9)?;
/// assert!((calibration.factor - 2.0).abs() < 0.1);
/// # Ok::<(), floral_quantities::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calibration {
    /// The factor of deviations from the median.
    pub factor: f64,
    /// The nominal coverage for which it was chosen.
    pub coverage: f64,
    /// Coverage of the observed values before stretching, averaged over inputs.
    pub covered: f64,
    /// Number of independent observed values with the same precision.
    pub effective_count: f64,
    /// Whether there are enough of them, c (1 + 1 / n) <= 1; otherwise the factor is the largest
    /// score, but at least 1, and intervals may cover less.
    pub is_sufficient: bool,
}

impl Calibration {
    /// The factor for central intervals of this coverage, such as 0.9.
    pub fn fit(judged: &[Judged], coverage: f64) -> Result<Self> {
        check(judged, coverage)?;
        if judged.iter().any(|input| has_ties(&sorted(input.draws))) {
            return Err(Error::config(
                "calibration",
                "many draws are equal, as those of a condition, a share or a place are; there is no spread to stretch",
            ));
        }
        let scores: Vec<Vec<f64>> = judged.iter().map(|input| scores(input, coverage)).collect();
        let effective_count = effective_count(&scores, weighted_quantile(&scores, coverage));
        let level = coverage * (1.0 + 1.0 / effective_count);
        let score = weighted_quantile(&scores, level.min(1.0));
        // Nine values suffice for 90 %, where the level is 1 up to rounding.
        let is_sufficient = level <= 1.0 + 1e-9;
        // Too few values must not narrow an interval, and more values narrow it with caution.
        let factor = match is_sufficient {
            true if score < 1.0 => score.powf(effective_count / (effective_count + CAUTION)),
            true => score,
            false => score.max(1.0),
        };
        if !factor.is_finite() {
            return Err(Error::config(
                "calibration",
                "all draws of an input are equal but differ from its observed values, so no factor can widen them; \
                 predict with more than one draw, or do not calibrate this quantity",
            ));
        }
        Ok(Self {
            factor,
            coverage,
            covered: share_within(&scores, 1.0),
            effective_count,
            is_sufficient,
        })
    }

    /// Stretches draws about their median M: x becomes M + factor (x - M). The caller clips them to
    /// the bounds of the quantity, [`crate::Quantity::bounds`].
    pub fn stretch(&self, draws: &mut [f64]) {
        let sorted = sorted(draws);
        if sorted.is_empty() || has_ties(&sorted) {
            return;
        }
        let centre = median(&sorted);
        for draw in draws {
            *draw = centre + self.factor * (*draw - centre);
        }
    }
}

fn check(judged: &[Judged], coverage: f64) -> Result<()> {
    let refuse = |reason: String| Err(Error::config("calibration", reason));
    if !(coverage > 0.0 && coverage < 1.0) {
        return refuse(format!("the coverage {coverage} must lie between 0 and 1"));
    }
    if judged.is_empty() {
        return refuse("there are no judging inputs; give at least one".into());
    }
    // The outermost draws have probability 1 / (n + 1) and n / (n + 1); the interval must end
    // within.
    let needed = (2.0 / (1.0 - coverage) - 1.0 - 1e-9).ceil() as usize;
    for (index, input) in judged.iter().enumerate() {
        if input.draws.len() < needed {
            let count = input.draws.len();
            return refuse(format!(
                "judging input {index} has {count} draws; take at least {needed}"
            ));
        }
        if input.observed.is_empty() {
            return refuse(format!(
                "judging input {index} has no observed values; leave it out"
            ));
        }
        if input
            .draws
            .iter()
            .chain(input.observed)
            .any(|value| !value.is_finite())
        {
            return refuse(format!(
                "judging input {index} has values that are not finite; leave it out"
            ));
        }
    }
    Ok(())
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// Whether many of the sorted draws are equal, and not all of them.
fn has_ties(sorted: &[f64]) -> bool {
    let most = (MOST_TIES * sorted.len() as f64).ceil() as usize;
    let count = most.max(FEWEST_TIES);
    let varies = sorted.first() != sorted.last();
    varies
        && sorted
            .windows(count)
            .any(|draws| draws[0] == draws[count - 1])
}

/// The scores of the observed values of one input.
fn scores(input: &Judged, coverage: f64) -> Vec<f64> {
    let draws = sorted(input.draws);
    let centre = median(&draws);
    let end = |level| (quantile_of(&draws, level) - centre).abs();
    let (below, above) = (end((1.0 - coverage) / 2.0), end((1.0 + coverage) / 2.0));
    let score = |y: &f64| match y - centre {
        0.0 => 0.0,
        deviation if deviation > 0.0 => deviation / above,
        deviation => -deviation / below,
    };
    input.observed.iter().map(score).collect()
}

/// The smallest score at which the cumulative share of scores reaches this level; each input has
/// the same weight.
fn weighted_quantile(scores: &[Vec<f64>], level: f64) -> f64 {
    let weighted = |input: &Vec<f64>| {
        let weight = 1.0 / (input.len() * scores.len()) as f64;
        input
            .iter()
            .map(move |score| (*score, weight))
            .collect::<Vec<_>>()
    };
    let mut pairs: Vec<(f64, f64)> = scores.iter().flat_map(weighted).collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut reached = 0.0;
    for (score, weight) in &pairs {
        reached += weight;
        if reached >= level - 1e-9 {
            return *score;
        }
    }
    pairs.last().map_or(1.0, |(score, _)| *score)
}

/// The share of scores up to a bound; each input has the same weight.
fn share_within(scores: &[Vec<f64>], bound: f64) -> f64 {
    let share = |input: &Vec<f64>| {
        input.iter().filter(|score| **score <= bound).count() as f64 / input.len() as f64
    };
    scores.iter().map(share).sum::<f64>() / scores.len() as f64
}

/// The number of independent values with the same precision, by Kish's design effect. The
/// correlation within inputs comes from an analysis of variance of the indicator that a score
/// exceeds the bound.
fn effective_count(scores: &[Vec<f64>], bound: f64) -> f64 {
    let inputs = scores.len() as f64;
    let count = scores.iter().map(Vec::len).sum::<usize>() as f64;
    // With one input the correlation cannot be estimated; with one value per input there is none.
    if scores.len() < 2 || count <= inputs {
        return inputs;
    }
    let shares: Vec<f64> = scores
        .iter()
        .map(|input| share_within(std::slice::from_ref(input), bound))
        .collect();
    let mean = shares.iter().sum::<f64>() / inputs;
    let sizes = scores.iter().map(|input| input.len() as f64);
    let pairs = || shares.iter().zip(sizes.clone());
    let between = pairs()
        .map(|(share, m)| m * (share - mean).powi(2))
        .sum::<f64>()
        / (inputs - 1.0);
    let within = pairs()
        .map(|(share, m)| m * share * (1.0 - share))
        .sum::<f64>()
        / (count - inputs);
    let m = count / inputs;
    let total = between + (m - 1.0) * within;
    let rho = if total > 0.0 {
        ((between - within) / total).clamp(0.0, 1.0)
    } else {
        0.0
    };
    count / (1.0 + (m - 1.0) * rho)
}
