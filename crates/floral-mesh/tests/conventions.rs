//! Meshes by the conventions of UGRID, Exodus and XDMF are read correctly, and invalid ones are
//! refused with the first bad index.

mod common;

use common::tables::{Tables, exodus, times, ugrid, xdmf};
use common::{assert_near, unit};
use floral_mesh::{
    Array, Attribute, CellKind, Error, Mesh, MeshFile, Wanted, has_mesh, read_arrays, read_xdmf,
};

fn at_time(index: i64) -> Wanted {
    Wanted {
        field: "u".into(),
        along: vec![("t".into(), index)],
        label: format!("u[t={index}]"),
    }
}

fn inline(text: &str, wanted: &[Wanted]) -> Result<MeshFile, Error> {
    let none = |file: &str, path: &str| panic!("{file}:{path} is absent");
    read_xdmf(text, &none, wanted)
}

/// Asserts the mesh, u at its last and at its first time, and the load.
fn assert_same(file: &MeshFile, mesh: &Mesh) {
    assert_eq!(file.mesh.points(), mesh.points());
    assert_eq!(file.mesh.cells(), mesh.cells());
    let n = mesh.points().count();
    let (last, first) = (&file.fields[0], &file.fields[1]);
    assert_eq!((last.name.as_str(), first.name.as_str()), ("u", "u[t=0]"));
    assert_eq!(last.values, times(mesh)[2 * n..]);
    assert_eq!(first.values, times(mesh)[..n]);
    assert_eq!(file.parameters, [Array::scalar("load", vec![2.5])]);
}

#[test]
fn every_kind_of_cells_is_read_from_every_format() {
    for kind in CellKind::ALL {
        let mesh = unit(kind, 4, 0.2);
        let wanted = [at_time(0)];
        for start in [0.0, 1.0] {
            assert_same(&read_arrays(&ugrid(&mesh, start), &wanted).unwrap(), &mesh);
        }
        assert_same(&read_arrays(&exodus(&mesh), &wanted).unwrap(), &mesh);
        assert_same(&inline(&xdmf(&mesh), &wanted).unwrap(), &mesh);
    }
}

#[test]
fn arrays_without_a_mesh_are_known() {
    let mesh = unit(CellKind::Triangle, 3, 0.0);
    assert!(has_mesh(&ugrid(&mesh, 0.0)) && has_mesh(&exodus(&mesh)));
    let mut plain = Tables::default();
    plain.add("u", &[("x", 2)], &[], vec![0.0, 1.0]);
    assert!(!has_mesh(&plain));
    assert!(read_arrays(&plain, &[]).is_err());
}

/// The error message if node number `at` of all cells is replaced.
fn refusal(mut tables: Tables, array: &str, at: usize, node: f64) -> String {
    tables.of(array)[at] = node;
    let refused = read_arrays(&tables, &[]);
    refused.expect_err("the mesh is wrong").to_string()
}

#[test]
fn wrong_meshes_are_refused_with_the_first_bad_index() {
    let mesh = unit(CellKind::Triangle, 4, 0.0);
    let (one, other) = (ugrid(&mesh, 1.0), exodus(&mesh));
    for (tables, array, axis) in [(&one, "corners", "node_y"), (&other, "connect1", "coordy")] {
        let said = |at, node| refusal(tables.clone(), array, at, node);
        assert!(said(16, 17.0).contains("triangle 5 has node 16, but there are 16 points"));
        assert!(said(16, 0.0).contains("of"), "{}", said(16, 0.0));
        assert!(said(16, 0.0).contains("5 is -1, not an index"));
        assert!(said(16, 2.5).contains("5 is 1.5, not an index"));
        assert!(said(15, f64::NAN).contains("5 has a missing node before its last one"));
        let nan = refusal(tables.clone(), axis, 7, f64::NAN);
        assert!(nan.contains("coordinate 1 of point 7 is NaN"), "{nan}");
    }
    let far = refusal(one, "node_x", 3, 1e200);
    assert!(far.contains("coordinate 0 of point 3"), "{far}");
}

#[test]
fn cells_of_a_face_with_too_few_nodes_are_refused() {
    let mesh = unit(CellKind::Triangle, 3, 0.0);
    let said = refusal(ugrid(&mesh, 0.0), "corners", 5, f64::NAN);
    assert!(said.contains("face 1 has 2 nodes"), "{said}");
}

