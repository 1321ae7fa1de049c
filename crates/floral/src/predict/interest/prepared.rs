//! Quantities of interest of one input: their values, realization by realization.

use floral_quantities::Prepared;

use super::refused;
use crate::Result;
use crate::predict::InputPredictor;

/// Quantities of interest of one input, and their values so far.
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

    /// Adds a realization: [channel, point].
    pub fn push(&mut self, realization: &[f64]) -> Result<()> {
        for (prepared, values) in self.prepared.iter().zip(&mut self.values) {
            values.push(prepared.of(realization).map_err(refused)?);
        }
        Ok(())
    }

    /// The coefficients and the constant of each quantity that is affine in the solution.
    pub(crate) fn functionals(&self) -> Vec<Option<(Vec<f64>, f64)>> {
        self.prepared.iter().map(Prepared::functional).collect()
    }

    /// The value of each quantity on one field, which is not added.
    pub fn of(&self, field: &[f64]) -> Result<Vec<f64>> {
        let value = |prepared: &Prepared| prepared.of(field).map_err(refused);
        self.prepared.iter().map(value).collect()
    }

    /// Asks a prediction for the epistemic variances of the quantities that are affine in the solution.
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

    /// The epistemic variance of each quantity, where it is known.
    pub fn epistemic(&self) -> &[Option<f64>] {
        &self.epistemic
    }
}
