//! Tests of active design.

use tempfile::TempDir;

use super::*;
use crate::dataset::{Dataset, SplitConfig};
use crate::train::{Method, TrainConfig};
use crate::{Arrays, Axis, Grid, Silent, fit};

const POINTS: usize = 16;

fn grid() -> Grid {
    Grid::new(vec![Axis::closed("x", POINTS)])
}

/// The input s x, whose mean solution is sin(3 s) x.
fn input(slope: f64) -> Field {
    let grid = grid();
    let along = grid.axes[0].coordinates.iter();
    Field::scalar(&grid, along.map(|x| slope * x).collect())
}

fn solutions(slope: f64) -> Vec<Field> {
    let at = |e: f64| {
        let x = grid().axes[0].coordinates.clone();
        let values = x.iter().map(|x| (3.0 * slope).sin() * x + e * (1.0 - x));
        Field::scalar(&grid(), values.collect())
    };
    [-0.02, -0.01, 0.0, 0.01, 0.02].map(at).to_vec()
}

fn dataset(folder: &TempDir, name: &str, slopes: &[f64]) -> Dataset {
    let mut arrays = Arrays::new(grid());
    for slope in slopes {
        arrays
            .push(&input(*slope), None, &solutions(*slope))
            .unwrap();
    }
    arrays.write(folder.path().join(name)).unwrap()
}

/// A predictor trained on these slopes.
fn trained(folder: &TempDir, name: &str, slopes: &[f64]) -> Predictor {
    let config = TrainConfig {
        method: Method::Kriging,
        split: SplitConfig::new(0, 0, None),
        ..TrainConfig::default()
    };
    let dataset = dataset(folder, &format!("{name}.zarr"), slopes);
    fit(&dataset, folder.path().join(name), &config, &Silent).unwrap()
}

fn suggested(predictor: &Predictor, pool: &Dataset, count: usize) -> Suggestions {
    let cases = Cases::of(pool).unwrap();
    suggest(predictor, &cases, 0..pool.inputs(), count, &Silent).unwrap()
}

fn chosen(suggestions: &Suggestions) -> Vec<usize> {
    suggestions.inputs.iter().map(|s| s.input).collect()
}

const TRAINED: [f64; 6] = [0.0, 0.1, 0.2, 0.3, 0.45, 0.6];

#[test]
fn inputs_far_from_training_come_first_and_duplicates_only_once() {
    let folder = tempfile::tempdir().unwrap();
    let predictor = trained(&folder, "run", &TRAINED);
    let pool = [0.15, 2.0, 2.0, 0.25, 1.3, 2.001, 0.52];
    let pool = dataset(&folder, "pool.zarr", &pool);
    let found = suggested(&predictor, &pool, 2);
    let first = chosen(&found);
    assert!([1, 2, 5].contains(&first[0]), "{first:?}");
    assert_eq!(first[1], 4, "{first:?}");
    assert!(found.inputs[0].novelty > found.inputs[1].novelty);
    assert!(found.inputs.is_sorted_by(|a, b| a.removes <= b.removes));
    assert!(found.inputs[0].removes > found.random_removes);
    assert!(found.inputs[1].removes < 1.0 && found.error[0] > 0.0);
    assert_eq!(
        chosen(&suggested(&predictor, &pool, 2)),
        first,
        "the same again"
    );
}

/// Compares the mean error over the pool after simulating suggested inputs with that for other
/// inputs.
#[test]
fn what_is_suggested_removes_more_error_than_what_lies_near() {
    let folder = tempfile::tempdir().unwrap();
    let predictor = trained(&folder, "run", &TRAINED);
    let slopes: Vec<f64> = (0..24).map(|i| 0.05 + 0.08 * f64::from(i)).collect();
    let pool = dataset(&folder, "pool.zarr", &slopes);
    let found = suggested(&predictor, &pool, 4);
    let error = |name: &str, more: &[usize]| {
        let mut all = TRAINED.to_vec();
        all.extend(more.iter().map(|&i| slopes[i]));
        let predictor = trained(&folder, name, &all);
        let square = |slope: &f64| {
            let derived = predictor.for_input(&input(*slope), None, &grid()).unwrap();
            let mean = &derived.moments().unwrap().mean;
            let truth = &solutions(*slope)[2];
            let pairs = mean.iter().zip(truth.values());
            pairs.map(|(m, t)| (m - t).powi(2)).sum::<f64>()
        };
        slopes.iter().map(square).sum::<f64>().sqrt()
    };
    let (before, after) = (error("none", &[]), error("best", &chosen(&found)));
    let near = error("near", &[0, 1, 2, 3]);
    assert!(
        after < 0.5 * before && after < 0.7 * near,
        "{before} {near} {after}"
    );
}

