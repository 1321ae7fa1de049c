//! The arrays of quantities of interest in a prediction store.
//!
//! | array | dimensions | |
//! |---|---|---|
//! | `peak` | input, draw | value on every realization; padded with NaN if inputs differ in their number |
//! | `peak_statistics` | input, statistic | the statistics listed in the attribute `statistics` |
//! | `peak_errors` | input, statistic | standard errors of the statistics |
//! | `peak_exceedance`, `peak_exceedance_errors` | input, peak_threshold | exceedance probability and its standard error, if wanted |
//! | `peak_epistemic` | input | epistemic variance, for affine quantities and methods that separate it |
//! | `peak_threshold` | itself | coordinate |
//!
//! All arrays are in double precision.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Calibration, Interest, InterestSummary, Interests, STATISTICS};
use crate::dataset::layout::INPUT_DIMENSION;
use crate::storage::array_metadata::{self, COMMENT, UNITS};
use crate::storage::{Dimension, Precision};
use crate::{Error, Quantity, Result};

const DRAW_DIMENSION: &str = "draw";
const STATISTIC_DIMENSION: &str = "statistic";

/// Plan of what is stored for one quantity of interest.
#[derive(Debug, Clone, PartialEq)]
pub struct InterestPlan {
    /// Name of the quantity and of the array of its values.
    pub name: String,
    /// Expression.
    pub expression: String,
    /// Units.
    pub units: Option<String>,
    /// Thresholds whose exceedance probability is stored.
    pub thresholds: Vec<f64>,
    /// Largest number of realizations per input.
    pub draws: usize,
    /// Whether the epistemic variance is stored.
    pub has_epistemic: bool,
    /// Factor by which draws are stretched about their median, if the quantity is calibrated.
    pub stretch: Option<f64>,
}

impl InterestPlan {
    /// A plan for each quantity; `separates`: whether the method has epistemic variances.
    pub fn of(interests: &Interests, draws: usize, separates: bool) -> Vec<Self> {
        let plan = |(
            Interest {
                quantity,
                thresholds,
            },
            calibration,
        ): (&Interest, Option<&Calibration>)| Self {
            name: quantity.name().to_owned(),
            expression: quantity.text().to_owned(),
            units: quantity.unit().map(str::to_owned),
            thresholds: thresholds.clone(),
            draws,
            has_epistemic: separates && quantity.is_linear() && quantity.uses_solution(),
            stretch: calibration.map(|found| found.factor),
        };
        let all = interests.all().iter().zip(interests.calibrations());
        all.map(plan).collect()
    }

    /// Names and metadata of the arrays for a number of inputs.
    pub(in crate::predict) fn arrays(&self, inputs: usize) -> Vec<(String, Value)> {
        let outer = (INPUT_DIMENSION, inputs);
        let what = Quantity::named(&self.name).with_units(self.units.as_deref().unwrap_or(""));
        let array = |inner: &[Dimension], meaning: &str, units: Option<&str>| {
            let mut array = array_metadata::values(outer, inner, Precision::F64, meaning);
            if let Some(units) = units {
                array_metadata::set(&mut array, UNITS, units);
            }
            array
        };
        let units = self.units.as_deref();
        let draws = (DRAW_DIMENSION, self.draws);
        let statistics = (STATISTIC_DIMENSION, STATISTICS.len());
        let mut values = array(&[draws], &self.expression, units);
        let comment = "a quantity of interest, on each realization";
        let comment = match self.stretch {
            None => comment.to_owned(),
            Some(by) => format!("{comment}; deviations from the median stretched by {by:.4}"),
        };
        array_metadata::set(&mut values, COMMENT, &comment);
        let listed = |meaning: &str| {
            let mut array = array(&[statistics], meaning, units);
            array_metadata::set(&mut array, "statistics", &STATISTICS.join(" "));
            array
        };
        let mut arrays = vec![
            (self.name.clone(), values),
            (
                self.named("statistics"),
                listed(&format!("statistics of {}", self.name)),
            ),
            (
                self.named("errors"),
                listed(&format!(
                    "standard errors of the statistics of {}",
                    self.name
                )),
            ),
        ];
        if self.has_epistemic {
            let variance = what.variance("epistemic variance");
            let meaning = format!("epistemic variance of {}", self.name);
            let epistemic = array(&[], &meaning, variance.units.as_deref());
            arrays.push((self.named("epistemic"), epistemic));
        }
        if !self.thresholds.is_empty() {
            let name = self.named("threshold");
            let thresholds = (name.as_str(), self.thresholds.len());
            let meaning = format!("probability of {} above the threshold", self.name);
            arrays.push((
                self.named("exceedance"),
                array(&[thresholds], &meaning, Some("1")),
            ));
            let meaning = format!("standard error of that probability of {}", self.name);
            arrays.push((
                self.named("exceedance_errors"),
                array(&[thresholds], &meaning, Some("1")),
            ));
            let mut levels = array_metadata::coordinates(thresholds);
            if let Some(units) = units {
                array_metadata::set(&mut levels, UNITS, units);
            }
            arrays.push((name.clone(), levels));
        }
        arrays
    }

