//! Hermite functions as filters: smoothed derivatives of a field, orthogonal to each other.

use crate::Lattice;

/// Reach of filters in widths, where they have fallen below a millionth.
const REACH: f64 = 4.0;

/// Filter taps of the orders 0..=`order` for a width w in points: proportional to He_b(2 x / w)
/// exp(-(x / w)^2) / sqrt(b!), with the Hermite polynomials He_b of the probabilists.
pub(crate) fn taps(width: f64, order: usize) -> Vec<Vec<f64>> {
    let reach = (REACH * width).ceil() as i64;
    let mut all = vec![Vec::new(); order + 1];
    for x in -reach..=reach {
        let s = x as f64 / width;
        let envelope = (-s * s).exp() / (width * std::f64::consts::PI.sqrt());
        let (mut before, mut here) = (0.0, envelope);
        for (b, taps) in all.iter_mut().enumerate() {
            taps.push(here);
            let b = b as f64;
            let next = (2.0 * s * here - b.sqrt() * before) / (b + 1.0).sqrt();
            (before, here) = (here, next);
        }
    }
    all
}

/// The field convolved with `taps` along `axis`; it is mirrored beyond the ends of an axis that is
/// not periodic.
pub(crate) fn convolve(lattice: &Lattice, axis: usize, taps: &[f64], field: &[f64]) -> Vec<f64> {
    let (n, stride) = (lattice.axes[axis].len, lattice.stride(axis));
    let (reach, periodic) = (taps.len() / 2, lattice.axes[axis].periodic);
    let mut out = vec![0.0; field.len()];
    let mut line = vec![0.0; n + 2 * reach];
    let mut sums = vec![0.0; n];
    for start in (0..field.len()).filter(|start| start / stride % n == 0) {
        for (j, value) in line.iter_mut().enumerate() {
            *value = field[start + stride * inside(j as i64 - reach as i64, n, periodic)];
        }
        // Tap by tap over the whole line, so that the inner loop does not wait for a sum.
        sums.fill(0.0);
        for (k, tap) in taps.iter().rev().enumerate() {
            let shifted = sums.iter_mut().zip(&line[k..]);
            shifted.for_each(|(sum, u)| *sum += u * tap);
        }
        for (i, sum) in sums.iter().enumerate() {
            out[start + stride * i] = *sum;
        }
    }
    out
}

/// The point of an axis of n points that replaces position `i` beyond its ends, by periodicity or
/// by mirroring.
pub(crate) fn inside(i: i64, n: usize, periodic: bool) -> usize {
    let n = n as i64;
    if periodic {
        return i.rem_euclid(n) as usize;
    }
    let period = (2 * n - 2).max(1);
    let folded = i.rem_euclid(period);
    folded.min(period - folded).clamp(0, n - 1) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::lattice;

    #[test]
    fn filters_are_orthogonal_and_the_first_keeps_constants() {
        let taps = taps(4.0, 4);
        assert!((taps[0].iter().sum::<f64>() - 1.0).abs() < 1e-6);
        for a in 0..5 {
            for b in 0..a {
                let product: f64 = taps[a].iter().zip(&taps[b]).map(|(x, y)| x * y).sum();
                assert!(product.abs() < 1e-6, "{a} {b} {product}");
            }
        }
    }

    #[test]
    fn the_first_order_is_a_derivative_along_its_axis_alone() {
        let lattice = lattice(&[("t", 3), ("x", 64)], &["x"]);
        let wave = |i: usize| (std::f64::consts::TAU * (i % 64) as f64 / 64.0).sin();
        let field: Vec<f64> = (0..192).map(wave).collect();
        let out = convolve(&lattice, 1, &taps(2.0, 1)[1], &field);
        let at = |i: usize| (std::f64::consts::TAU * i as f64 / 64.0).cos();
        assert!(out[0].abs() > 0.01);
        for i in 0..64 {
            assert!((out[64 + i] - out[0] * at(i)).abs() < 1e-12);
        }
    }

    #[test]
    fn beyond_a_wall_the_field_is_mirrored_and_beyond_a_seam_it_goes_on() {
        assert_eq!(
            [-2, -1, 0, 3, 4, 5].map(|i| inside(i, 4, false)),
            [2, 1, 0, 3, 2, 1]
        );
        assert_eq!([-2, -1, 4, 5].map(|i| inside(i, 4, true)), [2, 3, 0, 1]);
        assert_eq!(inside(7, 1, false), 0);
    }
}
