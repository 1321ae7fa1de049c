//! The layout of a dataset: its arrays and their names, its attributes. `writer.rs` fills it,
//! `shapes.rs` finds it again in what is read.
//!
//! Attributes describe the values of arrays, as far as known: axes have `units` and `long_name`;
//! `input`, `low`, `high` and moments have those of `quantities.rs`, for one or several channels. An
//! absent attribute means unknown, never that values are pure numbers, whose unit is `1`.

use serde_json::{Map, Value, json};

use super::axis_names;
use super::quantities::{self, describe};
use crate::problem::Problem;
use crate::random::{Purpose, stream};
use crate::storage::{Dimension, GroupPlan, LARGEST_CHUNK, Precision, array_metadata};
use crate::{Error, Grid, Quantities, Quantity, Result};

/// The version of the layout, raised when older readers would misread it.
pub const FORMAT: u64 = 1;

pub(super) const INPUT: &str = "input";
pub(super) const LOW: &str = "low";
pub(super) const LOW_REALIZATIONS: &str = "low_realizations";
pub(super) const HIGH: &str = "high";
pub(super) const EXACT_MEAN: &str = "exact_mean";
pub(super) const EXACT_VARIANCE: &str = "exact_variance";
pub(super) const REDRAWS: &str = "redraws";
/// How many realizations each input has, where not all have the same number.
pub(super) const REALIZATIONS_OF: &str = "realizations_of";

/// What the arrays of fields are for.
const INPUT_MEANING: &str = "input field";
const LOW_MEANING: &str = "low-fidelity solution";
pub(super) const HIGH_MEANING: &str = "realizations of the high-fidelity solution";
const EXACT_MEAN_MEANING: &str = "exact mean";
const EXACT_VARIANCE_MEANING: &str = "exact variance";

/// Those that stand in the place of a quantity's name where it has none.
pub(super) const MEANINGS: [&str; 3] = [INPUT_MEANING, LOW_MEANING, HIGH_MEANING];

/// The title of a dataset that has none of its own, after the name of its problem.
pub(super) const TITLE: &str = "inputs, low-fidelity and high-fidelity solutions";

/// The attribute that declares which motions take solutions to solutions.
pub(super) const SYMMETRIES: &str = "symmetries";

/// The attribute with a checksum of all values, for data that no seed identifies.
pub(super) const CHECKSUM: &str = "checksum";

/// Names of the dimensions that are no axis of the grid.
pub(crate) const INPUT_DIMENSION: &str = "input";
pub(crate) const REALIZATION_DIMENSION: &str = "realization";
pub(crate) const CHANNEL_DIMENSION: &str = "channel";
pub(super) const LOW_REALIZATION_DIMENSION: &str = "low_realization";
pub(crate) const INPUT_CHANNEL_DIMENSION: &str = "input_channel";

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
    /// Inputs that share a file of an array, which is written once all of them are there.
    pub shard: usize,
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
    let quantities = problem.quantities();
    quantities::check(&quantities, &channels)?;
    let mut arrays = fields(grid, numbers, &channels, &quantities);
    let solution = (channels.solution, quantities.solution.as_slice());
    arrays.extend(extras(grid, request, solution, has_moments));
    let plan = GroupPlan {
        arrays,
        attributes: attributes(problem, request)?,
        precision: request.precision,
        shard: 1,
    };
    Ok(plan.sharded((INPUT_DIMENSION, request.inputs), request.shard))
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

/// The arrays of axes, inputs and solutions, for these numbers of inputs and realizations.
pub(super) fn fields(
    grid: &Grid,
    (inputs, realizations, precision): (usize, usize, Precision),
    channels: &Channels,
    quantities: &Quantities,
) -> Map<String, Value> {
    let inputs = (INPUT_DIMENSION, inputs);
    let realizations = (REALIZATION_DIMENSION, realizations);
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
    for axis in &grid.axes {
        add(&axis.name, array_metadata::axis(axis));
    }
    let Quantities { input, solution } = quantities;
    add(INPUT, values(&[channels_in], INPUT_MEANING, input));
    add(LOW, values(&[channels_out], LOW_MEANING, solution));
    let high = [realizations, channels_out];
    add(HIGH, values(&high, HIGH_MEANING, solution));
    arrays
}

/// What only a built-in problem knows.
fn extras(
    grid: &Grid,
    request: &Request,
    (channels, quantities): (usize, &[Quantity]),
    has_moments: bool,
) -> Map<String, Value> {
    let inputs = (INPUT_DIMENSION, request.inputs);
    let inner = [vec![(CHANNEL_DIMENSION, channels)], dimensions(grid)].concat();
    let values = |meaning, quantities: &[Quantity]| {
        let mut array = array_metadata::values(inputs, &inner, request.precision, meaning);
        describe(&mut array, quantities);
        array
    };
    let mut arrays = Map::new();
    let mut add = |name: &str, array| arrays.insert(name.to_owned(), array);
    if has_moments {
        let of = |f: fn(&Quantity) -> Quantity| quantities.iter().map(f).collect::<Vec<_>>();
        let means = of(|quantity| quantity.statistic("exact mean"));
        let variances = of(|quantity| quantity.variance("exact variance"));
        add(EXACT_MEAN, values(EXACT_MEAN_MEANING, &means));
        add(EXACT_VARIANCE, values(EXACT_VARIANCE_MEANING, &variances));
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

/// The axis of the points of `axis` at which high fidelity is known, where they are fewer.
pub(super) fn high_axis(axis: &str) -> String {
    format!("{axis}_high")
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
    axis_names::fault_of_dataset(axes).map_or(Ok(()), Err)
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
        "title": format!("{}: {TITLE}", problem.name()),
        "floral_format": FORMAT,
        "floral_version": env!("CARGO_PKG_VERSION"),
        "problem": problem.name(),
        "constants": constants,
        "seed": request.seed,
        SYMMETRIES: problem.symmetries(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::catalogue;

    /// The words that readers are given, and code in them.
    const WORDS: &str = include_str!("layout.md");

    fn assert_described(name: &str) {
        assert!(WORDS.contains(&format!("`{name}`")), "layout.md: `{name}`");
    }

    #[test]
    fn every_array_and_attribute_is_in_the_words_for_readers() {
        let problem = catalogue::build("1dcr", toml::Table::new(), "test").unwrap();
        let request = Request {
            inputs: 1,
            realizations: 1,
            seed: 0,
            precision: Precision::F32,
            shard: 1,
            force: false,
        };
        let plan = plan(problem.as_ref(), &request).unwrap();
        let names = |value: &Value| -> Vec<String> {
            let attributes = value.as_object().into_iter().flatten();
            attributes.map(|(name, _)| name.clone()).collect()
        };
        for (name, array) in &plan.arrays {
            if problem.grid().axes.iter().all(|axis| axis.name != *name) {
                assert_described(name);
            }
            names(&array["attributes"])
                .iter()
                .for_each(|n| assert_described(n));
        }
        names(&plan.attributes)
            .iter()
            .for_each(|name| assert_described(name));
        let read = [
            LOW_REALIZATIONS,
            INPUT_CHANNEL_DIMENSION,
            quantities::CHANNEL_NAMES,
            quantities::CHANNEL_UNITS,
            quantities::CHANNEL_LONG_NAMES,
            array_metadata::COMMENT,
            crate::dataset::sensors::SENSORS,
            crate::dataset::mask::MASK,
            crate::dataset::stochastic_low::LOW_PAIRING,
        ];
        read.iter().for_each(|name| assert_described(name));
    }
}
