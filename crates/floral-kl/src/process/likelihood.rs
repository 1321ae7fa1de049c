//! Learns the kernel of a process by its marginal likelihood.
//!
//! The leading principal components y_k of the n training targets share the kernel and have
//! separate variances, which are found in closed form. Up to constants, the negative logarithm of
//! the likelihood is
//!
//!   L = sum_k 1/2 log det C + n/2 log (y_k' C^-1 y_k),
//!
//! with the gradient 1/2 tr(W dC), W = sum_k C^-1 - n C^-1 y_k y_k' C^-1 / (y_k' C^-1 y_k)
//! (Rasmussen & Williams, 2006, section 5.4). Small components count as much as large ones, because
//! they inform about the lengths as well.

use floral_linalg::{Mat, cholesky, solve_positive, symmetric_eigen};

use super::ard::{ArdKernel, Place, Seen, bent};
use crate::descent::{Lowest, descend};

/// Share of the targets' variance below which a component is noise, and the maximum number of
/// components.
const LEAST_SHARE: f64 = 0.01;
const MOST_COMPONENTS: usize = 8;

/// Number of starts, steps from each, number of the best that continue, and their steps.
const STARTS: usize = 6;
const STEPS: usize = 20;
const BEST: usize = 2;
const FURTHER: usize = 100;

/// Prior means and standard deviations of a kernel's parameters, all normal.
const LENGTHS: [f64; 2] = [1.5, 1.5];
const NOISE: [f64; 2] = [-7.0, 6.0];
const SLOPES: [f64; 2] = [0.0, 4.0];
const BENDS: [f64; 2] = [0.0, 3.0];

/// Places of inputs, and the components of their targets: [input, component].
pub(super) struct Evidence {
    places: Vec<Place>,
    components: Mat<f64>,
}

impl Evidence {
    /// gram: inner products of the targets about their mean. `None` if the targets do not vary.
    pub(super) fn new(places: Vec<Place>, gram: &Mat<f64>) -> Option<Self> {
        let (squares, vectors) = symmetric_eigen(gram)?;
        let total: f64 = squares.iter().map(|s| s.max(0.0)).sum();
        let is_kept = |square: &&f64| **square > LEAST_SHARE * total;
        let kept = squares.iter().take(MOST_COMPONENTS).take_while(is_kept);
        let count = kept.count();
        (count > 0).then(|| Self {
            components: vectors.subcols(0, count).to_owned(),
            places,
        })
    }

