//! Sources of inputs to predict: a dataset or a NumPy archive.

use std::ops::Range;
use std::path::Path;

use crate::dataset::{Dataset, NpzInputs};
use crate::observer::Observer;
use crate::problem::{Origin, Problem};
use crate::{Field, Grid, Result};

/// A source of inputs on one grid, with or without their low-fidelity solutions.
pub trait InputSource: Sync {
    /// Path of the source.
    fn path(&self) -> &Path;

    /// The grid of all fields.
    fn grid(&self) -> &Grid;

    /// Number of inputs.
    fn inputs(&self) -> usize;

    /// The input with this index.
    fn input(&self, index: usize) -> Result<Field>;

    /// Whether there are low-fidelity solutions.
    fn has_low(&self) -> bool;

    /// The low-fidelity solution of an input.
    fn low(&self, index: usize) -> Result<Field>;

    /// Computes the missing low-fidelity solutions of these inputs in parallel, if there is a
    /// solver.
    fn prepare_low(&self, inputs: Range<usize>, observer: &dyn Observer) -> Result<()> {
        let _ = (inputs, observer);
        Ok(())
    }

    /// The command that computes low fidelity, if the source names one. It is never run unless the
    /// user asks for it.
    fn low_command(&self) -> Option<String> {
        None
    }

    /// The built-in problem from which the inputs were generated, on their grid, if they name one.
    fn origin(&self) -> Result<Option<Box<dyn Problem>>> {
        Ok(None)
    }
}

impl InputSource for Dataset {
    fn path(&self) -> &Path {
        self.path()
    }

    fn grid(&self) -> &Grid {
        self.grid()
    }

    fn inputs(&self) -> usize {
        self.inputs()
    }

    fn input(&self, index: usize) -> Result<Field> {
        self.input(index)
    }

    fn has_low(&self) -> bool {
        self.has_low()
    }

    fn low(&self, index: usize) -> Result<Field> {
        self.low(index)
    }

    fn prepare_low(&self, inputs: Range<usize>, observer: &dyn Observer) -> Result<()> {
        self.prepare_low(inputs, observer)
    }

    fn low_command(&self) -> Option<String> {
        self.low_command().map(str::to_owned)
    }

    fn origin(&self) -> Result<Option<Box<dyn Problem>>> {
        Origin::origin(self)
    }
}

impl InputSource for NpzInputs {
    fn path(&self) -> &Path {
        self.path()
    }

    fn grid(&self) -> &Grid {
        self.grid()
    }

    fn inputs(&self) -> usize {
        self.inputs()
    }

    fn input(&self, index: usize) -> Result<Field> {
        self.input(index)
    }

    fn has_low(&self) -> bool {
        self.has_low()
    }

    fn low(&self, index: usize) -> Result<Field> {
        self.low(index)
    }
}
