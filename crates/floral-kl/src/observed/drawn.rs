//! Readings and a law that is known only by draws: the update of draws by their covariance.
//!
//! With the mean m and the covariance C of draws, and readings y = H u + e, a further draw u
//! becomes
//!
//!   u + C H' (H C H' + R)^-1 (y - e - H u)
//!
//! by Matheron's rule, as in the ensemble Kalman filter (Evensen, Ocean Dynamics 53, 2003). Mean
//! and covariance are those of the best linear estimate, which is exact for a normal law.

use rand::Rng;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;

use floral_linalg::Mat;

use super::Innovation;
use super::chi_square::exceedance;
use super::readings::{Reading, Rows, refused};
use super::seen::Inverse;
use super::stretch::stretch;
use crate::Result;

/// Least number of draws per reading: with fewer, chance correlations are most of the covariance.
const LEAST_DRAWS: usize = 4;

/// Deviations below this share of the mean are round-off.
const ROUNDOFF: f64 = 1e-12;

/// The update that turns a draw of a law into one given readings.
pub struct DrawnUpdate {
    rows: Rows,
    /// C H' (H C H' + R)^-1: [reading][value].
    gain: Vec<Vec<f64>>,
    mean: Vec<f64>,
    /// The mean given the readings.
    given: Vec<f64>,
    stretch: f64,
}

impl DrawnUpdate {
    /// The update from draws, [draw, value], and readings of the drawn quantity.
    pub fn new(draws: &[f64], values: usize, readings: &[Reading]) -> Result<(Self, Innovation)> {
        let count = draws.len() / values.max(1);
        let mean = mean(draws, values);
        let rows = Rows::new(readings, &mean, |_| 1.0)?;
        if LEAST_DRAWS * rows.len() > count {
            return Err(refused(
                "readings",
                &format!(
                    "{} are more than the {} that {count} draws of the run suffice for; thin them",
                    rows.len(),
                    count / LEAST_DRAWS
                ),
            ));
        }
        let law = DrawnLaw::new(draws, &mean, &rows);
        let inverse = Inverse::new(&law.covariance, &rows)?;
        let chi_square = inverse.square(&rows.missed);
        let n = rows.len();
        let explained = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
        let explained = explained.map(|(i, j)| law.of_readings[(i, j)] * inverse.matrix[(j, i)]);
        let innovation = Innovation {
            readings: n,
            chi_square,
            p_value: exceedance(n, chi_square),
            effective_runs: count as f64,
            smoothing: 1.0,
            stretch: stretch(count as f64, explained.sum()),
            is_drawn: true,
        };
        let gain = law.gain(&inverse);
        let mut given = mean.clone();
        for (column, missed) in gain.iter().zip(&rows.missed) {
            add(*missed, column, &mut given);
        }
        let stretch = innovation.stretch;
        let update = Self {
            rows,
            gain,
            mean,
            given,
            stretch,
        };
        Ok((update, innovation))
    }

    /// Turns a draw into one given the readings; `rng` draws the noise of the readings.
    pub fn apply(&self, rng: &mut impl Rng, draw: &mut [f64]) {
        let deviation = draw.iter().zip(&self.mean).map(|(u, m)| u - m);
        let deviation: Vec<f64> = deviation.collect();
        let read = self.rows.of(&deviation);
        for (i, column) in self.gain.iter().enumerate() {
            let noise: f64 = StandardNormal.sample(rng);
            let missed = self.rows.missed[i] - self.rows.noise[i] * noise - read[i];
            add(missed, column, draw);
        }
        let parts = draw.iter_mut().zip(&self.given);
        parts.for_each(|(u, given)| *u = given + self.stretch * (*u - given));
    }
}

/// Covariances of draws with readings of them, and among these readings.
struct DrawnLaw {
    /// C H': [reading][value].
    with_values: Vec<Vec<f64>>,
    /// H C H'.
    of_readings: Mat<f64>,
    /// H C H' + R.
    covariance: Mat<f64>,
}

impl DrawnLaw {
    fn new(draws: &[f64], mean: &[f64], rows: &Rows) -> Self {
        let (values, n) = (mean.len(), rows.len());
        let middle = rows.of(mean);
        let seen = |draw: &[f64]| -> Vec<f64> {
            let read = rows.of(draw).into_iter().zip(&middle);
            read.map(|(seen, middle)| off(seen, *middle)).collect()
        };
        let seen: Vec<Vec<f64>> = draws.par_chunks_exact(values.max(1)).map(seen).collect();
        let share = 1.0 / (seen.len() as f64 - 1.0).max(1.0);
        let column = |i: usize| {
            let mut sum = vec![0.0; values];
            for (draw, seen) in draws.chunks_exact(values.max(1)).zip(&seen) {
                let parts = sum.iter_mut().zip(draw).zip(mean);
                parts.for_each(|((sum, u), m)| *sum += share * seen[i] * (u - m));
            }
            sum
        };
        let product = |i: usize, j: usize| {
            let products = seen.iter().map(|seen| seen[i] * seen[j]);
            share * products.sum::<f64>()
        };
        let of_readings = Mat::from_fn(n, n, product);
        let noise = |i: usize, j: usize| if i == j { rows.noise[i].powi(2) } else { 0.0 };
        Self {
            with_values: (0..n).into_par_iter().map(column).collect(),
            covariance: Mat::from_fn(n, n, |i, j| of_readings[(i, j)] + noise(i, j)),
            of_readings,
        }
    }

