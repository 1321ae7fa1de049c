//! `floral sensitivity`: quantities over uncertain inputs, and which parameter matters most.

use std::fmt::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use floral::counted;
use floral::predict::{Predictor, is_npz};
use floral::sensitivity::{
    ParameterIndices, QuantityOutcome, Sensitivity, SensitivityRequest, VarianceShares, propagate,
    read_laws, sensitivity, write_maps,
};
use floral::storage::{refuse_overwriting, write_atomically};
use floral::train::RunFolder;

use crate::interest::{self, error, number};
use crate::progress::Progress;
use crate::session::Given;
use crate::{Ending, inputs, low, output, session};

/// Arguments of `floral sensitivity`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    floral sensitivity runs/beam --inputs-from law.toml --quantity 'peak = max(u)' \\\n      \
    --exceed-quantity 'peak: 2'\n  \
    floral sensitivity runs/darcy --pool inputs.zarr --quantity 'total = integral(u)' --json\n\n\
    Laws:\n  \
    A TOML file with a line for each parameter of the run, independent of each other:\n    \
    load = { law = \"uniform\", low = 0, high = 10 }\n    \
    stiffness = { law = \"normal\", mean = 12, std = 2 }\n    \
    width = { law = \"lognormal\", median = 2, factor = 1.5 }\n    \
    depth = { law = \"loguniform\", low = 0.1, high = 10 }\n    \
    angle = { law = \"triangular\", low = 0, mode = 10, high = 30 }\n    \
    speed = 3\n\n\
    What is printed:\n  \
    The distribution of each quantity over inputs and the solution's own randomness; the shares of its \
    variance that come from the input, from inherent randomness and from lack of training data \
    (epistemic), which add up to 100 %; and for each parameter the first-order and total Sobol index of \
    the mean given the input. Multiply an index by the share of the input to have a share of \
    all of the variance. Intervals of 90 % contain the error of the number of samples and the run's own \
    uncertainty. With --pool each input is as probable as any other, and there are no indices.")]
pub struct Arguments {
    /// Run folder, or model file
    #[arg(value_name = "RUN")]
    run: PathBuf,

    /// Distributions of the parameters, for runs whose inputs are parameters
    #[arg(
        long,
        value_name = "LAW.toml",
        required_unless_present = "pool",
        conflicts_with = "pool"
    )]
    inputs_from: Option<PathBuf>,

    /// Dataset or NumPy archive with a pool of inputs, instead of distributions
    #[arg(long, value_name = "POOL.zarr|POOL.npz")]
    pool: Option<PathBuf>,

    /// Inputs of the pool to take, as in 0..50 [default: all]
    #[arg(long, value_name = "RANGE", value_parser = inputs::parse, requires = "pool")]
    inputs: Option<Range<usize>>,

    #[command(flatten)]
    interests: interest::Arguments,

    /// Rows of the design; each predicts as many inputs as parameters vary, and two more
    #[arg(long, value_name = "N", default_value_t = 1024)]
    samples: usize,

    /// Realizations per input
    #[arg(long, value_name = "M", default_value_t = 8)]
    realizations: usize,

    /// Random seed of inputs and realizations
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    /// NumPy archive for maps of the indices of the mean at every point of the field
    #[arg(long, value_name = "MAPS.npz", conflicts_with = "pool")]
    maps: Option<PathBuf>,

    /// JSON file for all numbers
    #[arg(short, long, value_name = "OUT.json")]
    output: Option<PathBuf>,

    #[command(flatten)]
    low: low::Arguments,

    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

/// Predicts the inputs and prints the results.
pub fn run(arguments: &Arguments) -> Result<Ending> {
    arguments.check_files()?;
    let predictor = session::loaded(&arguments.run)?;
    let request = SensitivityRequest {
        asked: arguments.interests.asked(),
        samples: arguments.samples,
        realizations: arguments.realizations,
        seed: arguments.seed,
        maps: arguments.maps.is_some(),
        ..SensitivityRequest::default()
    };
    let found = Progress::during("sensitivity", |progress| {
        arguments.find(&predictor, &request, progress)
    })?;
    output::notes(&found.notes);
    let json = serde_json::to_string_pretty(&found)? + "\n";
    if let Some(path) = &arguments.output {
        write_atomically(path, json.as_bytes())?;
    }
    if let (Some(path), Some(maps)) = (&arguments.maps, &found.maps) {
        write_maps(maps, path)?;
    }
    output::print(&if arguments.json { json } else { text(&found) })?;
    Ok(Ending::Done)
}

