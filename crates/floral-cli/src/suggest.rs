//! `floral suggest`: which inputs of a pool to simulate next, or where to measure a new case.

use std::fmt::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use floral::predict::Predictor;
use floral::quantity::labels;
use floral::ranks::Alone;
use floral::suggest::{SensorSuggestions, Suggestions, suggest, suggest_sensors};
use floral::{Quantity, counted};

use crate::progress::Progress;
use crate::session::Given;
use crate::{Ending, inputs, low, observe, output, session};

/// Arguments of `floral suggest`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    floral suggest runs/darcy --pool new.zarr -k 5\n  \
    floral suggest runs/darcy --pool new.npz -k 5 --json\n  \
    floral suggest runs/darcy --sensors 5 --input new.npz\n  \
    floral suggest runs/darcy --sensors 2 --input new.npz --inputs 3..4 --observe readings.csv --std 0.01\n\n\
    The pool holds inputs that could be simulated, with low fidelity if the run needs it. The first \
    suggestion is the input whose mean has the largest epistemic uncertainty. The uncertainty that \
    simulating it would remove elsewhere is subtracted before the next is chosen, so that suggestions \
    are not redundant. The removed error is an expectation under the run's own error correlations. \
    Needs a run of floral-kl or kriging.\n\n\
    With --sensors, it suggests where to measure the solution of one input: one after another the point \
    of the training grid whose reading removes most of the predicted variance, aleatoric and epistemic, \
    averaged over points; given the readings of --observe, if any. Under a normal law with the \
    predicted covariance this is exact.")]
pub struct Arguments {
    /// Run folder, or model file
    #[arg(value_name = "RUN")]
    run: PathBuf,

    /// Dataset or NumPy archive with the inputs to choose from
    #[arg(
        long,
        value_name = "POOL.zarr|POOL.npz",
        required_unless_present = "sensors",
        conflicts_with = "sensors"
    )]
    pool: Option<PathBuf>,

    /// Suggest places for this number of sensors, for one input
    #[arg(long, value_name = "N", requires = "input", help_heading = "Sensors")]
    sensors: Option<usize>,

    /// Dataset or NumPy archive with the input that is measured; several need --inputs
    #[arg(
        long,
        value_name = "NEW.zarr|NEW.npz",
        requires = "sensors",
        help_heading = "Sensors"
    )]
    input: Option<PathBuf>,

    /// Standard deviation of the noise of the sensors, in the units of the solution
    #[arg(
        long,
        value_name = "S",
        default_value_t = 0.0,
        requires = "sensors",
        help_heading = "Sensors"
    )]
    std: f64,

    #[command(flatten)]
    observations: observe::Arguments,

    /// Number of inputs to suggest
    #[arg(short = 'k', long, value_name = "K", default_value_t = 5)]
    count: usize,

    /// Inputs of the pool to consider, as in 0..50 [default: all]
    #[arg(long, value_name = "RANGE", value_parser = inputs::parse)]
    inputs: Option<Range<usize>>,

    #[command(flatten)]
    low: low::Arguments,

    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

impl Arguments {
    fn given(&self) -> Given<'_> {
        Given {
            run: &self.run,
            low: &self.low,
            inputs: self.inputs.as_ref(),
            resolution: None,
        }
    }
}

/// Suggests inputs or sensors, and prints them.
pub fn run(arguments: &Arguments) -> Result<Ending> {
    let predictor = session::loaded(&arguments.run)?;
    if let (Some(count), Some(input)) = (arguments.sensors, &arguments.input) {
        return sensors(arguments, &predictor, count, input);
    }
    ensure!(
        arguments.observations.is_empty(),
        "--observe: readings belong to one input; give --sensors and --input instead of --pool"
    );
    let pool = arguments.pool.as_deref().unwrap_or(Path::new(""));
    let mut session = arguments.given().open(&predictor, pool)?;
    let found = Progress::during("suggest", |progress| {
        session.check(&Alone::default(), progress)?;
        let (cases, inputs) = (session.cases(), session.inputs());
        suggest(&predictor, cases, inputs, arguments.count, progress)
    })?;
    output::found(&found, arguments.json, text)?;
    Ok(Ending::Done)
}

