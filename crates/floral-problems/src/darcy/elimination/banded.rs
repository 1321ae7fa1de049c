//! Banded elimination with row exchanges: slower, but stable for any permeability.

use pulp::Scalar;

use super::assembly::Sides;
use super::stencil::{DIAGONAL, Stencil};

/// The bordered system as a band matrix of half-width n, with room for the fill-in of row
/// exchanges.
struct Band {
    /// Row i holds the columns i - n ..= i + 2n, then its entries of source and border.
    rows: Vec<f64>,
    n: usize,
    width: usize,
}

/// The pressure of zero mean and the multiplier; infinite or NaN if the system is singular. Takes
/// O(n^4) operations and 24 n^3 bytes.
pub fn solve(stencil: &Stencil<Scalar>, n: usize, sides: Sides) -> (Vec<f64>, f64) {
    let mut band = Band::assemble(stencil, n, sides);
    for pivot in 0..n * n - 1 {
        band.eliminate(pivot);
    }
    let (mut pressure, multiplier) = band.substitute_back();
    let mean: f64 = pressure.iter().zip(sides.border).map(|(p, q)| p * q).sum();
    pressure.iter_mut().for_each(|p| *p -= mean);
    (pressure, multiplier)
}

impl Band {
    fn assemble(stencil: &Stencil<Scalar>, n: usize, sides: Sides) -> Self {
        let width = 3 * n + 3;
        let mut rows = vec![0.0; n * n * width];
        for (node, row) in rows.chunks_exact_mut(width).enumerate() {
            row[n] = DIAGONAL;
            for (place, coupling) in [0, 2 * n, n - 1, n + 1].iter().zip(stencil.couplings[node]) {
                row[*place] += coupling;
            }
            row[width - 2] = sides.source[node] * stencil.scale[node];
            row[width - 1] = sides.border[node] * stencil.scale[node];
        }
        Self { rows, n, width }
    }

    /// Rows after the pivot's own that reach column `pivot`.
    fn reach(&self, pivot: usize) -> std::ops::Range<usize> {
        pivot + 1..(pivot + self.n + 1).min(self.n * self.n)
    }

    fn eliminate(&mut self, pivot: usize) {
        let (n, width) = (self.n, self.width);
        let size = |band: &Self, row: usize| band.rows[row * width + n + pivot - row].abs();
        let largest = self.reach(pivot).fold(pivot, |best, row| {
            if size(self, row) > size(self, best) {
                row
            } else {
                best
            }
        });
        self.exchange(pivot, largest);
        let (above, below) = self.rows.split_at_mut((pivot + 1) * width);
        let upper = &above[pivot * width..];
        let reach = n.min(n * n - 1 - pivot);
        for (below, row) in below.chunks_exact_mut(width).take(reach).enumerate() {
            let start = n - 1 - below;
            let factor = row[start] / upper[n];
            if factor != 0.0 {
                subtract(&mut row[start..=start + 2 * n], &upper[n..=3 * n], factor);
                subtract(&mut row[width - 2..], &upper[width - 2..], factor);
            }
        }
    }

    /// Exchanges two rows, starting at column `upper`.
    fn exchange(&mut self, upper: usize, lower: usize) {
        let (n, width) = (self.n, self.width);
        if upper == lower {
            return;
        }
        let (above, below) = self.rows.split_at_mut(lower * width);
        let first = &mut above[upper * width..][..width];
        let second = &mut below[..width];
        let start = n - (lower - upper);
        first[n..=3 * n].swap_with_slice(&mut second[start..=start + 2 * n]);
        first[width - 2..].swap_with_slice(&mut second[width - 2..]);
    }

    /// The last equation gives the multiplier; the last pressure is free and set to zero.
    fn substitute_back(&self) -> (Vec<f64>, f64) {
        let (n, width, count) = (self.n, self.width, self.n * self.n);
        let sides = |row: usize| {
            (
                self.rows[row * width + width - 2],
                self.rows[(row + 1) * width - 1],
            )
        };
        let (source, border) = sides(count - 1);
        let multiplier = source / border;
        let mut pressure = vec![0.0; count];
        for row in (0..count - 1).rev() {
            let upper = &self.rows[row * width + n..][..2 * n + 1];
            let later = &pressure[row + 1..count.min(row + 2 * n + 1)];
            let known: f64 = upper[1..].iter().zip(later).map(|(u, p)| u * p).sum();
            let (source, border) = sides(row);
            pressure[row] = (source - multiplier * border - known) / upper[0];
        }
        (pressure, multiplier)
    }
}

fn subtract(row: &mut [f64], upper: &[f64], factor: f64) {
    for (value, u) in row.iter_mut().zip(upper) {
        *value -= factor * u;
    }
}
