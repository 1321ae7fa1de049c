//! Opens a file of inputs for a run and aligns it with the run's axes, channels and units.

use std::path::Path;
use std::sync::Arc;

use super::InputSource;
use super::alignment::{Alignment, Given, aligned_dataset, extent};
use crate::dataset::{Dataset, NpzInputs};
use crate::grid::refined_grid;
use crate::low::OnDemand;
use crate::problem::{Problem, ProblemSolver, Resolution, catalogue};
use crate::train::Header;
use crate::train::model::Shapes;
use crate::{Error, Grid, Result};
use floral_data::memory::check_room;

/// An aligned source, and notes on what was converted or assumed.
pub(super) type Seen = (Box<dyn InputSource>, Vec<String>);

/// Whether the name of a file is that of a NumPy archive.
pub fn is_npz(path: &Path) -> bool {
    path.extension()
        .is_some_and(|end| end.eq_ignore_ascii_case("npz"))
}

/// The inputs of a file.
pub(super) fn opened(path: &Path, header: &Header, solver: Option<&Arc<OnDemand>>) -> Result<Seen> {
    if is_npz(path) {
        return opened_npz(path, header);
    }
    let (dataset, notes) = aligned_dataset(header, &Dataset::open(path)?)?;
    // The solver computes in the run's units, as in training, so it sees the aligned dataset.
    let dataset = match solver {
        Some(solver) if dataset.has_low() => dataset.with_low(solver.clone()),
        _ => dataset,
    };
    Ok((Box::new(dataset), notes))
}

fn opened_npz(path: &Path, header: &Header) -> Result<Seen> {
    let shapes = &header.shapes;
    let channels = (shapes.input_channels, shapes.solution_channels);
    let assumed = |shape: &[usize]| assumed_grid(header, shape);
    let inputs = NpzInputs::open(path, &header.grid, channels, assumed)?;
    let given = Given {
        grid: inputs.grid(),
        // Axes without coordinates already have an assumed grid.
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

/// The grid of this shape on the domain on which the run was trained.
fn assumed_grid(header: &Header, shape: &[usize]) -> Result<Grid> {
    // If the grid was thinned for training, only the problem knows the true ends of the domain.
    let problem = trained_problem(header).ok().flatten();
    match problem {
        _ if header.grid.shape() == shape => Ok(header.grid.clone()),
        Some(problem) if problem.grid().dimensions() == shape.len() => {
            refined_grid(problem.grid(), shape)
        }
        _ => refined_grid(&header.grid, shape),
    }
}

/// The built-in problem, with its constants, that generated the training data of the run.
fn trained_problem(header: &Header) -> Result<Option<Box<dyn Problem>>> {
    let data = &header.data;
    let known = |name: &&String| catalogue::NAMES.contains(&name.as_str());
    let (Some(name), Some(constants)) = (data.problem.as_ref().filter(known), &data.constants)
    else {
        return Ok(None);
    };
    let context = "constants of the run's problem";
    let table = toml::Table::try_from(constants)
        .map_err(|error| Error::config(context, error.to_string()))?;
    catalogue::build(name, table, context).map(Some)
}

/// The solver of missing low fidelity: the given one, or that of the built-in problem from which
/// the inputs or the run come.
pub(super) fn solver(
    given: Option<Arc<OnDemand>>,
    source: &dyn InputSource,
    header: &Header,
) -> Result<Option<Arc<OnDemand>>> {
    if given.is_some() || source.has_low() {
        return Ok(given);
    }
    let problem = match source.origin()? {
        Some(problem) => Some(problem),
        None => trained_problem(header)?
            .filter(|problem| problem.grid().shape() == source.grid().shape()),
    };
    Ok(problem.map(|problem| by_problem(problem, header.shapes.solution_channels)))
}

pub(super) fn by_problem(problem: Box<dyn Problem>, channels: usize) -> Arc<OnDemand> {
    Arc::new(OnDemand::new(ProblemSolver(problem), channels))
}

/// The grid of the predictions: that of the inputs, or a finer or coarser one on the same domain.
pub(super) fn predicted_grid(
    grid: &Grid,
    resolution: Option<&Resolution>,
    header: &Header,
) -> Result<Grid> {
    let Some(resolution) = resolution else {
        return Ok(grid.clone());
    };
    let shape = match resolution {
        Resolution::Uniform(n) => vec![*n; grid.dimensions()],
        Resolution::PerAxis(list) => list.clone(),
    };
    check_points(resolution, &shape, header)?;
    refined_grid(grid, &shape)
}

/// Refuses a grid on which input, low fidelity, mean and standard deviation do not fit in memory.
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
