//! `floral report`: runs compared with the truth, or on new inputs, as a page or as figures and tables
//! for a paper.

mod written;

use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::ValueEnum;
use floral::counted;
use floral::device::Device;
use floral::evaluate;
use floral::predict::{Predictor, Sampling};
use floral::sample::OdeSolver;
use floral::storage::refuse_overwriting;
use floral::train::RunFolder;
use floral_report::report::{
    Band, Comparison, Found, Learned, NewFile, NewRun, Options, SensitivityShown, compare,
    predicted,
};

use written::{check_output, write, write_page, write_parts};

use crate::progress::Progress;
use crate::session::Given;
use crate::{
    Ending, data, device, inputs, integrator, interest, interrupt, live, low, observe, output,
    provenance,
};

/// Arguments of `floral report`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    floral report runs/darcy-* --data darcy.zarr -o report.html\n  \
    floral report runs/fno runs/floral --data darcy.zarr --inputs 0..3 -o report.html\n  \
    floral report runs/darcy-* --data darcy.zarr --format pdf --figure fields-0 -o figures\n  \
    floral report runs/darcy-* --data darcy.zarr --format png --dpi 300 -o figures\n  \
    floral report runs/darcy-* --data darcy.zarr --format tex -o tables\n  \
    floral report runs/darcy --input new.npz -o new.html\n  \
    floral report runs/darcy --data darcy.zarr --quantity 'peak = max(u)' -o report.html\n  \
    floral report runs/darcy --input new.npz --inputs 0..1 --observe readings.csv -o given.html\n  \
    floral report runs/darcy --input new.npz --sensitivity found.json --learned learned -o new.html\n  \
    floral report runs/plate --live -o live.html\n\n\
    Runs of one problem go into one report, whatever their methods, training sizes and resolutions. \
    Predictions are cached in the folder `report` of each run: the same command, or one for another \
    format, does not predict again, and continues where it was interrupted.\n\n\
    With --input, inputs without known solutions are predicted and shown: mean, spread, quantiles, \
    realizations and novelty, next to low fidelity. The files are those that floral sample takes; \
    several runs, and several files on one grid, go into one report.\n\n    \
    With --quantity, the report has densities, exceedance probabilities and a table of each quantity, with the \
    truth and the coverage of intervals where it is known. With --observe, it shows the prediction of the one \
    input without and with the readings. --sensitivity and --learned show what floral sensitivity and floral \
    learn have found.")]
pub struct Arguments {
    /// Run folders or model files
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,

    /// Dataset with solutions, to compare with
    #[arg(
        long,
        value_name = "DATA.zarr",
        required_unless_present_any = ["input", "live"],
        conflicts_with = "input"
    )]
    data: Option<PathBuf>,

    /// Inputs without solutions, as floral sample takes them; may be repeated
    #[arg(long, value_name = "NEW.zarr|NEW.npz")]
    input: Vec<PathBuf>,

    /// Write a page with a slider for every parameter, for a model whose inputs are parameters: mean,
    /// spread and quantiles are drawn in the browser, which needs no other file. The page states how
    /// far it is from floral sample
    #[arg(long, conflicts_with_all = ["data", "input"])]
    live: bool,

    /// Page to write; with another --format, the folder for its figures or tables
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,

    /// Format of the report
    #[arg(long, value_enum, default_value_t = Format::Html, help_heading = "Format")]
    format: Format,

    /// Pixels per inch of PNG files; a figure of curves is 5 inches wide [default: 200]
    #[arg(long, value_name = "N", help_heading = "Format")]
    dpi: Option<u32>,

    /// Write only this figure or table, named like its file without extension; may be repeated
    #[arg(long, value_name = "NAME", help_heading = "Format")]
    figure: Vec<String>,

    /// Inputs to score, as in 0..15 [default: the runs' test inputs]; with --input, inputs to show
    /// [default: all]
    #[arg(long, value_name = "RANGE", value_parser = inputs::parse)]
    inputs: Option<Range<usize>>,

    /// Number of these inputs to show
    #[arg(long, value_name = "N", default_value_t = 5, help_heading = "Format")]
    show: usize,

    /// Realizations per input of generative methods
    #[arg(long, value_name = "M", default_value_t = 500)]
    realizations: usize,

    /// Realizations to show per input
    #[arg(long, value_name = "K", default_value_t = 8, help_heading = "Format")]
    keep: usize,

    /// Band around the mean: the share of realizations in it, as in 90%, or standard deviations, as
    /// in 2std
    #[arg(
        long,
        value_name = "BAND",
        default_value = "90%",
        help_heading = "Format"
    )]
    band: Band,

    /// Coordinate of the planes that show fields on three axes, as in z=0.5; may be repeated
    /// [default: the middle of each axis]
    #[arg(long, value_name = "AXIS=X", value_parser = coordinate, help_heading = "Format")]
    through: Vec<(String, f64)>,

    #[command(flatten)]
    interests: interest::Arguments,

    /// Show quantities of interest as they are drawn, without calibration
    #[arg(long, help_heading = "Quantities of interest")]
    uncalibrated: bool,

    #[command(flatten)]
    observations: observe::Arguments,

    /// Result of floral sensitivity (-o) to show; may be repeated
    #[arg(long, value_name = "FOUND.json", help_heading = "Other results")]
    sensitivity: Vec<PathBuf>,

    /// Maps of the same analysis (--maps), in the order of --sensitivity
    #[arg(
        long,
        value_name = "MAPS.npz",
        requires = "sensitivity",
        help_heading = "Other results"
    )]
    sensitivity_maps: Vec<PathBuf>,

    /// Folder of floral learn whose learning curve is shown; may be repeated
    #[arg(long, value_name = "FOLDER", help_heading = "Other results")]
    learned: Vec<PathBuf>,

    #[command(flatten)]
    low: low::Arguments,

    /// Fresh realizations per input from which the truth of a built-in problem is computed; 0 uses
    /// those of the dataset
    #[arg(long, value_name = "N", default_value_t = evaluate::REFERENCE)]
    reference: usize,

    #[command(flatten)]
    solver: integrator::Choice,

    /// Random seed of the realizations
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    /// Replace an existing file even if it is not a report
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    device: device::Arguments,
}

