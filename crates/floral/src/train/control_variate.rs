//! Control variate: low-fidelity realizations that share their randomness with high-fidelity
//! realizations improve the mean of a few high-fidelity realizations.
//!
//! An input has n high-fidelity realizations h_1 .. h_n and m >= n low-fidelity realizations, where
//! l_i shares its randomness with h_i. The mean of the first n low-fidelity realizations deviates
//! by chance from the mean of all m, and the mean of high fidelity deviates with it. The estimate
//!
//! ```text
//! mean h + b (mean over all l - mean over the first n of l)
//! ```
//!
//! has the expectation of h and the variance Var h / n - (2 b Cov - b^2 Var l) (1/n - 1/m), which
//! is minimal for b = Cov(h, l) / Var l. With b = 1 it is the mean of l plus the mean of h_i - l_i,
//! the two-level estimator of Giles, Operations Research 56 (2008), 607. Here b is one number per
//! channel, estimated from all training inputs together, so that it does not follow the noise of
//! one input.
//!
//! The learned distribution is still that of h given the input, not given a realization of l: all
//! realizations of an input are shifted by the correction of their mean, which leaves their spread
//! unchanged. Low-fidelity realizations that are independent of high fidelity carry no information
//! about its noise; a large number of them only makes their mean, which is the low-fidelity
//! solution, less noisy.

use std::ops::Range;

use crate::Result;

/// Transformed realizations of one input, each array [realization, channel, point].
pub(super) struct Pair<'a> {
    /// High fidelity, n realizations.
    pub high: &'a [f64],
    /// Low fidelity, m >= n realizations; the first n share their randomness with `high`.
    pub low: &'a [f64],
    /// Values per realization: channels times points.
    pub values: usize,
}

/// The coefficient b of each channel.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ControlVariate {
    slopes: Vec<f64>,
}

