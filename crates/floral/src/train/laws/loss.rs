//! Tests of the loss against its formula, for realizations and for means per input.

use burn::tensor::{Tensor, TensorData};
use rand::RngExt;

use super::{Line, POINTS, draws, shapes};
use crate::flow::{Path, Prior};
use crate::operator::Device;
use crate::train::Method;
use crate::train::config::Rows;
use crate::train::model::{Model, fields, initial};
use crate::train::samples::{Reader, Samples};
use floral_networks::training::gradient::Loss;

/// For one sample, the weight 1 + 2 tau^2 and the mean over the grid of (v - (w1 - w0))^2, where v
/// is the velocity at (1 - tau) w0 + tau w1 + 1e-5 ||w1 - w0|| xi.
fn weight_and_square(
    model: &Model,
    samples: &Samples,
    prior: &dyn Prior,
    sample: usize,
) -> (f64, f64) {
    let device = Device::flex();
    let rng = &mut draws(sample);
    let tau: f32 = rng.random();
    let (mut w0, mut xi) = (vec![0.0; POINTS], vec![0.0; POINTS]);
    prior.draw(rng, &mut w0);
    prior.draw(rng, &mut xi);
    let target = samples.target_of(sample).unwrap();
    let pairs = target.iter().zip(&w0);
    let target: Vec<f32> = pairs.map(|(w1, w0)| w1 - w0).collect();
    let sigma = (1e-5 * mean_square(&target).sqrt()) as f32;
    let state = (0..POINTS).map(|i| w0[i] + tau * target[i] + sigma * xi[i]);
    let state = fields(state.collect(), 1, &[POINTS], &device);
    let condition = samples.condition_of(samples.input_of(sample), 2);
    let condition = condition.unwrap().into_owned();
    let context = model
        .network
        .condition(fields(condition, 2, &[POINTS], &device), &[POINTS]);
    let time = Tensor::from_data(TensorData::new(vec![tau], [1]), &device);
    let velocity = model.network.velocity(state, time, &context.unwrap());
    let velocity = velocity.unwrap().into_data();
    let differences = velocity.iter::<f32>().zip(&target).map(|(v, u)| v - u);
    let weight = f64::from(1.0 + 2.0 * tau * tau);
    (weight, mean_square(&differences.collect::<Vec<_>>()))
}

fn mean_square(values: &[f32]) -> f64 {
    let squares = values.iter().map(|v| f64::from(*v).powi(2));
    squares.sum::<f64>() / values.len() as f64
}

#[test]
fn the_loss_is_weighted_along_the_path_as_its_formula_says() {
    let line = Line::new();
    let config = Line::config(Method::Floral, 1);
    let reader = Reader::new(&line.dataset, &config).unwrap();
    let scaling = reader.scaling(5..20).unwrap();
    let samples = reader.samples(0..3, Rows::Realizations, &scaling).unwrap();
    let device = Device::flex();
    let model = initial(config.method, &config.network, shapes(), 4, &device).unwrap();
    let prior = config.prior.on(&samples.grid).unwrap();
    let loss = Loss {
        samples: &samples,
        path: Some(Path {
            config: &config.path,
            prior: prior.as_ref(),
            points: POINTS,
        }),
        stream: &draws,
    };
    let found = loss.mean(&model, &device).unwrap();
    let (mut weighted, mut plain) = (0.0, 0.0);
    for sample in 0..samples.len() {
        let (weight, square) = weight_and_square(&model, &samples, prior.as_ref(), sample);
        plain += square / samples.len() as f64;
        weighted += weight * square / samples.len() as f64;
    }
    assert!((found / weighted - 1.0).abs() < 1e-5, "{found} {weighted}");
    assert!((weighted / plain - 1.0).abs() > 0.3, "{weighted} {plain}");
}

/// Training on means has the same gradient as training on all realizations: the two losses differ
/// by the variance of the realizations, which does not depend on the network.
#[test]
fn the_mean_of_an_input_teaches_what_its_realizations_teach() {
    let line = Line::new();
    let config = Line::config(Method::ResidualFno, 1);
    let reader = Reader::new(&line.dataset, &config).unwrap();
    let scaling = reader.scaling(5..20).unwrap();
    let device = Device::flex();
    let losses = |seed: u64| {
        let model = initial(config.method, &config.network, shapes(), seed, &device).unwrap();
        [Rows::Realizations, Rows::Inputs].map(|rows| {
            let samples = reader.samples(0..3, rows, &scaling).unwrap();
            let loss = Loss {
                samples: &samples,
                path: None,
                stream: &draws,
            };
            loss.mean(&model, &device).unwrap()
        })
    };
    let ([all, means], [other_all, other_means]) = (losses(4), losses(5));
    assert!((all / other_all - 1.0).abs() > 1e-3, "{all} {other_all}");
    let (noise, other) = (all - means, other_all - other_means);
    assert!(
        noise > 0.0 && (noise - other).abs() < 1e-5 * all,
        "{noise} {other}"
    );
}
