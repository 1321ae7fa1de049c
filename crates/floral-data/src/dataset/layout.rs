//! The layout of a dataset: names of its arrays, and its attributes. The generation of crate
//! `floral-problems` fills it; `shapes.rs` recognises it when reading.
//!
//! Attributes of arrays describe their values, as far as known: `units` and `long_name` of an axis,
//! and the attributes of `quantities.rs` for `input`, `low`, `high` and moments, also for several
//! channels. An absent attribute means unknown; pure numbers have the unit `1`.

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
/// Number of realizations of each input, if it differs between inputs.
pub const REALIZATIONS_OF: &str = "realizations_of";

/// Parameters: one value of each per input.
pub const PARAMETERS: &str = "parameters";
/// Coordinates of the points of a mesh, and the prefix of the names of its cell arrays.
pub const POINTS: &str = "points";
pub const CELLS: &str = "cells_";

/// Long names of the arrays of fields.
const INPUT_MEANING: &str = "input field";
const LOW_MEANING: &str = "low-fidelity solution";
pub const HIGH_MEANING: &str = "realizations of the high-fidelity solution";
pub const EXACT_MEAN_MEANING: &str = "exact mean";
pub const EXACT_VARIANCE_MEANING: &str = "exact variance";

/// Meanings that serve as the long name of a field without a quantity.
pub const MEANINGS: [&str; 3] = [INPUT_MEANING, LOW_MEANING, HIGH_MEANING];

/// The default title of a dataset, after the name of its problem.
pub const TITLE: &str = "inputs, low-fidelity and high-fidelity solutions";

/// The attribute that declares the transformations that map solutions to solutions.
pub const SYMMETRIES: &str = "symmetries";

/// The attribute with a checksum of all values, for data that were not generated from a seed.
pub const CHECKSUM: &str = "checksum";

/// Names of the dimensions that are not axes of the grid.
pub const INPUT_DIMENSION: &str = "input";
pub const REALIZATION_DIMENSION: &str = "realization";
pub const CHANNEL_DIMENSION: &str = "channel";
pub const LOW_REALIZATION_DIMENSION: &str = "low_realization";
pub const INPUT_CHANNEL_DIMENSION: &str = "input_channel";
pub const PARAMETER_DIMENSION: &str = "parameter";
pub const DIMENSION_DIMENSION: &str = "dimension";

/// Numbers of channels.
pub struct Channels {
    /// Channels of the input, including its parameters.
    pub input: usize,
    pub solution: usize,
}

impl Channels {
    /// xarray requires one length per dimension, so different numbers of channels need two names.
    fn input_dimension(&self) -> &'static str {
        if self.input == self.solution {
            CHANNEL_DIMENSION
        } else {
            INPUT_CHANNEL_DIMENSION
        }
    }
}

/// The arrays of axes, inputs and solutions, for `inputs` inputs with `realizations` realizations
/// each.
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

/// The name of the coarser axis of high fidelity, if it has fewer points along `axis`.
pub fn high_axis(axis: &str) -> String {
    format!("{axis}_high")
}

/// Checks the names of a grid's axes; the error describes the problem.
pub fn check_axes(grid: &Grid) -> Result<(), String> {
    let axes = grid.axes.iter().map(|axis| axis.name.as_str());
    axis_names::fault_of_dataset(axes).map_or(Ok(()), Err)
}
