//! Calibration of quantities of interest by held-out predictions.
//!
//! A regression keeps its judging inputs: those that it predicted without their own data, each with
//! some of its high-fidelity runs. A quantity is evaluated on draws of these predictions and on the
//! runs. [`Calibration`](floral_quantities::Calibration) gives the factor by which deviations from
//! the median have to be stretched for intervals to reach their nominal coverage.

use floral_quantities::{Calibration, Judged, Quantity};

use super::Interests;
use super::space::space;
use crate::Result;
use crate::kl::LeftOutInput;
use crate::observer::{Observer, go_on};
use crate::predict::Predictor;
use crate::random::{Purpose, stream};

/// Nominal coverage of the central interval that is calibrated.
const COVERAGE: f64 = 0.9;

/// Draws per judging input.
const DRAWS: usize = 199;
/// Smallest number of draws per judging input, whatever the size of the fields.
const FEWEST_DRAWS: usize = 49;
/// Largest number of values in the draws of all judging inputs; for larger fields, fewer are drawn.
const MOST_VALUES: usize = 1 << 28;

/// Smallest number of informative judging inputs for the calibration of a quantity.
const FEWEST_INPUTS: usize = 3;

/// The values of a quantity for one judging input.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedValues {
    /// Values on draws of the prediction without this input's data.
    pub draws: Vec<f64>,
    /// Values on runs of the high-fidelity solver.
    pub observed: Vec<f64>,
}

impl JudgedValues {
    /// Whether the values are informative about the width of intervals: not if a value is missing,
    /// nor if nine of ten draws have the same value, which no factor makes wider.
    fn says(&self) -> bool {
        let mut sorted = self.draws.clone();
        sorted.sort_by(f64::total_cmp);
        let tail = sorted.len() / 20;
        let ends = sorted.get(tail).zip(sorted.iter().rev().nth(tail));
        let is_finite = sorted.iter().chain(&self.observed).all(|v| v.is_finite());
        is_finite && !self.observed.is_empty() && ends.is_some_and(|(low, high)| low < high)
    }
}

/// A judging input with its runs and with draws of its held-out prediction, in the units of the
/// data.
pub struct JudgingInput {
    /// The input: [channel, point].
    pub input: Vec<f64>,
    /// Low fidelity: [channel, point]; empty if the fit uses none.
    pub low: Vec<f64>,
    /// High-fidelity runs: [run, channel, point].
    pub runs: Vec<f64>,
    /// Draws of the held-out prediction: [draw, channel, point].
    pub draws: Vec<f64>,
    /// Number of values of one solution field.
    pub values: usize,
}

impl Predictor {
    /// Number of judging inputs that the model keeps; 0 for a network and for a model of an older
    /// version.
    pub fn judging_inputs(&self) -> usize {
        let count = self
            .regression()
            .map_or(0, |fitted| fitted.left_out_count());
        let is_whole = self
            .regression()
            .is_some_and(|fitted| fitted.is_left_out_whole());
        match is_whole || self.header().mask.is_some() {
            true => count,
            false => 0,
        }
    }

    /// A judging input, with draws of the distribution that was predicted without its data.
    pub fn judging_input(&self, index: usize) -> Option<JudgingInput> {
        let fitted = self.regression()?;
        let LeftOutInput {
            input,
            mut low,
            mut runs,
            draws,
        } = fitted.left_out_input(index)?;
        let draws = match self.header().transforms.is_none() {
            true => draws,
            false => draws.with_normal_unknown(),
        };
        let values = draws.values();
        let count = MOST_VALUES / (values * fitted.left_out_count()).max(1);
        let count = count.clamp(FEWEST_DRAWS, DRAWS);
        let of = |j: usize| stream(0, Purpose::LeftOut, index as u64, j as u64);
        let mut rngs: Vec<_> = (0..count).map(of).collect();
        let mut drawn = vec![0.0; count * values];
        draws.draw_many(&mut rngs, &mut drawn);
        let points = self.header().grid.len();
        let transforms = &self.header().transforms;
        for fields in [&mut low, &mut runs, &mut drawn] {
            fields
                .chunks_exact_mut(values.max(1))
                .for_each(|field| transforms.invert(field, points));
        }
        Some(JudgingInput {
            input,
            low,
            runs,
            draws: drawn,
            values,
        })
    }
}

