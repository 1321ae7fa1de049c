//! Lengths over which the target changes with the neighbourhood of a point, one for each kind of
//! feature.
//!
//! They maximise the marginal likelihood of the targets at some points (Rasmussen & Williams,
//! Gaussian Processes for Machine Learning, 2006, section 5.4). With the Matérn 5/2 covariance K,
//! C = K + noise, n points and the variance of the process in closed form, the loss is
//!
//!   L = 1/2 log det C + n/2 log tr(Y' C^-1 Y) + prior,
//!
//! with the gradient 1/2 tr(W dC), W = C^-1 - n C^-1 Y Y' C^-1 / tr(Y' C^-1 Y).

use floral_linalg::{Mat, cholesky, solve_positive};

use crate::descent::descend;

/// Maximum number of steps of the search.
const STEPS: usize = 50;

/// Prior: the logarithm of a length, in deviations of its feature, is normal with standard
/// deviation `DEVIATION`. Its mean is the logarithm of `TYPICAL` times the fourth root of the
/// number of varying features.
const TYPICAL: f64 = 3.0;
const DEVIATION: f64 = 3.0;

/// Features whose deviation is less than this share of the largest do not vary.
const ROUND_OFF: f64 = 1e-6;

/// Variance of the noise, relative to that of the process, at which the search starts.
const NOISE: f64 = 1e-3;

/// One length for all features, in units of the root mean square distance of two neighbourhoods,
/// which is the root of twice their variance; for positions the length 1, half an axis. z:
/// [row, feature].
pub(super) fn shared(z: &Mat<f64>, surroundings: usize, length: f64) -> Vec<f64> {
    let variance: f64 = (0..surroundings).map(|f| deviation(z, f).powi(2)).sum();
    let apart = (2.0 * variance).sqrt();
    let length = length * if apart > 0.0 { apart } else { 1.0 };
    let of = |f: usize| if f < surroundings { length } else { 1.0 };
    (0..z.ncols()).map(of).collect()
}

/// The learned length of every feature, equal for features of a kind. z: [row, feature]; kinds: the
/// kind of each feature, counted from 0; y: [row, channel]. `None` if the likelihood cannot be
/// computed.
pub(super) fn learned(z: &Mat<f64>, kinds: &[usize], y: &Mat<f64>) -> Option<Vec<f64>> {
    let deviations: Vec<f64> = (0..z.ncols()).map(|f| deviation(z, f)).collect();
    let largest = deviations.iter().copied().fold(0.0, f64::max);
    let varies = |d: &&f64| **d > ROUND_OFF * largest;
    let unit = |f: usize| deviations.get(f).filter(varies).copied().unwrap_or(1.0);
    let sample = Sample {
        varying: deviations.iter().filter(varies).count(),
        z: Mat::from_fn(z.nrows(), z.ncols(), |r, f| z[(r, f)] / unit(f)),
        kinds,
        y: centred(y)?,
    };
    let count = kinds.iter().max()? + 1;
    let typical = sample.typical();
    let mut start = vec![typical; count];
    start.push(NOISE.ln());
    let found = descend(|x| sample.loss(x), &start, STEPS)?.at;
    let length = |(f, kind): (usize, &usize)| unit(f) * found[*kind].exp();
    Some(kinds.iter().enumerate().map(length).collect())
}

/// Targets at some points.
struct Sample<'a> {
    /// Number of features that vary.
    varying: usize,
    /// Features divided by their deviations: [row, feature].
    z: Mat<f64>,
    kinds: &'a [usize],
    /// [row, channel].
    y: Mat<f64>,
}

