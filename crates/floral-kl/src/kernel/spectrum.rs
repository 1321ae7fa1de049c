//! Fourier transforms along the axes that roll.

use std::sync::Arc;

use floral_fourier::{Complex, Fft, Precision};

use crate::Lattice;

/// A complex number.
pub(super) type C64 = Complex<f64>;

/// The Fourier transform of a lattice along its rolled axes; the identity if there are none.
#[derive(Clone)]
pub(crate) struct Rolls {
    /// Lengths of the rolled axes.
    lengths: Vec<usize>,
    forward: Vec<Arc<dyn Fft<f64>>>,
    inverse: Vec<Arc<dyn Fft<f64>>>,
    /// The point of each (rest, shift), shifts fastest.
    points: Vec<usize>,
    /// Number of shifts, and of frequencies.
    pub count: usize,
    /// One frequency of each pair of opposite ones: these determine a real field.
    halves: Vec<Half>,
}

/// A frequency that stands for itself and its opposite.
#[derive(Debug, Clone, Copy)]
pub(super) struct Half {
    pub frequency: usize,
    /// The opposite frequency, or the same if it is its own opposite.
    opposite: usize,
}

impl Half {
    /// Number of frequencies that it stands for.
    pub(super) fn count(&self) -> f64 {
        if self.frequency == self.opposite {
            1.0
        } else {
            2.0
        }
    }
}

impl Rolls {
    pub(crate) fn new(lattice: &Lattice, rolled: &[usize]) -> Self {
        let lengths: Vec<usize> = rolled.iter().map(|&axis| lattice.axes[axis].len).collect();
        let count: usize = lengths.iter().product();
        let mut points: Vec<usize> = (0..lattice.len()).collect();
        // Axes that do not roll vary slowest, rolled axes fastest.
        points.sort_by_key(|&point| {
            let shift = |place: usize, &axis: &usize| {
                place * lattice.axes[axis].len + lattice.position(point, axis)
            };
            let base: usize = rolled
                .iter()
                .map(|&axis| lattice.position(point, axis) * lattice.stride(axis))
                .sum();
            (point - base, rolled.iter().fold(0, shift))
        });
        let half = |frequency: usize| Half {
            frequency,
            opposite: opposite(&lengths, frequency),
        };
        let halves = (0..count).map(half);
        Self {
            halves: halves
                .filter(|half| half.frequency <= half.opposite)
                .collect(),
            forward: lengths.iter().map(|&n| f64::forward(n)).collect(),
            inverse: lengths.iter().map(|&n| f64::inverse(n)).collect(),
            lengths,
            points,
            count,
        }
    }

    /// Number of points of a field.
    pub(super) fn points(&self) -> usize {
        self.points.len()
    }

    /// The frequencies that determine a real field.
    pub(super) fn halves(&self) -> &[Half] {
        &self.halves
    }

    /// Transforms a field: [channel, point] -> [channel and rest, half].
    pub(super) fn forward(&self, values: &[f64]) -> Vec<C64> {
        let channels = values.chunks_exact(self.points.len());
        let sorted = channels.flat_map(|channel| self.points.iter().map(|&p| channel[p].into()));
        let mut spectrum: Vec<C64> = sorted.collect();
        self.transform(&mut spectrum, &self.forward);
        self.halved(&spectrum)
    }

    /// The half that determines the spectra of real functions: [.., frequency] -> [.., half].
    fn halved(&self, spectra: &[C64]) -> Vec<C64> {
        let spectra = spectra.chunks_exact(self.count);
        spectra
            .flat_map(|spectrum| self.halves.iter().map(|half| spectrum[half.frequency]))
            .collect()
    }

