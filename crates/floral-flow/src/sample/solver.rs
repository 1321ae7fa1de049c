//! The choice of an integrator in a configuration or a command.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::tableau::DORMAND_PRINCE;
use super::{Adaptive, Cost, Fixed, Scalar, Tableau, Velocity};
use crate::{Error, Result};

/// An integrator of velocities from time 0 to 1.
///
/// In a configuration: `method = "dopri5"`, with `rtol` and `atol` (1e-5 if absent) and
/// `max_evaluations`, or any method with `steps = 20`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked", into = "Unchecked")]
pub enum OdeSolver {
    /// Adaptive steps, as long as a tolerance allows.
    Adaptive(Adaptive),
    /// A given number of equal steps.
    Fixed(Fixed),
}

impl Default for OdeSolver {
    /// The paper's: Dormand-Prince with tolerances 1e-5.
    fn default() -> Self {
        Self::Adaptive(Adaptive::default())
    }
}

impl OdeSolver {
    /// The method of this name; adaptive if no number of steps is given.
    pub fn named(method: &str, steps: Option<usize>) -> Result<Self> {
        let tableau = Tableau::named(method)?;
        match steps {
            Some(steps) => Ok(Self::Fixed(Fixed::new(tableau, steps)?)),
            None if tableau == &DORMAND_PRINCE => Ok(Self::default()),
            None => Err(Error::config(
                format!("method {method}"),
                "it needs a number of steps; only dopri5 chooses them itself",
            )),
        }
    }

    /// The integrator that a user requests; none if nothing is given. Without a method, a number of
    /// steps implies the midpoint rule and a tolerance implies dopri5.
    pub fn asked(
        method: Option<&str>,
        steps: Option<usize>,
        tolerance: Option<f64>,
    ) -> Result<Option<Self>> {
        let method = match (method, steps, tolerance) {
            (Some(method), _, _) => method,
            (None, Some(_), _) => "midpoint",
            (None, None, Some(_)) => "dopri5",
            (None, None, None) => return Ok(None),
        };
        let solver = Self::named(method, steps)?;
        match (solver, tolerance) {
            (solver, None) => Ok(Some(solver)),
            (Self::Adaptive(_), Some(tolerance)) => {
                Ok(Some(Self::Adaptive(Adaptive::new(tolerance, tolerance)?)))
            }
            (Self::Fixed(_), Some(_)) => Err(Error::config(
                format!("tolerance of {solver}"),
                "only dopri5 without steps has one; leave out the tolerance or the steps",
            )),
        }
    }

    /// Integrates every row of `states`, [row, value], from time 0 to 1.
    pub fn integrate<T: Scalar>(
        &self,
        velocity: &(impl Velocity<T> + ?Sized),
        states: &mut [T],
    ) -> Result<Cost> {
        match self {
            Self::Adaptive(solver) => solver.integrate(velocity, states),
            Self::Fixed(solver) => solver.integrate(velocity, states),
        }
    }
}

impl fmt::Display for OdeSolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Adaptive(solver) => {
                let (rtol, atol) = (solver.rtol(), solver.atol());
                write!(f, "dopri5, rtol {rtol:e}, atol {atol:e}")
            }
            Self::Fixed(solver) => {
                write!(f, "{}, {} steps", solver.tableau().name, solver.steps())
            }
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Unchecked {
    method: String,
    steps: Option<usize>,
    rtol: Option<f64>,
    atol: Option<f64>,
    max_evaluations: Option<usize>,
}

impl TryFrom<Unchecked> for OdeSolver {
    type Error = Error;

    fn try_from(read: Unchecked) -> Result<Self> {
        let solver = Self::named(&read.method, read.steps)?;
        let Self::Adaptive(default) = solver else {
            return match (read.rtol, read.atol, read.max_evaluations) {
                (None, None, None) => Ok(solver),
                _ => Err(Error::config(
                    format!("method {}", read.method),
                    "with steps given, it has no tolerances and no max_evaluations",
                )),
            };
        };
        let rtol = read.rtol.unwrap_or(default.rtol());
        let atol = read.atol.unwrap_or(default.atol());
        let limit = read.max_evaluations.unwrap_or(default.max_evaluations());
        Ok(Self::Adaptive(
            Adaptive::new(rtol, atol)?.with_max_evaluations(limit),
        ))
    }
}

