//! `floral evaluate`: a run's predictions beside the truth.

use std::fmt::Write;
use std::ops::Range;
use std::path::PathBuf;

use anyhow::Result;
use clap::builder::PossibleValuesParser;
use floral::dataset::Dataset;
use floral::device;
use floral::evaluate::{Evaluation, MeanErrors, ObservedScores, Options, evaluate};
use floral::predict::{Predictor, Sampling};
use floral::train::RunFolder;

use crate::progress::Progress;
use crate::{Ending, inputs, integrator, interrupt, output};

/// What `floral evaluate` takes.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    floral evaluate runs/darcy darcy.zarr\n  \
    floral evaluate runs/darcy darcy.zarr --inputs 0..5 --realizations 200 --solver rk4 --steps 11\n\n\
    The truth is exact where the dataset has exact moments. For other built-in problems it is\n\
    computed from fresh realizations, for foreign data from those of the dataset.")]
pub struct Arguments {
    /// The run folder
    #[arg(value_name = "RUN")]
    run: PathBuf,

    /// A dataset with solutions
    #[arg(value_name = "DATA.zarr")]
    dataset: PathBuf,

    /// Realizations per input of generative methods
    #[arg(long, value_name = "M", default_value_t = 2500)]
    realizations: usize,

    /// Inputs, as in 0..15 [default: the run's test inputs, or all of a dataset it has not seen]
    #[arg(long, value_name = "RANGE", value_parser = inputs::parse)]
    inputs: Option<Range<usize>>,

    /// Fresh realizations per input that make the truth where it is not exact; 0 for those of the
    /// dataset
    #[arg(long, value_name = "N", default_value_t = 1000)]
    reference: usize,

    #[command(flatten)]
    solver: integrator::Arguments,

    /// The seed of the priors
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    /// Where to compute
    #[arg(long, default_value = "cpu", value_parser = PossibleValuesParser::new(device::NAMES))]
    device: String,