/// Parses an axis and a coordinate along it.
fn coordinate(text: &str) -> Result<(String, f64), String> {
    let parts = text.split_once('=');
    let parts = parts.and_then(|(name, at)| Some((name.trim().to_owned(), at.parse().ok()?)));
    parts
        .filter(|(name, at): &(String, f64)| !name.is_empty() && at.is_finite())
        .ok_or_else(|| "give an axis and a coordinate, as in z=0.5".into())
}

/// The format of a report.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// One page that needs no other file
    Html,
    /// Figures as SVG
    Svg,
    /// Figures as PNG, without the tables
    Png,
    /// Figures as PDF, without the tables
    Pdf,
    /// Tables for LaTeX
    Tex,
    /// The numbers
    Json,
}

/// Makes the missing predictions and writes the report.
pub fn run(arguments: &Arguments) -> Result<Ending> {
    arguments.check()?;
    check_output(arguments)?;
    let runs = arguments.runs.iter().map(|path| RunFolder::open(path));
    let runs = runs.collect::<floral::Result<Vec<_>>>()?;
    let read: Vec<PathBuf> = runs.iter().flat_map(RunFolder::files).collect();
    let given = arguments.data.iter().chain(&arguments.input);
    let read = read.iter().chain(given).map(PathBuf::as_path);
    refuse_overwriting(&arguments.output, read)?;
    let device = arguments.device.open()?;
    if arguments.live {
        return write_live(arguments, &runs, &device);
    }
    let comparison = match &arguments.data {
        Some(data) => arguments.compared(&runs, data, &device)?,
        None => arguments.predicted(&runs, &device)?,
    };
    match arguments.format {
        Format::Html => write_page(arguments, &comparison)?,
        _ => write_parts(arguments, &comparison)?,
    }
    Ok(Ending::Done)
}

impl Arguments {
    /// Refuses contradictory options before anything is read.
    fn check(&self) -> Result<()> {
        ensure!(
            !self.live || (self.runs.len() == 1 && self.format == Format::Html),
            "--live: give one run, and no --format; the page is HTML"
        );
        ensure!(self.show > 0, "--show 0: show at least one input");
        ensure!(
            self.dpi.is_none() || self.format == Format::Png,
            "--dpi: only PNG files have pixels; add --format png"
        );
        ensure!(
            self.dpi.is_none_or(|dpi| (20..=1200).contains(&dpi)),
            "--dpi: choose between 20 and 1200"
        );
        ensure!(
            self.input.is_empty() || self.realizations > 1,
            "--realizations {}: a spread needs at least two",
            self.realizations
        );
        ensure!(
            self.data.is_none() || self.observations.is_empty(),
            "--observe: readings are of a new input; give it with --input instead of --data"
        );
        ensure!(
            self.data.is_none() || !self.low.is_given(),
            "--low-command: a dataset with solutions stores its low fidelity; leave it out, or give new \
             inputs with --input"
        );
        self.solver.asked().map(drop)
    }

    /// Compares the runs with the truth of a dataset.
    fn compared(&self, runs: &[RunFolder], data: &Path, device: &Device) -> Result<Comparison> {
        for run in runs {
            output::notes(&run.best()?.header.notes());
        }
        let dataset = data::open(data)?;
        let inputs = self.inputs.as_ref();
        let seed = (self.seed, device);
        let solver = self.solver.of_runs(runs, &dataset, inputs, seed)?;
        let options = self.options(solver)?;
        let comparison = Progress::during("report", |progress| {
            compare(runs, &dataset, &options, device, progress)
        })?;
        output::notes(&comparison.setting.notes);
        Ok(comparison)
    }

