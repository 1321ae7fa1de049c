//! Choice of the ODE solver for a given accuracy: the smallest number of midpoint steps that
//! reaches it.

use super::{Case, InputPredictor, Predictor, Sampling};
use crate::observer::Observer;
use crate::sample::OdeSolver;
use crate::{Error, Grid, Result};

/// The default accuracy: the standard error of the mean of 400 realizations.
pub const USUAL_ACCURACY: f64 = 0.05;

/// Numbers of midpoint steps that are tried, each about twice the one before. None divides a
/// frequency of the network's time embedding, so that every wave is sampled at many phases.
const STEPS: [usize; 6] = [11, 21, 41, 81, 161, 321];

/// Smallest number of realizations for an estimate of their standard deviation.
const LEAST: usize = 4;

/// Lower bound of the spread, as a share of the standard deviation of all values: almost
/// deterministic fields have too little spread to measure distances by.
const LEAST_SPREAD: f64 = 1e-3;

/// A chosen ODE solver and its estimated error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChosenSolver {
    /// The solver.
    pub solver: OdeSolver,
    /// Root mean square difference between its realizations and those with half as many steps, in
    /// units of their standard deviation, for the worst channel.
    pub change: f64,
    /// Number of realizations compared.
    pub realizations: usize,
}

impl Predictor {
    /// The smallest number of midpoint steps for which the realizations of this input differ from
    /// those with half as many steps by at most `accuracy`, in units of their standard deviation;
    /// if none does, the largest number tried. `None` for a method that is not a flow.
    pub fn solver_within(
        &self,
        accuracy: f64,
        (case, index): (&Case, u64),
        grid: &Grid,
        seed: u64,
        observer: &dyn Observer,
    ) -> Result<Option<ChosenSolver>> {
        if !(accuracy > 0.0 && accuracy.is_finite()) {
            return Err(Error::config(
                format!("accuracy {accuracy}"),
                "it has to be positive: the error of integration in units of the \
                         deviation of realizations, such as 0.05",
            ));
        }
        if !self.method().is_flow() {
            return Ok(None);
        }
        let predicted = self.for_input(&case.input, case.low.as_ref(), grid)?;
        let first = First {
            realizations: predicted.block_rows().max(LEAST),
            predicted,
            index,
            seed,
            observer,
        };
        let mut coarse = first.by(midpoint(STEPS[0])?)?;
        let mut chosen = None;
        for steps in &STEPS[1..] {
            let solver = midpoint(*steps)?;
            let fine = first.by(solver)?;
            let change = self.change(&coarse, &fine, first.realizations);
            coarse = fine;
            chosen = Some(ChosenSolver {
                solver,
                change,
                realizations: first.realizations,
            });
            if change <= accuracy {
                break;
            }
        }
        Ok(chosen)
    }

    /// Root mean square difference of realizations, [realization, channel, point], in units of the
    /// standard deviation of `fine`, for the worst channel.
    fn change(&self, coarse: &[f64], fine: &[f64], realizations: usize) -> f64 {
        let channels = self.header.shapes.solution_channels;
        let points = fine.len() / (realizations * channels).max(1);
        let change = |channel: usize| {
            let of_channel = |values: &[f64]| -> Vec<f64> {
                let each = values.chunks_exact(channels * points);
                let own = each.flat_map(|v| &v[channel * points..(channel + 1) * points]);
                own.copied().collect()
            };
            relative_distance(&of_channel(coarse), &of_channel(fine), points)
        };
        (0..channels).map(change).fold(0.0, f64::max)
    }
}

/// Root mean square difference of two ensembles, [realization, point], in units of the standard
/// deviation of the second about its mean field.
fn relative_distance(coarse: &[f64], fine: &[f64], points: usize) -> f64 {
    let count = fine.len() as f64;
    let realizations = count / points.max(1) as f64;
    let mean_at =
        |point: usize| fine.iter().skip(point).step_by(points).sum::<f64>() / realizations;
    let means: Vec<f64> = (0..points).map(mean_at).collect();
    let square = |x: f64| x * x;
    let pairs = coarse.iter().zip(fine);
    let distance = pairs.map(|(a, b)| square(a - b)).sum::<f64>() / count;
    let around = fine.iter().zip(means.iter().cycle());
    let variance = around.map(|(v, m)| square(v - m)).sum::<f64>() / count;
    let centre = fine.iter().sum::<f64>() / count;
    let total = fine.iter().map(|v| square(v - centre)).sum::<f64>() / count;
    let freedom = (realizations - 1.0) / realizations;
    let spread = (variance / freedom).max(square(LEAST_SPREAD) * total);
    match distance {
        0.0 => 0.0,
        distance => (distance / spread).sqrt(),
    }
}

