//! A bank of filters: smoothed values and derivatives of fields on scattered points.
//!
//! With s_j = (x - x_j) / w, the filter of orders b is sum_j p_j prod_k He_{b_k}(2 s_jk) /
//! sqrt(b_k!) f_j, where p_j is proportional to the weight of cluster j times exp(-|s_j|^2) and the
//! p_j sum to one. These are the tensor products of `filters`, with a quadrature in place of the
//! sum over a grid. The response to a constant is corrected: at every point, also at the border, it
//! is that of an unbounded grid.

use std::sync::Arc;

use rayon::prelude::*;

use super::{Clusters, place};
use crate::symmetry::Points;

/// Reach of filters in widths, and its increase per order.
const REACH: f64 = 2.5;
const FARTHER: f64 = 0.2;

/// Number of clusters along a width.
const IN_WIDTH: f64 = 2.5;

/// Smallest width of a filter, in spacings of its point.
const LEAST: f64 = 0.7;

/// Rows that are filtered together.
const BLOCK: usize = 256;

/// Filters of one width, of all orders up to a total order.
#[derive(Debug, Clone)]
pub(crate) struct Bank {
    points: Arc<Points>,
    clusters: Clusters,
    width: f64,
    order: usize,
    /// The order of each filter along the coordinates; that of the first is zero.
    orders: Vec<[usize; 3]>,
    /// The filters that are returned, as indices of `orders`.
    kept: Vec<usize>,
}

impl Bank {
    /// Filters whose width is a share of the bounding box of the points.
    pub(crate) fn new(points: &Arc<Points>, width: f64, order: usize) -> Self {
        let orders = orders(points.coordinates().len(), order);
        Self {
            clusters: Clusters::new(points, width / IN_WIDTH),
            points: points.clone(),
            width,
            order: order.min(MOST_ORDER),
            kept: (0..orders.len()).collect(),
            orders,
        }
    }

    /// Only the filters of first order, one per coordinate.
    pub(crate) fn slopes(points: &Arc<Points>, width: f64) -> Self {
        let mut bank = Self::new(points, width, 1);
        let axes = points.coordinates().len();
        let along = |axis: usize| std::array::from_fn(|k| usize::from(k == axis));
        bank.kept = (0..axes)
            .filter_map(|axis| bank.orders.iter().position(|b| *b == along(axis)))
            .collect();
        bank
    }

    /// The total order of every filter that is returned.
    pub(crate) fn totals(&self) -> impl Iterator<Item = usize> {
        self.kept.iter().map(|&k| self.orders[k].iter().sum())
    }

    /// Applies every filter to fields [field][point] at some points: [field][filter][row].
    pub(crate) fn apply(&self, fields: &[Vec<f64>], rows: &[usize]) -> Vec<Vec<Vec<f64>>> {
        let means: Vec<Vec<f64>> = fields.iter().map(|f| self.clusters.means(f)).collect();
        let (fields, filters) = (means.len(), self.orders.len());
        // [cluster, field]: the values of a cluster are adjacent in memory.
        let beside = (0..self.clusters.count()).flat_map(|c| means.iter().map(move |m| m[c]));
        let beside: Vec<f64> = beside.collect();
        let mut found = vec![0.0; rows.len() * fields * filters];
        let size = (fields * filters).max(1);
        let blocks = found
            .par_chunks_mut(size * BLOCK)
            .zip(rows.par_chunks(BLOCK));
        blocks.for_each(|(found, rows)| {
            for (found, &row) in found.chunks_exact_mut(size).zip(rows) {
                self.at(row, &beside, found);
            }
        });
        let column = |k: usize| found.iter().skip(k).step_by(size).copied();
        let kept = |f: usize| self.kept.iter().map(move |b| b * fields + f);
        let of = |f: usize| kept(f).map(|k| column(k).collect()).collect();
        (0..fields).map(of).collect()
    }

    /// Filters at one point. means: [cluster, field]; out: [filter, field], zero at first.
    fn at(&self, row: usize, means: &[f64], out: &mut [f64]) {
        let fields = out.len() / self.orders.len();
        let width = self.width.max(LEAST * self.points.spacing(row));
        let reach = REACH + FARTHER * self.order as f64;
        let mut sums = vec![0.0; self.orders.len()];
        let mut hermite = [[0.0; 3]; MOST_ORDER + 1];
        let at = place(self.points.coordinates(), row);
        self.clusters
            .around(at, reach * width, |cluster, s, square| {
                let envelope = (-square * reach * reach).exp() * self.clusters.weights()[cluster];
                polynomials(s.map(|s| 2.0 * reach * s), self.order, &mut hermite);
                let seen = &means[cluster * fields..(cluster + 1) * fields];
                let filters = self.orders.iter().zip(&mut sums);
                for ((b, sum), out) in filters.zip(out.chunks_exact_mut(fields)) {
                    let factor = (0..3).fold(envelope, |factor, k| factor * hermite[b[k]][k]);
                    *sum += factor;
                    out.iter_mut().zip(seen).for_each(|(o, v)| *o += factor * v);
                }
            });
        let (first, rest) = out.split_at_mut(fields);
        first.iter_mut().for_each(|v| *v /= sums[0]);
        let filters = self.orders.iter().zip(&sums).skip(1);
        for ((b, sum), out) in filters.zip(rest.chunks_exact_mut(fields)) {
            let whole = (0..3).map(|k| of_constant(b[k])).product::<f64>();
            for (value, mean) in out.iter_mut().zip(&*first) {
                *value = (*value - mean * sum) / sums[0] + mean * whole;
            }
        }
    }
}

