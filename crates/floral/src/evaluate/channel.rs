//! Channels of fields for `scoring.rs`: one channel alone, or all channels in units of their
//! standard deviations.

use super::{BaselineFields, Truth};
use crate::kl::Prediction;
use crate::metric::fields::weighted;

/// Extracts one channel from fields of `values` values: [.., channel, point] -> [.., point].
pub(super) fn of<T: Copy>(fields: &[T], values: usize, channel: usize, channels: usize) -> Vec<T> {
    let points = values / channels;
    let fields = fields.chunks_exact(values.max(1));
    fields
        .flat_map(|field| field[channel * points..][..points].iter().copied())
        .collect()
}

/// Divides the channels of fields of `values` values by a power of their standard deviations.
fn scaled(fields: &[f64], values: usize, deviations: &[f64], power: i32) -> Vec<f64> {
    let points = (values / deviations.len()).max(1);
    let channels = fields.chunks_exact(points).zip(deviations.iter().cycle());
    channels
        .flat_map(|(channel, deviation)| {
            let factor = deviation.powi(-power);
            channel.iter().map(move |value| value * factor)
        })
        .collect()
}

/// Members in units of the standard deviations of the channels: [member, channel, point].
pub(super) fn scaled_members<T: Copy + Into<f64>>(
    members: &[T],
    values: usize,
    deviations: &[f64],
) -> Vec<f64> {
    let points = (values / deviations.len()).max(1);
    let channels = members.chunks_exact(points).zip(deviations.iter().cycle());
    channels
        .flat_map(|(channel, deviation)| {
            channel.iter().map(move |value| (*value).into() / deviation)
        })
        .collect()
}

/// Moments of one channel.
pub(super) fn of_moments(moments: &Prediction, channel: usize, channels: usize) -> Prediction {
    let of = |values: &[f64]| of(values, values.len(), channel, channels);
    Prediction {
        mean: of(&moments.mean),
        aleatoric: of(&moments.aleatoric),
        epistemic: of(&moments.epistemic),
        ..*moments
    }
}

/// Moments in units of the standard deviations of the channels.
pub(super) fn scaled_moments(moments: &Prediction, deviations: &[f64]) -> Prediction {
    let scaled = |values: &[f64], power| scaled(values, values.len(), deviations, power);
    Prediction {
        mean: scaled(&moments.mean, 1),
        aleatoric: scaled(&moments.aleatoric, 2),
        epistemic: scaled(&moments.epistemic, 2),
        ..*moments
    }
}

impl Truth {
    /// The truth of one channel, in the units of that channel.
    pub(super) fn channel(&self, channel: usize) -> Self {
        let (values, channels) = (self.mean.len(), self.deviations.len());
        let of_field = |field: &Vec<f64>| of(field, values, channel, channels);
        Self {
            mean: of_field(&self.mean),
            variance: self.variance.as_ref().map(of_field),
            variance_error: self.variance_error.as_ref().map(of_field),
            observations: of(&self.observations, values, channel, channels),
            deviations: Vec::new(),
            weights: self.weights.clone(),
            source: self.source,
        }
    }

    /// The truth of all channels, in units of their standard deviations.
    pub(super) fn scaled(&self) -> Self {
        let (values, deviations) = (self.mean.len(), &self.deviations);
        let scale = |field: &[f64], power| scaled(field, values, deviations, power);
        Self {
            mean: scale(&self.mean, 1),
            variance: self.variance.as_deref().map(|field| scale(field, 2)),
            variance_error: self.variance_error.as_deref().map(|field| scale(field, 4)),
            observations: scaled_members(&self.observations, values, deviations),
            deviations: Vec::new(),
            weights: self.weights.clone(),
            source: self.source,
        }
    }

    /// Expected squared norm of the sampling error of the mean.
    pub(super) fn mean_square_error(&self) -> f64 {
        let variances = self.weighted(self.variance.iter().flatten().copied());
        variances * self.source.sampling_share()
    }
}

impl Truth {
    /// The sum over a field, weighted by the quadrature weights of its points.
    pub(super) fn weighted(&self, values: impl Iterator<Item = f64>) -> f64 {
        weighted(values, &self.weights)
    }
}

impl BaselineFields {
    pub(super) fn channel(&self, channel: usize, channels: usize) -> Self {
        self.mapped(|field| of(field, field.len(), channel, channels))
    }

    pub(super) fn scaled(&self, deviations: &[f64]) -> Self {
        self.mapped(|field| scaled(field, field.len(), deviations, 1))
    }

    fn mapped(&self, map: impl Fn(&[f64]) -> Vec<f64>) -> Self {
        Self {
            low: self.low.as_deref().map(&map),
            mean_residual: self.mean_residual.as_deref().map(&map),
            kriging: self.kriging.as_deref().map(&map),
        }
    }
}
