//! Burgers: an uncertain wave that steepens under its own velocity against a little viscosity.

use std::f64::consts::PI;

use floral_fourier::Complex;
use serde::{Deserialize, Serialize};

use super::sine_waves::{Perturbation, SineWaves, SpectralFilter};
use super::space_time::{Equation, SpaceTimeProblem, Steps, Waves};
use super::{Resolution, positive};
use crate::{Error, Result};

/// Ghost values on each side of the periodic state: the width of the upwind stencil.
const HALO: usize = 2;

/// Constants of u_t + u u_x = viscosity u_xx on the periodic unit interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BurgersConfig {
    /// Time steps and points: one number for both, or `steps x points`.
    pub resolution: Resolution,
    /// Viscosity.
    pub viscosity: f64,
    /// Simulated time.
    pub end_time: f64,
    /// Distribution of the input.
    pub waves: SineWaves,
    /// The latent perturbation of the initial state.
    pub uncertainty: Perturbation,
    /// The filter through which the low-fidelity solver sees the input.
    pub filter: SpectralFilter,
}

impl Default for BurgersConfig {
    fn default() -> Self {
        Self {
            resolution: Resolution::Uniform(128),
            viscosity: 0.01,
            end_time: 0.2,
            waves: SineWaves::default(),
            uncertainty: Perturbation::default(),
            filter: SpectralFilter {
                keep: 0.6,
                ..Default::default()
            },
        }
    }
}

/// The problem with checked constants.
pub type Burgers = SpaceTimeProblem<ViscousWave>;

impl Burgers {
    /// Checks the constants.
    pub fn new(config: BurgersConfig) -> Result<Self> {
        let steps = Steps::new(ViscousWave::NAME, &config.resolution, config.end_time)?;
        let equation = ViscousWave::new(config.viscosity, &steps)?;
        let waves = Waves {
            input: config.waves.clone(),
            uncertainty: config.uncertainty.clone(),
            filter: config.filter.clone(),
        };
        Self::assemble(equation, &steps, waves, &config)
    }
}

/// Upper bound for a recommended number of steps.
const MOST_STEPS: usize = 1 << 32;

/// Second-order upwind differences by the sign of u, central diffusion, SSP-RK3.
pub struct ViscousWave {
    /// -dt / (2 dx).
    advection: f64,
    /// viscosity dt / dx^2.
    diffusion: f64,
}

impl ViscousWave {
    /// Refuses a time step that is unstable for a wave of height one, the largest of a single sine.
    ///
    /// Higher waves are rare and short-lived; instead, every solution is checked.
    fn new(viscosity: f64, steps: &Steps) -> Result<Self> {
        positive(Self::NAME, "viscosity", viscosity)?;
        let with_steps = |count: usize| {
            let dt = steps.end_time / count as f64;
            Self {
                advection: -0.5 * dt / steps.dx(),
                diffusion: viscosity * dt / steps.dx().powi(2),
            }
        };
        let scheme = with_steps(steps.count);
        if scheme.is_stable() {
            return Ok(scheme);
        }
        let mut enough = steps.count;
        while !with_steps(enough).is_stable() {
            enough += enough.div_ceil(20);
            if enough > MOST_STEPS {
                return Err(Error::unsolvable(
                    Self::NAME,
                    format!(
                        "viscosity {viscosity:e} needs more than {MOST_STEPS} steps; choose a \
                         smaller one"
                    ),
                ));
            }
        }
        Err(Error::unsolvable(
            Self::NAME,
            format!(
                "unstable: {} steps on {} points amplify the shortest waves; take about {enough} \
                 steps",
                steps.count, steps.points
            ),
        ))
    }

    /// Von Neumann: no Fourier mode on a wave of height one grows in an SSP-RK3 step.
    fn is_stable(&self) -> bool {
        (0..=64).all(|j| {
            let theta = PI * f64::from(j) / 64.0;
            let back = |m: f64| Complex::from_polar(1.0, -m * theta);
            let z = self.advection * (3.0 - 4.0 * back(1.0) + back(2.0))
                - 4.0 * self.diffusion * (0.5 * theta).sin().powi(2);
            let growth = 1.0 + z * (1.0 + z / 2.0 * (1.0 + z / 3.0));
            growth.norm() <= 1.0 + 1e-9
        })
    }

    /// Sets `after` inside the halo to combine(i, from + dt L(from)).
    #[inline(always)]
    fn euler(&self, from: &mut [f64], after: &mut [f64], combine: impl Fn(usize, f64) -> f64) {
        let n = from.len() - 2 * HALO;
        from.copy_within(n..n + HALO, 0);
        from.copy_within(HALO..2 * HALO, n + HALO);
        let shifted = |by: usize| &from[by..by + n];
        let [left2, left, here, right, right2] = [0, 1, 2, 3, 4].map(shifted);
        let after = &mut after[HALO..HALO + n];
        for i in 0..n {
            let u = here[i];
            let behind = 3.0 * u - 4.0 * left[i] + left2[i];
            let ahead = -3.0 * u + 4.0 * right[i] - right2[i];
            let slope = if u > 0.0 { behind } else { ahead };
            let curvature = left[i] - 2.0 * u + right[i];
            let stepped = u + self.advection * u * slope + self.diffusion * curvature;
            after[i] = combine(i, stepped);
        }
    }
}

