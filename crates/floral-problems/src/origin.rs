//! The built-in problem named by a dataset's attributes, rebuilt with its constants.

use floral_symmetry::Symmetry;

use crate::dataset::Dataset;
use crate::dataset::symmetries::parse;
use crate::{Error, Grid, Problem, Resolution, Result, catalogue};

/// What is known about a dataset from the built-in problem that generated it.
pub trait Origin {
    /// The built-in problem with the dataset's constants and grid; none if the data have another
    /// source, or are viewed in another order or in other units.
    fn origin(&self) -> Result<Option<Box<dyn Problem>>>;

    /// The symmetries declared by the attribute `symmetries`; without it, those of the built-in
    /// problem that generated the data, or none.
    fn symmetries(&self) -> Result<Vec<Symmetry>>;
}

impl Origin for Dataset {
    fn origin(&self) -> Result<Option<Box<dyn Problem>>> {
        if self.is_view() {
            return Ok(None);
        }
        let known = |name: &&str| catalogue::NAMES.contains(name);
        let (Some(name), Some(constants)) = (self.problem().filter(known), self.constants()) else {
            return Ok(None);
        };
        // Check the size before building: attributes may contain anything.
        let resolution = constants.get("resolution").cloned();
        let resolution = resolution.and_then(|r| serde_json::from_value::<Resolution>(r).ok());
        if resolution.is_some_and(|resolution| !resolution.is_of(&self.grid().shape())) {
            return Ok(None);
        }
        let context = format!("{}: constants", self.path().display());
        let table = toml::Table::try_from(constants)
            .map_err(|e| Error::config(context.clone(), e.to_string()))?;
        let problem = catalogue::build(name, table, &context)?;
        let names = |grid: &Grid| -> Vec<String> {
            grid.axes.iter().map(|axis| axis.name.clone()).collect()
        };
        let (ours, theirs) = (self.grid(), problem.grid());
        let is_same = ours.shape() == theirs.shape() && names(ours) == names(theirs);
        Ok(is_same.then_some(problem))
    }

    fn symmetries(&self) -> Result<Vec<Symmetry>> {
        match self.declared_symmetries()? {
            Some(declared) => Ok(declared),
            None => match self.origin()? {
                Some(problem) => parse(problem.symmetries()),
                None => Ok(Vec::new()),
            },
        }
    }
}
