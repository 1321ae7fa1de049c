//! Darcy flow: steady pressure in a random porous medium.
//!
//! -div(K grad p) = f on the unit square, no flux through the walls, zero mean. The input is the
//! nominal permeability a; the medium is K = a (1 + s eps). The low-fidelity solver takes a at
//! every fourth node. `pressure.rs` solves the equations, by the sparse `elimination/`.
//!
//! The code behind the paper's tables uses another distribution than the paper's text:
//! `coefficients.rs` and `restriction.rs` offer both.

mod coefficients;
mod config;
mod elimination;
mod pressure;
mod restriction;
mod wells;

pub use coefficients::Coefficients;
pub use config::{DarcyConfig, Permeability, Uncertainty};
pub use pressure::solve_pressure;
pub use restriction::Coarse;
pub use wells::{Well, Wells};

use std::sync::Arc;

use pressure::{PressureSolver, check_permeability};
use restriction::Restriction;

use super::{ExactMoments, Problem, expect_room, expect_shape, scalars, to_table};
use crate::grid::Interpolation;
use crate::random::{KarhunenLoeve, Stream};
use crate::{Axis, Error, Field, Grid, Quantities, Result};

const NAME: &str = "darcy";

/// Number of times that a realization is redrawn before giving up on a positive permeability.
const REDRAWS: usize = 1000;

/// Darcy flow with given constants.
pub struct Darcy {
    config: DarcyConfig,
    grid: Grid,
    fine: PressureSolver,
    coarse: PressureSolver,
    /// From the fine to the coarse nodes, and back.
    restriction: Restriction,
    interpolation: Interpolation,
    log_permeability: Arc<KarhunenLoeve>,
    /// Signs of the coefficients of the log-permeability.
    signs: Vec<f64>,
    perturbation: Arc<KarhunenLoeve>,
}

impl Darcy {
    /// Darcy flow with these constants; refuses invalid ones.
    pub fn new(config: DarcyConfig) -> Result<Self> {
        let [n, m] = config.sides()?;
        let wells = config.wells()?;
        let grid = Grid::new(vec![Axis::closed("x", n), Axis::closed("y", n)]);
        let (believed, unknown) = (&config.permeability, &config.uncertainty);
        let log_permeability = KarhunenLoeve::cached(&believed.kernel()?, &grid, believed.modes)?;
        Ok(Self {
            fine: PressureSolver::new(n, wells.source(n)),
            coarse: PressureSolver::new(m, wells.source(m)),
            restriction: config.coarse.restriction(n, m),
            interpolation: Interpolation::between_nodes(&[m, m], &[n, n]),
            signs: believed.coefficients.signs(&log_permeability, n),
            log_permeability,
            perturbation: KarhunenLoeve::cached(&unknown.kernel()?, &grid, unknown.modes)?,
            config,
            grid,
        })
    }

    /// The permeability of an input; refuses one that is not positive or not on this problem's
    /// grid.
    fn permeability<'a>(&self, input: &'a Field) -> Result<&'a [f64]> {
        expect_shape(input, &self.grid)?;
        check_permeability(input.values())?;
        Ok(input.values())
    }

    /// Draws K = a (1 + s eps) until it is positive everywhere; returns the number of redraws.
    fn draw_medium(&self, a: &[f64], rng: &mut Stream, medium: &mut [f64]) -> Result<usize> {
        let scale = self.config.uncertainty.scale;
        for redraws in 0..=REDRAWS {
            self.perturbation.sample_into(rng, medium);
            for (k, a) in medium.iter_mut().zip(a) {
                *k = a * (1.0 + scale * *k);
            }
            if check_permeability(medium).is_ok() {
                return Ok(redraws);
            }
        }
        Err(Error::unsolvable(
            NAME,
            format!(
                "no positive permeability in {REDRAWS} redraws; choose uncertainty.scale below \
                 {scale}, or a smaller uncertainty.amplitude"
            ),
        ))
    }
}

