//! Laws of the law: what is not Gaussian is found, what is stays, and draws are their own.

use rand::RngExt;
use rand_distr::StandardNormal;

use super::*;
use crate::random::{Purpose, Stream, stream};
use crate::{Error, Silent};

const DIMENSION: usize = 3;

/// The weight of the upper mode of an input with this feature.
fn weight(feature: f64) -> f64 {
    0.5 + 0.3 * feature
}

/// Two modes of the first coefficient, with mean zero and unit variance for every weight.
fn bimodal(feature: f64, rng: &mut Stream) -> [f64; DIMENSION] {
    let w = weight(feature);
    let is_upper = rng.random_range(0.0..1.0) < w;
    let (upper, lower) = (((1.0 - w) / w).sqrt(), -(w / (1.0 - w)).sqrt());
    let mode = if is_upper { upper } else { lower };
    let [a, b, c] = [0; 3].map(|_| rng.sample::<f64, _>(StandardNormal));
    [0.96 * mode + 0.28 * a, b, c]
}

/// The second coefficient is log-normal, brought to mean zero and unit variance.
fn log_normal(_: f64, rng: &mut Stream) -> [f64; DIMENSION] {
    let [a, b, c] = [0; 3].map(|_| rng.sample::<f64, _>(StandardNormal));
    [a, standard_log_normal(b), c]
}

/// e^(0.6 x) for a normal x, brought to mean zero and unit variance.
fn standard_log_normal(x: f64) -> f64 {
    let e = f64::exp(0.36);
    ((0.6 * x).exp() - e.sqrt()) / (e * (e - 1.0)).sqrt()
}

fn gaussian(_: f64, rng: &mut Stream) -> [f64; DIMENSION] {
    [0; DIMENSION].map(|_| rng.sample::<f64, _>(StandardNormal))
}

type Draw = fn(f64, &mut Stream) -> [f64; DIMENSION];

/// Inputs with a feature between -1 and 1 that counts, and two that do not.
fn examples(draw: Draw, inputs: std::ops::Range<u64>, draws: u64) -> Vec<Example> {
    let example = |input: u64| {
        let rng = &mut stream(3, Purpose::Input, input, 0);
        let feature = rng.random_range(-1.0..1.0);
        let others: [f64; 2] = [rng.random_range(0.0..1.0), 7.0];
        let one = |j| draw(feature, &mut stream(3, Purpose::Realization, input, j));
        Example {
            features: [vec![feature], others.to_vec()].concat(),
            coefficients: (0..draws).flat_map(one).collect(),
        }
    };
    inputs.map(example).collect()
}

fn fitted(draw: Draw) -> Law {
    let (train, held_out) = (examples(draw, 0..24, 60), examples(draw, 24..32, 60));
    Law::fit(&train, &held_out, DIMENSION, 1, &Silent).unwrap()
}

fn rngs(count: u64) -> Vec<Stream> {
    (0..count)
        .map(|j| stream(9, Purpose::Prior, 0, j))
        .collect()
}

fn drawn(law: &Law, feature: f64, count: u64) -> Vec<f32> {
    let mut out = vec![0.0; count as usize * DIMENSION];
    let features = [feature, 0.5, 7.0];
    law.draw(&features, &mut rngs(count), &mut out).unwrap();
    out
}

#[test]
fn modes_are_found_with_the_weights_of_their_inputs() {
    let law = fitted(bimodal);
    let scores = law.header.scores.unwrap();
    assert!(!law.is_gaussian() && scores.flow < scores.gaussian - scores.error);
    for feature in [-0.7, 0.0, 0.7] {
        let draws = drawn(&law, feature, 4000);
        let middle = 0.5 * (1.0 - 2.0 * weight(feature))
            / (weight(feature) * (1.0 - weight(feature))).sqrt();
        let is_upper = |draw: &&[f32]| f64::from(draw[0]) > 0.96 * middle;
        let upper = draws.chunks_exact(DIMENSION).filter(is_upper).count();
        let found = upper as f64 / 4000.0;
        assert!((found - weight(feature)).abs() < 0.05, "{feature}: {found}");
    }
    let stored = serde_json::to_string(&law.header).unwrap();
    let header = serde_json::from_str(&stored).unwrap();
    let again = Law::from_parts(header, law.weights()).unwrap();
    assert_eq!(drawn(&again, 0.3, 5), drawn(&law, 0.3, 5));
}

#[test]
fn quantiles_of_a_log_normal_are_right() {
    let law = fitted(log_normal);
    let scores = law.header.scores.unwrap();
    assert!(!law.is_gaussian() && scores.flow < scores.gaussian);
    let draws = drawn(&law, 0.2, 4000);
    let mut values: Vec<f32> = draws.iter().skip(1).step_by(DIMENSION).copied().collect();
    values.sort_by(f32::total_cmp);
    // Normal quantiles at 5, 25, 50, 75 and 95 %.
    for (share, normal) in [
        (0.05, -1.645),
        (0.25, -0.674),
        (0.5, 0.0),
        (0.75, 0.674),
        (0.95, 1.645),
    ] {
        let expected = standard_log_normal(normal);
        let found = f64::from(values[(share * 4000.0) as usize]);
        assert!(
            (found - expected).abs() < 0.15,
            "{share}: {found} {expected}"
        );
    }
}

#[test]
fn gaussian_coefficients_stay_gaussian() {
    let law = fitted(gaussian);
    assert!(law.is_gaussian() && law.weights().is_empty());
    let scores = law.header.scores.unwrap();
    assert!((scores.flow / scores.gaussian - 1.0).abs() < 0.01);
}

#[test]
fn a_draw_is_the_same_in_any_company_and_on_any_number_of_threads() {
    let fit = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let (train, held_out) = (examples(bimodal, 0..8, 40), examples(bimodal, 8..12, 40));
        let fit = || Law::fit(&train, &held_out, DIMENSION, 1, &Silent).unwrap();
        pool.build().unwrap().install(fit)
    };
    let (law, other) = (fit(1), fit(2));
    assert!(!law.is_gaussian());
    assert_eq!(law.weights(), other.weights());
    let features = [0.3, 0.5, 7.0];
    let together = drawn(&law, 0.3, 37);
    for (rng, expected) in rngs(37).iter().zip(together.chunks_exact(DIMENSION)) {
        let mut alone = [0.0; DIMENSION];
        law.draw(&features, &mut [rng.clone()], &mut alone).unwrap();
        assert_eq!(alone, expected);
    }
}

#[test]
fn without_inputs_held_out_the_law_is_gaussian_and_bad_shapes_are_refused() {
    let train = examples(bimodal, 0..3, 10);
    let law = Law::fit(&train, &[], DIMENSION, 1, &Silent).unwrap();
    assert!(law.is_gaussian() && law.header.scores.is_none());
    assert!(Law::fit(&train, &[], 4, 1, &Silent).is_err());
    assert!(law.draw(&[0.0], &mut rngs(2), &mut [0.0; 5]).is_err());
    let stopped = std::sync::atomic::AtomicBool::new(true);
    let refused = Law::fit(&train, &train, DIMENSION, 1, &stopped);
    assert!(matches!(refused, Err(Error::Interrupted)));
}
