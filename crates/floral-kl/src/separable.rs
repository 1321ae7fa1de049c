//! Filters of a grid at a product of positions: filtering along an axis keeps only the requested
//! positions.

use floral_linalg::{Accum, MatMut, MatRef, product};

use crate::Lattice;
use crate::filters::inside;
use crate::large::{Positions, is_large};

/// Filters with more taps than this share of an axis are applied as a dense matrix.
const DENSE: f64 = 0.25;

/// A field at a product of positions: number of positions along each axis, and values.
struct Part {
    shape: Vec<usize>,
    values: Vec<f64>,
}

/// An axis and taps along it.
type Along = (usize, Vec<f64>);

/// Whether a grid is filtered this way: if it is large, or has three axes and thus many filters.
pub(crate) fn suits(lattice: &Lattice) -> bool {
    lattice.points().is_none() && (is_large(lattice) || lattice.axes.len() > 2)
}

/// Passes to `take` the field as filtered by every filter (taps along some axes) at the requested
/// points. Filters that begin with the same taps share that part of the work.
pub(crate) fn each(
    lattice: &Lattice,
    filters: &[Vec<Along>],
    field: &[f64],
    at: &Positions,
    mut take: impl FnMut(&[f64]),
) {
    let is_filtered = |axis: &usize| filters.iter().flatten().any(|along| along.0 == *axis);
    let mut begun = Part {
        shape: lattice.shape(),
        values: field.to_vec(),
    };
    for axis in (0..lattice.axes.len()).filter(|axis| !is_filtered(axis)) {
        begun = begun.restricted(axis, &at.along[axis]);
    }
    let mut stack: Vec<(&Along, Part)> = Vec::new();
    for filter in filters {
        let same = stack.iter().zip(filter).take_while(|(a, b)| a.0 == *b);
        let same = same.count();
        stack.truncate(same);
        for along in &filter[same..] {
            let before = stack.last().map_or(&begun, |(_, part)| part);
            let next = before.filtered(lattice, along, &at.along[along.0]);
            stack.push((along, next));
        }
        let values = &stack.last().map_or(&begun, |(_, part)| part).values;
        take(&at.places.iter().map(|&p| values[p]).collect::<Vec<f64>>());
    }
}

impl Part {
    /// Numbers of positions before an axis, along it and after it.
    fn around(&self, axis: usize) -> [usize; 3] {
        let product = |shape: &[usize]| shape.iter().product();
        [
            product(&self.shape[..axis]),
            self.shape[axis],
            product(&self.shape[axis + 1..]),
        ]
    }

    /// The field at some positions along an axis.
    fn restricted(&self, axis: usize, kept: &[usize]) -> Self {
        let [_, n, after] = self.around(axis);
        let blocks = self.values.chunks_exact(n * after);
        let lines = |block: &[f64]| -> Vec<f64> {
            let line = |i: &usize| block[i * after..(i + 1) * after].to_vec();
            kept.iter().flat_map(line).collect()
        };
        self.with(axis, kept.len(), blocks.flat_map(lines).collect())
    }

    fn with(&self, axis: usize, count: usize, values: Vec<f64>) -> Self {
        let mut shape = self.shape.clone();
        shape[axis] = count;
        Self { shape, values }
    }

    /// The field convolved with taps along an axis, at some positions.
    fn filtered(&self, lattice: &Lattice, (axis, taps): &Along, kept: &[usize]) -> Self {
        let [before, n, after] = self.around(*axis);
        let periodic = lattice.axes[*axis].periodic;
        let mut values = vec![0.0; before * kept.len() * after];
        match taps.len() as f64 > DENSE * n as f64 {
            true => {
                let matrix = dense(taps, kept, n, periodic);
                let matrix = MatRef::from_row_major_slice(&matrix, kept.len(), n);
                multiply(matrix, &self.values, after, &mut values);
            }
            false => {
                let seen = |i: &usize| seen(taps, *i, n, periodic).collect();
                let seen: Vec<Vec<(usize, f64)>> = kept.iter().map(seen).collect();
                let blocks = self.values.chunks_exact(n * after);
                for (block, out) in blocks.zip(values.chunks_exact_mut(kept.len() * after)) {
                    add(&seen, block, after, out);
                }
            }
        }
        self.with(*axis, kept.len(), values)
    }
}

