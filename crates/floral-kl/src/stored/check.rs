//! Checks of stored data, before anything is computed from them.

use std::sync::Arc;

use floral_linalg::Mat;

use super::{
    Covariance, Doubles, Kernel, LocalPlan, Parity, Singles, StoredBlend, StoredExpansion,
    StoredInput, StoredLandmarks, StoredModel, StoredPart, refused,
};
use crate::{Points, Result};

/// Limits of what a fit contains, with a margin.
const MOST_AXES: usize = 8;
const MOST_ORDER: usize = 32;
const MOST_DEGREE: usize = 8;
const MOST_COLUMNS: usize = 10_000;

impl StoredExpansion {
    pub(super) fn check(&self) -> Result<()> {
        let points = self
            .points()
            .ok_or_else(|| refused("its grid has no size".into()))?;
        let sizes = [self.channels.input, self.channels.solution].map(|c| c.checked_mul(points));
        let [Some(input), Some(solution)] = sizes else {
            return Err(refused("its channels have no size".into()));
        };
        ensure(input > 0 && solution > 0, "it has no channels")?;
        let sound = |p: &Arc<Points>| self.lattice.axes.len() == 1 && p.is_sound(points);
        ensure(
            self.lattice.points().is_none_or(sound),
            "its points do not fit",
        )?;
        let first = self.inputs.first();
        let first = first.ok_or_else(|| refused("it has no inputs".into()))?;
        let low = first.low.0.len();
        ensure(low == 0 || low == solution, "low fidelity has another size")?;
        for stored in &self.inputs {
            stored.check(input, low)?;
        }
        let residual = |r: &Singles| r.0.len() == solution && r.0.iter().all(|v| v.is_finite());
        let fits = self.residuals.len() == self.inputs.len();
        ensure(
            fits && self.residuals.iter().all(residual),
            "a residual does not fit",
        )?;
        self.mean.check(self.inputs.len(), solution, Parity::Odd)?;
        if let Some(variance) = &self.variance {
            variance.check(self.inputs.len(), solution, Parity::Even)?;
        }
        if let Some(left_out) = &self.left_out {
            left_out.check(self.inputs.len(), [input, low, solution])?;
        }
        self.check_law(solution)?;
        self.check_units(solution)?;
        self.check_numbers(solution)
    }

    /// Number of points; `None` if an axis has no points or if the product overflows.
    fn points(&self) -> Option<usize> {
        let lengths = self.lattice.axes.iter().map(|axis| axis.len);
        let mut product: usize = 1;
        for length in lengths.clone() {
            product = product.checked_mul(length)?;
        }
        (product > 0 && (1..=MOST_AXES).contains(&lengths.count())).then_some(product)
    }

    fn check_law(&self, solution: usize) -> Result<()> {
        let Some(law) = &self.law else {
            return Ok(());
        };
        ensure(law.runs.len() == self.inputs.len(), "an input has no runs")?;
        for runs in &law.runs {
            let factors = runs.factors.0.len() / solution;
            ensure(
                runs.factors.0.len() == factors * solution
                    && runs.deviation.0.len() == solution
                    && runs.coefficients.0.len().is_multiple_of(factors.max(1)),
                "a run has another size",
            )?;
            let all = [&runs.factors, &runs.deviation, &runs.coefficients];
            let finite = |field: &&Singles| field.0.iter().all(|v| v.is_finite());
            ensure(all.iter().all(finite), "a run is not finite")?;
        }
        ensure(
            law.widths.len() == self.lattice.axes.len(),
            "an axis has no width",
        )?;
        let width = |width: &f64| (0.0..1e6).contains(width);
        ensure(law.widths.iter().all(width), "a width is out of range")
    }

    fn check_units(&self, solution: usize) -> Result<()> {
        ensure(self.units.fit(self.channels), "its units do not fit")?;
        ensure(
            self.support.fits(self.channels.solution),
            "its support does not fit",
        )?;
        let fixed = &self.fixed;
        let sizes = [0, solution].contains(&fixed.values.len());
        let finite = fixed.values.iter().flatten().all(|v| v.is_finite());
        ensure(
            fixed.varies.len() == solution && sizes && finite,
            "its fixed values do not fit",
        )
    }

    fn check_numbers(&self, solution: usize) -> Result<()> {
        let epistemic = &self.epistemic;
        ensure(
            epistemic.factors.0.len().is_multiple_of(solution),
            "an error has another size",
        )?;
        let finite = epistemic.factors.0.iter().all(|v| v.is_finite());
        ensure(finite, "an error is not finite")?;
        fields(&epistemic.variance, solution)?;
        ensure(
            self.calibration.len() == self.channels.solution,
            "a channel is not calibrated",
        )?;
        let factors = self.calibration.iter().flat_map(|c| [c.epistemic, c.total]);
        let mut positive = [self.fade].into_iter().chain(factors);
        let is_positive = |v: f64| v.is_finite() && v > 0.0;
        ensure(positive.all(is_positive), "a factor is not positive")?;
        let least = self.least_variance;
        let fine = epistemic.variance.0.iter().all(|v| *v >= 0.0);
        ensure(
            fine && least.is_finite() && least >= 0.0,
            "a variance is negative",
        )
    }
}

