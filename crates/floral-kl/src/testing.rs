//! Seeded streams and small lattices for tests.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::{Distribution, StandardNormal};

use crate::symmetry::Points;
use crate::{Lattice, LatticeAxis};

/// The purpose of a stream.
#[derive(Clone, Copy)]
pub(crate) enum Purpose {
    Input,
    Realization,
    Prior,
}

/// A seeded generator.
pub(crate) type Stream = ChaCha8Rng;

/// The generator of a seed, a purpose and two indices.
pub(crate) fn stream(seed: u64, purpose: Purpose, index: u64, draw: u64) -> Stream {
    let mut bytes = [0; 32];
    for (part, value) in bytes
        .chunks_exact_mut(8)
        .zip([seed, purpose as u64, index, draw])
    {
        part.copy_from_slice(&value.to_le_bytes());
    }
    ChaCha8Rng::from_seed(bytes)
}

/// A lattice of axes given by name and length; those named in `periodic` are periodic.
pub(crate) fn lattice(axes: &[(&str, usize)], periodic: &[&str]) -> Lattice {
    let axis = |(name, len): &(&str, usize)| LatticeAxis {
        name: (*name).to_owned(),
        len: *len,
        periodic: periodic.contains(name),
        even: true,
    };
    Lattice::new(axes.iter().map(axis).collect())
}

/// Standard normal numbers of a seed.
pub(crate) fn normals(seed: u64, count: usize) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..count)
        .map(|_| StandardNormal.sample(&mut rng))
        .collect()
}

/// Points at random in a square, of weights between a half and three halves.
pub(crate) fn scattered(count: usize, seed: u64) -> Points {
    let mut rng = stream(seed, Purpose::Input, 0, 0);
    let mut uniform = || {
        (0..count)
            .map(|_| rng.random::<f64>())
            .collect::<Vec<f64>>()
    };
    let coordinates = [uniform(), uniform()];
    let weights: Vec<f64> = uniform().iter().map(|w| 0.5 + w).collect();
    Points::new(&coordinates, &weights, 2)
}

/// The points of `points` in this order.
pub(crate) fn reordered(points: &Points, order: &[usize]) -> Points {
    let of = |values: &[f64]| order.iter().map(|&p| values[p]).collect::<Vec<f64>>();
    let coordinates: Vec<Vec<f64>> = points.coordinates().iter().map(|c| of(c)).collect();
    Points::new(&coordinates, &of(points.weights()), points.dimension())
}

/// n x n points of a square with the weights of a trapezoidal rule.
pub(crate) fn square_points(n: usize) -> Points {
    let end = |i: usize| if i == 0 || i == n - 1 { 0.5 } else { 1.0 };
    let of = |f: &dyn Fn(usize, usize) -> f64| (0..n * n).map(|p| f(p / n, p % n)).collect();
    let weights: Vec<f64> = of(&|i, j| end(i) * end(j));
    Points::new(&[of(&|i, _| i as f64), of(&|_, j| j as f64)], &weights, 2)
}

/// The same square, in whose middle every point is replaced by four of a quarter of its weight; the
/// added points come last.
pub(crate) fn refined_square(n: usize) -> Points {
    let plain = square_points(n);
    let [mut y, mut x] = [0, 1].map(|k| plain.coordinates()[k].clone());
    let mut weights = plain.weights().to_vec();
    let part = 0.25 / (n - 1) as f64;
    for p in 0..n * n {
        if (0.3..0.6).contains(&x[p]) && (0.3..0.6).contains(&y[p]) {
            let own = 0.25 * weights[p];
            weights[p] = own;
            let (a, b) = (y[p], x[p]);
            for [s, t] in [[1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]] {
                y.push(a + s * part);
                x.push(b + t * part);
                weights.push(own);
            }
            (y[p], x[p]) = (a - part, b - part);
        }
    }
    Points::new(&[y, x], &weights, 2)
}
