//! Invalid meshes are refused with the first bad index; boundary cells and orientation are handled.

use floral_mesh::{CellKind, Cells, Error, Mesh, Points, highest_dimension, interpolation};

const SQUARE: [f64; 8] = [0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0];

fn mesh(points: &[f64], d: usize, kind: CellKind, nodes: &[usize]) -> Result<Mesh, Error> {
    Mesh::new(
        Points::new(points, d)?,
        vec![Cells::new(kind, nodes.to_vec())?],
    )
}

fn plane(kind: CellKind, nodes: &[usize]) -> Result<Mesh, Error> {
    mesh(&SQUARE, 2, kind, nodes)
}

#[test]
fn a_node_out_of_range_is_named_with_its_cell() {
    let refused = plane(CellKind::Triangle, &[0, 1, 2, 0, 2, 4]).unwrap_err();
    assert!(matches!(
        refused,
        Error::NodeOutOfRange {
            cell: 1,
            node: 4,
            points: 4,
            ..
        }
    ));
    assert_eq!(
        refused.to_string(),
        "triangle 1 has node 4, but there are 4 points; indices count from zero"
    );
}

#[test]
fn a_repeated_node_is_named() {
    let refused = plane(CellKind::Quad, &[0, 1, 2, 1]);
    assert!(matches!(
        refused,
        Err(Error::RepeatedNode {
            cell: 0,
            node: 1,
            ..
        })
    ));
}

#[test]
fn a_cell_without_area_is_named() {
    let points = [0.0, 0.0, 1.0, 0.0, 2.0, 0.0, 0.0, 1.0];
    let refused = mesh(&points, 2, CellKind::Triangle, &[0, 1, 3, 0, 1, 2]);
    assert!(matches!(refused, Err(Error::ZeroMeasure { cell: 1, .. })));
}

#[test]
fn cells_that_fold_are_refused_in_the_plane_and_in_space() {
    let crossed = [0, 1, 3, 2];
    assert!(matches!(
        plane(CellKind::Quad, &crossed),
        Err(Error::Tangled { cell: 0, .. })
    ));
    let space = [0.0, 0.0, 0.0, 1.0, 0.0, 0.2, 1.0, 1.2, 0.0, 0.0, 1.0, 0.1];
    assert!(matches!(
        mesh(&space, 3, CellKind::Quad, &crossed),
        Err(Error::Tangled { .. })
    ));
    // The corners of a cube listed row by row instead of around the faces.
    let cube: Vec<f64> = (0..8)
        .flat_map(|i| [i & 1, i >> 1 & 1, i >> 2])
        .map(f64::from)
        .collect();
    let rows = [0, 1, 2, 3, 4, 5, 6, 7];
    assert!(matches!(
        mesh(&cube, 3, CellKind::Hexahedron, &rows),
        Err(Error::Tangled { .. })
    ));
}

#[test]
fn inverted_cells_are_mirrored_and_counted() {
    let right = plane(CellKind::Triangle, &[0, 1, 2, 0, 2, 3]).unwrap();
    let mixed = plane(CellKind::Triangle, &[0, 1, 2, 0, 3, 2]).unwrap();
    assert_eq!((right.reoriented(), mixed.reoriented()), (0, 1));
    assert_eq!(right.cells(), mixed.cells());
    for kind in CellKind::ALL {
        let cube: Vec<f64> = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0].into();
        let top = [0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0];
        let all: Vec<f64> = cube.into_iter().chain(top).collect();
        let nodes: &[usize] = match kind {
            CellKind::Tetrahedron => &[0, 2, 1, 4],
            CellKind::Hexahedron => &[4, 5, 6, 7, 0, 1, 2, 3],
            CellKind::Wedge => &[4, 5, 6, 0, 1, 2],
            CellKind::Pyramid => &[3, 2, 1, 0, 4],
            _ => continue,
        };
        let used: Vec<usize> = (0..8).filter(|i| nodes.contains(i)).collect();
        let points: Vec<f64> = used
            .iter()
            .flat_map(|&i| &all[3 * i..3 * i + 3])
            .copied()
            .collect();
        let place = |n: &usize| used.iter().position(|u| u == n).unwrap();
        let nodes: Vec<usize> = nodes.iter().map(place).collect();
        let mesh = mesh(&points, 3, kind, &nodes).unwrap();
        assert_eq!(mesh.reoriented(), 1, "{kind:?}");
        let again = Mesh::new(mesh.points().clone(), mesh.cells().to_vec()).unwrap();
        assert_eq!(again.reoriented(), 0, "{kind:?}");
    }
}

#[test]
fn the_first_of_equal_points_are_named() {
    let points = [0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, -0.0, 0.0, 1.0];
    let refused = Mesh::new(Points::new(&points, 2).unwrap(), Vec::new());
    assert!(matches!(
        refused,
        Err(Error::DuplicatePoints {
            first: 1,
            second: 3
        })
    ));
}

#[test]
fn cells_with_the_same_nodes_are_named() {
    let refused = plane(CellKind::Triangle, &[0, 1, 2, 0, 2, 3, 3, 0, 2, 2, 1, 0]);
    assert!(matches!(
        refused,
        Err(Error::DuplicateCells {
            first: 1,
            second: 2,
            ..
        })
    ));
}

#[test]
fn a_single_point_is_a_mesh() {
    let mesh = Mesh::new(Points::new(&[1.0, 2.0], 2).unwrap(), Vec::new()).unwrap();
    assert_eq!(mesh.smoothing(0.5).apply(&[3.0]), [3.0]);
    assert_eq!(mesh.gradients()[1].apply(&[3.0]), [0.0]);
    assert_eq!(mesh.neighbours().entries(), 0);
    let to = Points::new(&[4.0, 2.0], 2).unwrap();
    let result = interpolation(&mesh, &to).unwrap();
    assert_eq!((result.matrix.apply(&[3.0])[0], result.outside), (3.0, 1));
}

#[test]
fn a_point_of_no_cell_is_named() {
    let refused = plane(CellKind::Triangle, &[0, 1, 3]);
    assert!(matches!(
        refused,
        Err(Error::UnusedPoint { point: 2, count: 1 })
    ));
}

#[test]
fn cells_must_fit_the_points_and_each_other() {
    let refused = plane(CellKind::Tetrahedron, &[0, 1, 2, 3]);
    assert!(matches!(
        refused,
        Err(Error::CellDimension { dimension: 2, .. })
    ));
    let points = Points::new(&SQUARE, 2).unwrap();
    let triangles = Cells::new(CellKind::Triangle, vec![0, 1, 2, 0, 2, 3]).unwrap();
    let lines = Cells::new(CellKind::Line, vec![0, 1, 1, 2, 2, 3]).unwrap();
    let both = vec![lines, triangles];
    let refused = Mesh::new(points.clone(), both.clone());
    assert!(matches!(refused, Err(Error::MixedDimensions { .. })));
    let (kept, dropped) = highest_dimension(both);
    assert_eq!(dropped, 3);
    assert!(Mesh::new(points, kept).is_ok());
    assert!(matches!(
        Cells::new(CellKind::Quad, vec![0; 6]),
        Err(Error::Nodes { .. })
    ));
}
