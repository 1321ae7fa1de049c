//! What was read is checked before anything is computed from it.

use floral_linalg::Mat;

use super::{
    Covariance, Doubles, FORMAT, LocalPlan, Parity, StoredBlend, StoredInput, StoredKriging,
    StoredLandmarks, StoredMember, refused,
};
use crate::Result;
use crate::regression::local::Likeness;

/// Bounds of what a fit makes, with room.
const MOST_AXES: usize = 8;
const MOST_ORDER: usize = 32;
const MOST_DEGREE: usize = 8;
const MOST_COLUMNS: usize = 10_000;

impl StoredKriging {
    pub(super) fn check(&self) -> Result<()> {
        ensure(self.format == FORMAT, "it has another format")?;
        let points = self
            .points()
            .ok_or_else(|| refused("its grid has no size".into()))?;
        let sizes = [self.channels.input, self.channels.solution].map(|c| c.checked_mul(points));
        let [Some(input), Some(solution)] = sizes else {
            return Err(refused("its channels have no size".into()));
        };
        ensure(input > 0 && solution > 0, "it has no channels")?;
        let first = self.inputs.first();
        let first = first.ok_or_else(|| refused("it has no inputs".into()))?;
        let low = first.low.0.len();
        ensure(low == 0 || low == solution, "low fidelity has another size")?;
        for stored in &self.inputs {
            stored.check(input, low)?;
        }
        self.mean.check(self.inputs.len(), solution, Parity::Odd)?;
        if let Some(variance) = &self.variance {
            variance.check(self.inputs.len(), solution, Parity::Even)?;
        }
        self.check_spread(solution)?;
        self.check_numbers(solution)
    }

    /// Number of points; none if an axis has none or if their product overflows.
    fn points(&self) -> Option<usize> {
        let lengths = self.lattice.axes.iter().map(|axis| axis.len);
        let mut product: usize = 1;
        for length in lengths.clone() {
            product = product.checked_mul(length)?;
        }
        (product > 0 && (1..=MOST_AXES).contains(&lengths.count())).then_some(product)
    }

    fn check_spread(&self, solution: usize) -> Result<()> {
        let Some(spread) = &self.spread else {
            return Ok(());
        };
        ensure(
            spread.factors.len() == self.inputs.len(),
            "an input has no factors",
        )?;
        for field in &spread.factors {
            let whole = field.0.len().is_multiple_of(solution);
            ensure(whole, "a factor has another size")?;
            ensure(
                field.0.iter().all(|v| v.is_finite()),
                "a factor is not finite",
            )?;
        }
        ensure(
            spread.widths.len() == self.lattice.axes.len(),
            "an axis has no width",
        )?;
        let width = |width: &f64| (0.0..1e6).contains(width);
        ensure(spread.widths.iter().all(width), "a width is out of range")
    }

    fn check_numbers(&self, solution: usize) -> Result<()> {
        let ignorance = &self.ignorance;
        ensure(
            ignorance.factors.0.len().is_multiple_of(solution),
            "an error has another size",
        )?;
        let finite = ignorance.factors.0.iter().all(|v| v.is_finite());
        ensure(finite, "an error is not finite")?;
        fields(&ignorance.variance, solution)?;
        let positive = [
            self.fade,
            ignorance.mean_power,
            self.calibration.epistemic,
            self.calibration.total,
        ];
        let is_positive = |v: &f64| v.is_finite() && *v > 0.0;
        ensure(positive.iter().all(is_positive), "a factor is not positive")?;
        let learned_to = ignorance.learned_to.unwrap_or(0.0);
        let rest = [ignorance.exponent, self.least_variance, learned_to];
        let fine = rest.iter().chain(&ignorance.variance.0).all(|v| *v >= 0.0);
        ensure(
            fine && rest.iter().all(|v| v.is_finite()),
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
        ensure(self.targets.len() == inputs, "an input has no target")?;
        for target in &self.targets {
            fields(target, solution)?;
        }
        for (member, weight) in &self.members {
            ensure(weight.is_finite() && *weight >= 0.0, "a weight is negative")?;
            ensure(member.is_sound(), "a member is out of range")?;
        }
        Ok(())
    }
}

impl StoredMember {
    fn is_sound(&self) -> bool {
        match self {
            Self::Zero => true,
            Self::Local {
                plan,
                sizes,
                coefficients,
                landmarks,
                ..
            } => {
                let sized = sizes.iter().all(|v| v.is_finite() && *v > 0.0);
                let likened = landmarks.is_some() == plan.likeness.is_some();
                let placed = landmarks.as_ref().is_none_or(StoredLandmarks::is_sound);
                let finite = coefficients.0.iter().all(|v| v.is_finite());
                sized && sound(plan) && likened && placed && finite
            }
            Self::Kernel {
                kernel,
                ridge,
                reference,
            } => {
                let length = match kernel.covariance {
                    Covariance::Linear => 1.0,
                    Covariance::SquaredExponential { length } | Covariance::Matern52 { length } => {
                        length
                    }
                };
                let positive = |v: f64| v.is_finite() && v > 0.0;
                let known = reference.is_finite() && *reference >= 0.0;
                let shares = [kernel.share, kernel.smoothing];
                let within = shares.iter().all(|s| (0.0..=1.0).contains(s));
                positive(length) && within && positive(*ridge) && known
            }
        }
    }
}

impl StoredLandmarks {
    fn is_sound(&self) -> bool {
        let apart = self.apart.is_finite() && self.apart > 0.0;
        apart && self.places.0.iter().all(|v| v.is_finite())
    }
}

fn sound(plan: &LocalPlan) -> bool {
    let degrees = !plan.degrees.is_empty() && plan.degrees.iter().all(|d| *d <= MOST_DEGREE);
    let widths = (1..=MOST_DEGREE).contains(&plan.widths.len())
        && plan.widths.iter().all(|w| (0.0..=1.0).contains(w));
    let emphasis = (1e-3..=1e3).contains(&plan.emphasis);
    let alike = |l: &Likeness| {
        [l.length, l.position]
            .iter()
            .all(|v| (1e-3..=1e3).contains(v))
    };
    let emphasis = emphasis && plan.likeness.as_ref().is_none_or(alike);
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

fn ensure(holds: bool, otherwise: &str) -> Result<()> {
    if holds {
        Ok(())
    } else {
        Err(refused(otherwise.into()))
    }
}
