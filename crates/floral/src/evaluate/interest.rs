//! Scores of quantities of interest: predicted distributions against the values on true
//! realizations.

use serde::{Deserialize, Serialize};

use super::Truth;
use crate::dataset::Dataset;
use crate::metric::{EnsembleScores, Fields, centred};
use crate::predict::interest::{Calibration, Interest, Interests, Judged, PreparedInterests};
use crate::{Error, Result};

/// Nominal coverage of the central interval that is scored.
const COVERAGE: f64 = 0.9;

/// A quantity of interest and its scores.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InterestEvaluation {
    /// Name.
    pub name: String,
    /// Expression.
    pub expression: String,
    /// Units.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub units: Option<String>,
    /// Scores; `None` if the quantity has no value on some realization.
    pub scores: Option<InterestScores>,
}

/// Scores of a quantity of interest over inputs, in its units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InterestScores {
    /// Mean over inputs of the predicted mean minus the true mean.
    pub bias: f64,
    /// Root mean square over inputs of the same difference.
    pub rmse: f64,
    /// Root mean square error of the value on the low-fidelity solution, for comparison.
    pub low_rmse: Option<f64>,
    /// Fair CRPS against the true realizations.
    pub crps: Option<f64>,
    /// Share of the true realizations within the central 90 % interval.
    pub coverage: Option<f64>,
    /// The same share without calibration; `None` if the quantity is not calibrated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncalibrated_coverage: Option<f64>,
    /// Factor by which the calibration has stretched deviations from the median.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applied_stretch: Option<f64>,
    /// Additional factor by which deviations from the median would have to be stretched for the
    /// interval to cover 90 % of these inputs' realizations.
    pub stretch: Option<f64>,
    /// Whether there are enough inputs and realizations to determine `stretch`.
    pub is_stretch_sufficient: bool,
    /// Scores of exceedance probabilities.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exceedances: Vec<ExceedanceScores>,
}

/// Scores of the probability of exceeding a threshold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExceedanceScores {
    /// Threshold in the units of the quantity.
    pub threshold: f64,
    /// Predicted probability, averaged over inputs.
    pub predicted: f64,
    /// Share of the true realizations above the threshold, averaged over inputs.
    pub observed: f64,
    /// Brier score: mean over true realizations of (p - y)^2, where p is the predicted probability
    /// and y is 1 above the threshold and 0 otherwise.
    pub brier: f64,
    /// Brier score of the true probabilities, p (1 - p), estimated without bias from the true
    /// realizations; `None` if an input has only one.
    pub brier_of_truth: Option<f64>,
}

/// The values of a quantity for one input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InterestAtInput {
    /// Values on draws, calibrated if the quantity is.
    pub draws: Vec<f64>,
    /// Values on draws, not calibrated.
    pub uncalibrated: Vec<f64>,
    /// Values on true realizations.
    pub observed: Vec<f64>,
    /// True mean; for an affine quantity it is computed from the true mean field.
    pub mean: f64,
    /// Value on the low-fidelity solution.
    pub low: Option<f64>,
}

/// The values of each quantity of interest for one input; without a truth there are no observed
/// values.
pub fn interest_at_input(
    interests: &Interests,
    prepared: &PreparedInterests,
    truth: Option<&Truth>,
    fields: &TruthFields<'_>,
) -> Result<Vec<InterestAtInput>> {
    let size = fields.points * fields.channels;
    let observations = truth.map_or(Vec::new(), |truth| fields.on_grid(&truth.observations));
    let observed: Vec<Vec<f64>> = observations
        .chunks_exact(size.max(1))
        .map(|field| prepared.of(field))
        .collect::<Result<_>>()?;
    let of_mean = truth.map(|truth| prepared.of(&fields.on_grid(&truth.mean)));
    let of_mean = of_mean.transpose()?;
    let low = fields.low.map(|low| prepared.of(low)).transpose()?;
    let calibrated = interests.calibrated(prepared.values());
    let at = |(index, Interest { quantity, .. }): (usize, &Interest)| {
        let observed: Vec<f64> = observed.iter().map(|values| values[index]).collect();
        InterestAtInput {
            draws: calibrated[index].clone(),
            uncalibrated: prepared.values()[index].clone(),
            mean: match &of_mean {
                Some(of_mean) if quantity.is_linear() || observed.is_empty() => of_mean[index],
                Some(_) => mean(observed.iter().copied()),
                None => f64::NAN,
            },
            observed,
            low: low.as_ref().map(|values| values[index]),
        }
    };
    Ok(interests.all().iter().enumerate().map(at).collect())
}