impl Problem for Darcy {
    fn name(&self) -> &'static str {
        NAME
    }

    fn grid(&self) -> &Grid {
        &self.grid
    }

    fn constants(&self) -> toml::Table {
        to_table(&self.config)
    }

    fn caveats(&self) -> Vec<String> {
        let [fine, coarse] = [self.fine.side(), self.coarse.side()];
        let lost = |n: usize, solver: &str| {
            let wells = self.config.wells().ok()?;
            let loses = !wells.source(n).iter().any(|f| *f > 0.0);
            loses.then(|| {
                format!(
                    "no node of the {n}x{n} grid lies in the well where fluid enters, so the \
                     {solver} solver does not see it; choose a finer resolution or a larger \
                     well_size"
                )
            })
        };
        [lost(fine, "high-fidelity"), lost(coarse, "low-fidelity")]
            .into_iter()
            .flatten()
            .collect()
    }

    /// Wells and solvers are symmetric in x and y, and scaling the permeability by c scales the
    /// pressure by 1/c. But a perturbation that keeps one mode of a pair with equal eigenvalues
    /// breaks the symmetry in x and y.
    fn symmetries(&self) -> &'static [&'static str] {
        if is_symmetric(&self.perturbation.variance(), self.fine.side()) {
            &["transpose:x,y", "scale:-1"]
        } else {
            &["scale:-1"]
        }
    }

    fn quantities(&self) -> Quantities {
        scalars(
            ("permeability", "permeability a"),
            ("pressure", "pressure p"),
        )
    }

    fn draw_input(&self, rng: &mut Stream) -> Result<Field> {
        let law = &self.config.permeability;
        let drawn = law.coefficients.draw(&self.signs, law.bounds, rng);
        let mut field = self.log_permeability.combine(&drawn);
        field.iter_mut().for_each(|g| *g = g.exp());
        Ok(Field::scalar(&self.grid, field))
    }

    fn low_fidelity(&self, input: &Field) -> Result<Field> {
        let mut field = self.restriction.apply(self.permeability(input)?);
        self.coarse.solve(&mut field)?;
        let pressure = self.interpolation.apply(&field);
        Ok(Field::scalar(&self.grid, pressure))
    }

    fn high_fidelity(
        &self,
        input: &Field,
        streams: &mut [Stream],
        out: &mut [f64],
    ) -> Result<usize> {
        let a = self.permeability(input)?;
        expect_room(out, streams.len(), &self.grid)?;
        let mut redraws = 0;
        for (rng, medium) in streams.iter_mut().zip(out.chunks_exact_mut(a.len())) {
            redraws += self.draw_medium(a, rng, medium)?;
        }
        self.fine.solve(out)?;
        Ok(redraws)
    }

    fn exact_moments(&self, _input: &Field) -> Result<Option<ExactMoments>> {
        Ok(None)
    }
}

