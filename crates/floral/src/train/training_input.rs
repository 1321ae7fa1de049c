//! One input of a dataset as a method learns from it.

use crate::Field;

/// One input as read, solutions as they are learned.
pub(super) struct TrainingInput {
    /// The input.
    pub input: Field,
    /// Low fidelity as it is learned from, if the method looks at it.
    pub low: Option<Field>,
    /// The same before any transform, if nothing stands in for it.
    pub given_low: Option<Field>,
    /// High fidelity at the points that are kept: [realization, channel, point].
    pub high: Vec<f64>,
    /// Positions of its own in the grid at which it was measured; none if they are all inputs'.
    pub sensors: Option<Vec<usize>>,
}

impl TrainingInput {
    /// Realizations minus low fidelity at the points `kept` of a grid that the latter may live on
    /// as a whole: [realization, channel, point].
    pub(super) fn residuals(&self, kept: &[usize]) -> Vec<f64> {
        let mut residuals = self.high.clone();
        let Some(low) = &self.low else {
            return residuals;
        };
        let points = low.values().len() / low.channels();
        let is_whole = points > kept.len();
        for (i, channel) in residuals.chunks_exact_mut(kept.len()).enumerate() {
            let low = &low.values()[i % low.channels() * points..][..points];
            for (k, residual) in channel.iter_mut().enumerate() {
                *residual -= if is_whole { low[kept[k]] } else { low[k] };
            }
        }
        residuals
    }
}
