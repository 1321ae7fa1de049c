//! Files written by VTK, meshio and Gmsh (fixtures/make.py) are read correctly.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{assert_near, cloud, linear, on, unit};
use floral_mesh::{
    Array, CellKind, Error, MeshFile, Step, read, read_bytes, read_pvd, write_pvd, write_vtu,
};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

/// Reads a fixture and checks its field u = 1 + 2x - 3y + z/2.
fn fixture_with_u(name: &str) -> MeshFile {
    let file = read(fixture(name)).unwrap_or_else(|error| panic!("{error}"));
    let u = file
        .fields
        .iter()
        .find(|f| f.name == "u")
        .unwrap_or_else(|| panic!("{name}: no u"));
    assert_eq!(u.values.len(), file.mesh.points().count(), "{name}");
    for (value, x) in u.values.iter().zip(file.mesh.points().rows()) {
        assert_near(*value, linear(x), 1e-12);
    }
    file
}

fn kinds(file: &MeshFile) -> Vec<(CellKind, usize)> {
    file.mesh
        .cells()
        .iter()
        .map(|block| (block.kind(), block.count()))
        .collect()
}

fn measure(file: &MeshFile) -> f64 {
    file.mesh.weights().iter().sum()
}

/// Asserts the fields of the VTK fixtures: u, v = (x, y, z), and the parameter load = 2.5.
fn assert_vectors_and_load(file: &MeshFile) {
    let v = &file.fields[1];
    assert_eq!((v.name.as_str(), v.components), ("v", 3));
    assert_eq!(v.values, file.mesh.points().rows().as_flattened());
    assert_eq!(file.parameters, [Array::scalar("load", vec![2.5])]);
}

#[test]
fn plane_meshes_are_two_dimensional_in_every_encoding() {
    for name in [
        "plane_ascii.vtu",
        "plane_inline.vtu",
        "plane_inline_zlib_wide.vtu",
        "surface.vtp",
        "surface.vtk",
    ] {
        let file = fixture_with_u(name);
        assert_eq!(file.mesh.points().dimension(), 2, "{name}");
        assert_eq!(kinds(&file), [(CellKind::Triangle, 18)], "{name}");
        assert_near(measure(&file), 1.0, 1e-14);
        assert_vectors_and_load(&file);
    }
}

#[test]
fn volume_meshes_of_mixed_cells_are_read_in_every_encoding() {
    for name in [
        "solid_raw.vtu",
        "solid_raw_zlib.vtu",
        "solid_base64.vtu",
        "solid_base64_zlib_big.vtu",
        "solid_inline_big.vtu",
        "solid_51_ascii.vtk",
        "solid_51_binary.vtk",
        "solid_42_ascii.vtk",
        "solid_42_binary.vtk",
    ] {
        let file = fixture_with_u(name);
        assert_eq!(
            kinds(&file),
            [
                (CellKind::Hexahedron, 1),
                (CellKind::Tetrahedron, 6),
                (CellKind::Pyramid, 1),
                (CellKind::Wedge, 1)
            ],
            "{name}"
        );
        // Two cubes, a pyramid of height 3/4 and half a cube.
        assert_near(measure(&file), 2.0 + 0.25 + 0.5, 1e-14);
        assert_vectors_and_load(&file);
        assert!(
            file.notes.iter().any(|note| note.contains("region")),
            "{name}: {:?}",
            file.notes
        );
    }
}

#[test]
fn grids_become_quads_and_hexahedra() {
    for (name, kind, count, size) in [
        ("image.vti", CellKind::Quad, 12, 1.5),
        ("image.vtk", CellKind::Quad, 12, 1.5),
        ("curved.vts", CellKind::Hexahedron, 4, 4.0),
        ("curved.vtk", CellKind::Hexahedron, 4, 4.0),
        ("box.vtr", CellKind::Hexahedron, 2, 6.0),
        ("box.vtk", CellKind::Hexahedron, 2, 6.0),
    ] {
        let file = fixture_with_u(name);
        assert_eq!(kinds(&file), [(kind, count)], "{name}");
        assert_near(measure(&file), size, 1e-13);
        assert_vectors_and_load(&file);
    }
}

