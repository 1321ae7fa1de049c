//! Options that choose the integrator of flows, or its accuracy.

use std::ops::Range;

use anyhow::{Result, ensure};
use floral::dataset::Dataset;
use floral::device::Device;
use floral::evaluate::solver_within;
use floral::predict::{Cases, ChosenSolver, Predictor, USUAL_ACCURACY};
use floral::sample::OdeSolver;
use floral::train::RunFolder;
use floral_report::report::check_data;

use crate::{interrupt, output};

/// How realizations are integrated.
#[derive(clap::Args)]
pub struct Arguments {
    /// ODE solver of flows: dopri5 (the paper's) adapts its steps; euler, midpoint, heun and rk4 need
    /// --steps
    #[arg(long, value_name = "METHOD", help_heading = "Integration of flows")]
    solver: Option<String>,

    /// Number of equal steps, with midpoint unless --solver says otherwise
    #[arg(long, value_name = "N", help_heading = "Integration of flows")]
    steps: Option<usize>,

    /// Relative and absolute tolerance of dopri5 without --steps [default: 1e-5, the paper's]
    #[arg(long, value_name = "E", help_heading = "Integration of flows")]
    tolerance: Option<f64>,
}

impl Arguments {
    /// The integrator that the options describe; `None` if they leave it open.
    pub fn asked(&self) -> Result<Option<OdeSolver>> {
        let solver = self.solver.as_deref();
        Ok(OdeSolver::asked(solver, self.steps, self.tolerance)?)
    }
}

/// An integrator, or the accuracy it has to reach.
#[derive(clap::Args)]
pub struct Choice {
    #[command(flatten)]
    integrator: Arguments,

    /// Choose the number of midpoint steps so that halving it changes realizations by at most this, in
    /// units of their standard deviation; measured on the first input [default: 0.05]
    #[arg(long, value_name = "E", help_heading = "Integration of flows")]
    accuracy: Option<f64>,
}

impl Choice {
    /// The requested integrator, if there is one. Contradictory options are refused.
    pub fn asked(&self) -> Result<Option<OdeSolver>> {
        let asked = self.integrator.asked()?;
        ensure!(
            asked.is_none() || self.accuracy.is_none(),
            "--accuracy chooses the integrator; give either it, or --solver, --steps and --tolerance"
        );
        Ok(asked)
    }

    /// The requested integrator, or the one that reaches the accuracy for this input.
    pub fn of_input(
        &self,
        predictor: &Predictor,
        (cases, index): (&Cases<'_>, usize),
        seed: u64,
    ) -> Result<OdeSolver> {
        if let Some(asked) = self.asked()? {
            return Ok(asked);
        }
        let case = (&cases.case(index)?, index as u64);
        let (accuracy, stop) = (self.accuracy(), interrupt::flag()?);
        let chosen = predictor.solver_within(accuracy, case, cases.grid(), seed, stop)?;
        Ok(self.taken(chosen.map(|chosen| (chosen, index))))
    }

    /// Like `of_input`, for the first input of the dataset on which a run is scored.
    pub fn of_dataset(
        &self,
        predictor: &Predictor,
        dataset: &Dataset,
        inputs: Option<Range<usize>>,
        seed: u64,
    ) -> Result<OdeSolver> {
        if let Some(asked) = self.asked()? {
            return Ok(asked);
        }
        let wanted = (self.accuracy(), seed);
        let chosen = solver_within(predictor, dataset, inputs, wanted, interrupt::flag()?)?;
        Ok(self.taken(chosen))
    }

    fn accuracy(&self) -> f64 {
        self.accuracy.unwrap_or(USUAL_ACCURACY)
    }

    /// The integrator that was chosen for an input, with a note; the default if nothing is
    /// integrated.
    fn taken(&self, chosen: Option<(ChosenSolver, usize)>) -> OdeSolver {
        let Some((chosen, input)) = chosen else {
            return OdeSolver::default();
        };
        output::note(&described(&chosen, self.accuracy(), input));
        chosen.solver
    }

    /// Like `of_dataset`, for several runs: the integrator of the run that needs most steps.
    pub fn of_runs(
        &self,
        runs: &[RunFolder],
        dataset: &Dataset,
        inputs: Option<&Range<usize>>,
        (seed, device): (u64, &Device),
    ) -> Result<OdeSolver> {
        if let Some(asked) = self.asked()? {
            return Ok(asked);
        }
        let mut flows = Vec::new();
        for run in runs {
            let predictor = Predictor::load(run, device)?;
            // Runs of other data are refused before anything is integrated.
            check_data(run.path(), predictor.header(), dataset)?;
            flows.extend(predictor.method().is_flow().then_some(predictor));
        }
        let mut all = Vec::new();
        for flow in &flows {
            all.push(self.of_dataset(flow, dataset, inputs.cloned(), seed)?);
        }
        Ok(all.into_iter().max_by_key(steps).unwrap_or_default())
    }
}

/// The number of steps of an integrator; the largest number if it is adaptive.
fn steps(solver: &OdeSolver) -> usize {
    match solver {
        OdeSolver::Fixed(fixed) => fixed.steps(),
        OdeSolver::Adaptive(_) => usize::MAX,
    }
}

fn described(chosen: &ChosenSolver, accuracy: f64, input: usize) -> String {
    let ChosenSolver {
        solver,
        change,
        realizations,
    } = chosen;
    let reached = if *change <= accuracy {
        format!("--accuracy {accuracy}")
    } else {
        format!("not --accuracy {accuracy}: try --solver dopri5")
    };
    format!(
        "integrated by {solver}: half as many steps change {realizations} realizations of input {input} \
         by {change:.3} standard deviations ({reached})"
    )
}

/// Prints a note if equal steps alias a frequency of the network's time embedding.
pub fn note_aliasing(predictor: &Predictor, solver: &OdeSolver) {
    if let Some(aliasing) = predictor.aliasing(solver) {
        output::note(&aliasing.to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args, Command, FromArgMatches};

    fn asked(words: &str) -> Result<Option<String>> {
        let command = Choice::augment_args(Command::new("floral"));
        let words = words.split_whitespace();
        let matches = command.try_get_matches_from(["floral"].into_iter().chain(words))?;
        let asked = Choice::from_arg_matches(&matches)?.asked()?;
        Ok(asked.map(|solver| solver.to_string()))
    }

    #[test]
    fn options_leave_the_integrator_open_or_name_one() {
        assert_eq!(asked("").unwrap(), None);
        assert_eq!(asked("--accuracy 0.01").unwrap(), None);
        let named = |words: &str| asked(words).unwrap().unwrap();
        assert_eq!(named("--steps 11"), "midpoint, 11 steps");
        assert_eq!(named("--solver dopri5"), "dopri5, rtol 1e-5, atol 1e-5");
        assert_eq!(named("--tolerance 1e-3"), "dopri5, rtol 1e-3, atol 1e-3");
        assert_eq!(named("--solver rk4 --steps 3"), "rk4, 3 steps");
        for words in [
            "--solver rk4",
            "--steps 4 --tolerance 1e-3",
            "--accuracy 0.1 --steps 4",
            "--accuracy 0.1 --solver dopri5",
        ] {
            assert!(asked(words).is_err(), "{words}");
        }
    }
}
