//! Residuals of one input's realizations: their mean and variance, and the error of the mean.

use std::borrow::Cow;

use super::Lattice;
use super::case::{Case, Channels};

/// The error of the mean of an input's realizations.
///
/// With centred residuals d_r of n realizations, the covariance of their mean is the sum over r of
/// d_r d_r' / (n (n - 1)). Deviations, fields whose outer products sum to this covariance, are
/// computed from the realizations on every request: stored, they would take as much memory as the
/// realizations.
pub(super) enum MeanError<'a> {
    /// Realizations that are known everywhere, divided by `size`.
    Runs {
        lattice: &'a Lattice,
        channels: Channels,
        case: Case<'a>,
        size: f64,
        /// Maximum number of realizations from which deviations are computed.
        most: usize,
    },
    /// Deviations of interpolated realizations: [deviation, channel, point].
    Fields(Vec<f32>),
}

impl MeanError<'_> {
    /// The deviations: [deviation, channel, point]; empty for a single realization.
    pub(super) fn deviations(&self) -> Cow<'_, [f32]> {
        match self {
            Self::Fields(fields) => Cow::Borrowed(fields),
            Self::Runs {
                lattice,
                channels,
                case,
                size,
                most,
            } => {
                let fields = residuals(lattice, *channels, case, *size);
                let values = channels.solution * lattice.len();
                Cow::Owned(deviations(&fields, values, *most))
            }
        }
    }
}

/// Realizations minus low fidelity, divided by `size`: [realization, channel, known point].
pub(super) fn residuals(
    lattice: &Lattice,
    channels: Channels,
    case: &Case<'_>,
    size: f64,
) -> Vec<f64> {
    let (points, known) = (lattice.len(), case.known(lattice));
    let place = |i: usize| case.points.map_or(i, |points| points[i]);
    let low = |channel: usize, i: usize| {
        let low = case
            .query
            .low
            .map_or(0.0, |low| low[channel * points + place(i)]);
        low / size
    };
    let values = (0..channels.solution).flat_map(|c| (0..known).map(move |i| (c, i)));
    let low: Vec<f64> = values.map(|(c, i)| low(c, i)).collect();
    let mut residuals = case.realizations.to_vec();
    for field in residuals.chunks_exact_mut(low.len()) {
        let values = field.iter_mut().zip(&low);
        values.for_each(|(u, low)| *u = *u / size - low);
    }
    residuals
}

/// Mean and sample variance of fields of `values` values each, and the number of fields.
pub(super) fn mean_and_variance(
    fields: &[f64],
    values: usize,
) -> (Vec<f64>, Option<Vec<f64>>, usize) {
    let count = fields.len() / values;
    let (mut mean, mut square) = (vec![0.0; values], vec![0.0; values]);
    for field in fields.chunks_exact(values) {
        let parts = mean.iter_mut().zip(field);
        parts.for_each(|(m, v)| *m += v / count as f64);
    }
    for field in fields.chunks_exact(values) {
        let parts = square.iter_mut().zip(field.iter().zip(&mean));
        parts.for_each(|(s, (v, m))| *s += (v - m) * (v - m) / (count as f64 - 1.0));
    }
    (mean, (count > 1).then_some(square), count)
}

/// Deviations whose outer products sum to the covariance of the mean, from at most `most` of the
/// fields.
pub(super) fn deviations(fields: &[f64], values: usize, most: usize) -> Vec<f32> {
    let count = fields.len() / values;
    let kept = &fields[..values * count.min(most)];
    let (mean, _, some) = mean_and_variance(kept, values);
    if some < 2 {
        return Vec::new();
    }
    let unit = (((some - 1) * count) as f64).sqrt();
    let pairs = kept.iter().zip(mean.iter().cycle());
    pairs.map(|(v, m)| ((v - m) / unit) as f32).collect()
}