impl From<OdeSolver> for Unchecked {
    fn from(solver: OdeSolver) -> Self {
        match solver {
            OdeSolver::Adaptive(solver) => Self {
                method: DORMAND_PRINCE.name.to_owned(),
                steps: None,
                rtol: Some(solver.rtol()),
                atol: Some(solver.atol()),
                max_evaluations: Some(solver.max_evaluations()),
            },
            OdeSolver::Fixed(solver) => Self {
                method: solver.tableau().name.to_owned(),
                steps: Some(solver.steps()),
                rtol: None,
                atol: None,
                max_evaluations: None,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use rand_distr::{Distribution, StandardNormal};

    use super::super::tableau::METHODS;
    use super::super::testing::pointwise;
    use super::*;
    use crate::random::{Purpose, stream};

    #[test]
    fn a_configuration_survives_being_written_and_read() {
        for text in [
            "method = \"dopri5\"",
            "method = \"dopri5\"\nrtol = 1e-3",
            "method = \"dopri5\"\nsteps = 4",
            "method = \"rk4\"\nsteps = 20",
        ] {
            let solver: OdeSolver = toml::from_str(text).unwrap();
            let written = toml::to_string(&solver).unwrap();
            assert_eq!(toml::from_str::<OdeSolver>(&written).unwrap(), solver);
        }
        let solver: OdeSolver = toml::from_str("method = \"heun\"\nsteps = 3").unwrap();
        assert_eq!(solver.to_string(), "heun, 3 steps");
        assert_eq!(
            OdeSolver::default().to_string(),
            "dopri5, rtol 1e-5, atol 1e-5"
        );
    }

    #[test]
    fn contradictory_configurations_are_refused() {
        for text in [
            "method = \"rk4\"",
            "method = \"rk4\"\nsteps = 0",
            "method = \"rk4\"\nsteps = 5\nrtol = 1e-5",
            "method = \"dopri5\"\nrtol = -1.0",
            "method = \"rk45\"\nsteps = 5",
            "method = \"dopri5\"\nstep = 5",
        ] {
            assert!(toml::from_str::<OdeSolver>(text).is_err(), "{text}");
        }
    }

    const MEAN: f64 = 1.5;
    const DEVIATION: f64 = 0.3;

    /// The marginal velocity of the path (1 - t) w0 + t w1 between independent w0 ~ N(0, 1) and
    /// w1 ~ N(m, s^2): m + (t s^2 - (1 - t)) / ((1 - t)^2 + t^2 s^2) (w - t m).
    /// Its flow takes w0 to m + s w0.
    fn gaussian_velocity(t: f64, w: f64) -> f64 {
        let rest = 1.0 - t;
        let square = DEVIATION * DEVIATION;
        let slope = (t * square - rest) / (rest * rest + t * t * square);
        MEAN + slope * (w - t * MEAN)
    }

    #[test]
    fn the_flow_between_gaussians_is_affine_and_gives_mean_and_variance() {
        let count = 4000;
        let mut rng = stream(1, Purpose::Prior, 0, 0);
        let starts: Vec<f64> = StandardNormal.sample_iter(&mut rng).take(count).collect();
        let mut ends = starts.clone();
        let velocity = pointwise(count / 4, 4, gaussian_velocity);
        let solver = OdeSolver::Adaptive(Adaptive::new(1e-8, 1e-8).unwrap());
        solver.integrate(&velocity, &mut ends).unwrap();
        for (start, end) in starts.iter().zip(&ends) {
            assert!((end - (MEAN + DEVIATION * start)).abs() < 1e-6);
        }
        let mean = ends.iter().sum::<f64>() / count as f64;
        let square: f64 = ends.iter().map(|w| (w - mean).powi(2)).sum();
        let variance = square / (count - 1) as f64;
        // Four standard errors of each estimate.
        let root = (count as f64).sqrt();
        assert!((mean - MEAN).abs() < 4.0 * DEVIATION / root);
        let expected = DEVIATION * DEVIATION;
        assert!((variance - expected).abs() < 4.0 * expected * 2f64.sqrt() / root);
    }

    /// With w1 = m + s w0 the paths are straight, and every method follows them exactly.
    #[test]
    fn straight_paths_are_followed_exactly_in_one_step() {
        let straight = |t: f64, w: f64| {
            let start = (w - t * MEAN) / (1.0 - t + t * DEVIATION);
            MEAN + (DEVIATION - 1.0) * start
        };
        for method in METHODS {
            let solver = OdeSolver::named(method.name, Some(1)).unwrap();
            let mut states = vec![-2.0, 0.0, 0.7];
            let velocity = pointwise(3, 1, straight);
            solver.integrate(&velocity, &mut states).unwrap();
            for (end, start) in states.iter().zip([-2.0, 0.0, 0.7]) {
                assert!((end - (MEAN + DEVIATION * start)).abs() < 1e-14);
            }
        }
    }
}
