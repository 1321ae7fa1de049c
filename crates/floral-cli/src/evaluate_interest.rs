//! The table of quantities of interest that `floral evaluate` prints.

use std::fmt::Write;

use anyhow::Result;
use floral::evaluate::InterestEvaluation;

use crate::interest::number;

/// The scores of each quantity, in its units; nothing if there are none.
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
        let Some(scores) = &one.scores else {
            writeln!(text, "  {:width$} not scored: see the note", one.name)?;
            continue;
        };
        let cell = |value: Option<f64>| number(value.unwrap_or(f64::NAN));
        let enough = if scores.is_stretch_sufficient {
            ""
        } else {
            "*"
        };
        let stretch = scores
            .stretch
            .map_or("-".into(), |s| format!("{s:.2}{enough}"));
        let share = |value: Option<f64>| value.map_or("-".into(), |c| format!("{c:.3}"));
        let cover = share(scores.coverage);
        let drawn = match scores.applied_stretch {
            Some(_) => share(scores.uncalibrated_coverage),
            None => cover.clone(),
        };
        let applied = scores
            .applied_stretch
            .map_or("-".into(), |s| format!("{s:.2}"));
        writeln!(
            text,
            "  {:width$} {:>11} {:>11} {:>11} {:>11} {drawn:>9} {applied:>9} {cover:>9} {stretch:>9}  {}",
            one.name,
            number(scores.bias),
            number(scores.rmse),
            cell(scores.low_rmse),
            cell(scores.crps),
            one.units.as_deref().unwrap_or("-")
        )?;
        for above in &scores.exceedances {
            writeln!(
                text,
                "    P({} > {}): predicted {}, observed {}; Brier score {}, of the truth itself {}",
                one.name,
                above.threshold,
                number(above.predicted),
                number(above.observed),
                number(above.brier),
                cell(above.brier_of_truth)
            )?;
        }
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
