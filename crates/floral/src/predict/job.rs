//! A job: predicts input after input and stores the statistics; one that was cut goes on.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use super::{Case, Cases, InputPredictor, Interpolation, PredictionWriter, Predictor, Sampling};
use crate::sample::{EnsembleStatistics, OdeSolver, Progress, Wanted};
use crate::{Error, Result};

/// What to predict, and what to store of it.
pub struct Job<'a> {
    /// The network.
    pub predictor: &'a Predictor,
    /// The inputs.
    pub cases: &'a Cases,
    /// Those of them that are predicted.
    pub inputs: Range<usize>,
    /// Where values are wanted, if not at every point of the grid.
    pub interpolation: Option<&'a Interpolation>,
    /// Quantiles and thresholds.
    pub wanted: &'a Wanted,
    /// Realizations per input.
    pub realizations: usize,
    /// Realizations stored of each, the first ones.
    pub kept: usize,
    /// The integrator.
    pub solver: &'a OdeSolver,
    /// The seed of the priors.
    pub seed: u64,
}

/// How much was done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stored {
    /// Inputs that an earlier run had finished.
    pub resumed: usize,
    /// Realizations of an input under way that an earlier run had computed.
    pub resumed_realizations: usize,
    /// Realizations computed.
    pub computed: usize,
    /// Evaluations of the network for them.
    pub evaluations: usize,
}

/// One input's statistics as they grow.
struct Gathered {
    statistics: EnsembleStatistics,
    kept: Vec<f32>,
}

impl Job<'_> {
    /// Stores what is missing; `observer(position, progress)` is told how far an input is.
    pub fn store(
        &self,
        writer: &PredictionWriter,
        observer: &(dyn Fn(usize, Progress) + Sync),
        stop: &AtomicBool,
    ) -> Result<Stored> {
        let mut stored = Stored::default();
        for (position, index) in self.inputs.clone().enumerate() {
            if writer.is_finished(position) {
                stored.resumed += 1;
                continue;
            }
            let done = self.store_input(writer, position, index, observer, stop);
            let done = done.map_err(|error| go_on(index, error))?;
            stored.resumed_realizations += done.resumed_realizations;
            stored.computed += done.computed;
            stored.evaluations += done.evaluations;
        }
        Ok(stored)
    }

    fn store_input(
        &self,
        writer: &PredictionWriter,
        position: usize,
        index: usize,
        observer: &(dyn Fn(usize, Progress) + Sync),
        stop: &AtomicBool,
    ) -> Result<Stored> {
        let Case { input, low } = self.cases.case(index)?;
        let predicted = self
            .predictor
            .for_input(&input, low.as_ref(), self.cases.grid())?;
        let size = self.values(&predicted);
        let mut gathered = Gathered {
            statistics: EnsembleStatistics::new(size, self.realizations, self.wanted)?,
            kept: Vec::new(),
        };
        let mut spool = writer.spool(position, size, predicted.block_rows());
        let before =
            spool.replay(|realization, values| gathered.push(realization < self.kept, values))?;
        let sampling = Sampling {
            realizations: self.realizations,
            seed: self.seed,
            input: index as u64,
            solver: self.solver,
            stop,
            observer: &|progress| observer(position, progress),
        };
        let mut computed = 0;
        let deliver = |realization: usize, values: &[f32], evaluations: usize| {
            let values = match self.interpolation {
                Some(interpolation) => &at_points(interpolation, values),
                None => values,
            };
            computed += 1;
            gathered.push(realization < self.kept, values)?;
            spool.push(values, evaluations)
        };
        let cost = predicted.deliver_from(before.realizations, &sampling, deliver)?;
        let evaluations = before.evaluations + cost.evaluations;
        writer.write(position, &gathered.statistics, &gathered.kept, evaluations)?;
        spool.clear()?;
        Ok(Stored {
            resumed: 0,
            resumed_realizations: before.realizations,
            computed,
            evaluations: cost.evaluations,
        })
    }

    /// Values stored of a realization.
    fn values(&self, predicted: &InputPredictor) -> usize {
        match self.interpolation {
            Some(interpolation) => interpolation.values(predicted.values()),
            None => predicted.values(),
        }
    }
}

impl Gathered {
    fn push(&mut self, is_kept: bool, values: &[f32]) -> Result<()> {
        if is_kept {
            self.kept.extend_from_slice(values);
        }
        self.statistics.push(values)
    }
}

fn at_points(interpolation: &Interpolation, values: &[f32]) -> Vec<f32> {
    let values = interpolation.apply(values).into_iter();
    values.map(|value| value as f32).collect()
}

/// Names the input, and says that what is computed is not lost.
fn go_on(index: usize, error: Error) -> Error {
    match error {
        Error::Interrupted { .. } => Error::Interrupted {
            advice: "run the same command again to continue".into(),
        },
        Error::Numerical { what, advice } => Error::Numerical {
            what: format!("input {index}: {what}"),
            advice,
        },
        other => other,
    }
}