#[test]
fn files_of_meshio_are_read() {
    fixture_with_u("plane_meshio.vtu");
    fixture_with_u("solid_meshio.vtu");
    for name in [
        "plane_meshio.vtu",
        "plane_meshio_22.msh",
        "plane_meshio_41.msh",
    ] {
        let file = read(fixture(name)).unwrap();
        assert_eq!(kinds(&file), [(CellKind::Triangle, 18)], "{name}");
        assert_near(measure(&file), 1.0, 1e-14);
    }
    for name in ["solid_meshio.vtu", "solid_meshio_22.msh"] {
        assert_near(measure(&read(fixture(name)).unwrap()), 2.75, 1e-14);
    }
    // A cube and a tetrahedron of volume 1/6, both of second order.
    fixture_with_u("quadratic_meshio.vtu");
    for name in ["quadratic_meshio.vtu", "quadratic_meshio_22.msh"] {
        let file = read(fixture(name)).unwrap();
        assert_eq!(file.mesh.points().count(), 20 + 10, "{name}");
        assert_near(measure(&file), 1.0 + 1.0 / 6.0, 1e-14);
    }
}

#[test]
fn files_of_gmsh_lose_their_boundary_cells_and_say_so() {
    for name in ["square_2.2_ascii.msh", "square_4.1_ascii.msh"] {
        let file = fixture_with_u(name);
        assert!(matches!(kinds(&file)[..], [(CellKind::Triangle, _)]));
        assert_near(measure(&file), 1.0, 1e-12);
        assert!(
            file.notes
                .iter()
                .any(|note| note.contains("cells of the boundary"))
        );
    }
    let text = read(fixture("square_2.2_ascii.msh")).unwrap().mesh;
    for name in [
        "square_4.1_ascii.msh",
        "square_2.2_binary.msh",
        "square_4.1_binary.msh",
    ] {
        let mesh = read(fixture(name)).unwrap().mesh;
        assert_eq!(mesh.cells(), text.cells(), "{name}");
        for (a, b) in mesh
            .points()
            .coordinates()
            .iter()
            .zip(text.points().coordinates())
        {
            assert_near(*a, b, 1e-15);
        }
    }
}

#[test]
fn what_is_written_is_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.vtu");
    let meshes = CellKind::ALL.map(|kind| unit(kind, 4, 0.2));
    for mesh in meshes
        .into_iter()
        .chain([cloud(4, 2, 0.2), cloud(3, 3, 0.2)])
    {
        let fields = vec![
            Array::scalar("u < \"v\" & w", on(&mesh, linear)),
            Array {
                name: "pair".into(),
                components: 2,
                values: vec![1.5; 2 * mesh.points().count()],
            },
        ];
        let load = vec![Array::scalar("load", vec![2.5])];
        write_vtu(&path, &mesh, &fields, &load).unwrap();
        let file = read(&path).unwrap();
        assert_eq!(file.mesh.points(), mesh.points());
        assert_eq!(file.mesh.cells(), mesh.cells());
        assert_eq!((file.fields, file.parameters), (fields, load));
    }
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        1,
        "no temporary file is left"
    );
}

#[test]
fn arrays_of_several_blocks_are_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.vtu");
    let mesh = unit(CellKind::Line, 200_001, 0.3);
    let field = Array::scalar("u", on(&mesh, |x| (50.0 * x[0]).sin()));
    write_vtu(&path, &mesh, std::slice::from_ref(&field), &[]).unwrap();
    assert_eq!(read(&path).unwrap().fields, [field]);
}

#[test]
fn a_collection_is_read_back_with_files_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("all.pvd");
    let step = |i: u8| Step {
        time: f64::from(i) / 4.0,
        file: format!("parts/{i} & more.vtu").into(),
    };
    let steps = [step(0), step(1), step(2)];
    write_pvd(&path, &steps).unwrap();
    let expected = steps.map(|s| Step {
        time: s.time,
        file: folder.path().join(s.file),
    });
    assert_eq!(read_pvd(&path).unwrap(), expected);
}

#[test]
fn quadratic_cells_are_split_at_their_middle_nodes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("quadratic.vtk");
    let text = "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 10 float\n\
        0 0 0 2 0 0 0 2 0 0 0 2 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 0 1 1\nCELLS 1 11\n\
        10 0 1 2 3 4 5 6 7 8 9\nCELL_TYPES 1\n24\n";
    fs::write(&path, text).unwrap();
    let file = read(&path).unwrap();
    assert_eq!(kinds(&file), [(CellKind::Tetrahedron, 8)]);
    assert_near(measure(&file), 8.0 / 6.0, 1e-15);
    assert_eq!(file.mesh.reoriented(), 0);
    fs::write(&path, text.replace("\n24\n", "\n29\n")).unwrap();
    assert!(
        read(&path)
            .unwrap_err()
            .to_string()
            .contains("cell 0 is of VTK type 29")
    );
}

