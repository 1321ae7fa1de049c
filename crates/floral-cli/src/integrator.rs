//! The flags that choose an integrator.

use anyhow::{Result, ensure};
use floral::predict::Predictor;
use floral::sample::{Adaptive, OdeSolver};

use crate::output;

/// How realizations are integrated.
#[derive(clap::Args)]
pub struct Arguments {
    /// Integrator: dopri5 chooses its own steps; euler, midpoint, heun and rk4 need --steps
    #[arg(long, value_name = "METHOD", default_value = "dopri5")]
    solver: String,

    /// Number of equal steps
    #[arg(long, value_name = "N")]
    steps: Option<usize>,

    /// Relative and absolute tolerance of dopri5 without --steps [default: 1e-5]
    #[arg(long, value_name = "E")]
    tolerance: Option<f64>,
}

impl Arguments {
    /// The integrator they describe.
    pub fn resolved(&self) -> Result<OdeSolver> {
        let solver = OdeSolver::named(&self.solver, self.steps)?;
        let Some(tolerance) = self.tolerance else {
            return Ok(solver);
        };
        ensure!(
            matches!(solver, OdeSolver::Adaptive(_)),
            "--tolerance is for dopri5 without --steps; leave one of them out"
        );
        Ok(OdeSolver::Adaptive(Adaptive::new(tolerance, tolerance)?))
    }
}

/// Says so where equal steps took a wave of the network's time for a constant.
pub fn tell_of_aliasing(predictor: &Predictor, solver: &OdeSolver) {
    if let Some(aliasing) = predictor.aliasing(solver) {
        output::tell(&format!("note: {aliasing}"));
    }
}
