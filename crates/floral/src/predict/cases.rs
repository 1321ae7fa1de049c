//! The inputs of a file with their low-fidelity solutions, on the grid of the predictions.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::alignment::{Alignment, Given, aligned_dataset, check_mask, extent};
use super::interest::Subject;
use super::walk::at_input;
use super::{
    Ensemble, InputPredictor, InputSource, Observations, ParameterTable, Predictor, Sampling,
    departure, memory,
};
use crate::dataset::{Dataset, NpzInputs};
use crate::field::refined;
use crate::grid::{Mask, Thinning, refined_grid};
use crate::kl::{Placement, Reading, Sensor};
use crate::low::OnDemand;
use crate::observer::Observer;
use crate::problem::{Origin, Problem, ProblemSolver, Resolution, catalogue};
use crate::train::Header;
use crate::train::model::Shapes;
use crate::{Checksum, Error, Field, Grid, Quantities, Result, Silent};
use floral_data::memory::check_room;

/// One input and its low-fidelity solution, if the method looks at one.
#[derive(Debug, Clone)]
pub struct Case {
    /// The input.
    pub input: Field,
    /// The low-fidelity solution.
    pub low: Option<Field>,
}

/// One input that a program holds in memory.
pub struct InMemory<'a> {
    /// Its fields.
    pub case: &'a Case,
    /// Their grid.
    pub grid: &'a Grid,
    /// Names and units of the channels, as far as they are known.
    pub quantities: &'a Quantities,
    /// The number by which messages name it, where it is one of several.
    pub number: Option<usize>,
}

/// How messages name inputs.
#[derive(Clone, Copy)]
enum Naming {
    /// By their index in a file.
    Index,
    /// By this number, or not at all: there is only one.
    One(Option<usize>),
}

/// What was found of inputs that a run can predict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// A checksum of all of them.
    pub checksum: Checksum,
    /// Which of them are far outside of what the run was trained on.
    pub notes: Vec<String>,
}

/// Inputs to predict, from a Zarr dataset, a NumPy archive or memory.
pub struct Cases<'a> {
    source: Source<'a>,
    /// Computes low-fidelity solutions where the file has none.
    solver: Option<Arc<OnDemand>>,
    needs_low: bool,
    grid: Grid,
    /// Points outside of the run's domain, where fields need no values.
    mask: Option<Mask>,
    naming: Naming,
    notes: Vec<String>,
    /// Readings of one realization of every case.
    observations: Option<Observations>,
}

/// A file opened for these cases, or a dataset that others use too.
enum Source<'a> {
    Opened(Box<dyn InputSource>),
    Dataset(&'a Dataset),
}

impl Source<'_> {
    fn inputs(&self) -> &dyn InputSource {
        match self {
            Self::Opened(source) => source.as_ref(),
            Self::Dataset(dataset) => *dataset,
        }
    }
}

impl<'a> Cases<'a> {
    /// The inputs of a dataset, with low-fidelity solutions wherever they can be had.
    pub fn of(dataset: &'a Dataset) -> Result<Self> {
        let solver = if dataset.has_low() {
            None
        } else {
            Origin::origin(dataset)?
        };
        let channels = dataset.solution_channels().unwrap_or(1);
        Ok(Self {
            source: Source::Dataset(dataset),
            solver: solver.map(|problem| by_problem(problem, channels)),
            needs_low: true,
            grid: dataset.grid().clone(),
            mask: dataset.mask().cloned(),
            naming: Naming::Index,
            notes: Vec::new(),
            observations: None,
        })
    }

    /// The same inputs at every s-th point of their grid.
    pub fn thinned(self, thinning: &Thinning) -> Self {
        Self {
            grid: thinning.grid(&self.grid),
            ..self
        }
    }

    /// Opens a file for a run, and interpolates to a resolution if one is given.
    pub fn open(
        path: &Path,
        predictor: &Predictor,
        resolution: Option<&Resolution>,
    ) -> Result<Self> {
        Self::open_with(path, predictor, resolution, None)
    }

    /// The same with a solver that computes low fidelity of the inputs that lack it.
    pub fn open_with(
        path: &Path,
        predictor: &Predictor,
        resolution: Option<&Resolution>,
        solver: Option<Arc<OnDemand>>,
    ) -> Result<Self> {
        let seen = open(path, predictor.header(), solver.clone())?;
        Self::seen(seen, predictor, resolution, solver)
    }