/// Maps fields of the truth to the grid of predictions.
pub struct TruthFields<'a> {
    /// Number of points of the grid.
    pub points: usize,
    /// Number of channels of the solution.
    pub channels: usize,
    /// Grid positions of the points at which the truth is known, if not all.
    pub known: Option<&'a [usize]>,
    /// The low-fidelity solution.
    pub low: Option<&'a [f64]>,
}

impl TruthFields<'_> {
    /// Fields on the grid, concatenated; NaN at points without truth, which no quantity reads.
    fn on_grid(&self, fields: &[f64]) -> Vec<f64> {
        let Some(known) = self.known else {
            return fields.to_vec();
        };
        let channels = fields.chunks_exact(known.len().max(1));
        let spread = |channel: &[f64]| {
            let mut field = vec![f64::NAN; self.points];
            for (point, value) in known.iter().zip(channel) {
                field[*point] = *value;
            }
            field
        };
        channels.flat_map(spread).collect()
    }
}

/// Refuses a dataset without realizations of the truth on the whole grid.
pub fn check_interests(dataset: &Dataset) -> Result<()> {
    let reason = if !dataset.has_high() {
        "the dataset has no realizations of the truth; evaluate on a dataset with the array `high`"
    } else if dataset.has_sensors() || dataset.known().is_some() {
        "high fidelity is known at some points of the grid alone, and quantities of interest need whole \
         fields; evaluate without them"
    } else {
        return Ok(());
    };
    Err(Error::config("quantities of interest", reason))
}

/// The scores of a quantity over inputs, and a note if it could not be scored.
pub fn score_interest(
    Interest {
        quantity,
        thresholds,
    }: &Interest,
    calibration: Option<&Calibration>,
    inputs: &[InterestAtInput],
) -> Result<(InterestEvaluation, Option<String>)> {
    let named = |scores| InterestEvaluation {
        name: quantity.name().to_owned(),
        expression: quantity.text().to_owned(),
        units: quantity.unit().map(str::to_owned),
        scores,
    };
    let values = |at: &InterestAtInput| [&at.draws[..], &at.observed[..], &[at.mean]].concat();
    let missing = inputs.iter().flat_map(values).filter(|v| !v.is_finite());
    let missing = missing.count();
    if missing > 0 {
        let note = format!(
            "{}: {missing} of its values on predicted or true realizations are not finite, so that it is \
             not scored; change the expression so that it has a value on every realization",
            quantity.name()
        );
        return Ok((named(None), Some(note)));
    }
    let mut found = scores(inputs, thresholds)?;
    if let Some(calibration) = calibration {
        found.applied_stretch = Some(calibration.factor);
        found.uncalibrated_coverage = coverage(inputs, |at| &at.uncalibrated)?;
    }
    Ok((named(Some(found)), None))
}

fn scores(inputs: &[InterestAtInput], thresholds: &[f64]) -> Result<InterestScores> {
    let differences = inputs
        .iter()
        .map(|at| mean(at.draws.iter().copied()) - at.mean);
    let low = inputs.iter().map(|at| at.low.map(|low| low - at.mean));
    let low: Option<Vec<f64>> = low.collect();
    let low = low.filter(|low| low.iter().all(|value| value.is_finite()));
    let has_spread = inputs.iter().all(|at| at.draws.len() > 1);
    let mut ensembles = EnsembleScores::default();
    for at in inputs.iter().filter(|_| has_spread) {
        // Values are stored in f32 relative to the true mean; scores do not depend on the origin.
        let (draws, observed) = (
            centred(&at.draws, &[at.mean]),
            centred(&at.observed, &[at.mean]),
        );
        ensembles.push(Fields::new(&draws, 1)?, Fields::new(&observed, 1)?)?;
    }
    let judged: Vec<Judged<'_>> = inputs.iter().map(judged).collect();
    // The factor is unknown if there are too few draws or if they do not vary.
    let calibration = Calibration::fit(&judged, COVERAGE)
        .ok()
        .filter(|_| has_spread);
    Ok(InterestScores {
        bias: mean(differences.clone()),
        rmse: root_mean_square(differences),
        low_rmse: low.map(|low| root_mean_square(low.into_iter())),
        crps: has_spread.then(|| ensembles.crps.fair()),
        coverage: coverage(inputs, |at| &at.draws)?,
        uncalibrated_coverage: None,
        applied_stretch: None,
        stretch: calibration.map(|calibration| calibration.factor),
        is_stretch_sufficient: calibration.is_some_and(|calibration| calibration.is_sufficient),
        exceedances: match has_spread {
            true => thresholds.iter().map(|t| exceedance(inputs, *t)).collect(),
            false => Vec::new(),
        },
    })
}

