//! `floral report`: runs compared with the truth, or on new inputs, as a page or as figures and tables
//! for a paper.

use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::ValueEnum;
use floral::counted;
use floral::dataset::write_atomically;
use floral::device::Device;
use floral::evaluate;
use floral::predict::{Predictor, Sampling};
use floral::sample::OdeSolver;
use floral::storage::{create_folder, refuse_overwriting};
use floral::train::RunFolder;
use floral_report::draw::{pdf, raster, standalone};
use floral_report::report::{
    Band, Comparison, Exported, NewFile, NewRun, Options, compare, exports, page, predicted,
};

use crate::cases::{chosen_inputs, opened_cases};
use crate::progress::Progress;
use crate::{Ending, data, device, inputs, integrator, interrupt, low, output, provenance};

/// The size up to which a page opens quickly and can be mailed.
const LARGE: usize = 15_000_000;

/// Sharp in print, and light enough for slides.
const DPI: u32 = 200;

/// Identifies a page of ours, which may be replaced.
const MARK: &str = "<title>FLORAL report";

/// What `floral report` takes.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    floral report runs/darcy-* --data darcy.zarr -o report.html\n  \
    floral report runs/fno runs/floral --data darcy.zarr --inputs 0..3 -o report.html\n  \
    floral report runs/darcy-* --data darcy.zarr --format pdf --figure fields-0 -o figures\n  \
    floral report runs/darcy-* --data darcy.zarr --format png --dpi 300 -o figures\n  \
    floral report runs/darcy-* --data darcy.zarr --format tex -o tables\n  \
    floral report runs/darcy --input new.npz -o new.html\n\n\
    Runs of one problem go into one report, whatever their methods, training sizes and resolutions. \
    Predictions are cached in the folder `report` of each run: the same command, or one for another \
    format, does not predict again, and continues where it was interrupted.\n\n\
    With --input, inputs without known solutions are predicted and shown: mean, spread, quantiles, \
    realizations and novelty, next to low fidelity. The files are those that floral sample takes; \
    several runs, and several files on one grid, go into one report.")]
pub struct Arguments {
    /// Run folders or model files
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,

    /// Dataset with solutions, to compare with
    #[arg(
        long,
        value_name = "DATA.zarr",
        required_unless_present = "input",
        conflicts_with = "input"
    )]
    data: Option<PathBuf>,

    /// Inputs without solutions, as floral sample takes them; may be repeated
    #[arg(long, value_name = "NEW.zarr|NEW.npz")]
    input: Vec<PathBuf>,

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

    /// Replace an existing file even if it is no report
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    device: device::Arguments,
}

/// The name of an axis and a place along it.
fn coordinate(text: &str) -> Result<(String, f64), String> {
    let parts = text.split_once('=');
    let parts = parts.and_then(|(name, at)| Some((name.trim().to_owned(), at.parse().ok()?)));
    parts
        .filter(|(name, at): &(String, f64)| !name.is_empty() && at.is_finite())
        .ok_or_else(|| "give an axis and a coordinate, as in z=0.5".into())
}

/// What is written.
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

/// Predicts what is missing and writes the report.
pub fn run(arguments: &Arguments) -> Result<Ending> {
    arguments.check()?;
    check_output(arguments)?;
    let runs = arguments.runs.iter().map(|path| RunFolder::open(path));
    let runs = runs.collect::<floral::Result<Vec<_>>>()?;
    let read: Vec<PathBuf> = runs.iter().flat_map(RunFolder::files).collect();
    let given = arguments.data.iter().chain(&arguments.input);
    let read = read.iter().chain(given).map(PathBuf::as_path);
    refuse_overwriting(&arguments.output, read)?;
    for run in &runs {
        output::notes(&run.best()?.header.notes());
    }
    let device = arguments.device.open()?;
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
    /// Refuses what contradicts itself, before anything is read.
    fn check(&self) -> Result<()> {
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
            self.data.is_none() || !self.low.is_given(),
            "--low-command: a dataset with solutions stores its low fidelity; leave it out, or give new \
             inputs with --input"
        );
        self.solver.asked().map(drop)
    }

    /// The runs compared with the truth of a dataset.
    fn compared(&self, runs: &[RunFolder], data: &Path, device: &Device) -> Result<Comparison> {
        let dataset = data::open(data)?;
        let inputs = self.inputs.as_ref();
        let seed = (self.seed, device);
        let solver = self.solver.of_runs(runs, &dataset, inputs, seed)?;
        let options = self.options(solver);
        let progress = Progress::new("report", interrupt::flag()?);
        let comparison = compare(runs, &dataset, &options, device, &progress);
        progress.finish();
        Ok(comparison?)
    }

    /// What the runs predict of new inputs.
    fn predicted(&self, runs: &[RunFolder], device: &Device) -> Result<Comparison> {
        let progress = Progress::new("report", interrupt::flag()?);
        let mut all = Vec::new();
        for run in runs {
            let predictor = Predictor::load(run, device)?;
            let files = self.input.iter();
            let files = files.map(|path| self.new_file(path, &predictor, run, &progress));
            let files = files.collect::<Result<Vec<_>>>()?;
            let first = files.first().context("--input: name a file")?;
            let solver = &self.solver;
            all.push(NewRun {
                solver: solver.of_input(&predictor, &first.cases, first.inputs.start, self.seed)?,
                folder: run.clone(),
                files,
                predictor,
            });
        }
        self.note_hidden(&all);
        let comparison = predicted(all, &self.options(OdeSolver::default()), &progress);
        progress.finish();
        let comparison = comparison?;
        output::notes(&comparison.setting.notes);
        Ok(comparison)
    }

    /// A file of new inputs as a run sees it.
    fn new_file(
        &self,
        path: &Path,
        predictor: &Predictor,
        run: &RunFolder,
        progress: &Progress,
    ) -> Result<NewFile<'static>> {
        let low = self.low.solver(predictor, run.path(), path)?;
        let cases = opened_cases(path, predictor, None, low)?;
        let all = chosen_inputs(self.inputs.as_ref(), path, &cases)?;
        let inputs = all.start..all.end.min(all.start + self.show);
        cases.prepare(inputs.clone(), progress)?;
        let checked = cases.check(predictor, inputs.clone())?;
        Ok(NewFile {
            path: path.to_owned(),
            notes: [cases.notes(), &checked.notes[..]].concat(),
            cases,
            inputs,
        })
    }

    /// Notes where a file has more inputs than are shown.
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

    fn options(&self, solver: OdeSolver) -> Options {
        Options {
            evaluation: evaluate::Options {
                sampling: Sampling {
                    realizations: self.realizations,
                    seed: self.seed,
                    solver,
                },
                inputs: self.inputs.clone(),
                reference: self.reference,
                ..evaluate::Options::default()
            },
            shown: self.show,
            kept: self.keep,
            band: self.band,
            through: self.through.clone(),
            build: provenance::build(),
        }
    }
}