    /// One input in memory, interpolated to a resolution if one is given.
    pub fn in_memory(
        input: &InMemory<'_>,
        predictor: &Predictor,
        resolution: Option<&Resolution>,
    ) -> Result<Self> {
        let seen = memory::seen(predictor.header(), input)?;
        let cases = Self::seen(seen, predictor, resolution, None)?;
        Ok(Self {
            naming: Naming::One(input.number),
            ..cases
        })
    }

    /// Parameters, on the grid of the run.
    pub fn of_parameters(
        table: ParameterTable,
        predictor: &Predictor,
        resolution: Option<&Resolution>,
        solver: Option<Arc<OnDemand>>,
    ) -> Result<Self> {
        Self::seen((Box::new(table), Vec::new()), predictor, resolution, solver)
    }

    /// Those of a source as the run sees it, with what was converted or assumed.
    fn seen(
        (source, notes): (Box<dyn InputSource>, Vec<String>),
        predictor: &Predictor,
        resolution: Option<&Resolution>,
        solver: Option<Arc<OnDemand>>,
    ) -> Result<Self> {
        let header = predictor.header();
        let needs_low = header.needs_low();
        let solver = match solver {
            _ if !needs_low => None,
            Some(solver) => Some(solver),
            None if source.has_low() => None,
            None => own_solver(source.as_ref(), header)?,
        };
        let grid = match resolution {
            None => source.grid().clone(),
            Some(resolution) => {
                let shape = per_axis(resolution, source.grid().dimensions());
                check_points(resolution, &shape, header)?;
                refined_grid(source.grid(), &shape)?
            }
        };
        check_mask(header, source.path(), &grid, None)?;
        Ok(Self {
            source: Source::Opened(source),
            solver,
            needs_low,
            grid,
            mask: header.mask.clone(),
            naming: Naming::Index,
            notes,
            observations: None,
        })
    }

    /// The same, conditioned on readings of one realization of each case.
    pub fn observed(self, observations: Observations) -> Self {
        Self {
            observations: Some(observations),
            ..self
        }
    }

    /// The readings, if there are any.
    pub fn observations(&self) -> Option<&Observations> {
        self.observations.as_ref()
    }

