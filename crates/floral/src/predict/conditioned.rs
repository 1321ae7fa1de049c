//! What a run derives from a case, given readings of one realization of its solution.

use super::interest::Subject;
use super::{Case, Cases, InputPredictor, Observations, Predictor};
use crate::Result;
use crate::kl::{Placement, Reading, Sensor};

impl Cases<'_> {
    /// The same, conditioned on readings of one realization of each case.
    pub fn observed(mut self, observations: Observations) -> Self {
        self.observations = Some(observations);
        self
    }

    /// The readings, if there are any.
    pub fn observations(&self) -> Option<&Observations> {
        self.observations.as_ref()
    }

    /// What a run derives from one of these cases, given its readings.
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

    /// What a run derives from a case given its readings, and where to measure it next, on the training
    /// grid.
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

    /// The readings of a case, as linear readings of what is learned.
    fn readings(&self, predictor: &Predictor, case: &Case) -> Result<Vec<Reading>> {
        let Some(observations) = &self.observations else {
            return Ok(Vec::new());
        };
        let header = predictor.header();
        let subject = Subject {
            grid: self.grid(),
            mask: self.mask(),
            quantities: &header.quantities,
            channels: [
                header.shapes.input_channels,
                header.shapes.solution_channels,
            ],
            has_low: self.has_low(),
        };
        observations.readings(&subject, &header.transforms, case)
    }
}
