//! `floral verify`: checks this build against reference numbers.

use std::fmt::Write;
use std::path::PathBuf;

use anyhow::Result;
use floral::verify::{Check, verify_file};

use crate::output::print;
use crate::{Ending, device};

/// Arguments of `floral verify`.
#[derive(clap::Args)]
pub struct Arguments {
    /// Safetensors files with reference numbers
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    device: device::Arguments,
}

/// Prints a table per file. The answer is negative if any quantity is off.
pub fn run(arguments: &Arguments) -> Result<Ending> {
    let device = arguments.device.open()?;
    let mut all_pass = true;
    for file in &arguments.files {
        let checks = verify_file(file, &device)?;
        all_pass &= checks.iter().all(Check::passes);
        print(&table(&file.display().to_string(), &checks)?)?;
    }
    Ok(if all_pass {
        Ending::Done
    } else {
        Ending::Negative
    })
}

fn table(title: &str, checks: &[Check]) -> Result<String> {
    let width = checks
        .iter()
        .map(|c| c.quantity.len())
        .max()
        .unwrap_or(0)
        .max(8);
    let mut text = format!("{title}\n");
    writeln!(text, "  {:width$}  max rel. error  tolerance  ", "quantity")?;
    for check in checks {
        writeln!(
            text,
            "  {:width$}  {:14.1e}  {:9.0e}  {}",
            check.quantity,
            check.error,
            check.tolerance,
            if check.passes() { "pass" } else { "FAIL" }
        )?;
    }
    Ok(text)
}
