//! `floral generate`: a dataset of a built-in problem.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::builder::PossibleValuesParser;
use floral::counted;
use floral::dataset::{Outcome, Precision, Request, generate_across};
use floral::problem::{Resolution, catalogue};
use floral::ranks::Ranks;
use floral::settings::{annotated, of_problem};
use floral::storage::refuse_overwriting;

use crate::progress::Progress;
use crate::{Ending, constants, output};

/// Arguments of `floral generate`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    floral generate darcy --inputs 130 -o darcy.zarr\n  \
    floral generate burgers --set viscosity=0.008 --set filter.keep=0.5 -o thin.zarr\n  \
    floral generate darcy --print-config > darcy.toml\n\n\
    Run the same command again to continue an interrupted one.")]
pub struct Arguments {
    /// Problem to solve
    #[arg(value_parser = PossibleValuesParser::new(catalogue::NAMES))]
    problem: String,

    /// Number of inputs
    #[arg(long, value_name = "N", default_value_t = 70)]
    inputs: usize,

    /// Realizations of the solution per input
    #[arg(long, value_name = "M", default_value_t = 50)]
    realizations: usize,

    /// Grid points per axis, as in 64, or 64x128 for time steps x points [default: the paper's]
    #[arg(long, value_name = "R")]
    resolution: Option<Resolution>,

    /// Random seed
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    /// Dataset to write, a Zarr v3 folder
    #[arg(
        short,
        long,
        value_name = "DATA.zarr",
        required_unless_present = "print_config"
    )]
    output: Option<PathBuf>,

    /// TOML file with the problem's constants; --print-config shows them all
    #[arg(long, value_name = "FILE", help_heading = "Constants of the problem")]
    config: Option<PathBuf>,

    /// Change one constant, as in --set viscosity=0.008; may be repeated
    #[arg(
        long,
        value_name = "KEY=VALUE",
        help_heading = "Constants of the problem"
    )]
    set: Vec<String>,

    /// Precision of stored values: f32 or f64
    #[arg(long, value_name = "P", default_value_t = Precision::F32, help_heading = "Output")]
    precision: Precision,

    /// Inputs per file of an array (Zarr sharding), so that many inputs need few files. N inputs are
    /// held in memory, and ranks take N at a time
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Output")]
    shard: usize,

    /// Replace an existing dataset, or discard an unfinished one, made with other settings
    #[arg(long, help_heading = "Output")]
    force: bool,

    /// Print the resolved constants as TOML, each with its meaning, and stop
    #[arg(long, help_heading = "Constants of the problem")]
    print_config: bool,
}

/// Generates, or continues, the dataset.
pub fn run(arguments: &Arguments, ranks: &dyn Ranks) -> Result<Ending> {
    let mut table = constants::read(arguments.config.as_deref(), &arguments.set)?;
    if let Some(resolution) = &arguments.resolution {
        constants::set(&mut table, &format!("resolution={}", resolution.to_toml()))?;
    }
    let context = format!("constants of {}", arguments.problem);
    let problem = catalogue::build(&arguments.problem, table, &context)?;
    if arguments.print_config {
        let settings = of_problem(&arguments.problem)?;
        output::print(&annotated(&problem.constants(), &settings))?;
        return Ok(Ending::Done);
    }
    let path = arguments
        .output
        .as_deref()
        .context("-o DATA.zarr is needed")?;
    refuse_overwriting(path, arguments.config.as_deref())?;
    let request = Request {
        inputs: arguments.inputs,
        realizations: arguments.realizations,
        seed: arguments.seed,
        precision: arguments.precision,
        shard: arguments.shard,
        force: arguments.force,
    };
    for caveat in problem.caveats() {
        output::note(&caveat);
    }
    let start = Instant::now();
    let outcome = Progress::during(&arguments.problem, |progress| {
        generate_across(ranks, problem.as_ref(), &request, path, progress)
    })?;
    let words = describe(outcome, start.elapsed().as_secs_f64());
    output::message(&format!("{}: {words}", path.display()));
    Ok(Ending::Done)
}

fn describe(outcome: Outcome, seconds: f64) -> String {
    let repeated = |redraws| match redraws {
        0 => String::new(),
        1 => "; 1 draw was repeated because the permeability was not positive".into(),
        n => format!("; {n} draws were repeated because the permeability was not positive"),
    };
    match outcome {
        Outcome::AlreadyComplete { redraws } => {
            format!("already complete, nothing to do{}", repeated(redraws))
        }
        Outcome::Generated {
            computed,
            resumed,
            redraws,
        } => {
            let kept = match resumed {
                0 => String::new(),
                n => format!(", {n} kept from an earlier call"),
            };
            let repeated = repeated(redraws);
            let computed = counted(computed, "input");
            format!("{computed} computed in {seconds:.1} s{kept}{repeated}")
        }
    }
}
