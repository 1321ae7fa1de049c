//! A spectral low-pass filter along each axis.

use floral_fourier::{Complex, Precision};

use crate::grid::AxisKind;
use crate::{Field, Grid};

/// The field restricted to wave numbers up to `largest` along each axis, counted over the domain of
/// the axis. An axis that is not periodic is continued by reflection, which avoids a jump at its
/// ends.
pub(super) fn filtered(field: &Field, grid: &Grid, largest: &[usize]) -> Vec<f64> {
    let mut values = field.values().to_vec();
    let shape = grid.shape();
    let mut stride = grid.len();
    for (axis, (n, largest)) in grid.axes.iter().zip(shape.iter().zip(largest)) {
        stride /= n;
        let is_periodic = axis.domain.kind == AxisKind::Periodic;
        along(&mut values, (*n, stride), |line| {
            let count = line.len();
            if is_periodic {
                return low_pass(line, *largest);
            }
            let both: Vec<f64> = line.iter().chain(line.iter().rev()).copied().collect();
            // The reflected axis is twice as long, and so are its wave numbers.
            let mut kept = low_pass(&both, 2 * largest);
            kept.truncate(count);
            kept
        });
    }
    values
}

/// Replaces every line along an axis of n points; neighbours are `stride` apart in memory.
fn along(values: &mut [f64], (n, stride): (usize, usize), replace: impl Fn(&[f64]) -> Vec<f64>) {
    for block in values.chunks_exact_mut(n * stride) {
        for first in 0..stride {
            let line: Vec<f64> = block.iter().skip(first).step_by(stride).copied().collect();
            let places = block.iter_mut().skip(first).step_by(stride);
            places.zip(replace(&line)).for_each(|(v, new)| *v = new);
        }
    }
}

fn low_pass(line: &[f64], largest: usize) -> Vec<f64> {
    let n = line.len();
    let mut spectrum: Vec<Complex<f64>> = line.iter().map(|&v| v.into()).collect();
    f64::forward(n).process(&mut spectrum);
    for (k, amplitude) in spectrum.iter_mut().enumerate() {
        let is_kept = k.min(n - k) <= largest;
        *amplitude *= f64::from(u8::from(is_kept)) / n as f64;
    }
    f64::inverse(n).process(&mut spectrum);
    spectrum.iter().map(|value| value.re).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Axis;

    fn wave(grid: &Grid, numbers: [f64; 2]) -> Field {
        let at = |i: usize| {
            let p = grid.point(i);
            let turn = std::f64::consts::TAU;
            (turn * numbers[0] * p[0]).cos() * (turn * numbers[1] * p[1]).cos()
        };
        Field::scalar(grid, (0..grid.len()).map(at).collect())
    }

    #[test]
    fn long_waves_stay_and_short_ones_go() {
        let grid = Grid::new(vec![Axis::periodic("x", 16), Axis::periodic("y", 12)]);
        for (numbers, stays) in [([1.0, 2.0], 1.0), ([3.0, 1.0], 0.0), ([1.0, 3.0], 0.0)] {
            let wave = wave(&grid, numbers);
            let kept = filtered(&wave, &grid, &[2, 2]);
            for (kept, value) in kept.iter().zip(wave.values()) {
                assert!((kept - stays * value).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_closed_axis_is_filtered_without_a_jump_at_its_ends() {
        let grid = Grid::new(vec![Axis::closed("x", 65)]);
        let line = Field::scalar(&grid, grid.axes[0].coordinates.clone());
        let kept = filtered(&line, &grid, &[8]);
        for (kept, x) in kept.iter().zip(line.values()) {
            assert!((kept - x).abs() < 0.03, "{kept} {x}");
        }
    }

    #[test]
    fn it_is_the_same_function_on_a_finer_grid() {
        let on = |n: usize| {
            let grid = Grid::new(vec![Axis::periodic("x", n), Axis::periodic("y", 4)]);
            let sum: Vec<f64> = wave(&grid, [2.0, 0.0])
                .values()
                .iter()
                .zip(wave(&grid, [5.0, 0.0]).values())
                .map(|(a, b)| a + b)
                .collect();
            filtered(&Field::scalar(&grid, sum), &grid, &[3, 2])
        };
        let (coarse, fine) = (on(16), on(32));
        for (i, value) in coarse.iter().enumerate() {
            let (x, y) = (i / 4, i % 4);
            assert!((value - fine[2 * x * 4 + y]).abs() < 1e-12);
        }
    }
}
