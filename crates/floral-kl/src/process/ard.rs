//! The kernel of a process: one length per coordinate, warped ("bent") coordinates, and a linear
//! factor in loads.
//!
//!   c(z, z') = (w_0 + sum_d w_d x_d x'_d) exp(-1/2 sum_d ((z_d - z'_d) / l_d)^2) + a constant,
//!
//! with positive weights w that sum to one. Loads x are coordinates measured from their own zero:
//! with long lengths and a small w_0 the response is linear in them, at every value of the other
//! coordinates.
//!
//! A positive parameter p over a wide range is warped between itself and its logarithm,
//!
//!   z = r (1 + b) log((p / m + b) / (1 + b)),   r = m / s,
//!
//! with its mean m and standard deviation s over the training inputs. At p = m the value and the
//! slope are those of (p - m) / s for every b: large b leaves p as it is, b = 0 gives the
//! logarithm. Unlike the logarithm, z stays near the training inputs as p approaches zero. Such
//! warpings can be learned by the marginal likelihood (Snoek et al., Input Warping for Bayesian
//! Optimization, 2014).

use floral_linalg::Mat;
use serde::{Deserialize, Serialize};

use super::Coordinates;

/// Variance of a constant added to every target, relative to that of the process.
const CONSTANT: f64 = 10.0;

/// Least noise, which covers the round-off of smooth kernels. The noise is at most 1, so that the
/// data always determine the constant well.
const LEAST_NOISE: f64 = 1e-9;

/// The coordinates of an input.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Place {
    /// Every coordinate, of mean zero and variance one over the training inputs.
    pub plain: Vec<f64>,
    /// Ratios r = m / s of the first coordinates, which may be bent.
    pub ratios: Vec<f64>,
    /// The last coordinates, measured from their own zero.
    pub loads: Vec<f64>,
}

/// The coordinates of an input, as they enter a kernel.
pub(super) struct Seen {
    /// z / l.
    pub scaled: Vec<f64>,
    /// sqrt(w) x, with x_0 = 1.
    pub loads: Vec<f64>,
}

/// The parameters of a kernel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ArdKernel {
    /// Logarithms of the lengths l.
    pub lengths: Vec<f64>,
    /// log(v / (1 - v)) of the noise v on the diagonal.
    pub noise: f64,
    /// log(w_d / w_0) of the loads; empty if there are none.
    pub slopes: Vec<f64>,
    /// log b of the coordinates that may be bent.
    pub bends: Vec<f64>,
}

impl ArdKernel {
    /// All parameters as numbers: lengths, noise, slopes, bends.
    pub(super) fn numbers(&self) -> Vec<f64> {
        [&self.lengths[..], &[self.noise], &self.slopes, &self.bends].concat()
    }

    /// A kernel with as many parameters, set to these numbers.
    pub(super) fn with(&self, numbers: &[f64]) -> Self {
        let (lengths, rest) = numbers.split_at(self.lengths.len());
        let (slopes, bends) = rest[1..].split_at(self.slopes.len());
        Self {
            lengths: lengths.to_vec(),
            noise: rest[0],
            slopes: slopes.to_vec(),
            bends: bends.to_vec(),
        }
    }

    /// Whether the kernel has as many parameters as these coordinates need.
    pub(crate) fn fits(&self, coordinates: &Coordinates) -> bool {
        let [all, wide, loads] = coordinates.counts();
        let sizes = self.lengths.len() == all && self.bends.len() == wide;
        let finite = self.numbers().iter().all(|v| v.abs() <= 100.0);
        sizes && [0, loads].contains(&self.slopes.len()) && finite
    }

    /// The weights w, that of the constant first.
    pub(super) fn weights(&self) -> Vec<f64> {
        let largest = self.slopes.iter().copied().fold(0.0, f64::max);
        let all = [&[0.0], &self.slopes[..]].concat();
        let all: Vec<f64> = all.iter().map(|s| (s - largest).exp()).collect();
        let sum: f64 = all.iter().sum();
        all.iter().map(|w| w / sum).collect()
    }

