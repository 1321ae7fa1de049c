//! `floral report`: runs beside the truth or on new inputs, as a page, or as figures and tables for a
//! paper.

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

/// The size up to which a page opens at once and can be sent by mail.
const LARGE: usize = 15_000_000;

/// Sharp in print, and light enough for slides.
const DPI: u32 = 200;

/// By this a page of ours is known, and may be replaced.
const MARK: &str = "<title>FLORAL report";

/// What `floral report` takes.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    floral report runs/darcy-* --data darcy.zarr -o report.html\n  \
    floral report runs/fno runs/floral --data darcy.zarr --inputs 0..3 --solver midpoint --steps 11 \
    -o report.html\n  \
    floral report runs/darcy-* --data darcy.zarr --format pdf --figure fields-0 -o figures\n  \
    floral report runs/darcy-* --data darcy.zarr --format png --dpi 300 -o figures\n  \
    floral report runs/darcy-* --data darcy.zarr --format tex -o tables\n  \
    floral report runs/darcy --input new.npz -o new.html\n\n\
    Runs of any methods, training sizes and training resolutions of one problem go into one report.\n\
    Predictions are kept in the folder `report` of each run: the same command, or one for another\n\
    format, does not predict again, and goes on where it was cut.\n\n\
    With --input, new inputs of which no solution is known are predicted and shown: mean, spread,\n\
    quantiles, realizations and novelty, with low fidelity beside them. Files are those that floral\n\
    sample takes; several runs and several files on one grid go into one report.")]
pub struct Arguments {
    /// The run folders or model files
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,

    /// A dataset with solutions
    #[arg(
        long,
        value_name = "DATA.zarr",
        required_unless_present = "input",
        conflicts_with = "input"
    )]
    data: Option<PathBuf>,

    /// New inputs, whose solutions are not known, as floral sample takes them; may be repeated
    #[arg(long, value_name = "NEW.zarr|NEW.npz")]
    input: Vec<PathBuf>,

    /// The page to write; with another format the folder for its figures or tables
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,

    /// A page, or single figures and tables for a paper
    #[arg(long, value_enum, default_value_t = Format::Html)]
    format: Format,

    /// Pixels per inch of PNG files; a figure of curves is 5 inches wide [default: 200]
    #[arg(long, value_name = "N")]
    dpi: Option<u32>,

    /// Only this figure or table, by the name of its file without extension; may be repeated
    #[arg(long, value_name = "NAME")]
    figure: Vec<String>,

    /// Inputs over which scores are taken, as in 0..15 [default: the runs' test inputs]; of new inputs
    /// those that are shown [default: all]
    #[arg(long, value_name = "RANGE", value_parser = inputs::parse)]
    inputs: Option<Range<usize>>,

    /// How many of these inputs are shown, the first ones
    #[arg(long, value_name = "N", default_value_t = 5)]
    show: usize,

    /// Realizations per input of generative methods
    #[arg(long, value_name = "M", default_value_t = 500)]
    realizations: usize,

    /// Realizations that are kept of each to be shown
    #[arg(long, value_name = "K", default_value_t = 8)]
    keep: usize,

    /// The band around means: the share of realizations that it holds, as in 90%, or standard
    /// deviations, as in 2std
    #[arg(long, value_name = "BAND", default_value = "90%")]
    band: Band,

    #[command(flatten)]
    low: low::Arguments,

    /// Fresh realizations per input that show the truth of a built-in problem; 0 for those of the
    /// dataset
    #[arg(long, value_name = "N", default_value_t = 1000)]
    reference: usize,

    #[command(flatten)]
    solver: integrator::Choice,

    /// The seed of the priors
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,

    /// Replace files that are no report
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    device: device::Arguments,
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
        ensure!(self.show > 0, "--show 0: at least one input is shown");
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
            "--realizations {}: a spread needs at least two; ask for more",
            self.realizations
        );
        ensure!(
            self.data.is_none() || !self.low.is_given(),
            "--low-command: the low fidelity of a dataset with solutions is stored in it; leave it out, \
             or give new inputs with --input"
        );
        self.solver.asked().map(drop)
    }

    /// The runs beside the truth of a dataset.
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
        self.tell_of_hidden(&all);
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

    /// Says so where a file has more inputs than are shown.
    fn tell_of_hidden(&self, runs: &[NewRun<'_>]) {
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
    output::tell(&format!(
        "{}: {}, {}, {:.1} MB",
        arguments.output.display(),
        counted(comparison.runs.len(), "run"),
        counted(comparison.setting.inputs.len(), "input"),
        html.len() as f64 / 1e6
    ));
    if html.len() > LARGE {
        output::note("a large page is slow to open; show fewer inputs with --show, or --keep less");
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
            "--figure {name}: there are {}",
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
    output::tell(&format!(
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
