//! The simplest predictions, which a method has to beat: `evaluate` and the report score them beside
//! it.

use crate::dataset::Dataset;
use crate::grid::Thinning;
use crate::sample::{EnsembleStatistics, Wanted};
use crate::train::Header;
use crate::{Field, Result};

use super::inputs::training_inputs;

/// The mean residual of a run's training inputs, which corrects any low-fidelity solution alike.
#[derive(Debug, Clone, PartialEq)]
pub struct MeanResidual {
    /// [channel, point]
    residual: Vec<f64>,
}

impl MeanResidual {
    /// Over the inputs that the run was trained on; none if the dataset does not hold them, or has
    /// no low-fidelity solutions.
    pub fn of(header: &Header, dataset: &Dataset) -> Result<Option<Self>> {
        let inputs = training_inputs(header, dataset);
        if inputs.is_empty() || !dataset.has_low() || !dataset.has_high() {
            return Ok(None);
        }
        let count = inputs.len() as f64;
        let mut residual = Vec::new();
        for input in inputs {
            let low = dataset.low(input)?;
            let mean = mean(dataset.high(input)?.values(), low.values().len())?;
            residual.resize(mean.len(), 0.0);
            let gaps = mean.iter().zip(low.values()).map(|(high, low)| high - low);
            for (sum, gap) in residual.iter_mut().zip(gaps) {
                *sum += gap / count;
            }
        }
        Ok(Some(Self { residual }))
    }

    /// At every s-th point, or at all of them.
    pub fn thinned(self, thinning: Option<&Thinning>) -> Self {
        match thinning {
            Some(thinning) => Self {
                residual: thinning.apply(&self.residual),
            },
            None => self,
        }
    }

    /// The residual itself: [channel, point].
    pub fn values(&self) -> &[f64] {
        &self.residual
    }

    /// The prediction for a low-fidelity solution; none if it lives on another grid.
    pub fn corrected(&self, low: &Field) -> Option<Vec<f64>> {
        let is_alike = low.values().len() == self.residual.len();
        let sums = low.values().iter().zip(&self.residual);
        is_alike.then(|| sums.map(|(low, gap)| low + gap).collect())
    }
}

/// The mean over realizations: [realization, value] -> [value].
fn mean(realizations: &[f64], size: usize) -> Result<Vec<f64>> {
    let mut statistics = EnsembleStatistics::new(size, 0, &Wanted::default())?;
    for realization in realizations.chunks_exact(size) {
        let rounded: Vec<f32> = realization.iter().map(|v| *v as f32).collect();
        statistics.push(&rounded)?;
    }
    Ok(statistics.mean().to_vec())
}