    /// Converts coordinates of inputs for this kernel.
    pub(super) fn seen(&self, places: &[Place]) -> Vec<Seen> {
        let roots: Vec<f64> = self.weights().iter().map(|w| w.sqrt()).collect();
        let inverse: Vec<f64> = self.lengths.iter().map(|l| (-l).exp()).collect();
        let one = |place: &Place| {
            let mut scaled = place.plain.clone();
            let bends = place.ratios.iter().zip(&self.bends);
            for (z, (ratio, bend)) in scaled.iter_mut().zip(bends) {
                *z = bent(*z, *ratio, *bend).value;
            }
            scaled.iter_mut().zip(&inverse).for_each(|(z, i)| *z *= i);
            let loads = place.loads.iter().zip(&roots[1..]).map(|(x, w)| x * w);
            Seen {
                scaled,
                loads: [roots[0]].into_iter().chain(loads).collect(),
            }
        };
        places.iter().map(one).collect()
    }

    /// The noise on the diagonal.
    pub(super) fn noise(&self) -> f64 {
        LEAST_NOISE + logistic(self.noise)
    }

    /// The derivative of the noise by its parameter.
    pub(super) fn noise_slope(&self) -> f64 {
        logistic(self.noise) * logistic(-self.noise)
    }

    /// Covariances of training inputs, with noise on the diagonal.
    pub(super) fn matrix(&self, seen: &[Seen]) -> Mat<f64> {
        let mut matrix = Mat::zeros(seen.len(), seen.len());
        for (i, a) in seen.iter().enumerate() {
            for (j, b) in seen[..=i].iter().enumerate() {
                matrix[(i, j)] = a.covariance(b);
                matrix[(j, i)] = matrix[(i, j)];
            }
            matrix[(i, i)] += self.noise();
        }
        matrix
    }
}

fn logistic(number: f64) -> f64 {
    1.0 / (1.0 + (-number).exp())
}

/// A bent coordinate and its derivative.
pub(super) struct Bent {
    pub value: f64,
    /// The derivative by log b.
    pub slope: f64,
}

/// Bends a coordinate (p - m) / s with the ratio m / s by log b; negative parameters count as zero.
pub(super) fn bent(plain: f64, ratio: f64, bend: f64) -> Bent {
    let b = bend.exp();
    let off = (plain / ratio).max(-1.0) / (1.0 + b);
    let log = off.ln_1p();
    Bent {
        value: ratio * (1.0 + b) * log,
        slope: ratio * b * (log - off / (1.0 + off)),
    }
}

impl Seen {
    /// The linear and the exponential factor.
    pub(super) fn factors(&self, other: &Self) -> (f64, f64) {
        let linear = self.loads.iter().zip(&other.loads).map(|(a, b)| a * b);
        let apart = self.scaled.iter().zip(&other.scaled);
        let square: f64 = apart.map(|(a, b)| (a - b) * (a - b)).sum();
        (linear.sum(), (-0.5 * square).exp())
    }

    /// The covariance with another, without noise.
    pub(super) fn covariance(&self, other: &Self) -> f64 {
        let (linear, exponential) = self.factors(other);
        linear * exponential + CONSTANT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bent_coordinate_goes_from_itself_to_its_logarithm() {
        let (mean, deviation): (f64, f64) = (3.0, 2.0);
        let ratio = mean / deviation;
        for p in [0.1, 1.0, 3.0, 9.0] {
            let plain = (p - mean) / deviation;
            let [itself, log] = [20.0, -30.0].map(|bend| bent(plain, ratio, bend).value);
            assert!((itself - plain).abs() < 1e-7, "{itself} {plain}");
            assert!((log - ratio * (p / mean).ln()).abs() < 1e-9, "{log}");
            let slope = bent(plain, ratio, 0.3).slope;
            let [above, below] = [0.3 + 1e-6, 0.3 - 1e-6].map(|b| bent(plain, ratio, b).value);
            assert!((slope - (above - below) / 2e-6).abs() < 1e-8, "{slope}");
        }
        assert!(bent(-10.0, ratio, -5.0).value.is_finite());
    }

    #[test]
    fn weights_are_positive_and_sum_to_one() {
        let kernel = ArdKernel {
            lengths: vec![0.0; 3],
            noise: -30.0,
            slopes: vec![60.0, 0.0],
            bends: vec![0.0],
        };
        let weights = kernel.weights();
        assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-15);
        assert!(weights[0] < 1e-20 && weights[1] > 0.99);
        assert_eq!(kernel.with(&kernel.numbers()), kernel);
        assert!(kernel.noise() >= LEAST_NOISE);
    }
}