/// Largest total order of a filter.
const MOST_ORDER: usize = 32;

/// All orders along `axes` coordinates up to a total order, in the same sequence as for filters of
/// a grid.
fn orders(axes: usize, order: usize) -> Vec<[usize; 3]> {
    let order = order.min(MOST_ORDER);
    let mut all = vec![[0; 3]];
    for axis in 0..axes {
        let longer = all.iter().flat_map(|b: &[usize; 3]| {
            let left = order - b.iter().sum::<usize>();
            (0..=left).map(move |own| {
                let mut b = *b;
                b[axis] = own;
                b
            })
        });
        all = longer.collect();
    }
    all
}

/// He_b(x) / sqrt(b!) along every axis: [order][axis].
fn polynomials(x: [f64; 3], order: usize, out: &mut [[f64; 3]; MOST_ORDER + 1]) {
    out[0] = [1.0; 3];
    let mut before = [0.0; 3];
    for b in 0..order.min(MOST_ORDER) {
        let (root, next) = ((b as f64).sqrt(), ((b + 1) as f64).sqrt());
        for k in 0..3 {
            out[b + 1][k] = (x[k] * out[b][k] - root * before[k]) / next;
        }
        before = out[b];
    }
}

/// The response of a filter of order b to the constant 1 on an unbounded line: the mean of
/// He_b(2 s) / sqrt(b!) over s of variance 1/2. It is sqrt(b!) / (2^m m!) for b = 2 m and zero for
/// odd b.
fn of_constant(b: usize) -> f64 {
    match b % 2 {
        // sqrt((2m)!) / (2^m m!) by its ratio sqrt((2m - 1) / (2m)).
        0 => (1..=b / 2)
            .map(|m| ((2 * m - 1) as f64 / (2 * m) as f64).sqrt())
            .product(),
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::{convolve, taps};
    use crate::testing::{lattice, scattered, square_points};

    #[test]
    fn filters_of_order_zero_keep_constants_and_odd_ones_see_none() {
        let points = Arc::new(scattered(400, 3));
        let rows: Vec<usize> = (0..400).collect();
        for width in [1e-3, 0.05, 0.5] {
            let bank = Bank::new(&points, width, 3);
            let found = bank.apply(&[vec![2.0; 400]], &rows);
            for (b, values) in bank.orders.iter().zip(&found[0]) {
                let expected = 2.0 * (0..3).map(|k| of_constant(b[k])).product::<f64>();
                assert!(values.iter().all(|v| (v - expected).abs() < 1e-9), "{b:?}");
            }
        }
        assert!((of_constant(2) - 0.5_f64.sqrt()).abs() < 1e-15);
    }

    /// Compared inside the domain, where no end of the grid is in reach.
    #[test]
    fn on_a_grid_of_points_filters_are_those_of_the_grid() {
        const N: usize = 41;
        let grid = lattice(&[("y", N), ("x", N)], &[]);
        let points = Arc::new(square_points(N));
        let wave = |p: usize| (0.31 * (p / N) as f64).sin() + (0.17 * (p % N) as f64).cos();
        let field: Vec<f64> = (0..N * N).map(wave).collect();
        let width = 0.08;
        let bank = Bank::new(&points, width, 2);
        let found = bank.apply(
            std::slice::from_ref(&field),
            &(0..N * N).collect::<Vec<_>>(),
        );
        let taps = taps(width * (N - 1) as f64, 2);
        let middle = N / 2 * N + N / 2;
        for (b, values) in bank.orders.iter().zip(&found[0]) {
            let along_y = convolve(&grid, 0, &taps[b[0]], &field);
            let expected = convolve(&grid, 1, &taps[b[1]], &along_y)[middle];
            assert!((values[middle] - expected).abs() < 0.05, "{b:?} {expected}");
        }
    }

    #[test]
    fn refining_a_part_of_the_points_hardly_changes_a_filtered_field() {
        let all: Vec<usize> = (0..900).collect();
        let smooth = |points: &Points| -> Vec<f64> {
            let [x, y] = [&points.coordinates()[0], &points.coordinates()[1]];
            x.iter()
                .zip(y)
                .map(|(x, y)| (3.0 * x).sin() + y * y)
                .collect()
        };
        let plain = Arc::new(square_points(30));
        let finer = Arc::new(crate::testing::refined_square(30));
        let of = |points: &Arc<Points>| {
            let bank = Bank::new(points, 0.15, 1);
            bank.apply(&[smooth(points)], &all).swap_remove(0)
        };
        for (a, b) in of(&plain).iter().zip(of(&finer)) {
            assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 0.03));
        }
    }
}
