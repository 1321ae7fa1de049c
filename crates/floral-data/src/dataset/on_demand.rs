//! Low fidelity of a dataset's inputs that lack it, from a solver.

use std::ops::Range;
use std::sync::Arc;

use super::Dataset;
use crate::Result;
use crate::low::OnDemand;
use crate::observer::Observer;

/// The attribute that names a command by which low fidelity is computed.
const LOW_COMMAND: &str = "low_command";

impl Dataset {
    /// The same dataset with a solver that computes low fidelity of the inputs that lack it: all if
    /// there is no array `low`, else those that have nothing but NaN there.
    pub fn with_low(mut self, on_demand: Arc<OnDemand>) -> Self {
        self.on_demand = Some(on_demand);
        self
    }

    /// Whether a solver computes low fidelity where it is not stored.
    pub fn has_low_solver(&self) -> bool {
        self.on_demand.is_some()
    }

    /// The command that the attribute `low_command` names. It is somebody's word and nothing runs it
    /// by itself.
    pub fn low_command(&self) -> Option<&str> {
        self.attributes().get(LOW_COMMAND)?.as_str()
    }

    /// Computes what these inputs lack, in parallel; nothing without a solver.
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