    /// What a run derives from one of these cases, given its readings.
    pub fn predicted<'p>(
        &self,
        predictor: &'p Predictor,
        case: &Case,
    ) -> Result<InputPredictor<'p>> {
        let predicted = predictor.for_input(&case.input, case.low.as_ref(), &self.grid)?;
        match self.observations {
            None => Ok(predicted),
            Some(_) => predicted.observed(&self.readings(predictor, case)?),
        }
    }

    /// Where to measure a case next, on the training grid, given its readings.
    pub fn sensors(
        &self,
        predictor: &Predictor,
        case: &Case,
        placement: &Placement,
    ) -> Result<Vec<Sensor>> {
        let predicted = predictor.for_input(&case.input, case.low.as_ref(), &self.grid)?;
        predicted.sensors(placement, &self.readings(predictor, case)?)
    }

    /// The readings of a case, as linear readings of what is learned.
    fn readings(&self, predictor: &Predictor, case: &Case) -> Result<Vec<Reading>> {
        let Some(observations) = &self.observations else {
            return Ok(Vec::new());
        };
        let header = predictor.header();
        let subject = Subject {
            grid: &self.grid,
            mask: self.mask(),
            quantities: &header.quantities,
            channels: [
                header.shapes.input_channels,
                header.shapes.solution_channels,
            ],
            has_low: self.has_low(),
        };
        observations.readings(&subject, &header.transforms, case)
    }

    /// What was converted to the run's axes, channels and units, and what was assumed.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The grid of the predictions.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// How many inputs there are.
    pub fn inputs(&self) -> usize {
        self.source.inputs().inputs()
    }

    /// What computes low-fidelity solutions where the file has none and they are needed.
    pub fn low_solver(&self) -> Option<String> {
        let solver = self.solver.as_ref();
        let solver = solver.filter(|_| !self.source.inputs().has_low());
        solver.map(|solver| solver.name())
    }

    /// Points outside of the domain, if there are any.
    pub fn mask(&self) -> Option<&Mask> {
        self.mask.as_ref()
    }

    /// Whether cases come with a low-fidelity solution, stored or computed.
    pub fn has_low(&self) -> bool {
        self.needs_low && !self.lacks_low()
    }

    /// Whether low-fidelity solutions are needed, and neither stored nor computed.
    pub fn lacks_low(&self) -> bool {
        self.needs_low && self.solver.is_none() && !self.source.inputs().has_low()
    }

    /// How messages name an input, if they have to.
    pub(super) fn label(&self, index: usize) -> Option<String> {
        match self.naming {
            Naming::Index => Some(format!("input {index}")),
            Naming::One(number) => number.map(|number| format!("input {number}")),
        }
    }

    /// How errors name an input: files by their path as well.
    fn place(&self, index: usize) -> Option<String> {
        let label = self.label(index)?;
        let path = self.source.inputs().path().display();
        Some(match self.naming {
            Naming::Index => format!("{path}: {label}"),
            Naming::One(_) => label,
        })
    }

    /// Realizations of an input's solution, all in memory. `stream` is the index of its random draws.
    pub fn sample(
        &self,
        predictor: &Predictor,
        index: usize,
        stream: u64,
        sampling: &Sampling,
        observer: &dyn Observer,
    ) -> Result<Ensemble> {
        let case = self.case(index)?;
        let predicted = self.predicted(predictor, &case);
        let drawn = predicted.and_then(|predicted| {
            predictor.drawn(&predicted, stream, &self.grid, sampling, observer)
        });
        drawn.map_err(|error| {
            let departures = departure::departures(predictor.header(), &case);
            at_input(self.label(index), &departures, error)
        })
    }

    /// Computes the low-fidelity solutions that these inputs lack, in parallel.
    pub fn prepare(&self, inputs: Range<usize>, observer: &dyn Observer) -> Result<()> {
        let source = self.source.inputs();
        match &self.solver {
            Some(solver) if !source.has_low() => {
                let input = |index: usize| source.input(index).map(Some);
                solver.prepare(inputs, source.grid(), input, observer)
            }
            _ => source.prepare_low(inputs, observer),
        }
    }

    /// An input and its low-fidelity solution, stored or else computed.
    pub fn case(&self, index: usize) -> Result<Case> {
        let input = self.extended(self.source.inputs().input(index)?)?;
        let low = match &self.solver {
            _ if !self.needs_low => None,
            _ if self.source.inputs().has_low() => Some(self.source.inputs().low(index)?),
            Some(solver) => {
                let grid = self.source.inputs().grid();
                Some(solver.low(&input, grid, &Silent)?)
            }
            None => None,
        };
        let low = low.map(|low| self.extended(low)).transpose()?;
        let refine = |field: &Field| refined(field, self.source.inputs().grid(), &self.grid);
        Ok(Case {
            input: refine(&input)?,
            low: low.as_ref().map(refine).transpose()?,
        })
    }

    /// A field continued to the points outside of the domain.
    fn extended(&self, field: Field) -> Result<Field> {
        let Some(mask) = &self.mask else {
            return Ok(field);
        };
        let (channels, shape) = (field.channels(), field.grid_shape().to_vec());
        let mut values = field.into_values();
        mask.extend(&mut values);
        Field::from_values(channels, &shape, values)
    }

    /// Refuses what a run cannot predict among these inputs, and says which are far outside of what
    /// it was trained on.
    pub fn check(
        &self,
        predictor: &Predictor,
        inputs: impl Iterator<Item = usize>,
    ) -> Result<Checked> {
        let axes = self.grid.axes.iter();
        let grid = axes.fold(Checksum::default(), |sum, axis| {
            sum.numbers(&axis.coordinates)
        });
        let points = self.grid.mesh().map(|mesh| mesh.points().coordinates());
        let mut sum = grid.numbers(&points.unwrap_or_default());
        let mut departures = Vec::new();
        for index in inputs {
            let case = self.case(index)?;
            predictor
                .check(&case.input, case.low.as_ref(), &self.grid)
                .map_err(|error| refused_at(self.place(index), error))?;
            let found = departure::departures(predictor.header(), &case);
            departures.push((self.label(index), found));
            let fields = std::iter::once(&case.input).chain(&case.low);
            sum = fields.fold(sum, |sum, field| sum.numbers(field.values()));
        }
        Ok(Checked {
            checksum: sum,
            notes: departure::notes(&departures),
        })
    }
}

/// The solver of the built-in problem that the inputs or the run come from.
fn own_solver(source: &dyn InputSource, header: &Header) -> Result<Option<Arc<OnDemand>>> {
    let problem = match source.origin()? {
        Some(problem) => Some(problem),
        None => trained_problem(header)?
            .filter(|problem| problem.grid().shape() == source.grid().shape()),
    };
    Ok(problem.map(|problem| by_problem(problem, header.shapes.solution_channels)))
}

