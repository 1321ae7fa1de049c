//! `floral inspect`: a summary of a dataset, and how useful its low-fidelity solver is.

use std::fmt::Write;
use std::path::PathBuf;

use anyhow::Result;
use floral::inspect::{
    ArraySummary, Candidate, ChannelSkill, ChannelSummary, LowFidelity, Range, Suggestion, Summary,
    inspect,
};
use floral::low::LowKind;
use floral::quantity::labels;

use crate::interest::number;
use crate::{Ending, data, output};

/// Arguments of `floral inspect`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Dataset, or a file that floral import recognises
    #[arg(value_name = "DATA")]
    dataset: PathBuf,

    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

/// Prints the summary. The answer is negative if a value is not finite.
pub fn run(arguments: &Arguments) -> Result<Ending> {
    let summary = inspect(&data::open(&arguments.dataset)?.as_stored())?;
    output::found(&summary, arguments.json, text)?;
    Ok(if summary.is_finite() {
        Ending::Done
    } else {
        Ending::Negative
    })
}

/// A summary as text.
pub fn text(summary: &Summary) -> Result<String> {
    let mut text = format!("{}\n", summary.path.display());
    let known = |value: Option<String>| value.unwrap_or_else(|| "unknown".into());
    if let Some(title) = &summary.title {
        writeln!(text, "  title     {title}")?;
    }
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
        let units = axis.units.as_ref().map(|units| format!(" {units}"));
        writeln!(
            text,
            "  axis {name:4} {points} points from {from} to {to}{}",
            units.unwrap_or_default()
        )?;
    }
    for note in &summary.notes {
        writeln!(text, "{}", wrap(&format!("note: {note}"), 2, 88))?;
    }
    arrays(&mut text, summary)?;
    if let Some(low) = &summary.low_fidelity {
        skill(&mut text, low)?;
        channels(&mut text, &low.channels)?;
        bands(&mut text, low)?;
    }
    candidates(&mut text, &summary.candidates)?;
    transforms(&mut text, summary)?;
    writeln!(
        text,
        "\nIs the low-fidelity solver worth it?\n{}",
        wrap(&summary.verdict.words, 2, 88)
    )?;
    Ok(text)
}

fn arrays(text: &mut String, summary: &Summary) -> Result<()> {
    let rows: Vec<_> = summary.arrays.iter().flat_map(array_rows).collect();
    let width = rows.iter().map(|(name, ..)| name.chars().count()).max();
    let width = width.unwrap_or(0).max(6);
    writeln!(
        text,
        "\n  {:width$} {:>11} {:>11} {:>11} {:>11}  shape",
        "array", "min", "max", "mean", "deviation"
    )?;
    for (name, range, end) in rows {
        match range {
            Some(Range {
                min,
                max,
                mean,
                deviation,
            }) => writeln!(
                text,
                "  {name:width$} {min:11.4e} {max:11.4e} {mean:11.4e} {deviation:11.4e}  {end}"
            )?,
            None => writeln!(text, "  {name:width$} {:47}  {end}", "")?,
        }
    }
    for array in &summary.arrays {
        if let Some(input) = array.first_non_finite_input {
            let (name, count) = (array.name, array.non_finite);
            writeln!(
                text,
                "  {name}: {count} values are NaN or infinite, the first in input {input}"
            )?;
        }
    }
    Ok(())
}

/// The rows of an array: a single row for one channel, otherwise a heading and a row per channel.
fn array_rows(array: &ArraySummary) -> Vec<(String, Option<Range>, String)> {
    let units = |channel: &ChannelSummary| channel.quantity.units.clone().unwrap_or_default();
    let shape = format!("{:?}", array.shape);
    if let ([one], Some(range)) = (array.channels.as_slice(), array.range) {
        let end = format!("{shape}  {}", units(one));
        return vec![(
            array.name.to_owned(),
            Some(range),
            end.trim_end().to_owned(),
        )];
    }
    let quantities: Vec<_> = array.channels.iter().map(|c| c.quantity.clone()).collect();
    let channels = array.channels.iter().zip(labels(&quantities));
    let channels = channels
        .map(|(channel, label)| (format!("  {label}"), Some(channel.range), units(channel)));
    std::iter::once((array.name.to_owned(), None, shape))
        .chain(channels)
        .collect()
}

