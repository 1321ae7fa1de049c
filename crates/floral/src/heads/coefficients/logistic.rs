//! The sigmoid linear unit without branches, so that loops over it vectorise.

/// x / (1 + e^-x), to 1e-6 of its largest neighbours.
#[inline(always)]
pub(super) fn silu(x: f32) -> f32 {
    let e = exp(-x.abs());
    // e^-|x| is at most one, so neither branch of the logistic function overflows.
    let q = e / (1.0 + e);
    if x < 0.0 { x * q } else { x - x * q }
}

/// e^x for x <= 0, by the polynomial of Moshier's Cephes library (1992); zero below -87.
#[inline(always)]
fn exp(x: f32) -> f32 {
    // A number this large has no fraction bits: the addition rounds to an integer.
    const ROUND: f32 = 12_582_912.0 + 127.0;
    let x = x.max(-87.0);
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = x - n * 0.693_359_4 + n * 2.121_944_4e-4;
    let p = [
        1.398_199_9e-3,
        8.333_452e-3,
        4.166_579_6e-2,
        1.666_666_5e-1,
        0.5,
    ];
    let p = p.iter().fold(1.987_569_1e-4, |sum: f32, c| sum * r + c);
    (p * r * r + r + 1.0) * f32::from_bits(shifted.to_bits() << 23)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silu_is_right_to_1e6() {
        for i in -100_000..=100_000 {
            let x = i as f32 * 1e-3;
            let expected = f64::from(x) / (1.0 + (-f64::from(x)).exp());
            let error = (f64::from(silu(x)) - expected).abs() / (1.0 + expected.abs());
            assert!(error < 1e-6, "{x}: {error}");
        }
    }
}