impl Interests {
    /// Calibrates all quantities by the judging inputs of a run. The returned notes name the
    /// quantities that cannot be calibrated; none can for predictions given readings.
    pub fn calibrate(
        &mut self,
        predictor: &Predictor,
        has_readings: bool,
        observer: &dyn Observer,
    ) -> Result<Vec<String>> {
        if !predictor.method().is_generative() {
            return Ok(Vec::new());
        }
        if let Some(reason) = why_not(predictor, has_readings) {
            return Ok(vec![format!("quantities are not calibrated: {reason}")]);
        }
        let judged = self.judged(predictor, observer)?;
        let mut notes = Vec::new();
        for (one, judged) in self.all.iter().zip(&judged) {
            let found = match one.quantity.uses_low() && predictor.header().stand_in.is_some() {
                true => Err("it reads low fidelity, which the run has replaced".to_owned()),
                false => calibration(judged),
            };
            if let Err(reason) = &found {
                let name = one.quantity.name();
                notes.push(format!("{name} is not calibrated: {reason}"));
            }
            self.calibrations.push(found.ok());
        }
        Ok(notes)
    }

    /// The values of each quantity for the judging inputs: `[quantity][input]`.
    pub fn judged(
        &self,
        predictor: &Predictor,
        observer: &dyn Observer,
    ) -> Result<Vec<Vec<JudgedValues>>> {
        let header = predictor.header();
        // Judging inputs are on the training grid, whatever the grid of the predictions.
        let trained = Self {
            all: self.all.clone(),
            space: space(&header.grid, header.mask.as_ref())?,
            calibrations: Vec::new(),
            is_cloud: self.is_cloud,
        };
        let mut all = vec![Vec::new(); self.all.len()];
        for index in 0..predictor.judging_inputs() {
            go_on(observer)?;
            let Some(judge) = predictor.judging_input(index) else {
                continue;
            };
            for (all, values) in all.iter_mut().zip(trained.at_judge(&judge)?) {
                all.push(values);
            }
        }
        Ok(all)
    }

    /// The values of each quantity for a judging input.
    pub(crate) fn at_judge(&self, judge: &JudgingInput) -> Result<Vec<JudgedValues>> {
        let size = judge.values;
        let values = |fields: &[f64]| -> Result<Vec<Vec<f64>>> {
            let mut prepared = self.on_fields(&judge.input, &judge.low)?;
            for field in fields.chunks_exact(size.max(1)) {
                prepared.push(field)?;
            }
            Ok(prepared.values().to_vec())
        };
        let both = values(&judge.draws)?.into_iter().zip(values(&judge.runs)?);
        Ok(both
            .map(|(draws, observed)| JudgedValues { draws, observed })
            .collect())
    }
}

/// The reason why no quantity of these predictions can be calibrated, if there is one.
fn why_not(predictor: &Predictor, has_readings: bool) -> Option<String> {
    if has_readings {
        return Some("the factors hold for predictions without readings".into());
    }
    let count = predictor.judging_inputs();
    let method = predictor.method();
    match predictor.regression() {
        None => Some(format!("{method} keeps no left-out predictions")),
        Some(_) if count == 0 => Some(
            "the model keeps no left-out predictions of whole fields; train it again with this version, on \
             at least three inputs"
                .into(),
        ),
        Some(_) if count < FEWEST_INPUTS => Some(format!(
            "the model has {count} left-out predictions; train on at least {FEWEST_INPUTS} inputs"
        )),
        Some(_) => None,
    }
}

fn calibration(judged: &[JudgedValues]) -> std::result::Result<Calibration, String> {
    let judged = judged.iter().filter(|at| at.says()).map(|at| Judged {
        draws: &at.draws,
        observed: &at.observed,
    });
    let judged: Vec<Judged<'_>> = judged.collect();
    if judged.len() < FEWEST_INPUTS {
        return Err("it is undefined or constant for most held-out predictions".into());
    }
    Calibration::fit(&judged, COVERAGE).map_err(|error| error.to_string())
}

/// The values of draws, stretched by a calibration and clamped to the bounds of the quantity.
pub(super) fn stretched(
    calibration: Option<&Calibration>,
    quantity: &Quantity,
    values: &[f64],
) -> Vec<f64> {
    let mut values = values.to_vec();
    let Some(calibration) = calibration else {
        return values;
    };
    if values.iter().all(|v| v.is_finite()) {
        calibration.stretch(&mut values);
        let [least, most] = quantity.bounds();
        values.iter_mut().for_each(|v| *v = v.clamp(least, most));
    }
    values
}
