//! Coefficients of local features by ridge regression, and what they say of inputs left out.

use floral_linalg::{Mat, MatRef, solve_positive};
use rayon::prelude::*;

use super::{Columns, LocalPlan};
use crate::regression::case::Framed;
use crate::regression::target::Examples;
use crate::regression::{Lattice, Symmetries};

/// Ridges tried, as shares of the mean diagonal of the normal matrix.
const RIDGES: [f64; 9] = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0];

/// Points of an input that enter the fit; neighbours tell the same.
const MOST_ROWS: usize = 4096;

/// A plan of more columns is not tried: its normal matrix costs more than it tells.
const MOST_COLUMNS: usize = 450;

/// Sums over one input's points and motions.
struct Normal {
    /// Columns times columns.
    xx: Mat<f64>,
    /// Columns times target: [column, channel].
    xy: Mat<f64>,
    /// Target times target, over all channels.
    yy: f64,
}

/// A fitted local regression.
pub(in crate::regression) struct LocalFit {
    columns: Columns,
    coefficients: Mat<f64>,
    every: Vec<usize>,
    /// For each training input its target as predicted by the others: [channel, point].
    pub left_out: Vec<Vec<f64>>,
}

impl LocalFit {
    /// Fits and chooses the ridge; none if there are too many columns, or if no ridge makes the
    /// normal matrix definite.
    pub(in crate::regression) fn new(
        plan: &LocalPlan,
        lattice: &Lattice,
        symmetries: &Symmetries,
        examples: &Examples<'_>,
    ) -> Option<Self> {
        let columns = Columns::new(plan, lattice, symmetries, examples.framed);
        if columns.count(&examples.framed[0]) > MOST_COLUMNS {
            return None;
        }
        let rows = rows(lattice, symmetries);
        let inputs = 0..examples.framed.len();
        let normals: Vec<Normal> = inputs
            .into_par_iter()
            .map(|i| normal(&columns, symmetries, examples, i, &rows))
            .collect();
        let (ridge, left_out) = choose(&normals)?;
        let every: Vec<usize> = (0..lattice.len()).collect();
        let predict =
            |(framed, beta): (&Framed, &Mat<f64>)| product(&columns, framed, beta, &every);
        let left_out = examples
            .framed
            .par_iter()
            .zip(&left_out)
            .map(predict)
            .collect();
        let coefficients = solve(&total(&normals), ridge)?;
        Some(Self {
            columns,
            coefficients,
            every,
            left_out,
        })
    }

    /// The target of a query: [channel, point].
    pub(in crate::regression) fn predict(&self, framed: &Framed) -> Vec<f64> {
        product(&self.columns, framed, &self.coefficients, &self.every)
    }
}

/// Every point, or a regular part of them along an axis that does not roll.
fn rows(lattice: &Lattice, symmetries: &Symmetries) -> Vec<usize> {
    let thin = lattice.len().div_ceil(MOST_ROWS);
    let still = (0..lattice.axes.len()).find(|axis| !symmetries.rolled.contains(axis));
    let axis = still.unwrap_or(0);
    let kept = |p: &usize| lattice.position(*p, axis) % thin == thin - 1;
    (0..lattice.len()).filter(kept).collect()
}

fn normal(
    columns: &Columns,
    symmetries: &Symmetries,
    examples: &Examples<'_>,
    input: usize,
    rows: &[usize],
) -> Normal {
    let target = &examples.targets[input];
    let points = symmetries.motions[0].points();
    let channels = target.len() / points;
    let mut sum: Option<Normal> = None;
    for (m, motion) in symmetries.motions.iter().enumerate() {
        let x = columns.at(&examples.framed[input].moved(symmetries, m), rows);
        let x = MatRef::from_column_major_slice(&x, rows.len(), x.len() / rows.len());
        let moved = examples.parity.apply(motion, target);
        let y = Mat::from_fn(rows.len(), channels, |r, c| moved[c * points + rows[r]]);
        let this = Normal {
            xx: x.transpose() * x,
            xy: x.transpose() * &y,
            yy: y.squared_norm_l2(),
        };
        sum = Some(match sum {
            None => this,
            Some(sum) => add(sum, &this),
        });
    }
    sum.expect("a group has its identity")
}

fn add(mut sum: Normal, other: &Normal) -> Normal {
    sum.xx += &other.xx;
    sum.xy += &other.xy;
    sum.yy += other.yy;
    sum
}

fn total(normals: &[Normal]) -> Normal {
    let zero = Normal {
        xx: Mat::zeros(normals[0].xx.nrows(), normals[0].xx.ncols()),
        xy: Mat::zeros(normals[0].xy.nrows(), normals[0].xy.ncols()),
        yy: 0.0,
    };
    normals.iter().fold(zero, add)
}

/// (xx + ridge I) beta = xy, with the ridge in units of the mean diagonal.
fn solve(normal: &Normal, ridge: f64) -> Option<Mat<f64>> {
    let n = normal.xx.nrows();
    let mut matrix = normal.xx.clone();
    let mean = (0..n).map(|i| matrix[(i, i)]).sum::<f64>() / n as f64;
    for i in 0..n {
        matrix[(i, i)] += ridge * mean + f64::MIN_POSITIVE;
    }
    solve_positive(&matrix, &normal.xy)
}

/// The ridge of least error at inputs left out, with the coefficients found without each.
fn choose(normals: &[Normal]) -> Option<(f64, Vec<Mat<f64>>)> {
    let total = total(normals);
    let tried = RIDGES.par_iter().filter_map(|&ridge| {
        let without = |normal: &Normal| {
            let rest = Normal {
                xx: &total.xx - &normal.xx,
                xy: &total.xy - &normal.xy,
                yy: 0.0,
            };
            solve(&rest, ridge)
        };
        let betas: Option<Vec<Mat<f64>>> = normals.iter().map(without).collect();
        let betas = betas?;
        let errors = normals
            .iter()
            .zip(&betas)
            .map(|(normal, beta)| error(normal, beta));
        Some((errors.sum::<f64>(), ridge, betas))
    });
    let tried: Vec<(f64, f64, Vec<Mat<f64>>)> = tried.collect();
    let best = tried.into_iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    Some((best.1, best.2))
}

/// Norm of target minus columns times beta.
fn error(normal: &Normal, beta: &Mat<f64>) -> f64 {
    let explained = &normal.xx * beta;
    let pairs = |a: &Mat<f64>| -> f64 {
        let channel = |c| beta.col(c).transpose() * a.col(c);
        (0..beta.ncols()).map(channel).sum()
    };
    (normal.yy - 2.0 * pairs(&normal.xy) + pairs(&explained))
        .max(0.0)
        .sqrt()
}

fn product(columns: &Columns, framed: &Framed, beta: &Mat<f64>, rows: &[usize]) -> Vec<f64> {
    let x = columns.at(framed, rows);
    let x = MatRef::from_column_major_slice(&x, rows.len(), beta.nrows());
    let y = x * beta;
    let channel = |c| (0..rows.len()).map(move |r| (r, c));
    (0..beta.ncols())
        .flat_map(channel)
        .map(|place| y[place])
        .collect()
}
