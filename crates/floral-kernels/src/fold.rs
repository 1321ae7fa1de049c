//! Cosine and sine sums over one axis, at half the cost: points j and n - j share their waves.
//!
//! cos(2 pi k (n - j) / n) = cos(2 pi k j / n), and the sine changes its sign. After adding and
//! subtracting each pair, sums over the points need only half of them, and values at the points
//! need only half the sums.

use std::f64::consts::TAU;

use pulp::{Simd, WithSimd};

use crate::product::{multiply, rows};
use crate::simd::run;

/// A real matrix, row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    pub rows: usize,
    pub columns: usize,
    pub values: Vec<f32>,
}

impl Matrix {
    /// Computed in double precision and rounded at the end.
    pub fn new(rows: usize, columns: usize, value: impl Fn(usize, usize) -> f64) -> Self {
        let values = (0..rows * columns).map(|i| value(i / columns, i % columns) as f32);
        Self {
            rows,
            columns,
            values: values.collect(),
        }
    }
}

/// (sin, cos) of 2 pi k j / n, reduced to one turn in integers: large products would lose digits.
pub fn sin_cos(k: i64, j: usize, n: usize) -> (f64, f64) {
    let turns = (k * j as i64).rem_euclid(n as i64);
    (TAU * turns as f64 / n as f64).sin_cos()
}

/// Number of points 0 ..= n/2 out of n; the others are their mirror images.
pub fn half(n: usize) -> usize {
    n / 2 + 1
}

/// Cosines and sines of the frequencies 0 .. count on n points, from points to frequencies.
#[derive(Debug, Clone, PartialEq)]
pub struct ToFrequencies {
    n: usize,
    /// [frequency, half of the points].
    cosines: Matrix,
    sines: Matrix,
}

impl ToFrequencies {
    /// `weight(k)` is the weight of frequency k.
    pub fn new(n: usize, count: usize, weight: impl Fn(usize) -> f64) -> Self {
        let wave = |k: usize, j: usize| sin_cos(k as i64, j, n);
        Self {
            n,
            cosines: Matrix::new(count, half(n), |k, j| weight(k) * wave(k, j).1),
            sines: Matrix::new(count, half(n), |k, j| weight(k) * wave(k, j).0),
        }
    }

    pub fn count(&self) -> usize {
        self.cosines.rows
    }

    /// Writes the sums over j of cos f_j, then of sin f_j, into `sums`: [2, frequency, width].
    ///
    /// `scratch` holds sums and differences of pairs of points.
    pub fn sums(&self, f: Points<'_>, sums: &mut [f32], scratch: &mut Vec<f32>) {
        let (half, width) = (half(self.n), f.width());
        scratch.resize(2 * half * width, 0.0);
        let (even, odd) = scratch.split_at_mut(half * width);
        run(Pair {
            n: self.n,
            f,
            even: &mut *even,
            odd: &mut *odd,
        });
        let (of_cosines, of_sines) = sums.split_at_mut(self.count() * width);
        multiply(
            of_cosines,
            rows(&self.cosines.values, half),
            rows(even, width),
        );
        multiply(of_sines, rows(&self.sines.values, half), rows(odd, width));
    }
}

/// Values at the points of an axis, each in one or more parts.
#[derive(Clone, Copy)]
pub struct Points<'a> {
    pub values: &'a [f32],
    /// Distance between points.
    pub stride: usize,
    /// Distance between parts.
    pub part_stride: usize,
    pub parts: usize,
    /// Values per part.
    pub length: usize,
}

impl<'a> Points<'a> {
    /// Values per point.
    pub fn width(&self) -> usize {
        self.parts * self.length
    }

    #[inline(always)]
    fn part(&self, point: usize, part: usize) -> &'a [f32] {
        &self.values[point * self.stride + part * self.part_stride..][..self.length]
    }
}

/// f_j + f_(n-j) and f_j - f_(n-j); a point that is its own mirror image counts once.
struct Pair<'a> {
    n: usize,
    f: Points<'a>,
    even: &'a mut [f32],
    odd: &'a mut [f32],
}

impl WithSimd for Pair<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { n, f, even, odd } = self;
        let parts = even
            .chunks_exact_mut(f.length)
            .zip(odd.chunks_exact_mut(f.length));
        for (i, (even, odd)) in parts.enumerate() {
            let (j, part) = (i / f.parts, i % f.parts);
            let a = f.part(j, part);
            if j == 0 || 2 * j == n {
                even.copy_from_slice(a);
                odd.fill(0.0);
                continue;
            }
            let results = even.iter_mut().zip(odd);
            for ((a, b), (even, odd)) in a.iter().zip(f.part(n - j, part)).zip(results) {
                (*even, *odd) = (a + b, a - b);
            }
        }
    }
}

