//! The law of the log-permeability's Karhunen-Loeve coefficients.

use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

use crate::random::Stream;

/// Between which numbers uniform coefficients lie in the code behind the paper's tables.
pub(super) const BOUNDS: [f64; 2] = [0.0, 2.5];

/// How the coefficients of sqrt(lambda_k) phi_k are drawn, independently of each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Coefficients {
    /// Standard normal: G is the Gaussian process of the paper's text.
    #[default]
    Normal,
    /// Uniform between `bounds`, as the paper's tables were made: all inputs share the mean
    /// (bounds\[0\] + bounds\[1\]) / 2 * sum_k sqrt(lambda_k) phi_k of G.
    ///
    /// That mean depends on the signs of the eigenfunctions, and on their directions where two
    /// eigenvalues coincide. Here the integral of each phi_k against exp(x + sqrt(2) y) is
    /// positive, and within such a pair multiplication by x^2 + sqrt(2) y^2 is diagonal, the
    /// smaller value first: functions of the domain, which a finer grid approximates.
    ///
    /// The law of inputs tells x from y then; the solution operator does not.
    Uniform,
}

impl Coefficients {
    /// Whether it is the text's; see [`Coarse`](super::Coarse) for why that matters.
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// So many coefficients, in the order of the modes.
    pub(super) fn draw(self, count: usize, [low, high]: [f64; 2], rng: &mut Stream) -> Vec<f64> {
        let draws = (0..count).map(|_| match self {
            Self::Normal => StandardNormal.sample(rng),
            Self::Uniform => low + (high - low) * rng.random::<f64>(),
        });
        draws.collect()
    }
}

/// Whether uniform coefficients lie where the paper's do.
pub(super) fn are_usual(bounds: &[f64; 2]) -> bool {
    *bounds == BOUNDS
}

#[cfg(test)]
mod tests {
    use crate::problem::Problem;
    use crate::problem::darcy::Darcy;
    use crate::random::{KarhunenLoeve, Purpose, stream};

    fn darcy(text: &str) -> Darcy {
        Darcy::new(toml::from_str(text).unwrap()).unwrap()
    }

    #[test]
    fn uniform_coefficients_have_the_mean_field_that_the_formula_says() {
        let problem = darcy("resolution = 16\npermeability.coefficients = \"uniform\"");
        let draws = 4000;
        let mut mean = vec![0.0; 256];
        for i in 0..draws {
            let input = problem.draw_input(&mut stream(8, Purpose::Input, i, 0));
            for (sum, a) in mean.iter_mut().zip(input.unwrap().values()) {
                *sum += a.ln() / draws as f64;
            }
        }
        let expansion = &problem.log_permeability;
        let expected = expansion.combine(&[1.25; 32]);
        let variance = expansion.variance();
        for ((mean, expected), variance) in mean.iter().zip(expected).zip(variance) {
            let error = (variance * 2.5f64.powi(2) / 12.0 / draws as f64).sqrt();
            assert!((mean - expected).abs() < 5.0 * error);
        }
    }

    /// Trapezoid inner product with exp(x + sqrt(2) y).
    fn against_the_exponential(mode: &[f64], n: usize) -> f64 {
        let at = |i: usize| i as f64 / (n - 1) as f64;
        let weight = |i: usize| if i == 0 || i == n - 1 { 0.5 } else { 1.0 };
        let terms = mode.iter().enumerate().map(|(k, phi)| {
            let (i, j) = (k / n, k % n);
            phi * (at(i) + 2f64.sqrt() * at(j)).exp() * weight(i) * weight(j)
        });
        terms.sum::<f64>() / ((n - 1) * (n - 1)) as f64
    }

    #[test]
    fn eigenfunctions_have_the_sign_that_is_said_and_keep_it_on_a_finer_grid() {
        let fine = darcy("resolution = 63\ncoarsening = 1");
        let coarse = darcy("resolution = 32");
        let modes = |problem: &Darcy| -> Vec<Vec<f64>> {
            let expansion: &KarhunenLoeve = &problem.log_permeability;
            expansion.modes().map(<[f64]>::to_vec).collect()
        };
        let (coarse, fine) = (modes(&coarse), modes(&fine));
        assert!(coarse.iter().all(|m| against_the_exponential(m, 32) > 0.0));
        assert!(fine.iter().all(|m| against_the_exponential(m, 63) > 0.0));
        let cosine = |coarse: &[f64], fine: &[f64]| {
            let shared = (0..32 * 32).map(|p| fine[p / 32 * 2 * 63 + p % 32 * 2]);
            let shared: Vec<f64> = shared.collect();
            let inner = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            inner(coarse, &shared) / (inner(coarse, coarse) * inner(&shared, &shared)).sqrt()
        };
        // Neighbours of nearly equal eigenvalue may change places, but not signs.
        for (k, mode) in coarse.iter().enumerate() {
            let cosines = fine.iter().map(|other| cosine(mode, other));
            let nearest = cosines.fold(-1.0, f64::max);
            assert!(nearest > 0.9, "mode {k}: {nearest}");
        }
    }
}
