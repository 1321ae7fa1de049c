//! The pressure of given permeability fields: a direct solution whose residual is checked.

use pulp::{Arch, Scalar, Simd, WithSimd};

use super::elimination::{
    Dissection, Multifrontal, Sides, Stencil, backward_error, extract, interleave, lane,
    solve_banded,
};
use super::{NAME, Wells};
use crate::{Error, Result};

/// Largest backward error of an accepted pressure. Elimination without row exchanges stays far
/// below it unless the permeability jumps manyfold between neighbouring nodes.
const BACKWARD_ERROR: f64 = 1e-14;

/// Solves -div(K grad p) = f for many K on one grid with one source.
pub(super) struct PressureSolver {
    plan: Dissection,
    source: Vec<f64>,
    border: Vec<f64>,
}

/// The pressures of permeability fields on n x n nodes, field after field: [field, x, y].
///
/// No flux through the walls; zero mean in the trapezoid rule.
pub fn solve_pressure(permeability: &[f64], n: usize, wells: &Wells) -> Result<Vec<f64>> {
    if n < 2 {
        return Err(Error::unsolvable(
            NAME,
            format!("{n} nodes per side are too few; choose at least 2"),
        ));
    }
    let mut fields = permeability.to_vec();
    PressureSolver::new(n, wells.source(n)).solve(&mut fields)?;
    Ok(fields)
}

impl PressureSolver {
    /// A solver for n x n nodes with this source at the nodes.
    pub fn new(n: usize, source: Vec<f64>) -> Self {
        Self {
            plan: Dissection::new(n),
            source,
            border: trapezoid_weights(n),
        }
    }

    /// Nodes per side.
    pub fn side(&self) -> usize {
        self.plan.n
    }

    /// Replaces each permeability field by its pressure.
    ///
    /// The pressure of a field does not depend on the other fields, to the last bit.
    pub fn solve(&self, fields: &mut [f64]) -> Result<()> {
        let n = self.plan.n;
        if !fields.len().is_multiple_of(n * n) {
            return Err(Error::shape("permeability", vec![fields.len()], vec![n, n]));
        }
        check_permeability(fields)?;
        Arch::new().dispatch(Batch {
            solver: self,
            fields,
        })
    }

    fn sides(&self) -> Sides<'_> {
        Sides {
            source: &self.source,
            border: &self.border,
        }
    }

    /// Solves for one field with row exchanges.
    fn solve_pivoted(&self, field: &mut [f64]) -> Result<()> {
        let n = self.plan.n;
        let mut stencil = Stencil::<Scalar>::empty();
        stencil.assemble(Scalar, field, n);
        let (pressure, multiplier) = solve_banded(&stencil, n, self.sides());
        let error = backward_error(Scalar, &stencil, n, self.sides(), &pressure, multiplier);
        if error <= BACKWARD_ERROR {
            field.copy_from_slice(&pressure);
            return Ok(());
        }
        Err(Error::numerical(
            format!("the pressure's equations are singular: residual {error:e}"),
            "choose a permeability that varies less from node to node, or a finer grid",
        ))
    }
}

/// Fields to be solved, one vector of lanes at a time.
struct Batch<'a> {
    solver: &'a PressureSolver,
    fields: &'a mut [f64],
}

impl WithSimd for Batch<'_> {
    type Output = Result<()>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Result<()> {
        let Self { solver, fields } = self;
        let n = solver.plan.n;
        let mut permeability = Vec::new();
        let mut stencil = Stencil::<S>::empty();
        let mut elimination = Multifrontal::<S>::new(simd);
        for block in fields.chunks_mut(S::F64_LANES * n * n) {
            interleave(simd, block, &mut permeability, n * n);
            stencil.assemble(simd, &permeability, n);
            elimination.solve(simd, &solver.plan, &stencil, solver.sides());
            let (pressure, multiplier) = (&elimination.pressure, elimination.multiplier);
            let errors = backward_error(simd, &stencil, n, solver.sides(), pressure, multiplier);
            for (i, field) in block.chunks_exact_mut(n * n).enumerate() {
                if lane::<S>(errors, i) <= BACKWARD_ERROR {
                    extract::<S>(pressure, i, field);
                } else {
                    solver.solve_pivoted(field)?;
                }
            }
        }
        Ok(())
    }
}

/// Refuses a permeability that is not positive everywhere.
pub(super) fn check_permeability(field: &[f64]) -> Result<()> {
    // The negation also catches NaN.
    let bad = |k: &&f64| !(**k > 0.0 && k.is_finite());
    field.iter().find(bad).map_or(Ok(()), |k| {
        Err(Error::unsolvable(
            NAME,
            format!("a permeability is {k}; all must be positive and finite"),
        ))
    })
}