#[test]
fn nodes_may_come_before_faces_if_the_file_says_so() {
    let mesh = unit(CellKind::Quad, 4, 0.1);
    let mut tables = ugrid(&mesh, 0.0);
    let rows = tables.of("corners").clone();
    let cells = rows.len() / 4;
    *tables.of("corners") = (0..rows.len())
        .map(|at| rows[at % cells * 4 + at / cells])
        .collect();
    let corners = &mut tables.variables[3];
    assert_eq!(corners.name, "corners");
    corners.dimensions.reverse();
    let along = Attribute::Text("cell".into());
    tables.variables[0]
        .attributes
        .insert("face_dimension".into(), along);
    assert_same(&read_arrays(&tables, &[at_time(0)]).unwrap(), &mesh);
}

/// A single face with these points.
fn face(points: &[[f64; 2]]) -> Tables {
    let triangle = unit(CellKind::Triangle, 2, 0.0);
    let mut tables = ugrid(&triangle, 0.0);
    let n = points.len();
    for axis in 0..2 {
        tables.variables[1 + axis].dimensions[0].length = n;
        tables.values[1 + axis] = points.iter().map(|point| point[axis]).collect();
    }
    let lengths = [1, n];
    for (at, length) in lengths.into_iter().enumerate() {
        tables.variables[3].dimensions[at].length = length;
    }
    tables.values[3] = (0..n).map(|node| node as f64).collect();
    tables.variables.truncate(4);
    tables
}

#[test]
fn polygons_become_triangles_of_the_same_area() {
    let ring = |n: usize| {
        let angle = |i: usize| std::f64::consts::TAU * i as f64 / n as f64;
        (0..n)
            .map(|i| [angle(i).cos(), angle(i).sin()])
            .collect::<Vec<_>>()
    };
    for n in 5..20 {
        let found = read_arrays(&face(&ring(n)), &[]).unwrap();
        let area: f64 = found.mesh.measures().iter().sum();
        let exact = 0.5 * n as f64 * (std::f64::consts::TAU / n as f64).sin();
        assert_near(area, exact, 1e-12);
        assert_eq!(found.mesh.cells()[0].count(), n - 2);
    }
    // A hanging node on a side, first or in between.
    let hanging = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]];
    for turn in 0..5 {
        let mut points = hanging;
        points.rotate_left(turn);
        let found = read_arrays(&face(&points), &[]).unwrap();
        assert_near(found.mesh.measures().iter().sum(), 2.0, 1e-12);
    }
    let corners = [
        (0, 0),
        (3, 0),
        (3, 3),
        (2, 3),
        (2, 1),
        (1, 1),
        (1, 3),
        (0, 3),
    ];
    let bay: Vec<[f64; 2]> = corners.map(|(x, y)| [f64::from(x), f64::from(y)]).to_vec();
    let star: Vec<[f64; 2]> = [0, 2, 4, 1, 3].map(|i| ring(5)[i]).to_vec();
    for bad in [&bay, &star] {
        let said = read_arrays(&face(bad), &[]).unwrap_err().to_string();
        assert!(said.contains("is folded, or far from convex"), "{said}");
    }
}

