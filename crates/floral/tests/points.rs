//! Tests of the network of points, with every method of the paper, on a mesh, a masked grid and a
//! grid.
#![allow(clippy::unwrap_used)] // A test may panic.
#![cfg(feature = "networks")]

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use floral::dataset::{Dataset, SplitConfig};
use floral::device::Device;
use floral::mesh::{Mesh, Points};
use floral::predict::{Case, Predictor, Sampling};
use floral::sample::OdeSolver;
use floral::train::config::{NetworkConfig, NetworkKind, OptimiserConfig, StoppingConfig};
use floral::train::{Method, RunFolder, TrainConfig, train};
use floral::{Arrays, Axis, Event, Field, Grid, Observer, Silent};

/// Scattered points in the plane.
fn cloud() -> Grid {
    let place = |i: usize, step: f64| (i as f64 * step).fract();
    let points: Vec<f64> = (0..30)
        .flat_map(|i| [place(i, 0.618), place(i, 0.755)])
        .collect();
    let points = Points::new(&points, 2).unwrap();
    Grid::on_mesh(Mesh::new(points, Vec::new()).unwrap())
}

fn plane() -> Grid {
    Grid::new(vec![Axis::closed("y", 6), Axis::periodic("x", 5)])
}

/// Inputs a, low fidelity a^2 and realizations a^2 + a x / 2 plus noise with standard deviation
/// 0.1.
fn dataset(grid: &Grid, folder: &Path, hole: &[usize]) -> Dataset {
    let mut arrays = Arrays::new(grid.clone());
    let wave = |seed: usize| (seed as f64 * 12.9898).sin() * 43_758.545_3;
    for input in 0..12 {
        let a = 0.2 + wave(input).rem_euclid(1.0);
        let field = |value: &dyn Fn(usize, f64) -> f64| {
            let at = |p: usize| match hole.contains(&p) {
                true => f64::NAN,
                false => value(p, grid.point(p)[0]),
            };
            Field::scalar(grid, (0..grid.len()).map(at).collect())
        };
        let high: Vec<Field> = (0..4)
            .map(|run| {
                let noise = 0.2 * (wave(100 + 7 * input + run).rem_euclid(1.0) - 0.5);
                field(&|_, x| a * a + 0.5 * a * x + noise)
            })
            .collect();
        let (seen, low) = (field(&|_, _| a), field(&|_, _| a * a));
        arrays.push(&seen, Some(&low), &high).unwrap();
    }
    arrays.write(folder.join("data.zarr")).unwrap()
}

fn config(method: Method, epochs: usize) -> TrainConfig {
    TrainConfig {
        method,
        split: SplitConfig::new(2, 2, None),
        network: NetworkConfig {
            kind: NetworkKind::Slices,
            hidden_channels: 8,
            layers: 2,
            film_channels: 8,
            slices: 4,
            heads: 2,
            ..NetworkConfig::default()
        },
        optimiser: OptimiserConfig {
            batch: 8,
            learning_rate: 3e-3,
            ..Default::default()
        },
        stopping: StoppingConfig {
            epochs,
            ..Default::default()
        },
        ..Default::default()
    }
}

/// The predicted mean field for the first test input, and its root mean square distance from the
/// first realization.
fn prediction(run: &RunFolder, data: &Dataset) -> (Vec<f64>, f64) {
    let predictor = Predictor::load(run, &Device::flex()).unwrap();
    let needs_low = run.config().unwrap().method.needs_low();
    let case = Case {
        input: data.input(0).unwrap(),
        low: needs_low.then(|| data.low(0).unwrap()),
    };
    let sampling = Sampling {
        realizations: 5,
        solver: OdeSolver::named("rk4", Some(4)).unwrap(),
        ..Sampling::default()
    };
    let found = predictor
        .sample(&case, 0, data.grid(), &sampling, &Silent)
        .unwrap();
    let values = found.mean().unwrap().into_values();
    let truth: Vec<f64> = data.high(0).unwrap().into_values();
    let known = values.iter().zip(&truth).filter(|(_, v)| v.is_finite());
    let squares: Vec<f64> = known.map(|(a, b)| (a - b).powi(2)).collect();
    let error = (squares.iter().sum::<f64>() / squares.len() as f64).sqrt();
    (values, error)
}

