//! Draws of the epistemic part from Student's law: the scale of the error of the mean is uncertain
//! too.

use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

/// Degrees of freedom of the epistemic part's Student law.
///
/// Squared errors at judging inputs scatter about the value that novelty predicts. The logarithm of
/// an inverse chi-square variance with n degrees of freedom has the variance trigamma(n / 2)
/// (Smyth, Stat. Appl. Genet. Mol. Biol. 3, 2004). Over development data (eleven rows of
/// `bench/zoo`, seeds 1 to 3) the median of n is 3.3.
const DEGREES: usize = 4;

/// The variance of that law over the square of its scale.
pub(super) const STUDENT_VARIANCE: f64 = DEGREES as f64 / (DEGREES as f64 - 2.0);

/// A random factor of mean square 1: its product with normal numbers follows that law, with
/// variance 1 (Lange, Little & Taylor, J. Am. Stat. Assoc. 84, 1989).
fn student_scale(rng: &mut impl Rng) -> f64 {
    let normals = (0..DEGREES).map(|_| StandardNormal.sample(rng));
    let chi_square: f64 = normals.map(|v: f64| v * v).sum();
    ((DEGREES as f64 - 2.0) / chi_square.max(f64::MIN_POSITIVE)).sqrt()
}

/// The epistemic part e = s sum_k x_k f_k, with fields f_k, normal numbers x_k and one scale s.
#[derive(Clone, Copy)]
pub(super) struct Unknown<'a> {
    /// The fields f_k, which random numbers of mean 0 and variance 1 multiply: [factor, value].
    pub fields: &'a [f32],
    /// Whether s is drawn with each realization, which gives Student's law, or is 1.
    pub is_student: bool,
}

impl<'a> Unknown<'a> {
    /// The epistemic part with normal multiples of these fields.
    pub(super) fn normal(fields: &'a [f32]) -> Self {
        Self {
            fields,
            is_student: false,
        }
    }

    /// Draws the multiples s x_k of `count` fields.
    pub(super) fn multiples(&self, count: usize, rng: &mut impl Rng) -> Vec<f32> {
        let normals = (0..count).map(|_| StandardNormal.sample(rng));
        let mut multiples: Vec<f32> = normals.collect();
        if self.is_student && count > 0 {
            let scale = student_scale(rng) as f32;
            multiples.iter_mut().for_each(|multiple| *multiple *= scale);
        }
        multiples
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Purpose, stream};

    #[test]
    fn scaled_normal_numbers_reach_as_far_as_students_law_of_variance_one() {
        let one = |i| {
            let mut rng = stream(4, Purpose::Realization, i, 0);
            let normal: f64 = StandardNormal.sample(&mut rng);
            (normal * student_scale(&mut rng)).abs()
        };
        let mut reach: Vec<f64> = (0..40_000).map(one).collect();
        reach.sort_by(f64::total_cmp);
        for (share, quantile) in [(0.5, 0.7407), (0.9, 2.1318), (0.99, 4.6041)] {
            let expected = quantile / STUDENT_VARIANCE.sqrt();
            let found = reach[(share * 40_000.0) as usize];
            assert!((found / expected - 1.0).abs() < 0.03, "{share}: {found}");
        }
    }
}
