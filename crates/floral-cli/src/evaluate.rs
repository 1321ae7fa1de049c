//! `floral evaluate`: scores of a run's predictions against the truth.

use std::fmt::Write;
use std::ops::Range;
use std::path::PathBuf;

use anyhow::Result;
use floral::evaluate::{
    Evaluation, MeanErrors, ObservedScores, Options, REFERENCE, between, evaluate_across, in_ranges,
};
use floral::predict::{Predictor, REALIZATIONS, Sampling};
use floral::quantity::labels;
use floral::ranks::Ranks;
use floral::train::{Method, RunFolder};

use crate::interest::score;
use crate::progress::Progress;
use crate::{Ending, data, device, evaluate_interest, inputs, integrator, interest, low, output};

/// Arguments of `floral evaluate`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    floral evaluate runs/darcy darcy.zarr\n  \
    floral evaluate runs/darcy darcy.zarr --inputs 0..5 --realizations 200 --solver rk4 --steps 11\n  \
    floral evaluate runs/darcy darcy.zarr --quantity 'peak = max(u)' --exceed-quantity 'peak: 0.8'\n\n\
    Truth:\n  \
    Exact where the dataset has exact moments; for other built-in problems computed from fresh \
    realizations, and for your own data from those of the dataset. A truth from realizations has a \
    sampling error of its own: it is reported, and errors are given with and without it.\n\n\
    Variance:\n  \
    The variance error is that of the aleatoric part if the method separates it: the variance of the \
    truth has no other part. The row `relative, of realizations` scores the variance of the \
    realizations, which includes the epistemic part.\n\n\
    Channels:\n  \
    Each channel is scored in its own units, and all together in units of their standard deviations.\n\n\
    Quantities of interest:\n  \
    With --quantity, the distribution of each quantity is scored against its values on the dataset's \
    realizations. The draws of floral-kl and kriging are stretched by the calibration of the quantity on \
    left-out training inputs; the table gives the coverage of the 90 % interval before and after \
    calibration, and the further factor of deviations from the median that would give 90 %. The language is that of floral sample --quantity.")]
pub struct Arguments {
    /// Run folder, or model file
    #[arg(value_name = "RUN")]
    run: PathBuf,

    /// Dataset with solutions
    #[arg(value_name = "DATA.zarr")]
    dataset: PathBuf,

    /// Realizations per input of generative methods
    #[arg(long, value_name = "M", default_value_t = REALIZATIONS)]
    realizations: usize,

    /// Inputs to score, as in 0..15 [default: the run's test inputs; of other data, all that the run
    /// has not seen]
    #[arg(long, value_name = "RANGE", value_parser = inputs::parse)]
    inputs: Option<Range<usize>>,

    /// Fresh realizations per input from which the truth of a built-in problem is computed where it is
    /// not exact; 0 uses those of the dataset
    #[arg(long, value_name = "N", default_value_t = REFERENCE)]
    reference: usize,

    #[command(flatten)]
    low: low::Arguments,

    #[command(flatten)]
    interests: interest::Arguments,

    /// Score quantities of interest as they are drawn, without calibration
    #[arg(long, help_heading = "Quantities of interest")]
    uncalibrated: bool,

    #[command(flatten)]
    solver: integrator::Choice,

    /// Random seed of the realizations
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    #[command(flatten)]
    device: device::Arguments,