    /// Predict and compare at the points that the run was trained on, every s-th of the dataset's
    #[arg(long)]
    training_grid: bool,

    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

/// Evaluates and prints the table.
pub fn run(arguments: &Arguments) -> Result<Ending> {
    let options = Options {
        sampling: Sampling {
            realizations: arguments.realizations,
            seed: arguments.seed,
            solver: arguments.solver.resolved()?,
        },
        inputs: arguments.inputs.clone(),
        reference: arguments.reference,
        on_training_grid: arguments.training_grid,
        baselines: true,
    };
    let dataset = Dataset::open(&arguments.dataset)?;
    let device = device::named(&arguments.device)?;
    let predictor = Predictor::load(&RunFolder::open(&arguments.run)?, &device)?;
    let progress = Progress::new(predictor.method().name(), interrupt::flag()?);
    let evaluation = evaluate(&predictor, &dataset, &options, &progress);
    progress.finish();
    let evaluation = evaluation?;
    if evaluation.seen > 0 {
        output::tell(&format!(
            "note: {} of these {} inputs were used in training; scores on them are no test",
            evaluation.seen,
            evaluation.inputs.len()
        ));
    }
    integrator::tell_of_aliasing(&predictor, &options.sampling.solver);
    output::print(&if arguments.json {
        serde_json::to_string_pretty(&evaluation)? + "\n"
    } else {
        text(arguments, &evaluation)?
    })?;
    Ok(Ending::Done)
}

fn text(arguments: &Arguments, evaluation: &Evaluation) -> Result<String> {
    let Range { start, end } = evaluation.inputs;
    let mut text = format!(
        "{}: {}{}\n{}: inputs {start}..{end}, truth: {}\n\n",
        arguments.run.display(),
        evaluation.method,
        match evaluation.method.recipe() {
            Some(_) => String::new(),
            None => format!(", best epoch {}", evaluation.epoch),
        },
        evaluation.data.display(),
        evaluation.truth
    );
    means(&mut text, evaluation)?;
    spread(&mut text, evaluation)?;
    let prediction = &evaluation.prediction;
    if let Some(solver) = evaluation.solver {
        writeln!(text, "\n  integrator                         {solver}")?;
    }
    writeln!(
        text,
        "  realizations per input         {:11}\n  evaluations per realization    {:11.1}\n  \
         seconds per realization        {:11.5}",
        prediction.realizations, prediction.evaluations, prediction.seconds
    )?;
    Ok(text)
}

/// One of the errors of a mean field.
type Error = fn(&MeanErrors) -> f64;

fn means(text: &mut String, evaluation: &Evaluation) -> Result<()> {
    let name = evaluation.method.name();
    writeln!(
        text,
        "  {:30} {name:>12} {:>13} {:>14} {:>9}",
        "", "low fidelity", "mean residual", "kriging"
    )?;
    let errors: [(&str, Error); 5] = [
        ("mean L2 error", |e| e.mean_l2),
        ("RMSE (pooled)", |e| e.rmse),
        ("nRMSE (pooled)", |e| e.nrmse),
        ("PDEBench RMSE", |e| e.pdebench_rmse),
        ("PDEBench nRMSE", |e| e.pdebench_nrmse),
    ];
    for (name, value) in errors {
        let told = |errors: &Option<MeanErrors>| {
            let errors = errors.as_ref();
            errors.map_or("-".into(), |errors| format!("{:.5}", value(errors)))
        };
        let (low, mean) = (told(&evaluation.low), told(&evaluation.mean_residual));
        let kriging = told(&evaluation.kriging);
        let own = value(&evaluation.prediction.mean);
        writeln!(
            text,
            "  {name:30} {own:12.5} {low:>13} {mean:>14} {kriging:>9}"
        )?;
    }
    if let Some(floor) = evaluation.prediction.mean_l2_floor {
        let name = "  mean L2 of sampling alone";
        writeln!(text, "  {name:30} {floor:12.5}")?;
    }
    Ok(())
}

fn spread(text: &mut String, evaluation: &Evaluation) -> Result<()> {
    let Some(scores) = &evaluation.prediction.spread else {
        return Ok(());
    };
    let rows = [
        ("variance error", scores.variance_l2),
        ("  relative (1 = no skill)", scores.variance_relative),
        ("  norm of the true variance", scores.variance_truth_l2),
    ];
    writeln!(text)?;
    for (name, value) in rows {
        if let Some(value) = value {
            writeln!(text, "  {name:30} {value:12.5}")?;
        }
    }
    match &scores.observed {
        Some(observed) => self::observed(text, observed, evaluation.observations),
        None => Ok(()),
    }
}

fn observed(text: &mut String, scores: &ObservedScores, observations: usize) -> Result<()> {
    writeln!(
        text,
        "\n  against {observations} realizations of the dataset per input"
    )?;
    let mut row = |name: &str, value: f64| writeln!(text, "  {name:30} {value:12.5}");
    row("CRPS (fair)", scores.crps)?;
    row("energy score (fair)", scores.energy_score)?;
    for interval in &scores.coverage {
        let name = format!("coverage of {:.0} %", 100.0 * interval.level);
        row(&name, interval.coverage)?;
    }
    row("spread", scores.spread)?;
    row("error", scores.error)?;
    row("spread / error (1 is right)", scores.spread_skill)?;
    row("reliability index (0 = flat)", scores.reliability_index)?;
    let bars: String = scores
        .rank_histogram
        .iter()
        .map(|f| bar(*f, scores))
        .collect();
    writeln!(text, "  {:30} {bars}", "rank histogram")?;
    Ok(())
}

/// A bar as high as the frequency, the flat histogram's being half the highest.
fn bar(frequency: f64, scores: &ObservedScores) -> char {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let relative = frequency * scores.rank_histogram.len() as f64;
    BARS[((4.0 * relative) as usize).min(BARS.len() - 1)]
}
