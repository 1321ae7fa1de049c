//! Second-order cells without nodes inside faces fill their volume, in the node order of each
//! format.

mod common;

use common::tables::Tables;
use common::{assert_near, linear};
use floral_mesh::{CellKind, MeshFile, read_arrays, read_bytes};

type Edges = &'static [[usize; 2]];

/// A cell: its corners, its measure, and its edges in the order of each format.
struct Shape {
    corners: &'static [[f64; 3]],
    measure: f64,
    vtk: (usize, Edges),
    gmsh: (usize, Edges),
    exodus: (&'static str, Edges),
}

const BOTTOM: [[f64; 3]; 4] = [
    [0.0, 0.0, 0.0],
    [2.0, 0.0, 0.0],
    [2.0, 2.0, 0.0],
    [0.0, 2.0, 0.0],
];
const TOP: [[f64; 3]; 4] = [
    [0.0, 0.0, 2.0],
    [2.0, 0.0, 2.0],
    [2.0, 2.0, 2.0],
    [0.0, 2.0, 2.0],
];
const ROUND: Edges = &[[0, 1], [1, 2], [2, 3], [3, 0]];

const SHAPES: [Shape; 4] = [
    Shape {
        corners: &BOTTOM,
        measure: 4.0,
        vtk: (23, ROUND),
        gmsh: (16, ROUND),
        exodus: ("SHELL8", ROUND),
    },
    Shape {
        corners: &[
            BOTTOM[0], BOTTOM[1], BOTTOM[2], BOTTOM[3], TOP[0], TOP[1], TOP[2], TOP[3],
        ],
        measure: 8.0,
        vtk: (
            25,
            &[
                [0, 1],
                [1, 2],
                [2, 3],
                [3, 0],
                [4, 5],
                [5, 6],
                [6, 7],
                [7, 4],
                [0, 4],
                [1, 5],
                [2, 6],
                [3, 7],
            ],
        ),
        gmsh: (
            17,
            &[
                [0, 1],
                [0, 3],
                [0, 4],
                [1, 2],
                [1, 5],
                [2, 3],
                [2, 6],
                [3, 7],
                [4, 5],
                [4, 7],
                [5, 6],
                [6, 7],
            ],
        ),
        exodus: (
            "HEX20",
            &[
                [0, 1],
                [1, 2],
                [2, 3],
                [3, 0],
                [0, 4],
                [1, 5],
                [2, 6],
                [3, 7],
                [4, 5],
                [5, 6],
                [6, 7],
                [7, 4],
            ],
        ),
    },
    Shape {
        corners: &[BOTTOM[0], BOTTOM[1], BOTTOM[3], TOP[0], TOP[1], TOP[3]],
        measure: 4.0,
        vtk: (
            26,
            &[
                [0, 1],
                [1, 2],
                [2, 0],
                [3, 4],
                [4, 5],
                [5, 3],
                [0, 3],
                [1, 4],
                [2, 5],
            ],
        ),
        gmsh: (
            18,
            &[
                [0, 1],
                [0, 2],
                [0, 3],
                [1, 2],
                [1, 4],
                [2, 5],
                [3, 4],
                [3, 5],
                [4, 5],
            ],
        ),
        exodus: (
            "WEDGE15",
            &[
                [0, 1],
                [1, 2],
                [2, 0],
                [0, 3],
                [1, 4],
                [2, 5],
                [3, 4],
                [4, 5],
                [5, 3],
            ],
        ),
    },
    Shape {
        corners: &[BOTTOM[0], BOTTOM[1], BOTTOM[2], BOTTOM[3], [1.0, 1.0, 2.0]],
        measure: 8.0 / 3.0,
        vtk: (
            27,
            &[
                [0, 1],
                [1, 2],
                [2, 3],
                [3, 0],
                [0, 4],
                [1, 4],
                [2, 4],
                [3, 4],
            ],
        ),
        gmsh: (
            19,
            &[
                [0, 1],
                [0, 3],
                [0, 4],
                [1, 2],
                [1, 4],
                [2, 3],
                [2, 4],
                [3, 4],
            ],
        ),
        exodus: (
            "PYRAMID13",
            &[
                [0, 1],
                [1, 2],
                [2, 3],
                [3, 0],
                [0, 4],
                [1, 4],
                [2, 4],
                [3, 4],
            ],
        ),
    },
];

impl Shape {
    /// Corners, then the middles of these edges.
    fn points(&self, edges: Edges) -> Vec<[f64; 3]> {
        let middle = |[a, b]: &[usize; 2]| {
            [0, 1, 2].map(|i| (self.corners[*a][i] + self.corners[*b][i]) / 2.0)
        };
        let middles = edges.iter().map(middle);
        self.corners.iter().copied().chain(middles).collect()
    }