    /// Score on the training grid (every s-th point of the dataset)
    #[arg(long)]
    training_grid: bool,

    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

/// Evaluates and prints the table.
pub fn run(arguments: &Arguments, ranks: &dyn Ranks) -> Result<Ending> {
    arguments.solver.asked()?;
    let dataset = data::open(&arguments.dataset)?;
    let device = arguments.device.open()?;
    let predictor = Predictor::load(&RunFolder::open(&arguments.run)?, &device)?;
    let solver = arguments
        .low
        .solver(&predictor, &arguments.run, &arguments.dataset)?;
    let dataset = match solver {
        Some(solver) => dataset.with_low(solver),
        None => dataset,
    };
    let (inputs, seed) = (arguments.inputs.clone(), arguments.seed);
    let options = Options {
        sampling: Sampling {
            realizations: arguments.realizations,
            seed,
            solver: arguments
                .solver
                .of_dataset(&predictor, &dataset, inputs.clone(), seed)?,
        },
        inputs,
        reference: arguments.reference,
        on_training_grid: arguments.training_grid,
        kriging: true,
        training: None,
        interests: arguments.interests.asked(),
        calibrates: !arguments.uncalibrated,
    };
    let evaluation = Progress::during(predictor.method().name(), |progress| {
        evaluate_across(ranks, &predictor, &dataset, &options, progress)
    })?;
    output::notes(&evaluation.notes);
    if evaluation.seen > 0 {
        output::note(&format!(
            "{} of these {} inputs were used in training ({}), so that the scores are optimistic",
            evaluation.seen,
            evaluation.inputs.len(),
            in_ranges(&evaluation.seen_inputs)
        ));
    }
    integrator::note_aliasing(&predictor, &options.sampling.solver);
    output::found(&evaluation, arguments.json, |evaluation| {
        text(&arguments.run.display().to_string(), evaluation)
    })?;
    Ok(Ending::Done)
}

/// An evaluation as text; `run` is the name of what was evaluated.
pub fn text(run: &str, evaluation: &Evaluation) -> Result<String> {
    let Range { start, end } = evaluation.inputs;
    let mut text = format!(
        "{run}: {}{}\n{}: inputs {start}..{end}, truth: {}\n\n",
        evaluation.method,
        match evaluation.method.recipe() {
            Some(_) => String::new(),
            None => format!(", best epoch {}", evaluation.epoch),
        },
        evaluation.data.display(),
        evaluation.truth
    );
    if !evaluation.channels.is_empty() {
        writeln!(
            text,
            "  all channels, in units of their standard deviations"
        )?;
    }
    means(&mut text, evaluation)?;
    spread(&mut text, evaluation)?;
    channels(&mut text, evaluation)?;
    evaluate_interest::table(&mut text, &evaluation.interests)?;
    let prediction = &evaluation.prediction;
    if let Some(solver) = evaluation.solver {
        writeln!(text, "\n  integrator                         {solver}")?;
    }
    writeln!(
        text,
        "  realizations per input         {:11}\n  evaluations per realization    {:11.1}\n  \
         seconds per realization        {:>11}",
        prediction.realizations,
        prediction.evaluations,
        score(prediction.seconds)
    )?;
    Ok(text)
}

/// Selects one of the errors of a mean field, if it is known.
type Error = fn(&MeanErrors) -> Option<f64>;

/// Whether kriging is shown for comparison: not if the run is kriging itself.
fn has_kriging(evaluation: &Evaluation) -> bool {
    evaluation.method != Method::Kriging
}

fn means(text: &mut String, evaluation: &Evaluation) -> Result<()> {
    let name = evaluation.method.name();
    let kriging = match has_kriging(evaluation) {
        true => format!(" {:>10}", "kriging"),
        false => String::new(),
    };
    writeln!(
        text,
        "  {:30} {name:>12} {:>13} {:>14}{kriging}",
        "", "low fidelity", "mean residual"
    )?;
    let errors: [(&str, Error); 5] = [
        ("mean L2 error", |e| Some(e.mean_l2)),
        ("RMSE (pooled)", |e| Some(e.rmse)),
        ("nRMSE (pooled)", |e| Some(e.nrmse)),
        ("PDEBench RMSE", |e| Some(e.pdebench_rmse)),
        ("PDEBench nRMSE", |e| Some(e.pdebench_nrmse)),
    ];
    for (name, value) in errors {
        error_row(text, evaluation, name, value)?;
    }
    if let Some(floor) = evaluation.prediction.mean_l2_floor {
        let name = "  mean L2 of sampling alone";
        writeln!(text, "  {name:30} {:>12}", score(floor))?;
    }
    if evaluation.prediction.mean.corrected.is_none() {
        return Ok(());
    }
    writeln!(text, "  without the sampling error of the truth")?;
    let errors: [(&str, Error); 3] = [
        ("  mean L2 error", |e| e.corrected.map(|c| c.mean_l2)),
        ("  RMSE (pooled)", |e| e.corrected.map(|c| c.rmse)),
        ("  nRMSE (pooled)", |e| e.corrected.map(|c| c.nrmse)),
    ];
    for (name, value) in errors {
        error_row(text, evaluation, name, value)?;
    }
    Ok(())
}

fn error_row(text: &mut String, evaluation: &Evaluation, name: &str, value: Error) -> Result<()> {
    let cell = |errors: Option<&MeanErrors>| {
        let value = errors.and_then(value);
        value.map_or("-".into(), score)
    };
    let own = cell(Some(&evaluation.prediction.mean));
    let low = cell(evaluation.low.as_ref());
    let mean = cell(evaluation.mean_residual.as_ref());
    let kriging = match has_kriging(evaluation) {
        true => format!(" {:>10}", cell(evaluation.kriging.as_ref())),
        false => String::new(),
    };
    writeln!(text, "  {name:30} {own:>12} {low:>13} {mean:>14}{kriging}")?;
    Ok(())
}

/// The scores of each channel in its own units, if there are several channels.
fn channels(text: &mut String, evaluation: &Evaluation) -> Result<()> {
    let channels = &evaluation.channels;
    if channels.is_empty() {
        return Ok(());
    }
    let beside = |words: String| match has_kriging(evaluation) {
        true => format!(" {words:>9}"),
        false => String::new(),
    };
    let quantities: Vec<_> = channels.iter().map(|c| c.quantity.clone()).collect();
    let labels = labels(&quantities);
    let width = labels.iter().map(|label| label.chars().count()).max();
    let width = width.unwrap_or(0).max(9);
    writeln!(
        text,
        "\n  {:width$} {:>11} {:>8} {:>9}{} {:>9} {:>11} {:>9} {:>9}  units",
        "channel",
        "RMSE",
        "nRMSE",
        "low",
        beside("kriging".into()),
        "variance",
        "CRPS",
        "cover 90",
        "spr/err"
    )?;
    for (channel, label) in channels.iter().zip(&labels) {
        let own = &channel.prediction.mean;
        let nrmse = |errors: &Option<MeanErrors>| number(errors.as_ref().map(|e| e.nrmse));
        let spread = channel.prediction.spread.as_ref();
        let observed = spread.and_then(|spread| spread.observed.as_ref());
        let crps = observed.map_or("-".into(), |scores| format!("{:.4e}", scores.crps));
        let cover = observed.and_then(|scores| {
            let interval = scores.coverage.iter().find(|i| i.level == 0.9);
            interval.map(|interval| interval.coverage)
        });
        writeln!(
            text,
            "  {label:width$} {:11.4e} {:8.4} {:>9}{} {:>9} {crps:>11} {:>9} {:>9}  {}",
            own.rmse,
            own.nrmse,
            nrmse(&channel.low),
            beside(nrmse(&channel.kriging)),
            number(spread.and_then(|spread| spread.variance_relative)),
            number(cover),
            number(observed.map(|scores| scores.spread_skill)),
            channel.quantity.units.as_deref().unwrap_or("-")
        )?;
    }
    let baselines = match has_kriging(evaluation) {
        true => "low and kriging",
        false => "low",
    };
    writeln!(
        text,
        "  {baselines}: nRMSE; variance: relative error, 1 = no skill"
    )?;
    Ok(())
}

fn number(value: Option<f64>) -> String {
    match value {
        None => "-".into(),
        Some(value) if value.abs() < 1e3 => format!("{value:.4}"),
        Some(value) => format!("{value:.2e}"),
    }
}

fn spread(text: &mut String, evaluation: &Evaluation) -> Result<()> {
    let Some(scores) = &evaluation.prediction.spread else {
        return Ok(());
    };
    let rows = [
        ("variance error", scores.variance_l2),
        ("  relative (1 = no skill)", scores.variance_relative),
        (
            "  relative, of realizations",
            scores.drawn_variance_relative,
        ),
        ("  norm of the true variance", scores.variance_truth_l2),
        ("  error of sampling alone", scores.variance_l2_floor),
        (
            "  without the truth's sampling",
            scores.corrected.map(|c| c.variance_l2),
        ),
        (
            "  relative, without it",
            scores.corrected.map(|c| c.variance_relative),
        ),
    ];
    writeln!(text)?;
    for (name, value) in rows {
        if let Some(value) = value {
            writeln!(text, "  {name:30} {:>12}", score(value))?;
        }
    }
    match &scores.observed {
        Some(observed) => self::observed(text, observed, evaluation),
        None => Ok(()),
    }
}

fn observed(text: &mut String, scores: &ObservedScores, of: &Evaluation) -> Result<()> {
    writeln!(
        text,
        "\n  against {} of the dataset per input",
        between(of.fewest_observations, of.observations)
    )?;
    let mut row = |name: &str, value: f64| writeln!(text, "  {name:30} {:>12}", score(value));
    row("CRPS (fair)", scores.crps)?;
    row("energy score (fair)", scores.energy_score)?;
    for interval in &scores.coverage {
        let name = format!("coverage of {:.0} %", 100.0 * interval.level);
        row(&name, interval.coverage)?;
    }
    if let Some(worst) = scores.worst_input_coverage {
        row("  of 90 %, worst input", worst)?;
    }
    row("spread", scores.spread)?;
    row("error", scores.error)?;
    row("spread / error (1 = calibrated)", scores.spread_skill)?;
    row("reliability index (0 = flat)", scores.reliability_index)?;
    let bars: String = scores
        .rank_histogram
        .iter()
        .map(|f| bar(*f, scores))
        .collect();
    writeln!(text, "  {:30} {bars}", "rank histogram")?;
    Ok(())
}

/// A bar as high as the frequency. The bars of a flat histogram have half the full height.
fn bar(frequency: f64, scores: &ObservedScores) -> char {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let relative = frequency * scores.rank_histogram.len() as f64;
    BARS[((4.0 * relative) as usize).min(BARS.len() - 1)]
}