#[test]
fn every_method_of_the_paper_trains_and_predicts_on_points() {
    for (grid, hole) in [
        (cloud(), &[][..]),
        (plane(), &[7, 8, 13][..]),
        (plane(), &[][..]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let data = dataset(&grid, folder.path(), hole);
        for method in Method::PAPER {
            let path = folder.path().join(method.name());
            let run = RunFolder::create(&path, &config(method, 2)).unwrap();
            train(&run, &data, &Device::flex(), &Silent).unwrap();
            let (values, _) = prediction(&run, &data);
            let mut points = values.iter().enumerate();
            let fits = |(p, v): (usize, &f64)| v.is_finite() != hole.contains(&p);
            assert!(points.all(fits), "{method}");
        }
    }
}

#[test]
fn a_residual_on_points_is_learned() {
    let folder = tempfile::tempdir().unwrap();
    let data = dataset(&cloud(), folder.path(), &[]);
    let path = folder.path().join("run");
    let run = RunFolder::create(&path, &config(Method::ResidualFno, 60)).unwrap();
    train(&run, &data, &Device::flex(), &Silent).unwrap();
    // The error of low fidelity alone is up to a / 2; the noise has a standard deviation of 0.06.
    let (_, error) = prediction(&run, &data);
    assert!(error < 0.12, "{error}");
}

/// Requests a stop after some steps.
struct Impatient(AtomicUsize, usize);

impl Observer for Impatient {
    fn observe(&self, event: &Event<'_>) {
        if matches!(event, Event::Step { .. }) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn should_stop(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= self.1
    }
}

#[test]
fn a_run_on_points_goes_on_to_the_same_weights() {
    let folder = tempfile::tempdir().unwrap();
    let data = dataset(&cloud(), folder.path(), &[]);
    let weights = |name: &str, stops: &[usize]| {
        let path = folder.path().join(name);
        let run = RunFolder::create(&path, &config(Method::Floral, 3)).unwrap();
        for steps in stops {
            let observer = Impatient(AtomicUsize::new(0), *steps);
            assert!(train(&run, &data, &Device::flex(), &observer).is_err());
        }
        train(&run, &data, &Device::flex(), &Silent).unwrap();
        let mut weights = run.best().unwrap().weights;
        weights.sort_by(|a, b| a.name.cmp(&b.name));
        weights
    };
    assert!(weights("whole", &[]) == weights("cut", &[2, 3]));
}

#[test]
fn settings_that_contradict_the_kind_are_refused_in_a_line() {
    let refusal = |change: &dyn Fn(&mut NetworkConfig)| {
        let mut config = config(Method::Floral, 1);
        change(&mut config.network);
        let text = config.to_toml();
        let table: toml::Table = text.parse().unwrap();
        let words = TrainConfig::from_table(table, "settings").unwrap_err();
        words.to_string()
    };
    assert!(refusal(&|n| n.n_modes = Some(vec![4])).contains("n_modes"));
    assert!(refusal(&|n| n.heads = 3).contains("multiple"));
    assert!(refusal(&|n| n.slices = 0).contains("slices"));
    assert!(refusal(&|n| n.kind = NetworkKind::Fno).contains("slices"));
    let folder = tempfile::tempdir().unwrap();
    let data = dataset(&cloud(), folder.path(), &[]);
    let mut config = config(Method::Floral, 1);
    config.network = NetworkConfig::default();
    let run = RunFolder::create(&folder.path().join("run"), &config).unwrap();
    let words = train(&run, &data, &Device::flex(), &Silent).unwrap_err();
    assert!(words.to_string().contains("slices"), "{words}");
}