fn midpoint(steps: usize) -> Result<OdeSolver> {
    OdeSolver::named("midpoint", Some(steps))
}

/// The first realizations of an input.
struct First<'a> {
    predicted: InputPredictor<'a>,
    realizations: usize,
    index: u64,
    seed: u64,
    observer: &'a dyn Observer,
}

impl First<'_> {
    /// The realizations, integrated by this solver: [realization, channel, point].
    fn by(&self, solver: OdeSolver) -> Result<Vec<f64>> {
        let sampling = Sampling {
            realizations: self.realizations,
            seed: self.seed,
            solver,
        };
        let quiet = StopOnly(self.observer);
        let mut all = Vec::new();
        self.predicted
            .deliver(self.index, &sampling, &quiet, |_, values| {
                all.extend_from_slice(values);
                Ok(())
            })?;
        Ok(all)
    }
}

/// Passes on the request to stop, but no progress.
struct StopOnly<'a>(&'a dyn Observer);

impl Observer for StopOnly<'_> {
    fn should_stop(&self) -> bool {
        self.0.should_stop()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::play;
    use super::*;
    use crate::Silent;
    use crate::train::Method;

    fn chosen(accuracy: f64, threads: usize) -> ChosenSolver {
        let play = play();
        let predictor = play.predictor(Method::Flora);
        let (grid, input) = (play.dataset.grid(), play.dataset.input(0).unwrap());
        let case = Case { input, low: None };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let found = pool
            .unwrap()
            .install(|| predictor.solver_within(accuracy, (&case, 0), grid, 1, &Silent));
        found.unwrap().unwrap()
    }

    fn steps(solver: OdeSolver) -> usize {
        match solver {
            OdeSolver::Fixed(fixed) => fixed.steps(),
            OdeSolver::Adaptive(_) => 0,
        }
    }

    #[test]
    fn a_tighter_accuracy_takes_more_steps_and_is_kept_on_any_threads() {
        let loose = chosen(0.2, 1);
        let tight = chosen(0.2 * loose.change.min(0.2), 2);
        assert!(steps(loose.solver) >= 21 && steps(loose.solver) < steps(tight.solver));
        assert!(loose.change <= 0.2, "{loose:?}");
        assert_eq!(chosen(0.2, 2), loose);
    }

    #[test]
    fn a_distance_is_measured_by_the_spread_around_the_mean_field() {
        // Two realizations on two points, about 0 and 10.
        let fine = [-1.0, 9.0, 1.0, 11.0];
        let coarse = fine.map(|v| v + 0.5);
        let found = relative_distance(&coarse, &fine, 2);
        assert!((found - 0.5 / 2f64.sqrt()).abs() < 1e-12, "{found}");
        assert_eq!(relative_distance(&fine, &fine, 2), 0.0);
        // Without a spread, the standard deviation of all values counts.
        let sure = [0.0, 10.0, 0.0, 10.0];
        let found = relative_distance(&sure.map(|v| v + 0.01), &sure, 2);
        assert!(
            (found - 0.01 / (LEAST_SPREAD * 5.0)).abs() < 1e-9,
            "{found}"
        );
    }

    #[test]
    fn only_flows_are_integrated_and_an_accuracy_is_positive() {
        let play = play();
        let (grid, input) = (play.dataset.grid(), play.dataset.input(0).unwrap());
        let low = Some(play.dataset.low(0).unwrap());
        let case = Case { input, low };
        let choose = |predictor: &Predictor, accuracy: f64| {
            predictor.solver_within(accuracy, (&case, 0), grid, 1, &Silent)
        };
        let regression = play.predictor(Method::ResidualFno);
        assert_eq!(choose(&regression, 0.1).unwrap(), None);
        let flow = play.predictor(Method::Floral);
        for accuracy in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(choose(&flow, accuracy).is_err());
        }
    }
}