    /// The kernel of greatest likelihood times prior, with a linear factor if `has_slopes`.
    pub(super) fn learned(&self, has_slopes: bool) -> Option<ArdKernel> {
        let starts = (0..STARTS).map(|k| self.start(k, has_slopes));
        let found = starts.filter_map(|start| self.improved(&start, STEPS));
        let mut found: Vec<(f64, ArdKernel)> = found.collect();
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        let best = found.iter().take(BEST);
        let best = best.filter_map(|(_, kernel)| self.improved(kernel, FURTHER));
        best.min_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, kernel)| kernel)
    }

    /// The kernel after some steps from another, with its loss.
    pub(super) fn improved(&self, from: &ArdKernel, steps: usize) -> Option<(f64, ArdKernel)> {
        let loss = |numbers: &[f64]| self.loss(&from.with(numbers));
        let Lowest { value, at } = descend(loss, &from.numbers(), steps)?;
        Some((value, from.with(&at)))
    }

    /// A start: equal short lengths, equal long lengths, then different lengths, longer ones for
    /// loads.
    fn start(&self, k: usize, has_slopes: bool) -> ArdKernel {
        let place = &self.places[0];
        let (count, loads) = (place.plain.len(), place.loads.len());
        // Evenly spread between 0 and 1: fractional parts of multiples of the golden ratio.
        let even = |d: usize| (0.618_033_988_75 * (k * (d + 1)) as f64).fract();
        let is_load = |d: usize| has_slopes && d + loads >= count;
        let length = |d: usize| match k {
            0 => 0.0,
            1 => 4.0_f64.ln(),
            _ if k.is_multiple_of(2) && is_load(d) => 4.0,
            _ => 3.0 * even(d) - 0.5,
        };
        ArdKernel {
            lengths: (0..count).map(length).collect(),
            noise: NOISE[0],
            slopes: vec![if k < 2 { 0.0 } else { 2.0 }; if has_slopes { loads } else { 0 }],
            bends: vec![[0.0, 1.5, -1.5][k % 3]; place.ratios.len()],
        }
    }

    /// The negative logarithm of likelihood times prior, and its gradient.
    fn loss(&self, kernel: &ArdKernel) -> Option<(f64, Vec<f64>)> {
        let seen = kernel.seen(&self.places);
        let n = seen.len();
        let mut factor = kernel.matrix(&seen);
        let inverse = solve_positive(&factor, &Mat::identity(n, n))?;
        if !cholesky(&mut factor) {
            return None;
        }
        let half: f64 = (0..n).map(|i| factor[(i, i)].ln()).sum();
        let count = self.components.ncols();
        let mut explained = &inverse * &self.components;
        let mut loss = count as f64 * half;
        for k in 0..count {
            let parts = (0..n).map(|i| explained[(i, k)] * self.components[(i, k)]);
            let square: f64 = parts.sum();
            if square.is_nan() || square <= 0.0 {
                return None;
            }
            loss += 0.5 * n as f64 * square.ln();
            let scale = (n as f64 / square).sqrt();
            (0..n).for_each(|i| explained[(i, k)] *= scale);
        }
        let outer = &explained * explained.transpose();
        let weight = |i: usize, j: usize| count as f64 * inverse[(i, j)] - outer[(i, j)];
        let mut slope = self.slope(kernel, &seen, weight);
        for (k, (number, [mean, deviation])) in priors(kernel).into_iter().enumerate() {
            let off = (number - mean) / deviation;
            loss += 0.5 * off * off;
            slope[k] += off / deviation;
        }
        (loss.is_finite() && slope.iter().all(|v| v.is_finite())).then_some((loss, slope))
    }

    /// The gradient 1/2 tr(W dC) by every parameter of the kernel.
    fn slope(
        &self,
        kernel: &ArdKernel,
        seen: &[Seen],
        weight: impl Fn(usize, usize) -> f64,
    ) -> Vec<f64> {
        let turns = self.turns(kernel);
        let mut lengths = vec![0.0; kernel.lengths.len()];
        let mut bends = vec![0.0; kernel.bends.len()];
        let mut slopes = vec![0.0; kernel.slopes.len()];
        let (mut noise, mut sum) = (0.0, 0.0);
        for (i, a) in seen.iter().enumerate() {
            noise += 0.5 * weight(i, i);
            for (j, b) in seen[..=i].iter().enumerate() {
                let (linear, exponential) = a.factors(b);
                let twice = if i == j { 0.5 } else { 1.0 } * weight(i, j) * exponential;
                let both = twice * linear;
                sum += both;
                for (slope, (a, b)) in lengths.iter_mut().zip(a.scaled.iter().zip(&b.scaled)) {
                    *slope += both * (a - b) * (a - b);
                }
                let loads = a.loads[1..].iter().zip(&b.loads[1..]);
                for (slope, (a, b)) in slopes.iter_mut().zip(loads) {
                    *slope += twice * a * b;
                }
                for (d, slope) in bends.iter_mut().enumerate() {
                    let apart = a.scaled[d] - b.scaled[d];
                    *slope -= both * apart * (turns[i][d] - turns[j][d]);
                }
            }
        }
        for (slope, weight) in slopes.iter_mut().zip(&kernel.weights()[1..]) {
            *slope -= weight * sum;
        }
        [lengths, vec![noise * kernel.noise_slope()], slopes, bends].concat()
    }

    /// The derivative of every scaled coordinate that may be bent by its bend: [input][coordinate].
    fn turns(&self, kernel: &ArdKernel) -> Vec<Vec<f64>> {
        let turn = |place: &Place, d: usize| {
            let bent = bent(place.plain[d], place.ratios[d], kernel.bends[d]);
            bent.slope * (-kernel.lengths[d]).exp()
        };
        let of = |place: &Place| (0..kernel.bends.len()).map(|d| turn(place, d)).collect();
        self.places.iter().map(of).collect()
    }
}

