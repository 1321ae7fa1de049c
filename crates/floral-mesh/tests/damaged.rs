//! Damaged files give an error or a valid mesh: no panic, no endless loop, no memory that the file
//! does not account for.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::rng;
use floral_mesh::{read, read_bytes, read_pvd};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Damaged versions per fixture; FLORAL_MESH_CASES asks for more.
fn cases() -> u64 {
    std::env::var("FLORAL_MESH_CASES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(500)
}

fn fixtures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let entries = fs::read_dir(folder).expect("the fixtures are in their folder");
    let entries = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<_> = entries
        .filter(|path| path.extension() != Some("py".as_ref()))
        .collect();
    files.sort();
    files
}

/// Flips bits, cuts, repeats, removes, or puts other digits and counts in place.
fn damaged(bytes: &[u8], rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..rng.random_range(1..4) {
        if bytes.is_empty() {
            return bytes;
        }
        let at = rng.random_range(0..bytes.len());
        let end = (at + rng.random_range(1..64)).min(bytes.len());
        match rng.random_range(0..7) {
            0 => bytes[at] ^= 1 << rng.random_range(0..8),
            1 => bytes[at] = rng.random(),
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(at..end)),
            4 => {
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            5 => {
                // A digit becomes another number.
                let digit = bytes[at..]
                    .iter()
                    .position(u8::is_ascii_digit)
                    .map(|d| at + d);
                let numbers: [&[u8]; 5] =
                    [b"-1", b"0", b"99999999", b"18446744073709551615", b"nan"];
                if let Some(digit) = digit {
                    bytes.splice(
                        digit..=digit,
                        numbers[rng.random_range(0..5)].iter().copied(),
                    );
                }
            }
            _ => bytes[at..end].fill(0xff),
        }
    }
    bytes
}

#[test]
fn damaged_files_are_refused_or_valid() {
    let (mut refused, mut read_well) = (0, 0);
    for (number, fixture) in fixtures().iter().enumerate() {
        let whole = fs::read(fixture).unwrap();
        let ending = fixture.extension().unwrap().to_str().unwrap();
        let mut rng = rng(number as u64);
        for _ in 0..cases() {
            match read_bytes(ending, &damaged(&whole, &mut rng)) {
                Ok(file) => {
                    read_well += 1;
                    let n = file.mesh.points().count();
                    assert!(
                        file.mesh
                            .weights()
                            .iter()
                            .all(|w| *w > 0.0 && w.is_finite())
                    );
                    assert!(
                        file.fields
                            .iter()
                            .all(|f| f.values.len() == n * f.components)
                    );
                }
                Err(error) => {
                    refused += 1;
                    assert!(error.to_string().len() < 1000, "{error}");
                }
            }
        }
    }
    // Both happen often, or the damage is not worth the name.
    assert!(
        refused > read_well && read_well > refused / 20,
        "{refused} refused, {read_well} read"
    );
}

#[test]
fn damaged_collections_are_refused_or_valid() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pvd");
    let text = "<?xml version=\"1.0\"?><VTKFile type=\"Collection\"><Collection>\
        <DataSet timestep=\"0.5\" part=\"0\" file=\"a.vtu\"/></Collection></VTKFile>";
    let mut rng = rng(1);
    for _ in 0..cases() {
        fs::write(&path, damaged(text.as_bytes(), &mut rng)).unwrap();
        let _ = read_pvd(&path);
    }
}

#[test]
fn small_files_that_state_huge_counts_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let image = "<VTKFile type=\"ImageData\"><ImageData WholeExtent=\"0 99999 0 99999 0 99999\">\
        <Piece Extent=\"0 99999 0 99999 0 99999\"/></ImageData></VTKFile>";
    let legacy = "# vtk DataFile Version 3.0\nt\nBINARY\nDATASET STRUCTURED_POINTS\n\
        DIMENSIONS 100000 100000 100000\nSPACING 1 1 1\n";
    let points = "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 99999999999999 float\n0 0 0";
    let gmsh = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 9999999999999 1 2\n2 1 0 9999999999999\n1\n2\n";
    let deep = "<a>".repeat(200_000);
    for (name, text) in [
        ("a.vti", image),
        ("a.vtk", legacy),
        ("b.vtk", points),
        ("a.msh", gmsh),
        ("a.vtu", &deep),
    ] {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        let error = read(&path).expect_err(name);
        assert!(error.to_string().contains(name), "{error}");
    }
}
