//! Problems in space and time: a random wave on the periodic unit interval, marched forward in
//! time.
//!
//! Advection and Burgers differ only in their equation; they share the code that draws, filters and
//! stores.

use pulp::{Arch, Simd, WithSimd};

use super::sine_waves::{Perturbation, SineWaves, SpectralFilter};
use super::{
    ExactMoments, Problem, Resolution, expect_room, expect_shape, positive, scalars, to_table,
};
use crate::random::Stream;
use crate::{Axis, Field, Grid, Quantities, Result};

/// A march of `count` equal steps in time on `points` periodic points.
#[derive(Debug, Clone, PartialEq)]
pub struct Steps {
    /// Number of time steps; all are stored.
    pub count: usize,
    /// Number of points.
    pub points: usize,
    /// Simulated time.
    pub end_time: f64,
}

impl Steps {
    /// Reads `steps x points` from a resolution.
    pub fn new(problem: &'static str, resolution: &Resolution, end_time: f64) -> Result<Self> {
        positive(problem, "end_time", end_time)?;
        let [count, points] = resolution.axes(problem, 4)?;
        Ok(Self {
            count,
            points,
            end_time,
        })
    }

    /// The time step.
    pub fn dt(&self) -> f64 {
        self.end_time / self.count as f64
    }

    /// The distance between points.
    pub fn dx(&self) -> f64 {
        1.0 / self.points as f64
    }

    /// The grid (t, x) of the stored solution; the initial state is not part of it.
    pub fn grid(&self) -> Grid {
        Grid::new(vec![
            Axis::times("t", self.count, self.end_time),
            Axis::periodic("x", self.points),
        ])
    }
}

/// A scheme that marches an initial state forward in time.
pub trait Equation: Send + Sync {
    /// The name by which users ask for the problem.
    const NAME: &'static str;

    /// Whether solutions may be superposed; mean and variance are then exact.
    const LINEAR: bool;

    /// Motions that take solutions to solutions. Perturbation and filter have all symmetries of the
    /// ring and of the sign, so only the scheme restricts them.
    const SYMMETRIES: &'static [&'static str];

    /// Solves from `initial` (\[x\]) and writes every step to `out` (\[t, x\]); should be inlined,
    /// so that it is compiled for each kind of processor.
    fn every_step(&self, initial: &[f64], out: &mut [f64]);

    /// Refuses an invalid solution.
    fn check(&self, _initial: &[f64], _out: &[f64]) -> Result<()> {
        Ok(())
    }
}

/// A march, compiled for each kind of processor; the version is chosen at run time.
struct March<'a, E> {
    equation: &'a E,
    initial: &'a [f64],
    out: &'a mut [f64],
}

impl<E: Equation> WithSimd for March<'_, E> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        self.equation.every_step(self.initial, self.out);
    }
}

/// Distributions of input and perturbation, and the filter.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Waves {
    pub input: SineWaves,
    pub uncertainty: Perturbation,
    pub filter: SpectralFilter,
}

/// A random wave whose initial state is uncertain, and its filtered copy as low fidelity.
pub struct SpaceTimeProblem<E> {
    equation: E,
    waves: Waves,
    grid: Grid,
    basis: Vec<Vec<f64>>,
    constants: toml::Table,
}

impl<E: Equation> SpaceTimeProblem<E> {
    pub(super) fn assemble(
        equation: E,
        steps: &Steps,
        waves: Waves,
        config: &impl serde::Serialize,
    ) -> Result<Self> {
        waves.input.check(E::NAME, steps.points)?;
        waves.uncertainty.check(E::NAME, steps.points)?;
        waves.filter.check(E::NAME)?;
        Ok(Self {
            basis: waves.uncertainty.basis(steps.points),
            grid: steps.grid(),
            constants: to_table(config),
            equation,
            waves,
        })
    }

    /// The solution from `initial` (\[x\]) at every stored time: \[t, x\].
    pub fn solve(&self, initial: &[f64]) -> Result<Vec<f64>> {
        let mut out = vec![0.0; self.grid.len()];
        self.march(initial, &mut out)?;
        Ok(out)
    }

    fn march(&self, initial: &[f64], out: &mut [f64]) -> Result<()> {
        let equation = &self.equation;
        Arch::new().dispatch(March {
            equation,
            initial,
            out: &mut *out,
        });
        equation.check(initial, out)
    }

    /// The initial state, which an input field repeats along time.
    fn initial_state<'a>(&self, input: &'a Field) -> Result<&'a [f64]> {
        expect_shape(input, &self.grid)?;
        Ok(&input.values()[..self.grid.axes[1].len()])
    }
}

impl<E: Equation> Problem for SpaceTimeProblem<E> {
    fn name(&self) -> &'static str {
        E::NAME
    }

    fn grid(&self) -> &Grid {
        &self.grid
    }

    fn constants(&self) -> toml::Table {
        self.constants.clone()
    }

    fn symmetries(&self) -> &'static [&'static str] {
        E::SYMMETRIES
    }

    fn quantities(&self) -> Quantities {
        scalars(("a", "initial state a"), ("u", "solution u"))
    }

    /// The initial state a(x), repeated at every time.
    fn draw_input(&self, rng: &mut Stream) -> Result<Field> {
        let [times, points] = [0, 1].map(|axis| self.grid.axes[axis].len());
        let initial = self.waves.input.draw(points, rng);
        Ok(Field::scalar(&self.grid, initial.repeat(times)))
    }

    fn low_fidelity(&self, input: &Field) -> Result<Field> {
        let filtered = self.waves.filter.apply(self.initial_state(input)?);
        Ok(Field::scalar(&self.grid, self.solve(&filtered)?))
    }

    fn high_fidelity(
        &self,
        input: &Field,
        streams: &mut [Stream],
        out: &mut [f64],
    ) -> Result<usize> {
        let initial = self.initial_state(input)?;
        expect_room(out, streams.len(), &self.grid)?;
        let mut perturbed = vec![0.0; initial.len()];
        let solutions = out.chunks_exact_mut(self.grid.len());
        for (rng, solution) in streams.iter_mut().zip(solutions) {
            let uncertainty = &self.waves.uncertainty;
            uncertainty.perturb(initial, &self.basis, rng, &mut perturbed);
            self.march(&perturbed, solution)?;
        }
        Ok(0)
    }

    /// For a linear scheme S the mean is S\[a\], and the variance is the sum of deviation^2 S\[a
    /// f\]^2 over the basis functions f.
    fn exact_moments(&self, input: &Field) -> Result<Option<ExactMoments>> {
        if !E::LINEAR {
            return Ok(None);
        }
        let initial = self.initial_state(input)?;
        let mut variance = vec![0.0; self.grid.len()];
        for function in &self.basis {
            let product: Vec<f64> = initial.iter().zip(function).map(|(a, f)| a * f).collect();
            for (total, s) in variance.iter_mut().zip(self.solve(&product)?) {
                *total += (self.waves.uncertainty.deviation * s).powi(2);
            }
        }
        Ok(Some(ExactMoments {
            mean: Field::scalar(&self.grid, self.solve(initial)?),
            variance: Field::scalar(&self.grid, variance),
        }))
    }
}
