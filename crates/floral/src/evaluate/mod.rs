//! Evaluation: scores of a run's predictions against the truth, by default for inputs that the run
//! has not seen.
//!
//! [`evaluate`] runs the prediction loop ([`crate::predict::Walk`]) input by input
//! (`side_by_side.rs`). A [`Scoring`] scores each ensemble against its [`Truth`]; the ensemble is
//! then dropped.

mod accuracy;
mod baselines;
mod channel;
mod evaluation;
mod inputs;
mod interest;
mod scoring;
mod side_by_side;
mod truth;

use std::ops::Range;

pub use accuracy::solver_within;
pub use baselines::{BaselineFields, Baselines};
pub use evaluation::{
    ChannelEvaluation, Evaluation, MeanErrors, ObservedScores, Prediction, SpreadScores,
};
pub use inputs::{chosen_inputs, in_ranges, seen_inputs, test_inputs, training_inputs};
pub use interest::{
    ExceedanceScores, InterestAtInput, InterestEvaluation, InterestScores, TruthFields,
    check_interests, interest_at_input, score_interest,
};
pub use scoring::Scoring;
pub use truth::{Truth, TruthSource, Truths, between};

use crate::dataset::Dataset;
use crate::grid::Thinning;
use crate::observer::Observer;
use crate::predict::interest::{Asked, Interests};
use crate::predict::{Cases, Predictor, Sampling, Walk, aligned_dataset};
use crate::ranks::{Alone, Ranks, Watch, first_then_others, gathered};
use crate::train::Header;
use crate::{Error, Result};
use side_by_side::{Setting, scored};

/// Default number of fresh realizations per input from which the truth is computed.
pub const REFERENCE: usize = 1000;

/// Settings of an evaluation.
#[derive(Debug, Clone)]
pub struct Options {
    /// Number of realizations, seed and solver.
    pub sampling: Sampling,
    /// Indices of the inputs; if `None`, those of [`test_inputs`].
    pub inputs: Option<Range<usize>>,
    /// Fresh realizations per input from which the truth of a built-in problem without exact
    /// moments is computed; with 0 or 1, the realizations of the dataset are used instead.
    pub reference: usize,
    /// Whether to predict and compare only at the points on which the run was trained (every s-th
    /// point), rather than at all points of the dataset.
    pub on_training_grid: bool,
    /// Whether to fit kriging to the run's training inputs and score it as a baseline. The
    /// baselines low fidelity and mean residual are always scored if available.
    pub kriging: bool,
    /// Training data of the run, to which baselines are fitted; if `None`, the training inputs are
    /// looked up in the evaluated dataset.
    pub training: Option<Dataset>,
    /// Quantities of interest to score.
    pub interests: Asked,
    /// Whether quantities of interest are calibrated by the run's held-out predictions.
    pub calibrates: bool,
}

impl Default for Options {
    /// The default number of realizations, scored against [`REFERENCE`] realizations of the truth.
    fn default() -> Self {
        Self {
            sampling: Sampling::default(),
            inputs: None,
            reference: REFERENCE,
            on_training_grid: false,
            kriging: true,
            training: None,
            interests: Asked::default(),
            calibrates: true,
        }
    }
}

/// Predicts inputs and scores the predictions against the truth. At most a few ensembles are in
/// memory at a time.
///
/// The predicted mean m is scored by its root mean square error and by nRMSE = |m - E u| / |E u|,
/// beside the same errors of the baselines. The predicted distribution is scored by the continuous
/// ranked probability score E|X - u| - E|X - X'| / 2, where X and X' are independent predictions
/// (Gneiting & Raftery, 2007), and by the coverage of its intervals.
///
/// ```
/// use floral::evaluate::{Options, evaluate};
/// use floral::prelude::*;
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let dataset = floral::example(folder.path())?;
/// let mut settings = TrainConfig::default();
/// (settings.split.test, settings.split.validation) = (Some(2), Some(0));
/// let model = fit(&dataset, folder.path().join("run"), &settings, &Silent)?;
/// let sampling = Sampling { realizations: 50, ..Sampling::default() };
/// let options = Options { sampling, ..Options::default() };
/// let scores = evaluate(&model, &dataset, &options, &Silent)?;
/// assert_eq!((scores.inputs, scores.seen), (0..2, 0));
/// # Ok::<(), floral::Error>(())
/// ```
pub fn evaluate(
    predictor: &Predictor,
    dataset: &Dataset,
    options: &Options,
    observer: &dyn Observer,
) -> Result<Evaluation> {
    evaluate_across(&Alone::default(), predictor, dataset, options, observer)
}