    /// Predicts new inputs with the runs.
    fn predicted(&self, runs: &[RunFolder], device: &Device) -> Result<Comparison> {
        let progress = Progress::new("report", interrupt::flag()?);
        let mut all = Vec::new();
        for run in runs {
            let predictor = Predictor::load(run, device)?;
            output::notes(&predictor.header().notes());
            let files = self.input.iter();
            let files = files.map(|path| self.new_file(path, &predictor, run, &progress));
            let files = files.collect::<Result<Vec<_>>>()?;
            let first = files.first().context("--input: name a file")?;
            let case = (&first.cases, first.inputs.start);
            all.push(NewRun {
                solver: self.solver.of_input(&predictor, case, self.seed)?,
                folder: run.clone(),
                files,
                predictor,
            });
        }
        self.note_hidden(&all);
        let options = self.options(OdeSolver::default())?;
        let comparison = predicted(all, &options, &progress)?;
        progress.finish();
        output::notes(&comparison.setting.notes);
        Ok(comparison)
    }

    /// A file of new inputs, prepared and checked for a run.
    fn new_file(
        &self,
        path: &Path,
        predictor: &Predictor,
        run: &RunFolder,
        progress: &Progress,
    ) -> Result<NewFile<'static>> {
        let given = Given {
            run: run.path(),
            low: &self.low,
            inputs: self.inputs.as_ref(),
            resolution: None,
        };
        let (cases, all) = given.cases(predictor, path)?;
        let inputs = all.start..all.end.min(all.start + self.show);
        let observations = &self.observations;
        ensure!(
            observations.is_empty() || self.input.len() == 1,
            "--observe: readings are those of one input; give one file"
        );
        let cases = observations.observed_cases(cases, predictor, inputs.len())?;
        cases.prepare(inputs.clone(), progress)?;
        let checked = cases.check(predictor, inputs.clone())?;
        Ok(NewFile {
            path: path.to_owned(),
            notes: [cases.notes(), &checked.notes[..]].concat(),
            cases,
            inputs,
        })
    }

    /// Prints a note for each file that has more inputs than are shown.
    fn note_hidden(&self, runs: &[NewRun<'_>]) {
        for file in runs.first().iter().flat_map(|run| &run.files) {
            let all = self.inputs.as_ref().map_or(file.cases.inputs(), Range::len);
            if file.inputs.len() < all {
                output::note(&format!(
                    "{}: {} of {} are shown; --show {all} shows all",
                    file.path.display(),
                    file.inputs.len(),
                    counted(all, "input")
                ));
            }
        }
    }

    /// Results of other commands: sensitivity analyses and learning curves.
    fn found(&self) -> Result<Found> {
        let (files, maps) = (&self.sensitivity, &self.sensitivity_maps);
        ensure!(
            maps.len() <= files.len(),
            "--sensitivity-maps: there are {} for {}; give one for each",
            maps.len(),
            counted(files.len(), "result")
        );
        let files = files.iter().enumerate();
        let shown =
            files.map(|(i, path)| SensitivityShown::read(path, maps.get(i).map(PathBuf::as_path)));
        let learned = self.learned.iter().map(|folder| Learned::read(folder));
        Ok(Found {
            sensitivity: shown.collect::<floral::Result<_>>()?,
            learned: learned.collect::<floral::Result<_>>()?,
        })
    }

    fn options(&self, solver: OdeSolver) -> Result<Options> {
        Ok(Options {
            evaluation: evaluate::Options {
                sampling: Sampling {
                    realizations: self.realizations,
                    seed: self.seed,
                    solver,
                },
                inputs: self.inputs.clone(),
                reference: self.reference,
                interests: self.interests.asked(),
                calibrates: !self.uncalibrated,
                ..evaluate::Options::default()
            },
            shown: self.show,
            kept: self.keep,
            band: self.band,
            through: self.through.clone(),
            found: self.found()?,
            build: provenance::build(),
        })
    }
}

/// Writes a page that predicts in the browser.
fn write_live(arguments: &Arguments, runs: &[RunFolder], device: &Device) -> Result<Ending> {
    let run = runs.first().context("--live: give one run")?;
    let sampling = Sampling {
        realizations: arguments.realizations.max(2),
        seed: arguments.seed,
        ..Sampling::default()
    };
    let (html, summary) = live::page(run, &sampling, device)?;
    write(&arguments.output, html.as_bytes())?;
    output::message(&format!("{}: {summary}", arguments.output.display()));
    Ok(Ending::Done)
}
