//! Laws of weights, neighbours, smoothing and gradients.

mod common;

use common::{assert_near, cloud, linear, on, shuffled, unit};
use floral_mesh::{CellKind, Cells, Mesh, Points};

#[test]
fn weights_are_positive_and_sum_to_the_measure_of_the_domain() {
    for kind in CellKind::ALL {
        let mesh = unit(kind, 5, 0.2);
        let weights = mesh.weights();
        assert!(weights.iter().all(|w| *w > 0.0), "{kind:?}");
        assert_near(weights.iter().sum(), 1.0, 1e-12);
        assert_near(mesh.measures().iter().sum(), 1.0, 1e-12);
    }
}

#[test]
fn weights_integrate_linear_functions_exactly_on_simplices() {
    for (kind, integral) in [
        (CellKind::Line, 2.0),
        (CellKind::Triangle, 0.5),
        (CellKind::Tetrahedron, 0.75),
    ] {
        let mesh = unit(kind, 6, 0.3);
        let sum = mesh
            .weights()
            .iter()
            .zip(on(&mesh, linear))
            .map(|(w, f)| w * f)
            .sum();
        assert_near(sum, integral, 1e-12);
    }
}

#[test]
fn a_simplex_shares_its_measure_equally_among_its_nodes() {
    let points = Points::new(
        &[0.1, 0.0, 0.0, 2.0, 0.0, 0.3, 0.0, 1.5, 0.0, 0.0, 0.2, 1.0],
        3,
    )
    .unwrap();
    let cell = Cells::new(CellKind::Tetrahedron, vec![0, 1, 2, 3]).unwrap();
    let mesh = Mesh::new(points, vec![cell]).unwrap();
    let volume = mesh.measures()[0];
    mesh.weights()
        .iter()
        .for_each(|w| assert_near(*w, volume / 4.0, 1e-15));
}

#[test]
fn the_area_of_a_sphere_is_approached_by_a_surface_mesh() {
    // An octahedron whose triangles are split into four and projected outward, five times.
    let mut points = vec![
        [1.0, 0.0, 0.0],
        [-1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, -1.0, 0.0],
        [0.0, 0.0, 1.0],
        [0.0, 0.0, -1.0],
    ];
    let mut faces = vec![
        [0, 2, 4],
        [2, 1, 4],
        [1, 3, 4],
        [3, 0, 4],
        [2, 0, 5],
        [1, 2, 5],
        [3, 1, 5],
        [0, 3, 5],
    ];
    for _ in 0..5 {
        let mut middles = std::collections::HashMap::new();
        let mut middle = |a: usize, b: usize| {
            *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                let m: [f64; 3] = std::array::from_fn(|i| points[a][i] + points[b][i]);
                let r = m.iter().map(|x| x * x).sum::<f64>().sqrt();
                points.push(m.map(|x| x / r));
                points.len() - 1
            })
        };
        let split = |f: &[usize; 3]| {
            let (a, b, c) = (middle(f[0], f[1]), middle(f[1], f[2]), middle(f[2], f[0]));
            [[f[0], a, c], [a, f[1], b], [c, b, f[2]], [a, b, c]]
        };
        faces = faces.iter().flat_map(split).collect();
    }
    let cells = Cells::new(CellKind::Triangle, faces.concat()).unwrap();
    let mesh = Mesh::new(Points::new(&points.concat(), 3).unwrap(), vec![cells]).unwrap();
    assert_near(
        mesh.weights().iter().sum(),
        4.0 * std::f64::consts::PI,
        0.01,
    );
    assert!(mesh.surface().border.is_empty());
    // The gradient of z points up at the equator and vanishes at the pole: it is tangential.
    let gradient = mesh.gradients()[2].apply(&on(&mesh, |x| x[2]));
    assert_near(gradient[0], 1.0, 0.01);
    assert_near(gradient[4], 0.0, 0.01);
}

#[test]
fn weights_do_not_depend_on_the_order_of_points_and_cells() {
    for mesh in [
        unit(CellKind::Triangle, 7, 0.3),
        unit(CellKind::Hexahedron, 4, 0.1),
        cloud(7, 2, 0.2),
        cloud(5, 3, 0.0),
    ] {
        let (other, new) = shuffled(&mesh, 3);
        let (a, b) = (mesh.weights(), other.weights());
        a.iter()
            .zip(&new)
            .for_each(|(w, &at)| assert_near(*w, b[at], 1e-14));
    }
}

#[test]
fn points_on_a_line_have_the_weights_of_the_trapezoidal_rule_in_any_order() {
    let points = Points::new(&[3.0, 0.0, 1.0], 1).unwrap();
    let mesh = Mesh::new(points, Vec::new()).unwrap();
    assert_eq!(mesh.weights(), [1.0, 0.5, 1.5]);
    let alone = Mesh::new(Points::new(&[4.0, 2.0], 2).unwrap(), Vec::new()).unwrap();
    assert_eq!(alone.weights(), [1.0]);
}

#[test]
fn weights_of_a_cloud_inside_are_those_of_its_cells_within_a_tenth() {
    for d in [2, 3] {
        let (n, shake) = (9_usize, 0.0);
        let h = 1.0 / (n - 1) as f64;
        let middle = (n.pow(d as u32) - 1) / 2;
        assert_near(
            cloud(n, d, shake).weights()[middle] / h.powi(d as i32),
            1.0,
            0.1,
        );
    }
}

