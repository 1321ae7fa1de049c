//! First-order and total Sobol indices of a stochastic output.
//!
//! An output Y(x, w) at the input x has its own random part w. The indices are those of its
//! conditional mean f(x) = E[Y | x], which is known only from a few realizations Y_r at each point:
//!
//! ```text
//! S_i = Var(E[f | x_i]) / Var(f),   T_i = E[Var(f | all but x_i)] / Var(f).
//! ```
//!
//! Products f(x) f(x') are estimated by the mean of Y_r(x) Y_s(x') over all pairs of *different*
//! realizations r and s, so that noise adds variance but no bias: E[Y_r Y_s] = f f' if Y_r and Y_s
//! are independent. Realizations of the same index r may share their random numbers at all points
//! of a row, which makes differences less noisy.
//!
//! Estimators, with the points a, b and a_i of [`Design`](crate::design::Design) and V = Var(f):
//!
//! ```text
//! S_i = Cov(f(b), f(a_i) - c f(a)) / V,   c = 1 - T_i;   T_i = mean (f(a) - f(a_i))^2 / (2 V).
//! ```
//!
//! a and b are independent, so that c f(a) changes no mean; it removes most variance if c is the
//! correlation of f(a) and f(a_i), which is 1 - T_i. With c = 0 this is the estimator of Janon et
//! al., ESAIM Probability and Statistics 18 (2014), whose centring by the common mean of both
//! points is used; with c = 1 it is that of Saltelli et al., Computer Physics Communications 181
//! (2010). T_i is the estimator of Jansen, Computer Physics Communications 117 (1999).

use crate::design::Row;
use crate::{Error, Result};

/// Sums over the rows of a block, from which indices are computed.
#[derive(Debug, Clone, PartialEq)]
pub struct Sums {
    /// Number of rows so far.
    rows: f64,
    realizations: usize,
    /// Sums over b and a_i, for each parameter.
    pairs: Vec<Pair>,
    /// Sums over a and b.
    own: Pair,
    /// For each parameter, the sum of (f(a) - f(a_i))^2 / 2.
    jansen: Vec<f64>,
}

/// Sums over two points that have the same distribution.
#[derive(Debug, Clone, PartialEq)]
struct Pair {
    product: f64,
    square: f64,
    /// For each realization, the sum over rows of the mean of both points.
    means: Vec<f64>,
}

impl Pair {
    fn none(realizations: usize) -> Self {
        Self {
            product: 0.0,
            square: 0.0,
            means: vec![0.0; realizations],
        }
    }

    fn add(&mut self, one: &[f64], other: &[f64]) {
        self.product += product(one, other);
        self.square += 0.5 * (product(one, one) + product(other, other));
        for ((mean, a), b) in self.means.iter_mut().zip(one).zip(other) {
            *mean += 0.5 * (a + b);
        }
    }

    fn plus(&mut self, other: &Self, times: f64) {
        self.product += times * other.product;
        self.square += times * other.square;
        for (mean, more) in self.means.iter_mut().zip(&other.means) {
            *mean += times * more;
        }
    }

    /// The covariance of the two points, and their variance.
    fn moments(&self, rows: f64) -> [f64; 2] {
        let means: Vec<f64> = self.means.iter().map(|m| m / rows).collect();
        let centre = product(&means, &means);
        [self.product / rows - centre, self.square / rows - centre]
    }
}

/// The mean of x_r y_s over pairs of different realizations; x y for single values, which have no
/// noise.
fn product(x: &[f64], y: &[f64]) -> f64 {
    if let ([x], [y]) = (x, y) {
        return x * y;
    }
    let n = x.len() as f64;
    let (all, other): (f64, f64) = (x.iter().sum(), y.iter().sum());
    let same: f64 = x.iter().zip(y).map(|(x, y)| x * y).sum();
    (all * other - same) / (n * (n - 1.0))
}

impl Sums {
    /// Empty sums, for this number of parameters and of realizations at each point (1 for an output
    /// without noise).
    pub fn new(parameters: usize, realizations: usize) -> Self {
        Self {
            rows: 0.0,
            realizations,
            pairs: vec![Pair::none(realizations); parameters],
            own: Pair::none(realizations),
            jansen: vec![0.0; parameters],
        }
    }

    /// Adds a row: the realizations at each of its points. Values far from zero lose digits;
    /// subtract a typical value from all of them.
    pub fn add(&mut self, row: &Row<Vec<f64>>) {
        self.rows += 1.0;
        self.own.add(&row.a, &row.b);
        for (i, mixed) in row.mixed.iter().enumerate() {
            self.pairs[i].add(&row.b, mixed);
            let differences: Vec<f64> = row.a.iter().zip(mixed).map(|(a, m)| a - m).collect();
            self.jansen[i] += 0.5 * product(&differences, &differences);
        }
    }

