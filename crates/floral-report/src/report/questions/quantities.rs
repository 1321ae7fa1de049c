//! Quantities of interest of the inputs of a report by every run, and their true values if known.

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
    /// The name with its units.
    pub label: Label,
    /// The expression.
    pub expression: String,
    /// Thresholds for exceedance probabilities.
    pub thresholds: Vec<f64>,
    /// The inputs that are shown.
    pub inputs: Vec<AtShownInput>,
    /// The predictions of each run.
    pub runs: Vec<RunQuantity>,
}

/// A quantity at an input.
#[derive(Debug, Clone, Serialize)]
pub struct AtShownInput {
    /// The name of the input.
    pub name: String,
    /// The values on true realizations; empty if the truth is unknown.
    pub truth: Vec<f64>,
    /// The value on the low-fidelity solution, if there is one.
    pub low: Option<f64>,
}

/// A run's predictions of a quantity.
#[derive(Debug, Clone, Serialize)]
pub struct RunQuantity {
    /// The label of the run.
    pub label: String,
    /// The method of the run.
    pub method: Method,
    /// The index of the run among those of its method.
    pub variant: usize,
    /// The calibration factor, if the quantity is calibrated.
    pub stretch: Option<f64>,
    /// Draws of the quantity at each shown input.
    pub draws: Vec<Vec<f64>>,
    /// Epistemic variance at each shown input, if known.
    pub epistemic: Vec<Option<f64>>,
    /// Scores over all inputs; `None` without a truth.
    pub scores: Option<InterestScores>,
}

/// The request for one run: its inputs, of which the first are shown, and the truth.
pub(in crate::report) struct Asked<'a> {
    pub run: &'a ComparedRun,
    /// Files with ranges of inputs, in the order of the report.
    pub files: Vec<(&'a Cases<'a>, Range<usize>)>,
    pub truths: Option<&'a Truths<'a>>,
    pub sampling: Sampling,
    /// Names of the shown inputs.
    pub names: Vec<String>,
}

/// The quantities by every run, and notes on their calibration; both empty if none are requested.
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

/// A quantity by one run, from its values and epistemic variances at all inputs.
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
    /// Statistics at a shown input.
    pub(super) fn summary(&self, input: usize, thresholds: &[f64]) -> InterestSummary {
        InterestSummary::new(&self.draws[input], thresholds, self.epistemic[input])
    }
}

/// Evaluates quantities on the predictions of one run.
struct Taking<'a> {
    interests: &'a Interests,
    truths: Option<&'a Truths<'a>>,
    /// Number of channels of the solution.
    channels: usize,
    current: Option<PreparedInterests>,
    /// Values by [input][quantity].
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
