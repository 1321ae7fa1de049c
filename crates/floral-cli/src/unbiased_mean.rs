//! `floral unbiased-mean`: the mean of a quantity from a few fresh runs, without the bias of
//! predictions.

use std::fmt::Write;
use std::ops::Range;
use std::path::PathBuf;

use anyhow::Result;
use floral::dataset::Dataset;
use floral::device::Device;
use floral::predict::Predictor;
use floral::predict::interest::Asked;
use floral::train::RunFolder;
use floral::unbiased::{BudgetSplit, Fresh, UnbiasedQuantity, UnbiasedRequest, unbiased_mean};

use crate::interest::{error, number};
use crate::progress::Progress;
use crate::session::Given;
use crate::{Ending, inputs, interrupt, low, output};

/// Arguments of `floral unbiased-mean`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    floral unbiased-mean runs/darcy --fresh fresh.zarr --pool pool.zarr --quantity 'total = integral(u)'\n  \
    floral unbiased-mean runs/darcy --fresh fresh.zarr --pool pool.zarr --quantity 'peak = max(u)' \\\n      \
    --cost-high 3600 --cost-low 1 --budget 360000\n\n\
    Fresh inputs have high-fidelity solutions that the run was not trained on; the pool has inputs alone, \
    many more, from the same law. The predictions are a control variate: their bias cancels, whatever it is, and \
    the better they follow the fresh runs from input to input, the fewer runs are needed (multi-fidelity \
    Monte Carlo). The coefficient of a run is estimated from the other runs, so that the mean is unbiased for \
    any number of them. The gain is the factor by which more runs would be needed without predictions. The p value \
    is that of a paired t test: small if predictions are biased.")]
pub struct Arguments {
    /// Run folder, or model file
    #[arg(value_name = "RUN")]
    run: PathBuf,

    /// Dataset with inputs that the run has not seen, and their high-fidelity solutions
    #[arg(long, value_name = "FRESH.zarr")]
    fresh: PathBuf,

    /// Inputs of the fresh dataset to take, as in 0..10 [default: all]
    #[arg(long, value_name = "RANGE", value_parser = inputs::parse)]
    inputs: Option<Range<usize>>,

    /// Dataset or NumPy archive with many more inputs from the same law
    #[arg(long, value_name = "POOL.zarr|POOL.npz")]
    pool: PathBuf,

    /// Quantity of interest, as in 'peak = max(u)'; may be repeated
    #[arg(long, value_name = "NAME=EXPRESSION", required = true)]
    quantity: Vec<String>,

    /// Realizations per input from which the mean of a quantity that is not linear is predicted
    #[arg(long, value_name = "M", default_value_t = 64)]
    realizations: usize,

    /// Random seed of the realizations
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    /// Cost of a high-fidelity run in any unit, to print the best split of a budget
    #[arg(long, value_name = "C")]
    cost_high: Option<f64>,

    /// Cost of a prediction with its low-fidelity solution in the same unit [default: measured, in seconds]
    #[arg(long, value_name = "C", requires = "cost_high")]
    cost_low: Option<f64>,

    /// Budget to split, in the same unit [default: what these runs and predictions cost]
    #[arg(long, value_name = "B", requires = "cost_high")]
    budget: Option<f64>,

    #[command(flatten)]
    low: low::Arguments,

    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

/// Estimates the means and prints them.
pub fn run(arguments: &Arguments) -> Result<Ending> {
    let Arguments {
        run, fresh, pool, ..
    } = arguments;
    let predictor = Predictor::load(&RunFolder::open(run)?, &Device::flex())?;
    output::notes(&predictor.header().notes());
    let dataset = Dataset::open(fresh)?;
    let of_pool = Given {
        run,
        low: &arguments.low,
        inputs: None,
        resolution: None,
    };
    let of_fresh = Given {
        inputs: arguments.inputs.as_ref(),
        ..of_pool
    };
    let session = of_fresh.open(&predictor, fresh)?;
    let others = of_pool.open(&predictor, pool)?;
    let progress = Progress::new("unbiased-mean", interrupt::flag()?);
    let fresh = Fresh {
        dataset: &dataset,
        cases: session.cases(),
        inputs: session.inputs(),
    };
    let found = unbiased_mean(
        &predictor,
        &fresh,
        others.cases(),
        &arguments.request(),
        &progress,
    );
    progress.finish();
    let found = found?;
    output::print(&if arguments.json {
        serde_json::to_string_pretty(&found)? + "\n"
    } else {
        text(&found)
    })?;
    Ok(Ending::Done)
}

impl Arguments {
    fn request(&self) -> UnbiasedRequest {
        UnbiasedRequest {
            asked: Asked {
                quantities: self.quantity.clone(),
                thresholds: Vec::new(),
            },
            realizations: self.realizations,
            seed: self.seed,
            cost_high: self.cost_high,
            cost_low: self.cost_low,
            budget: self.budget,
        }
    }
}

/// The results as text.
pub fn text(found: &[UnbiasedQuantity]) -> String {
    let mut text = String::new();
    for one in found {
        let _ = quantity(&mut text, one);
    }
    text
}

fn quantity(text: &mut String, one: &UnbiasedQuantity) -> std::fmt::Result {
    let units = one
        .units
        .as_ref()
        .map_or(String::new(), |units| format!(" [{units}]"));
    let [runs, pool] = one.inputs;
    writeln!(
        text,
        "{} = {}{units}, {runs} fresh runs and {pool} predictions",
        one.name, one.expression
    )?;
    let row = |text: &mut String, name: &str, value: f64, standard: f64| {
        writeln!(
            text,
            "  {name:22} {:>11}, standard error {}",
            number(value),
            error(standard)
        )
    };
    row(text, "mean without bias", one.mean, one.standard_error)?;
    let [low, high] = one.interval;
    writeln!(
        text,
        "  {:22} {:>11} ... {}",
        "90 % interval",
        number(low),
        number(high)
    )?;
    row(
        text,
        "fresh runs alone",
        one.runs_alone[0],
        one.runs_alone[1],
    )?;
    writeln!(
        text,
        "  {:22} {:>11}",
        "predictions alone",
        number(one.predicted)
    )?;
    row(text, "bias of predictions", one.bias[0], one.bias[1])?;
    let verdict = match one.p_value {
        p if p < 0.01 => "they are biased",
        p if p < 0.1 => "they may be biased",
        _ => "no bias is seen",
    };
    writeln!(
        text,
        "  {:22} {:>11.3}: {verdict}",
        "p value of no bias", one.p_value
    )?;
    writeln!(
        text,
        "  {:22} {:>11.2} times as many runs would be needed without predictions (correlation {:.3}, coefficient {:.3})",
        "gain", one.gain, one.correlation, one.coefficient
    )?;
    if let Some(split) = &one.split {
        best_split(text, split)?;
    }
    writeln!(text)
}

fn best_split(text: &mut String, split: &BudgetSplit) -> std::fmt::Result {
    writeln!(
        text,
        "  best split of {}: {:.0} runs and {:.0} further predictions, at {} and {} each; standard error {}, {:.1} \
         times better in cost than runs alone",
        number(split.budget),
        split.runs,
        split.pool,
        number(split.costs[0]),
        number(split.costs[1]),
        error(split.standard_error),
        split.gain
    )
}
