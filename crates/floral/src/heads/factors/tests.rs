//! Laws of the factors: their loss, what they recover, and that threads do not matter.

use std::f64::consts::TAU;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use burn::tensor::{Tensor, TensorData};
use rand::RngExt;
use rand_distr::StandardNormal;

use super::batch::Batch;
use super::gram::{MEAN, Overlap, loss};
use super::*;
use crate::observer::{Event, Observer};
use crate::operator::Device;
use crate::random::{Purpose, stream};
use crate::regression::{Lattice, Symmetries};
use crate::{Axis, Error, Grid, Result, Silent};

fn normals(seed: u64, count: usize) -> Vec<f32> {
    let mut rng = stream(seed, Purpose::Prior, 0, 0);
    (0..count).map(|_| rng.sample(StandardNormal)).collect()
}

const VALUES: usize = 10;

/// Two rows of three residuals, the second row known at half of its values.
fn small_batch() -> Batch {
    let mut weights = vec![0.1; VALUES];
    weights.extend((0..VALUES).map(|v| if v < 5 { 0.2 } else { 0.0 }));
    let residuals = normals(1, 6 * VALUES);
    let weighed = |(i, value): (usize, &f32)| {
        let (row, v) = (i / (3 * VALUES), i % VALUES);
        value * weights[row * VALUES + v]
    };
    Batch {
        fed: Vec::new(),
        residuals: residuals.iter().enumerate().map(weighed).collect(),
        weights: weights.clone(),
        errors: normals(2, 2 * VALUES),
        covariance: vec![0.3, 0.7],
        error: vec![0.5, 0.5],
    }
}

fn outputs(values: &[f32], device: &Device) -> Tensor<4> {
    let data = TensorData::new(values.to_vec(), [2, 4, 2, VALUES / 2]);
    Tensor::from_data(data, device)
}

fn value(of: &[f32]) -> f64 {
    let loss = loss(outputs(of, &Device::flex()), &small_batch(), 3);
    loss.into_data().iter::<f32>().map(f64::from).sum()
}

#[test]
fn the_gradient_of_the_loss_is_its_difference_quotient() {
    let at = normals(3, 2 * 4 * VALUES);
    let tracked = outputs(&at, &Device::flex().autodiff()).require_grad();
    let gradients = loss(tracked.clone(), &small_batch(), 3).backward();
    let gradient: Vec<f32> = tracked
        .grad(&gradients)
        .unwrap()
        .into_data()
        .iter()
        .collect();
    assert!(gradient.iter().any(|g| g.abs() > 0.01));
    for (i, found) in gradient.iter().enumerate() {
        let moved = |by: f32| {
            let mut there = at.clone();
            there[i] += by;
            value(&there)
        };
        let quotient = (moved(0.02) - moved(-0.02)) / 0.04;
        assert!(
            (f64::from(*found) - quotient).abs() < 2e-3,
            "{found} {quotient}"
        );
    }
}

#[test]
fn overlaps_and_the_loss_say_the_same() {
    let at = normals(3, 2 * 4 * VALUES);
    let overlaps = Overlap::of(&at, &small_batch(), 3);
    let whole = floral_linalg::Mat::<f64>::identity(3, 3);
    let of = |overlap: &Overlap| {
        let [own, both, error] = overlap.correction;
        let missed = own - 2.0 * both + error;
        overlap.error(whole.as_ref()) + f64::from(MEAN) * 0.5 * missed
    };
    let mean = overlaps.iter().map(of).sum::<f64>() / 2.0;
    assert!((mean - value(&at)).abs() < 1e-4, "{mean} {}", value(&at));
}

/// Realizations are shift(a) xi_1 + square(a) xi_2 / 2: two factors that depend on the input.
struct Family {
    lattice: Lattice,
    points: usize,
}

impl Family {
    fn new(points: usize) -> Self {
        let grid = Grid::new(vec![Axis::periodic("x", points)]);
        Self {
            lattice: Lattice::new(&grid, &["x"]).unwrap(),
            points,
        }
    }

    fn symmetries(&self) -> Symmetries {
        let declared = ["roll:x".parse().unwrap()];
        Symmetries::new(&declared, &self.lattice, 1, 1).unwrap()
    }

    /// Two waves, their amplitudes and phases drawn.
    fn wave(&self, waves: &[f64; 4], shift: f64) -> Vec<f64> {
        let at = |p: usize| {
            let x = p as f64 / self.points as f64 - shift;
            let wave =
                |k: usize| waves[2 * k] * (TAU * ((k + 1) as f64 * x + waves[2 * k + 1])).sin();
            wave(0) + wave(1)
        };
        (0..self.points).map(at).collect()
    }

    fn waves(index: u64) -> [f64; 4] {
        let mut rng = stream(5, Purpose::Input, index, 0);
        let mut unit = || rng.random_range(0.0..1.0);
        [0.6 + unit(), unit(), 0.6 * unit(), unit()]
    }

    fn factors(&self, waves: &[f64; 4]) -> [Vec<f64>; 2] {
        let square = self.wave(waves, 0.0).iter().map(|a| 0.5 * a * a).collect();
        [self.wave(waves, 0.1), square]
    }

    fn realizations(&self, index: u64, count: usize) -> Vec<f64> {
        let [f, g] = self.factors(&Self::waves(index));
        let draw = |j: usize| {
            let mut rng = stream(5, Purpose::Realization, index, j as u64);
            let xi: [f64; 2] = [rng.sample(StandardNormal), rng.sample(StandardNormal)];
            let pairs = f.iter().zip(&g);
            pairs
                .map(move |(f, g)| f * xi[0] + g * xi[1])
                .collect::<Vec<f64>>()
        };
        (0..count).flat_map(draw).collect()
    }

