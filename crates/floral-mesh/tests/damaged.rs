//! Damaged files give an error or a valid mesh: no panic, no endless loop, and no more memory than
//! the file accounts for.

mod common;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use common::tables::{exodus, ugrid, xdmf};
use common::{rng, unit};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use floral_mesh::{
    CellKind, Error, MeshFile, Wanted, read, read_arrays, read_bytes, read_pvd, read_xdmf,
};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Number of damaged versions per fixture; FLORAL_MESH_CASES overrides it.
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

/// Flips bits, truncates, repeats, removes, or replaces digits and counts.
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
    // Both outcomes must be frequent for the test to be meaningful.
    assert!(
        refused > read_well && read_well > refused / 20,
        "{refused} refused, {read_well} read"
    );
}

/// Counts refusals and successes; a refusal must have a short message, a mesh complete fields.
fn judge(found: Result<MeshFile, Error>, counts: &mut [u64; 2]) {
    match found {
        Ok(file) => {
            counts[1] += 1;
            let n = file.mesh.points().count();
            let is_whole = |f: &floral_mesh::Array| f.values.len() == n * f.components;
            assert!(file.fields.iter().all(is_whole));
        }
        Err(error) => {
            counts[0] += 1;
            assert!(error.to_string().len() < 1000, "{error}");
        }
    }
}

/// The first time of u.
fn first() -> [Wanted; 1] {
    [Wanted {
        field: "u".into(),
        along: vec![("t".into(), 0)],
        label: "u[t=0]".into(),
    }]
}

#[test]
fn damaged_descriptions_are_refused_or_valid() {
    let mut counts = [0, 0];
    let mut rng = rng(2);
    let heavy = |_: &str, path: &str| Ok((0..path.len()).map(|i| i as f64).collect());
    for kind in CellKind::ALL {
        let text = xdmf(&unit(kind, 3, 0.1));
        for _ in 0..cases() {
            let bytes = damaged(text.as_bytes(), &mut rng);
            let text = String::from_utf8_lossy(&bytes);
            judge(read_xdmf(&text, &heavy, &first()), &mut counts);
        }
    }
    assert!(counts.iter().all(|n| *n > cases() / 4), "{counts:?}");
}

#[test]
fn damaged_arrays_are_refused_or_valid() {
    let mut counts = [0, 0];
    let mut rng = rng(3);
    let odd = [
        -1.0,
        0.0,
        0.5,
        1e9,
        2f64.powi(53),
        1e300,
        f64::NAN,
        f64::INFINITY,
    ];
    for kind in CellKind::ALL {
        let mesh = unit(kind, 3, 0.1);
        for intact in [ugrid(&mesh, 1.0), exodus(&mesh)] {
            for _ in 0..cases() {
                let mut tables = intact.clone();
                for _ in 0..rng.random_range(1..4) {
                    let array = rng.random_range(0..tables.values.len());
                    if rng.random_range(0..4) == 0 {
                        // Renames the array, so that references to it lead nowhere.
                        tables.variables[array].name.push('_');
                        continue;
                    }
                    let values = &mut tables.values[array];
                    let at = rng.random_range(0..values.len());
                    values[at] = odd[rng.random_range(0..odd.len())];
                }
                judge(read_arrays(&tables, &first()), &mut counts);
            }
        }
    }
    assert!(counts.iter().all(|n| *n > cases() / 4), "{counts:?}");
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

#[test]
fn zeros_that_unpack_to_hundreds_of_times_the_file_are_refused() {
    let zeros = vec![0; 10_000_000];
    let mut packed = Vec::new();
    let mut encoder = ZlibEncoder::new(&mut packed, Compression::best());
    encoder.write_all(&zeros).unwrap();
    encoder.finish().unwrap();
    let sizes = [1, zeros.len() as u32, 0, packed.len() as u32];
    let mut bytes = b"<VTKFile type=\"PolyData\" compressor=\"vtkZLibDataCompressor\"><PolyData><Piece>\
        <Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"appended\" offset=\"0\"/>\
        </Points></Piece></PolyData><AppendedData encoding=\"raw\">_"
        .to_vec();
    bytes.extend(sizes.iter().flat_map(|size| size.to_le_bytes()));
    bytes.extend(packed);
    let refused = read_bytes("vtp", &bytes).unwrap_err().to_string();
    assert!(
        refused.contains("unpacks to over 256 times the file"),
        "{refused}"
    );
}
