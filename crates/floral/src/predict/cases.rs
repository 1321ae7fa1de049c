//! Inputs to predict, with their low-fidelity solutions, on the grid of the predictions.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::alignment::check_mask;
use super::opening::{self, Seen, by_problem, predicted_grid};
use super::read_cases::ReadCases;
use super::{Case, InputSource, Observations, Predictor};
use crate::dataset::Dataset;
use crate::field::refined;
use crate::grid::{Mask, Thinning};
use crate::low::OnDemand;
use crate::observer::Observer;
use crate::problem::{Origin, Resolution};
use crate::{Field, Grid, Result, Silent};

/// Naming of inputs in messages.
#[derive(Clone, Copy)]
enum Naming {
    /// By index in the file.
    Index,
    /// A single input, named by this number or not at all.
    One(Option<usize>),
}

/// Inputs to predict, from a Zarr dataset, a NumPy archive or memory, aligned with a run.
///
/// [`check`](Self::check) keeps the inputs that it reads, so that checked inputs are read only
/// once.
pub struct Cases<'a> {
    source: Box<dyn InputSource + 'a>,
    /// Computes low-fidelity solutions if the file has none.
    solver: Option<Arc<OnDemand>>,
    needs_low: bool,
    grid: Grid,
    /// Points outside the run's domain, where fields need no values.
    mask: Option<Mask>,
    naming: Naming,
    notes: Vec<String>,
    pub(super) read: ReadCases,
    /// Readings of one realization for every input, if predictions are conditioned on any.
    pub(super) observations: Option<Observations>,
}

impl<'a> Cases<'a> {
    /// The inputs of a dataset without alignment, with low-fidelity solutions if they are stored or
    /// can be computed by the dataset's problem.
    pub fn of(dataset: &'a Dataset) -> Result<Self> {
        let solver = if dataset.has_low() {
            None
        } else {
            Origin::origin(dataset)?
        };
        let channels = dataset.solution_channels().unwrap_or(1);
        Ok(Self {
            source: Box::new(dataset.clone()),
            solver: solver.map(|problem| by_problem(problem, channels)),
            needs_low: true,
            grid: dataset.grid().clone(),
            mask: dataset.mask().cloned(),
            naming: Naming::Index,
            notes: Vec::new(),
            read: ReadCases::default(),
            observations: None,
        })
    }

    /// These inputs at every s-th point of their grid.
    pub fn thinned(self, thinning: &Thinning) -> Self {
        Self {
            grid: thinning.grid(&self.grid),
            read: ReadCases::default(),
            ..self
        }
    }

    /// Opens the inputs of a file for a run, interpolated to `resolution` if one is given.
    pub fn open(
        path: &Path,
        predictor: &Predictor,
        resolution: Option<&Resolution>,
    ) -> Result<Self> {
        let seen = opening::opened(path, predictor.header(), None)?;
        Self::seen(seen, predictor, resolution, None)
    }

    /// Names the only input of the source by this number in messages, or not at all.
    pub(super) fn of_one(self, number: Option<usize>) -> Self {
        Self {
            naming: Naming::One(number),
            ..self
        }
    }

    /// The inputs of an aligned source, with the notes of the alignment.
    pub(crate) fn seen(
        (source, notes): Seen,
        predictor: &Predictor,
        resolution: Option<&Resolution>,
        solver: Option<Arc<OnDemand>>,
    ) -> Result<Self> {
        let header = predictor.header();
        let needs_low = header.needs_low();
        let solver = match needs_low {
            true => opening::solver(solver, source.as_ref(), header)?,
            false => None,
        };
        let grid = predicted_grid(source.grid(), resolution, header)?;
        check_mask(header, source.path(), &grid, None)?;
        Ok(Self {
            source,
            solver,
            needs_low,
            grid,
            mask: header.mask.clone(),
            naming: Naming::Index,
            notes,
            read: ReadCases::default(),
            observations: None,
        })
    }

    /// Notes on conversions to the run's axes, channels and units, and on assumptions.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The grid of the predictions.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Path of the source.
    pub fn path(&self) -> &Path {
        self.source.path()
    }

    /// Number of inputs.
    pub fn inputs(&self) -> usize {
        self.source.inputs()
    }

    /// Name of the solver that computes missing low-fidelity solutions, if one is used.
    pub fn low_solver(&self) -> Option<String> {
        let solver = self.solver.as_ref();
        let solver = solver.filter(|_| !self.source.has_low());
        solver.map(|solver| solver.name())
    }

    /// The command that computes low fidelity, if the file names one.
    pub(super) fn low_command(&self) -> Option<String> {
        self.source.low_command()
    }

    /// Points outside the domain, if there are any.
    pub fn mask(&self) -> Option<&Mask> {
        self.mask.as_ref()
    }

    /// Whether the inputs come with low-fidelity solutions, stored or computed.
    pub fn has_low(&self) -> bool {
        self.needs_low && !self.lacks_low()
    }

    /// Whether low-fidelity solutions are needed but neither stored nor computable.
    pub fn lacks_low(&self) -> bool {
        self.needs_low && self.solver.is_none() && !self.source.has_low()
    }

    /// Name of an input in messages, if it needs one.
    pub(super) fn label(&self, index: usize) -> Option<String> {
        match self.naming {
            Naming::Index => Some(format!("input {index}")),
            Naming::One(number) => number.map(|number| format!("input {number}")),
        }
    }

    /// Name of an input in errors, with the path of its file.
    pub(super) fn place(&self, index: usize) -> Option<String> {
        let label = self.label(index)?;
        Some(match self.naming {
            Naming::Index => format!("{}: {label}", self.path().display()),
            Naming::One(_) => label,
        })
    }

    /// Computes the missing low-fidelity solutions of these inputs, in parallel.
    pub fn prepare(&self, inputs: Range<usize>, observer: &dyn Observer) -> Result<()> {
        let source = &self.source;
        match &self.solver {
            Some(solver) if !source.has_low() => {
                let input = |index: usize| source.input(index).map(Some);
                solver.prepare(inputs, source.grid(), input, observer)
            }
            _ => source.prepare_low(inputs, observer),
        }
    }

    /// An input and its low-fidelity solution, stored or computed.
    pub fn case(&self, index: usize) -> Result<Case> {
        match self.read.find(index) {
            Some(case) => Ok(case),
            None => self.read_case(index),
        }
    }

    fn read_case(&self, index: usize) -> Result<Case> {
        let source = &self.source;
        let input = self.extended(source.input(index)?)?;
        let low = match &self.solver {
            _ if !self.needs_low => None,
            _ if source.has_low() => Some(source.low(index)?),
            Some(solver) => Some(solver.low(&input, source.grid(), &Silent)?),
            None => None,
        };
        let low = low.map(|low| self.extended(low)).transpose()?;
        let refine = |field: &Field| refined(field, source.grid(), &self.grid);
        Ok(Case {
            input: refine(&input)?,
            low: low.as_ref().map(refine).transpose()?,
        })
    }

    /// A field extended to the points outside the domain.
    fn extended(&self, field: Field) -> Result<Field> {
        let Some(mask) = &self.mask else {
            return Ok(field);
        };
        let (channels, shape) = (field.channels(), field.grid_shape().to_vec());
        let mut values = field.into_values();
        mask.extend(&mut values);
        Field::from_values(channels, &shape, values)
    }
}