    /// Asserts that every node is a point with its value, and that the parts have the measure of
    /// the whole.
    fn assert_read(&self, file: &MeshFile, what: &str) {
        let count = self.corners.len() + self.vtk.1.len();
        assert_eq!(file.mesh.points().count(), count, "{what}");
        for (value, x) in file.fields[0].values.iter().zip(file.mesh.points().rows()) {
            assert_near(*value, linear(x), 1e-12);
        }
        let measure: f64 = file.mesh.weights().iter().sum();
        assert!((measure - self.measure).abs() < 1e-12, "{what}: {measure}");
        let is_noted = |note: &String| note.contains("quadratic cells are split");
        assert!(file.notes.iter().any(is_noted), "{what}: {:?}", file.notes);
    }
}

fn rows(points: &[[f64; 3]]) -> String {
    let rows = points.iter().map(|[x, y, z]| format!("{x} {y} {z}\n"));
    rows.collect()
}

fn numbers(count: usize, first: usize) -> String {
    let numbers: Vec<String> = (first..first + count).map(|i| i.to_string()).collect();
    numbers.join(" ")
}

/// A cell in VTK's legacy format.
fn vtk(number: usize, points: &[[f64; 3]]) -> String {
    let (n, values) = (
        points.len(),
        points.iter().map(|x| format!("{}\n", linear(x))),
    );
    format!(
        "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS {n} double\n{}CELLS 1 {}\n\
         {n} {}\nCELL_TYPES 1\n{number}\nPOINT_DATA {n}\nSCALARS u double 1\nLOOKUP_TABLE default\n{}",
        rows(points),
        n + 1,
        numbers(n, 0),
        values.collect::<String>()
    )
}

/// A cell in version 2.2 of Gmsh's format.
fn gmsh(number: usize, points: &[[f64; 3]]) -> String {
    let n = points.len();
    let each = points.iter().enumerate();
    let nodes: String = each
        .clone()
        .map(|(i, [x, y, z])| format!("{} {x} {y} {z}\n", i + 1))
        .collect();
    let values: String = each
        .map(|(i, x)| format!("{} {}\n", i + 1, linear(x)))
        .collect();
    format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{n}\n{nodes}$EndNodes\n$Elements\n1\n1 {number} 2 0 1 {}\n\
         $EndElements\n$NodeData\n1\n\"u\"\n1\n0\n3\n0\n1\n{n}\n{values}$EndNodeData\n",
        numbers(n, 1)
    )
}

/// A block of one element in Exodus.
fn exodus(kind: &str, points: &[[f64; 3]]) -> Tables {
    let n = points.len();
    let mut tables = Tables::default();
    for (axis, name) in ["coordx", "coordy", "coordz"].into_iter().enumerate() {
        let along = points.iter().map(|x| x[axis]).collect();
        tables.add(name, &[("num_nodes", n)], &[], along);
    }
    let nodes = (1..=n).map(|i| i as f64).collect();
    let shape = [("elements", 1), ("nodes", n)];
    tables.add("connect1", &shape, &[("elem_type", kind)], nodes);
    let values = points.iter().map(linear).collect();
    let shape = [("time_step", 1), ("num_nodes", n)];
    tables.add("vals_nod_var1", &shape, &[], values);
    let names = vec!["u".to_owned()];
    tables.texts.insert("name_nod_var".into(), names);
    tables
}

#[test]
fn second_order_cells_of_every_format_fill_their_volume_and_keep_their_nodes() {
    for shape in &SHAPES {
        let text = vtk(shape.vtk.0, &shape.points(shape.vtk.1));
        shape.assert_read(&read_bytes("vtk", text.as_bytes()).unwrap(), &text);
        let text = gmsh(shape.gmsh.0, &shape.points(shape.gmsh.1));
        shape.assert_read(&read_bytes("msh", text.as_bytes()).unwrap(), &text);
        let (kind, edges) = shape.exodus;
        let tables = exodus(kind, &shape.points(edges));
        shape.assert_read(&read_arrays(&tables, &[]).unwrap(), kind);
    }
}

#[test]
fn a_quad_of_eight_nodes_is_four_triangles_around_a_quad() {
    let shape = &SHAPES[0];
    let text = vtk(shape.vtk.0, &shape.points(shape.vtk.1));
    let file = read_bytes("vtk", text.as_bytes()).unwrap();
    let kinds = file
        .mesh
        .cells()
        .iter()
        .map(|own| (own.kind(), own.count()));
    let kinds: Vec<(CellKind, usize)> = kinds.collect();
    assert_eq!(kinds, [(CellKind::Triangle, 4), (CellKind::Quad, 1)]);
}
