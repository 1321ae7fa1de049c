//! Spread: factor fields of the training inputs, brought to a query by symmetry and resemblance.
//!
//! A realization is the mean plus factors times normal numbers. The factors' correlation comes from
//! training inputs that resemble the query, their size at each point from a predicted variance; what
//! few factors leave of the variance is left to the [`remainder`](super::remainder).

use floral_linalg::{Mat, MatRef, symmetric_eigen};
use rayon::prelude::*;

use super::Lattice;
use super::kernel::Nearest;
use super::symmetry::Role;

/// Factors kept of an input: realizations need no more than its leading directions.
const MOST_FACTORS: usize = 16;

/// The factors of every training input.
pub(super) struct Spread {
    /// Leading factors of centred realizations over their deviation: [input][factor, value].
    pub factors: Vec<Vec<f32>>,
    /// Widths, in points along each axis, of the filter that makes white noise as smooth as what
    /// the factors leave.
    pub widths: Vec<f64>,
}

impl Spread {
    /// realizations: [realization, channel, point] of each input; none if an eigenvalue iteration
    /// does not converge.
    pub(super) fn new(realizations: &[&[f64]], values: usize, lattice: &Lattice) -> Option<Self> {
        let all = realizations.par_iter().map(|r| leading(r, values, lattice));
        let all: Option<Vec<Leading>> = all.collect();
        let all = all?;
        let axes = lattice.axes.len();
        let sum = |axis: usize, of: fn(&Leading) -> &Vec<f64>| {
            all.iter().filter_map(|l| of(l).get(axis)).sum::<f64>()
        };
        let width = |axis: usize| {
            let square = sum(axis, |l| &l.squares);
            let product = sum(axis, |l| &l.products);
            filter_width(if square > 0.0 { product / square } else { 0.0 })
        };
        Some(Self {
            widths: (0..axes).map(width).collect(),
            factors: all.into_iter().map(|l| l.fields).collect(),
        })
    }

    /// Factor fields of at most unit variance at every point: [factor][channel, point].
    pub(super) fn factors(&self, nearest: &[Nearest], values: usize) -> Vec<Vec<f64>> {
        let moved = nearest.iter().flat_map(|near: &Nearest| {
            let fields = self.factors[near.input].chunks_exact(values);
            fields.map(|field| {
                let weight = near.weight.sqrt();
                let field: Vec<f64> = field.iter().map(|v| weight * f64::from(*v)).collect();
                near.motion.apply(Role::Solution, &field)
            })
        });
        moved.collect()
    }
}

/// The width of a Gaussian filter whose noise has this correlation between neighbours: a filter
/// exp(-x^2 / (2 w^2)) leaves exp(-x^2 / (4 w^2)).
fn filter_width(correlation: f64) -> f64 {
    let correlation = correlation.clamp(0.0, 0.995);
    if correlation < 0.02 {
        return 0.0;
    }
    (-0.25 / correlation.ln()).sqrt()
}

/// Factors scaled so that their squares sum to one at every point where any of them is not zero.
pub(super) fn unit(mut fields: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let values = fields.first().map_or(0, Vec::len);
    let mut squares = vec![0.0; values];
    for field in &fields {
        squares.iter_mut().zip(field).for_each(|(s, v)| *s += v * v);
    }
    for field in &mut fields {
        for (value, square) in field.iter_mut().zip(&squares) {
            *value /= if *square > 0.0 { square.sqrt() } else { 1.0 };
        }
    }
    fields
}

/// The leading factors of one input, and how smooth the rest is along each axis.
struct Leading {
    fields: Vec<f32>,
    /// Sums of squares of the rest, and of products of neighbours.
    squares: Vec<f64>,
    products: Vec<f64>,
}

/// The leading factors of centred realizations, by the eigenvectors of their inner products.
fn leading(realizations: &[f64], values: usize, lattice: &Lattice) -> Option<Leading> {
    let count = realizations.len() / values;
    if count < 2 {
        return Some(Leading {
            fields: Vec::new(),
            squares: Vec::new(),
            products: Vec::new(),
        });
    }
    let x = MatRef::from_column_major_slice(realizations, values, count);
    let mean = |p: usize| (0..count).map(|j| x[(p, j)]).sum::<f64>() / count as f64;
    let means: Vec<f64> = (0..values).map(mean).collect();
    let deviation = |p: usize| {
        let square: f64 = (0..count).map(|j| (x[(p, j)] - means[p]).powi(2)).sum();
        if square > 0.0 { square.sqrt() } else { 1.0 }
    };
    let deviations: Vec<f64> = (0..values).map(deviation).collect();
    // The eigenvectors are those of the realizations themselves: large deviations matter most.
    let centred = Mat::from_fn(values, count, |p, j| x[(p, j)] - means[p]);
    let (_, vectors) = symmetric_eigen(&(centred.transpose() * &centred))?;
    let kept = MOST_FACTORS.min(count - 1);
    let vectors = vectors.subcols(0, kept);
    let product = &centred * vectors;
    let rest = centred - &product * vectors.transpose();
    let field = |k: usize| (0..values).map(move |p| (p, k));
    let places = (0..kept).flat_map(field);
    let [squares, products] = smoothness(&rest, &deviations, lattice);
    Some(Leading {
        fields: places
            .map(|(p, k)| (product[(p, k)] / deviations[p]) as f32)
            .collect(),
        squares,
        products,
    })
}

/// Sums along each axis over pairs of neighbours: of their mean square, and of their product.
fn smoothness(rest: &Mat<f64>, deviations: &[f64], lattice: &Lattice) -> [Vec<f64>; 2] {
    let axes = 0..lattice.axes.len();
    let sums = axes.map(|axis| {
        let stride = lattice.stride(axis);
        let inner = |p: &usize| lattice.position(*p, axis) + 1 < lattice.axes[axis].len;
        let (mut square, mut product) = (0.0, 0.0);
        for p in (0..deviations.len()).filter(|p| inner(&(p % lattice.len()))) {
            let q = p + stride;
            for j in 0..rest.ncols() {
                let (a, b) = (rest[(p, j)] / deviations[p], rest[(q, j)] / deviations[q]);
                square += 0.5 * (a * a + b * b);
                product += a * b;
            }
        }
        (square, product)
    });
    let (squares, products) = sums.unzip();
    [squares, products]
}

#[cfg(test)]
mod tests {
    use rand_distr::{Distribution, StandardNormal};

    use super::*;
    use crate::random::{Purpose, stream};
    use crate::{Axis, Grid};

    #[test]
    fn factors_of_realizations_have_their_correlation() {
        // Two values with correlation 1, a third independent of them.
        let draws: Vec<f64> = (0..300)
            .flat_map(|j| {
                let mut rng = stream(1, Purpose::Realization, 0, j);
                let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
                let (a, b) = (normal(), normal());
                [a, 2.0 * a, b]
            })
            .collect();
        let grid = Grid::new(vec![Axis::closed("x", 3)]);
        let lattice = Lattice::new(&grid, &[]).unwrap();
        let fields = leading(&draws, 3, &lattice).unwrap().fields;
        let correlation = |p: usize, q: usize| {
            let fields = fields.chunks_exact(3);
            fields.map(|f| f64::from(f[p] * f[q])).sum::<f64>()
        };
        assert!((correlation(0, 1) - 1.0).abs() < 1e-6);
        assert!(correlation(0, 2).abs() < 0.2 && (correlation(2, 2) - 1.0).abs() < 1e-6);
    }
}