    /// The field with this spectrum, one row per frequency: [half][channel and rest].
    pub(super) fn inverse(&self, rows: &[Vec<C64>]) -> Vec<f64> {
        let rest = rows.first().map_or(0, Vec::len);
        let mut spectrum = vec![C64::default(); rest * self.count];
        for (half, row) in self.halves.iter().zip(rows) {
            for (r, value) in row.iter().enumerate() {
                spectrum[r * self.count + half.opposite] = value.conj();
                spectrum[r * self.count + half.frequency] = *value;
            }
        }
        self.transform(&mut spectrum, &self.inverse);
        self.unsorted(&spectrum)
    }

    fn unsorted(&self, sorted: &[C64]) -> Vec<f64> {
        let n = self.points.len();
        let mut values = vec![0.0; sorted.len()];
        for (out, channel) in values.chunks_exact_mut(n).zip(sorted.chunks_exact(n)) {
            for (&point, value) in self.points.iter().zip(channel) {
                out[point] = value.re / self.count as f64;
            }
        }
        values
    }

    /// Transforms a real function of the shift to one of the frequency: [shift] -> [half].
    pub(super) fn of_shifts(&self, values: impl Iterator<Item = f64>) -> Vec<C64> {
        let mut values: Vec<C64> = values.map(C64::from).collect();
        self.transform(&mut values, &self.forward);
        self.halved(&values)
    }

    /// A real function of the shift from its half spectrum, without the factor 1 / count.
    pub(super) fn to_shifts(&self, halved: &[C64]) -> Vec<C64> {
        let mut values = vec![C64::default(); self.count];
        for (half, value) in self.halves.iter().zip(halved) {
            values[half.opposite] = value.conj();
            values[half.frequency] = *value;
        }
        self.transform(&mut values, &self.inverse);
        values
    }

    fn transform(&self, values: &mut [C64], plans: &[Arc<dyn Fft<f64>>]) {
        for block in values.chunks_exact_mut(self.count.max(1)) {
            let mut stride = self.count;
            for (plan, &n) in plans.iter().zip(&self.lengths) {
                stride /= n;
                along(block, plan.as_ref(), n, stride);
            }
        }
    }
}

/// The frequency of opposite sign.
fn opposite(lengths: &[usize], frequency: usize) -> usize {
    let (mut rest, mut stride, mut opposite) = (frequency, 1, 0);
    for &n in lengths.iter().rev() {
        opposite += (n - rest % n) % n * stride;
        rest /= n;
        stride *= n;
    }
    opposite
}

/// Transforms every line of `n` values that lie `stride` apart.
fn along(block: &mut [C64], plan: &dyn Fft<f64>, n: usize, stride: usize) {
    if stride == 1 {
        plan.process(block);
        return;
    }
    let mut line = vec![C64::default(); n];
    for start in (0..block.len()).filter(|start| (start / stride).is_multiple_of(n)) {
        for (i, value) in line.iter_mut().enumerate() {
            *value = block[start + i * stride];
        }
        plan.process(&mut line);
        for (i, value) in line.iter().enumerate() {
            block[start + i * stride] = *value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    fn lattice() -> Lattice {
        testing::lattice(&[("x", 6), ("t", 3), ("y", 5)], &["x", "y"])
    }

    #[test]
    fn half_the_frequencies_hold_a_real_field() {
        let lattice = lattice();
        let field: Vec<f64> = (0..180).map(|i| f64::from(i * i % 31)).collect();
        for rolled in [vec![], vec![0], vec![2], vec![0, 2]] {
            let rolls = Rolls::new(&lattice, &rolled);
            let (halves, spectrum) = (rolls.halves().len(), rolls.forward(&field));
            let row = |h: usize| spectrum.iter().skip(h).step_by(halves).copied().collect();
            let rows: Vec<Vec<C64>> = (0..halves).map(row).collect();
            let again = rolls.inverse(&rows);
            assert!(again.iter().zip(&field).all(|(a, b)| (a - b).abs() < 1e-12));
            let counted: f64 = rolls.halves().iter().map(Half::count).sum();
            assert_eq!(counted as usize, rolls.count);
        }
    }
}