/// [`evaluate`] by several ranks, each with its own inputs; the scores do not depend on their
/// number.
pub fn evaluate_across(
    ranks: &dyn Ranks,
    predictor: &Predictor,
    dataset: &Dataset,
    options: &Options,
    observer: &dyn Observer,
) -> Result<Evaluation> {
    check_spread(predictor, &options.sampling)?;
    let (dataset, notes) = &aligned_dataset(predictor.header(), dataset)?;
    let inputs = chosen_inputs(predictor.header(), dataset, options.inputs.clone())?;
    let thinning = thinning(predictor, dataset, options)?;
    let cases = match &thinning {
        Some(thinning) => Cases::of(dataset)?.thinned(thinning),
        None => Cases::of(dataset)?,
    };
    let mut interests = Interests::of_cases(&options.interests, predictor.header(), &cases)?;
    if let Some(interests) = &interests {
        check_interests(dataset)?;
        // Quantities that do not suit the data are refused before anything is predicted.
        interests.on(&cases.case(inputs.start)?)?;
    }
    let calibration_notes = match &mut interests {
        Some(all) if options.calibrates => all.calibrate(predictor, false, observer)?,
        _ => Vec::new(),
    };
    let space_notes = interests.as_ref().map_or(Vec::new(), Interests::notes);
    let values = cases.grid().len() * predictor.header().shapes.solution_channels;
    options.sampling.check_memory(values)?;
    first_then_others(ranks, || cases.prepare(inputs.clone(), observer))?;
    let header = predictor.header();
    let setting = Setting {
        truths: Truths::of(dataset, options.reference)?,
        baselines: baselines(header, dataset, thinning.as_ref(), options, observer)?,
        points: dataset.grid().len(),
        on_training_grid: thinning.is_some(),
        thinning: thinning.filter(|_| dataset.known().is_none()),
        interests,
    };
    let watch = Watch::new(ranks, observer)?;
    let walk = Walk {
        predictors: &[predictor],
        cases: &cases,
        inputs: inputs.clone(),
        derived: None,
        sampling: &options.sampling,
        observer: &watch,
    };
    let scored = watch.finished(scored(ranks, &walk, &setting))?;
    let scoring = over_all(ranks, scored)?;
    let seen = seen_inputs(header, dataset, &inputs)?;
    let evaluation = setting.evaluation(&scoring, predictor, dataset, &options.sampling, inputs);
    let (interests, interest_notes) = setting.interests_of(&scoring)?;
    let baseline_notes = setting.baselines.notes;
    Ok(Evaluation {
        interests,
        notes: [
            header.notes(),
            notes.clone(),
            baseline_notes,
            calibration_notes,
            space_notes,
            interest_notes,
        ]
        .concat(),
        seen: seen.len(),
        seen_inputs: seen,
        ..evaluation
    })
}

/// The baselines, fitted to the given training data if they are on the same grid, else to the
/// evaluated dataset.
fn baselines(
    header: &Header,
    dataset: &Dataset,
    thinning: Option<&Thinning>,
    options: &Options,
    observer: &dyn Observer,
) -> Result<Baselines> {
    let training = options.training.as_ref();
    let training = training.filter(|training| training.grid().coincides(dataset.grid()));
    let training = training.unwrap_or(dataset);
    match options.kriging {
        true => Baselines::of(header, training, thinning, observer),
        false => Baselines::without_kriging(header, training, thinning),
    }
}

