//! Tests of fields on meshes: they are stored and read again, weights are areas, inputs on another
//! mesh are interpolated, and settings that need a grid are refused.
#![allow(clippy::unwrap_used)] // A test may panic.

use floral::mesh::{CellKind, Cells, Mesh, Points};
use floral::metric::MeanFieldError;
use floral::train::{Method, TrainConfig};
use floral::{Arrays, Field, Grid, Quantity, Silent, fit};

/// A square of triangles with n points per side; `place` maps the unit interval to coordinates
/// along x.
fn square(n: usize, place: impl Fn(f64) -> f64) -> Mesh {
    let at = |i: usize| i as f64 / (n - 1) as f64;
    let points: Vec<f64> = (0..n * n)
        .flat_map(|k| [place(at(k % n)), at(k / n)])
        .collect();
    let corners = (0..(n - 1) * (n - 1)).map(|k| k / (n - 1) * n + k % (n - 1));
    let cells = corners.flat_map(|k| [k, k + 1, k + n + 1, k, k + n + 1, k + n]);
    let cells = Cells::new(CellKind::Triangle, cells.collect()).unwrap();
    Mesh::new(Points::new(&points, 2).unwrap(), vec![cells]).unwrap()
}

fn at_points(grid: &Grid, value: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    let points = (0..grid.len()).map(|i| grid.point(i));
    points.map(|point| value(point[0], point[1])).collect()
}

/// Inputs with one parameter, load, and solutions load * (x + y).
fn arrays(grid: &Grid) -> Arrays {
    let load = [Quantity::named("load").with_units("N").as_parameter()];
    let mut arrays = Arrays::new(grid.clone()).quantities(load, [Quantity::named("u")]);
    for k in 0..8 {
        let load = f64::from(k) / 7.0;
        let input = Field::scalar(grid, vec![load; grid.len()]);
        let field =
            |noise: f64| Field::scalar(grid, at_points(grid, |x, y| (load + noise) * (x + y)));
        arrays
            .push(&input, None, &[field(0.01), field(-0.01)])
            .unwrap();
    }
    arrays
}

#[test]
fn points_cells_and_parameters_are_read_as_they_were_written() {
    let grid = Grid::on_mesh(square(4, |x| x));
    let folder = tempfile::tempdir().unwrap();
    let dataset = arrays(&grid)
        .write(folder.path().join("data.zarr"))
        .unwrap();
    assert!(dataset.grid().coincides(&grid));
    assert!(
        !folder.path().join("data.zarr/input").exists(),
        "parameters are no field"
    );
    assert_eq!(dataset.input(7).unwrap().values(), [1.0; 16]);
    let load = &dataset.input_quantities()[0];
    assert_eq!(
        (load.name.as_deref(), load.units.as_deref()),
        (Some("load"), Some("N"))
    );
    assert!(load.parameter);
}

#[test]
fn a_parameter_that_varies_over_the_domain_is_refused() {
    let grid = Grid::on_mesh(square(3, |x| x));
    let load = [Quantity::named("load").as_parameter()];
    let mut arrays = Arrays::new(grid.clone()).quantities(load, []);
    let input = Field::scalar(&grid, at_points(&grid, |x, _| x));
    let high = Field::scalar(&grid, vec![1.0; grid.len()]);
    arrays.push(&input, None, &[high]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let refusal = arrays.write(folder.path().join("data.zarr")).unwrap_err();
    assert!(
        refusal
            .to_string()
            .contains("load is a parameter but varies"),
        "{refusal}"
    );
}

#[test]
fn refining_a_part_of_the_mesh_does_not_change_the_error_of_a_smooth_field() {
    let error = |place: fn(f64) -> f64| {
        let grid = Grid::on_mesh(square(33, place));
        let (truth, predicted) = (
            at_points(&grid, |x, y| 1.0 + x * y),
            at_points(&grid, |x, y| 1.0 + x * y + 0.1 * (3.0 * x).sin()),
        );
        let mut error = MeanFieldError::default();
        error.push_weighted(&predicted, &truth, grid.weights().unwrap(), 0.0);
        (error.rmse(), error.nrmse())
    };
    let (even, fine) = (error(|x| x), error(|x| x * x));
    assert!((fine.0 / even.0 - 1.0).abs() < 0.01, "{even:?} {fine:?}");
    assert!((fine.1 / even.1 - 1.0).abs() < 0.01, "{even:?} {fine:?}");
}

#[test]
fn networks_and_resolutions_are_refused_in_one_line() {
    let grid = Grid::on_mesh(square(4, |x| x));
    let folder = tempfile::tempdir().unwrap();
    let dataset = arrays(&grid)
        .write(folder.path().join("data.zarr"))
        .unwrap();
    let refusal = |config: &TrainConfig, name: &str| {
        let refused = fit(&dataset, folder.path().join(name), config, &Silent);
        refused.err().unwrap().to_string()
    };
    let kriging = TrainConfig {
        method: Method::Kriging,
        resolution: Some(vec![8]),
        ..TrainConfig::default()
    };
    assert!(refusal(&kriging, "coarse").contains("no resolution"));
    let filter = "method = \"kriging\"\nlow.kind = \"filter\""
        .parse()
        .unwrap();
    let filter = TrainConfig::from_table(filter, "test").unwrap();
    assert!(refusal(&filter, "filter").contains("a filter needs a grid"));
}