/// Weights of the trapezoid rule on the unit square; they sum to one.
pub(super) fn trapezoid_weights(n: usize) -> Vec<f64> {
    let step = 1.0 / (n - 1) as f64;
    let weight = |i: usize| {
        if i == 0 || i == n - 1 {
            step / 2.0
        } else {
            step
        }
    };
    (0..n * n)
        .map(|node| weight(node / n) * weight(node % n))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::darcy::Well;
    use crate::random::{Purpose, stream};
    use rand::RngExt;
    use safetensors::SafeTensors;
    use std::f64::consts::PI;

    fn fixture(tensors: &SafeTensors, name: &str) -> Vec<f64> {
        let bytes = tensors.tensor(name).unwrap().data().as_chunks::<8>().0;
        bytes.iter().map(|b| f64::from_le_bytes(*b)).collect()
    }

    fn corner() -> Wells {
        Wells {
            well: Well::Corner,
            ..Wells::default()
        }
    }

    /// Largest difference relative to the largest value.
    fn difference(a: &[f64], b: &[f64]) -> f64 {
        let gaps = a.iter().zip(b).map(|(a, b)| (a - b).abs());
        gaps.fold(0.0, f64::max) / b.iter().fold(0.0, |m, b| b.abs().max(m))
    }

    fn on_grid(n: usize, f: impl Fn(f64, f64) -> f64) -> Vec<f64> {
        let at = |i: usize| i as f64 / (n - 1) as f64;
        (0..n * n).map(|k| f(at(k / n), at(k % n))).collect()
    }

    fn medium(n: usize) -> Vec<f64> {
        on_grid(n, |x, y| {
            ((9.0 * x - 4.0 * y).sin() + (12.0 * x * y).cos()).exp()
        })
    }

    fn transposed(field: &[f64], n: usize) -> Vec<f64> {
        (0..n * n).map(|k| field[k % n * n + k / n]).collect()
    }

    #[test]
    fn pressures_agree_with_the_reference() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../floral/tests/fixtures/solvers.safetensors"
        );
        let bytes = std::fs::read(path).unwrap();
        let tensors = SafeTensors::deserialize(&bytes).unwrap();
        for n in [16, 32] {
            let permeability = fixture(&tensors, &format!("darcy{n}.permeability"));
            let expected = fixture(&tensors, &format!("darcy{n}.pressure"));
            let pressure = solve_pressure(&permeability, n, &corner()).unwrap();
            assert!(difference(&pressure, &expected) < 1e-12);
        }
    }

    #[test]
    fn the_pressure_has_zero_mean() {
        for n in [2, 3, 16, 37, 64] {
            let pressure = solve_pressure(&medium(n), n, &Wells::default()).unwrap();
            let terms = pressure.iter().zip(trapezoid_weights(n));
            let mean: f64 = terms.map(|(p, w)| p * w).sum();
            assert!(mean.abs() < 1e-12, "n = {n}: {mean}");
        }
    }

    #[test]
    fn transposing_the_medium_transposes_the_pressure() {
        let n = 33;
        let solve = |k: &[f64]| solve_pressure(k, n, &Wells::default()).unwrap();
        let pressure = transposed(&solve(&medium(n)), n);
        assert!(difference(&solve(&transposed(&medium(n), n)), &pressure) < 1e-12);
    }

    #[test]
    fn pressure_is_inverse_to_the_scale_of_permeability() {
        let n = 20;
        let solve = |k: &[f64]| solve_pressure(k, n, &corner()).unwrap();
        let scaled: Vec<f64> = medium(n).iter().map(|k| 1e6 * k).collect();
        let pressure: Vec<f64> = solve(&scaled).iter().map(|p| 1e6 * p).collect();
        assert!(difference(&pressure, &solve(&medium(n))) < 1e-12);
    }

    /// p = cos(pi x) cos(2 pi y) has no flux through the walls and zero mean.
    #[test]
    fn the_scheme_converges_at_order_two() {
        let exact = |x: f64, y: f64| (PI * x).cos() * (2.0 * PI * y).cos();
        let k = |x: f64, y: f64| (x + x * y).exp();
        let source = |x: f64, y: f64| {
            let gradient = [
                -PI * (PI * x).sin() * (2.0 * PI * y).cos(),
                -2.0 * PI * (PI * x).cos() * (2.0 * PI * y).sin(),
            ];
            let laplacian = -5.0 * PI * PI * exact(x, y);
            -k(x, y) * (laplacian + (1.0 + y) * gradient[0] + x * gradient[1])
        };
        let error = |n| {
            let mut field = on_grid(n, k);
            PressureSolver::new(n, on_grid(n, source))
                .solve(&mut field)
                .unwrap();
            difference(&field, &on_grid(n, exact))
        };
        let [coarse, fine] = [33, 65].map(error);
        assert!((coarse / fine - 4.0).abs() < 0.2, "{coarse} {fine}");
    }

    #[test]
    fn dissection_and_band_agree() {
        for n in [2, 3, 5, 16, 41] {
            let solver = PressureSolver::new(n, corner().source(n));
            let (mut field, mut banded) = (medium(n), medium(n));
            solver.solve(&mut field).unwrap();
            solver.solve_pivoted(&mut banded).unwrap();
            assert!(difference(&field, &banded) < 1e-10, "n = {n}");
        }
    }

    /// Jumps of up to e^12 between nodes: the matrix is far from diagonally dominant.
    #[test]
    fn a_medium_without_any_smoothness_is_solved() {
        let n = 24;
        let mut rng = stream(1, Purpose::Input, 0, 0);
        let jump = |_| (12.0 * rng.random::<f64>()).exp();
        let mut fields: Vec<f64> = (0..40 * n * n).map(jump).collect();
        let solver = PressureSolver::new(n, corner().source(n));
        solver.solve(&mut fields).unwrap();
        assert!(fields.iter().all(|p| p.is_finite()));
    }

    #[test]
    fn bad_fields_are_refused_with_the_reason() {
        let refusal = |k: &[f64], n| solve_pressure(k, n, &corner()).unwrap_err().to_string();
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let mut k = medium(8);
            k[9] = bad;
            assert!(refusal(&k, 8).contains(&format!("permeability is {bad}")));
        }
        assert!(refusal(&medium(8), 7).contains("[7, 7]"));
        assert!(refusal(&[1.0], 1).contains("at least 2"));
    }
}
