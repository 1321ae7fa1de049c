//! Quantities of interest of the inputs of a report, by every run, with the truth's if it is known.

use std::ops::Range;

use serde::Serialize;

use floral::evaluate::{
    InterestAtInput, InterestScores, TruthFields, Truths, interest_at_input, score_interest,
};
use floral::predict::interest::{
    Calibration, Interest, InterestSummary, Interests, PreparedInterests,
};
use floral::predict::{
    Cases, Consumer, InputPredictor, PredictionCost, Sampling, Walk, WalkedInput,
};
use floral::train::Method;
use floral::{Field, Observer, Result};

use crate::draw::Label;
use crate::report::compared_run::ComparedRun;

/// A quantity of interest.
#[derive(Debug, Clone, Serialize)]
pub struct QuantityShown {
    /// Its name and its units.
    pub label: Label,
    /// Its expression.
    pub expression: String,
    /// Thresholds whose exceedance is wanted.
    pub thresholds: Vec<f64>,
    /// The inputs that are shown.
    pub inputs: Vec<AtShownInput>,
    /// What each run says of it.
    pub runs: Vec<RunQuantity>,
}

/// A quantity at an input.
#[derive(Debug, Clone, Serialize)]
pub struct AtShownInput {
    /// What the input is called.
    pub name: String,
    /// Its values on true realizations; empty if the truth is unknown.
    pub truth: Vec<f64>,
    /// Its value on the low-fidelity solution, if there is one.
    pub low: Option<f64>,
}

/// A run's predictions of a quantity.
#[derive(Debug, Clone, Serialize)]
pub struct RunQuantity {
    /// The name of the run.
    pub label: String,
    /// Its method.
    pub method: Method,
    /// Which of the runs of its method it is.
    pub variant: usize,
    /// The factor of its calibration, if it is calibrated.
    pub stretch: Option<f64>,
    /// Draws at each input that is shown.
    pub draws: Vec<Vec<f64>>,
    /// Their epistemic variance, where it is known.
    pub epistemic: Vec<Option<f64>>,
    /// Scores over all inputs; none without a truth.
    pub scores: Option<InterestScores>,
}

/// What is asked for of one run: the file of inputs, the shown ones first, and where the truth is.
pub(in crate::report) struct Asked<'a> {
    pub run: &'a ComparedRun,
    /// Inputs of files, in the order of the report.
    pub files: Vec<(&'a Cases<'a>, Range<usize>)>,
    pub truths: Option<&'a Truths<'a>>,
    pub sampling: Sampling,
    /// Names of the inputs that are shown.
    pub names: Vec<String>,
}

