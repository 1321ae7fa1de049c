//! The table of quantities of interest that `floral sample` prints.

use std::fmt::Write;

use floral::counted;
use floral::predict::PredictionWriter;
use floral::predict::interest::{Estimate, InterestPlan, InterestSummary};

use crate::interest::{error, number, number_within};

/// Maximum number of inputs whose tables are printed; those of all inputs are stored.
const SHOWN: usize = 20;

const COLUMNS: [&str; 6] = ["mean", "std", "5 %", "50 %", "95 %", "super 95 %"];

/// The tables of the first inputs, from stored summaries; `inputs` are the indices of all inputs.
pub fn tables(writer: &PredictionWriter, inputs: std::ops::Range<usize>) -> String {
    let plans = writer.interests();
    let mut text = String::new();
    if plans.is_empty() {
        return text;
    }
    for (position, index) in inputs.clone().enumerate().take(SHOWN) {
        let Some(summaries) = writer.summaries(position) else {
            continue;
        };
        let _ = writeln!(text, "\ninput {index}");
        text += &table(plans, &summaries);
    }
    if inputs.len() > SHOWN {
        let rest = counted(inputs.len() - SHOWN, "more input");
        let _ = writeln!(text, "\n{rest}: see the stored arrays");
    }
    text
}

fn table(plans: &[InterestPlan], summaries: &[InterestSummary]) -> String {
    let names = plans.iter().map(|plan| plan.name.chars().count());
    let width = names.max().unwrap_or(0).max("standard error".len() + 2);
    let mut text = format!("  {:width$}", "quantity");
    for column in COLUMNS {
        let _ = write!(text, " {column:>11}");
    }
    text += "  units\n";
    for (plan, summary) in plans.iter().zip(summaries) {
        let units = plan.units.as_deref().unwrap_or("-");
        let values = summary.statistics.iter();
        let spread = summary.statistics[1].value;
        let _ = writeln!(
            text,
            "  {:width$}{}  {units}",
            plan.name,
            row(values.clone().map(|e| number_within(e.value, spread)))
        );
        if summary.draws > 1 {
            let errors = row(values.map(|e| error(e.standard_error)));
            let _ = writeln!(text, "  {:width$}{errors}", "  standard error");
        }
        details(&mut text, plan, summary);
    }
    text
}

fn row(cells: impl Iterator<Item = String>) -> String {
    cells.map(|cell| format!(" {cell:>11}")).collect()
}

/// Exceedance probabilities, parts of the variance, and draws without a value.
fn details(text: &mut String, plan: &InterestPlan, summary: &InterestSummary) {
    let above = plan.thresholds.iter().zip(&summary.exceedances);
    for (threshold, estimate) in above {
        let Estimate {
            value,
            standard_error,
        } = *estimate;
        let _ = writeln!(
            text,
            "    P({} > {threshold}) = {}, standard error {}",
            plan.name,
            number(value),
            error(standard_error)
        );
    }
    if let Some([aleatoric, epistemic]) = summary.variance_parts() {
        let _ = writeln!(
            text,
            "    variance: {} aleatoric, {} epistemic",
            number(aleatoric),
            number(epistemic)
        );
    }
    if let Some(stretch) = plan.stretch {
        let _ = writeln!(
            text,
            "    calibrated: deviations from the median stretched by {stretch:.2}"
        );
    }
    if summary.missing > 0 {
        let _ = writeln!(
            text,
            "    no value on {} of {} realizations, so no statistics; change the expression",
            summary.missing, summary.draws
        );
    }
}
