//! Tests of prediction with tiny networks.

use super::testing::{Play, play};
use super::*;
use crate::Silent;
use crate::kl::Reading;
use crate::operator::{Device, with_weights};
use crate::random::{Purpose, stream};
use crate::sample::{Adaptive, OdeSolver};
use crate::train::Method;
use crate::train::model::{fields, initial};
use crate::{Field, Grid};

fn rk4(steps: usize) -> OdeSolver {
    OdeSolver::named("rk4", Some(steps)).unwrap()
}

#[test]
fn a_realization_is_the_same_among_few_or_many_on_any_threads() {
    let play = play();
    let predictor = play.predictor(Method::Floral);
    let on = |threads: usize, count: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().unwrap();
        pool.install(|| play.sampled(&predictor, count, rk4(2)))
    };
    // Blocks have 64 rows: the last realizations are in a block that is not full.
    let many = on(3, 70);
    assert_eq!(many.len(), 70);
    assert_eq!(on(1, 3), many[..3]);
    assert_eq!(on(2, 40), many[..40]);
    assert_eq!(on(1, 66), many[..66]);
    assert_ne!(many[0], many[64]);
}

#[test]
fn a_flow_given_readings_holds_exact_ones_and_varies_elsewhere() {
    let play = play();
    let predictor = play.predictor(Method::Floral);
    let (input, low) = (play.dataset.input(0).unwrap(), play.dataset.low(0).unwrap());
    let reading = |place: usize, deviation: f64| Reading {
        name: format!("reading {place}"),
        entries: vec![(place, 0.5), (place + 1, 0.5)],
        value: 0.3,
        deviation,
    };
    let derived = || predictor.for_input(&input, Some(&low), play.dataset.grid());
    let given = derived()
        .unwrap()
        .observed(&[reading(3, 0.0), reading(9, 1e6)]);
    let given = given.unwrap();
    let found = given.innovation().unwrap();
    assert!(found.is_drawn && found.readings == 2 && found.effective_runs == 256.0);
    let sampling = Sampling {
        realizations: 20,
        ..Sampling::default()
    };
    let mut drawn: Vec<Vec<f64>> = Vec::new();
    let take = |_: usize, values: &[f64]| {
        drawn.push(values.to_vec());
        Ok(())
    };
    given.deliver(0, &sampling, &Silent, take).unwrap();
    let read = |u: &Vec<f64>, place: usize| 0.5 * (u[place] + u[place + 1]);
    assert!(drawn.iter().all(|u| (read(u, 3) - 0.3).abs() < 1e-5));
    assert!(drawn.iter().any(|u| (read(u, 9) - 0.3).abs() > 1e-3));
    let refused = play.predictor(Method::Fno);
    let refused = refused
        .for_input(&input, None, play.dataset.grid())
        .unwrap();
    let words = refused
        .observed(&[reading(3, 0.1)])
        .err()
        .unwrap()
        .to_string();
    assert!(words.contains("fno predicts one solution"), "{words}");
}

#[test]
fn a_predictor_from_a_checkpoint_is_the_trained_network() {
    let play = play();
    let run = play.run(Method::ResidualFno);
    let predictor = Predictor::load(&run, &Device::flex()).unwrap();
    let found = play.sampled(&predictor, 50, rk4(2));
    assert_eq!(found.len(), 1, "a deterministic method has one field");

    let best = run.best().unwrap();
    let device = Device::flex().autodiff();
    let config = &best.header.config;
    let shapes = best.header.shapes.clone();
    let model = initial(config.method, &config.network, shapes, 9, &device).unwrap();
    let network = with_weights(model.network, best.weights).unwrap();
    let (input, low) = (play.dataset.input(0).unwrap(), play.dataset.low(0).unwrap());
    let scaling = &best.header.scaling;
    let condition = scaling.condition(&input, Some(&low));
    let context = network
        .condition(fields(condition.clone(), 2, &[16], &device), &[16])
        .unwrap();
    let fed = fields(condition[..16].to_vec(), 1, &[16], &device);
    let field = network.predict(fed, &context).unwrap();
    let values: Vec<f32> = field.into_data().iter::<f32>().collect();
    let residual = scaling.target.invert(&values, 16);
    for ((residual, low), found) in residual.iter().zip(low.values()).zip(&found[0]) {
        assert!((residual + low - found).abs() < 1e-5);
    }
}