/// Every parameter, with the mean and the standard deviation of its prior.
fn priors(kernel: &ArdKernel) -> Vec<(f64, [f64; 2])> {
    let lengths = kernel.lengths.iter().map(|l| (*l, LENGTHS));
    let slopes = kernel.slopes.iter().map(|s| (*s, SLOPES));
    let bends = kernel.bends.iter().map(|b| (*b, BENDS));
    let noise = [(kernel.noise, NOISE)];
    lengths.chain(noise).chain(slopes).chain(bends).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(count: usize) -> Vec<Place> {
        let at = |i: usize, k: usize| ((7 * i + 3 * k * i + 5 * k) as f64).sin();
        let place = |i: usize| {
            let plain: Vec<f64> = (0..3).map(|k| at(i, k)).collect();
            Place {
                ratios: vec![1.1],
                loads: vec![plain[2] + 0.1],
                plain,
            }
        };
        (0..count).map(place).collect()
    }

    fn evidence(count: usize, y: impl Fn(&Place, usize) -> f64) -> Evidence {
        let places = places(count);
        let gram = Mat::from_fn(count, count, |i, j| {
            (0..4).map(|p| y(&places[i], p) * y(&places[j], p)).sum()
        });
        Evidence::new(places, &gram).unwrap()
    }

    #[test]
    fn the_slope_is_that_of_finite_differences() {
        let evidence = evidence(14, |z, p| ((1.0 + p as f64) * z.plain[1]).sin());
        let kernel = ArdKernel {
            lengths: vec![0.3, -0.2, 1.0],
            noise: -3.0,
            slopes: vec![0.4],
            bends: vec![-0.3],
        };
        let (_, slope) = evidence.loss(&kernel).unwrap();
        let step = 1e-6;
        for k in 0..slope.len() {
            let at = |h: f64| {
                let mut numbers = kernel.numbers();
                numbers[k] += h;
                evidence.loss(&kernel.with(&numbers)).unwrap().0
            };
            let expected = (at(step) - at(-step)) / (2.0 * step);
            let bound = 1e-5 * expected.abs().max(1.0);
            assert!(
                (slope[k] - expected).abs() < bound,
                "{k}: {} {expected}",
                slope[k]
            );
        }
    }

    #[test]
    fn coordinates_that_do_not_act_get_long_lengths() {
        let evidence = evidence(14, |z, p| ((1.0 + p as f64) * z.plain[1]).sin());
        let l = evidence.learned(false).unwrap().lengths;
        assert!(l[1] < l[0] - 1.0 && l[1] < l[2] - 1.0, "{l:?}");
    }

    #[test]
    fn a_response_that_is_linear_in_a_load_is_found() {
        let evidence = evidence(30, |z, p| {
            z.loads[0] * (z.plain[1] * (1.0 + p as f64)).sin()
        });
        let kernel = evidence.learned(true).unwrap();
        assert!(kernel.weights()[1] > 0.9, "{kernel:?}");
        assert!(kernel.lengths[2] > kernel.lengths[1] + 1.0, "{kernel:?}");
    }

    #[test]
    fn a_response_to_a_logarithm_is_found() {
        let log = |z: &Place| (1.0 + z.plain[0] / z.ratios[0]).ln();
        let evidence = evidence(30, |z, p| (1.5 * log(z) * (1.0 + p as f64)).sin());
        let bends = evidence.learned(false).unwrap().bends;
        assert!(bends[0] < -1.5, "{bends:?}");
    }
}
