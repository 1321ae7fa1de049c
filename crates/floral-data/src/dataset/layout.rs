//! The layout of a dataset: its arrays and their names, its attributes. the generation of crate
//! `floral-problems` fills it,
//! `shapes.rs` finds it again in what is read.
//!
//! Attributes of arrays state what their values are, as far as known: of an axis `units` and
//! `long_name`, of `input`, `low`, `high` and moments those of `quantities.rs`, which also says how
//! several channels have several. An attribute that is absent says nothing: never that values are
//! pure numbers, which is the unit `1`.

use serde_json::{Map, Value};

use super::quantities::describe;
use super::{axis_names, mesh, parameters};
use crate::storage::{Dimension, Precision, array_metadata};
use crate::{Grid, Quantities, Quantity};

/// The version of the layout, raised when older readers would misread it.
pub const FORMAT: u64 = 1;

pub const INPUT: &str = "input";
pub const LOW: &str = "low";
pub const LOW_REALIZATIONS: &str = "low_realizations";
pub const HIGH: &str = "high";
pub const EXACT_MEAN: &str = "exact_mean";
pub const EXACT_VARIANCE: &str = "exact_variance";
pub const REDRAWS: &str = "redraws";
/// How many realizations each input has, where not all have the same number.
pub const REALIZATIONS_OF: &str = "realizations_of";

/// Numbers that belong to inputs as a whole.
pub const PARAMETERS: &str = "parameters";
/// Coordinates of the points of a mesh, and what names of arrays with its cells begin with.
pub const POINTS: &str = "points";
pub const CELLS: &str = "cells_";

/// What the arrays of fields are for.
const INPUT_MEANING: &str = "input field";
const LOW_MEANING: &str = "low-fidelity solution";
pub const HIGH_MEANING: &str = "realizations of the high-fidelity solution";
pub const EXACT_MEAN_MEANING: &str = "exact mean";
pub const EXACT_VARIANCE_MEANING: &str = "exact variance";

/// Those that stand in the place of a quantity's name where it has none.
pub const MEANINGS: [&str; 3] = [INPUT_MEANING, LOW_MEANING, HIGH_MEANING];

/// The title of a dataset that has none of its own, after the name of its problem.
pub const TITLE: &str = "inputs, low-fidelity and high-fidelity solutions";

/// The attribute that declares which motions take solutions to solutions.
pub const SYMMETRIES: &str = "symmetries";

/// The attribute with a checksum of all values, of data that were not made from a seed.
pub const CHECKSUM: &str = "checksum";

/// Names of the dimensions that are no axis of the grid.
pub const INPUT_DIMENSION: &str = "input";
pub const REALIZATION_DIMENSION: &str = "realization";
pub const CHANNEL_DIMENSION: &str = "channel";
pub const LOW_REALIZATION_DIMENSION: &str = "low_realization";
pub const INPUT_CHANNEL_DIMENSION: &str = "input_channel";
pub const PARAMETER_DIMENSION: &str = "parameter";
pub const DIMENSION_DIMENSION: &str = "dimension";

/// How many channels the input and the solution have.
pub struct Channels {
    /// Of the input, with its parameters.
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

/// The arrays of axes, inputs and solutions, for a number of inputs with a number of realizations each.
pub fn fields(
    grid: &Grid,
    (inputs, realizations, precision): (usize, usize, Precision),
    channels: &Channels,
    quantities: &Quantities,
) -> Map<String, Value> {
    let count = inputs;
    let inputs = (INPUT_DIMENSION, inputs);
    let realizations = (REALIZATION_DIMENSION, realizations);
    let Quantities { input, solution } = quantities;
    let own: Vec<Quantity> = input.iter().filter(|q| !q.parameter).cloned().collect();
    let parameters = &input[own.len()..];
    let channels = Channels {
        input: channels.input - parameters.len(),
        ..*channels
    };
    let channels_in = (channels.input_dimension(), channels.input);
    let channels_out = (CHANNEL_DIMENSION, channels.solution);
    let values = |leading: &[Dimension], meaning, quantities: &[Quantity]| {
        let inner = [leading, &dimensions(grid)].concat();
        let mut array = array_metadata::values(inputs, &inner, precision, meaning);
        describe(&mut array, quantities);
        array
    };
    let mut arrays = Map::new();
    let mut add = |name: &str, array| arrays.insert(name.to_owned(), array);
    if grid.mesh().is_none() {
        for axis in &grid.axes {
            add(&axis.name, array_metadata::axis(axis));
        }
    }
    if !parameters.is_empty() {
        let array = parameters::array(count, parameters, precision);
        add(PARAMETERS, array);
    }
    if channels.input > 0 {
        add(INPUT, values(&[channels_in], INPUT_MEANING, &own));
    }
    add(LOW, values(&[channels_out], LOW_MEANING, solution));
    let high = [realizations, channels_out];
    add(HIGH, values(&high, HIGH_MEANING, solution));
    arrays.extend(mesh::arrays(grid));
    arrays
}

/// The axes of a grid as dimensions.
pub fn dimensions(grid: &Grid) -> Vec<Dimension<'_>> {
    let axes = grid.axes.iter();
    axes.map(|axis| (axis.name.as_str(), axis.len())).collect()
}

/// The axis of the points of `axis` at which high fidelity is known, where they are fewer.
pub fn high_axis(axis: &str) -> String {
    format!("{axis}_high")
}

/// What is wrong with the names of a grid's axes, if anything is.
pub fn check_axes(grid: &Grid) -> Result<(), String> {
    let axes = grid.axes.iter().map(|axis| axis.name.as_str());
    axis_names::fault_of_dataset(axes).map_or(Ok(()), Err)
}