/// The skill of low fidelity in each channel, if there are several.
fn channels(text: &mut String, channels: &[ChannelSkill]) -> Result<()> {
    if channels.is_empty() {
        return Ok(());
    }
    let quantities: Vec<_> = channels.iter().map(|c| c.quantity.clone()).collect();
    let labels = labels(&quantities);
    let width = labels.iter().map(|label| label.chars().count()).max();
    let width = width.unwrap_or(0).max(7);
    writeln!(
        text,
        "\n  {:width$} {:>11} {:>8} {:>11} {:>13} {:>13}  units",
        "channel", "RMSE", "nRMSE", "correlation", "residual var", "random share"
    )?;
    for (channel, label) in channels.iter().zip(&labels) {
        let skill = &channel.skill;
        let share = skill.random_share;
        let share = share.map_or("-".into(), |share| format!("{share:.4}"));
        writeln!(
            text,
            "  {label:width$} {:11.4e} {:8.4} {:11.4} {:13.4} {share:>13}  {}",
            skill.rmse,
            skill.nrmse,
            skill.correlation,
            skill.residual_to_solution_variance,
            channel.quantity.units.as_deref().unwrap_or("-")
        )?;
    }
    Ok(())
}

fn skill(text: &mut String, low: &LowFidelity) -> Result<()> {
    let scaled = match low.channels.len() {
        0 | 1 => "",
        _ => ", channels in units of their standard deviation",
    };
    let low = &low.skill;
    writeln!(text, "\n  low fidelity against the mean of high{scaled}")?;
    let mut row =
        |name: &str, value: f64| writeln!(text, "    {name:38} {:>10}", skill_score(value));
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
        "variance of the residual / of high",
        low.residual_to_solution_variance,
    )?;
    if let Some(share) = low.random_share {
        row("random share of the residual variance", share)?;
    }
    Ok(())
}

/// A score with four decimals, or with five significant digits if it is too small or too large for
/// that.
fn skill_score(value: f64) -> String {
    match value == 0.0 || (1e-2..1e5).contains(&value.abs()) {
        true => format!("{value:.4}"),
        false => number(value),
    }
}

fn bands(text: &mut String, low: &LowFidelity) -> Result<()> {
    if low.bands.is_empty() {
        return Ok(());
    }
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

/// The candidates for low fidelity and their errors.
fn candidates(text: &mut String, all: &[Candidate]) -> Result<()> {
    let Some(best) = all.first() else {
        return Ok(());
    };
    writeln!(
        text,
        "\n  low-fidelity candidate         distance to the mean of high (1 = as far as a constant)"
    )?;
    for Candidate { kind, error } in all {
        let name = match kind {
            LowKind::Stored => "low as stored",
            LowKind::Filter => "the input, filtered",
            LowKind::Mean => "the mean of the solutions",
            LowKind::Zero => "zero",
            LowKind::None => "nothing",
        };
        writeln!(text, "    {name:28} {error:10.4}")?;
    }
    if best.kind != LowKind::Stored {
        let kind = best.kind.name();
        let words = match all
            .iter()
            .any(|candidate| candidate.kind == LowKind::Stored)
        {
            true => "is nearer than the solver",
            false => "is best without a solver",
        };
        writeln!(
            text,
            "    low.kind={kind} {words}: floral train --set low.kind={kind}"
        )?;
    }
    Ok(())
}

/// Transforms that suit the data, and how to request them.
fn transforms(text: &mut String, summary: &Summary) -> Result<()> {
    for suggestion in &summary.transforms {
        let Suggestion {
            label,
            transform,
            smallest,
            skewness,
            near_zero,
            ..
        } = suggestion;
        let share = 100.0 * near_zero;
        let words = format!(
            "{label} of high is never negative (its smallest value is {smallest:.3e}), its \
             realizations have a mean skewness of {skewness:.1}, and {share:.0} % of its points are \
             within two standard deviations of zero, where a normal distribution is sometimes \
             negative. With a transform no prediction is negative (give one per channel, as in \
             [\"none\",\"{transform}\"]):"
        );
        // On a line of its own, so that the command can be copied.
        let command = format!("floral train --set transform={transform}");
        writeln!(text, "\n{}\n    {command}", wrap(&words, 2, 88))?;
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
