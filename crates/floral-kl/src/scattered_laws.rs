//! Tests of fits on scattered points: neither their order nor a refinement matters, and a mesh that
//! is a grid gives nearly the result of the grid.

use rand::RngExt;
use rand_distr::StandardNormal;

use super::*;
use crate::testing::{Purpose, refined_square, reordered, square_points, stream};
use crate::{Silent, testing};

const N: usize = 8;
const INPUTS: usize = 7;
const RUNS: usize = 4;

/// The numbers that define an input, its low fidelity and the runs of its solution as functions of
/// position.
struct Numbers {
    waves: [f64; 4],
    runs: [f64; RUNS],
}

fn numbers(i: usize) -> Numbers {
    let mut rng = stream(41, Purpose::Input, i as u64, 0);
    Numbers {
        waves: std::array::from_fn(|_| rng.sample(StandardNormal)),
        runs: std::array::from_fn(|_| rng.sample(StandardNormal)),
    }
}

impl Numbers {
    fn input(&self, x: f64, y: f64) -> f64 {
        let [a, b, c, d] = self.waves;
        a * (3.0 * x + c).sin() + b * (4.0 * y + d).cos()
    }

    fn run(&self, r: usize, x: f64, y: f64) -> f64 {
        let u = self.input(x, y);
        let noise = 0.2 * self.runs[r] * (0.2 + u.abs()) * (2.0 * (x + y) + self.runs[r]).cos();
        u.tanh() + 0.3 * (self.input(0.9 * x, y)) + noise
    }
}

/// The prediction for input 0 on these points by a fit to the others, and the least left-out error
/// of a candidate for the mean.
fn predicted(lattice: &Lattice, places: &[[f64; 2]]) -> (Prediction, f64) {
    let field = |i: usize| -> Vec<f64> {
        let numbers = numbers(i);
        places.iter().map(|[x, y]| numbers.input(*x, *y)).collect()
    };
    let runs = |i: usize| -> Vec<f64> {
        let numbers = numbers(i);
        let run = |r: usize| {
            places
                .iter()
                .map(move |[x, y]| (r, *x, *y))
                .collect::<Vec<_>>()
        };
        let all = (0..RUNS).flat_map(run);
        all.map(|(r, x, y)| numbers.run(r, x, y)).collect()
    };
    let inputs: Vec<Vec<f64>> = (0..INPUTS).map(field).collect();
    let lows: Vec<Vec<f64>> = inputs
        .iter()
        .map(|a| a.iter().map(|v| 0.8 * v).collect())
        .collect();
    let highs: Vec<Vec<f64>> = (0..INPUTS).map(runs).collect();
    let query = |i: usize| Query {
        input: &inputs[i],
        low: Some(&lows[i]),
    };
    let case = |i: usize| Case {
        query: query(i),
        realizations: (&highs[i]).into(),
        points: None,
    };
    let cases: Vec<Case<'_>> = (1..INPUTS).map(case).collect();
    let material = Material {
        lattice,
        channels: Channels {
            input: 1,
            solution: 1,
        },
        symmetries: &Symmetries::none(lattice, 1, 1),
        cases: &cases,
        held_out: &[],
    };
    let fitted = Expansion::fit(Recipe::Blend, LawKind::Resampled, &material, &Silent).unwrap();
    let again = Expansion::from_bytes(&fitted.to_bytes()).unwrap();
    let prediction = again.predict(&query(0)).unwrap();
    assert_eq!(prediction.mean, fitted.predict(&query(0)).unwrap().mean);
    let errors = fitted.mean_scores().iter().map(|score| score.left_out);
    (prediction, errors.fold(f64::INFINITY, f64::min))
}

fn places(points: &Points) -> Vec<[f64; 2]> {
    let at = |p: usize| [0, 1].map(|k| points.coordinates()[k][p]);
    (0..points.count()).map(at).collect()
}

fn on_points(points: Points) -> Prediction {
    let places = places(&points);
    predicted(&Lattice::of_points("point", points), &places).0
}

/// The root mean square difference over the standard deviation of `b`.
fn difference(a: &[f64], b: &[f64]) -> f64 {
    let mean = b.iter().sum::<f64>() / b.len() as f64;
    let square: f64 = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum();
    let scale: f64 = b.iter().map(|b| (b - mean).powi(2)).sum();
    (square / scale).sqrt()
}

#[test]
fn permuting_points_permutes_predictions() {
    let points = square_points(N);
    let order: Vec<usize> = (0..N * N).map(|k| k * 37 % (N * N)).collect();
    let plain = on_points(points.clone());
    let permuted = on_points(reordered(&points, &order));
    let expected: Vec<f64> = order.iter().map(|&p| plain.mean[p]).collect();
    let found = difference(&permuted.mean, &expected);
    assert!(found < 2e-3, "{found}");
    let expected: Vec<f64> = order.iter().map(|&p| plain.aleatoric[p]).collect();
    let found = difference(&permuted.aleatoric, &expected);
    assert!(found < 2e-2, "{found}");
}

#[test]
fn refining_a_part_of_the_mesh_hardly_changes_predictions() {
    let plain = on_points(square_points(N));
    let finer = refined_square(N);
    let moved: Vec<bool> = places(&finer)
        .iter()
        .zip(places(&square_points(N)))
        .map(|(a, b)| *a != b)
        .collect();
    let refined = on_points(finer);
    let kept = |values: &[f64]| -> Vec<f64> {
        let both = values.iter().zip(&moved).filter(|(_, moved)| !**moved);
        both.map(|(v, _)| *v).collect()
    };
    let found = difference(&kept(&refined.mean), &kept(&plain.mean));
    assert!(found < 0.1, "{found}");
}

#[test]
fn a_mesh_that_is_a_grid_gives_nearly_what_the_grid_gives() {
    let points = square_points(N);
    let grid = testing::lattice(&[("y", N), ("x", N)], &[]);
    let places = places(&points);
    let (on_grid, of_grid) = predicted(&grid, &places);
    let (on_points, of_points) = predicted(&Lattice::of_points("point", points), &places);
    assert!(of_points < 1.3 * of_grid, "{of_points} {of_grid}");
    let found = difference(&on_points.mean, &on_grid.mean);
    assert!(found < 0.2, "{found}");
}
