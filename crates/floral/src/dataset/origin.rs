//! The built-in problem that a dataset's attributes name, built again with its constants.

use super::Dataset;
use crate::problem::{Problem, catalogue};
use crate::{Error, Result};

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
}
