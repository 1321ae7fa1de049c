//! The built-in problem that a dataset's attributes name, built again with its constants.

use super::Dataset;
use crate::problem::{Problem, catalogue};
use crate::{Error, Field, Result};

impl Dataset {
    /// The built-in problem with the dataset's own constants, on the dataset's grid; none if the
    /// data were made by other means.
    pub fn origin(&self) -> Result<Option<Box<dyn Problem>>> {
        let known = |name: &&str| catalogue::NAMES.contains(name);
        let (Some(name), Some(constants)) = (self.problem().filter(known), self.constants()) else {
            return Ok(None);
        };
        let context = format!("{}: constants", self.path().display());
        let table = toml::Table::try_from(constants).map_err(|e| Error::Config {
            context: context.clone(),
            reason: e.to_string(),
        })?;
        let problem = catalogue::build(name, table, &context)?;
        Ok((problem.grid().shape() == self.grid().shape()).then_some(problem))
    }

    /// The low-fidelity solution of an input: as stored, or else computed by its origin; none if
    /// there is neither.
    pub fn low_or_solved(
        &self,
        index: usize,
        origin: Option<&dyn Problem>,
    ) -> Result<Option<Field>> {
        match origin {
            _ if self.has_low() => self.low(index).map(Some),
            Some(problem) => problem.low_fidelity(&self.input(index)?).map(Some),
            None => Ok(None),
        }
    }
}
