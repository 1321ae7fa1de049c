//! Meshes of the unit square and cube, distorted and shuffled.
#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "every test file takes what it needs"
)]

pub mod tables;

use floral_mesh::{CellKind, Cells, Mesh, Points};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// n^d lattice points of the unit square or cube; interior points are moved by up to `shake` of a
/// step.
pub fn lattice(n: usize, d: usize, shake: f64) -> Vec<f64> {
    let mut rng = rng(7);
    let h = 1.0 / (n - 1) as f64;
    let mut points = Vec::new();
    for index in 0..n.pow(d as u32) {
        for axis in 0..d {
            let i = index / n.pow(axis as u32) % n;
            let inside = i > 0 && i < n - 1;
            let move_by = rng.random_range(-1.0..1.0) * shake * h * f64::from(u8::from(inside));
            points.push(i as f64 * h + move_by);
        }
    }
    points
}

/// Quads of the n x n lattice.
pub fn quads(n: usize) -> Vec<usize> {
    let cell = |i: usize, j: usize| {
        [
            j * n + i,
            j * n + i + 1,
            (j + 1) * n + i + 1,
            (j + 1) * n + i,
        ]
    };
    (0..n - 1)
        .flat_map(|j| (0..n - 1).flat_map(move |i| cell(i, j)))
        .collect()
}

/// Hexahedra of the n x n x n lattice.
pub fn hexahedra(n: usize) -> Vec<usize> {
    let mut cells = Vec::new();
    for k in 0..n - 1 {
        for quad in quads(n).chunks(4) {
            cells.extend(quad.iter().map(|q| q + k * n * n));
            cells.extend(quad.iter().map(|q| q + (k + 1) * n * n));
        }
    }
    cells
}

/// Each cell split into parts.
pub fn split(cells: &[usize], per: usize, parts: &[&[usize]]) -> Vec<usize> {
    cells
        .chunks(per)
        .flat_map(|cell| {
            parts
                .iter()
                .flat_map(move |part| part.iter().map(move |&i| cell[i]))
        })
        .collect()
}

/// The unit square or cube meshed by cells of one kind.
pub fn unit(kind: CellKind, n: usize, shake: f64) -> Mesh {
    let d = kind.dimension();
    let nodes = match kind {
        CellKind::Line => (0..n - 1).flat_map(|i| [i, i + 1]).collect(),
        CellKind::Triangle => split(&quads(n), 4, &[&[0, 1, 2], &[0, 2, 3]]),
        CellKind::Quad => quads(n),
        CellKind::Tetrahedron => split(
            &hexahedra(n),
            8,
            &[
                &[0, 1, 2, 6],
                &[0, 2, 3, 6],
                &[0, 3, 7, 6],
                &[0, 7, 4, 6],
                &[0, 4, 5, 6],
                &[0, 5, 1, 6],
            ],
        ),
        CellKind::Hexahedron => hexahedra(n),
        CellKind::Wedge => split(
            &hexahedra(n),
            8,
            &[&[0, 1, 2, 4, 5, 6], &[0, 2, 3, 4, 6, 7]],
        ),
        CellKind::Pyramid => {
            // Six pyramids from the middle of each cube.
            return pyramids(n);
        }
    };
    let points = Points::new(&lattice(n, d, shake), d).unwrap();
    Mesh::new(points, vec![Cells::new(kind, nodes).unwrap()]).unwrap()
}

fn pyramids(n: usize) -> Mesh {
    let mut points = lattice(n, 3, 0.0);
    let mut nodes = Vec::new();
    let faces = [
        [0, 3, 2, 1],
        [4, 5, 6, 7],
        [0, 1, 5, 4],
        [1, 2, 6, 5],
        [2, 3, 7, 6],
        [3, 0, 4, 7],
    ];
    for cube in hexahedra(n).chunks(8) {
        let apex = points.len() / 3;
        let middle = |a: usize| (points[3 * cube[0] + a] + points[3 * cube[6] + a]) / 2.0;
        let middle = [middle(0), middle(1), middle(2)];
        points.extend(middle);
        for face in faces {
            nodes.extend(face.iter().map(|&i| cube[i]).chain([apex]));
        }
    }
    let cells = Cells::new(CellKind::Pyramid, nodes).unwrap();
    Mesh::new(Points::new(&points, 3).unwrap(), vec![cells]).unwrap()
}

/// Points without cells.
pub fn cloud(n: usize, d: usize, shake: f64) -> Mesh {
    Mesh::new(Points::new(&lattice(n, d, shake), d).unwrap(), Vec::new()).unwrap()
}

/// The same mesh with its points and cells in another order, and the new index of every point.
pub fn shuffled(mesh: &Mesh, seed: u64) -> (Mesh, Vec<usize>) {
    let mut rng = rng(seed);
    let n = mesh.points().count();
    let d = mesh.points().dimension();
    let mut old: Vec<usize> = (0..n).collect();
    old.shuffle(&mut rng);
    let mut new = vec![0; n];
    old.iter()
        .enumerate()
        .for_each(|(at, &from)| new[from] = at);
    let coordinates = mesh.points().coordinates();
    let moved: Vec<f64> = old
        .iter()
        .flat_map(|&i| &coordinates[i * d..][..d])
        .copied()
        .collect();
    let block = |block: &Cells| {
        let mut cells: Vec<Vec<usize>> = block
            .iter()
            .map(|cell| cell.iter().map(|&i| new[i]).collect())
            .collect();
        cells.shuffle(&mut rng);
        Cells::new(block.kind(), cells.concat()).unwrap()
    };
    let cells = mesh.cells().iter().map(block).collect();
    (
        Mesh::new(Points::new(&moved, d).unwrap(), cells).unwrap(),
        new,
    )
}

/// 1 + 2x - 3y + z/2.
pub fn linear(x: &[f64; 3]) -> f64 {
    1.0 + 2.0 * x[0] - 3.0 * x[1] + 0.5 * x[2]
}

pub fn on(mesh: &Mesh, f: impl Fn(&[f64; 3]) -> f64) -> Vec<f64> {
    mesh.points().rows().iter().map(f).collect()
}

pub fn assert_near(a: f64, b: f64, tolerance: f64) {
    assert!(
        (a - b).abs() <= tolerance,
        "{a} and {b} differ by more than {tolerance}"
    );
}
