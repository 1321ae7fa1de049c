//! Advection: a wave with an uncertain initial state carried along at constant speed.

use serde::{Deserialize, Serialize};

use super::sine_waves::{Perturbation, SineWaves, SpectralFilter};
use super::space_time::{Equation, SpaceTimeProblem, Steps, Waves};
use super::{Resolution, positive};
use crate::{Error, Result};

/// Constants of u_t + speed u_x = 0 on the periodic unit interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AdvectionConfig {
    /// Time steps and points: one number for both, or `steps x points`.
    pub resolution: Resolution,
    /// Transport velocity; its sign is the direction.
    pub speed: f64,
    /// Simulated time.
    pub end_time: f64,
    /// Distribution of the input.
    pub waves: SineWaves,
    /// The latent perturbation of the initial state.
    pub uncertainty: Perturbation,
    /// The filter through which the low-fidelity solver sees the input.
    pub filter: SpectralFilter,
}

impl Default for AdvectionConfig {
    fn default() -> Self {
        Self {
            resolution: Resolution::Uniform(128),
            speed: 0.05,
            end_time: 1.0,
            waves: SineWaves::default(),
            uncertainty: Perturbation::default(),
            filter: SpectralFilter::default(),
        }
    }
}

/// The problem with checked constants.
pub type Advection = SpaceTimeProblem<Upwind>;

impl Advection {
    /// Checks the constants.
    pub fn new(config: AdvectionConfig) -> Result<Self> {
        let steps = Steps::new(Upwind::NAME, &config.resolution, config.end_time)?;
        let equation = Upwind::new(config.speed, &steps)?;
        let waves = Waves {
            input: config.waves.clone(),
            uncertainty: config.uncertainty.clone(),
            filter: config.filter.clone(),
        };
        Self::assemble(equation, &steps, waves, &config)
    }
}

/// First-order upwind differences with forward Euler.
pub struct Upwind {
    /// speed dt / dx.
    courant: f64,
}

impl Upwind {
    /// Refuses a time step in which the wave crosses more than one cell.
    fn new(speed: f64, steps: &Steps) -> Result<Self> {
        positive(Self::NAME, "the magnitude of speed", speed.abs())?;
        let courant = speed * steps.dt() / steps.dx();
        if courant.abs() > 1.0 {
            return Err(Error::unsolvable(
                Self::NAME,
                format!(
                    "unstable: the wave crosses {:.2} cells per step (CFL limit 1); take at least \
                     {} steps",
                    courant.abs(),
                    (courant.abs() * steps.count as f64).ceil()
                ),
            ));
        }
        Ok(Self { courant })
    }

    /// u_i - c (u_i - u_{i-1}) for a wave moving right; the mirror image for one moving left.
    #[inline(always)]
    fn step(&self, before: &[f64], after: &mut [f64]) {
        let n = before.len();
        let courant = self.courant.abs();
        let stepped = |here: f64, upwind: f64| here - courant * (here - upwind);
        if self.courant >= 0.0 {
            after[0] = stepped(before[0], before[n - 1]);
            let neighbours = before[1..].iter().zip(&before[..n - 1]);
            for (new, (here, left)) in after[1..].iter_mut().zip(neighbours) {
                *new = stepped(*here, *left);
            }
        } else {
            let neighbours = before[..n - 1].iter().zip(&before[1..]);
            for (new, (here, right)) in after[..n - 1].iter_mut().zip(neighbours) {
                *new = stepped(*here, *right);
            }
            after[n - 1] = stepped(before[n - 1], before[0]);
        }
    }
}

