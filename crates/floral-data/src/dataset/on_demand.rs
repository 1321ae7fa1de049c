//! Low fidelity computed by a solver, for inputs of a dataset that lack it.

use std::ops::Range;
use std::sync::Arc;

use super::Dataset;
use crate::Result;
use crate::low::OnDemand;
use crate::observer::Observer;

/// The attribute with a command that computes low fidelity.
const LOW_COMMAND: &str = "low_command";

impl Dataset {
    /// The same dataset with a solver for missing low fidelity. An input lacks low fidelity if
    /// there is no array `low`, or if its values there are all NaN.
    pub fn with_low(mut self, on_demand: Arc<OnDemand>) -> Self {
        self.on_demand = Some(on_demand);
        self
    }

    /// Whether a solver computes low fidelity where it is not stored.
    pub fn has_low_solver(&self) -> bool {
        self.on_demand.is_some()
    }

    /// The command in the attribute `low_command`. It comes with the data and is therefore never
    /// run automatically.
    pub fn low_command(&self) -> Option<&str> {
        self.attributes().get(LOW_COMMAND)?.as_str()
    }

    /// Computes the missing low fidelity of these inputs, in parallel; does nothing without a
    /// solver.
    pub fn prepare_low(&self, inputs: Range<usize>, observer: &dyn Observer) -> Result<()> {
        let Some(on_demand) = &self.on_demand else {
            return Ok(());
        };
        let lacking = |index: usize| {
            let lacks = self.lacks_low(index)?;
            lacks.then(|| self.input(index)).transpose()
        };
        on_demand.prepare(inputs, self.grid(), lacking, observer)
    }
}
