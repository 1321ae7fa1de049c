//! What training inputs that resemble a query say of its correlation, as the regression does it.

use floral::regression::{Lattice, Role, Symmetries};
use floral_linalg::{Mat, MatRef, symmetric_eigen};
use rayon::prelude::*;

use super::Solved;

/// What the regression's spread does: factors of the inputs that resemble the query most.
pub struct Nearby<'a> {
    train: &'a [Solved],
    lattice: &'a Lattice,
    symmetries: &'a Symmetries,
    factors: Vec<Vec<f64>>,
    units: [f64; 2],
    fade: f64,
}

/// A training input in the roll in which it resembles the query most.
#[derive(Clone, Copy)]
struct Position {
    distance: f64,
    input: usize,
    motion: usize,
    steps: usize,
}

impl<'a> Nearby<'a> {
    pub fn new(train: &'a [Solved], lattice: &'a Lattice, symmetries: &'a Symmetries) -> Self {
        let size = |of: fn(&Solved) -> &Vec<f64>| {
            let squares = train.iter().flat_map(of).map(|v| v * v).sum::<f64>();
            squares / train.len() as f64
        };
        let factors = train
            .iter()
            .map(|s| leading(&s.residuals, lattice.len(), true));
        let mut nearby = Self {
            train,
            lattice,
            symmetries,
            factors: factors.collect(),
            units: [size(|s| &s.input), size(|s| &s.low)],
            fade: 1.0,
        };
        let nearest = |i: usize| {
            let all = nearby.closest(&train[i]);
            let other = all.iter().find(|position| position.input != i);
            other.map_or(1.0, |position| position.distance)
        };
        let mean = (0..train.len()).map(nearest).sum::<f64>() / train.len() as f64;
        nearby.fade = if mean.is_normal() { mean } else { 1.0 };
        nearby
    }

    fn moved(&self, role: Role, motion: usize, steps: usize, field: &[f64]) -> Vec<f64> {
        let field = self.symmetries.motions[motion].apply(role, field);
        let Some(&axis) = self.symmetries.rolled.first() else {
            return field;
        };
        let (n, stride) = (self.lattice.axes[axis].len, self.lattice.stride(axis));
        let from = |p: usize| {
            let i = self.lattice.position(p, axis);
            p - i * stride + (i + n - steps) % n * stride
        };
        (0..field.len()).map(|p| field[from(p)]).collect()
    }

    /// Every input in every motion, at its closest roll, the closest first.
    fn closest(&self, query: &Solved) -> Vec<Position> {
        let rolled = self.symmetries.rolled.first();
        let rolls = rolled.map_or(1, |&axis| self.lattice.axes[axis].len);
        let distance = |input: usize, motion: usize, steps: usize| {
            let of = |role, a: &[f64], b: &[f64]| -> f64 {
                let moved = self.moved(role, motion, steps, a);
                moved.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
            };
            let train = &self.train[input];
            let distance = 0.5 * of(Role::Input, &train.input, &query.input) / self.units[0]
                + 0.5 * of(Role::Solution, &train.low, &query.low) / self.units[1];
            Position {
                distance,
                input,
                motion,
                steps,
            }
        };
        let motions = self.symmetries.motions.len();
        let best = |k: usize| {
            let all = (0..rolls).map(|steps| distance(k / motions, k % motions, steps));
            all.min_by(|a, b| a.distance.total_cmp(&b.distance))
        };
        let count = self.train.len() * motions;
        let mut found: Vec<Position> = (0..count).into_par_iter().filter_map(best).collect();
        found.sort_by(|a, b| a.distance.total_cmp(&b.distance));
        found
    }

    /// The factors that the `most` closest positions say.
    pub fn factors(&self, query: &Solved, most: usize) -> Vec<f64> {
        let mut closest = self.closest(query);
        closest.truncate(most);
        let weight = |d: f64| (-(d - closest[0].distance) / self.fade).exp();
        let sum: f64 = closest.iter().map(|c| weight(c.distance)).sum();
        let points = query.low.len();
        let mut fields = Vec::new();
        for position in &closest {
            let root = (weight(position.distance) / sum).sqrt();
            for field in self.factors[position.input].chunks_exact(points) {
                let Position { motion, steps, .. } = *position;
                let moved = self.moved(Role::Solution, motion, steps, field);
                fields.extend(moved.iter().map(|v| v * root));
            }
        }
        unit(fields, points)
    }
}

/// Factors scaled so that their squares sum to one at every point.
pub fn unit(mut factors: Vec<f64>, points: usize) -> Vec<f64> {
    let mut squares = vec![0.0; points];
    for field in factors.chunks_exact(points) {
        squares.iter_mut().zip(field).for_each(|(s, v)| *s += v * v);
    }
    for (i, value) in factors.iter_mut().enumerate() {
        *value /= squares[i % points].max(1e-12).sqrt();
    }
    factors
}

/// Leading 16 factors of residuals, scaled to unit variance or not.
pub fn leading(residuals: &[f64], points: usize, scale: bool) -> Vec<f64> {
    let x = MatRef::from_column_major_slice(residuals, points, residuals.len() / points);
    let gram: Mat<f64> = x.transpose() * x;
    let Some((_, vectors)) = symmetric_eigen(&gram) else {
        return residuals.to_vec();
    };
    let product: Mat<f64> = x * vectors.subcols(0, 16.min(vectors.ncols()));
    let fields = (0..product.ncols()).flat_map(|k| (0..points).map(move |p| (p, k)));
    let fields = fields.map(|(p, k)| product[(p, k)]).collect();
    if scale { unit(fields, points) } else { fields }
}