    /// The stored arrays for one input: the values on its realizations, and their statistics.
    pub(in crate::predict) fn values(
        &self,
        values: &[f64],
        epistemic: Option<f64>,
    ) -> Vec<(String, Vec<f64>)> {
        // Stretching scales both parts of the variance by the same factor.
        let epistemic = epistemic.map(|variance| variance * self.stretch.unwrap_or(1.0).powi(2));
        let summary = InterestSummary::new(values, &self.thresholds, epistemic);
        let mut padded = values.to_vec();
        padded.resize(self.draws.max(values.len()), f64::NAN);
        let mut arrays = vec![
            (self.name.clone(), padded),
            (
                self.named("statistics"),
                summary.statistics.map(|e| e.value).to_vec(),
            ),
            (
                self.named("errors"),
                summary.statistics.map(|e| e.standard_error).to_vec(),
            ),
        ];
        if self.has_epistemic {
            arrays.push((self.named("epistemic"), vec![epistemic.unwrap_or(f64::NAN)]));
        }
        if !self.thresholds.is_empty() {
            let of =
                |part: fn(&super::Estimate) -> f64| summary.exceedances.iter().map(part).collect();
            arrays.push((self.named("exceedance"), of(|e| e.value)));
            arrays.push((self.named("exceedance_errors"), of(|e| e.standard_error)));
        }
        arrays
    }

    /// The thresholds as a coordinate; `None` if there are none.
    pub(in crate::predict) fn coordinate(&self) -> Option<(String, &[f64])> {
        let thresholds = &self.thresholds[..];
        (!thresholds.is_empty()).then(|| (self.named("threshold"), thresholds))
    }

    /// Name of the array of the epistemic variance, if there is one.
    pub(in crate::predict) fn epistemic_name(&self) -> Option<String> {
        self.has_epistemic.then(|| self.named("epistemic"))
    }

    fn named(&self, what: &str) -> String {
        format!("{}_{what}", self.name)
    }
}

/// Refuses quantities whose arrays have the name of another array or dimension of the store.
pub(in crate::predict) fn check_names<'a>(
    interests: &[InterestPlan],
    others: impl Iterator<Item = &'a str>,
) -> Result<()> {
    if interests.is_empty() {
        return Ok(());
    }
    let dimensions = [DRAW_DIMENSION, STATISTIC_DIMENSION];
    let mut taken: BTreeSet<String> = others.map(str::to_owned).collect();
    let clash = |name: &str| {
        Error::config(
            format!("quantity of interest {name}"),
            "predictions have another array of that name; choose a different one",
        )
    };
    if let Some(axis) = dimensions
        .iter()
        .find(|name| !taken.insert((**name).to_owned()))
    {
        return Err(Error::config(
            format!("axis {axis}"),
            "quantities of interest are stored along a dimension of that name; rename the axis",
        ));
    }
    for interest in interests {
        for (name, _) in interest.arrays(1) {
            if !taken.insert(name.clone()) {
                return Err(clash(&name));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(name: &str) -> InterestPlan {
        InterestPlan {
            name: name.into(),
            expression: "max(u)".into(),
            units: Some("K".into()),
            thresholds: vec![2.5],
            draws: 4,
            has_epistemic: false,
            stretch: None,
        }
    }

    #[test]
    fn every_array_that_is_planned_has_values_of_its_size() {
        let plan = plan("peak");
        let planned = plan.arrays(3);
        let values = plan.values(&[1.0, 2.0, 3.0], None);
        for (name, values) in &values {
            let (_, array) = planned.iter().find(|(known, _)| known == name).unwrap();
            let shape = array["shape"].as_array().unwrap();
            let size: u64 = shape[1..].iter().map(|n| n.as_u64().unwrap()).product();
            assert_eq!(size as usize, values.len(), "{name}");
        }
        assert_eq!(planned.len(), values.len() + 1);
        assert_eq!(planned[0].1["attributes"]["units"], "K");
        assert!(values[0].1[3].is_nan());
    }

    #[test]
    fn names_of_other_arrays_are_refused() {
        let check = |plans: &[InterestPlan]| check_names(plans, ["mean", "x"].into_iter());
        assert!(check(&[plan("peak"), plan("low")]).is_ok());
        for plans in [
            vec![plan("mean")],
            vec![plan("x")],
            vec![plan("peak"), plan("peak_errors")],
        ] {
            assert!(check(&plans).is_err());
        }
        assert!(check_names(&[plan("peak")], ["draw"].into_iter()).is_err());
    }
}
