//! Readings of one realization of a query's solution, and the law given them.
//!
//! Readings are y = H u + e with independent normal noise e. The law of u is a mixture: component
//! (j, r), run r of training input j, is normal with
//!
//!   mean m + sqrt(1 - h^2) g F_j c_jr,   covariance C_j = h^2 g F_j F_j' g + E E' + remainder,
//!
//! and so is the law given y: its weights are w_jr N(y; H m_jr, S_j) with S_j = H C_j H' + R, and
//! each component is drawn by Matheron's rule, u + C_j H' S_j^-1 (y - e - H u) (Journel &
//! Huijbregts, Mining Geostatistics, 1978, VII.A). The covariance of few runs is inaccurate, so
//! that deviations given the readings are stretched.
//!
//! `readings` checks readings, `seen` has their covariances under the law, `components` the
//! weights, `update` the draws, `moments` mean and variances, `stretch` the factor of deviations,
//! `chi_square` the probability of such readings, and `sensors` where to measure next. `draws`
//! calls these modules. `drawn` conditions a law that is known only by draws.

mod chi_square;
mod components;
mod drawn;
mod moments;
mod readings;
mod seen;
mod sensors;
mod stretch;
#[cfg(test)]
mod tests;
mod update;

pub use drawn::DrawnUpdate;
pub use readings::Reading;
pub use sensors::{Placement, Sensor};

pub(super) use moments::Shifted;
pub(super) use readings::Rows;
pub(super) use sensors::placed;
pub(super) use update::Update;

use super::law::Deviations;
use crate::Result;
use components::Components;
use seen::Seen;
use stretch::stretch;

/// How well readings agree with the prediction made without them, and the effect of conditioning on
/// them.
#[derive(Debug, Clone, PartialEq)]
pub struct Innovation {
    /// Number of readings; exact ones that are given twice count once.
    pub readings: usize,
    /// (y - H m)' (H C H' + R)^-1 (y - H m), with the covariance C of the prediction.
    pub chi_square: f64,
    /// The probability of a larger chi-square under a normal law.
    pub p_value: f64,
    /// The effective number of training runs given the readings: 1 / sum of squared weights.
    pub effective_runs: f64,
    /// The share of normal noise in the coefficients of runs; 1 for a normal law.
    pub smoothing: f64,
    /// The factor of deviations from the mean given the readings, which corrects for a covariance
    /// of few runs.
    pub stretch: f64,
    /// Whether the runs are draws of the law itself, as those of a flow, all of the same weight.
    pub is_drawn: bool,
}

impl Innovation {
    /// Whether readings contradict the prediction: p < 0.001.
    pub fn contradicts(&self) -> bool {
        self.p_value < 1e-3
    }
}

/// Conditions the law of deviations on readings: changes the weights and the smoothing of
/// `deviations`.
pub(super) fn conditioned(
    deviations: &mut Deviations<'_>,
    unknown: &[f32],
    rows: Rows,
) -> Result<(Update, Shifted, Innovation)> {
    let seen = Seen::new(deviations, unknown, rows);
    let (chi_square, p_value) = seen.chi_square()?;
    let components = Components::new(&seen, deviations.smoothing)?;
    let innovation = Innovation {
        readings: seen.rows.len(),
        chi_square,
        p_value,
        effective_runs: components.effective_runs(),
        smoothing: components.smoothing,
        stretch: stretch(components.effective_runs(), components.explained(&seen)),
        is_drawn: false,
    };
    let shifted = Shifted::new(deviations, unknown, &seen, &components);
    deviations.smoothing = components.smoothing;
    for (near, component) in deviations.near.iter_mut().zip(&components.all) {
        near.weight = component.weight;
        near.chances = component.chances();
    }
    Ok((Update::new(seen, components), shifted, innovation))
}
