//! Datasets and runs that are small enough to be made quickly.

use floral::dataset::{Dataset, Request, SplitConfig, generate};
use floral::device::Device;
use floral::grid::Domain;
use floral::problem::catalogue;
use floral::train::config::{NetworkConfig, OptimiserConfig, StoppingConfig};
use floral::train::{Method, RunFolder, TrainConfig, train};
use floral::{Arrays, Axis, Field, Grid, Quantity, Silent};
use tempfile::TempDir;

/// Number of inputs of the membrane, and of realizations per input.
pub const MEMBRANES: usize = 5;
pub const LOADS: usize = 6;

/// A membrane of 1.2 by 2 metres: its deflection, a few nanometres and never negative, and the
/// pressure on it, about 1e5 pascals. Two inputs are for testing.
pub fn membrane() -> Play {
    let axis = |name, length, n| Axis::over(Domain::closed(0.0, length), name, n).with_units("m");
    let grid = Grid::new(vec![axis("x", 1.2, 6), axis("y", 2.0, 10)]);
    let quantity = |name: &str, units: &str| Quantity::named(name).with_units(units);
    let mut arrays = Arrays::new(grid.clone())
        .title("Membrane under load")
        .quantities(
            [Quantity::default()],
            [quantity("deflection", "m"), quantity("pressure", "Pa")],
        );
    for i in 0..MEMBRANES {
        let load = |point: usize, r: usize| (1.0 + (i * 7 + point + 3 * r) as f64).sin();
        let points = 0..grid.len();
        let solution = |r: usize| {
            let deflection = points.clone().map(|p| 1e-9 * (1.5 + load(p, r)));
            let pressure = points.clone().map(|p| 1e5 + 1e3 * load(p, r));
            let values = deflection.chain(pressure).collect();
            Field::from_values(2, &grid.shape(), values).unwrap()
        };
        let input = Field::scalar(&grid, points.clone().map(|p| load(p, 0)).collect());
        let high: Vec<Field> = (1..=LOADS).map(solution).collect();
        arrays.push(&input, Some(&solution(0)), &high).unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let dataset = arrays.write(folder.path().join("membrane.zarr")).unwrap();
    Play { folder, dataset }
}

/// A temperature as a function of load and stiffness: a field on two triangles or, on a grid of one
/// point, a single number.
pub fn of_parameters(grid: &Grid) -> Play {
    let parameter = |name: &str| Quantity::named(name).as_parameter();
    let mut arrays = Arrays::new(grid.clone()).quantities(
        [parameter("load"), parameter("stiffness")],
        [Quantity::named("temperature").with_units("K")],
    );
    let points = grid.len();
    for i in 0..MEMBRANES {
        let given = [(i as f64).sin(), 1.0 + i as f64];
        let constant = given.iter().flat_map(|v| vec![*v; points]).collect();
        let input = Field::from_values(2, &grid.shape(), constant).unwrap();
        let run = |r: usize| {
            let value = |p: usize| given[0] * (1.0 + p as f64) / given[1] + 0.01 * r as f64;
            Field::scalar(grid, (0..points).map(value).collect())
        };
        let high: Vec<Field> = (1..=LOADS).map(run).collect();
        arrays.push(&input, None, &high).unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let dataset = arrays.write(folder.path().join("plate.zarr")).unwrap();
    Play { folder, dataset }
}

/// A dataset and a folder for runs; two inputs are for testing.
pub struct Play {
    folder: TempDir,
    pub dataset: Dataset,
}

pub fn play() -> Play {
    let folder = tempfile::tempdir().unwrap();
    let constants = toml::toml! { resolution = 16 };
    let problem = catalogue::build("1dcr", constants, "test").unwrap();
    let request = Request::new(5, 6, 3);
    let path = folder.path().join("curve.zarr");
    generate(problem.as_ref(), &request, &path, &Silent).unwrap();
    let dataset = Dataset::open(&path).unwrap();
    Play { folder, dataset }
}

impl Play {
    /// Trains a tiny network for a few steps.
    pub fn run(&self, method: Method) -> RunFolder {
        let mut config = TrainConfig {
            method,
            split: SplitConfig::new(2, 1, None),
            optimiser: OptimiserConfig {
                batch: 4,
                ..Default::default()
            },
            ..Default::default()
        };
        config.network = NetworkConfig {
            hidden_channels: 4,
            layers: 2,
            film_channels: 4,
            ..NetworkConfig::default()
        };
        config.stopping = StoppingConfig {
            epochs: 2,
            ..Default::default()
        };
        let path = self.folder.path().join(method.name());
        let run = RunFolder::create(&path, &config).unwrap();
        train(&run, &self.dataset, &Device::flex(), &Silent).unwrap();
        run
    }
}