impl Equation for ViscousWave {
    const NAME: &'static str = "burgers";
    const LINEAR: bool = false;
    const SYMMETRIES: &'static [&'static str] = &["roll:x", "reflect:x:-"];

    #[inline(always)]
    fn every_step(&self, initial: &[f64], out: &mut [f64]) {
        let n = initial.len();
        let mut state = vec![0.0; n + 2 * HALO];
        let [mut stage, mut next] = [state.clone(), state.clone()];
        state[HALO..HALO + n].copy_from_slice(initial);
        for row in out.chunks_exact_mut(n) {
            // Shu & Osher (1988): convex combinations of three Euler steps.
            self.euler(&mut state, &mut stage, |_, u| u);
            let old = &state[HALO..HALO + n];
            self.euler(&mut stage, &mut next, |i, u| 0.75 * old[i] + 0.25 * u);
            self.euler(&mut next, &mut stage, |i, u| (old[i] + 2.0 * u) / 3.0);
            std::mem::swap(&mut state, &mut stage);
            row.copy_from_slice(&state[HALO..HALO + n]);
        }
    }

    /// The equation has a maximum principle; the scheme overshoots by a few percent at shocks.
    fn check(&self, initial: &[f64], out: &[f64]) -> Result<()> {
        let largest = |row: &[f64]| row.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        let (first, last) = (largest(initial), largest(&out[out.len() - initial.len()..]));
        let finite = out[out.len() - initial.len()..]
            .iter()
            .all(|u| u.is_finite());
        if finite && last <= 1.5 * first {
            return Ok(());
        }
        Err(Error::numerical(
            format!("burgers: a wave of height {first:.3} grew to {last:.3e}, which is unstable"),
            "take more time steps: more points along t",
        ))
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use super::*;
    use crate::testing::{observed_order, relative_error};

    fn problem(steps: usize, points: usize, viscosity: f64) -> Burgers {
        Burgers::new(BurgersConfig {
            resolution: Resolution::PerAxis(vec![steps, points]),
            viscosity,
            ..Default::default()
        })
        .unwrap()
    }

    #[test]
    fn a_viscosity_that_no_number_of_steps_bears_is_refused() {
        for viscosity in [1e30, 1e300, f64::MAX] {
            let config = BurgersConfig {
                viscosity,
                ..Default::default()
            };
            let words = Burgers::new(config).err().unwrap().to_string();
            assert!(words.contains("choose a smaller one"), "{words}");
        }
    }

    /// Cole (1951), Hopf (1950): u = -2 viscosity (log theta)_x with theta a solution of the heat
    /// equation; here theta = 2 + exp(-k^2 viscosity t) cos(k x), k = 2 pi.
    fn cole_hopf(viscosity: f64, time: f64, n: usize) -> Vec<f64> {
        let decay = (-TAU * TAU * viscosity * time).exp();
        let speed = |x: f64| {
            let theta = 2.0 + decay * (TAU * x).cos();
            2.0 * viscosity * TAU * decay * (TAU * x).sin() / theta
        };
        (0..n).map(|i| speed(i as f64 / n as f64)).collect()
    }

    #[test]
    fn space_converges_at_order_two_on_the_cole_hopf_solution() {
        let error = |n: usize| {
            let solution = problem(n * n / 4, n, 0.05)
                .solve(&cole_hopf(0.05, 0.0, n))
                .unwrap();
            relative_error(&solution[solution.len() - n..], &cole_hopf(0.05, 0.2, n))
        };
        let order = observed_order(error(64), error(128));
        assert!((order - 2.0).abs() < 0.15, "order {order}");
    }

    #[test]
    fn time_converges_at_order_three() {
        let initial = cole_hopf(0.01, 0.0, 32);
        let at_end = |steps: usize| {
            let solution = problem(steps, 32, 0.01).solve(&initial).unwrap();
            solution[solution.len() - 32..].to_vec()
        };
        let reference = at_end(2048);
        let error = |steps| relative_error(&at_end(steps), &reference);
        let order = observed_order(error(16), error(32));
        assert!((order - 3.0).abs() < 0.2, "order {order}");
    }

    #[test]
    fn a_wave_never_exceeds_its_first_height_by_much_and_loses_energy() {
        let n = 128;
        let initial: Vec<f64> = (0..n).map(|i| (TAU * i as f64 / n as f64).sin()).collect();
        let solution = problem(n, n, 0.01).solve(&initial).unwrap();
        let energy = |row: &[f64]| row.iter().map(|u| u * u).sum::<f64>();
        let mut before = energy(&initial);
        for row in solution.chunks(n) {
            assert!(row.iter().all(|u| u.abs() < 1.02));
            assert!(energy(row) < before);
            before = energy(row);
        }
    }

    #[test]
    fn a_wave_and_its_point_reflection_stay_reflections() {
        let n = 64;
        let initial: Vec<f64> = (0..n)
            .map(|i| (TAU * i as f64 / n as f64 + 0.4).sin())
            .collect();
        let reflected: Vec<f64> = initial.iter().rev().map(|u| -u).collect();
        let problem = problem(64, n, 0.01);
        let [a, b] = [&initial, &reflected].map(|state| problem.solve(state).unwrap());
        for (a, b) in a.chunks(n).zip(b.chunks(n)) {
            assert!(
                a.iter()
                    .zip(b.iter().rev())
                    .all(|(x, y)| (x + y).abs() < 1e-14)
            );
        }
    }

    #[test]
    fn an_unstable_step_is_refused_with_the_remedy() {
        let refused = Burgers::new(BurgersConfig {
            resolution: Resolution::PerAxis(vec![16, 128]),
            ..Default::default()
        });
        let message = refused.err().unwrap().to_string();
        assert!(message.contains("take about"), "{message}");
    }

    #[test]
    fn a_wave_too_fast_for_its_step_is_an_error_not_a_field() {
        let initial: Vec<f64> = (0..128)
            .map(|i| 30.0 * (TAU * f64::from(i) / 128.0).sin())
            .collect();
        assert!(problem(128, 128, 0.01).solve(&initial).is_err());
    }
}