#[test]
fn fields_that_do_not_fit_are_refused_with_reason() {
    let play = play();
    let predictor = play.predictor(Method::Floral);
    let grid = play.dataset.grid();
    let (input, low) = (play.dataset.input(0).unwrap(), play.dataset.low(0).unwrap());
    let refusal = |input: &Field, low: Option<&Field>, grid: &Grid| {
        let refused = predictor.for_input(input, low, grid);
        refused.err().expect("a refusal").to_string()
    };
    let sentence = refusal(&input, None, grid);
    assert!(
        sentence.contains("method floral") && sentence.contains("array `low`"),
        "{sentence}"
    );
    let two = Field::from_values(2, &[16], vec![0.0; 32]).unwrap();
    let sentence = refusal(&two, Some(&low), grid);
    assert!(
        sentence.contains("[2, 16]") && sentence.contains("[1, 16]"),
        "{sentence}"
    );
    let mut values = input.values().to_vec();
    values[5] = f64::NAN;
    let broken = Field::scalar(grid, values);
    let sentence = refusal(&broken, Some(&low), grid);
    assert!(sentence.contains("NaN at point 5"), "{sentence}");
    let sentence = refusal(&input, Some(&broken), grid);
    assert!(sentence.contains("low-fidelity"), "{sentence}");
    let plane = Grid::new(vec![grid.axes[0].clone(), grid.axes[0].clone()]);
    assert!(refusal(&input, Some(&low), &plane).contains("[16] has 1"));
}

/// The fastest wave of the time embedding has period 0.01. Both 400 steps and a tolerance of 1e-6
/// resolve it. With 1e-5, a step that skips part of the wave may still be accepted.
#[test]
fn adaptive_and_fine_fixed_integrations_agree() {
    let play = play();
    let predictor = play.predictor(Method::Flora);
    let fine = play.sampled(&predictor, 3, rk4(400));
    let distance = |tolerance: f64| {
        let adaptive = Adaptive::new(tolerance, tolerance).unwrap();
        let found = play.sampled(&predictor, 3, OdeSolver::Adaptive(adaptive));
        let pairs = fine.iter().flatten().zip(found.iter().flatten());
        pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    let (tight, default) = (distance(1e-6), distance(1e-5));
    assert!(tight < 1e-4 && default < 2e-2, "{tight} {default}");
}

/// A network with the velocity k w + m P w + b, where P projects onto the wave of one period.
fn linear_predictor(play: &Play, [k, m, b]: [f32; 3]) -> Predictor {
    let mut checkpoint = play.run(Method::Flora).best().unwrap();
    for weight in &mut checkpoint.weights {
        weight.values.fill(0.0);
        match weight.name.as_str() {
            "linear.pointwise.weight" => weight.values[0] = k,
            "linear.pointwise.bias" => weight.values[0] = b,
            // [1, mode, in, out]: the entry for the input channel w, which is the first, at mode 1.
            "linear.spectral.weight_re" => weight.values[weight.shape[2]] = m,
            _ => {}
        }
    }
    Predictor::from_checkpoint(checkpoint, &Device::flex()).unwrap()
}

/// The part of a field at the points i/n that is a wave of one period.
fn first_wave(field: &[f32]) -> Vec<f64> {
    let n = field.len() as f64;
    let phase = |i: usize| std::f64::consts::TAU * i as f64 / n;
    let sum = |f: fn(f64) -> f64| -> f64 {
        let terms = field.iter().enumerate();
        terms.map(|(i, v)| f64::from(*v) * f(phase(i))).sum()
    };
    let (cosine, sine) = (2.0 / n * sum(f64::cos), 2.0 / n * sum(f64::sin));
    let at = |i: usize| cosine * phase(i).cos() + sine * phase(i).sin();
    (0..field.len()).map(at).collect()
}

/// dw/dt = k w + m P w + b takes w to e^k (w + (e^m - 1) P w) + b (e^k - 1) / k on any grid.
#[test]
fn on_a_finer_grid_than_trained_a_linear_velocity_is_followed_exactly() {
    let play = play();
    let [k, m, b] = [0.5, 0.8, 0.3f32];
    let predictor = linear_predictor(&play, [k, m, b]);
    let fine = refined_grid(play.dataset.grid(), &[45]).unwrap();
    let input = refined(&play.dataset.input(0).unwrap(), play.dataset.grid(), &fine).unwrap();
    let found = play.sampled_on(&predictor, (&input, None, &fine), 2, rk4(40));
    let header = predictor.header();
    let prior = header.config.prior.on(&fine).unwrap();
    let [k, m, b] = [k, m, b].map(f64::from);
    for (j, found) in found.iter().enumerate() {
        let mut start = vec![0.0; 45];
        prior.draw(&mut stream(1, Purpose::Prior, 0, j as u64), &mut start);
        let waves = first_wave(&start);
        let end = start.iter().zip(waves).map(|(w, wave)| {
            let grown = f64::from(*w) + m.exp_m1() * wave;
            (k.exp() * grown + b * k.exp_m1() / k) as f32
        });
        let expected = header.scaling.target.invert(&end.collect::<Vec<_>>(), 45);
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-4, "{found} {expected}");
        }
    }
}