    fn plus(&mut self, other: &Self, times: f64) {
        self.rows += times * other.rows;
        self.own.plus(&other.own, times);
        for (i, pair) in other.pairs.iter().enumerate() {
            self.pairs[i].plus(pair, times);
            self.jansen[i] += times * other.jansen[i];
        }
    }

    /// First-order and total indices, and the variance.
    fn estimates(&self) -> Estimates {
        let [across, variance] = self.own.moments(self.rows);
        let total = |sum: &f64| share(sum / self.rows, variance);
        let total: Vec<f64> = self.jansen.iter().map(total).collect();
        let first = |(pair, total): (&Pair, &f64)| {
            let [covariance, variance] = pair.moments(self.rows);
            let c = (1.0 - total).clamp(0.0, 1.0);
            share(covariance - c * across, variance)
        };
        Estimates {
            first: self.pairs.iter().zip(&total).map(first).collect(),
            total,
            variance,
        }
    }
}

fn share(part: f64, variance: f64) -> f64 {
    if variance > 0.0 {
        part / variance
    } else {
        f64::NAN
    }
}

struct Estimates {
    first: Vec<f64>,
    total: Vec<f64>,
    variance: f64,
}

/// An estimate from blocks, with the standard error due to the design.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Blocked {
    /// The estimate from all blocks; NaN if the output does not vary with its input beyond its
    /// noise.
    pub value: f64,
    /// Its standard error, by the jackknife over blocks.
    pub standard_error: f64,
}

/// Indices of an output.
#[derive(Debug, Clone, PartialEq)]
pub struct Indices {
    /// First-order indices: the share of Var(f) that would vanish on average if the parameter were
    /// known.
    pub first: Vec<Blocked>,
    /// Total indices: the share that would remain if all other parameters were known.
    pub total: Vec<Blocked>,
    /// The variance of the conditional mean over inputs.
    pub variance: Blocked,
    /// Degrees of freedom of the standard errors.
    pub freedom: f64,
}

/// The indices from the sums of independent blocks.
pub fn indices(blocks: &[Sums]) -> Result<Indices> {
    let count = blocks.len();
    if count < 2 || blocks.iter().any(|block| block.rows == 0.0) {
        return Err(Error::new(
            "indices",
            "at least two blocks with rows are needed",
        ));
    }
    let mut all = Sums::new(blocks[0].pairs.len(), blocks[0].realizations);
    blocks.iter().for_each(|block| all.plus(block, 1.0));
    let without = |block: &Sums| {
        let mut rest = all.clone();
        rest.plus(block, -1.0);
        rest.estimates()
    };
    let rest: Vec<Estimates> = blocks.iter().map(without).collect();
    let whole = all.estimates();
    let of = |value: f64, part: &dyn Fn(&Estimates) -> f64| {
        let parts: Vec<f64> = rest.iter().map(part).collect();
        Blocked {
            value,
            standard_error: jackknife(&parts),
        }
    };
    let each = |values: &[f64], part: fn(&Estimates) -> &Vec<f64>| {
        let one = |(i, value): (usize, &f64)| of(*value, &|rest| part(rest)[i]);
        values.iter().enumerate().map(one).collect()
    };
    Ok(Indices {
        first: each(&whole.first, |e| &e.first),
        total: each(&whole.total, |e| &e.total),
        variance: of(whole.variance, &|e| e.variance),
        freedom: count as f64 - 1.0,
    })
}

