//! Maps of Sobol indices: which parameter matters at which point of the field.

use std::path::Path;

use floral_decisions::design::Row;
use floral_decisions::law::Laws;

use super::point::AtPoint;
use crate::{Grid, Result};
use floral_data::npz;

/// Sums over the rows of a design for every value of the mean field, relative to the mean field of
/// the first input.
pub(super) struct Maps {
    rows: f64,
    centre: Vec<f64>,
    /// Sum and sum of squares over the points a and b of all rows.
    sums: [Vec<f64>; 2],
    /// Sums of f(a) f(b).
    across: Vec<f64>,
    /// Sums of f(b) f(a_i): `[parameter][value]`.
    products: Vec<Vec<f64>>,
    /// Sums of (f(a) - f(a_i))^2 / 2: `[parameter][value]`.
    squares: Vec<Vec<f64>>,
}

/// First-order and total Sobol indices of the mean at every point.
#[derive(Debug, Clone, PartialEq)]
pub struct FinishedMaps {
    grid: Grid,
    parameters: Vec<String>,
    /// First-order indices: [parameter][channel, point]; NaN where the mean does not vary.
    pub first: Vec<Vec<f64>>,
    /// Total indices: [parameter][channel, point]; NaN where the mean does not vary.
    pub total: Vec<Vec<f64>>,
    /// Variance of the mean over inputs: [channel, point].
    pub variance: Vec<f64>,
}

impl Maps {
    pub(super) fn new(parameters: usize) -> Self {
        Self {
            rows: 0.0,
            centre: Vec::new(),
            sums: [Vec::new(), Vec::new()],
            across: Vec::new(),
            products: vec![Vec::new(); parameters],
            squares: vec![Vec::new(); parameters],
        }
    }

    /// Adds a row, and takes its fields to free their memory.
    pub(super) fn add(&mut self, row: &mut Row<AtPoint>) {
        let take = |point: &mut AtPoint| point.field.take().unwrap_or_default();
        let (mut a, mut b) = (take(&mut row.a), take(&mut row.b));
        let mut mixed: Vec<Vec<f64>> = row.mixed.iter_mut().map(take).collect();
        if self.centre.is_empty() {
            let none = vec![0.0; a.len()];
            self.centre = a.clone();
            self.across = none.clone();
            self.sums.fill(none.clone());
            self.products.fill(none.clone());
            self.squares.fill(none);
        }
        for field in [&mut a, &mut b].into_iter().chain(&mut mixed) {
            field
                .iter_mut()
                .zip(&self.centre)
                .for_each(|(v, c)| *v -= c);
        }
        self.rows += 1.0;
        for p in 0..self.centre.len() {
            self.sums[0][p] += a[p] + b[p];
            self.sums[1][p] += a[p] * a[p] + b[p] * b[p];
            self.across[p] += a[p] * b[p];
            for (i, mixed) in mixed.iter().enumerate() {
                self.products[i][p] += b[p] * mixed[p];
                self.squares[i][p] += 0.5 * (a[p] - mixed[p]).powi(2);
            }
        }
    }

    /// The indices, with the estimators of `floral_decisions::sobol` centred by the mean over a and
    /// b.
    pub(super) fn finish(self, grid: Grid, laws: &Laws) -> FinishedMaps {
        let n = self.rows.max(1.0);
        let values = 0..self.centre.len();
        let square = |p: usize| (self.sums[0][p] / (2.0 * n)).powi(2);
        let variance: Vec<f64> = values
            .clone()
            .map(|p| (self.sums[1][p] / (2.0 * n) - square(p)).max(0.0))
            .collect();
        let scale = variance.iter().copied().fold(0.0, f64::max);
        let share = |part: f64, p: usize| match variance[p] > 1e-12 * scale {
            true => part / variance[p],
            false => f64::NAN,
        };
        let total: Vec<Vec<f64>> = self
            .squares
            .iter()
            .map(|squares| values.clone().map(|p| share(squares[p] / n, p)).collect())
            .collect();
        let first = |(products, total): (&Vec<f64>, &Vec<f64>)| {
            let one = |p: usize| {
                let c = (1.0 - total[p]).clamp(0.0, 1.0);
                let [own, across] = [products[p], self.across[p]].map(|s| s / n - square(p));
                share(own - c * across, p)
            };
            values.clone().map(one).collect()
        };
        FinishedMaps {
            first: self.products.iter().zip(&total).map(first).collect(),
            total,
            variance,
            parameters: laws
                .varying_names()
                .into_iter()
                .map(str::to_owned)
                .collect(),
            grid,
        }
    }
}

/// Reads an archive of maps: shapes and values of its arrays by name.
pub fn read_maps(path: &Path) -> Result<npz::Arrays> {
    npz::read_all(path)
}

/// Writes maps to a NumPy archive: `first_NAME` and `total_NAME` for each parameter and `variance`,
/// all [channel, grid...], and the coordinates.
pub fn write_maps(maps: &FinishedMaps, path: &Path) -> Result<()> {
    let grid = &maps.grid;
    let channels = maps.variance.len() / grid.len().max(1);
    let shape = [vec![channels], grid.shape()].concat();
    let names = |kind: &str| -> Vec<String> {
        maps.parameters
            .iter()
            .map(|name| format!("{kind}_{name}"))
            .collect()
    };
    let (first, total) = (names("first"), names("total"));
    let mut arrays: Vec<npz::NamedArray<'_>> = Vec::new();
    for (names, fields) in [(&first, &maps.first), (&total, &maps.total)] {
        for (name, field) in names.iter().zip(fields) {
            arrays.push((name, shape.clone(), field));
        }
    }
    arrays.push(("variance", shape, &maps.variance));
    for axis in &grid.axes {
        arrays.push((&axis.name, vec![axis.len()], &axis.coordinates));
    }
    npz::write(path, &arrays)
}
