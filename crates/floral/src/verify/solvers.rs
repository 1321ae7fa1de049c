//! Compares the solvers with reference solutions, for all sizes in the file.

use super::{Check, Tensors};
use crate::Result;
use crate::problem::Resolution;
use crate::problem::advection::{Advection, AdvectionConfig};
use crate::problem::burgers::{Burgers, BurgersConfig};
use crate::problem::darcy::{Well, Wells, solve_pressure};
use crate::problem::space_time::{Equation, SpaceTimeProblem};

/// The references of the time-dependent problems are single precision.
const SPACE_TIME_TOLERANCE: f64 = 1e-4;

/// Both sides solve the same linear system in double precision.
const DARCY_TOLERANCE: f64 = 1e-8;

/// Checks against every solver reference in the file; empty if there is none.
pub fn verify(tensors: &Tensors) -> Result<Vec<Check>> {
    let mut checks = darcy(tensors)?;
    if tensors.contains("advection.solution") {
        let with = |resolution| {
            Advection::new(AdvectionConfig {
                resolution,
                ..Default::default()
            })
        };
        checks.push(space_time(tensors, with)?);
    }
    if tensors.contains("burgers.solution") {
        let with = |resolution| {
            Burgers::new(BurgersConfig {
                resolution,
                ..Default::default()
            })
        };
        checks.push(space_time(tensors, with)?);
    }
    Ok(checks)
}

/// One check per size N for which the file holds `darcyN.pressure`.
fn darcy(tensors: &Tensors) -> Result<Vec<Check>> {
    let size = |name: &str| {
        name.strip_prefix("darcy")?
            .strip_suffix(".pressure")?
            .parse()
            .ok()
    };
    let mut sizes: Vec<usize> = tensors.names().filter_map(size).collect();
    sizes.sort_unstable();
    sizes.into_iter().map(|n| darcy_of(tensors, n)).collect()
}

fn darcy_of(tensors: &Tensors, n: usize) -> Result<Check> {
    let permeability = tensors.tensor(&format!("darcy{n}.permeability"), 3)?;
    let pressure = tensors.tensor(&format!("darcy{n}.pressure"), 3)?;
    let fields = permeability.shape[0];
    for (name, tensor) in [("permeability", permeability), ("pressure", pressure)] {
        if tensor.shape != [fields, n, n] {
            return Err(tensors.damaged(format!(
                "darcy{n}.{name} has shape {:?} but {:?} is needed",
                tensor.shape,
                [fields, n, n]
            )));
        }
    }
    let wells = Wells {
        well: Well::Corner,
        ..Default::default()
    };
    let found = solve_pressure(&permeability.values, n, &wells)?;
    let quantity = format!("darcy {n}x{n}, {fields} pressures");
    Ok(Check::new(
        quantity,
        &found,
        &pressure.values,
        DARCY_TOLERANCE,
    ))
}

fn space_time<E: Equation>(
    tensors: &Tensors,
    with: impl Fn(Resolution) -> Result<SpaceTimeProblem<E>>,
) -> Result<Check> {
    let name = E::NAME;
    let initial = tensors.tensor(&format!("{name}.initial"), 2)?;
    let solution = tensors.tensor(&format!("{name}.solution"), 3)?;
    let (samples, points) = (initial.shape[0], initial.shape[1]);
    let [_, steps, _] = solution.shape[..] else {
        unreachable!("a tensor of three dimensions")
    };
    if solution.shape != [samples, steps, points] {
        return Err(tensors.damaged(format!(
            "{name}.solution has shape {:?} but {name}.initial has {:?}",
            solution.shape, initial.shape
        )));
    }
    let problem = with(Resolution::PerAxis(vec![steps, points]))?;
    let mut found = Vec::with_capacity(solution.values.len());
    for state in initial.values.chunks_exact(points) {
        found.extend(problem.solve(state)?);
    }
    let quantity = format!("{name} {steps}x{points}, {samples} solutions");
    Ok(Check::new(
        quantity,
        &found,
        &solution.values,
        SPACE_TIME_TOLERANCE,
    ))
}
