//! `floral inspect`: what a dataset holds, and whether its low-fidelity solver is worth it.

use std::fmt::Write;
use std::path::PathBuf;

use anyhow::Result;
use floral::dataset::Dataset;
use floral::inspect::{LowFidelity, Summary, inspect};

use crate::Ending;
use crate::output::print;

/// What `floral inspect` takes.
#[derive(clap::Args)]
pub struct Arguments {
    /// A dataset: any Zarr v3 group with arrays input, low and high
    #[arg(value_name = "DATA.zarr")]
    dataset: PathBuf,

    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

/// Prints the summary; the answer is no if a value is not finite.
pub fn run(arguments: &Arguments) -> Result<Ending> {
    let summary = inspect(&Dataset::open(&arguments.dataset)?.as_stored())?;
    if arguments.json {
        print(&(serde_json::to_string_pretty(&summary)? + "\n"))?;
    } else {
        print(&text(&summary)?)?;
    }
    Ok(if summary.is_finite() {
        Ending::Done
    } else {
        Ending::Negative
    })
}

fn text(summary: &Summary) -> Result<String> {
    let mut text = format!("{}\n", summary.path.display());
    let known = |value: Option<String>| value.unwrap_or_else(|| "not told".into());
    writeln!(text, "  problem   {}", known(summary.problem.clone()))?;
    writeln!(
        text,
        "  seed      {}",
        known(summary.seed.map(|seed| seed.to_string()))
    )?;
    if let Some(redraws) = summary.redraws.filter(|&redraws| redraws > 0) {
        writeln!(text, "  redraws   {redraws}")?;
    }
    for axis in &summary.axes {
        let (name, points, from, to) = (&axis.name, axis.points, axis.from, axis.to);
        writeln!(text, "  axis {name:4} {points} points from {from} to {to}")?;
    }
    arrays(&mut text, summary)?;
    if let Some(low) = &summary.low_fidelity {
        skill(&mut text, low)?;
        bands(&mut text, low)?;
    }
    writeln!(
        text,
        "\nIs the low-fidelity solver worth it?\n{}",
        wrap(&summary.verdict.words, 2, 88)
    )?;
    Ok(text)
}

fn arrays(text: &mut String, summary: &Summary) -> Result<()> {
    writeln!(
        text,
        "\n  array  {:>11} {:>11} {:>11} {:>11}  shape",
        "min", "max", "mean", "deviation"
    )?;
    for array in &summary.arrays {
        writeln!(
            text,
            "  {:6} {:11.4e} {:11.4e} {:11.4e} {:11.4e}  {:?}",
            array.name, array.min, array.max, array.mean, array.deviation, array.shape
        )?;
        if let Some(input) = array.first_non_finite_input {
            let count = array.non_finite;
            writeln!(
                text,
                "         {count} values are NaN or infinite, the first in input {input}"
            )?;
        }
    }
    Ok(())
}

fn skill(text: &mut String, low: &LowFidelity) -> Result<()> {
    writeln!(text, "\n  low fidelity against the mean of high")?;
    let mut row = |name: &str, value: f64| writeln!(text, "    {name:38} {value:10.4}");
    row("mean L2 error", low.mean_l2)?;
    row("RMSE (pooled)", low.rmse)?;
    row("  of a perfect solver, by sampling error", low.rmse_floor)?;
    row("nRMSE (pooled)", low.nrmse)?;
    row("PDEBench RMSE", low.pdebench_rmse)?;
    row("PDEBench nRMSE", low.pdebench_nrmse)?;
    row("correlation", low.correlation)?;
    if let Some(norm) = low.variance_norm {
        row("mean norm of the variance field", norm)?;
    }
    row(
        "variance of the gap / of the solution",
        low.residual_to_solution_variance,
    )?;
    if let Some(share) = low.random_share {
        row("random share of the gap's variance", share)?;
    }
    Ok(())
}

fn bands(text: &mut String, low: &LowFidelity) -> Result<()> {
    writeln!(
        text,
        "\n  wave numbers     energy   gain  correlation  coherence"
    )?;
    for band in &low.bands {
        let name = match (band.from, band.to) {
            (0, _) => "mean".into(),
            (from, to) if from == to => from.to_string(),
            (from, to) => format!("{from}-{to}"),
        };
        let (energy, gain) = (100.0 * band.energy, band.gain);
        let (correlation, coherence) = (band.correlation, band.coherence);
        writeln!(
            text,
            "  {name:>12} {energy:8.3} % {gain:6.3} {correlation:12.3} {coherence:10.3}"
        )?;
    }
    Ok(())
}

/// Breaks text into lines of at most `width` characters.
fn wrap(text: &str, indent: usize, width: usize) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is always a line");
        if !line.is_empty() && line.len() + 1 + word.len() > width - indent {
            lines.push(word.to_owned());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    let margin = " ".repeat(indent);
    lines
        .iter()
        .map(|line| format!("{margin}{line}"))
        .collect::<Vec<_>>()
        .join("\n")
}