#[test]
fn neighbours_are_symmetric_and_do_not_depend_on_the_order() {
    for mesh in [
        unit(CellKind::Quad, 5, 0.2),
        unit(CellKind::Tetrahedron, 4, 0.2),
        cloud(6, 2, 0.0),
        cloud(5, 3, 0.2),
    ] {
        let near = mesh.neighbours();
        let (other, new) = shuffled(&mesh, 5);
        let near_other = other.neighbours();
        for i in 0..near.rows() {
            let mut moved: Vec<usize> = near.row(i).map(|(j, _)| new[j]).collect();
            moved.sort_unstable();
            assert_eq!(
                moved,
                near_other.row(new[i]).map(|(j, _)| j).collect::<Vec<_>>()
            );
            assert!(
                near.row(i)
                    .all(|(j, r)| r > 0.0 && near.row(j).any(|(k, s)| k == i && s == r))
            );
        }
    }
}

#[test]
fn a_point_inside_a_lattice_has_the_same_neighbours_with_cells_and_without() {
    let with: Vec<_> = unit(CellKind::Quad, 7, 0.0).neighbours().row(24).collect();
    let without: Vec<_> = cloud(7, 2, 0.0).neighbours().row(24).collect();
    assert_eq!(with.len(), 8);
    assert_eq!(with, without);
}

#[test]
fn smoothing_keeps_constants_at_every_width() {
    for mesh in [
        unit(CellKind::Triangle, 12, 0.3),
        unit(CellKind::Tetrahedron, 6, 0.2),
        cloud(10, 2, 0.3),
        unit(CellKind::Line, 20, 0.3),
    ] {
        for width in [0.0, 0.01, 0.05, 0.2, 1.0] {
            let smoothing = mesh.smoothing(width);
            let rows = smoothing.step().apply(&vec![1.0; mesh.points().count()]);
            rows.iter().for_each(|sum| assert_near(*sum, 1.0, 1e-12));
            assert!((0..rows.len()).all(|i| smoothing.step().row(i).all(|(_, v)| v >= 0.0)));
        }
    }
}

#[test]
fn smoothing_spreads_a_peak_by_its_width_in_every_direction() {
    for (kind, n, widths) in [
        (CellKind::Line, 81, [0.005, 0.02, 0.08]),
        (CellKind::Triangle, 41, [0.01, 0.04, 0.08]),
        (CellKind::Quad, 41, [0.01, 0.03, 0.08]),
        (CellKind::Hexahedron, 17, [0.02, 0.08, 0.11]),
    ] {
        let mesh = unit(kind, n, 0.0);
        let d = kind.dimension();
        let middle = (mesh.points().count() - 1) / 2;
        for width in widths {
            let smoothing = mesh.smoothing(width);
            let second = |axis: usize| {
                let moment = on(&mesh, |x| (x[axis] - 0.5).powi(2));
                smoothing.apply(&moment)[middle]
            };
            for axis in 0..d {
                assert_near(second(axis).sqrt() / width, 1.0, 0.12);
            }
            assert!(smoothing.step().entries() < 110 * mesh.points().count());
        }
    }
}

#[test]
fn smoothing_does_not_depend_on_the_order() {
    let mesh = unit(CellKind::Triangle, 9, 0.3);
    let (other, new) = shuffled(&mesh, 11);
    let f = |x: &[f64; 3]| (7.0 * x[0]).sin() * x[1];
    let (a, b) = (
        mesh.smoothing(0.1).apply(&on(&mesh, f)),
        other.smoothing(0.1).apply(&on(&other, f)),
    );
    a.iter()
        .zip(&new)
        .for_each(|(v, &at)| assert_near(*v, b[at], 1e-13));
}

#[test]
fn gradients_of_linear_functions_are_exact() {
    let meshes = CellKind::ALL.map(|kind| unit(kind, 5, 0.2));
    for mesh in meshes
        .into_iter()
        .chain([cloud(6, 2, 0.3), cloud(4, 3, 0.3)])
    {
        let expected = [2.0, -3.0, 0.5];
        let gradients = mesh.gradients();
        assert_eq!(gradients.len(), mesh.points().dimension());
        for (matrix, slope) in gradients.iter().zip(expected) {
            for value in matrix.apply(&on(&mesh, linear)) {
                assert_near(value, slope, 1e-11);
            }
        }
    }
}

#[test]
fn the_boundary_of_a_cube_is_closed_and_has_its_area() {
    for kind in [
        CellKind::Tetrahedron,
        CellKind::Hexahedron,
        CellKind::Wedge,
        CellKind::Pyramid,
    ] {
        let mesh = unit(kind, 4, 0.1);
        let surface = mesh.surface();
        let area: f64 = surface.triangles.iter().map(|t| area(&mesh, t)).sum();
        assert_near(area, 6.0, 1e-12);
        assert!(surface.border.is_empty());
    }
}

#[test]
fn the_triangles_of_a_plane_mesh_have_its_area_and_its_border_its_length() {
    for kind in [CellKind::Triangle, CellKind::Quad] {
        let mesh = unit(kind, 6, 0.2);
        let surface = mesh.surface();
        assert_near(
            surface.triangles.iter().map(|t| area(&mesh, t)).sum(),
            1.0,
            1e-12,
        );
        assert_eq!(surface.border.len(), 20);
        // Euler: corners - edges + faces = 1 for a disk.
        let faces = mesh.cells()[0].count();
        assert_eq!(36 + faces, surface.edges.len() + 1);
    }
}

fn area(mesh: &Mesh, t: &[usize; 3]) -> f64 {
    let x = |i: usize| mesh.points().rows()[t[i]];
    let e = |i: usize| -> [f64; 3] { std::array::from_fn(|a| x(i)[a] - x(0)[a]) };
    let (a, b) = (e(1), e(2));
    let c = [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ];
    0.5 * c.iter().map(|v| v * v).sum::<f64>().sqrt()
}