#[test]
fn a_quadratic_line_is_split_with_a_note_under_both_of_its_types() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("line.vtk");
    for kind in [21, 68] {
        let text = format!(
            "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 3 float\n\
             0 0 0 2 0 0 1 0 0\nCELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n{kind}\n"
        );
        fs::write(&path, text).unwrap();
        let file = read(&path).unwrap();
        assert_eq!(kinds(&file), [(CellKind::Line, 2)]);
        assert!(
            file.notes[0].contains("quadratic cells are split"),
            "{kind}"
        );
    }
}

/// A triangle in VTK's XML, with the given coordinates and values.
fn triangle(points: &str, data: &str) -> String {
    let ints = |name: &str, values: &str| {
        format!("<DataArray type=\"Int64\" Name=\"{name}\" format=\"ascii\">{values}</DataArray>")
    };
    let (nodes, ends, types) = (
        ints("connectivity", "0 1 2 2 0 1"),
        ints("offsets", "3 6"),
        ints("types", "5 5"),
    );
    format!(
        "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece NumberOfPoints=\"3\">\
         <PointData>{data}</PointData><Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" \
         format=\"ascii\">{points}</DataArray></Points><Cells>{nodes}{ends}{types}</Cells></Piece>\
         </UnstructuredGrid></VTKFile>"
    )
}

#[test]
fn numbers_follow_the_information_keys_of_paraview_and_repeated_cells_are_left_out() {
    let key =
        "<InformationKey name=\"L2_NORM_RANGE\"><Value index=\"0\">7</Value></InformationKey>";
    let text = triangle(&format!("\n{key}\n0 0 0 1 0 0 0 1 0\n"), "");
    let file = read_bytes("vtu", text.as_bytes()).unwrap();
    assert_eq!(kinds(&file), [(CellKind::Triangle, 1)]);
    assert_near(measure(&file), 0.5, 1e-15);
    assert!(
        file.notes.iter().any(|note| note.contains("are repeated")),
        "{:?}",
        file.notes
    );
}

#[test]
fn points_of_no_cell_are_left_out_with_their_values() {
    let text = "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 4 float\n\
        0 0 0 9 9 9 1 0 0 0 1 0\nPOLYGONS 1 4\n3 0 2 3\nPOINT_DATA 4\nVECTORS v float\n\
        1 2 3 4 5 6 7 8 9 10 11 12\n";
    let file = read_bytes("vtk", text.as_bytes()).unwrap();
    assert_eq!(
        file.mesh.points().coordinates(),
        [0.0, 0.0, 1.0, 0.0, 0.0, 1.0]
    );
    assert_eq!(
        file.fields[0].values,
        [1.0, 2.0, 3.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0]
    );
    assert!(
        file.notes[0].starts_with("1 points that are nodes of no cell"),
        "{:?}",
        file.notes
    );
}

#[test]
fn a_field_that_occurs_twice_is_refused() {
    let u = "<DataArray type=\"Float64\" Name=\"u\" format=\"ascii\">1 2 3</DataArray>";
    assert!(read_bytes("vtu", triangle("0 0 0 1 0 0 0 1 0", u).as_bytes()).is_ok());
    let v = "<DataArray type=\"Float64\" Name=\"u\" NumberOfComponents=\"2\" format=\"ascii\">1 2 3 4 5 6</DataArray>";
    let twice = triangle("0 0 0 1 0 0 0 1 0", &format!("{u}{v}"));
    let refused = read_bytes("vtu", twice.as_bytes()).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "has field u twice; rename or remove one"
    );
}

#[test]
fn errors_name_the_file_and_what_to_do() {
    let missing = read("nowhere.vtu").unwrap_err().to_string();
    assert!(missing.starts_with("nowhere.vtu: "), "{missing}");
    let unknown = read("mesh.stl").unwrap_err();
    assert!(
        unknown.to_string().contains("rename or convert"),
        "{unknown}"
    );
    let folder = tempfile::tempdir().unwrap();
    let mesh = unit(CellKind::Triangle, 3, 0.0);
    let short = [Array::scalar("u", vec![0.0; 8])];
    let refused = write_vtu(folder.path().join("a.vtu"), &mesh, &short, &[]).unwrap_err();
    let Error::InFile { source, .. } = refused else {
        panic!("{refused}")
    };
    assert!(matches!(
        *source,
        Error::FieldLength {
            values: 8,
            points: 9,
            ..
        }
    ));
}
