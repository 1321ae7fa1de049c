//! Where to measure next: repeatedly the place that removes most of the mean variance.
//!
//! Under a normal law with the covariance C of the prediction, a reading of u_p with noise of
//! variance r removes C_qp^2 / (C_pp + r) of the variance at every q; the next place is chosen by
//! the covariance that remains.

use floral_linalg::Mat;
use rayon::prelude::*;

use super::readings::{Rows, refused};
use crate::Result;
use crate::law::Deviations;

/// Maximum number of values of the covariance. For larger fields only some places, evenly spread,
/// are candidates.
const MOST_VALUES: usize = 1 << 24;

/// Variances below this share of the initial one are round-off.
const ROUND_OFF: f64 = 1e-9;

/// The sensors that are to be placed.
#[derive(Debug, Clone, PartialEq)]
pub struct Placement {
    /// Number of sensors.
    pub count: usize,
    /// The standard deviation of their noise, one per channel, in the units of the data.
    pub noise: Vec<f64>,
    /// Weight of every point in the mean variance; a point of weight 0 is no candidate either.
    pub weights: Vec<f64>,
}

/// A place to measure.
#[derive(Debug, Clone, PartialEq)]
pub struct Sensor {
    /// The channel.
    pub channel: usize,
    /// The point.
    pub point: usize,
    /// The share of the mean variance that remains after this and the previous sensors: the mean
    /// over channels.
    pub left: f64,
}

/// Places sensors, given earlier readings, if there are any. `scales` are the scales of the
/// channels' units.
pub(crate) fn placed(
    deviations: &Deviations<'_>,
    unknown: &[f32],
    rows: Option<&Rows>,
    placement: &Placement,
    scales: &[f64],
) -> Result<Vec<Sensor>> {
    let points = placement.weights.len().max(1);
    let values = deviations.gain.len();
    let free: Vec<usize> = (0..values)
        .filter(|place| placement.weights[place % points] > 0.0)
        .collect();
    if placement.count == 0 || placement.count > free.len() {
        let reason = format!("there are {} places; ask for one at least", free.len());
        return Err(refused(&format!("{} sensors", placement.count), &reason));
    }
    let most = (MOST_VALUES / values.max(1)).max(placement.count);
    let stride = free.len().div_ceil(most);
    let candidates: Vec<usize> = free.into_iter().step_by(stride).collect();
    let mut greedy = Greedy::new(deviations, unknown, rows, candidates, placement);
    greedy.condition(rows);
    let noise = |place: usize| (placement.noise[place / points] / scales[place / points]).powi(2);
    let mut sensors = Vec::new();
    while sensors.len() < placement.count {
        let Some(column) = greedy.best(noise) else {
            break;
        };
        let place = greedy.candidates[column];
        greedy.remove(column, &[(place, 1.0)], noise(place));
        greedy.taken[column] = true;
        sensors.push(Sensor {
            channel: place / points,
            point: place % points,
            left: greedy.left(),
        });
    }
    Ok(sensors)
}

/// Covariances of all values with candidates and readings, reduced by every sensor that is placed.
struct Greedy {
    candidates: Vec<usize>,
    taken: Vec<bool>,
    /// Columns [value] of the covariance, of candidates and then of readings.
    columns: Vec<Vec<f64>>,
    /// The variance at every value: without any sensor, and given those placed so far.
    first: Vec<f64>,
    variance: Vec<f64>,
    /// Weight of every value over the initial mean variance of its channel.
    weights: Vec<f64>,
    /// Number of channels that vary.
    channels: usize,
}

