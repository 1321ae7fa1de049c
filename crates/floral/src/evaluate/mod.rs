//! Evaluation: a run's predictions beside the truth, over inputs that it has not seen.
//!
//! [`evaluate`] consumes the one loop that predicts ([`crate::predict::Walk`]) input by input
//! (`side_by_side.rs`); each ensemble is scored by a [`Scoring`] against its [`Truth`] and forgotten.

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
pub use truth::{Truth, TruthSource, Truths};

use crate::dataset::Dataset;
use crate::grid::Thinning;
use crate::observer::Observer;
use crate::predict::interest::{Asked, Interests};
use crate::predict::{Cases, Predictor, Sampling, Walk, aligned_dataset};
use crate::ranks::{Alone, Ranks, Watch, first_then_others, gathered};
use crate::train::Header;
use crate::{Error, Result};
use side_by_side::{Setting, scored};

/// Fresh realizations per input from which the truth is computed where no number is given.
pub const REFERENCE: usize = 1000;

/// What to evaluate, and how.
#[derive(Debug, Clone)]
pub struct Options {
    /// How realizations are made.
    pub sampling: Sampling,
    /// The inputs; those of [`test_inputs`] if absent.
    pub inputs: Option<Range<usize>>,
    /// Fresh realizations per input from which the truth of a built-in problem without exact
    /// moments is computed; with none, those of the dataset have to do.
    pub reference: usize,
    /// Whether to predict and compare at the points that the run was trained on, every s-th of the
    /// dataset's, instead of at all of them.
    pub on_training_grid: bool,
    /// Whether kriging of the run's training inputs is fitted and scored beside it, as low fidelity
    /// and their mean residual are in any case.
    pub kriging: bool,
    /// The data that the run was trained on, from which baselines are fitted; looked for in the data
    /// that are evaluated if absent.
    pub training: Option<Dataset>,
    /// Quantities of interest that are scored as well.
    pub interests: Asked,
    /// Whether they are calibrated by the run's left-out predictions.
    pub calibrates: bool,
}

impl Default for Options {
    /// The default number of realizations, against [`REFERENCE`] of the truth.
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

/// Predicts inputs and compares with the truth; a few ensembles are in memory at a time.
///
/// The mean m is scored by its error relative to that of the mean training solution, and by nRMSE =
/// |m - E u| / |E u|; the law by the continuous ranked probability score E|X - u| - E|X - X'| / 2, where X
/// and X' are independent predictions (Gneiting & Raftery, 2007), and by the coverage of its intervals.
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

/// The same by several ranks, to the same scores: each predicts inputs of its own.
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
        // What does not suit the data is refused before anything is predicted.
        interests.on(&cases.case(inputs.start)?)?;
    }
    let calibration_notes = match &mut interests {
        Some(all) if options.calibrates => all.calibrate(predictor, false, observer)?,
        _ => Vec::new(),
    };
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
            interest_notes,
        ]
        .concat(),
        seen: seen.len(),
        seen_inputs: seen,
        ..evaluation
    })
}

/// What predictions are compared with, learned from the training data if they are given on the same grid.
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

/// Every s-th point, if the evaluation is to be on the training grid.
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
    /// The scores of quantities of interest, and why some have none.
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

/// The scores of all inputs, added in their order, whichever rank has scored them.
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
