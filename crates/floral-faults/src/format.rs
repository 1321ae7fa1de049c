//! The formats that floral reads, and how the campaign reads each of them completely.

use std::path::Path;

use anyhow::Context;
use floral::dataset::import::{Import, ImportOptions, Pick};
use floral::dataset::{Dataset, NpzInputs, read_mesh};
use floral::device::Device;
use floral::inspect::inspect;
use floral::predict::{Case, Predictor, Sampling, read_points};
use floral::problem::Origin;
use floral::problem::catalogue;
use floral::random::{Purpose, stream};
use floral::train::{RunFolder, TrainConfig, check};
use floral::verify::{ReferenceState, Tensors};
use floral::{Axis, Error, Field, Grid, Result, Silent};

use crate::dice::Dice;

/// A format, named after the folder of its specimens.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// The name.
    pub name: &'static str,
    /// Reads a file or folder completely; an error means that it is refused.
    pub read: fn(&Path, &Surroundings) -> Result<()>,
}

/// Everything that reading needs besides the file.
#[derive(Debug)]
pub struct Surroundings {
    /// An intact dataset.
    pub dataset: Dataset,
    /// Whether the file is also used in a computation after it is read.
    pub is_used: bool,
}

/// All formats.
pub const FORMATS: [Format; 16] = [
    of("zarr", zarr),
    of("import-zarr", import),
    of("npz", npz),
    of("npy", import),
    of("hdf5", import),
    of("netcdf", import),
    of("ugrid", mesh),
    of("exodus", mesh),
    of("xdmf", mesh),
    of("csv", csv),
    of("run", run),
    of("checkpoint", checkpoint),
    of("tensors", tensors),
    of("toml", settings),
    of("constants", constants),
    of("experiment", experiment),
];

const fn of(name: &'static str, read: fn(&Path, &Surroundings) -> Result<()>) -> Format {
    Format { name, read }
}

impl Format {
    /// The format with this name.
    pub fn named(name: &str) -> anyhow::Result<Self> {
        let format = FORMATS.into_iter().find(|format| format.name == name);
        format.context("there is no such format")
    }
}

impl Surroundings {
    /// The surroundings of a case; one case in eight includes a computation.
    pub fn of(dataset: Dataset, dice: &mut Dice) -> Self {
        Self {
            dataset,
            is_used: dice.one_in(8),
        }
    }
}

/// A dataset of floral: every array of its first inputs, its declarations, and a summary.
fn zarr(path: &Path, around: &Surroundings) -> Result<()> {
    let dataset = Dataset::open(path)?;
    dataset.symmetries()?;
    dataset.origin()?;
    for index in 0..dataset.inputs().min(3) {
        dataset.input(index)?;
        dataset.low_realizations(index)?;
        dataset.exact_moments(index)?;
        if dataset.has_low() {
            dataset.low(index)?;
        }
        if dataset.has_high() {
            dataset.high(index)?;
        }
    }
    dataset.redraws()?;
    if around.is_used && dataset.inputs() < 100 {
        inspect(&dataset.as_stored())?;
    }
    Ok(())
}

/// Files of other programs: everything that an import reads.
fn import(path: &Path, _: &Surroundings) -> Result<()> {
    Import::open(&[path.to_owned()])?.look(&ImportOptions::default(), &Silent)?;
    Ok(())
}

/// A mesh with its fields at the last and the first time. In a folder, the XDMF file is read.
fn mesh(path: &Path, around: &Surroundings) -> Result<()> {
    let mut inner = std::fs::read_dir(path).into_iter().flatten().flatten();
    let inner = inner.find(|entry| entry.path().extension() == Some("xdmf".as_ref()));
    let path = inner.map_or(path.to_owned(), |entry| entry.path());
    let file = read_mesh(&path, &[Pick::at("u", "t", 0)])?;
    if around.is_used {
        Grid::on_mesh(file.mesh).weights();
    }
    Ok(())
}

/// NumPy archives, both imported and as inputs of a prediction.
fn npz(path: &Path, around: &Surroundings) -> Result<()> {
    let grid = Grid::new(vec![Axis::closed("x", 8)]);
    let assumed = |shape: &[usize]| {
        let points = shape.first().copied().unwrap_or(0);
        Ok(Grid::new(vec![Axis::closed("x", points.max(2))]))
    };
    // The specimens are not inputs of this run, but their arrays are read nevertheless.
    let _ = NpzInputs::open(path, &grid, (3, 1), assumed);
    import(path, around)
}

/// A table of points.
fn csv(path: &Path, _: &Surroundings) -> Result<()> {
    let grid = Grid::new(vec![Axis::closed("x", 9), Axis::closed("y", 9)]);
    read_points(path, &grid).map(drop)
}

/// The settings and the log of a run.
fn run(path: &Path, _: &Surroundings) -> Result<()> {
    let run = RunFolder::open(path)?;
    run.config()?.to_toml();
    run.epochs().map(drop)
}

/// A model file, and its predictions if the file is accepted.
fn checkpoint(path: &Path, around: &Surroundings) -> Result<()> {
    let run = RunFolder::open(path)?;
    let model = Predictor::load(&run, &Device::flex())?;
    let grid = model.grid().clone();
    let channels = model.header().shapes.input_channels;
    let solution = model.header().shapes.solution_channels;
    let points = grid.len();
    if !around.is_used || points * channels.max(solution) > 1 << 16 {
        return Ok(());
    }
    let field = |channels: usize| {
        let values = (0..channels * points).map(|i| (i as f64).sin()).collect();
        Field::from_values(channels, &grid.shape(), values)
    };
    let case = Case {
        input: field(channels)?,
        low: match model.header().uses_low() {
            true => Some(field(solution)?),
            false => None,
        },
    };
    let sampling = Sampling {
        realizations: 2,
        ..Sampling::default()
    };
    model.sample(&case, 0, &grid, &sampling, &Silent).map(drop)
}

/// Reference numbers, and the weights of a reference network.
fn tensors(path: &Path, _: &Surroundings) -> Result<()> {
    // No specimen is a reference network, but this is detected late.
    let _ = ReferenceState::read(path);
    Tensors::read(path).map(drop)
}

/// The settings of a training, checked against a dataset.
fn settings(path: &Path, around: &Surroundings) -> Result<()> {
    let config = TrainConfig::from_table(table(path)?, "settings")?;
    config.to_toml();
    if around.is_used {
        check(&config, &around.dataset)?;
    }
    Ok(())
}

/// The constants of the problem after which the file is named, on a small grid.
fn constants(path: &Path, around: &Surroundings) -> Result<()> {
    let mut table = table(path)?;
    // A fine grid is a legitimate, but expensive choice of the user.
    table.insert("resolution".into(), 16.into());
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let problem = catalogue::build(&name, table, "constants")?;
    if around.is_used {
        let input = problem.draw_input(&mut stream(0, Purpose::Input, 0, 0))?;
        problem.low_fidelity(&input)?;
    }
    Ok(())
}

/// An experiment at the scale `paper`.
fn experiment(path: &Path, _: &Surroundings) -> Result<()> {
    floral_cli::check_experiment(&text(path)?)
}

fn table(path: &Path) -> Result<toml::Table> {
    text(path)?.parse().map_err(Error::toml("text"))
}

fn text(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(Error::io(path))
}