    fn gain(&self, inverse: &Inverse) -> Vec<Vec<f64>> {
        let column = |i: usize| {
            let mut sum = vec![0.0; self.with_values[i].len()];
            for (j, own) in self.with_values.iter().enumerate() {
                add(inverse.matrix[(j, i)], own, &mut sum);
            }
            sum
        };
        let all = (0..self.with_values.len()).into_par_iter();
        all.map(column).collect()
    }
}

/// The difference between a reading of a draw and that of the mean; zero if it is round-off.
fn off(seen: f64, middle: f64) -> f64 {
    let far = seen - middle;
    if far.abs() > ROUNDOFF * middle.abs() {
        far
    } else {
        0.0
    }
}

/// The mean of draws: [value].
fn mean(draws: &[f64], values: usize) -> Vec<f64> {
    let mut mean = vec![0.0; values];
    let count = (draws.len() / values.max(1)).max(1) as f64;
    for draw in draws.chunks_exact(values.max(1)) {
        add(1.0 / count, draw, &mut mean);
    }
    mean
}

fn add(factor: f64, from: &[f64], to: &mut [f64]) {
    let parts = to.iter_mut().zip(from);
    parts.for_each(|(to, value)| *to += factor * value);
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::testing::{Purpose, stream};

    const VALUES: usize = 5;
    const DRAWS: usize = 256;

    /// Draws of a normal law with correlations exp(-distance / 2) and the means 1, 2, 3 ...
    fn draws(first: u64, count: usize) -> Vec<f64> {
        let correlation = (-0.5f64).exp();
        let fresh = (1.0 - correlation * correlation).sqrt();
        let draw = |i: u64| {
            let mut rng = stream(1, Purpose::Realization, first, i);
            let mut last: f64 = rng.sample(StandardNormal);
            (0..VALUES).map(move |p| {
                if p > 0 {
                    last = correlation * last + fresh * rng.sample::<f64, _>(StandardNormal);
                }
                last + p as f64 + 1.0
            })
        };
        (0..count as u64).flat_map(draw).collect()
    }

    fn reading(place: usize, value: f64, deviation: f64) -> Reading {
        Reading {
            name: format!("reading {place}"),
            entries: vec![(place, 1.0)],
            value,
            deviation,
        }
    }

    fn given(readings: &[Reading], count: usize) -> (Vec<f64>, Innovation) {
        let (update, innovation) = DrawnUpdate::new(&draws(0, DRAWS), VALUES, readings).unwrap();
        let mut all = draws(1, count);
        for (i, draw) in all.chunks_exact_mut(VALUES).enumerate() {
            update.apply(&mut stream(2, Purpose::Prior, 0, i as u64), draw);
        }
        (all, innovation)
    }

    #[test]
    fn an_exact_reading_holds_in_every_realization() {
        let (all, innovation) = given(&[reading(1, 3.5, 0.0)], 50);
        assert!(all.chunks_exact(VALUES).all(|u| (u[1] - 3.5).abs() < 1e-9));
        assert!(innovation.is_drawn && innovation.readings == 1);
        // Two deviations from the mean: 1.5^2.
        assert!((innovation.chi_square - 2.25).abs() < 1.0, "{innovation:?}");
    }

    #[test]
    fn mean_and_variance_given_a_noisy_reading_are_those_of_the_normal_law() {
        let (all, _) = given(&[reading(0, 2.0, 0.5)], 4000);
        let known = 1.0 / 1.25;
        for p in 0..VALUES {
            let c = (-0.5 * p as f64).exp();
            let (mean, variance) = (p as f64 + 1.0 + c * known, 1.0 - c * c * known);
            let own: Vec<f64> = all.iter().skip(p).step_by(VALUES).copied().collect();
            let found = own.iter().sum::<f64>() / own.len() as f64;
            let square = own.iter().map(|u| (u - found).powi(2)).sum::<f64>() / own.len() as f64;
            // The covariance of 256 draws is off by a sixteenth.
            assert!((found - mean).abs() < 0.2, "{p}: {found} {mean}");
            assert!((square - variance).abs() < 0.1, "{p}: {square} {variance}");
        }
    }

    #[test]
    fn a_reading_with_much_noise_changes_nothing() {
        let (all, innovation) = given(&[reading(2, 9.0, 1e6)], 10);
        let plain = draws(1, 10);
        let same = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-3;
        assert!(all.iter().zip(&plain).all(same), "{innovation:?}");
    }

    #[test]
    fn what_draws_do_not_suffice_for_is_refused_in_one_line() {
        let refusal = |readings: &[Reading], count: usize| {
            let found = DrawnUpdate::new(&draws(0, count), VALUES, readings);
            found.err().unwrap().to_string()
        };
        let both = [reading(0, 1.0, 0.1), reading(3, 1.0, 0.1)];
        assert!(refusal(&both, 7).contains("2 are more than the 1 that 7 draws"));
        let contradicting = [reading(0, 1.0, 0.0), reading(0, 2.0, 0.0)];
        assert!(refusal(&contradicting, 99).contains("both are exact"));
        assert!(refusal(&[reading(0, f64::NAN, 0.1)], 99).contains("not a number"));
        let mut constant = draws(0, 99);
        constant.iter_mut().step_by(VALUES).for_each(|u| *u = 1.0);
        let found = DrawnUpdate::new(&constant, VALUES, &[reading(0, 2.0, 0.0)]);
        let words = found.err().unwrap().to_string();
        assert!(words.contains("does not vary there"), "{words}");
    }
}
