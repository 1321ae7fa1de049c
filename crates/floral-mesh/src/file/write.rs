//! Writes meshes with fields as VTK unstructured grids (`.vtu`).

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use crate::file::{Array, atomic, base64_text, vtk_cell};
use crate::{Cells, Error, Mesh};

/// Bytes per compressed block: readers unpack one block at a time.
const BLOCK: usize = 1 << 20;

/// Writes a mesh with fields [n, components] and parameters as a `.vtu` file for ParaView, in
/// double precision, compressed, in base64. The file is either complete or absent.
///
/// Points get three coordinates, zero beyond d. A cloud is written with one vertex per point.
///
/// # Errors
/// If a field does not have one row per point, or if the file cannot be written.
pub fn write_vtu(
    path: impl AsRef<Path>,
    mesh: &Mesh,
    fields: &[Array],
    parameters: &[Array],
) -> Result<(), Error> {
    let path = path.as_ref();
    let text = document(mesh, fields, parameters).map_err(|error| error.in_file(path))?;
    atomic::write(path, text.as_bytes())
}

fn document(mesh: &Mesh, fields: &[Array], parameters: &[Array]) -> Result<String, Error> {
    let points = mesh.points().count();
    let cells = Topology::of(mesh);
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" \
         byte_order=\"LittleEndian\" header_type=\"UInt64\" \
         compressor=\"vtkZLibDataCompressor\">\n<UnstructuredGrid>\n<FieldData>\n",
    );
    for parameter in parameters {
        let tuples = whole_rows(parameter, None)?;
        let attribute = format!("NumberOfTuples=\"{tuples}\"");
        push_numbers(&mut text, parameter, &attribute)?;
    }
    let count = cells.types.len();
    let _ = writeln!(
        text,
        "</FieldData>\n<Piece NumberOfPoints=\"{points}\" NumberOfCells=\"{count}\">\n<PointData>"
    );
    for field in fields {
        whole_rows(field, Some(points))?;
        push_numbers(&mut text, field, "")?;
    }
    text += "</PointData>\n<Points>\n";
    let coordinates = Array {
        name: "Points".into(),
        components: 3,
        values: mesh.points().rows().as_flattened().to_vec(),
    };
    push_numbers(&mut text, &coordinates, "")?;
    text += "</Points>\n<Cells>\n";
    let words =
        |values: &[i64]| -> Vec<u8> { values.iter().flat_map(|v| v.to_le_bytes()).collect() };
    push_array(
        &mut text,
        "Int64",
        "Name=\"connectivity\"",
        &words(&cells.connectivity),
    )?;
    push_array(&mut text, "Int64", "Name=\"offsets\"", &words(&cells.ends))?;
    push_array(&mut text, "UInt8", "Name=\"types\"", &cells.types)?;
    text += "</Cells>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n";
    Ok(text)
}

/// The number of rows of an array; refuses incomplete rows and a number other than `expected`.
fn whole_rows(array: &Array, expected: Option<usize>) -> Result<usize, Error> {
    let values = array.values.len();
    let components = array.components;
    let rows = values.checked_div(components).unwrap_or(0);
    if components > 0 && rows * components == values && expected.is_none_or(|n| n == rows) {
        return Ok(rows);
    }
    Err(Error::FieldLength {
        name: array.name.clone(),
        values,
        points: expected.unwrap_or(rows),
        components,
    })
}

/// Cells in the form of VTK.
#[derive(Default)]
struct Topology {
    connectivity: Vec<i64>,
    ends: Vec<i64>,
    types: Vec<u8>,
}

impl Topology {
    fn of(mesh: &Mesh) -> Self {
        let mut topology = Self::default();
        if mesh.cells().is_empty() {
            for point in 0..mesh.points().count() {
                topology.push(1, &[point]);
            }
        }
        for block in mesh.cells() {
            let number = vtk_cell::number(Cells::kind(block));
            block.iter().for_each(|nodes| topology.push(number, nodes));
        }
        topology
    }

    fn push(&mut self, number: u8, nodes: &[usize]) {
        self.connectivity
            .extend(nodes.iter().map(|&node| node as i64));
        self.ends.push(self.connectivity.len() as i64);
        self.types.push(number);
    }
}

fn push_numbers(text: &mut String, array: &Array, more: &str) -> Result<(), Error> {
    let bytes: Vec<u8> = array.values.iter().flat_map(|v| v.to_le_bytes()).collect();
    let (name, n) = (escaped(&array.name), array.components);
    let attributes = format!("Name=\"{name}\" NumberOfComponents=\"{n}\" {more}");
    push_array(text, "Float64", &attributes, &bytes)
}

fn push_array(text: &mut String, kind: &str, attributes: &str, bytes: &[u8]) -> Result<(), Error> {
    let _ = writeln!(
        text,
        "<DataArray type=\"{kind}\" {attributes} format=\"binary\">"
    );
    let mut packed = Vec::new();
    let mut sizes = vec![bytes.len().div_ceil(BLOCK), BLOCK, bytes.len() % BLOCK];
    for block in bytes.chunks(BLOCK) {
        let before = packed.len();
        let mut encoder = ZlibEncoder::new(&mut packed, Compression::fast());
        encoder.write_all(block)?;
        encoder.finish()?;
        sizes.push(packed.len() - before);
    }
    let header: Vec<u8> = sizes
        .iter()
        .flat_map(|&s| (s as u64).to_le_bytes())
        .collect();
    text.push_str(&base64_text::encode(&header));
    text.push_str(&base64_text::encode(&packed));
    text.push_str("\n</DataArray>\n");
    Ok(())
}

/// Text for an attribute; characters that XML does not allow become spaces.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            c if c.is_control() || ('\u{fffe}'..='\u{ffff}').contains(&c) => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe
}
