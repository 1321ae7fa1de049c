//! The layout of a dataset: its arrays and their names, its attributes. `writer.rs` fills it,
//! `shapes.rs` finds it again in what is read.

use serde_json::{Map, Value, json};

use super::axis_names;
use crate::problem::Problem;
use crate::random::{Purpose, stream};
use crate::storage::{Dimension, GroupPlan, LARGEST_CHUNK, Precision, array_metadata};
use crate::{Error, Grid, Result};

/// The version of the layout, raised when older readers would misread it.
pub const FORMAT: u64 = 1;

pub(super) const INPUT: &str = "input";
pub(super) const LOW: &str = "low";
pub(super) const HIGH: &str = "high";
pub(super) const EXACT_MEAN: &str = "exact_mean";
pub(super) const EXACT_VARIANCE: &str = "exact_variance";
pub(super) const REDRAWS: &str = "redraws";

/// The attribute that declares which motions take solutions to solutions.
pub(super) const SYMMETRIES: &str = "symmetries";

/// Names of the dimensions that are no axis of the grid.
pub(crate) const INPUT_DIMENSION: &str = "input";
pub(crate) const REALIZATION_DIMENSION: &str = "realization";
pub(crate) const CHANNEL_DIMENSION: &str = "channel";
pub(super) const INPUT_CHANNEL_DIMENSION: &str = "input_channel";

/// What to generate, besides the problem itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Number of inputs.
    pub inputs: usize,
    /// Realizations of the solution for each input.
    pub realizations: usize,
    /// The seed from which all is drawn.
    pub seed: u64,
    /// How values are stored.
    pub precision: Precision,
    /// Whether to replace what exists under the same name.
    pub force: bool,
}

/// Plans a dataset; the first input is drawn to learn the number of channels.
pub(super) fn plan(problem: &dyn Problem, request: &Request) -> Result<GroupPlan> {
    let mut rng = stream(request.seed, Purpose::Input, 0, 0);
    let input = problem.draw_input(&mut rng)?;
    let channels = problem.low_fidelity(&input)?.channels();
    let has_moments = problem.exact_moments(&input)?.is_some();
    check_names(problem)?;
    check_size(problem, request, channels.max(input.channels()))?;
    let channels = Channels {
        input: input.channels(),
        solution: channels,
    };
    let grid = problem.grid();
    let numbers = (request.inputs, request.realizations, request.precision);
    let mut arrays = fields(grid, numbers, &channels);
    arrays.extend(extras(grid, request, &channels, has_moments));
    Ok(GroupPlan {
        arrays,
        attributes: attributes(problem, request)?,
        precision: request.precision,
    })
}

/// How many channels the input and the solution have.
pub(super) struct Channels {
    pub input: usize,
    pub solution: usize,
}

impl Channels {
    /// xarray holds a dimension to one length, so unlike numbers of channels need two names.
    fn input_dimension(&self) -> &'static str {
        if self.input == self.solution {
            CHANNEL_DIMENSION
        } else {
            INPUT_CHANNEL_DIMENSION
        }
    }
}

/// The arrays of axes, inputs and solutions: so many inputs with so many realizations each.
pub(super) fn fields(
    grid: &Grid,
    (inputs, realizations, precision): (usize, usize, Precision),
    channels: &Channels,
) -> Map<String, Value> {
    let inputs = (INPUT_DIMENSION, inputs);
    let realizations = (REALIZATION_DIMENSION, realizations);
    let channels_in = (channels.input_dimension(), channels.input);
    let channels_out = (CHANNEL_DIMENSION, channels.solution);
    let values = |leading: &[Dimension], meaning| {
        let inner = [leading, &dimensions(grid)].concat();
        array_metadata::values(inputs, &inner, precision, meaning)
    };
    let mut arrays = Map::new();
    let mut add = |name: &str, array| arrays.insert(name.to_owned(), array);
    for axis in &grid.axes {
        add(&axis.name, array_metadata::axis(axis));
    }
    add(INPUT, values(&[channels_in], "input field"));
    add(LOW, values(&[channels_out], "low-fidelity solution"));
    let meaning = "realizations of the high-fidelity solution";
    add(HIGH, values(&[realizations, channels_out], meaning));
    arrays
}

/// What only a built-in problem knows.
fn extras(
    grid: &Grid,
    request: &Request,
    channels: &Channels,
    has_moments: bool,
) -> Map<String, Value> {
    let inputs = (INPUT_DIMENSION, request.inputs);
    let inner = [
        vec![(CHANNEL_DIMENSION, channels.solution)],
        dimensions(grid),
    ]
    .concat();
    let values = |meaning| array_metadata::values(inputs, &inner, request.precision, meaning);
    let mut arrays = Map::new();
    let mut add = |name: &str, array| arrays.insert(name.to_owned(), array);
    if has_moments {
        add(EXACT_MEAN, values("exact mean"));
        add(EXACT_VARIANCE, values("exact variance"));
    }
    let meaning = "draws that the solver repeated";
    add(REDRAWS, array_metadata::counts(inputs, meaning));
    arrays
}

/// The axes of a grid as dimensions.
pub(crate) fn dimensions(grid: &Grid) -> Vec<Dimension<'_>> {
    let axes = grid.axes.iter();
    axes.map(|axis| (axis.name.as_str(), axis.len())).collect()
}

fn check_names(problem: &dyn Problem) -> Result<()> {
    check_axes(problem.grid()).map_err(|reason| Error::Unsolvable {
        problem: problem.name(),
        reason,
    })
}

/// What is wrong with the names of a grid's axes, if anything is.
pub(super) fn check_axes(grid: &Grid) -> std::result::Result<(), String> {
    let axes = grid.axes.iter().map(|axis| axis.name.as_str());
    axis_names::fault(axes, &axis_names::RESERVED).map_or(Ok(()), Err)
}

fn check_size(problem: &dyn Problem, request: &Request, channels: usize) -> Result<()> {
    let refuse = |reason: &str| {
        Err(Error::Unsolvable {
            problem: problem.name(),
            reason: reason.to_owned(),
        })
    };
    if request.inputs == 0 || request.realizations == 0 {
        return refuse("a dataset needs at least one input and one realization");
    }
    let bytes = [channels, problem.grid().len(), request.precision.size()]
        .iter()
        .try_fold(request.realizations, |product, &n| product.checked_mul(n));
    match bytes {
        Some(bytes) if bytes <= LARGEST_CHUNK => Ok(()),
        _ => refuse(
            "the realizations of one input take more than 2 GiB; \
             ask for fewer of them or a lower resolution",
        ),
    }
}

fn attributes(problem: &dyn Problem, request: &Request) -> Result<Value> {
    let constants =
        serde_json::to_value(problem.constants()).map_err(|error| Error::Unsolvable {
            problem: problem.name(),
            reason: format!("its constants cannot be stored: {error}"),
        })?;
    Ok(json!({
        "title": format!("{}: inputs, low-fidelity and high-fidelity solutions", problem.name()),
        "floral_format": FORMAT,
        "floral_version": env!("CARGO_PKG_VERSION"),
        "problem": problem.name(),
        "constants": constants,
        "seed": request.seed,
        SYMMETRIES: problem.symmetries(),
    }))
}
