//! The Gaussian error linear unit: x times the normal distribution function of x.

use crate::curve::Curve;
use crate::exponential::{exp, multiply_add, polynomial};

/// Hendrycks & Gimpel (2016), in its exact form, not the one with tanh.
pub struct Gelu;

impl Curve for Gelu {
    // e^(-t^2/2) is just above the smallest normal number.
    const LIMIT: f32 = 13.0;

    /// q is the normal upper tail, d = q - t times the normal density.
    ///
    /// q(t) = e^(-t^2/2) P(u), u = 1 / (1 + 0.28 t): the form of Abramowitz & Stegun 7.1.26, with
    /// a minimax polynomial of degree 6 of our own. |error of q| < 9.3e-9 before rounding.
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
}