#[test]
fn variances_are_removed_as_they_go_together() {
    let covariance = Mat::from_fn(3, 3, |i, j| match (i, j) {
        (0, 0) => 4.0,
        (1, 1) => 3.0,
        (2, 2) => 1.0,
        (0, 1) | (1, 0) => 3.4,
        _ => 0.0,
    });
    let found = greedy(covariance, 3);
    let order: Vec<usize> = found.iter().map(|(i, _)| *i).collect();
    assert_eq!(order, [0, 2, 1], "the duplicate of the first comes last");
    let after_first = 3.0 - 3.4 * 3.4 / 4.0 + 1.0;
    assert!((found[0].1 - after_first).abs() < 1e-12);
    assert!(found[2].1.abs() < 1e-12);
    assert!((share(3.0, 4.0) - 0.5).abs() < 1e-15);
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let predictor = trained(&folder, "run", &TRAINED);
    let pool = dataset(&folder, "pool.zarr", &[0.5, 0.7]);
    let cases = Cases::of(&pool).unwrap();
    for count in [0, 3] {
        let refused = suggest(&predictor, &cases, 0..2, count, &Silent);
        assert!(refused.unwrap_err().to_string().contains("the pool has 2"));
    }
}

/// The dataset of [`dataset`] without its last two points, which are outside the domain.
fn masked(folder: &TempDir, name: &str, slopes: &[f64]) -> Dataset {
    let blank = |field: Field| {
        let mut values = field.into_values();
        values[POINTS - 2..].fill(f64::NAN);
        Field::scalar(&grid(), values)
    };
    let mut arrays = Arrays::new(grid());
    for slope in slopes {
        let high: Vec<Field> = solutions(*slope).into_iter().map(blank).collect();
        arrays.push(&input(*slope), None, &high).unwrap();
    }
    arrays.write(folder.path().join(name)).unwrap()
}

#[test]
fn errors_are_means_over_the_domain_alone() {
    let folder = tempfile::tempdir().unwrap();
    let data = masked(&folder, "masked.zarr", &TRAINED);
    assert!(data.mask().is_some());
    let config = TrainConfig {
        method: Method::Kriging,
        split: SplitConfig::new(0, 0, None),
        ..TrainConfig::default()
    };
    let predictor = fit(&data, folder.path().join("run"), &config, &Silent).unwrap();
    let pool = dataset(&folder, "pool.zarr", &[0.7]);
    let cases = Cases::open(pool.path(), &predictor, None).unwrap();
    let case = cases.case(0).unwrap();
    let derived = predictor.for_input(&case.input, None, &grid()).unwrap();
    let moments = derived.moments().unwrap();
    let inside = POINTS - 2;
    let rms = |variance: &[f64]| (variance[..inside].iter().sum::<f64>() / inside as f64).sqrt();
    let found = suggest(&predictor, &cases, 0..1, 1, &Silent).unwrap();
    assert!((found.error[0] / rms(&moments.epistemic) - 1.0).abs() < 1e-12);
    let found = suggest_sensors(&predictor, &cases, 0, 1, 0.0).unwrap();
    assert!((found.std[0] / rms(&moments.total()) - 1.0).abs() < 1e-12);
}

#[test]
fn a_noise_that_is_no_deviation_is_refused_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let predictor = trained(&folder, "run", &TRAINED);
    let pool = dataset(&folder, "pool.zarr", &[0.5]);
    let cases = Cases::of(&pool).unwrap();
    for noise in [f64::INFINITY, f64::NAN, -1.0] {
        let refused = suggest_sensors(&predictor, &cases, 0, 1, noise).unwrap_err();
        assert!(refused.to_string().contains("0 or more"), "{refused}");
    }
}