fn check_spread(predictor: &Predictor, sampling: &Sampling) -> Result<()> {
    if predictor.method().is_generative() && sampling.realizations < 2 {
        return Err(Error::config(
            "evaluation",
            "a spread needs at least two realizations; ask for more",
        ));
    }
    Ok(())
}

/// The thinning to the training grid, if the evaluation is to be on that grid.
fn thinning(
    predictor: &Predictor,
    dataset: &Dataset,
    options: &Options,
) -> Result<Option<Thinning>> {
    if !options.on_training_grid {
        return Ok(None);
    }
    let (full, trained) = (dataset.grid().shape(), &predictor.header().shapes.grid);
    let thinning = Thinning::to(&full, trained).ok_or_else(|| {
        Error::config(
            "the training grid",
            format!(
                "{} has grid {full:?}; every s-th point of it cannot give {trained:?}",
                dataset.path().display()
            ),
        )
    })?;
    match dataset.known() {
        _ if dataset.mask().is_some() && full == *trained => Ok(None),
        _ if dataset.mask().is_some() => Err(Error::config(
            "the training grid",
            "points of the dataset are outside of the domain; evaluate on its own grid",
        )),
        _ if dataset.has_sensors() => Err(Error::config(
            "the training grid",
            "high fidelity is known at sensors; evaluate on the grid of the dataset, which \
                     compares where it is known",
        )),
        Some(known) if known.shape() != *trained => Err(Error::config(
            "the training grid",
            format!(
                "high fidelity is known on {:?} points, not on {trained:?}; evaluate on the grid of \
                 the dataset, which compares where it is known",
                known.shape()
            ),
        )),
        _ => Ok(Some(thinning)),
    }
}

impl Setting<'_> {
    /// The scores of quantities of interest, and notes on those that could not be scored.
    fn interests_of(&self, scoring: &Scoring) -> Result<(Vec<InterestEvaluation>, Vec<String>)> {
        let interests = self.interests.as_ref().map_or(&[][..], Interests::all);
        let inputs = scoring.interests();
        let calibrations = self.interests.iter().flat_map(Interests::calibrations);
        let scored = interests.iter().zip(inputs).zip(calibrations);
        let scored = scored.map(|((one, inputs), by)| score_interest(one, by, inputs));
        let (found, notes): (Vec<_>, Vec<_>) =
            scored.collect::<Result<Vec<_>>>()?.into_iter().unzip();
        Ok((found, notes.into_iter().flatten().collect()))
    }

    fn evaluation(
        &self,
        scoring: &Scoring,
        predictor: &Predictor,
        dataset: &Dataset,
        sampling: &Sampling,
        inputs: Range<usize>,
    ) -> Evaluation {
        let (method, header) = (predictor.method(), predictor.header());
        Evaluation {
            method,
            epoch: header.progress.epoch,
            data: dataset.path().to_owned(),
            seen: 0,
            seen_inputs: Vec::new(),
            inputs,
            seed: sampling.seed,
            solver: method.is_flow().then_some(sampling.solver),
            truth: self.truths.source(),
            observations: dataset.realizations(),
            fewest_observations: truth::fewest_realizations(dataset),
            notes: Vec::new(),
            interests: Vec::new(),
            prediction: scoring.prediction(),
            low: scoring.low(),
            mean_residual: scoring.mean_residual(),
            kriging: scoring.kriging(),
            channels: scoring.channels(dataset.solution_quantities()),
        }
    }
}

/// The scores of all inputs, merged in the order of the inputs, whichever rank has scored them.
fn over_all(ranks: &dyn Ranks, own: Vec<(usize, Scoring)>) -> Result<Scoring> {
    let mut all = gathered(ranks, own, "scores")?.concat();
    all.sort_by_key(|(position, _)| *position);
    let mut scoring = Scoring::default();
    all.iter().for_each(|(_, scored)| scoring.merge(scored));
    Ok(scoring)
}

#[cfg(test)]
#[cfg(feature = "networks")]
mod tests;