fn by_problem(problem: Box<dyn Problem>, channels: usize) -> Arc<OnDemand> {
    Arc::new(OnDemand::new(ProblemSolver(problem), channels))
}

/// Whether a name is that of a NumPy archive.
pub fn is_npz(path: &Path) -> bool {
    path.extension()
        .is_some_and(|end| end.eq_ignore_ascii_case("npz"))
}

/// The inputs of a file as a run sees them, and what was converted or assumed.
fn open(
    path: &Path,
    header: &Header,
    solver: Option<Arc<OnDemand>>,
) -> Result<(Box<dyn InputSource>, Vec<String>)> {
    if !is_npz(path) {
        let (dataset, notes) = aligned_dataset(header, &Dataset::open(path)?)?;
        // It computes in the run's units, as it did for training.
        let dataset = match solver {
            Some(solver) if dataset.has_low() => dataset.with_low(solver),
            _ => dataset,
        };
        return Ok((Box::new(dataset), notes));
    }
    let shapes = &header.shapes;
    let channels = (shapes.input_channels, shapes.solution_channels);
    let assumed = |shape: &[usize]| assumed_grid(header, shape);
    let inputs = NpzInputs::open(path, &header.grid, channels, assumed)?;
    let given = Given {
        grid: inputs.grid(),
        // Of axes without any, the grid is assumed already.
        has_coordinates: &[],
        quantities: inputs.quantities(),
    };
    let Alignment {
        grid,
        view,
        mut notes,
        ..
    } = Alignment::new(header, path, &given)?;
    let axes = grid.axes.iter().zip(&header.grid.axes);
    for ((axis, run), has_coordinates) in axes.zip(inputs.has_coordinates()) {
        if !has_coordinates && axis.len() != run.len() {
            notes.push(extent::assumption(axis));
        }
    }
    Ok((Box::new(inputs.seen(grid, view)), notes))
}

/// The grid of this shape over the domain that the run was trained on.
fn assumed_grid(header: &Header, shape: &[usize]) -> Result<Grid> {
    // Of a grid that was thinned for training, the problem knows the true ends.
    let problem = trained_problem(header).ok().flatten();
    match problem {
        _ if header.grid.shape() == shape => Ok(header.grid.clone()),
        Some(problem) if problem.grid().dimensions() == shape.len() => {
            refined_grid(problem.grid(), shape)
        }
        _ => refined_grid(&header.grid, shape),
    }
}

/// The built-in problem whose data the run was trained on, as it was there.
fn trained_problem(header: &Header) -> Result<Option<Box<dyn Problem>>> {
    let data = &header.data;
    let known = |name: &&String| catalogue::NAMES.contains(&name.as_str());
    let (Some(name), Some(constants)) = (data.problem.as_ref().filter(known), &data.constants)
    else {
        return Ok(None);
    };
    let context = "constants of the run's problem";
    let table = toml::Table::try_from(constants).map_err(|error| Error::Config {
        context: context.into(),
        reason: error.to_string(),
    })?;
    catalogue::build(name, table, context).map(Some)
}

/// Refuses a grid whose fields do not fit into memory: input, low fidelity, mean, deviation.
fn check_points(resolution: &Resolution, shape: &[usize], header: &Header) -> Result<()> {
    let Shapes {
        input_channels,
        solution_channels,
        ..
    } = &header.shapes;
    let field = size_of::<f64>() * (input_channels + 3 * solution_channels);
    check_room(
        &format!("resolution {resolution}"),
        &[shape, &[field][..]].concat(),
        "choose fewer points",
    )
}

fn per_axis(resolution: &Resolution, axes: usize) -> Vec<usize> {
    match resolution {
        Resolution::Uniform(n) => vec![*n; axes],
        Resolution::PerAxis(list) => list.clone(),
    }
}

/// Names the input whose field was refused.
fn refused_at(place: Option<String>, error: Error) -> Error {
    let Some(place) = place else {
        return error;
    };
    match error {
        Error::Numerical { what, advice } => Error::Numerical {
            what: format!("{place}: {what}"),
            advice,
        },
        Error::Shape {
            what,
            found,
            expected,
        } => Error::Shape {
            what: format!("{place}: {what}"),
            found,
            expected,
        },
        Error::Config { context, reason } => Error::Config {
            context: format!("{place}: {context}"),
            reason,
        },
        other => other,
    }
}
