//! How a [`Reader`] uses low-fidelity realizations that share their randomness with high fidelity:
//! as a control variate for the mean of few high-fidelity realizations.

use super::TrainConfig;
use super::control_variate::{ControlVariate, Pair};
use super::reader::Reader;
use crate::Result;
use crate::dataset::LowPairing;

impl Reader {
    /// Transformed low-fidelity realizations at the training points; `None` unless they share their
    /// randomness with high fidelity.
    fn paired_low(&self, index: usize) -> Result<Option<Vec<f64>>> {
        if self.dataset.low_pairing()? != Some(LowPairing::Shared) {
            return Ok(None);
        }
        let Some(all) = self.dataset.low_realizations(index)? else {
            return Ok(None);
        };
        let mut low = self.thinning.apply(all.values());
        let transformed = self
            .transforms()
            .apply(&mut low, self.thinning.kept().len());
        transformed.map_err(self.refused("a realization of low", index))?;
        Ok(Some(low))
    }

    /// Coefficients with which low-fidelity realizations correct the mean of high fidelity; `None`
    /// unless they are paired.
    pub(super) fn control_variate(&self, config: &TrainConfig) -> Result<Option<ControlVariate>> {
        let train = config.split_of(self.dataset.inputs())?.train;
        if self.dataset.low_pairing()? != Some(LowPairing::Shared) {
            return Ok(None);
        }
        let (channels, known) = (self.learned_low().channels, self.thinning.kept().len());
        let control = ControlVariate::new(train, channels, |index, take| {
            let mut high = self.of_known.apply(self.dataset.high(index)?.values());
            let transformed = self.transforms().apply(&mut high, known);
            transformed.map_err(self.refused("high", index))?;
            let low = self.paired_low(index)?.unwrap_or_default();
            take(&Pair {
                high: &high,
                low: &low,
                values: channels * known,
            });
            Ok(())
        });
        control.map(Some)
    }

    /// Shifts the realizations of an input by the correction of their mean, if there is one.
    pub(super) fn correct_mean(&self, index: usize, high: &mut [f64]) -> Result<()> {
        let Some(control) = &self.control else {
            return Ok(());
        };
        let values = self.learned_low().channels * self.thinning.kept().len();
        let low = self.paired_low(index)?.unwrap_or_default();
        let shift = control.shift(&Pair {
            high,
            low: &low,
            values,
        });
        for field in high.chunks_exact_mut(values) {
            field.iter_mut().zip(&shift).for_each(|(v, s)| *v += s);
        }
        Ok(())
    }
}
