//! Evaluation: a run's predictions beside the truth, over inputs that it has not seen.

mod evaluation;
mod inputs;
mod scoring;
mod truth;

use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

pub use evaluation::{Evaluation, MeanErrors, ObservedScores, Prediction, SpreadScores};
pub use inputs::test_inputs;
pub use scoring::Scoring;
pub use truth::{Truth, TruthSource, Truths};

use crate::dataset::Dataset;
use crate::predict::{Predictor, Sampling};
use crate::sample::{OdeSolver, Progress};
use crate::{Error, Result};

/// What to evaluate, and how.
#[derive(Debug, Clone)]
pub struct Options {
    /// Realizations per input of methods that have them.
    pub realizations: usize,
    /// The seed of the priors.
    pub seed: u64,
    /// The integrator.
    pub solver: OdeSolver,
    /// The inputs; those of [`test_inputs`] if absent.
    pub inputs: Option<Range<usize>>,
    /// Fresh realizations per input from which the truth of a built-in problem without exact
    /// moments is computed; with none, those of the dataset have to do.
    pub reference: usize,
}

impl Default for Options {
    /// The paper's 2500 realizations, against 1000 of the truth.
    fn default() -> Self {
        Self {
            realizations: 2500,
            seed: 0,
            solver: OdeSolver::default(),
            inputs: None,
            reference: 1000,
        }
    }
}

/// Predicts input after input and compares with the truth; one ensemble is in memory at a time.
///
/// `observer(position, inputs, progress)` is told how far the input at `position` is.
pub fn evaluate(
    predictor: &Predictor,
    dataset: &Dataset,
    options: &Options,
    observer: &(dyn Fn(usize, usize, Progress) + Sync),
    stop: &AtomicBool,
) -> Result<Evaluation> {
    let inputs = chosen(predictor, dataset, options)?;
    if predictor.method().is_generative() && options.realizations < 2 {
        return Err(Error::Config {
            context: "evaluation".into(),
            reason: "a spread needs at least two realizations; ask for more".into(),
        });
    }
    let truths = Truths::of(dataset, options.reference)?;
    let mut scoring = Scoring::default();
    for (position, index) in inputs.clone().enumerate() {
        let low = dataset.low_or_solved(index, truths.origin())?;
        let input = dataset.input(index)?;
        let predicted = predictor.for_input(&input, low.as_ref(), dataset.grid())?;
        let sampling = Sampling {
            realizations: options.realizations,
            seed: options.seed,
            input: index as u64,
            solver: &options.solver,
            stop,
            observer: &|progress| observer(position, inputs.len(), progress),
        };
        let mut members = Vec::new();
        let start = Instant::now();
        let progress = predicted.deliver(&sampling, |_, values| {
            members.extend_from_slice(values);
            Ok(())
        })?;
        scoring.add_cost(progress, start.elapsed().as_secs_f64());
        let truth = truths.at(index)?;
        scoring.push(&members, low.as_ref(), &truth)?;
    }
    Ok(Evaluation {
        method: predictor.method(),
        epoch: predictor.header().progress.epoch,
        data: dataset.path().to_owned(),
        inputs,
        seed: options.seed,
        solver: predictor.method().is_generative().then_some(options.solver),
        truth: truths.source(),
        observations: dataset.realizations(),
        prediction: scoring.prediction(),
        low: scoring.low(),
    })
}

fn chosen(predictor: &Predictor, dataset: &Dataset, options: &Options) -> Result<Range<usize>> {
    let inputs = match &options.inputs {
        Some(inputs) => inputs.clone(),
        None => test_inputs(predictor.header(), dataset),
    };
    if inputs.is_empty() || inputs.end > dataset.inputs() {
        return Err(Error::Config {
            context: format!("inputs {}..{}", inputs.start, inputs.end),
            reason: format!(
                "{} has inputs 0..{}; choose at least one of them",
                dataset.path().display(),
                dataset.inputs()
            ),
        });
    }
    Ok(inputs)
}

#[cfg(test)]
mod tests;