/// Suggests where to measure one input, and prints the places.
fn sensors(
    arguments: &Arguments,
    predictor: &Predictor,
    count: usize,
    input: &Path,
) -> Result<Ending> {
    let session = arguments.given().open(predictor, input)?;
    let inputs = session.inputs();
    ensure!(
        inputs.len() == 1,
        "--sensors: {} has {} inputs; choose the one that is measured, as in --inputs 0..1",
        input.display(),
        inputs.len()
    );
    let mut session = arguments.observations.observed(session)?;
    let found = Progress::during("suggest", |progress| {
        session.check(&Alone::default(), progress)?;
        suggest_sensors(
            predictor,
            session.cases(),
            inputs.start,
            count,
            arguments.std,
        )
    })?;
    output::found(&found, arguments.json, sensors_text)?;
    Ok(Ending::Done)
}

/// Suggested sensors as text.
pub fn sensors_text(found: &SensorSuggestions) -> Result<String> {
    let mut text = format!(
        "predicted standard deviation of input {}: {} (root mean square)\n\n ",
        found.input,
        numbers_with_units(&found.channels, &found.std)
    );
    for axis in &found.axes {
        write!(text, " {axis:>11}")?;
    }
    let has_several = found.std.len() > 1;
    let names = labels(&found.channels);
    writeln!(
        text,
        "   std left{}",
        if has_several { "   channel" } else { "" }
    )?;
    for sensor in &found.sensors {
        write!(text, " ")?;
        for along in &sensor.coordinates {
            write!(text, " {:>11}", crate::interest::number(*along))?;
        }
        write!(text, "   {:6.1} %", 100.0 * sensor.left)?;
        if has_several {
            let name = names.get(sensor.channel).cloned();
            write!(
                text,
                "   {}",
                name.unwrap_or_else(|| sensor.channel.to_string())
            )?;
        }
        writeln!(text)?;
    }
    writeln!(
        text,
        "\nstd left: share of the root mean square standard deviation without readings."
    )?;
    Ok(text)
}

/// Suggested inputs as text.
pub fn text(found: &Suggestions) -> Result<String> {
    let mut text = format!(
        "epistemic standard deviation of the mean, over {}: {} (root mean square)\n\n",
        counted(found.pool, "input"),
        per_channel(found, &found.error)
    );
    writeln!(
        text,
        "  input   novelty   error removed   epistemic standard deviation"
    )?;
    for input in &found.inputs {
        let error = per_channel(found, &input.error);
        let removed = 100.0 * input.removes;
        let (index, novelty) = (input.input, input.novelty);
        writeln!(
            text,
            "  {index:5}   {novelty:7.2}   {removed:11.1} %   {error}"
        )?;
    }
    let random = 100.0 * found.random_removes;
    writeln!(
        text,
        "\nOne input chosen at random from the pool would remove {random:.1} % of the error."
    )?;
    Ok(text)
}

/// One number per channel with its units, and with the channel's name if there are several.
fn per_channel(found: &Suggestions, values: &[f64]) -> String {
    numbers_with_units(&found.channels, values)
}

fn numbers_with_units(channels: &[Quantity], values: &[f64]) -> String {
    let labels = labels(channels);
    let word = |(i, value): (usize, &f64)| {
        let units = channels.get(i).and_then(|q| q.units.as_deref());
        let units = units.map_or(String::new(), |units| format!(" {units}"));
        let label = labels.get(i).filter(|_| values.len() > 1);
        let label = label.map_or(String::new(), |label| format!(" of {label}"));
        format!("{value:.3e}{units}{label}")
    };
    let words: Vec<String> = values.iter().enumerate().map(word).collect();
    words.join(", ")
}
