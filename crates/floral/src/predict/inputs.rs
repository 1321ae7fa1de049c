//! A source of inputs to predict: a dataset or a NumPy archive, read by `predict`.

use std::ops::Range;
use std::path::Path;

use crate::dataset::{Dataset, NpzInputs};
use crate::observer::Observer;
use crate::problem::{Origin, Problem};
use crate::{Field, Grid, Result};

/// Inputs on one grid, perhaps with their low-fidelity solutions.
pub trait InputSource: Sync {
    /// Where they are.
    fn path(&self) -> &Path;

    /// The grid of all fields.
    fn grid(&self) -> &Grid;

    /// How many there are.
    fn inputs(&self) -> usize;

    /// An input.
    fn input(&self, index: usize) -> Result<Field>;

    /// Whether there are low-fidelity solutions.
    fn has_low(&self) -> bool;

    /// The low-fidelity solution of an input.
    fn low(&self, index: usize) -> Result<Field>;

    /// Computes, in parallel, the low-fidelity solutions that these inputs lack, where there is a
    /// solver.
    fn prepare_low(&self, inputs: Range<usize>, observer: &dyn Observer) -> Result<()> {
        let _ = (inputs, observer);
        Ok(())
    }

    /// The command that computes their low fidelity, where they name one. Nothing runs it unasked.
    fn low_command(&self) -> Option<String> {
        None
    }

    /// The built-in problem they say they come from, on their grid.
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