#[test]
fn layers_are_fields_of_their_own_and_the_last_time_is_taken() {
    let mesh = unit(CellKind::Triangle, 3, 0.0);
    let n = mesh.points().count();
    let mut tables = ugrid(&mesh, 0.0);
    let shape = [("time", 2), ("node", n), ("layer", 3), ("one", 1)];
    let value = |time: usize, node: usize, layer: usize| (time * 1000 + layer * 100 + node) as f64;
    let values = (0..2 * n * 3).map(|i| value(i / (3 * n), i / 3 % n, i % 3));
    tables.add("s", &shape, &[], values.collect());
    let wanted = Wanted {
        field: "s".into(),
        along: vec![("time".into(), 0), ("layer".into(), -1)],
        label: "s[time=0,layer=-1]".into(),
    };
    let found = read_arrays(&tables, std::slice::from_ref(&wanted)).unwrap();
    let names: Vec<&str> = found.fields.iter().map(|own| own.name.as_str()).collect();
    let expected = [
        "u",
        "s[layer=0]",
        "s[layer=1]",
        "s[layer=2]",
        "s[time=0,layer=-1]",
    ];
    assert_eq!(names, expected);
    for (field, (time, layer)) in found.fields[1..]
        .iter()
        .zip([(1, 0), (1, 1), (1, 2), (0, 2)])
    {
        let expected: Vec<f64> = (0..n).map(|node| value(time, node, layer)).collect();
        assert_eq!(field.values, expected);
    }
    let along = [("layer", 3), ("layer", -4), ("depth", 0), ("node", 0)];
    for (name, index) in along {
        let wanted = Wanted {
            along: vec![(name.into(), index)],
            ..wanted.clone()
        };
        let said = read_arrays(&tables, &[wanted]).unwrap_err().to_string();
        assert!(said.contains(name) && said.contains('s'), "{said}");
    }
    let incomplete = Wanted {
        along: vec![("time".into(), 0)],
        ..wanted
    };
    let said = read_arrays(&tables, &[incomplete]).unwrap_err().to_string();
    assert!(
        said.contains("3 fields; name one, as in s[layer=0]"),
        "{said}"
    );
}

#[test]
fn values_of_cells_are_named_and_not_read() {
    let mesh = unit(CellKind::Triangle, 3, 0.0);
    let mut tables = ugrid(&mesh, 0.0);
    let located = [("mesh", "mesh"), ("location", "face")];
    tables.add("depth", &[("cell", 8)], &located, vec![1.0; 8]);
    let found = read_arrays(&tables, &[]).unwrap();
    assert_eq!(found.at_cells, ["depth"]);
    let mut tables = exodus(&mesh);
    tables
        .texts
        .insert("name_elem_var".into(), vec!["stress\0".into()]);
    assert_eq!(read_arrays(&tables, &[]).unwrap().at_cells, ["stress"]);
    let text = xdmf(&mesh).replace("Center=\"Node\"", "Center=\"Cell\"");
    assert_eq!(inline(&text, &[]).unwrap().at_cells, ["u"]);
}

/// A UGRID mesh with `depth` on its faces: 2x at their centres.
fn with_faces(mesh: &Mesh, is_alone: bool) -> Tables {
    let mut tables = ugrid(mesh, 1.0);
    if is_alone {
        let at = tables.variables.iter().position(|own| own.name == "u");
        let at = at.expect("u is there");
        tables.variables.remove(at);
        tables.values.remove(at);
    }
    let block = &mesh.cells()[0];
    let place = |nodes: &[usize]| {
        let x = nodes.iter().map(|node| mesh.points().rows()[*node][0]);
        2.0 * x.sum::<f64>() / nodes.len() as f64
    };
    let values: Vec<f64> = block.iter().map(place).collect();
    let located = [("mesh", "mesh"), ("location", "face"), ("units", "m")];
    let shape = [("cell", block.count())];
    tables.add("depth", &shape, &located, values);
    tables
}

#[test]
fn values_of_faces_are_those_at_their_centres() {
    let wanted = |name: &str| Wanted {
        field: name.into(),
        along: Vec::new(),
        label: name.into(),
    };
    for kind in [CellKind::Triangle, CellKind::Quad] {
        let mesh = unit(kind, 6, 0.0);
        let alone = read_arrays(&with_faces(&mesh, true), &[]).unwrap();
        let both = read_arrays(&with_faces(&mesh, false), &[wanted("depth")]).unwrap();
        let left = |note: &String| note.contains("fields at nodes (u)");
        assert!(both.notes.iter().any(left), "{:?}", both.notes);
        for file in [alone, both] {
            let points = file.mesh.points();
            assert_eq!(points.count(), mesh.cells()[0].count());
            assert_eq!(file.fields.len(), 1);
            for (value, x) in file.fields[0].values.iter().zip(points.rows()) {
                assert!((value - 2.0 * x[0]).abs() < 1e-12);
            }
            // About half a face along the border is left out.
            let covered: f64 = file.mesh.weights().iter().sum();
            assert!((0.6..0.9).contains(&covered), "{kind:?}: {covered}");
            assert_eq!(file.units["depth"], "m");
            assert!(file.at_cells.is_empty());
        }
        let of_both = [wanted("depth"), wanted("u")];
        let said = read_arrays(&with_faces(&mesh, false), &of_both).unwrap_err();
        let said = said.to_string();
        assert!(
            said.contains("depth lies on faces but u at nodes"),
            "{said}"
        );
    }
}

