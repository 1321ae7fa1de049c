//! The solvers beside reference solutions, whatever sizes the file holds.

use super::{Check, Tensors};
use crate::Result;
use crate::problem::Resolution;
use crate::problem::advection::{Advection, AdvectionConfig};
use crate::problem::burgers::{Burgers, BurgersConfig};
use crate::problem::space_time::{Equation, SpaceTimeProblem};

/// The references of the time-dependent problems are single precision.
const SPACE_TIME_TOLERANCE: f64 = 1e-4;

/// Every solver reference in the file; none is no error here.
pub fn verify(tensors: &Tensors) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
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