/// The positions under a filter at position `i` of `n`, with their weights.
fn seen(
    taps: &[f64],
    i: usize,
    n: usize,
    periodic: bool,
) -> impl Iterator<Item = (usize, f64)> + '_ {
    let first = i as i64 - (taps.len() / 2) as i64;
    let places = (first..).map(move |j| inside(j, n, periodic));
    places.zip(taps.iter().rev().copied())
}

/// Applies a filter at each kept position to a block: [position, after] -> [kept, after].
fn add(seen: &[Vec<(usize, f64)>], block: &[f64], after: usize, out: &mut [f64]) {
    if after == 1 {
        for (seen, out) in seen.iter().zip(out) {
            *out = seen.iter().map(|(j, weight)| weight * block[*j]).sum();
        }
        return;
    }
    for (seen, out) in seen.iter().zip(out.chunks_exact_mut(after)) {
        for (j, weight) in seen {
            let line = &block[j * after..(j + 1) * after];
            out.iter_mut().zip(line).for_each(|(o, v)| *o += weight * v);
        }
    }
}

/// The matrix of a filter at the kept positions: [kept, position].
fn dense(taps: &[f64], kept: &[usize], n: usize, periodic: bool) -> Vec<f64> {
    let mut matrix = vec![0.0; kept.len() * n];
    for (row, &i) in matrix.chunks_exact_mut(n).zip(kept) {
        seen(taps, i, n, periodic).for_each(|(j, weight)| row[j] += weight);
    }
    matrix
}

/// Multiplies every block [position, after] by a matrix; along the last axis all blocks at once.
fn multiply(matrix: MatRef<'_, f64>, from: &[f64], after: usize, out: &mut [f64]) {
    let (kept, n) = (matrix.nrows(), matrix.ncols());
    if after == 1 {
        let from = MatRef::from_row_major_slice(from, from.len() / n, n);
        let out = MatMut::from_row_major_slice_mut(out, from.nrows(), kept);
        return product(out, Accum::Replace, from, matrix.transpose(), 1.0);
    }
    let blocks = from.chunks_exact(n * after);
    for (from, out) in blocks.zip(out.chunks_exact_mut(kept * after)) {
        let from = MatRef::from_row_major_slice(from, n, after);
        let out = MatMut::from_row_major_slice_mut(out, kept, after);
        product(out, Accum::Replace, matrix, from, 1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::{convolve, taps};
    use crate::testing::lattice;

    #[test]
    fn filters_at_some_points_are_those_of_the_whole_grid() {
        let lattice = lattice(&[("t", 9), ("y", 6), ("x", 40)], &["x"]);
        let field: Vec<f64> = (0..lattice.len()).map(|p| (p as f64 * 0.7).sin()).collect();
        let filters: Vec<Vec<Along>> = [(3.0, 0), (3.0, 2), (0.7, 1)]
            .map(|(width, order)| {
                [0, 2]
                    .map(|axis| (axis, taps(width, 2).swap_remove(order)))
                    .to_vec()
            })
            .to_vec();
        let points: Vec<usize> = (0..lattice.len())
            .filter(|p| {
                lattice.position(*p, 0) % 4 == 1 && lattice.position(*p, 1).is_multiple_of(2)
            })
            .collect();
        let at = Positions::of(&lattice, &points).unwrap();
        let mut found = Vec::new();
        each(&lattice, &filters, &field, &at, |values| {
            found.push(values.to_vec());
        });
        for (filter, found) in filters.iter().zip(found) {
            let along =
                |field: Vec<f64>, (axis, taps): &Along| convolve(&lattice, *axis, taps, &field);
            let whole = filter.iter().fold(field.clone(), along);
            for (p, value) in points.iter().zip(found) {
                assert!((value - whole[*p]).abs() < 1e-12);
            }
        }
    }
}
