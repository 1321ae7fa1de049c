//! `floral quickstart`: from nothing to a report.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use floral::quickstart::{Command, Observer, Plan, Sampled, quickstart};
use floral::train::Method;
use floral::{dataset, device, train};
use indicatif::MultiProgress;

use crate::progress::{EpochProgress, InputProgress, RealizationProgress};
use crate::{Ending, interrupt, output};

/// What `floral quickstart` takes.
#[derive(clap::Args)]
#[command(
    after_help = "Generates a small dataset, trains the four methods on it, evaluates them and \
    writes a report to open in a\nbrowser; about two minutes on two cores. Each step is printed as \
    the command that does it. Run it again to\ncontinue what was cut short."
)]
pub struct Arguments {
    /// The folder to write
    #[arg(short, long, value_name = "FOLDER", default_value = "quickstart")]
    output: PathBuf,

    /// The seed from which everything is drawn
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    /// Tiny sizes that learn nothing, to see in seconds that all steps work
    #[arg(long)]
    fast: bool,
}

/// Runs all steps and says where the report is.
pub fn run(arguments: &Arguments) -> Result<Ending> {
    let plan = match arguments.fast {
        true => Plan::tiny(arguments.seed),
        false => Plan::small(arguments.seed),
    };
    let start = Instant::now();
    let outcome = quickstart(
        &arguments.output,
        &plan,
        &device::named("cpu")?,
        &Narrator::default(),
        interrupt::flag()?,
    )?;
    let seconds = start.elapsed().as_secs_f64();
    output::print(&format!(
        "\n{}\n* best of its column; the true moments are exact. Done in {seconds:.0} s.\n\
         The report: {}\n",
        outcome.table.to_text(),
        outcome.report.display()
    ))?;
    Ok(Ending::Done)
}

/// Tells the story on standard error.
#[derive(Default)]
struct Narrator {
    bars: MultiProgress,
}

impl Observer for Narrator {
    fn began(&self, command: &Command) {
        self.bars.suspend(|| eprintln!("$ {command}"));
    }

    fn ended(&self, result: &str, seconds: f64) {
        self.bars
            .suspend(|| eprintln!("  {result} ({seconds:.1} s)"));
    }

    fn generating(&self) -> Box<dyn dataset::Observer + '_> {
        Box::new(InputProgress::new("1dcr"))
    }

    fn training(&self, method: Method) -> Box<dyn train::Observer + '_> {
        Box::new(EpochProgress::among(&self.bars, method.name()))
    }

    fn sampling(&self, method: Method) -> Box<Sampled<'_>> {
        if !method.is_generative() {
            return Box::new(|_, _, _| ());
        }
        let progress = RealizationProgress::new(method.name());
        Box::new(move |position, inputs, done| progress.advance(position, inputs, done))
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use floral::quickstart::{Folder, commands};

    use super::*;
    use crate::args::{self, Cli};

    #[test]
    fn every_command_it_prints_can_be_typed() {
        let folder = tempfile::tempdir().unwrap();
        let folder = Folder(folder.path().join("a folder"));
        std::fs::create_dir_all(&folder.0).unwrap();
        let plan = Plan::small(7);
        std::fs::write(folder.settings(), plan.settings()).unwrap();
        let mut trained = Vec::new();
        for command in commands(&folder, &plan) {
            let parsed = Cli::try_parse_from(&command.0).unwrap_or_else(|e| panic!("{e}"));
            if let args::Command::Train(arguments) = parsed.command {
                trained.push(arguments.resolved().unwrap());
            }
        }
        assert_eq!(trained, Method::ALL.map(|method| plan.training(method)));
    }
}