impl Arguments {
    /// Refuses outputs that would replace inputs or have the wrong file type.
    fn check_files(&self) -> Result<()> {
        let mut read = RunFolder::open(&self.run)?.files();
        read.extend(self.inputs_from.iter().chain(&self.pool).cloned());
        for path in self.output.iter().chain(&self.maps) {
            refuse_overwriting(path, read.iter().map(PathBuf::as_path))?;
        }
        if let Some(path) = &self.maps {
            ensure!(
                is_npz(path),
                "--maps {}: give a name that ends in .npz",
                path.display()
            );
        }
        Ok(())
    }

    fn find(
        &self,
        predictor: &Predictor,
        request: &SensitivityRequest,
        progress: &Progress<'_>,
    ) -> Result<Sensitivity> {
        let source = self.inputs_from.as_ref().or(self.pool.as_ref());
        let source = source.map_or(Path::new(""), PathBuf::as_path);
        let given = Given {
            run: &self.run,
            low: &self.low,
            inputs: self.inputs.as_ref(),
            resolution: None,
        };
        let Some(pool) = &self.pool else {
            let solver = given.opening(predictor, source)?.solver;
            let laws = read_laws(source)?;
            return Ok(sensitivity(predictor, &laws, solver, request, progress)?);
        };
        let session = given.open(predictor, pool)?;
        let (cases, inputs) = (session.cases(), session.inputs());
        Ok(propagate(predictor, cases, inputs, request, progress)?)
    }
}

/// The results as text.
pub fn text(found: &Sensitivity) -> String {
    let mut text = String::new();
    for one in &found.quantities {
        let _ = quantity(&mut text, one, found.inputs);
    }
    if !found.parameters.is_empty() {
        text += "indices: shares of the input's part of the variance; intervals of 90 % contain the run's own \
                 uncertainty\n";
    }
    text
}

fn quantity(text: &mut String, one: &QuantityOutcome, inputs: usize) -> fmt::Result {
    let units = one.units.as_ref();
    let units = units.map_or(String::new(), |units| format!(" [{units}]"));
    let (inputs, draws) = (counted(inputs, "input"), counted(one.draws, "draw"));
    let (name, expression) = (&one.name, &one.expression);
    writeln!(
        text,
        "{name} = {expression}{units}, over {inputs} with {draws}"
    )?;
    let columns = ["mean", "std", "5 %", "50 %", "95 %", "super 95 %"];
    row(text, "", columns.iter().map(ToString::to_string))?;
    let statistics = one.statistics.iter();
    row(text, "", statistics.clone().map(|s| number(s.value)))?;
    let errors = statistics.map(|s| error(s.standard_error));
    row(text, "standard error", errors)?;
    for above in &one.exceedances {
        let (value, error) = (number(above.value), error(above.standard_error));
        let threshold = &above.name;
        writeln!(
            text,
            "  P({name} > {threshold}) = {value}, standard error {error}"
        )?;
    }
    variance(text, &one.variance)?;
    indices(text, &one.indices)?;
    writeln!(text)
}

fn row(text: &mut String, name: &str, cells: impl Iterator<Item = String>) -> fmt::Result {
    let cells: String = cells.map(|cell| format!(" {cell:>11}")).collect();
    writeln!(text, "  {name:14}{cells}")
}

/// The shares of the variance by source.
fn variance(text: &mut String, parts: &VarianceShares) -> fmt::Result {
    let share = |value: f64| format!("{:.1} %", 100.0 * value);
    let (total, input) = (number(parts.total), share(parts.input));
    let inherent = share(parts.inherent);
    match parts.ignorance.map(share) {
        Some(epistemic) => writeln!(
            text,
            "  variance {total}: input {input}, inherent {inherent}, epistemic {epistemic}"
        ),
        None => writeln!(
            text,
            "  variance {total}: input {input}, inherent and epistemic together {inherent}"
        ),
    }
}

/// The indices of each parameter, if there are any.
fn indices(text: &mut String, all: &[ParameterIndices]) -> fmt::Result {
    let width = all.iter().map(|index| index.name.chars().count()).max();
    let Some(width) = width.map(|width| width.max(9)) else {
        return Ok(());
    };
    writeln!(
        text,
        "\n  {:width$} {:>12} {:>17} {:>12} {:>17}",
        "parameter", "first-order", "90 %", "total", "90 %"
    )?;
    for ParameterIndices { name, first, total } in all {
        let [first, total] = [first, total].map(|index| {
            let [from, to] = index.interval;
            let range = format!("{from:.3} ... {to:.3}");
            format!("{:>12.3} {range:>17}", index.value)
        });
        writeln!(text, "  {name:width$} {first} {total}")?;
    }
    Ok(())
}
