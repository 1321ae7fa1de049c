//! The catalogue: problems by name, built from a table of constants.

use serde::de::DeserializeOwned;

use super::Problem;
use super::advection::Advection;
use super::burgers::Burgers;
use super::darcy::Darcy;
use super::residual1d::Residual1d;
use crate::{Error, Result};

/// Every problem's name.
pub const NAMES: [&str; 4] = ["1dcr", "advection", "burgers", "darcy"];

/// The problem of this name with these constants; what the table leaves out has its default.
///
/// `context` names where the constants come from, for the error that an unknown key makes.
pub fn build(name: &str, constants: toml::Table, context: &str) -> Result<Box<dyn Problem>> {
    Ok(match name {
        "1dcr" => Box::new(Residual1d::new(parse(constants, context)?)?),
        "advection" => Box::new(Advection::new(parse(constants, context)?)?),
        "burgers" => Box::new(Burgers::new(parse(constants, context)?)?),
        "darcy" => Box::new(Darcy::new(parse(constants, context)?)?),
        _ => {
            return Err(Error::UnknownName {
                kind: "problem",
                name: name.to_owned(),
                known: NAMES.join(", "),
            });
        }
    })
}

fn parse<C: DeserializeOwned>(constants: toml::Table, context: &str) -> Result<C> {
    constants.try_into().map_err(Error::toml(context))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_builds_a_problem_that_repeats_its_name_and_constants() {
        for name in NAMES {
            let problem = build(name, toml::Table::new(), "defaults").unwrap();
            assert_eq!(problem.name(), name);
            let again = build(name, problem.constants(), "its own constants").unwrap();
            assert_eq!(again.constants(), problem.constants());
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
