//! The network against stored outputs of the paper's reference implementation.

use std::collections::BTreeMap;

use burn::tensor::{Device, Tensor};

use super::network_fixture::{Fixture, Sample, same_shape};
use super::{Check, Tensors};
use crate::Result;
use crate::device::read;
use crate::operator::time_embedding::frequencies;
use crate::operator::{FilmFno, Weight, gradients};

const VELOCITY_TOLERANCE: f64 = 1e-4;
const LOSS_TOLERANCE: f64 = 1e-5;
const GRADIENT_TOLERANCE: f64 = 1e-3;
const FREQUENCY_TOLERANCE: f64 = 1e-6;

/// Whether the file holds a network and its output.
pub fn is_network(tensors: &Tensors) -> bool {
    tensors.contains("out.velocity") && tensors.names().any(|name| name.starts_with("weight."))
}

/// Checks velocity, loss, gradients and super-resolved velocity; all sizes are those of the file.
pub fn verify(tensors: &Tensors, device: &Device) -> Result<Vec<Check>> {
    let device = device.clone().autodiff();
    compare(Fixture::new(tensors), &device).map_err(|error| tensors.damaged(error.to_string()))
}

/// The error of a network's velocity against that of the file.
pub fn velocity_error(tensors: &Tensors, network: &FilmFno, device: &Device) -> Result<f64> {
    let mut fixture = Fixture::new(tensors);
    let velocity = fixture.sample("in", device)?.evaluate(network)?;
    let reference = fixture.take("out.velocity")?;
    Ok(velocity_check("velocity", velocity, &reference)?.error)
}

fn compare(mut fixture: Fixture, device: &Device) -> Result<Vec<Check>> {
    let network = fixture.network(device)?;
    let mut checks = training_checks(&mut fixture, &network, device)?;
    if network.config().time {
        let theirs = fixture.take("weight.time_encoder.modes")?;
        let ours = frequencies().map(f64::from);
        let quantity = "time frequencies";
        checks.push(Check::new(
            quantity,
            &ours,
            &doubles(&theirs),
            FREQUENCY_TOLERANCE,
        ));
    }
    let fine = fixture.sample("fine", device)?;
    let reference = fixture.take("fine.velocity")?;
    checks.push(velocity_check(
        "velocity, finer grid",
        fine.evaluate(&network)?,
        &reference,
    )?);
    fixture.finish()?;
    Ok(checks)
}

/// Velocity, loss and gradients on the training grid.
fn training_checks(
    fixture: &mut Fixture,
    network: &FilmFno,
    device: &Device,
) -> Result<Vec<Check>> {
    let sample = fixture.sample("in", device)?;
    let target = fixture.field("in.target", device)?;
    let velocity = sample.evaluate(network)?;
    same_shape("in.target", &target, &velocity)?;
    let loss = weighted_loss(velocity.clone(), target, &sample);
    let reference_loss = doubles(&fixture.take("out.loss")?);
    let mut checks = vec![
        velocity_check("velocity", velocity, &fixture.take("out.velocity")?)?,
        Check::new(
            "loss",
            &values(loss.clone())?,
            &reference_loss,
            LOSS_TOLERANCE,
        ),
    ];
    let found = gradients(network, loss.backward())?;
    let reference = fixture.in_our_layout("grad", &found)?;
    checks.extend(gradient_checks(&found, &reference));
    Ok(checks)
}

fn velocity_check(quantity: &str, found: Tensor<4>, reference: &Weight) -> Result<Check> {
    Ok(Check::new(
        quantity,
        &values(found)?,
        &doubles(reference),
        VELOCITY_TOLERANCE,
    ))
}

/// One check for each part of the network: the worst of its parameters.
fn gradient_checks(found: &[Weight], reference: &[Weight]) -> Vec<Check> {
    let mut worst: BTreeMap<String, Check> = BTreeMap::new();
    for (found, reference) in found.iter().zip(reference) {
        let part = part(&found.name);
        let check = Check::new(
            format!("gradient, {part}"),
            &doubles(found),
            &doubles(reference),
            GRADIENT_TOLERANCE,
        );
        let known = worst.entry(part).or_insert_with(|| check.clone());
        // In the total order NaN is the largest error.
        if check.error.total_cmp(&known.error).is_gt() {
            *known = check;
        }
    }
    worst.into_values().collect()
}

/// The part of the network a parameter belongs to: `layers.0` or `lift`.
fn part(name: &str) -> String {
    let parts = if name.starts_with("layers.") { 2 } else { 1 };
    name.split('.').take(parts).collect::<Vec<_>>().join(".")
}

/// Mean over the batch of (1 + 2 tau^2) times the mean squared error of a sample.
fn weighted_loss(velocity: Tensor<4>, target: Tensor<4>, sample: &Sample) -> Tensor<1> {
    let batch = velocity.dims()[0];
    let error = (velocity - target).square().reshape([batch as i32, -1]);
    let error: Tensor<1> = error.mean_dim(1).squeeze_dim(1);
    match &sample.tau {
        Some(tau) => (error * (tau.clone().square() * 2.0 + 1.0)).mean(),
        None => error.mean(),
    }
}

fn values<const D: usize>(tensor: Tensor<D>) -> Result<Vec<f64>> {
    Ok(read(tensor)?.into_iter().map(f64::from).collect())
}

fn doubles(weight: &Weight) -> Vec<f64> {
    weight.values.iter().map(|&v| f64::from(v)).collect()
}
