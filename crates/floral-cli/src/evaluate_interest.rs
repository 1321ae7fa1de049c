//! The table of quantities of interest that `floral evaluate` prints.

use std::fmt::Write;

use anyhow::Result;
use floral::evaluate::InterestEvaluation;

use crate::interest::number;

/// The scores of each quantity in its units, if there are any quantities.
pub fn table(text: &mut String, interests: &[InterestEvaluation]) -> Result<()> {
    if interests.is_empty() {
        return Ok(());
    }
    let width = interests.iter().map(|one| one.name.chars().count());
    let width = width.max().unwrap_or(0).max("quantity".len());
    writeln!(
        text,
        "\n  {:width$} {:>11} {:>11} {:>11} {:>11} {:>9} {:>9} {:>9} {:>9}  units",
        "quantity",
        "bias",
        "RMSE",
        "low RMSE",
        "CRPS",
        "drawn 90",
        "stretched",
        "cover 90",
        "needed"
    )?;
    for one in interests {
        scored(text, one, width)?;
    }
    writeln!(
        text,
        "  bias and RMSE: of the predicted mean; drawn 90: coverage of 90 % intervals of the draws; \
         stretched: the factor of\n  deviations from the median by calibration on left-out inputs, and cover \
         90 with it; needed: the further factor by\n  which they would cover 90 % here (* too few inputs to \
         determine it)"
    )?;
    Ok(())
}

/// Writes the row of a quantity and its exceedances; `width` is the width of the column of names.
fn scored(text: &mut String, one: &InterestEvaluation, width: usize) -> Result<()> {
    let name = &one.name;
    let Some(scores) = &one.scores else {
        writeln!(text, "  {name:width$} not scored: see the note")?;
        return Ok(());
    };
    let cell = |value: Option<f64>| number(value.unwrap_or(f64::NAN));
    let or_dash = |words: Option<String>| words.unwrap_or_else(|| "-".into());
    let share = |value: Option<f64>| or_dash(value.map(|share| format!("{share:.3}")));
    let factor = |value: Option<f64>| or_dash(value.map(|factor| format!("{factor:.2}")));
    let needed = match scores.stretch {
        Some(stretch) if !scores.is_stretch_sufficient => format!("{stretch:.2}*"),
        stretch => factor(stretch),
    };
    let (cover, applied) = (share(scores.coverage), factor(scores.applied_stretch));
    let drawn = match scores.applied_stretch {
        Some(_) => share(scores.uncalibrated_coverage),
        None => cover.clone(),
    };
    writeln!(
        text,
        "  {name:width$} {:>11} {:>11} {:>11} {:>11} {drawn:>9} {applied:>9} {cover:>9} {needed:>9}  {}",
        number(scores.bias),
        number(scores.rmse),
        cell(scores.low_rmse),
        cell(scores.crps),
        one.units.as_deref().unwrap_or("-")
    )?;
    for above in &scores.exceedances {
        writeln!(
            text,
            "    P({name} > {}): predicted {}, observed {}; Brier score {}, of the truth itself {}",
            above.threshold,
            number(above.predicted),
            number(above.observed),
            number(above.brier),
            cell(above.brier_of_truth)
        )?;
    }
    Ok(())
}