/// Cosines and sines of the frequencies 0 .. count on n points, from frequencies to points.
#[derive(Debug, Clone, PartialEq)]
pub struct ToPoints {
    n: usize,
    /// [half of the points, frequency].
    cosines: Matrix,
    sines: Matrix,
}

impl ToPoints {
    /// `weight(k)` is the weight of frequency k.
    pub fn new(n: usize, count: usize, weight: impl Fn(usize) -> f64) -> Self {
        let wave = |k: usize, j: usize| sin_cos(k as i64, j, n);
        Self {
            n,
            cosines: Matrix::new(half(n), count, |j, k| weight(k) * wave(k, j).1),
            sines: Matrix::new(half(n), count, |j, k| weight(k) * wave(k, j).0),
        }
    }

    pub fn count(&self) -> usize {
        self.cosines.columns
    }

    /// Adds sum over k of cos a_k + sin b_k to the values at all points, [point, width].
    ///
    /// waves: a, then b, [2, frequency, width]. `scratch` holds the sums at half the points.
    pub fn add_values(
        &self,
        waves: &[f32],
        width: usize,
        values: &mut [f32],
        scratch: &mut Vec<f32>,
    ) {
        let half = half(self.n);
        let (a, b) = waves.split_at(self.count() * width);
        scratch.resize(2 * half * width, 0.0);
        let (even, odd) = scratch.split_at_mut(half * width);
        multiply(
            even,
            rows(&self.cosines.values, self.count()),
            rows(a, width),
        );
        multiply(odd, rows(&self.sines.values, self.count()), rows(b, width));
        run(Unpair {
            n: self.n,
            width,
            even,
            odd,
            values,
        });
    }
}

/// Adds even + odd at j and even - odd at n - j; the odd part is zero at a point that is its own
/// mirror image.
struct Unpair<'a> {
    n: usize,
    width: usize,
    even: &'a [f32],
    odd: &'a [f32],
    values: &'a mut [f32],
}

impl WithSimd for Unpair<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let (n, width) = (self.n, self.width);
        for (i, value) in self.values.chunks_exact_mut(width).enumerate() {
            let j = i.min(n - i);
            let waves = self.even[j * width..][..width]
                .iter()
                .zip(&self.odd[j * width..][..width]);
            if i == j {
                for (value, (even, odd)) in value.iter_mut().zip(waves) {
                    *value += even + odd;
                }
            } else {
                for (value, (even, odd)) in value.iter_mut().zip(waves) {
                    *value += even - odd;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_close, numbers};

    #[test]
    fn sums_and_values_are_those_of_the_waves() {
        for (n, count) in [(1, 1), (2, 2), (3, 2), (8, 3), (9, 5), (64, 17)] {
            let width = 3;
            let f = numbers(n * width, 1.0);
            let points = Points {
                values: &f,
                stride: width,
                part_stride: 0,
                parts: 1,
                length: width,
            };
            let weight = |k: usize| 1.0 + k as f64;
            let mut sums = vec![0.0; 2 * count * width];
            ToFrequencies::new(n, count, weight).sums(points, &mut sums, &mut Vec::new());
            let mut values = vec![0.0; n * width];
            let waves = numbers(2 * count * width, 1.0);
            ToPoints::new(n, count, weight).add_values(&waves, width, &mut values, &mut Vec::new());

            let (mut exact_sums, mut exact_values) = (vec![0.0; sums.len()], vec![0.0; n * width]);
            for (k, j, c) in
                (0..count * n * width).map(|i| (i / width / n, i / width % n, i % width))
            {
                let (sin, cos) = sin_cos(k as i64, j, n);
                let (sin, cos) = ((weight(k) * sin) as f32, (weight(k) * cos) as f32);
                exact_sums[k * width + c] += cos * f[j * width + c];
                exact_sums[(count + k) * width + c] += sin * f[j * width + c];
                exact_values[j * width + c] += cos * waves[k * width + c];
                exact_values[j * width + c] += sin * waves[(count + k) * width + c];
            }
            assert_close(&sums, &exact_sums, 1e-5);
            assert_close(&values, &exact_values, 1e-5);
        }
    }
}
