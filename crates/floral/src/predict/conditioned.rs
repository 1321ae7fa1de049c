//! Predictions for an input, conditioned on readings of one realization of its solution.

use super::interest::Subject;
use super::{Case, Cases, InputPredictor, Observations, Predictor};
use crate::Result;
use crate::kl::{Placement, Reading, Sensor};

impl Cases<'_> {
    /// These inputs, conditioned on readings of one realization of each.
    pub fn observed(mut self, observations: Observations) -> Self {
        self.observations = Some(observations);
        self
    }

    /// The readings, if there are any.
    pub fn observations(&self) -> Option<&Observations> {
        self.observations.as_ref()
    }

    /// The predictor of one of these inputs, conditioned on its readings if there are any.
    pub fn predicted<'p>(
        &self,
        predictor: &'p Predictor,
        case: &Case,
    ) -> Result<InputPredictor<'p>> {
        let predicted = predictor.for_input(&case.input, case.low.as_ref(), self.grid())?;
        match self.observations {
            None => Ok(predicted),
            Some(_) => predicted.observed(&self.readings(predictor, case)?),
        }
    }

    /// The predictor of an input, conditioned on its readings, and proposed sensors for further
    /// readings, on the training grid.
    pub(crate) fn with_sensors<'p>(
        &self,
        predictor: &'p Predictor,
        case: &Case,
        placement: &Placement,
    ) -> Result<(InputPredictor<'p>, Vec<Sensor>)> {
        let predicted = predictor.for_input(&case.input, case.low.as_ref(), self.grid())?;
        let readings = self.readings(predictor, case)?;
        let sensors = predicted.sensors(placement, &readings)?;
        let predicted = match self.observations {
            None => predicted,
            Some(_) => predicted.observed(&readings)?,
        };
        Ok((predicted, sensors))
    }

    /// The readings of an input, as linear functionals of the learned field.
    fn readings(&self, predictor: &Predictor, case: &Case) -> Result<Vec<Reading>> {
        let Some(observations) = &self.observations else {
            return Ok(Vec::new());
        };
        let header = predictor.header();
        let subject = Subject::of_run(header, self.grid(), self.mask(), self.has_low());
        observations.readings(&subject, &header.transforms, case)
    }
}
