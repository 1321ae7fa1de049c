//! The catalogue: problems by name, built from a table of constants.

use serde::de::DeserializeOwned;

use super::Problem;
use super::advection::Advection;
use super::burgers::Burgers;
use super::darcy::Darcy;
use super::plume::Plume;
use super::residual1d::Residual1d;
use crate::{Error, Result};

/// Names of all problems.
pub const NAMES: [&str; 5] = ["1dcr", "advection", "burgers", "darcy", "plume"];

/// The problem of this name with these constants; missing constants take their defaults.
///
/// `context` names the origin of the constants for error messages.
pub fn build(name: &str, constants: toml::Table, context: &str) -> Result<Box<dyn Problem>> {
    Ok(match name {
        "1dcr" => Box::new(Residual1d::new(parse(constants, context)?)?),
        "advection" => Box::new(Advection::new(parse(constants, context)?)?),
        "burgers" => Box::new(Burgers::new(parse(constants, context)?)?),
        "darcy" => Box::new(Darcy::new(parse(constants, context)?)?),
        "plume" => Box::new(Plume::new(parse(constants, context)?)?),
        _ => {
            return Err(Error::unknown_name("problem", name, NAMES.join(", ")));
        }
    })
}

fn parse<C: DeserializeOwned>(constants: toml::Table, context: &str) -> Result<C> {
    constants.try_into().map_err(Error::toml(context))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Field;
    use crate::random::{Purpose, stream};
    use crate::testing::relative_error;
    use floral_symmetry::{Lattice, Motion, Role, Symmetries, Symmetry, roll};

    #[test]
    fn every_name_builds_a_problem_that_repeats_its_name_and_constants() {
        for name in NAMES {
            let problem = build(name, toml::Table::new(), "defaults").unwrap();
            assert_eq!(problem.name(), name);
            let again = build(name, problem.constants(), "its own constants").unwrap();
            assert_eq!(again.constants(), problem.constants());
        }
    }

    /// The declared motions of a problem, including rolls by three points.
    fn motions(problem: &dyn Problem) -> (Vec<Motion>, Option<f64>) {
        let lattice = Lattice::from(problem.grid());
        let declared = problem.symmetries().iter();
        let declared: Vec<Symmetry> = declared.map(|text| text.parse().unwrap()).collect();
        let all = Symmetries::new(&declared, &lattice, 1, 1).unwrap();
        let rolls = all
            .rolled
            .iter()
            .map(|axis| roll(&lattice, *axis, 3, [1, 1]));
        (
            all.motions.iter().cloned().chain(rolls).collect(),
            all.scale,
        )
    }

    #[test]
    fn declared_symmetries_take_low_fidelity_solutions_and_exact_moments_along() {
        for name in NAMES {
            let constants = "resolution = 32".parse().unwrap();
            let problem = build(name, constants, "test").unwrap();
            let rng = &mut stream(4, Purpose::Input, 0, 0);
            let input = problem.draw_input(rng).unwrap();
            let solve = |input: &Field| -> Vec<Vec<f64>> {
                let low = problem.low_fidelity(input).unwrap();
                let exact = problem.exact_moments(input).unwrap();
                let mean = exact.map(|exact| exact.mean);
                let fields = [low].into_iter().chain(mean);
                fields.map(|field| field.values().to_vec()).collect()
            };
            let field = |values| Field::scalar(problem.grid(), values);
            let before = solve(&input);
            let (motions, scale) = motions(problem.as_ref());
            for motion in &motions {
                let moved = field(motion.apply(Role::Input, input.values()));
                for (found, before) in solve(&moved).iter().zip(&before) {
                    let expected = motion.apply(Role::Solution, before);
                    assert!(relative_error(found, &expected) < 1e-9, "{name}");
                }
            }
            if let Some(exponent) = scale {
                let scaled = field(input.values().iter().map(|a| 3.0 * a).collect());
                let expected = before[0].iter().map(|u| 3f64.powf(exponent) * u);
                let expected: Vec<f64> = expected.collect();
                assert!(
                    relative_error(&solve(&scaled)[0], &expected) < 1e-9,
                    "{name}"
                );
            }
        }
    }

    #[test]
    fn unknown_names_and_keys_are_refused_by_name() {
        let message = |name, text: &str| {
            let table = text.parse().unwrap();
            build(name, table, "--set").err().unwrap().to_string()
        };
        assert!(message("navier", "").contains("1dcr, advection"));
        assert!(message("1dcr", "alfa = 1.0").contains("alfa"));
        assert!(message("burgers", "viscosity = 'high'").contains("invalid type"));
    }
}
