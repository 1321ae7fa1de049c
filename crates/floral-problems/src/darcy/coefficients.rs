//! Distribution of the Karhunen-Loeve coefficients of the log-permeability.

use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

use super::pressure::trapezoid_weights;
use crate::random::{KarhunenLoeve, Stream};

/// Bounds of the uniform coefficients in the code behind the paper's tables.
pub(super) const BOUNDS: [f64; 2] = [0.0, 2.5];

/// Distribution of the independent coefficients of sqrt(lambda_k) phi_k.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Coefficients {
    /// Standard normal: G is the Gaussian process of the paper's text.
    #[default]
    Normal,
    /// Uniform between `bounds`, as in the code behind the paper's tables: all inputs share the
    /// mean of G, (bounds\[0\] + bounds\[1\]) / 2 * sum_k sqrt(lambda_k) phi_k.
    ///
    /// That mean depends on the signs of the eigenfunctions, which that code leaves to chance, and
    /// on their directions where two eigenvalues coincide. Here the integral of each phi_k against
    /// sin(15 (x^2 + sqrt(2) y^2)) is positive, and within a pair of equal eigenvalues
    /// multiplication by x^2 + sqrt(2) y^2 is diagonal, the smaller value first. These criteria are
    /// functions on the domain, which a finer grid approximates.
    ///
    /// The wave gives a typical medium: over 15 inputs, random signs give low-fidelity errors from
    /// 2 to 7, the wave gives 4.3 to 4.9, and the paper has 4.49. A function with one peak would
    /// raise the permeability there a hundredfold.
    ///
    /// The distribution of inputs is then not symmetric in the axes; the solution operator is.
    Uniform,
}

impl Coefficients {
    /// Signs of the coefficients relative to those of the expansion on n x n nodes.
    pub(super) fn signs(self, expansion: &KarhunenLoeve, n: usize) -> Vec<f64> {
        let weights = trapezoid_weights(n);
        expansion
            .modes()
            .map(|mode| match self {
                Self::Uniform if against_the_wave(mode, &weights, n) < 0.0 => -1.0,
                _ => 1.0,
            })
            .collect()
    }

    /// One coefficient per sign, in the order of the modes.
    pub(super) fn draw(self, signs: &[f64], [low, high]: [f64; 2], rng: &mut Stream) -> Vec<f64> {
        let draws = signs.iter().map(|sign| match self {
            Self::Normal => StandardNormal.sample(rng),
            Self::Uniform => sign * (low + (high - low) * rng.random::<f64>()),
        });
        draws.collect()
    }
}

/// The integral of a mode against sin(15 (x^2 + sqrt(2) y^2)).
fn against_the_wave(mode: &[f64], weights: &[f64], n: usize) -> f64 {
    let square = |i: usize| (i as f64 / (n - 1) as f64).powi(2);
    let wave = |k: usize| (15.0 * (square(k / n) + 2f64.sqrt() * square(k % n))).sin();
    let terms = mode.iter().zip(weights).enumerate();
    terms.map(|(k, (phi, w))| phi * w * wave(k)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Problem;
    use crate::darcy::Darcy;
    use crate::random::{Purpose, stream};

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
        let means: Vec<f64> = problem.signs.iter().map(|sign| 1.25 * sign).collect();
        let expected = expansion.combine(&means);
        let variance = expansion.variance();
        for ((mean, expected), variance) in mean.iter().zip(expected).zip(variance) {
            let error = (variance * 2.5f64.powi(2) / 12.0 / draws as f64).sqrt();
            assert!((mean - expected).abs() < 5.0 * error);
        }
    }

    #[test]
    fn eigenfunctions_have_the_sign_that_is_said_and_keep_it_on_a_finer_grid() {
        let law = "permeability.coefficients = \"uniform\"";
        let fine = darcy(&format!("resolution = 63\ncoarsening = 1\n{law}"));
        let coarse = darcy(&format!("resolution = 32\n{law}"));
        let signed = |problem: &Darcy, n: usize| -> Vec<Vec<f64>> {
            let modes = problem.log_permeability.modes().zip(&problem.signs);
            let modes = modes.map(|(mode, sign)| mode.iter().map(|phi| sign * phi).collect());
            let modes: Vec<Vec<f64>> = modes.collect();
            let weights = trapezoid_weights(n);
            let is_positive = |mode: &Vec<f64>| against_the_wave(mode, &weights, n) > 0.0;
            assert!(modes.iter().all(is_positive));
            modes
        };
        let (coarse, fine) = (signed(&coarse, 32), signed(&fine, 63));
        let cosine = |coarse: &[f64], fine: &[f64]| {
            let shared = (0..32 * 32).map(|p| fine[p / 32 * 2 * 63 + p % 32 * 2]);
            let shared: Vec<f64> = shared.collect();
            let inner = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            inner(coarse, &shared) / (inner(coarse, coarse) * inner(&shared, &shared)).sqrt()
        };
        // Neighbours with nearly equal eigenvalues may be exchanged, but keep their signs.
        for (k, mode) in coarse.iter().enumerate() {
            let cosines = fine.iter().map(|other| cosine(mode, other));
            let nearest = cosines.fold(-1.0, f64::max);
            assert!(nearest > 0.9, "mode {k}: {nearest}");
        }
    }
}