impl Greedy {
    fn new(
        deviations: &Deviations<'_>,
        unknown: &[f32],
        rows: Option<&Rows>,
        candidates: Vec<usize>,
        placement: &Placement,
    ) -> Self {
        let fields = factor_fields(deviations, unknown);
        let single = candidates.iter().map(|place| vec![(*place, 1.0)]);
        let given = rows.map_or(&[][..], |rows| &rows.entries);
        let all: Vec<Vec<(usize, f64)>> = single.chain(given.iter().cloned()).collect();
        let columns = all.par_iter().map(|entries| {
            let mut column = deviations.remainder.covariances(entries);
            add_factors(&fields, entries, &mut column);
            column
        });
        let remainder = deviations.remainder.deviation().iter();
        let mut variance: Vec<f64> = remainder.map(|d| f64::from(*d).powi(2)).collect();
        for (p, variance) in variance.iter_mut().enumerate() {
            *variance += (0..fields.ncols())
                .map(|k| fields[(p, k)].powi(2))
                .sum::<f64>();
        }
        let points = placement.weights.len().max(1);
        let (mut weights, mut channels) = (Vec::with_capacity(variance.len()), 0);
        for channel in variance.chunks_exact(points) {
            let parts = channel.iter().zip(&placement.weights);
            let sum: f64 = parts.map(|(v, w)| v * w).sum();
            let over = |w: &f64| if sum > 0.0 { w / sum } else { 0.0 };
            weights.extend(placement.weights.iter().map(over));
            channels += usize::from(sum > 0.0);
        }
        Self {
            taken: vec![false; candidates.len()],
            columns: columns.collect(),
            candidates,
            first: variance.clone(),
            variance,
            weights,
            channels,
        }
    }

    /// Takes readings into account, one after the other.
    fn condition(&mut self, rows: Option<&Rows>) {
        let Some(rows) = rows else {
            return;
        };
        for (i, entries) in rows.entries.iter().enumerate() {
            let column = self.candidates.len() + i;
            self.remove(column, entries, rows.noise[i].powi(2));
        }
    }

    /// The candidate that removes most variance; `None` if no variance is left.
    fn best(&self, noise: impl Fn(usize) -> f64 + Sync) -> Option<usize> {
        let removed = |c: usize| {
            let place = self.candidates[c];
            let own = self.columns[c][place] + noise(place);
            let parts = self.columns[c].iter().zip(&self.weights);
            let sum: f64 = parts.map(|(v, w)| w * v * v).sum();
            // A variance that is round-off removes nothing.
            match self.columns[c][place] > ROUND_OFF * self.first[place] {
                true if !self.taken[c] => sum / own,
                _ => 0.0,
            }
        };
        let all: Vec<f64> = (0..self.candidates.len())
            .into_par_iter()
            .map(removed)
            .collect();
        let best = (0..all.len()).max_by(|a, b| all[*a].total_cmp(&all[*b]).then(b.cmp(a)));
        best.filter(|c| all[*c] > 0.0)
    }

    /// Subtracts from every covariance what a reading with these entries and this noise explains.
    fn remove(&mut self, column: usize, entries: &[(usize, f64)], noise: f64) {
        let read = |field: &[f64]| entries.iter().map(|(p, f)| f * field[*p]).sum::<f64>();
        let own = self.columns[column].clone();
        let all = read(&own) + noise;
        if all <= 0.0 {
            return;
        }
        self.columns.par_iter_mut().for_each(|other| {
            let share = read(other) / all;
            other
                .iter_mut()
                .zip(&own)
                .for_each(|(v, o)| *v -= share * o);
        });
        let variance = self.variance.iter_mut().zip(&own);
        variance.for_each(|(v, o)| *v = (*v - o * o / all).max(0.0));
    }

    /// The share of variance left, as a mean over channels.
    fn left(&self) -> f64 {
        let parts = self.variance.iter().zip(&self.weights);
        parts.map(|(v, w)| v * w).sum::<f64>() / self.channels.max(1) as f64
    }
}

/// Factors of all training inputs and of the epistemic part: the sum of their outer products is the
/// covariance without the remainder. [value, factor].
fn factor_fields(deviations: &Deviations<'_>, unknown: &[f32]) -> Mat<f64> {
    let values = deviations.gain.len().max(1);
    let mut fields: Vec<Vec<f64>> = Vec::new();
    for near in &deviations.near {
        let root = near.weight.sqrt();
        for field in near.factors.chunks_exact(values) {
            let scaled = field.iter().zip(&deviations.gain);
            fields.push(scaled.map(|(f, g)| root * f64::from(f * g)).collect());
        }
    }
    let unknown = unknown.chunks_exact(values);
    fields.extend(unknown.map(|field| field.iter().map(|v| f64::from(*v)).collect()));
    Mat::from_fn(values, fields.len(), |p, k| fields[k][p])
}

fn add_factors(fields: &Mat<f64>, entries: &[(usize, f64)], column: &mut [f64]) {
    for k in 0..fields.ncols() {
        let field = fields.col(k);
        let seen: f64 = entries.iter().map(|(p, f)| f * field[*p]).sum();
        let parts = column.iter_mut().zip(field.iter());
        parts.for_each(|(c, v)| *c += seen * v);
    }
}
