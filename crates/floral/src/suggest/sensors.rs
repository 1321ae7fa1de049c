//! Sensor placement: the points whose readings remove most of the predicted variance for one input.

use serde::Serialize;

use super::{weighted_mean, weights};
use crate::kl::Placement;
use crate::predict::interest::axes;
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
    check_noise(noise, !header.transforms.is_none())?;
    let channels = header.shapes.solution_channels;
    let placement = Placement {
        count,
        noise: vec![noise; channels],
        weights: weights(grid, header.mask.as_ref()),
    };
    let case = cases.case(index)?;
    let (predicted, sensors) = cases.with_sensors(predictor, &case, &placement)?;
    let points = cases.grid().len().max(1);
    let total = predicted.moments().map(|moments| moments.total());
    let weights = weights(cases.grid(), cases.mask());
    let mean = |channel: &[f64]| weighted_mean(channel, &weights).sqrt();
    Ok(SensorSuggestions {
        input: index,
        axes: axes(grid).into_iter().map(|axis| axis.name).collect(),
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

/// Refuses a noise that is not a standard deviation, or that cannot be added to what is learned.
fn check_noise(noise: f64, has_transforms: bool) -> Result<()> {
    let reason = if !(noise.is_finite() && noise >= 0.0) {
        "the noise of sensors is a number of 0 or more"
    } else if noise > 0.0 && has_transforms {
        "noise cannot be given for a run that learns transformed values; leave it out"
    } else {
        return Ok(());
    };
    Err(Error::config(format!("std {noise}"), reason))
}

fn coordinates(grid: &Grid, point: usize) -> Vec<f64> {
    match grid.mesh() {
        None => grid.point(point),
        Some(mesh) => mesh.points().rows()[point][..mesh.points().dimension()].to_vec(),
    }
}
