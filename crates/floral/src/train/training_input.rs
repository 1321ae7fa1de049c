//! One input of a dataset in the form from which a method learns.

use crate::Field;

/// One input with its transformed solutions.
pub(super) struct TrainingInput {
    /// The input.
    pub input: Field,
    /// Transformed low fidelity, if the method uses it.
    pub low: Option<Field>,
    /// Low fidelity before any transform, unless a stand-in replaces it.
    pub given_low: Option<Field>,
    /// Transformed high fidelity at the training points: [realization, channel, point].
    pub high: Vec<f64>,
    /// Grid positions of this input's own sensors; `None` if all inputs have the same points.
    pub sensors: Option<Vec<usize>>,
}

impl TrainingInput {
    /// High fidelity minus low fidelity: [realization, channel, point]. Low fidelity is given
    /// either at the same points or on the whole grid, of which `kept` are the positions of these
    /// points.
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
