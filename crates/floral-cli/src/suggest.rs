//! `floral suggest`: which inputs of a pool to simulate next.

use std::fmt::Write;
use std::ops::Range;
use std::path::PathBuf;

use anyhow::{Result, ensure};
use floral::counted;
use floral::device::Device;
use floral::predict::{Cases, Predictor};
use floral::quantity::labels;
use floral::suggest::{Suggestions, suggest};
use floral::train::RunFolder;

use crate::progress::Progress;
use crate::{Ending, inputs, interrupt, low, output};

/// What `floral suggest` takes.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    floral suggest runs/darcy --pool new.zarr -k 5\n  \
    floral suggest runs/darcy --pool new.npz -k 5 --json\n\n\
    The pool holds inputs that could be simulated, with low fidelity if the run needs it. The first \
    suggestion is the input whose mean has the largest epistemic uncertainty. The uncertainty that \
    simulating it would remove elsewhere is subtracted before the next is chosen, so that suggestions \
    are not redundant. The removed error is an expectation under the run's own error correlations. \
    Needs a run of floral-kl or kriging.")]
pub struct Arguments {
    /// Run folder, or model file
    #[arg(value_name = "RUN")]
    run: PathBuf,

    /// Dataset or NumPy archive with the inputs to choose from
    #[arg(long, value_name = "POOL.zarr|POOL.npz")]
    pool: PathBuf,

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

/// Chooses and prints.
pub fn run(arguments: &Arguments) -> Result<Ending> {
    let Arguments { run, pool, .. } = arguments;
    let predictor = Predictor::load(&RunFolder::open(run)?, &Device::flex())?;
    output::notes(&predictor.header().notes());
    let solver = arguments.low.solver(&predictor, run, pool)?;
    let cases = Cases::open_with(pool, &predictor, None, solver)?;
    ensure!(!cases.lacks_low(), low::absence(&predictor, pool));
    let inputs = arguments.inputs.clone().unwrap_or(0..cases.inputs());
    ensure!(
        inputs.end <= cases.inputs(),
        "--inputs {}..{}: {} has inputs 0..{}",
        inputs.start,
        inputs.end,
        pool.display(),
        cases.inputs()
    );
    let progress = Progress::new("suggest", interrupt::flag()?);
    let found = cases
        .prepare(inputs.clone(), &progress)
        .and_then(|()| cases.check(&predictor, inputs.clone()))
        .and_then(|_| suggest(&predictor, &cases, inputs, arguments.count, &progress));
    progress.finish();
    let found = found?;
    output::print(&if arguments.json {
        serde_json::to_string_pretty(&found)? + "\n"
    } else {
        text(&found)?
    })?;
    Ok(Ending::Done)
}

/// Suggestions as text.
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

/// One number per channel with its units, and with its name if there are several.
fn per_channel(found: &Suggestions, values: &[f64]) -> String {
    let labels = labels(&found.channels);
    let word = |(i, value): (usize, &f64)| {
        let units = found.channels.get(i).and_then(|q| q.units.as_deref());
        let units = units.map_or(String::new(), |units| format!(" {units}"));
        let label = labels.get(i).filter(|_| values.len() > 1);
        let label = label.map_or(String::new(), |label| format!(" of {label}"));
        format!("{value:.3e}{units}{label}")
    };
    let words: Vec<String> = values.iter().enumerate().map(word).collect();
    words.join(", ")
}
