//! Scattered points, such as those of a mesh: coordinates and quadrature weights.

use serde::{Deserialize, Serialize};

/// Bits per coordinate in the order of [`Points::curve`].
const BITS: u32 = 20;

/// Scattered points with quadrature weights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Points {
    /// Coordinates from 0 to 1 over the bounding box of the points: [coordinate][point].
    coordinates: Vec<Vec<f64>>,
    /// Quadrature weights, normalised to mean 1.
    weights: Vec<f64>,
    /// Dimension of the domain: 2 for a surface in space.
    dimension: usize,
}

impl Points {
    /// Points with coordinates in any unit, `[coordinate][point]`, and positive weights. A
    /// coordinate that is the same at all points is dropped. `dimension` is that of the domain,
    /// such as 2 for a surface in space.
    pub fn new(coordinates: &[Vec<f64>], weights: &[f64], dimension: usize) -> Self {
        let mean = weights.iter().sum::<f64>() / weights.len().max(1) as f64;
        let coordinates: Vec<Vec<f64>> = coordinates.iter().filter_map(|c| unit(c)).collect();
        Self {
            dimension: dimension.min(coordinates.len()).max(1),
            coordinates,
            weights: weights.iter().map(|w| w / mean).collect(),
        }
    }

    /// Number of points.
    pub fn count(&self) -> usize {
        self.weights.len()
    }

    /// Coordinates from 0 to 1 over the bounding box of the points: `[coordinate][point]`.
    pub fn coordinates(&self) -> &[Vec<f64>] {
        &self.coordinates
    }

    /// Quadrature weights, normalised to mean 1.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The dimension of the domain.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The approximate distance of a point to its neighbours, estimated from its weight.
    pub fn spacing(&self, point: usize) -> f64 {
        (self.weights[point] / self.count() as f64).powf(1.0 / self.dimension as f64)
    }

    /// Whether these are `count` points of at most three coordinates from 0 to 1, each with a
    /// positive weight.
    pub fn is_sound(&self, count: usize) -> bool {
        let within = |c: &Vec<f64>| c.len() == count && c.iter().all(|x| (0.0..=1.0).contains(x));
        let positive = |w: &f64| w.is_finite() && *w > 0.0;
        self.weights.len() == count
            && self.weights.iter().all(positive)
            && self.coordinates.len() <= 3
            && self.coordinates.iter().all(within)
            && (1..=3).contains(&self.dimension)
    }

    /// The points in the order of a space-filling curve, on which neighbours are close (Morton,
    /// 1966). It depends only on the coordinates.
    pub fn curve(&self) -> Vec<usize> {
        let code = |p: usize| {
            let cell = |c: &Vec<f64>| (c[p] * f64::from((1_u32 << BITS) - 1)) as u64;
            let cells: Vec<u64> = self.coordinates.iter().map(cell).collect();
            let bit = |b: u32| {
                cells
                    .iter()
                    .fold(0, |code, cell| code << 1 | (cell >> b & 1))
            };
            (0..BITS)
                .rev()
                .fold(0_u64, |code, b| code << cells.len() | bit(b))
        };
        let codes: Vec<u64> = (0..self.count()).map(code).collect();
        let mut order: Vec<usize> = (0..self.count()).collect();
        order.sort_by(|&a, &b| {
            let exact = self.coordinates.iter().map(|c| c[a].total_cmp(&c[b]));
            let exact = exact.fold(std::cmp::Ordering::Equal, |all, next| all.then(next));
            codes[a].cmp(&codes[b]).then(exact)
        });
        order
    }
}

/// A coordinate rescaled to the range from 0 to 1; `None` if it is constant.
fn unit(values: &[f64]) -> Option<Vec<f64>> {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let extent = most - least;
    let scaled = |x: &f64| ((x - least) / extent).clamp(0.0, 1.0);
    (extent > 0.0).then(|| values.iter().map(scaled).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_units_nor_a_flat_coordinate_change_points() {
        let [x, y] = [vec![0.0, 1.0, 0.5], vec![2.0, 4.0, 4.0]];
        let plain = Points::new(&[x.clone(), y.clone()], &[1.0, 2.0, 3.0], 2);
        let scaled: Vec<f64> = x.iter().map(|v| 10.0 * v - 3.0).collect();
        let other = Points::new(&[scaled, y, vec![7.0; 3]], &[2.0, 4.0, 6.0], 2);
        assert_eq!(plain.coordinates().len(), 2);
        assert_eq!(plain.weights(), [0.5, 1.0, 1.5]);
        assert!(plain.is_sound(3) && !plain.is_sound(4));
        assert_eq!(plain, other);
    }

    #[test]
    fn the_curve_does_not_depend_on_the_order_of_points() {
        let at = |p: usize| [(p * 7 % 10) as f64, (p * p % 7) as f64];
        let of = |order: Vec<usize>| {
            let along = |k: usize| order.iter().map(|&p| at(p)[k]).collect();
            let points = Points::new(&[along(0), along(1)], &[1.0; 10], 2);
            let curve: Vec<usize> = points.curve().into_iter().map(|k| order[k]).collect();
            curve
        };
        assert_eq!(of((0..10).collect()), of((0..10).rev().collect()));
    }
}
