//! The summary of an ensemble: its distribution, a sample of its values, and its spectrum.
//!
//! Computed by `test_input` and `new_cases` from all members, and drawn by the figures.

use super::channel::Channel;
use super::distribution::{Distribution, kept_points};
use super::names;
use floral::kl::Prediction;
use floral::metric::{Fields, RadialSpectrum};
use floral::predict::Moments;
use floral::{Field, Grid};
use serde::{Deserialize, Serialize};

/// Number of values stored per input for distributions over all inputs, and the minimum per
/// channel.
const VALUES: usize = 4096;
const FEWEST: usize = 1024;

/// Number of realizations whose spectra are averaged.
const SPECTRA: usize = 64;

/// The parts of an input's ensemble that a report shows.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The distribution.
    pub distribution: Distribution,
    /// Novelty and epistemic share, if the method estimates them.
    pub certainty: Option<Certainty>,
    /// Numbers that are pooled over inputs, for each channel.
    pub channels: Vec<ChannelSummary>,
}

/// How reliable a method estimates its prediction to be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Certainty {
    /// The distance of the input from the training inputs: 1 for inputs like those that validated
    /// the fit.
    pub novelty: f64,
    /// The epistemic share of the variance, per channel.
    pub epistemic: Vec<f64>,
}

impl Certainty {
    /// From the closed-form moments of a method on this number of points.
    pub fn of(moments: &Prediction, points: usize) -> Self {
        let sums = |values: &[f64]| -> Vec<f64> {
            let channels = values.chunks(points.max(1));
            channels.map(|channel| channel.iter().sum()).collect()
        };
        let parts = sums(&moments.aleatoric)
            .into_iter()
            .zip(sums(&moments.epistemic));
        Self {
            novelty: moments.novelty,
            epistemic: parts
                .map(|(own, epistemic)| epistemic / (own + epistemic).max(f64::MIN_POSITIVE))
                .collect(),
        }
    }
}

/// Numbers of one channel that are pooled over inputs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ChannelSummary {
    /// Low-fidelity value and value at scattered points of scattered realizations; the low-fidelity
    /// value is NaN if there is none.
    pub pairs: Vec<[f32; 2]>,
    /// Energy by wave number of single realizations.
    pub spectrum: Vec<f64>,
    /// The smallest value.
    pub lowest: f32,
}

impl Summary {
    /// From members with these moments on a grid. Stores the first `kept` members.
    pub fn of(
        grid: &Grid,
        low: Option<&Field>,
        members: Fields,
        moments: &Moments,
        kept: usize,
    ) -> Self {
        // Quantiles are stored for the axes that figures show.
        let places = kept_points(
            &names::drawn(grid).shape(),
            members.points() / grid.len().max(1),
        );
        let distribution = Distribution::of(members, moments, kept, &places);
        Self::new(members, low.map(Field::values), grid, distribution)
    }

    /// From members and their distribution.
    fn new(members: Fields, low: Option<&[f64]>, grid: &Grid, distribution: Distribution) -> Self {
        let channels = Channel::all(members.points(), grid.len());
        Self {
            distribution,
            certainty: None,
            channels: channels
                .map(|channel| ChannelSummary {
                    pairs: pairs(members, low, channel),
                    spectrum: spectrum(members.iter().take(SPECTRA), grid, channel),
                    lowest: lowest(members, channel),
                })
                .collect(),
        }
    }
}

fn pairs(members: Fields, low: Option<&[f64]>, channel: Channel) -> Vec<[f32; 2]> {
    let Channel { index, points, .. } = channel;
    let pair = |at: usize| {
        let value = index * points + at % points;
        let low = low.map_or(f32::NAN, |low| low[value] as f32);
        [low, members.field(at / points)[value]]
    };
    let wanted = (VALUES / channel.channels).max(FEWEST);
    scattered(members.count() * points, wanted)
        .map(pair)
        .collect()
}

fn lowest(members: Fields, channel: Channel) -> f32 {
    let start = channel.index * channel.points;
    let own = members
        .iter()
        .flat_map(|field| &field[start..start + channel.points]);
    own.copied().fold(f32::INFINITY, f32::min)
}

/// Mean energy by wave number of one channel of fields, [channel, point] each; empty on a mesh or
/// for single numbers.
pub(super) fn spectrum<'a>(
    fields: impl Iterator<Item = &'a [f32]>,
    grid: &Grid,
    channel: Channel,
) -> Vec<f64> {
    if grid.mesh().is_some() || grid.len() == 1 {
        return Vec::new();
    }
    let mut spectrum = RadialSpectrum::new(&grid.shape());
    for field in fields {
        let values: Vec<f64> = channel.of(field).iter().map(|v| f64::from(*v)).collect();
        spectrum.push(&values);
    }
    spectrum.energies()
}

/// `wanted` distinct numbers of 0..total without a pattern: multiples of a step that is coprime to
/// the total and near its golden section.
pub fn scattered(total: usize, wanted: usize) -> impl Iterator<Item = usize> {
    let mut step = ((total as f64 * 0.618_033_988_75) as usize).max(1);
    while greatest_common_divisor(step, total) > 1 {
        step += 1;
    }
    (0..wanted.min(total)).map(move |i| i * step % total)
}

fn greatest_common_divisor(a: usize, b: usize) -> usize {
    match b {
        0 => a,
        _ => greatest_common_divisor(b, a % b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scattered_indices_are_different_and_spread_evenly() {
        for (total, wanted) in [(1, 5), (7, 7), (1000, 100), (4096 * 50, 4096)] {
            let mut all: Vec<usize> = scattered(total, wanted).collect();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), wanted.min(total));
            let below = all.iter().filter(|i| **i < total.div_ceil(2)).count();
            assert!(below.abs_diff(all.len() / 2) <= 1 + all.len() / 50);
        }
    }

    #[test]
    fn a_value_keeps_the_low_fidelity_value_of_its_point() {
        // Two members with two channels on three points.
        let members = [
            10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 11.0, 21.0, 31.0, 41.0, 51.0, 61.0,
        ];
        let low = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let fields = Fields::new(&members, 6).unwrap();
        for channel in Channel::all(6, 3) {
            let own = pairs(fields, Some(&low), channel);
            assert_eq!(own.len(), 6);
            for [low, value] in own {
                assert_eq!((value / 10.0).floor(), low);
                assert_eq!(channel.index, usize::from(value > 35.0));
            }
            let without = pairs(fields, None, channel);
            assert!(without.iter().all(|[low, _]| low.is_nan()));
        }
        assert_eq!(
            Channel::all(6, 3)
                .map(|c| lowest(fields, c))
                .collect::<Vec<_>>(),
            [10.0, 40.0]
        );
    }
}