/// Whether an n x n field equals its transpose, up to rounding.
fn is_symmetric(field: &[f64], n: usize) -> bool {
    let largest = field.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
    let transposed = (0..n * n).map(|k| field[k % n * n + k / n]);
    let mut pairs = field.iter().zip(transposed);
    pairs.all(|(a, b)| (a - b).abs() <= 1e-6 * largest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};
    use rayon::prelude::*;

    fn darcy(text: &str) -> Darcy {
        Darcy::new(toml::from_str(text).unwrap()).unwrap()
    }

    fn streams(input: u64, realizations: std::ops::Range<u64>) -> Vec<Stream> {
        let open = |j| stream(5, Purpose::Realization, input, j);
        realizations.map(open).collect()
    }

    fn input(problem: &Darcy, index: u64) -> Field {
        let mut rng = stream(5, Purpose::Input, index, 0);
        problem.draw_input(&mut rng).unwrap()
    }

    fn realizations(problem: &Darcy, index: u64, which: std::ops::Range<u64>) -> Vec<f64> {
        let mut streams = streams(index, which);
        let mut out = vec![0.0; streams.len() * problem.grid().len()];
        let input = input(problem, index);
        problem
            .high_fidelity(&input, &mut streams, &mut out)
            .unwrap();
        out
    }

    #[test]
    fn a_well_between_the_coarse_nodes_is_noted() {
        assert!(darcy("resolution = 64").caveats().is_empty());
        let caveats = darcy("resolution = 32").caveats();
        assert_eq!(caveats.len(), 1);
        assert!(caveats[0].contains("8x8"), "{caveats:?}");
    }

    #[test]
    fn modes_cut_within_a_pair_break_the_symmetry_of_the_axes() {
        let declared = |modes: usize| {
            let text = format!("resolution = 16\nuncertainty.modes = {modes}");
            darcy(&text).symmetries().contains(&"transpose:x,y")
        };
        assert!(declared(1) && declared(3) && declared(10));
        assert!(!declared(2) && !declared(9));
    }

    #[test]
    fn a_realization_is_the_same_alone_and_among_fifty() {
        let problem = darcy("resolution = 24");
        let size = problem.grid().len();
        let together = realizations(&problem, 3, 0..50);
        for j in [0, 1, 5, 30, 49] {
            let alone = realizations(&problem, 3, j..j + 1);
            assert_eq!(alone, together[j as usize * size..][..size]);
        }
    }

    #[test]
    fn the_number_of_threads_does_not_matter() {
        let on = |threads| -> Vec<Vec<f64>> {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let problem = darcy("resolution = 16");
            let solve = |index| realizations(&problem, index, 0..6);
            let all = || (0..8).into_par_iter().map(solve).collect();
            pool.build().unwrap().install(all)
        };
        assert_eq!(on(1), on(2));
    }

    /// Without uncertainty the two solvers differ only by the coarse grid.
    #[test]
    fn the_low_fidelity_solution_resembles_the_high_fidelity_one() {
        let problem = darcy("uncertainty.scale = 0");
        let difference = |index| {
            let high = realizations(&problem, index, 0..1);
            let low = problem.low_fidelity(&input(&problem, index)).unwrap();
            let norm = |v: &mut dyn Iterator<Item = f64>| v.map(|v| v * v).sum::<f64>().sqrt();
            let difference = norm(&mut low.values().iter().zip(&high).map(|(l, h)| l - h));
            difference / norm(&mut high.iter().copied())
        };
        let mean = (0..8).map(difference).sum::<f64>() / 8.0;
        assert!((0.1..0.5).contains(&mean), "{mean}");
    }

    #[test]
    fn without_coarsening_both_solutions_are_the_same() {
        let problem = darcy("resolution = 16\ncoarsening = 1\nuncertainty.scale = 0");
        let high = realizations(&problem, 0, 0..1);
        let low = problem.low_fidelity(&input(&problem, 0)).unwrap();
        assert_eq!(low.values(), high);
    }

    #[test]
    fn negative_permeabilities_are_redrawn_and_counted() {
        let problem = darcy("resolution = 16\nuncertainty.scale = 0.5");
        let input = input(&problem, 0);
        let mut out = vec![0.0; 40 * 256];
        let redraws = problem.high_fidelity(&input, &mut streams(0, 0..40), &mut out);
        assert!(redraws.unwrap() > 5);
        // Ten independent patches along each axis are never all positive.
        let hopeless =
            darcy("resolution = 16\n[uncertainty]\nscale = 100\nlength = 0.05\nmodes = 100");
        let error = hopeless.high_fidelity(&input, &mut streams(0, 0..1), &mut out[..256]);
        assert!(error.unwrap_err().to_string().contains("1000 redraws"));
    }

    #[test]
    fn inputs_that_do_not_fit_are_refused_with_the_reason() {
        let problem = darcy("resolution = 16");
        let small = Field::from_values(1, &[8, 8], vec![1.0; 64]).unwrap();
        let refusal = problem.low_fidelity(&small).unwrap_err().to_string();
        assert!(refusal.contains("[1, 8, 8] but [1, 16, 16]"), "{refusal}");
        let mut values = vec![1.0; 256];
        values[7] = -0.5;
        let negative = Field::scalar(problem.grid(), values);
        let refusal = problem.low_fidelity(&negative).unwrap_err().to_string();
        assert!(refusal.contains("permeability is -0.5"), "{refusal}");
        let fit = Field::scalar(problem.grid(), vec![1.0; 256]);
        let short = problem.high_fidelity(&fit, &mut streams(0, 0..2), &mut [0.0; 256]);
        assert!(short.is_err());
    }
}