impl Equation for Upwind {
    const NAME: &'static str = "advection";
    const LINEAR: bool = true;
    const SYMMETRIES: &'static [&'static str] = &["roll:x", "sign"];

    #[inline(always)]
    fn every_step(&self, initial: &[f64], out: &mut [f64]) {
        let (first, rest) = out.split_at_mut(initial.len());
        self.step(initial, first);
        let mut before = &*first;
        for after in rest.chunks_exact_mut(initial.len()) {
            self.step(before, after);
            before = after;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use super::*;
    use crate::Problem;
    use crate::random::{Purpose, stream};
    use crate::testing::{assert_moments_agree, observed_order, relative_error};

    fn problem(resolution: usize) -> Advection {
        with(resolution, 0.05)
    }

    fn with(resolution: usize, speed: f64) -> Advection {
        Advection::new(AdvectionConfig {
            resolution: Resolution::Uniform(resolution),
            speed,
            ..Default::default()
        })
        .unwrap()
    }

    fn wave(n: usize, shift: f64) -> Vec<f64> {
        (0..n)
            .map(|i| (TAU * (i as f64 / n as f64 - shift)).sin())
            .collect()
    }

    #[test]
    fn upwind_converges_at_order_one() {
        let error = |n: usize| {
            let problem = problem(n);
            let solution = problem.solve(&wave(n, 0.0)).unwrap();
            relative_error(&solution[n * (n - 1)..], &wave(n, 0.05))
        };
        let order = observed_order(error(512), error(1024));
        assert!((order - 1.0).abs() < 0.05, "order {order}");
    }

    #[test]
    fn upwind_conserves_mass_and_keeps_its_maximum() {
        let problem = problem(128);
        let input = problem
            .draw_input(&mut stream(1, Purpose::Input, 0, 0))
            .unwrap();
        let initial = &input.values()[..128];
        let highest = initial.iter().fold(f64::MIN, |a, &b| a.max(b));
        let lowest = initial.iter().fold(f64::MAX, |a, &b| a.min(b));
        for row in problem.solve(initial).unwrap().chunks(128) {
            let drift = row.iter().sum::<f64>() - initial.iter().sum::<f64>();
            assert!(drift.abs() < 1e-11);
            assert!(
                row.iter()
                    .all(|&u| u <= highest + 1e-14 && u >= lowest - 1e-14)
            );
        }
    }

    #[test]
    fn a_wave_to_the_left_mirrors_one_to_the_right() {
        let right = problem(64);
        let left = with(64, -0.05);
        let state = wave(64, 0.2);
        let mirrored: Vec<f64> = state.iter().rev().copied().collect();
        let expected = right.solve(&state).unwrap();
        for (a, b) in left
            .solve(&mirrored)
            .unwrap()
            .chunks(64)
            .zip(expected.chunks(64))
        {
            assert!(a.iter().zip(b.iter().rev()).all(|(x, y)| x == y));
        }
    }

    #[test]
    fn a_courant_number_of_one_shifts_exactly() {
        let problem = with(32, 1.0);
        let state = wave(32, 0.0);
        let solution = problem.solve(&state).unwrap();
        assert!((solution[5] - state[4]).abs() < 1e-15);
    }

    #[test]
    fn exact_moments_agree_with_twenty_thousand_realizations() {
        assert_moments_agree(&problem(32), 20_000);
    }

    #[test]
    fn more_modes_or_terms_than_can_be_are_refused_before_they_take_memory() {
        for (wrong, reason) in [
            ("[uncertainty]\nmodes = 2147483647", "choose at most"),
            ("[waves]\nterms = 1152921504606846976", "at most 10000"),
        ] {
            let config: AdvectionConfig = toml::from_str(wrong).unwrap();
            let words = Advection::new(config).err().unwrap().to_string();
            assert!(words.contains(reason), "{words}");
        }
    }

    #[test]
    fn an_unstable_step_is_refused_with_the_remedy() {
        let refused = Advection::new(AdvectionConfig {
            resolution: Resolution::PerAxis(vec![4, 128]),
            ..Default::default()
        });
        let message = refused.err().unwrap().to_string();
        assert!(message.contains("at least 7 steps"), "{message}");
    }
}
