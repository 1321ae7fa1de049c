//! Discrete Hartley transforms along every axis of a torus, in real arithmetic.
//!
//! Along an axis of m points: y_k = sum_j x_j cas(2 pi j k / m), cas = cos + sin. A covariance on a
//! torus that is even in each coordinate is diagonal in this basis, and the basis is real,
//! symmetric and orthogonal up to the factor m: Bracewell (1983), J. Opt. Soc. Am. 73, 1832-1835.
//! One transform thus turns white noise into a random field without any bookkeeping of conjugate
//! frequencies.

use std::sync::Arc;

use floral_fourier::{Complex, Fft, Precision, Zero};

/// Pairs of rows transformed together, so that writes are contiguous.
const PAIRS: usize = 8;

/// A transform that, along each axis, reads the first `from` and writes the first `to` of `torus`
/// points; points that are not read count as zero.
#[derive(Clone)]
pub struct Hartley<T> {
    /// One pass per axis, the last axis first.
    passes: Vec<Pass<T>>,
    longest: usize,
}

/// The working memory of a transform, with its input and output.
pub struct Work<T> {
    /// The input before, the output after the transform.
    pub values: Vec<T>,
    other: Vec<T>,
    lines: Vec<Complex<T>>,
    scratch: Vec<Complex<T>>,
}

impl<T: Precision> Hartley<T> {
    pub(super) fn new(from: &[usize], torus: &[usize], to: &[usize]) -> Self {
        let mut shape = from.to_vec();
        let mut longest: usize = shape.iter().product();
        let mut passes = Vec::new();
        for axis in (0..torus.len()).rev() {
            let rows = shape.iter().product::<usize>() / shape[axis];
            passes.push(Pass {
                fft: T::forward(torus[axis]),
                rows,
                from: from[axis],
                to: to[axis],
            });
            shape[axis] = to[axis];
            longest = longest.max(shape.iter().product());
        }
        Self { passes, longest }
    }

    pub(super) fn work(&self) -> Work<T> {
        let lines = self.passes.iter().map(|p| PAIRS * p.fft.len()).max();
        let scratch = self.passes.iter().map(|p| p.fft.get_inplace_scratch_len());
        Work {
            values: Vec::with_capacity(self.longest),
            other: Vec::with_capacity(self.longest),
            lines: vec![Complex::zero(); lines.unwrap_or(0)],
            scratch: vec![Complex::zero(); scratch.max().unwrap_or(0)],
        }
    }

    /// values: [from...] -> [to...].
    pub(super) fn transform(&self, work: &mut Work<T>) {
        for pass in &self.passes {
            work.other.resize(pass.rows * pass.to, T::zero());
            pass.run(
                &work.values,
                &mut work.other,
                &mut work.lines,
                &mut work.scratch,
            );
            std::mem::swap(&mut work.values, &mut work.other);
        }
    }
}

/// The transform along the last axis, which becomes the first.
#[derive(Clone)]
struct Pass<T> {
    fft: Arc<dyn Fft<T>>,
    rows: usize,
    from: usize,
    to: usize,
}

impl<T: Precision> Pass<T> {
    /// input: [rows, from] -> output: [to, rows].
    fn run(
        &self,
        input: &[T],
        output: &mut [T],
        lines: &mut [Complex<T>],
        scratch: &mut [Complex<T>],
    ) {
        let length = self.fft.len();
        for (group, rows) in input.chunks(2 * PAIRS * self.from).enumerate() {
            let pairs = rows.len().div_ceil(2 * self.from);
            let lines = &mut lines[..pairs * length];
            for (pair, line) in rows
                .chunks(2 * self.from)
                .zip(lines.chunks_exact_mut(length))
            {
                pack(pair, self.from, line);
            }
            self.fft.process_with_scratch(lines, scratch);
            self.unpack(lines, 2 * PAIRS * group, output);
        }
    }

    /// Separates the transforms of the two rows packed in each line.
    ///
    /// With Z = F(a + i b) and Z' its value at the opposite frequency, the Hartley transforms of a
    /// and b are (Re Z + Re Z' - Im Z + Im Z') / 2 and (Im Z + Im Z' + Re Z - Re Z') / 2.
    fn unpack(&self, lines: &[Complex<T>], first_row: usize, output: &mut [T]) {
        let length = self.fft.len();
        let half = T::one() / (T::one() + T::one());
        for (k, column) in output.chunks_exact_mut(self.rows).enumerate() {
            let opposite = (length - k) % length;
            let column = &mut column[first_row..];
            for (line, pair) in lines.chunks_exact(length).zip(column.chunks_mut(2)) {
                let (z, w) = (line[k], line[opposite]);
                pair[0] = half * (z.re + w.re - z.im + w.im);
                if let Some(second) = pair.get_mut(1) {
                    *second = half * (z.im + w.im + z.re - w.re);
                }
            }
        }
    }
}

/// Packs two rows, or the last one alone, into one complex line padded with zeros.
fn pack<T: Precision>(pair: &[T], from: usize, line: &mut [Complex<T>]) {
    let (first, second) = pair.split_at(from);
    if second.is_empty() {
        for (z, &a) in line.iter_mut().zip(first) {
            *z = Complex::new(a, T::zero());
        }
    } else {
        for (z, (&a, &b)) in line.iter_mut().zip(first.iter().zip(second)) {
            *z = Complex::new(a, b);
        }
    }
    line[from..].fill(Complex::zero());
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    fn cas(j: usize, k: usize, m: usize) -> f64 {
        let angle = TAU * (j * k % m) as f64 / m as f64;
        angle.cos() + angle.sin()
    }

    fn transformed(values: &[f64], from: &[usize], torus: &[usize], to: &[usize]) -> Vec<f64> {
        let hartley = Hartley::new(from, torus, to);
        let mut work = hartley.work();
        work.values.extend_from_slice(values);
        hartley.transform(&mut work);
        work.values
    }

    #[test]
    fn a_pruned_transform_is_its_defining_sum() {
        let (from, torus, to) = ([3, 5], [7, 9], [4, 9]);
        let values: Vec<f64> = (0..15).map(|i| f64::from(i * i % 11) - 4.0).collect();
        let result = transformed(&values, &from, &torus, &to);
        for k in 0..4 {
            for l in 0..9 {
                let terms = (0..15).map(|i| values[i] * cas(i / 5, k, 7) * cas(i % 5, l, 9));
                assert!((result[9 * k + l] - terms.sum::<f64>()).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn transforming_twice_multiplies_by_the_number_of_points() {
        for shape in [vec![1], vec![40], vec![45, 2], vec![3, 1, 50]] {
            let points = shape.iter().product::<usize>();
            let values: Vec<f64> = (0..points).map(|i| (i as f64).sin()).collect();
            let once = transformed(&values, &shape, &shape, &shape);
            let twice = transformed(&once, &shape, &shape, &shape);
            for (value, back) in values.iter().zip(&twice) {
                assert!((back - value * points as f64).abs() < 1e-11);
            }
        }
    }
}
