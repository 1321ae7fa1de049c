//! Whether equal steps resolve the waves in time that a velocity contains.
//!
//! A wave with a whole number of periods per step is sampled at a single phase and mistaken for a
//! constant. n steps of a method integrate exp(2 pi i f t) from 0 to 1 as sum_k sum_j b_j / n exp(2
//! pi i f (k + c_j) / n). The error is the distance of this sum to the exact integral, which is
//! near zero for a fast wave.

use std::f64::consts::TAU;
use std::fmt;

use super::{Fixed, OdeSolver, Tableau};

/// The largest tolerated error. Steps that resolve a wave have an error below 0.18; steps that
/// mistake it for a constant have one of 0.25 to 1.6.
const TOLERATED: f64 = 0.25;

/// How many larger numbers of steps are tried in search of one that resolves every wave.
const REACH: usize = 1000;

/// Steps that mistake a wave in time for a constant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Aliasing {
    /// The requested solver.
    pub solver: Fixed,
    /// The frequency with the largest error.
    pub frequency: f64,
    /// The next larger number of steps that resolves every wave, if one is near.
    pub instead: Option<usize>,
}

impl fmt::Display for Aliasing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (steps, name) = (self.solver.steps(), self.solver.tableau().name);
        let Self {
            frequency, instead, ..
        } = self;
        write!(
            f,
            "{steps} {name} steps do not resolve the network's time wave of frequency {frequency:.3}; "
        )?;
        match instead {
            Some(steps) => write!(f, "use {steps} steps"),
            None => f.write_str("use a solver with adaptive steps"),
        }
    }
}

impl OdeSolver {
    /// The worst of these frequencies if the solver's equal steps mistake it for a constant; none
    /// for adaptive steps.
    pub fn aliasing(&self, frequencies: &[f64]) -> Option<Aliasing> {
        let Self::Fixed(solver) = self else {
            return None;
        };
        let (tableau, steps) = (solver.tableau(), solver.steps());
        let (frequency, error) = worst(tableau, steps, frequencies)?;
        let sees = |steps: &usize| {
            worst(tableau, *steps, frequencies).is_some_and(|(_, error)| error <= TOLERATED)
        };
        (error > TOLERATED).then(|| Aliasing {
            solver: *solver,
            frequency,
            instead: (steps + 1..steps + REACH).find(sees),
        })
    }
}

/// The frequency with the largest error.
fn worst(tableau: &Tableau, steps: usize, frequencies: &[f64]) -> Option<(f64, f64)> {
    let errors = frequencies.iter().map(|&f| (f, error(tableau, steps, f)));
    errors.max_by(|a, b| a.1.total_cmp(&b.1))
}

/// Distance between the exact integral of a wave and its approximation by the steps.
fn error(tableau: &Tableau, steps: usize, frequency: f64) -> f64 {
    let turn = TAU * frequency;
    let mut sum = [0.0, 0.0];
    for step in 0..steps {
        for (node, weight) in tableau.nodes.iter().zip(tableau.weights) {
            let phase = turn * (step as f64 + node) / steps as f64;
            sum[0] += weight / steps as f64 * phase.cos();
            sum[1] += weight / steps as f64 * phase.sin();
        }
    }
    // The exact integral: (exp(i turn) - 1) / (i turn).
    let exact = [turn.sin() / turn, (1.0 - turn.cos()) / turn];
    (sum[0] - exact[0]).hypot(sum[1] - exact[1])
}

#[cfg(test)]
mod tests {
    use super::super::tableau::METHODS;
    use super::super::testing::pointwise;
    use super::*;

    /// The frequencies of the time embedding.
    const WAVES: [f64; 5] = [0.1, 0.562_341, 3.162_278, 17.782_794, 100.0];

    fn aliased(method: &str, steps: usize) -> Option<(f64, usize)> {
        let solver = OdeSolver::named(method, Some(steps)).unwrap();
        let found = solver.aliasing(&WAVES)?;
        Some((found.frequency, found.instead?))
    }

    #[test]
    fn a_wave_that_turns_wholly_in_every_step_is_taken_for_a_constant() {
        assert_eq!(aliased("midpoint", 20), Some((100.0, 21)));
        assert_eq!(aliased("midpoint", 10), Some((100.0, 11)));
        assert_eq!(aliased("heun", 6), Some((17.782_794, 7)));
        assert_eq!(aliased("rk4", 50), Some((100.0, 51)));
        for steps in [7, 8, 11, 15, 21, 40, 400] {
            for method in METHODS {
                assert_eq!(aliased(method.name, steps), None, "{} {steps}", method.name);
            }
        }
        assert_eq!(OdeSolver::default().aliasing(&WAVES), None);
    }

    /// dw/dt = cos(2 pi 100 t) from 0 gives w(1) = 0; steps that see one phase give the cosine of
    /// that phase.
    #[test]
    fn the_error_is_that_of_the_method_itself() {
        for (method, steps) in [
            ("midpoint", 20),
            ("midpoint", 21),
            ("rk4", 100),
            ("heun", 6),
        ] {
            let solver = OdeSolver::named(method, Some(steps)).unwrap();
            let mut state = [0.0f64, 0.0];
            let wave = pointwise(1, 2, |t: f64, _| (TAU * 100.0 * t).cos());
            solver.integrate(&wave, &mut state).unwrap();
            let OdeSolver::Fixed(fixed) = solver else {
                panic!("steps were given")
            };
            let error = error(fixed.tableau(), steps, 100.0);
            assert!((state[0].abs() - error).abs() < 1e-9, "{method} {steps}");
        }
    }

    #[test]
    fn the_advice_names_steps_wave_and_a_better_number() {
        let solver = OdeSolver::named("midpoint", Some(20)).unwrap();
        let words = solver.aliasing(&WAVES).unwrap().to_string();
        assert_eq!(
            words,
            "20 midpoint steps do not resolve the network's time wave of frequency 100.000; use 21 steps"
        );
        // A wave of frequency n turns wholly in each of n steps.
        let waves: Vec<f64> = (20..2000).map(f64::from).collect();
        let words = solver.aliasing(&waves).unwrap().to_string();
        assert!(words.ends_with("adaptive steps"), "{words}");
    }
}
