//! Where to measure next: the points whose readings remove most of the predicted variance of one case.

use serde::Serialize;

use crate::kl::Placement;
use crate::predict::{Cases, Predictor};
use crate::{Error, Grid, Quantity, Result};

/// Where to measure, best first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SensorSuggestions {
    /// The input in its file.
    pub input: usize,
    /// The names of the axes.
    pub axes: Vec<String>,
    /// What the channels are.
    pub channels: Vec<Quantity>,
    /// Root mean square over points of the predicted standard deviation, a number per channel, given the
    /// readings that there are.
    pub std: Vec<f64>,
    /// The places.
    pub sensors: Vec<SuggestedSensor>,
}

/// A place to measure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SuggestedSensor {
    /// A coordinate per axis.
    pub coordinates: Vec<f64>,
    /// The channel.
    pub channel: usize,
    /// The share of the root mean square standard deviation, before any reading, that it and those before
    /// it leave.
    pub left: f64,
}

/// Where to put `count` sensors with noise of this standard deviation, given the readings of the cases.
pub fn suggest_sensors(
    predictor: &Predictor,
    cases: &Cases<'_>,
    index: usize,
    count: usize,
    noise: f64,
) -> Result<SensorSuggestions> {
    let header = predictor.header();
    let grid = &header.grid;
    if !(noise.is_finite() && noise >= 0.0) || (noise > 0.0 && !header.transforms.is_none()) {
        let reason = match noise > 0.0 {
            true => {
                "the run learns a transform of the solution, whose noise is another; leave it out"
            }
            false => "the noise of sensors is a number of 0 or more",
        };
        return Err(Error::config(format!("std {noise}"), reason));
    }
    let channels = header.shapes.solution_channels;
    let placement = Placement {
        count,
        noise: vec![noise; channels],
        weights: weights(predictor, grid),
    };
    let case = cases.case(index)?;
    let (predicted, sensors) = cases.with_sensors(predictor, &case, &placement)?;
    let points = cases.grid().len().max(1);
    let total = predicted.moments().map(|moments| moments.total());
    let mean = |channel: &[f64]| (channel.iter().sum::<f64>() / points as f64).sqrt();
    Ok(SensorSuggestions {
        input: index,
        axes: axis_names(grid),
        channels: header.quantities.solution.clone(),
        std: total.map_or(Vec::new(), |total| {
            total.chunks_exact(points).map(mean).collect()
        }),
        sensors: sensors
            .into_iter()
            .map(|sensor| SuggestedSensor {
                coordinates: coordinates(grid, sensor.point),
                channel: sensor.channel,
                left: sensor.left.max(0.0).sqrt(),
            })
            .collect(),
    })
}

/// Weights of points in the mean variance, none outside of the domain.
fn weights(predictor: &Predictor, grid: &Grid) -> Vec<f64> {
    let mut weights = match grid.weights() {
        Some(weights) => weights.to_vec(),
        None => vec![1.0; grid.len()],
    };
    if let Some(mask) = &predictor.header().mask {
        let outside = weights.iter_mut().zip(mask.outside());
        outside.for_each(|(weight, outside)| *weight *= f64::from(u8::from(!outside)));
    }
    weights
}

fn axis_names(grid: &Grid) -> Vec<String> {
    match grid.mesh() {
        None => grid.axes.iter().map(|axis| axis.name.clone()).collect(),
        Some(mesh) => {
            let names = ["x", "y", "z"].into_iter().map(str::to_owned);
            names.take(mesh.points().dimension()).collect()
        }
    }
}

fn coordinates(grid: &Grid, point: usize) -> Vec<f64> {
    match grid.mesh() {
        None => grid.point(point),
        Some(mesh) => mesh.points().rows()[point][..mesh.points().dimension()].to_vec(),
    }
}
