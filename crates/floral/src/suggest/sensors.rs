//! Sensor placement: the points whose readings remove most of the predicted variance for one input.

use serde::Serialize;

use crate::kl::Placement;
use crate::predict::{Cases, Predictor};
use crate::{Error, Grid, Quantity, Result};

/// Suggested sensors.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SensorSuggestions {
    /// Index of the input in its file.
    pub input: usize,
    /// Names of the axes.
    pub axes: Vec<String>,
    /// Names and units of the solution channels.
    pub channels: Vec<Quantity>,
    /// Predicted standard deviation, root mean square over points, per channel; given the existing
    /// readings.
    pub std: Vec<f64>,
    /// The sensors, best first.
    pub sensors: Vec<SuggestedSensor>,
}

/// A suggested sensor.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SuggestedSensor {
    /// Position: one coordinate per axis.
    pub coordinates: Vec<f64>,
    /// Index of the solution channel.
    pub channel: usize,
    /// Remaining share of the root mean square standard deviation after this sensor and those
    /// before it, relative to the prediction without any reading.
    pub left: f64,
}

/// Places `count` sensors with measurement noise of standard deviation `noise`, given the existing
/// readings for the input.
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

/// Weights of points in the mean variance; zero outside the domain.
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