/// Refuses to replace what is no report, before hours are spent on predictions.
fn check_output(arguments: &Arguments) -> Result<()> {
    let path = &arguments.output;
    if arguments.force || !path.exists() {
        return Ok(());
    }
    if arguments.format != Format::Html {
        ensure!(
            path.is_dir(),
            "{}: is a file; -o names a folder for figures and tables",
            path.display()
        );
        return Ok(());
    }
    let start = std::fs::read(path).with_context(|| path.display().to_string())?;
    let start = String::from_utf8_lossy(&start[..start.len().min(1000)]).into_owned();
    ensure!(
        start.contains(MARK),
        "{}: exists and is no report; add --force to replace it, or choose another name",
        path.display()
    );
    Ok(())
}

fn write_page(arguments: &Arguments, comparison: &Comparison) -> Result<()> {
    let html = page(comparison)?.to_html();
    write(&arguments.output, html.as_bytes())?;
    output::message(&format!(
        "{}: {}, {}, {:.1} MB",
        arguments.output.display(),
        counted(comparison.runs.len(), "run"),
        counted(comparison.setting.inputs.len(), "input"),
        html.len() as f64 / 1e6
    ));
    if html.len() > LARGE {
        output::note("a large page is slow to open; show less with a smaller --show or --keep");
    }
    Ok(())
}

fn write_parts(arguments: &Arguments, comparison: &Comparison) -> Result<()> {
    let folder = &arguments.output;
    create_folder(folder)?;
    if arguments.format == Format::Json {
        let text = serde_json::to_string_pretty(comparison)? + "\n";
        return write(&folder.join("report.json"), text.as_bytes());
    }
    let mut all = exports(comparison);
    let is_table = arguments.format == Format::Tex;
    all.retain(|(_, exported)| matches!(exported, Exported::Table(_)) == is_table);
    let known: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
    for name in &arguments.figure {
        ensure!(
            known.contains(&name.as_str()),
            "--figure {name}: choose among {}",
            known.join(", ")
        );
    }
    let wanted = |name: &String| arguments.figure.is_empty() || arguments.figure.contains(name);
    let mut written = 0;
    for (name, exported) in all.iter().filter(|(name, _)| wanted(name)) {
        let (extension, bytes) =
            rendered(exported, arguments).with_context(|| format!("--figure {name}"))?;
        write(&folder.join(format!("{name}.{extension}")), &bytes)?;
        written += 1;
    }
    output::message(&format!(
        "{}: {}",
        folder.display(),
        counted(written, "file")
    ));
    Ok(())
}

/// The extension and the content of a file.
fn rendered(exported: &Exported, arguments: &Arguments) -> Result<(&'static str, Vec<u8>)> {
    let svg = match exported {
        Exported::Curves(figure) => figure.to_svg(),
        Exported::Maps(panels) => panels.to_svg(),
        Exported::Table(table) => return Ok(("tex", table.to_latex().into_bytes())),
    };
    Ok(match arguments.format {
        Format::Png => ("png", raster(&svg, arguments.dpi.unwrap_or(DPI))?),
        Format::Pdf => ("pdf", pdf(&svg)?),
        _ => ("svg", standalone(&svg).into_bytes()),
    })
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        create_folder(folder)?;
    }
    Ok(write_atomically(path, bytes)?)
}
