//! The runs of one input as factors and coefficients: principal components of its centred runs.
//!
//! `law` draws from them; the residual that the leading factors leave determines how smooth the
//! `remainder` is.

use floral_linalg::{Mat, MatRef, symmetric_eigen};

use super::Lattice;
use super::scattered::roots;

/// Maximum number of factors per input; the remainder stands for the rest of the variance.
const MOST_FACTORS: usize = 16;

/// The runs of one input as factors and coefficients.
pub(super) struct Runs {
    /// Factor fields: [factor, value].
    pub factors: Vec<f32>,
    /// Standard deviation of the runs at every value.
    pub deviation: Vec<f32>,
    /// Coefficients of mean 0 and mean square 1 over runs: [run, factor].
    pub coefficients: Vec<f32>,
}

/// Smoothness of what the factors leave, along each axis: sums of squares, and of products of
/// neighbours.
#[derive(Default)]
pub(super) struct Smoothness {
    pub squares: Vec<f64>,
    pub products: Vec<f64>,
}

impl Runs {
    /// Decomposes realizations, [realization, value], divided by `size`, by the eigenvectors of
    /// their inner products. `near` are the nearest neighbours of scattered points. `None` if the
    /// eigenvalue iteration fails.
    pub(super) fn new(
        realizations: &[f64],
        size: f64,
        values: usize,
        lattice: &Lattice,
        near: Option<&[Option<(usize, f64)>]>,
    ) -> Option<(Self, Smoothness)> {
        let count = realizations.len() / values;
        if count < 2 {
            let none = Self {
                factors: Vec::new(),
                deviation: vec![0.0; values],
                coefficients: Vec::new(),
            };
            return Some((none, Smoothness::default()));
        }
        let x = MatRef::from_column_major_slice(realizations, values, count);
        let mean = |p: usize| (0..count).map(|j| x[(p, j)]).sum::<f64>() / count as f64;
        let means: Vec<f64> = (0..values).map(mean).collect();
        let unit = ((count - 1) as f64).sqrt();
        let centred = Mat::from_fn(values, count, |p, j| (x[(p, j)] - means[p]) / (unit * size));
        let gram = match roots(lattice) {
            Some(roots) => {
                let root = |p: usize| roots[p % roots.len()];
                let weighed = Mat::from_fn(values, count, |p, j| root(p) * centred[(p, j)]);
                weighed.transpose() * &weighed
            }
            None => centred.transpose() * &centred,
        };
        let (squares, vectors) = symmetric_eigen(&gram)?;
        let kept = squares.iter().take_while(|s| **s > 0.0).count();
        let kept = kept.min(MOST_FACTORS).min(count - 1);
        let leading = vectors.subcols(0, kept);
        let factors = &centred * leading;
        let deviation = |p: usize| {
            (0..count)
                .map(|j| centred[(p, j)].powi(2))
                .sum::<f64>()
                .sqrt()
        };
        let deviation: Vec<f64> = (0..values).map(deviation).collect();
        let rest = &centred - &factors * leading.transpose();
        let smoothness = smoothness(&rest, &deviation, lattice, near);
        let places = |rows: usize, k: usize| (0..rows).map(move |p| (p, k));
        let runs = Self {
            factors: (0..kept)
                .flat_map(|k| places(values, k))
                .map(|place| factors[place] as f32)
                .collect(),
            coefficients: (0..count)
                .flat_map(|r| (0..kept).map(move |k| (r, k)))
                // Normalised by n, not n - 1: draws from n runs have the mean square of these runs.
                .map(|place| ((count as f64).sqrt() * leading[place]) as f32)
                .collect(),
            deviation: deviation.into_iter().map(|d| d as f32).collect(),
        };
        Some((runs, smoothness))
    }
}

/// Sums over pairs of neighbours along each axis, of values in units of their deviation.
fn smoothness(
    rest: &Mat<f64>,
    deviations: &[f64],
    lattice: &Lattice,
    near: Option<&[Option<(usize, f64)>]>,
) -> Smoothness {
    if let Some(near) = near {
        return scattered_smoothness(rest, deviations, near);
    }
    let mut all = Smoothness::default();
    for axis in 0..lattice.axes.len() {
        let stride = lattice.stride(axis);
        let inner = |p: &usize| lattice.position(*p, axis) + 1 < lattice.axes[axis].len;
        let varies = |p: &usize| deviations[*p] > 0.0 && deviations[p + stride] > 0.0;
        let (mut square, mut product) = (0.0, 0.0);
        let places = (0..deviations.len()).filter(|p| inner(&(p % lattice.len())));
        for p in places.filter(varies) {
            let q = p + stride;
            for j in 0..rest.ncols() {
                let (a, b) = (rest[(p, j)] / deviations[p], rest[(q, j)] / deviations[q]);
                square += 0.5 * (a * a + b * b);
                product += a * b;
            }
        }
        all.squares.push(square);
        all.products.push(product);
    }
    all
}

/// The same over the nearest neighbours of scattered points: [point] -> neighbour and distance.
fn scattered_smoothness(
    rest: &Mat<f64>,
    deviations: &[f64],
    near: &[Option<(usize, f64)>],
) -> Smoothness {
    let (mut square, mut product) = (0.0, 0.0);
    for p in 0..deviations.len() {
        let Some((neighbour, _)) = near[p % near.len()] else {
            continue;
        };
        let q = p / near.len() * near.len() + neighbour;
        if deviations[p] > 0.0 && deviations[q] > 0.0 {
            for j in 0..rest.ncols() {
                let (a, b) = (rest[(p, j)] / deviations[p], rest[(q, j)] / deviations[q]);
                square += 0.5 * (a * a + b * b);
                product += a * b;
            }
        }
    }
    Smoothness {
        squares: vec![square],
        products: vec![product],
    }
}
