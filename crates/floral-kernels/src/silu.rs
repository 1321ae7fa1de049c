//! The sigmoid linear unit: x times the logistic function of x.

use crate::curve::Curve;
use crate::exponential::{LOWEST, exp, multiply_add};

/// Elfwing, Uchibe & Doya (2018).
pub struct Silu;

impl Curve for Silu {
    const LIMIT: f32 = -LOWEST;

    /// q is the logistic function at -t, d = q - t q (1 - q).
    #[inline(always)]
    fn tail<const FUSED: bool>(t: f32) -> (f32, f32) {
        let e = exp::<FUSED>(-t);
        let q = e / (1.0 + e);
        let rise = t * q;
        (q, multiply_add::<FUSED>(-rise, 1.0 - q, q))
    }
}