impl ControlVariate {
    /// Estimates the coefficients from training inputs; `pair` supplies the realizations of an
    /// input.
    pub(super) fn new(
        inputs: Range<usize>,
        channels: usize,
        mut pair: impl FnMut(usize, &mut dyn FnMut(&Pair<'_>)) -> Result<()>,
    ) -> Result<Self> {
        let (mut products, mut squares) = (vec![0.0; channels], vec![0.0; channels]);
        for index in inputs {
            pair(index, &mut |pair| pair.add(&mut products, &mut squares))?;
        }
        let slope = |(product, square): (f64, f64)| {
            // A negative correlation is not used.
            let slope = product / square;
            if slope.is_finite() {
                slope.max(0.0)
            } else {
                0.0
            }
        };
        Ok(Self {
            slopes: products.into_iter().zip(squares).map(slope).collect(),
        })
    }

    /// The shift of every high-fidelity realization: [channel, point].
    pub(super) fn shift(&self, pair: &Pair<'_>) -> Vec<f64> {
        let points = pair.values / self.slopes.len().max(1);
        let (all, first) = (pair.mean_low(), pair.mean_paired());
        let gaps = all.iter().zip(first).map(|(all, first)| all - first);
        gaps.enumerate()
            .map(|(i, shift)| self.slopes[i / points.max(1)] * shift)
            .collect()
    }
}

impl Pair<'_> {
    fn count(&self) -> usize {
        self.high.len() / self.values.max(1)
    }

    fn mean_low(&self) -> Vec<f64> {
        mean(self.low, self.values)
    }

    /// Mean of the low-fidelity realizations that are paired with high fidelity.
    fn mean_paired(&self) -> Vec<f64> {
        mean(&self.low[..self.high.len()], self.values)
    }

    /// Adds, per channel, the products of the deviations of high and low fidelity and the squares
    /// of the deviations of low fidelity. Deviations are from the mean of the pairs; for a single
    /// pair both are from the mean of all low-fidelity realizations.
    fn add(&self, products: &mut [f64], squares: &mut [f64]) {
        let points = (self.values / products.len().max(1)).max(1);
        let (high, low) = match self.count() {
            1 => (self.mean_low(), self.mean_low()),
            _ => (mean(self.high, self.values), self.mean_paired()),
        };
        for (i, (h, l)) in self.high.iter().zip(self.low).enumerate() {
            let (channel, value) = (i % self.values / points, i % self.values);
            products[channel] += (h - high[value]) * (l - low[value]);
            squares[channel] += (l - low[value]).powi(2);
        }
    }
}

/// The mean over realizations: [realization, value] -> [value].
pub(super) fn mean(fields: &[f64], values: usize) -> Vec<f64> {
    let count = (fields.len() / values.max(1)) as f64;
    let mut mean = vec![0.0; values];
    for field in fields.chunks_exact(values.max(1)) {
        let sums = mean.iter_mut().zip(field);
        sums.for_each(|(sum, value)| *sum += value / count);
    }
    mean
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use rand_distr::StandardNormal;

    use super::*;
    use crate::metric::RunningMoments;
    use crate::random::{Purpose, stream};

    /// High fidelity 3 + 2 z + 0.5 e and low fidelity z + 0.1 f with standard normal z, e, f:
    /// [realization] each.
    fn pair(index: u64, n: usize, m: usize) -> (Vec<f64>, Vec<f64>) {
        let mut rng = stream(4, Purpose::Realization, index, 0);
        let mut normal = || -> f64 { rng.sample(StandardNormal) };
        let (mut high, mut low) = (Vec::new(), Vec::new());
        for i in 0..m {
            let z = normal();
            low.push(z + 0.1 * normal());
            if i < n {
                high.push(3.0 + 2.0 * z + 0.5 * normal());
            }
        }
        (high, low)
    }

    fn fitted(n: usize, m: usize) -> ControlVariate {
        ControlVariate::new(1000..1200, 1, |index, take| {
            let (high, low) = pair(index as u64, n, m);
            take(&Pair {
                high: &high,
                low: &low,
                values: 1,
            });
            Ok(())
        })
        .unwrap()
    }

    fn estimates(control: &ControlVariate, n: usize, m: usize) -> [RunningMoments; 2] {
        let mut plain = RunningMoments::default();
        let mut better = RunningMoments::default();
        for index in 0..4000 {
            let (high, low) = pair(index, n, m);
            let mean = high.iter().sum::<f64>() / n as f64;
            let both = Pair {
                high: &high,
                low: &low,
                values: 1,
            };
            plain.push(mean);
            better.push(mean + control.shift(&both)[0]);
        }
        [plain, better]
    }

    /// Var h = 4.25, Var l = 1.01, Cov = 2.
    #[test]
    fn the_estimate_has_the_variance_of_its_formula() {
        for (n, m) in [(5, 100), (5, 10), (1, 40), (6, 6)] {
            let control = fitted(n, m);
            let slope = 2.0 / 1.01;
            assert!(
                (control.slopes[0] / slope - 1.0).abs() < 0.12,
                "{control:?}"
            );
            let [plain, better] = estimates(&control, n, m);
            let (n, m) = (n as f64, m as f64);
            let expected = 4.25 / n - 2.0 * slope * (1.0 / n - 1.0 / m);
            assert!((plain.variance() / (4.25 / n) - 1.0).abs() < 0.1);
            assert!(
                (better.variance() / expected - 1.0).abs() < 0.15,
                "{} {expected}",
                better.variance()
            );
            let error = (expected / 4000.0f64).sqrt();
            assert!((better.mean() - 3.0).abs() < 5.0 * error, "it is unbiased");
        }
    }

    #[test]
    fn low_fidelity_that_is_no_guide_is_not_followed() {
        let constant = ControlVariate::new(0..9, 1, |index, take| {
            let (high, _) = pair(index as u64, 4, 4);
            take(&Pair {
                high: &high,
                low: &[2.0; 8],
                values: 1,
            });
            Ok(())
        });
        assert_eq!(constant.unwrap().slopes, [0.0]);
        let against = ControlVariate::new(0..9, 1, |index, take| {
            let (high, low) = pair(index as u64, 4, 4);
            let low: Vec<f64> = low.iter().map(|v| -v).collect();
            take(&Pair {
                high: &high,
                low: &low,
                values: 1,
            });
            Ok(())
        });
        assert_eq!(against.unwrap().slopes, [0.0]);
    }

    #[test]
    fn channels_have_slopes_of_their_own() {
        // High fidelity is twice low fidelity in the first channel and equal to it in the second;
        // each channel has two points.
        let low = [0.0, 1.0, 0.0, 2.0, 1.0, 0.0, 3.0, 0.0, 4.0, 4.0, 4.0, 4.0];
        let high: Vec<f64> = (0..8)
            .map(|i| if i % 4 < 2 { 2.0 * low[i] } else { low[i] })
            .collect();
        let both = Pair {
            high: &high,
            low: &low,
            values: 4,
        };
        let control = ControlVariate::new(0..1, 2, |_, take| {
            take(&both);
            Ok(())
        })
        .unwrap();
        assert_eq!(control.slopes, [2.0, 1.0]);
        let shift = control.shift(&both);
        for (shift, expected) in shift.iter().zip([
            2.0 * (5.0 / 3.0 - 0.5),
            2.0 * (5.0 / 3.0 - 0.5),
            7.0 / 3.0 - 1.5,
            2.0 - 1.0,
        ]) {
            assert!((shift - expected).abs() < 1e-12, "{shift} {expected}");
        }
    }
}