#[test]
fn what_xdmf_says_of_its_numbers_has_to_hold() {
    let mesh = unit(CellKind::Quad, 3, 0.0);
    let text = xdmf(&mesh);
    for (from, to, words) in [
        ("Dimensions=\"9\"", "Dimensions=\"10\"", "with 9 numbers"),
        (
            "\"Mixed\"",
            "\"Mixed\" NumberOfElements=\"5\"",
            "states 5 cells but holds 4",
        ),
        ("\"Mixed\"", "\"Triangle\"", "not whole cells of 3"),
        ("\"Mixed\"", "\"3DSMesh\"", "not supported"),
        ("[]>", "[<!ENTITY a \"b\">]>", "uses XML entities"),
        (
            "<xi:include ",
            "<xi:include href=\"/etc/passwd\" ",
            "includes another file",
        ),
        ("Grid[1]/*", "Grid[7]/*", "includes another file"),
        (
            "<Grid Name=\"u\"><xi",
            "<Grid GridType=\"Subset\"><xi",
            "of type Subset",
        ),
        (
            "CollectionType=\"Temporal\"",
            "CollectionType=\"Spatial\"",
            "side by side",
        ),
        (
            "<DataItem ",
            "<DataItem Format=\"Binary\" ",
            "write them as HDF or XML",
        ),
        (
            "<DataItem ",
            "<DataItem ItemType=\"HyperSlab\" ",
            "of type HyperSlab",
        ),
        ("<Topology ", "<Topology BaseOffset=\"1\" ", "not an index"),
    ] {
        let changed = text.replace(from, to);
        assert_ne!(changed, text, "{from}");
        let said = inline(&changed, &[]).unwrap_err().to_string();
        assert!(said.contains(words), "{from}: {said}");
    }
}

#[test]
fn a_mesh_that_differs_between_times_is_refused() {
    let mesh = unit(CellKind::Quad, 3, 0.0);
    let text = xdmf(&mesh);
    let (start, end) = (
        text.find("<Topology").unwrap(),
        text.find("<Attribute").unwrap(),
    );
    let moved = text[start..end].replace("0.5", "0.6");
    let include = &text[text.find("<xi:include").unwrap()..];
    let include = &include[..include.find("/>").unwrap() + 2];
    let own = text.replacen(include, &text[start..end], 1);
    assert!(inline(&own, &[at_time(1)]).is_ok());
    let other = text.replacen(include, &moved, 1);
    let said = inline(&other, &[at_time(1)]).unwrap_err().to_string();
    assert!(said.contains("the mesh differs between times"), "{said}");
    let said = inline(&other, &[at_time(3)]).unwrap_err().to_string();
    assert!(said.contains("u[t=3]: t has 3 indices"), "{said}");
}

#[test]
fn numbers_beside_the_file_are_asked_for_by_name_and_path() {
    let mesh = unit(CellKind::Line, 5, 0.1);
    let text = "<Xdmf><Domain><Grid><Topology Type=\"PolyLine\"><DataItem Format=\"HDF\"> a.h5:/g/cells \
                </DataItem></Topology><Geometry Type=\"X\"><DataItem Format=\"HDF\">a.h5:/x</DataItem>\
                </Geometry></Grid></Domain></Xdmf>";
    let heavy = |file: &str, path: &str| {
        assert_eq!(file, "a.h5");
        Ok(match path {
            "g/cells" => mesh.cells()[0].nodes().iter().map(|i| *i as f64).collect(),
            "x" => mesh.points().coordinates(),
            _ => return Err(Error::Format(format!("{path} is absent"))),
        })
    };
    assert_eq!(read_xdmf(text, &heavy, &[]).unwrap().mesh, mesh);
    let said = read_xdmf(&text.replace("/x", "/y"), &heavy, &[]).unwrap_err();
    assert!(said.to_string().contains("y is absent"));
}