/// Quantities by every run, and notes on their calibration; none if none are asked for.
pub(in crate::report) fn gathered(
    all: &[Asked<'_>],
    asked: &floral::predict::interest::Asked,
    calibrates: bool,
    observer: &dyn Observer,
) -> Result<(Vec<QuantityShown>, Vec<String>)> {
    let (mut shown, mut notes): (Vec<QuantityShown>, Vec<String>) = Default::default();
    for one in all {
        let Some((own, own_notes)) = of_run(one, asked, calibrates, observer)? else {
            break;
        };
        for note in own_notes {
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        if shown.is_empty() {
            shown = own;
            continue;
        }
        for (shown, own) in shown.iter_mut().zip(own) {
            shown.runs.extend(own.runs);
        }
    }
    Ok((shown, notes))
}

type OfRun = (Vec<QuantityShown>, Vec<String>);

fn of_run(
    one: &Asked<'_>,
    asked: &floral::predict::interest::Asked,
    calibrates: bool,
    observer: &dyn Observer,
) -> Result<Option<OfRun>> {
    let predictor = &one.run.predictor;
    let Some((first, _)) = one.files.first() else {
        return Ok(None);
    };
    let Some(mut interests) = Interests::of_cases(asked, predictor.header(), first)? else {
        return Ok(None);
    };
    let notes = match calibrates {
        true => interests.calibrate(predictor, first.observations().is_some(), observer)?,
        false => Vec::new(),
    };
    let mut taking = Taking {
        interests: &interests,
        truths: one.truths,
        channels: predictor.header().shapes.solution_channels,
        current: None,
        values: Vec::new(),
        epistemic: Vec::new(),
    };
    for (cases, inputs) in &one.files {
        let walk = Walk {
            predictors: &[predictor],
            cases,
            inputs: inputs.clone(),
            derived: None,
            sampling: &one.sampling,
            observer,
        };
        walk.run(&mut taking)?;
    }
    let (values, epistemic) = (taking.values, taking.epistemic);
    let each = interests.all().iter().zip(interests.calibrations());
    let shown = each.enumerate().map(|(q, (interest, calibration))| {
        let own = values.iter().map(|at| at[q].clone()).collect();
        let epistemic = epistemic.iter().map(|at| at[q]).collect();
        shown(one, (interest, calibration), own, epistemic)
    });
    Ok(Some((shown.collect::<Result<_>>()?, notes)))
}

/// A quantity by one run, from its values at all inputs and their epistemic variances at those shown.
fn shown(
    one: &Asked<'_>,
    (interest, calibration): (&Interest, Option<&Calibration>),
    own: Vec<InterestAtInput>,
    epistemic: Vec<Option<f64>>,
) -> Result<QuantityShown> {
    let count = one.names.len();
    let inputs = one.names.iter().zip(&own).map(|(name, at)| AtShownInput {
        name: name.clone(),
        truth: at.observed.clone(),
        low: at.low,
    });
    let scores = match one.truths {
        Some(_) => score_interest(interest, calibration, &own)?.0.scores,
        None => None,
    };
    let stretch = calibration.map(|found| found.factor);
    let grown = |e: f64| e * stretch.unwrap_or(1.0).powi(2);
    let epistemic = epistemic.into_iter().take(count);
    Ok(QuantityShown {
        label: Label::new(interest.quantity.name(), interest.quantity.unit()),
        expression: interest.quantity.text().to_owned(),
        thresholds: interest.thresholds.clone(),
        inputs: inputs.collect(),
        runs: vec![RunQuantity {
            label: one.run.label.clone(),
            method: one.run.predictor.method(),
            variant: one.run.variant,
            stretch,
            draws: own.iter().take(count).map(|at| at.draws.clone()).collect(),
            epistemic: epistemic.map(|e| e.map(grown)).collect(),
            scores,
        }],
    })
}

impl RunQuantity {
    /// Statistics at an input that is shown.
    pub(super) fn summary(&self, input: usize, thresholds: &[f64]) -> InterestSummary {
        InterestSummary::new(&self.draws[input], thresholds, self.epistemic[input])
    }
}

/// Takes quantities of what one run predicts.
struct Taking<'a> {
    interests: &'a Interests,
    truths: Option<&'a Truths<'a>>,
    /// Channels of the solution.
    channels: usize,
    current: Option<PreparedInterests>,
    /// [input][quantity].
    values: Vec<Vec<InterestAtInput>>,
    epistemic: Vec<Vec<Option<f64>>>,
}

impl Consumer for Taking<'_> {
    fn begin(&mut self, _run: usize, input: &WalkedInput) -> Result<Option<usize>> {
        self.current = Some(self.interests.on(input.case)?);
        Ok(Some(0))
    }

    fn derived(&mut self, predicted: &InputPredictor<'_>) {
        if let Some(current) = &mut self.current {
            current.derive(predicted);
        }
    }

    fn realization(&mut self, _index: usize, values: &[f64], _evaluations: usize) -> Result<()> {
        self.current.as_mut().map_or(Ok(()), |one| one.push(values))
    }

    fn end(&mut self, _run: usize, input: &WalkedInput, _cost: PredictionCost) -> Result<()> {
        let Some(current) = self.current.take() else {
            return Ok(());
        };
        let low = input.case.low.as_ref().map(Field::values);
        let truth = self.truths.map(|truths| truths.at(input.index));
        let truth = truth.transpose()?;
        let fields = TruthFields {
            points: input.grid.len(),
            channels: self.channels,
            known: None,
            low,
        };
        let values = interest_at_input(self.interests, &current, truth.as_ref(), &fields)?;
        self.values.push(values);
        self.epistemic.push(current.epistemic().to_vec());
        Ok(())
    }
}
