//! Matérn 5/2 covariances of many distances, by the widest SIMD instructions of the processor.

use faer::MatMut;
use pulp::{Arch, Simd, WithSimd};

/// 1 / ln 2; and ln 2 in two parts, the first so short that its integer multiples are exact.
const LOG2_E: f64 = std::f64::consts::LOG2_E;
const LN_2: [f64; 2] = [6.931_471_803_691_238e-1, 1.908_214_929_270_587_7e-10];

/// 1.5 * 2^52: adding it to a number rounds that number to an integer, held in the lowest bits.
const INTEGERS: f64 = 6_755_399_441_055_744.0;

/// Smallest argument of the exponential; smaller ones are clamped to it, so that 2^k stays normal.
const LEAST: f64 = -708.0;

/// Taylor coefficients 1 / n! of the exponential, highest power first.
const SERIES: [f64; 14] = [
    1.0 / 6_227_020_800.0,
    1.0 / 479_001_600.0,
    1.0 / 39_916_800.0,
    1.0 / 3_628_800.0,
    1.0 / 362_880.0,
    1.0 / 40_320.0,
    1.0 / 5_040.0,
    1.0 / 720.0,
    1.0 / 120.0,
    1.0 / 24.0,
    1.0 / 6.0,
    0.5,
    1.0,
    1.0,
];

/// Replaces inner products a_i . b_j by covariances (1 + r + r^2 / 3) exp(-r), r = sqrt(5) |a_i -
/// b_j|. `rows` and `columns` hold the squared norms |a_i|^2 and |b_j|^2.
pub fn matern52(mut products: MatMut<'_, f64>, rows: &[f64], columns: &[f64]) {
    let arch = Arch::new();
    for (j, column) in columns.iter().enumerate() {
        let values = products.as_mut().col_mut(j).try_as_col_major_mut();
        let values = values.expect("columns lie together").as_slice_mut();
        arch.dispatch(Column {
            values,
            rows,
            column: *column,
        });
    }
}

/// One column of inner products, with the squared norms of the rows and of the column.
struct Column<'a> {
    values: &'a mut [f64],
    rows: &'a [f64],
    column: f64,
}

impl WithSimd for Column<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        for (value, row) in self.values.iter_mut().zip(self.rows) {
            *value = covariance(row + self.column - 2.0 * *value);
        }
    }
}

#[inline(always)]
fn covariance(square: f64) -> f64 {
    let r = (5.0 * square.max(0.0)).sqrt();
    (1.0 + r + r * r / 3.0) * exponential((-r).max(LEAST))
}

/// exp(x) = 2^k exp(x - k ln 2), the second factor by a Taylor series in an argument of at most ln
/// 2 / 2.
#[inline(always)]
fn exponential(x: f64) -> f64 {
    let shifted = x * LOG2_E + INTEGERS;
    let k = shifted - INTEGERS;
    let rest = x - k * LN_2[0] - k * LN_2[1];
    let mut sum = 0.0;
    for factor in SERIES {
        sum = sum * rest + factor;
    }
    let power = (shifted.to_bits() << 52).wrapping_add(1.0_f64.to_bits());
    sum * f64::from_bits(power)
}

#[cfg(test)]
mod tests {
    use faer::Mat;

    use super::*;

    #[test]
    fn exponentials_are_those_of_the_library_to_round_off() {
        for k in 0..70_000 {
            let x = -0.01 * f64::from(k);
            let expected = x.exp();
            assert!((exponential(x) - expected).abs() <= 4e-16 * expected, "{x}");
        }
    }

    #[test]
    fn covariances_are_one_at_no_distance_and_fall_to_nothing() {
        let places = [0.0, 0.3, 1.0, 1e4];
        let squares = places.map(|p: f64| p * p);
        let mut all = Mat::from_fn(4, 4, |i, j| places[i] * places[j]);
        matern52(all.as_mut(), &squares, &squares);
        for i in 0..4 {
            for j in 0..4 {
                let r = 5.0_f64.sqrt() * (places[i] - places[j]).abs();
                let expected = (1.0 + r + r * r / 3.0) * (-r).exp();
                assert!((all[(i, j)] - expected).abs() < 1e-14, "{i} {j}");
            }
        }
    }
}
