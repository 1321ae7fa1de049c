//! The Gaussian error linear unit: x times the normal distribution function of x.

use crate::curve::Curve;
use crate::exponential::{exp, multiply_add, polynomial};

/// Hendrycks & Gimpel (2016); the exact form, not the tanh approximation.
pub struct Gelu;

impl Curve for Gelu {
    // e^(-t^2/2) is just above the smallest normal number.
    const LIMIT: f32 = 13.0;

    /// q is the normal upper tail, d = q - t times the normal density.
    ///
    /// q(t) = e^(-t^2/2) P(u), u = 1 / (1 + 0.28 t): the form of Abramowitz & Stegun 7.1.26, with
    /// our own minimax polynomial of degree 6. |error of q| < 9.3e-9 before rounding.
    #[inline(always)]
    fn tail<const FUSED: bool>(t: f32) -> (f32, f32) {
        const DENSITY_AT_ZERO: f32 = 0.398_942_3;
        let bell = exp::<FUSED>(-0.5 * t * t);
        let u = 1.0 / multiply_add::<FUSED>(0.28, t, 1.0);
        let p = polynomial::<FUSED, 7>(
            u,
            [
                -0.105_808_78,
                0.389_876_17,
                -0.236_996_96,
                0.268_912_95,
                0.067_495_646,
                0.116_520_95,
                0.0,
            ],
        );
        let q = bell * p;
        (q, multiply_add::<FUSED>(-t * DENSITY_AT_ZERO, bell, q))
    }

    /// q(t) = 1 / (2 P(t)^8): the form of Abramowitz & Stegun 7.1.28, with our own polynomial of
    /// degree 8. |error of t q| < 5.3e-8 before rounding; no exponential is needed.
    #[inline(always)]
    fn value_tail<const FUSED: bool>(t: f32) -> f32 {
        let p = polynomial::<FUSED, 9>(
            t,
            [
                2.841_424_7e-6,
                -1.555_796_6e-5,
                9.131_661_5e-5,
                1.284_981_6e-4,
                9.545_549e-4,
                8.613_513e-3,
                4.477_958_4e-2,
                9.973_397e-2,
                1.0,
            ],
        );
        let square = p * p;
        let fourth = square * square;
        0.5 / (fourth * fourth)
    }
}