impl Sample<'_> {
    /// The logarithm of a typical length.
    fn typical(&self) -> f64 {
        TYPICAL.ln() + 0.25 * (self.varying.max(1) as f64).ln()
    }

    /// The loss per row as a function of the logarithms of lengths and noise, and its gradient.
    fn loss(&self, x: &[f64]) -> Option<(f64, Vec<f64>)> {
        let (n, features) = (self.z.nrows(), self.z.ncols());
        let (lengths, noise) = (&x[..x.len() - 1], x[x.len() - 1]);
        if x.iter().any(|v| !(-20.0..20.0).contains(v)) || noise > 1.0 {
            return None;
        }
        let s = Mat::from_fn(n, features, |r, f| {
            self.z[(r, f)] * (-lengths[self.kinds[f]]).exp()
        });
        let (mut c, slopes) = matern(&s);
        (0..n).for_each(|i| c[(i, i)] += noise.exp());
        let inverse = solve_positive(&c, &Mat::identity(n, n))?;
        if !cholesky(&mut c) {
            return None;
        }
        let half: f64 = (0..n).map(|i| c[(i, i)].ln()).sum();
        let a = &inverse * &self.y;
        let fit: f64 = (0..self.y.ncols())
            .map(|k| (0..n).map(|i| a[(i, k)] * self.y[(i, k)]).sum::<f64>())
            .sum();
        let outer = &a * a.transpose();
        let weight = |i: usize, j: usize| inverse[(i, j)] - n as f64 / fit * outer[(i, j)];
        // With B = -2 W dk/d(d^2), the derivative by the logarithm of a length is the sum of B_ij
        // (s_i - s_j)^2 over pairs.
        let b = Mat::from_fn(n, n, |i, j| weight(i, j) * slopes[(i, j)]);
        let across = &b * &s;
        let sums: Vec<f64> = (0..n)
            .map(|i| (0..n).map(|j| b[(j, i)]).sum::<f64>())
            .collect();
        let mut slope = vec![0.0; x.len()];
        for f in 0..features {
            let one = |i: usize| s[(i, f)] * (sums[i] * s[(i, f)] - across[(i, f)]);
            slope[self.kinds[f]] += (0..n).map(one).sum::<f64>();
        }
        slope[lengths.len()] = 0.5 * noise.exp() * (0..n).map(|i| weight(i, i)).sum::<f64>();
        let mut loss = half + 0.5 * n as f64 * (fit / n as f64).ln();
        for (slope, length) in slope.iter_mut().zip(lengths) {
            let off = (length - self.typical()) / DEVIATION;
            loss += 0.5 * off * off;
            *slope += off / DEVIATION;
        }
        let rows = n as f64;
        slope.iter_mut().for_each(|v| *v /= rows);
        let is_sound = loss.is_finite() && slope.iter().all(|v| v.is_finite());
        is_sound.then_some((loss / rows, slope))
    }
}

/// Matérn 5/2 covariances k of the rows, and -2 dk/d(d^2) with d their distance.
fn matern(s: &Mat<f64>) -> (Mat<f64>, Mat<f64>) {
    let n = s.nrows();
    let mut k = s * s.transpose();
    let squares: Vec<f64> = (0..n).map(|i| k[(i, i)]).collect();
    let mut slopes = Mat::zeros(n, n);
    for j in 0..n {
        for i in 0..n {
            let r = (5.0 * (squares[i] + squares[j] - 2.0 * k[(i, j)]).max(0.0)).sqrt();
            let decay = (-r).exp();
            k[(i, j)] = (1.0 + r + r * r / 3.0) * decay;
            slopes[(i, j)] = 5.0 / 3.0 * (1.0 + r) * decay;
        }
    }
    (k, slopes)
}

/// Targets minus their means, of unit mean square together; `None` if they do not vary.
fn centred(y: &Mat<f64>) -> Option<Mat<f64>> {
    let n = y.nrows() as f64;
    let means: Vec<f64> = (0..y.ncols())
        .map(|k| (0..y.nrows()).map(|i| y[(i, k)]).sum::<f64>() / n)
        .collect();
    let centred = |i: usize, k: usize| y[(i, k)] - means[k];
    let all = Mat::from_fn(y.nrows(), y.ncols(), centred);
    let size = (all.squared_norm_l2() / n).sqrt();
    let unit = || Mat::from_fn(y.nrows(), y.ncols(), |i, k| centred(i, k) / size);
    size.is_normal().then(unit)
}

fn deviation(z: &Mat<f64>, feature: usize) -> f64 {
    let n = z.nrows() as f64;
    let mean = (0..z.nrows()).map(|r| z[(r, feature)]).sum::<f64>() / n;
    let square = (0..z.nrows()).map(|r| (z[(r, feature)] - mean).powi(2));
    (square.sum::<f64>() / n).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> (Mat<f64>, Mat<f64>) {
        let z = Mat::from_fn(40, 3, |i, f| ((7 * i + 3 * f * i + 5 * f) as f64).sin());
        let y = Mat::from_fn(40, 2, |i, k| ((1.0 + k as f64) * z[(i, 1)]).sin());
        (z, y)
    }

    #[test]
    fn the_slope_is_that_of_finite_differences() {
        let (z, y) = sample();
        let sample = Sample {
            varying: 3,
            z,
            kinds: &[0, 1, 1],
            y,
        };
        let (x, step) = ([0.3, 0.8, -3.0], 1e-6);
        let (_, slope) = sample.loss(&x).unwrap();
        for k in 0..3 {
            let at = |h: f64| {
                let mut moved = x;
                moved[k] += h;
                sample.loss(&moved).unwrap().0
            };
            let expected = (at(step) - at(-step)) / (2.0 * step);
            assert!((slope[k] - expected).abs() < 1e-6, "{k} {slope:?}");
        }
    }

    #[test]
    fn features_that_do_not_act_get_long_lengths() {
        let (z, y) = sample();
        let found = learned(&z, &[0, 1, 2], &y).unwrap();
        assert!(
            found[1] < 0.2 * found[0] && found[1] < 0.2 * found[2],
            "{found:?}"
        );
    }
}
