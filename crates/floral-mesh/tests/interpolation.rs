//! Laws of interpolation.
#![allow(clippy::unwrap_used)] // A test may panic.

mod common;

use common::{assert_near, cloud, linear, on, rng, unit};
use floral_mesh::{CellKind, Error, Points, interpolation};
use rand::RngExt;

fn random_points(count: usize, d: usize) -> Points {
    let mut rng = rng(1);
    let x: Vec<f64> = (0..count * d).map(|_| rng.random_range(0.0..1.0)).collect();
    Points::new(&x, d).expect("random points are finite")
}

#[test]
fn linear_functions_are_exact_inside() {
    let meshes = CellKind::ALL.map(|kind| unit(kind, 6, 0.2));
    for mesh in meshes
        .into_iter()
        .chain([cloud(8, 2, 0.2), cloud(6, 3, 0.2)])
    {
        let to = random_points(300, mesh.points().dimension());
        let result = interpolation(&mesh, &to).unwrap();
        assert_eq!(
            result.outside,
            0,
            "{:?}",
            mesh.cells().first().map(|b| b.kind())
        );
        assert_eq!(result.farthest, 0.0);
        let values = result.matrix.apply(&on(&mesh, linear));
        for (value, x) in values.iter().zip(to.rows()) {
            assert_near(*value, linear(x), 1e-7);
        }
    }
}

#[test]
fn a_mesh_interpolated_to_its_own_points_is_itself() {
    for mesh in [
        unit(CellKind::Triangle, 6, 0.3),
        unit(CellKind::Hexahedron, 4, 0.1),
        cloud(6, 2, 0.2),
    ] {
        let result = interpolation(&mesh, mesh.points()).unwrap();
        let f = on(&mesh, |x| (9.0 * x[0]).sin() + x[1] * x[1]);
        let same = result.matrix.apply(&f);
        same.iter()
            .zip(&f)
            .for_each(|(a, b)| assert_near(*a, *b, 1e-12));
        assert_eq!(result.outside, 0);
    }
}

#[test]
fn the_error_of_a_smooth_function_falls_with_the_square_of_the_step() {
    let f = |x: &[f64; 3]| (3.0 * x[0]).sin() * (2.0 * x[1]).cos();
    let to = random_points(400, 2);
    let error = |n: usize, cells: bool| {
        let mesh = if cells {
            unit(CellKind::Triangle, n, 0.2)
        } else {
            cloud(n, 2, 0.2)
        };
        let values = interpolation(&mesh, &to)
            .unwrap()
            .matrix
            .apply(&on(&mesh, f));
        let squares = values
            .iter()
            .zip(to.rows())
            .map(|(v, x)| (v - f(x)).powi(2));
        (squares.sum::<f64>() / 400.0).sqrt()
    };
    for cells in [true, false] {
        let ratio = error(11, cells) / error(41, cells);
        assert!(
            ratio > 10.0,
            "a step four times smaller gave {ratio} times less"
        );
    }
}

#[test]
fn points_outside_are_counted_and_take_values_of_the_border() {
    let to = Points::new(&[0.5, 1.25, -1.0, -1.0, 0.5, 0.5], 2).unwrap();
    let mesh = unit(CellKind::Quad, 5, 0.0);
    let result = interpolation(&mesh, &to).unwrap();
    assert_eq!(result.outside, 2);
    assert_near(result.farthest, 2f64.sqrt(), 1e-12);
    let values = result.matrix.apply(&on(&mesh, linear));
    assert_near(values[0], linear(&[0.5, 1.0, 0.0]), 0.3);
    assert_near(values[1], linear(&[0.0; 3]), 1e-12);
    assert_near(values[2], linear(&[0.5, 0.5, 0.0]), 1e-12);
    let cloud = interpolation(&cloud(5, 2, 0.0), &to).unwrap();
    assert_eq!(cloud.outside, 1);
}

#[test]
fn rows_sum_to_one_and_values_in_cells_stay_between_those_of_the_mesh() {
    let mut rng = rng(2);
    let x: Vec<f64> = (0..400).map(|_| rng.random_range(-0.5..1.5)).collect();
    let to = Points::new(&x, 2).unwrap();
    for mesh in [unit(CellKind::Triangle, 5, 0.2), cloud(5, 2, 0.2)] {
        let matrix = interpolation(&mesh, &to).unwrap().matrix;
        for i in 0..matrix.rows() {
            assert_near(matrix.row(i).map(|(_, w)| w).sum(), 1.0, 1e-12);
            assert!(mesh.cells().is_empty() || matrix.row(i).all(|(_, w)| w >= 0.0));
        }
    }
}

#[test]
fn points_of_another_dimension_are_refused() {
    let refused = interpolation(&unit(CellKind::Triangle, 3, 0.0), &random_points(2, 3));
    assert!(matches!(
        refused,
        Err(Error::DimensionsDiffer { from: 2, to: 3 })
    ));
}