    fn row(&self, index: u64) -> Row {
        let input = self.wave(&Self::waves(index), 0.0);
        let error: Vec<f64> = input.iter().map(|a| 0.3 * a).collect();
        let seen = Seen {
            realizations: &self.realizations(index, 40),
            centre: None,
            deviation: &vec![1.0; self.points],
            error: Some(&error),
            known: None,
            others: None,
        };
        Row::new(&input, &seen, self.points).unwrap()
    }

    fn train(&self, settings: &Settings, observer: &dyn Observer) -> Result<Heads> {
        let rows: Vec<Row> = (0..16).map(|i| self.row(i)).collect();
        Heads::train(
            settings,
            (&rows[..12], &rows[12..]),
            &[Moves::AsInput(0)],
            &self.lattice,
            &self.symmetries(),
            &Device::flex(),
            observer,
        )
    }

    /// |C - F|^2 / |C|^2 and the relative error of the mean's correction at an unseen input.
    fn errors(&self, heads: &Heads, index: u64) -> (f64, f64) {
        let waves = Self::waves(index);
        let input = self.wave(&waves, 0.0);
        let found = heads.factors(&input, &self.lattice).unwrap();
        let truth = self.factors(&waves);
        let (mut missed, mut all) = (0.0, 0.0);
        for p in 0..self.points {
            for q in 0..self.points {
                let c: f64 = truth.iter().map(|f| f[p] * f[q]).sum();
                let guess: f64 = found.fields.iter().map(|f| f64::from(f[p] * f[q])).sum();
                missed += (c - guess).powi(2);
                all += c * c;
            }
        }
        let norm = |v: f64| v * v;
        let pairs = found.mean_correction.iter().zip(&input);
        let wrong: f64 = pairs.map(|(c, a)| norm(f64::from(*c) - 0.3 * a)).sum();
        let error: f64 = input.iter().map(|a| norm(0.3 * a)).sum();
        (missed / all, wrong / error)
    }
}

fn small(steps: usize) -> Settings {
    Settings {
        factors: 4,
        hidden_channels: 16,
        layers: 2,
        modes: 12,
        harmonics: 4,
        steps,
        ..Default::default()
    }
}

#[test]
fn factors_and_errors_of_the_mean_are_found_at_unseen_inputs_and_on_finer_grids() {
    let family = Family::new(32);
    let heads = family.train(&small(400), &Silent).unwrap();
    let fine = Family::new(64);
    let [mut here, mut there, mut mean] = [0.0; 3];
    for index in 50..60 {
        here += family.errors(&heads, index).0 / 10.0;
        mean += family.errors(&heads, index).1 / 10.0;
        there += fine.errors(&heads, index).0 / 10.0;
    }
    assert!(here < 0.1 && there < 0.15, "{here} {there}");
    assert!(mean < 0.1 && heads.header.share > 0.9, "{mean}");
    assert!(heads.header.turn.len() <= 4 && heads.header.turn.len() >= 2);
    let stored = serde_json::to_string(&heads.header).unwrap();
    let header = serde_json::from_str(&stored).unwrap();
    let again = Heads::from_parts(header, heads.weights(), &Device::flex()).unwrap();
    let input = family.wave(&Family::waves(50), 0.0);
    let [a, b] = [&heads, &again].map(|h| h.factors(&input, &family.lattice).unwrap().fields);
    assert_eq!(a, b);
}

#[test]
fn coefficients_of_similar_inputs_are_similar() {
    let family = Family::new(32);
    let heads = family.train(&small(150), &Silent).unwrap();
    let residuals: Vec<f32> = family
        .realizations(70, 30)
        .iter()
        .map(|v| *v as f32)
        .collect();
    let coefficients = |waves: [f64; 4]| {
        let input = family.wave(&waves, 0.0);
        let factors = heads.factors(&input, &family.lattice).unwrap();
        factors.coefficients(&residuals, None)
    };
    let waves = Family::waves(70);
    let [a, b] = [waves, waves.map(|w| w + 1e-3)].map(coefficients);
    let norm = |v: &mut dyn Iterator<Item = f64>| v.map(|v| v * v).sum::<f64>().sqrt();
    let apart = norm(&mut a.iter().zip(&b).map(|(a, b)| a - b));
    assert!(apart < 0.05 * norm(&mut a.iter().copied()), "{apart}");
}

#[test]
fn the_same_weights_come_on_any_number_of_threads() {
    let family = Family::new(32);
    let [one, two] = [1, 2].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let heads = pool
            .build()
            .unwrap()
            .install(|| family.train(&small(12), &Silent));
        let heads = heads.unwrap();
        (heads.weights(), heads.header)
    });
    assert!(one == two);
}

/// Stops after a number of steps.
struct Impatient(AtomicUsize, AtomicBool);

impl Observer for Impatient {
    fn observe(&self, event: &Event<'_>) {
        if let Event::Step { .. } = event {
            let steps = self.0.fetch_add(1, Ordering::SeqCst) + 1;
            self.1.store(steps == 3, Ordering::SeqCst);
        }
    }

    fn should_stop(&self) -> bool {
        self.1.load(Ordering::SeqCst)
    }
}

#[test]
fn training_stops_at_the_step_after_it_was_asked_to() {
    let observer = Impatient(AtomicUsize::new(0), AtomicBool::new(false));
    let refused = Family::new(32).train(&small(100), &observer);
    assert!(matches!(refused, Err(Error::Interrupted)));
    assert_eq!(observer.0.load(Ordering::SeqCst), 3);
}
