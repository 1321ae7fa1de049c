//! Numbers pooled over inputs, for each channel: spectra, pairs of values, errors.

use super::summary::ChannelSummary;

/// Number of groups of points with similar expected error.
const GROUPS: usize = 8;

/// Numbers of one channel pooled over inputs, of a run or of the truth.
#[derive(Debug, Clone, Default)]
pub(super) struct Pooled {
    pub pairs: Vec<[f32; 2]>,
    lowest: Option<f32>,
    spectrum: Vec<f64>,
    spread_error: Vec<[f32; 2]>,
    inputs: usize,
}

impl Pooled {
    /// Adds the summary of an input.
    pub fn add(&mut self, summary: &ChannelSummary) {
        self.pairs.extend_from_slice(&summary.pairs);
        self.lowest = Some(
            self.lowest
                .map_or(summary.lowest, |l| l.min(summary.lowest)),
        );
        self.add_spectrum(&summary.spectrum);
    }

    /// Adds the squares of expected and observed errors of an input.
    pub fn add_spread_error(&mut self, spread_error: &[[f32; 2]]) {
        self.spread_error.extend_from_slice(spread_error);
    }

    /// The smallest value; NaN if there is none.
    pub fn lowest(&self) -> f32 {
        self.lowest.unwrap_or(f32::NAN)
    }

    /// Adds the spectrum of an input.
    pub fn add_spectrum(&mut self, spectrum: &[f64]) {
        self.inputs += 1;
        self.spectrum.resize(spectrum.len(), 0.0);
        for (sum, energy) in self.spectrum.iter_mut().zip(spectrum) {
            *sum += energy;
        }
    }

    /// The mean spectrum over inputs.
    pub fn spectrum(&self) -> Vec<f64> {
        let inputs = self.inputs.max(1) as f64;
        self.spectrum.iter().map(|sum| sum / inputs).collect()
    }

    /// Root mean square of expected and observed errors, in groups of similar expected error.
    pub fn spread_error(&self) -> Vec<[f64; 2]> {
        let mut pairs = self.spread_error.clone();
        pairs.sort_unstable_by(|a, b| a[0].total_cmp(&b[0]));
        let size = pairs.len().div_ceil(GROUPS).max(1);
        let root = |group: &[[f32; 2]], i: usize| {
            let sum: f64 = group.iter().map(|pair| f64::from(pair[i])).sum();
            (sum / group.len() as f64).sqrt()
        };
        pairs
            .chunks(size)
            .map(|group| [root(group, 0), root(group, 1)])
            .collect()
    }
}
