//! Meshes written by netCDF4, meshio and h5py are read with their fields. Files that refer to paths
//! outside their folder, and small files that unpack to far more, are refused.
//! `fixtures/mesh/make.py` makes the files.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::{Path, PathBuf};

use floral::dataset::import::Pick;
use floral::dataset::{is_mesh_file, read_mesh};

fn fixture(name: &str) -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    tests.join("fixtures/mesh").join(name)
}

/// The value of u at a point, at the first (0) or last (1) time.
fn u(time: usize, [x, y, _]: [f64; 3]) -> f64 {
    [x + 2.0 * y, 3.0 * x - y][time]
}

#[test]
fn meshes_of_other_libraries_are_read_with_their_fields_at_every_time() {
    for name in [
        "ugrid_classic.nc",
        "ugrid_4.nc",
        "exodus_wide.exo",
        "exodus_4.exo",
        "over_time/mesh.xdmf",
    ] {
        let path = fixture(name);
        assert!(is_mesh_file(&path), "{name}");
        let file = read_mesh(&path, &[Pick::at("u", "t", 0)]).unwrap();
        assert_eq!(file.mesh.points().count(), 9, "{name}");
        let area: f64 = file.mesh.measures().iter().sum();
        assert!((area - 1.0).abs() < 1e-12, "{name}: {area}");
        assert_eq!(file.parameters[0].values, [2.5], "{name}");
        for (label, time) in [("u", 1), ("u[t=0]", 0)] {
            let field = file.fields.iter().find(|own| own.name == label).unwrap();
            for (value, point) in field.values.iter().zip(file.mesh.points().rows()) {
                assert!((value - u(time, *point)).abs() < 1e-12, "{name}: {label}");
            }
        }
    }
    let file = read_mesh(&fixture("within/mixed.xdmf"), &[]).unwrap();
    let kinds: Vec<&str> = file
        .mesh
        .cells()
        .iter()
        .map(|own| own.kind().name())
        .collect();
    assert_eq!(kinds, ["triangle", "quad"]);
}

/// Checks u at the points of a file, at the first and last time.
fn assert_u(name: &str, points: usize, measure: f64) {
    let file = read_mesh(&fixture(name), &[Pick::at("u", "t", 0)]).unwrap();
    assert_eq!(file.mesh.points().count(), points, "{name}");
    let found: f64 = file.mesh.measures().iter().sum();
    assert!((found - measure).abs() < 1e-12, "{name}: {found}");
    for (label, time) in [("u", 1), ("u[t=0]", 0)] {
        let field = file.fields.iter().find(|own| own.name == label).unwrap();
        for (value, point) in field.values.iter().zip(file.mesh.points().rows()) {
            assert!((value - u(time, *point)).abs() < 1e-12, "{name}: {label}");
        }
    }
}

#[test]
fn values_of_faces_lie_at_their_centres_and_those_of_second_order_cells_at_every_node() {
    assert_u("ugrid_faces.nc", 9, 4.0);
    assert_u("exodus_quadratic.exo", 20, 1.0);
}

#[test]
fn netcdf_without_a_mesh_is_no_file_with_one() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/import");
    for name in ["classic.nc", "netcdf4.nc"] {
        assert!(!is_mesh_file(&tests.join(name)), "{name}");
        assert!(read_mesh(&tests.join(name), &[]).is_err());
    }
}

/// The error for a copy of the XDMF fixture whose data are referred to by `place`.
fn refused(place: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).unwrap();
    fs::copy(fixture("over_time/mesh.h5"), folder.path().join("mesh.h5")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.path().join("mesh.h5"), inner.join("link.h5")).unwrap();
    let text = fs::read_to_string(fixture("over_time/mesh.xdmf")).unwrap();
    let path = inner.join("mesh.xdmf");
    let whole = folder.path().join("mesh.h5").display().to_string();
    let place = place.replace("WHOLE", &whole);
    fs::write(&path, text.replace("mesh.h5", &place)).unwrap();
    read_mesh(&path, &[]).unwrap_err().to_string()
}

#[test]
fn a_description_reads_no_file_outside_of_its_folder() {
    let mut places = vec!["../mesh.h5", "WHOLE", "./../mesh.h5", "a/../../mesh.h5"];
    if cfg!(unix) {
        places.push("link.h5");
    }
    for place in places {
        let said = refused(place);
        assert!(said.contains("not in its folder"), "{place}: {said}");
    }
    let said = refused("absent.h5");
    assert!(said.contains("cannot be opened"), "{said}");
}

#[test]
fn numbers_that_are_named_without_end_are_not_all_read() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(fixture("over_time/mesh.h5"), folder.path().join("mesh.h5")).unwrap();
    let text = fs::read_to_string(fixture("over_time/mesh.xdmf")).unwrap();
    let field = |i: usize| {
        format!(
            "<Attribute Name=\"a{i}\"><DataItem Format=\"HDF\">mesh.h5:/geometry</DataItem></Attribute>"
        )
    };
    let many: String = (0..200_000).map(field).collect();
    let path = folder.path().join("mesh.xdmf");
    fs::write(
        &path,
        text.replacen("</Grid>\n</Grid>", &format!("{many}</Grid>\n</Grid>"), 1),
    )
    .unwrap();
    let said = read_mesh(&path, &[]).unwrap_err().to_string();
    assert!(
        said.contains("unpacks to over 256 times the file"),
        "{said}"
    );
}