/// The standard error from estimates with one block left out: Efron & Stein (1981).
pub(crate) fn jackknife(parts: &[f64]) -> f64 {
    let n = parts.len() as f64;
    let mean = parts.iter().sum::<f64>() / n;
    let squares: f64 = parts.iter().map(|part| (part - mean).powi(2)).sum();
    ((n - 1.0) / n * squares).sqrt()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use rand_distr::{Distribution, StandardNormal};
    use std::f64::consts::PI;

    use super::*;
    use crate::design::Design;
    use crate::interval::interval;

    /// Ishigami & Homma (1990) with a = 7 and b = 0.1, for inputs uniform in (-pi, pi).
    fn ishigami(unit: &[f64]) -> f64 {
        let x: Vec<f64> = unit.iter().map(|u| PI * (2.0 * u - 1.0)).collect();
        x[0].sin() + 7.0 * x[1].sin().powi(2) + 0.1 * x[2].powi(4) * x[0].sin()
    }

    /// First-order and total indices, by integration.
    fn analytic() -> ([f64; 3], [f64; 3]) {
        let (a, b, p4) = (7.0f64, 0.1, PI.powi(4));
        let first = 0.5 * (1.0 + b * p4 / 5.0).powi(2);
        let second = a * a / 8.0;
        let both = b * b * p4 * p4 * (1.0 / 18.0 - 1.0 / 50.0);
        let all = first + second + both;
        (
            [first / all, second / all, 0.0],
            [(first + both) / all, second / all, both / all],
        )
    }

    /// Indices of Ishigami's function with noise of this standard deviation, `realizations` at each
    /// point.
    fn noisy(rows: usize, realizations: usize, noise: f64, seed: u64) -> Indices {
        let design = Design::new(3, rows, seed).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let block = |block: usize, rng: &mut ChaCha8Rng| {
            let mut sums = Sums::new(3, realizations);
            for row in 0..design.block_rows() {
                let all = design.row(block, row).into_all();
                let mut value = |unit: &Vec<f64>| {
                    let draw = |_| {
                        let z: f64 = StandardNormal.sample(rng);
                        ishigami(unit) - 3.5 + noise * z
                    };
                    (0..realizations).map(draw).collect::<Vec<f64>>()
                };
                let values = all.iter().map(&mut value).collect();
                sums.add(&Row::of_all(values).unwrap());
            }
            sums
        };
        let blocks: Vec<Sums> = (0..design.blocks()).map(|b| block(b, &mut rng)).collect();
        indices(&blocks).unwrap()
    }

    /// At most 2^14 inputs: 3236 rows of five points.
    #[test]
    fn root_mean_square_errors_of_ishigamis_indices_are_below_a_fiftieth() {
        let (first, total) = analytic();
        for (realizations, noise) in [(1, 0.0), (2, 1.0)] {
            let mut squares = [0.0; 6];
            for seed in 21..31 {
                let found = noisy(3200, realizations, noise, seed);
                let all = found
                    .first
                    .iter()
                    .zip(first)
                    .chain(found.total.iter().zip(total));
                for (square, (index, truth)) in squares.iter_mut().zip(all) {
                    *square += (index.value - truth).powi(2) / 10.0;
                }
            }
            let errors = squares.map(f64::sqrt);
            assert!(
                errors.iter().all(|error| *error < 0.02),
                "noise {noise}: {errors:?}"
            );
        }
    }

    #[test]
    fn ninety_percent_intervals_hold_ninety_percent_of_the_analytic_indices() {
        let (first, total) = analytic();
        let mut held = 0;
        for seed in 300..400 {
            let found = noisy(256, 2, 2.0, seed);
            let both = found
                .first
                .iter()
                .zip(first)
                .chain(found.total.iter().zip(total));
            for (index, truth) in both {
                let [low, high] = interval(index, found.freedom, &[], 0.9);
                held += usize::from(low <= truth && truth <= high);
            }
        }
        let coverage = held as f64 / 600.0;
        assert!((0.86..=0.94).contains(&coverage), "{coverage}");
    }

    #[test]
    fn noise_does_not_bias_the_variance_or_the_indices() {
        let (first, total) = analytic();
        let mut sums = [0.0; 7];
        for seed in 500..540 {
            let found = noisy(1024, 2, 2.0, seed);
            let all = found.first.iter().chain(&found.total).map(|e| e.value);
            for (sum, value) in sums.iter_mut().zip(all.chain([found.variance.value])) {
                *sum += value / 40.0;
            }
        }
        let truth = first.into_iter().chain(total);
        for (found, truth) in sums.iter().zip(truth) {
            assert!((found - truth).abs() < 0.03, "{found} {truth}");
        }
        // The noise has variance 4, compared with 13.84.
        assert!((sums[6] - 13.84).abs() < 0.3, "{}", sums[6]);
    }

    #[test]
    fn a_linear_function_has_the_squares_of_its_coefficients_as_indices() {
        let design = Design::new(2, 1024, 9).unwrap();
        let block = |b: usize| {
            let mut sums = Sums::new(2, 1);
            for row in 0..design.block_rows() {
                sums.add(&design.row(b, row).map(|x| vec![x[0] - 2.0 * x[1]]));
            }
            sums
        };
        let blocks: Vec<Sums> = (0..design.blocks()).map(block).collect();
        let found = indices(&blocks).unwrap();
        for (index, truth) in found
            .first
            .iter()
            .chain(&found.total)
            .zip([0.2, 0.8, 0.2, 0.8])
        {
            assert!((index.value - truth).abs() < 0.01, "{index:?}");
        }
    }

    #[test]
    fn an_output_that_does_not_vary_has_no_indices() {
        let mut one = Sums::new(1, 1);
        let row = Row {
            a: vec![0.0],
            b: vec![0.0],
            mixed: vec![vec![0.0]],
        };
        one.add(&row);
        let found = indices(&[one.clone(), one]).unwrap();
        assert!(found.first[0].value.is_nan());
        assert!(indices(&[]).is_err());
    }
}