/// Share of the true realizations within the central interval of the draws; `None` without spread.
fn coverage(
    inputs: &[InterestAtInput],
    draws: fn(&InterestAtInput) -> &Vec<f64>,
) -> Result<Option<f64>> {
    if inputs.iter().any(|at| draws(at).len() < 2) {
        return Ok(None);
    }
    let mut ensembles = EnsembleScores::default();
    for at in inputs {
        let both = [draws(at), &at.observed].map(|values| centred(values, &[at.mean]));
        ensembles.push(Fields::new(&both[0], 1)?, Fields::new(&both[1], 1)?)?;
    }
    let interval = ensembles.coverage.at(COVERAGE);
    Ok(interval.map(|interval| interval.coverage))
}

fn judged(at: &InterestAtInput) -> Judged<'_> {
    Judged {
        draws: &at.draws,
        observed: &at.observed,
    }
}

fn exceedance(inputs: &[InterestAtInput], threshold: f64) -> ExceedanceScores {
    let share = |values: &[f64]| mean(values.iter().map(|v| f64::from(*v > threshold)));
    let pairs = inputs
        .iter()
        .map(|at| (share(&at.draws), share(&at.observed)));
    // The mean of (p - y)^2 over values y of 0 and 1, of which a share q are 1.
    let brier = pairs
        .clone()
        .map(|(p, q)| q * (1.0 - p).powi(2) + (1.0 - q) * p * p);
    let of_truth = inputs.iter().map(|at| {
        let (q, n) = (share(&at.observed), at.observed.len() as f64);
        (n > 1.0).then(|| q * (1.0 - q) * n / (n - 1.0))
    });
    let of_truth: Option<Vec<f64>> = of_truth.collect();
    ExceedanceScores {
        threshold,
        predicted: mean(pairs.clone().map(|(p, _)| p)),
        observed: mean(pairs.map(|(_, q)| q)),
        brier: mean(brier),
        brier_of_truth: of_truth.map(|all| mean(all.into_iter())),
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), v| (sum + v, count + 1));
    sum / f64::from(count)
}

fn root_mean_square(values: impl Iterator<Item = f64>) -> f64 {
    mean(values.map(|v| v * v)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(draws: Vec<f64>, observed: Vec<f64>) -> InterestAtInput {
        InterestAtInput {
            mean: mean(observed.iter().copied()),
            uncalibrated: draws.clone(),
            draws,
            observed,
            low: Some(0.0),
        }
    }

    #[test]
    fn scores_of_a_known_case() {
        let draws: Vec<f64> = (1..=99).map(f64::from).collect();
        let observed = vec![10.0, 50.0, 60.0, 100.0];
        let found = scores(&[at(draws, observed)], &[55.0]).unwrap();
        assert_eq!(found.bias, -5.0);
        assert_eq!((found.rmse, found.low_rmse), (5.0, Some(55.0)));
        assert_eq!(found.coverage, Some(0.75));
        let above = &found.exceedances[0];
        let p = 44.0 / 99.0;
        assert!((above.predicted - p).abs() < 1e-12 && above.observed == 0.5);
        let brier = 0.5 * (1.0 - p).powi(2) + 0.5 * p * p;
        assert!((above.brier - brier).abs() < 1e-12);
        assert!((above.brier_of_truth.unwrap() - 1.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn intervals_of_half_the_width_ask_for_a_stretch_of_two() {
        let observed: Vec<f64> = (0..99).map(|k| f64::from(k) - 49.0).collect();
        let draws: Vec<f64> = observed.iter().map(|v| 0.5 * v).collect();
        let inputs: Vec<InterestAtInput> = (0..12)
            .map(|_| at(draws.clone(), observed.clone()))
            .collect();
        let found = scores(&inputs, &[]).unwrap();
        assert!((found.stretch.unwrap() - 2.0).abs() < 0.1, "{found:?}");
        assert!(found.is_stretch_sufficient && found.coverage.unwrap() < 0.5);
    }

    #[test]
    fn fields_inside_of_the_domain_return_to_their_points() {
        let fields = TruthFields {
            points: 3,
            channels: 2,
            known: Some(&[0, 2]),
            low: None,
        };
        let found = fields.on_grid(&[1.0, 2.0, 3.0, 4.0]);
        assert_eq!(
            [found[0], found[2], found[3], found[5]],
            [1.0, 2.0, 3.0, 4.0]
        );
        assert!(found[1].is_nan() && found[4].is_nan());
    }
}
