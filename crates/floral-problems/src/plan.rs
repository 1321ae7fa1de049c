//! The plan of a problem's dataset before any value is computed: its arrays and attributes.

use floral_data::dataset::layout::{
    CHANNEL_DIMENSION, Channels, EXACT_MEAN, EXACT_MEAN_MEANING, EXACT_VARIANCE,
    EXACT_VARIANCE_MEANING, FORMAT, INPUT_DIMENSION, REDRAWS, SYMMETRIES, TITLE, check_axes,
    dimensions, fields,
};
use floral_data::dataset::quantities::{self, describe};
use floral_data::storage::{GroupPlan, LARGEST_CHUNK, Precision, array_metadata};
use serde_json::{Map, Value, json};

use crate::random::{Purpose, stream};
use crate::{Error, Grid, Problem, Quantity, Result};

/// Parameters of a dataset, apart from the problem itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Number of inputs.
    pub inputs: usize,
    /// Realizations of the solution for each input.
    pub realizations: usize,
    /// The seed of all random draws.
    pub seed: u64,
    /// Precision of stored values.
    pub precision: Precision,
    /// Number of inputs that share a file of an array; the file is written once all of them are
    /// computed.
    pub shard: usize,
    /// Whether to replace an existing dataset of the same name.
    pub force: bool,
}

impl Request {
    /// A request in 32 bits, with one file per input, that replaces nothing.
    pub fn new(inputs: usize, realizations: usize, seed: u64) -> Self {
        Self {
            inputs,
            realizations,
            seed,
            precision: Precision::F32,
            shard: 1,
            force: false,
        }
    }
}

/// Plans a dataset; the first input is drawn to learn the number of channels.
pub(crate) fn plan(problem: &dyn Problem, request: &Request) -> Result<GroupPlan> {
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

/// Arrays that only a built-in problem can provide.
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

fn check_names(problem: &dyn Problem) -> Result<()> {
    check_axes(problem.grid()).map_err(|reason| Error::unsolvable(problem.name(), reason))
}

fn check_size(problem: &dyn Problem, request: &Request, channels: usize) -> Result<()> {
    let refuse = |reason: &str| Err(Error::unsolvable(problem.name(), reason));
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
    let constants = serde_json::to_value(problem.constants()).map_err(|error| {
        Error::unsolvable(
            problem.name(),
            format!("its constants cannot be stored: {error}"),
        )
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
    use crate::catalogue;
    use floral_data::dataset::layout::{INPUT_CHANNEL_DIMENSION, LOW_REALIZATIONS};

    /// The documentation of the layout for readers; names appear in code spans.
    const WORDS: &str = include_str!("../../floral-data/src/dataset/layout.md");

    fn assert_described(name: &str) {
        assert!(WORDS.contains(&format!("`{name}`")), "layout.md: `{name}`");
    }

    #[test]
    fn every_array_and_attribute_is_in_the_words_for_readers() {
        let problem = catalogue::build("1dcr", toml::Table::new(), "test").unwrap();
        let request = Request::new(1, 1, 0);
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
            array_metadata::CHANNEL_NAMES,
            array_metadata::CHANNEL_UNITS,
            array_metadata::CHANNEL_LONG_NAMES,
            array_metadata::COMMENT,
            floral_data::dataset::sensors::SENSORS,
            floral_data::dataset::mask::MASK,
            floral_data::dataset::stochastic_low::LOW_PAIRING,
        ];
        read.iter().for_each(|name| assert_described(name));
    }
}
