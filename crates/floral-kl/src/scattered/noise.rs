//! Noise on scattered points: smoothed white noise, and distances between nearest neighbours.

use rand::Rng;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;

use super::{Clusters, place};
use crate::symmetry::Points;

/// Reach of filters in widths, and number of clusters along a width.
const REACH: f64 = 2.5;
const IN_WIDTH: f64 = 2.0;

/// White noise smoothed by a Gaussian filter, of variance 1 at every point.
///
/// The value at x is sum_j v_j xi_j with one normal number xi_j per cluster. v_j is proportional to
/// sqrt(w_j) exp(-|x - x_j|^2 / (2 w^2)), and the v_j^2 sum to one.
#[derive(Debug, Clone)]
pub(crate) struct SmoothNoise {
    clusters: usize,
    /// Where the entries of each point begin, and where those of the last end.
    starts: Vec<usize>,
    entries: Vec<(u32, f32)>,
}

impl SmoothNoise {
    /// Noise of a filter whose width is a share of the bounding box of the points.
    pub(crate) fn new(points: &Points, width: f64) -> Self {
        let clusters = Clusters::new(points, width / IN_WIDTH);
        let row = |p: usize| {
            let at = place(points.coordinates(), p);
            let mut row: Vec<(u32, f64)> = Vec::new();
            let least = REACH * width.max(1e-9);
            clusters.around(at, least, |cluster, _, square| {
                let envelope = (-0.5 * square * REACH * REACH).exp();
                row.push((
                    cluster as u32,
                    clusters.weights()[cluster].sqrt() * envelope,
                ));
            });
            let norm = row.iter().map(|(_, v)| v * v).sum::<f64>().sqrt();
            row.into_iter()
                .map(|(c, v)| (c, (v / norm) as f32))
                .collect()
        };
        let rows: Vec<Vec<(u32, f32)>> = (0..points.count()).into_par_iter().map(row).collect();
        let mut starts = vec![0];
        for row in &rows {
            starts.push(starts[starts.len() - 1] + row.len());
        }
        Self {
            clusters: clusters.count(),
            starts,
            entries: rows.concat(),
        }
    }

    /// Draws one field: [point].
    pub(crate) fn draw(&self, rng: &mut impl Rng, out: &mut [f32]) {
        let noise: Vec<f32> = (0..self.clusters)
            .map(|_| StandardNormal.sample(rng))
            .collect();
        for (out, range) in out.iter_mut().zip(self.starts.windows(2)) {
            let entries = &self.entries[range[0]..range[1]];
            *out = entries.iter().map(|(c, v)| v * noise[*c as usize]).sum();
        }
    }

    /// A A' times a field, with the filter A from which noise is drawn: [point].
    pub(crate) fn covariances(&self, field: &[f64]) -> Vec<f64> {
        let entries = |p: usize| &self.entries[self.starts[p]..self.starts[p + 1]];
        let mut clusters = vec![0.0; self.clusters];
        for (p, value) in field.iter().enumerate().filter(|(_, value)| **value != 0.0) {
            let parts = entries(p).iter();
            parts.for_each(|(c, v)| clusters[*c as usize] += f64::from(*v) * value);
        }
        let at = |p: usize| {
            let parts = entries(p).iter();
            parts
                .map(|(c, v)| f64::from(*v) * clusters[*c as usize])
                .sum()
        };
        (0..field.len()).map(at).collect()
    }
}

/// The nearest other point of every point, and its distance; `None` for a single point.
pub(crate) fn neighbours(points: &Points) -> Vec<Option<(usize, f64)>> {
    let alone = Clusters::new(points, 0.0);
    // Clusters are sorted by position: maps each back to its only point.
    let mut point_of = vec![0; alone.count()];
    (0..points.count()).for_each(|p| point_of[alone.cluster(p)] = p);
    let nearest = |p: usize| {
        let at = place(points.coordinates(), p);
        let mut radius = 2.0 * points.spacing(p);
        loop {
            let mut best: Option<(usize, f64)> = None;
            alone.around(at, radius, |cluster, _, square| {
                let other = point_of[cluster];
                let distance = radius * square.sqrt();
                if other != p && best.is_none_or(|(_, least)| distance < least) {
                    best = Some((other, distance));
                }
            });
            if best.is_some() || radius > 2.0 {
                return best;
            }
            radius *= 2.0;
        }
    };
    (0..points.count()).into_par_iter().map(nearest).collect()
}

/// The root mean square distance between nearest neighbours.
pub(crate) fn spacing(points: &Points) -> f64 {
    let distances: Vec<f64> = neighbours(points).iter().flatten().map(|n| n.1).collect();
    let square: f64 = distances.iter().map(|d| d * d).sum();
    (square / distances.len().max(1) as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Purpose, scattered, stream};

    #[test]
    fn covariances_are_those_of_draws() {
        let points = scattered(60, 4);
        let noise = SmoothNoise::new(&points, 0.2);
        let mut read = vec![0.0; 60];
        (read[7], read[30]) = (1.0, -0.5);
        let expected = noise.covariances(&read);
        let (count, mut sums, mut draw) = (40_000, vec![0.0; 60], vec![0.0; 60]);
        for j in 0..count {
            noise.draw(&mut stream(3, Purpose::Prior, 0, j), &mut draw);
            let seen = f64::from(draw[7]) - 0.5 * f64::from(draw[30]);
            let parts = sums.iter_mut().zip(&draw);
            parts.for_each(|(sum, v)| *sum += seen * f64::from(*v) / count as f64);
        }
        let largest = sums.iter().zip(&expected).map(|(a, b)| (a - b).abs());
        assert!(largest.fold(0.0, f64::max) < 0.03);
        assert!(expected[7] > 0.5);
    }

    #[test]
    fn smoothed_noise_has_unit_variance_and_the_correlation_of_its_width() {
        let points = scattered(300, 7);
        let width = 0.1;
        let noise = SmoothNoise::new(&points, width);
        let (count, mut draw) = (4000, vec![0.0_f32; 300]);
        let mut squares = vec![0.0_f64; 300];
        let near = neighbours(&points);
        let (mut product, mut expected) = (0.0, 0.0);
        for j in 0..count {
            noise.draw(&mut stream(1, Purpose::Prior, 0, j), &mut draw);
            for (p, square) in squares.iter_mut().enumerate() {
                let (q, distance) = near[p].unwrap();
                *square += f64::from(draw[p]).powi(2) / count as f64;
                product += f64::from(draw[p] * draw[q]) / (300 * count) as f64;
                expected += (-0.25 * (distance / width).powi(2)).exp() / (300 * count) as f64;
            }
        }
        assert!(squares.iter().all(|s| (s - 1.0).abs() < 0.12));
        assert!((product - expected).abs() < 0.05, "{product} {expected}");
    }

    #[test]
    fn the_nearest_point_is_found() {
        let points = scattered(120, 9);
        let at = |p: usize| place(points.coordinates(), p);
        for (p, found) in neighbours(&points).iter().enumerate() {
            let distance = |q: usize| -> f64 {
                let squares = (0..3).map(|k| (at(p)[k] - at(q)[k]).powi(2));
                squares.sum::<f64>().sqrt()
            };
            let least = (0..120)
                .filter(|q| *q != p)
                .map(distance)
                .fold(9.0, f64::min);
            assert!((found.unwrap().1 - least).abs() < 1e-12);
        }
    }
}
