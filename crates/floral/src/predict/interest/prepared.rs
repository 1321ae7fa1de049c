//! Values of the quantities of interest for one input, realization by realization.

use floral_quantities::Prepared;

use super::refused;
use crate::Result;
use crate::predict::InputPredictor;

/// Quantities of interest for one input, and their values so far.
pub struct PreparedInterests {
    prepared: Vec<Prepared>,
    values: Vec<Vec<f64>>,
    epistemic: Vec<Option<f64>>,
}

impl PreparedInterests {
    pub(super) fn new(prepared: Vec<Prepared>) -> Self {
        let count = prepared.len();
        Self {
            prepared,
            values: vec![Vec::new(); count],
            epistemic: vec![None; count],
        }
    }

    /// Evaluates and stores the quantities for a realization, [channel, point].
    pub fn push(&mut self, realization: &[f64]) -> Result<()> {
        for (prepared, values) in self.prepared.iter().zip(&mut self.values) {
            values.push(prepared.of(realization).map_err(refused)?);
        }
        Ok(())
    }

    /// Coefficients and constant of each quantity that is affine in the solution; `None` for
    /// others.
    pub(crate) fn functionals(&self) -> Vec<Option<(Vec<f64>, f64)>> {
        self.prepared.iter().map(Prepared::functional).collect()
    }

    /// The value of each quantity for a field, without storing it.
    pub fn of(&self, field: &[f64]) -> Result<Vec<f64>> {
        let value = |prepared: &Prepared| prepared.of(field).map_err(refused);
        self.prepared.iter().map(value).collect()
    }

    /// Computes the epistemic variances of the quantities that are affine in the solution.
    pub fn derive(&mut self, predicted: &InputPredictor<'_>) {
        let variance = |prepared: &Prepared| {
            let (coefficients, _) = prepared.functional()?;
            predicted.epistemic_variance(&coefficients)
        };
        self.epistemic = self.prepared.iter().map(variance).collect();
    }

    /// The values of each quantity over realizations: `[quantity][realization]`.
    pub fn values(&self) -> &[Vec<f64>] {
        &self.values
    }

    /// The epistemic variance of each quantity, if known.
    pub fn epistemic(&self) -> &[Option<f64>] {
        &self.epistemic
    }
}