impl StoredInput {
    fn check(&self, input: usize, low: usize) -> Result<()> {
        fields(&self.input, input)?;
        fields(&self.low, low)?;
        ensure(
            self.size.is_finite() && self.size > 0.0,
            "an input has no size",
        )
    }
}

impl StoredBlend {
    fn check(&self, inputs: usize, solution: usize, parity: Parity) -> Result<()> {
        ensure(self.parity == parity, "a target has another parity")?;
        for member in &self.members {
            let weight = member.weight;
            ensure(weight.is_finite() && weight >= 0.0, "a weight is negative")?;
            let is_sound = member.model.is_sound(inputs, solution);
            ensure(is_sound, "a member is out of range")?;
        }
        if let Some(stacked) = &self.stacked {
            let numbers = stacked.limits.iter().chain([&stacked.weight]);
            let sound = numbers.clone().all(|v| v.is_finite() && *v >= 0.0);
            ensure(sound, "a correction is no number")?;
            ensure(
                parity == Parity::Odd && !stacked.networks.is_empty(),
                "a network is missing",
            )?;
        }
        let bounds = self.bounds.iter().flatten().flatten();
        ensure(
            bounds.clone().all(|v| v.is_finite()),
            "a bound is no number",
        )
    }
}

impl StoredModel {
    fn is_sound(&self, inputs: usize, solution: usize) -> bool {
        match self {
            Self::Constant(field) => fields(field, solution).is_ok(),
            Self::Local {
                plan,
                sizes,
                coefficients,
                landmarks,
                ..
            } => {
                let sized = sizes.iter().all(|v| v.is_finite() && *v > 0.0);
                let compared = landmarks.is_some() == plan.landmarks.is_some();
                let placed = landmarks.as_ref().is_none_or(StoredLandmarks::is_sound);
                let finite = coefficients.0.iter().all(|v| v.is_finite());
                sized && sound(plan) && compared && placed && finite
            }
            Self::Kernel {
                kernel,
                coefficients,
                reference,
                posterior,
            } => {
                let known = reference.is_finite() && *reference >= 0.0;
                let each = coefficients.iter().all(|c| fields(c, solution).is_ok());
                let all = coefficients.len() == inputs && each;
                is_kernel(kernel) && known && all && posterior.iter().all(StoredPart::is_sound)
            }
            Self::Process {
                reference,
                inverse,
                weights,
                ..
            } => {
                let known = reference.is_finite() && *reference >= 0.0;
                let sizes = [inputs, solution].map(|n| inputs.checked_mul(n));
                let [Some(square), Some(all)] = sizes else {
                    return false;
                };
                known && fields(inverse, square).is_ok() && fields(weights, all).is_ok()
            }
        }
    }
}

fn is_kernel(kernel: &Kernel) -> bool {
    let length = match kernel.covariance {
        Covariance::Linear => 1.0,
        Covariance::SquaredExponential { length } | Covariance::Matern52 { length } => length,
    };
    let shares = [kernel.share, kernel.smoothing];
    let within = shares.iter().all(|s| (0.0..=1.0).contains(s));
    length.is_finite() && length > 0.0 && within
}

impl StoredPart {
    fn is_sound(&self) -> bool {
        let finite = self.directions.0.iter().all(|v| v.is_finite());
        finite && self.energy.is_finite() && self.energy >= 0.0
    }
}

impl StoredLandmarks {
    fn is_sound(&self) -> bool {
        let lengths = self.lengths.iter().all(|l| l.is_finite() && *l > 0.0);
        lengths && self.places.0.iter().all(|v| v.is_finite())
    }
}

fn sound(plan: &LocalPlan) -> bool {
    let degrees = !plan.degrees.is_empty() && plan.degrees.iter().all(|d| *d <= MOST_DEGREE);
    let widths = (1..=MOST_DEGREE).contains(&plan.widths.len())
        && plan.widths.iter().all(|w| (0.0..=1.0).contains(w));
    let emphasis = (1e-3..=1e3).contains(&plan.emphasis);
    degrees && widths && emphasis && plan.order <= MOST_ORDER && plan.positions <= MOST_ORDER
}

/// Coefficients of `columns` columns: [column, channel].
pub(super) fn matrix(values: &[f64], columns: usize, channels: usize) -> Result<Mat<f64>> {
    let fits = columns <= MOST_COLUMNS && columns.checked_mul(channels) == Some(values.len());
    ensure(fits, "coefficients have another size")?;
    Ok(Mat::from_fn(columns, channels, |r, c| {
        values[c * columns + r]
    }))
}

fn fields(field: &Doubles, len: usize) -> Result<()> {
    ensure(field.0.len() == len, "a field has another size")?;
    ensure(
        field.0.iter().all(|v| v.is_finite()),
        "a field is not finite",
    )
}

pub(super) fn ensure(holds: bool, otherwise: &str) -> Result<()> {
    if holds {
        Ok(())
    } else {
        Err(refused(otherwise.into()))
    }
}
