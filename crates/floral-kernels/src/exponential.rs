//! The exponential of non-positive numbers, without branches, so that loops vectorise.

/// a b + c; with a single rounding where the processor has an instruction for it.
#[inline(always)]
pub fn multiply_add<const FUSED: bool>(a: f32, b: f32, c: f32) -> f32 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

/// Horner's scheme; coefficients from the highest power to the constant.
#[inline(always)]
pub fn polynomial<const FUSED: bool, const N: usize>(x: f32, coefficients: [f32; N]) -> f32 {
    let mut sum = coefficients[0];
    for &coefficient in &coefficients[1..] {
        sum = multiply_add::<FUSED>(sum, x, coefficient);
    }
    sum
}

/// The lowest argument of [`exp`].
pub const LOWEST: f32 = -87.0;

/// e^x for x in [-87, 0] with a relative error of 1e-7; NaN stays NaN.
///
/// x = n ln 2 + r with |r| <= ln 2 / 2; e^r by the polynomial of Moshier's Cephes library (1992).
#[inline(always)]
pub fn exp<const FUSED: bool>(x: f32) -> f32 {
    // A number this large has no fraction bits: the addition rounds to an integer and leaves n plus
    // the exponent's bias in the low bits.
    const ROUND: f32 = 12_582_912.0 + 127.0;
    // ln 2 split into two parts: n times the first is exact.
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    let shifted = multiply_add::<FUSED>(x, std::f32::consts::LOG2_E, ROUND);
    let n = shifted - ROUND;
    let r = multiply_add::<FUSED>(n, -LN_2_HIGH, x);
    let r = multiply_add::<FUSED>(n, -LN_2_LOW, r);
    let p = polynomial::<FUSED, 6>(
        r,
        [
            1.987_569_1e-4,
            1.398_199_9e-3,
            8.333_452e-3,
            4.166_579_6e-2,
            1.666_666_5e-1,
            0.5,
        ],
    );
    let fraction = multiply_add::<FUSED>(p, r * r, r + 1.0);
    fraction * f32::from_bits(shifted.to_bits() << 23)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_right_to_1e7_of_its_value() {
        for i in 0..=870_000 {
            let x = -1e-4 * i as f32;
            let expected = f64::from(x).exp();
            for found in [exp::<true>(x), exp::<false>(x)] {
                let error = (f64::from(found) / expected - 1.0).abs();
                assert!(error < 1.5e-7, "exp({x}) is wrong by {error:e}");
            }
        }
    }

    #[test]
    fn exp_of_zero_is_one_and_of_nan_is_nan() {
        assert_eq!(exp::<true>(0.0), 1.0);
        assert_eq!(exp::<true>(-0.0), 1.0);
        assert!(exp::<true>(f32::NAN).is_nan());
    }
}
