//! VTK XML files: unstructured grids, surfaces, images, structured and rectilinear grids.
//!
//! <https://docs.vtk.org/en/latest/vtk_file_formats/vtkxml_file_format.html>

use roxmltree::Node;

use crate::Error;
use crate::error::format;
use crate::file::array::indices;
use crate::file::raw::Raw;
use crate::file::xml_data::Decoder;
use crate::file::{Array, structured, vtk_cell};

/// Reads a file of any of these types.
pub(crate) fn read(bytes: &[u8]) -> Result<Raw, Error> {
    let parts = Parts::of(bytes)?;
    let document = roxmltree::Document::parse(&parts.markup)
        .map_err(|error| format(format!("is not well-formed XML: {error}; export it again")))?;
    let root = document.root_element();
    let decoder = Decoder::new(root, parts.appended, bytes.len())?;
    let kind = attribute(root, "type")?;
    let data = child(root, kind)?;
    let mut raw = Raw::default();
    for array in elements(data, "FieldData").flat_map(arrays) {
        raw.parameters.extend(decoder.array_if_numbers(array)?);
    }
    for piece in elements(data, "Piece") {
        let first = raw.points.len() / 3;
        let reader = Piece {
            decoder: &decoder,
            piece,
            data,
            first,
        };
        match kind {
            "UnstructuredGrid" => reader.unstructured(&mut raw)?,
            "PolyData" => reader.surface(&mut raw)?,
            "ImageData" => reader.image(&mut raw)?,
            "StructuredGrid" => reader.curved(&mut raw)?,
            "RectilinearGrid" => reader.rectilinear(&mut raw)?,
            _ => {
                return Err(format(format!(
                    "holds {kind}, which is not a mesh; export an unstructured grid (.vtu)"
                )));
            }
        }
        reader.values(&mut raw)?;
    }
    Ok(raw)
}

/// The markup, and the appended bytes, which need not be text.
struct Parts<'a> {
    markup: String,
    appended: Option<&'a [u8]>,
}

impl<'a> Parts<'a> {
    fn of(bytes: &'a [u8]) -> Result<Self, Error> {
        let tag = b"<AppendedData";
        let at = bytes.windows(tag.len()).position(|window| window == tag);
        let text = |bytes: &[u8]| {
            let text = std::str::from_utf8(bytes);
            text.map(str::to_owned)
                .map_err(|e| format(format!("is not text: {e}")))
        };
        let Some(at) = at else {
            let (markup, appended) = (text(bytes)?, None);
            return Ok(Self { markup, appended });
        };
        let open = bytes[at..]
            .iter()
            .position(|&b| b == b'>')
            .map(|end| at + end + 1);
        let mark =
            open.and_then(|open| Some(open + bytes[open..].iter().position(|&b| b == b'_')?));
        let (Some(open), Some(mark)) = (open, mark) else {
            return Err(format("ends before its appended data; it is cut short"));
        };
        let markup = text(&bytes[..open])? + "</AppendedData></VTKFile>";
        let appended = Some(&bytes[mark + 1..]);
        Ok(Self { markup, appended })
    }
}

/// A piece of a mesh.
struct Piece<'a, 'b> {
    decoder: &'a Decoder<'b>,
    piece: Node<'a, 'b>,
    /// The element that contains all pieces.
    data: Node<'a, 'b>,
    /// The index of its first point.
    first: usize,
}

impl Piece<'_, '_> {
    fn unstructured(&self, raw: &mut Raw) -> Result<(), Error> {
        self.points(raw)?;
        let cells = child(self.piece, "Cells")?;
        let types = indices(&self.named(cells, "types")?, "types")?;
        let ends = indices(&self.named(cells, "offsets")?, "offsets")?;
        if types.len() != ends.len() {
            let (types, ends) = (types.len(), ends.len());
            return Err(format(format!(
                "has {types} types but {ends} offsets of cells"
            )));
        }
        let nodes = self.connectivity(cells)?;
        vtk_cell::push_all(raw, &nodes, &ends, |cell| types[cell])
    }

    fn surface(&self, raw: &mut Raw) -> Result<(), Error> {
        self.points(raw)?;
        for (name, kind) in [("Verts", 2), ("Lines", 4), ("Strips", 6), ("Polys", 7)] {
            for cells in elements(self.piece, name).filter(|c| arrays(*c).next().is_some()) {
                let ends = indices(&self.named(cells, "offsets")?, "offsets")?;
                let nodes = self.connectivity(cells)?;
                vtk_cell::push_all(raw, &nodes, &ends, |_| kind)?;
            }
        }
        Ok(())
    }

    fn image(&self, raw: &mut Raw) -> Result<(), Error> {
        let extent = self.extent()?;
        let sizes = sizes(extent)?;
        let count = structured::count(sizes, self.decoder.file_size())?;
        let origin = numbers::<3>(self.data, "Origin", [0.0; 3])?;
        let spacing = numbers::<3>(self.data, "Spacing", [1.0; 3])?;
        let turn = numbers::<9>(self.data, "Direction", [1., 0., 0., 0., 1., 0., 0., 0., 1.])?;
        raw.points.reserve(3 * count);
        for k in 0..sizes[2] {
            for j in 0..sizes[1] {
                for i in 0..sizes[0] {
                    let index = [i, j, k];
                    let step: [f64; 3] =
                        std::array::from_fn(|a| (extent[2 * a] + index[a] as f64) * spacing[a]);
                    let x = |row: usize| (0..3).map(|a| turn[3 * row + a] * step[a]).sum::<f64>();
                    raw.points.extend((0..3).map(|row| origin[row] + x(row)));
                }
            }
        }
        structured::push_cells(raw, sizes, self.first);
        Ok(())
    }

    fn curved(&self, raw: &mut Raw) -> Result<(), Error> {
        let sizes = sizes(self.extent()?)?;
        let count = structured::count(sizes, self.decoder.file_size())?;
        self.points(raw)?;
        let points = raw.points.len() / 3 - self.first;
        if points != count {
            let message = format!("has {points} points for a grid of {sizes:?}; it is damaged");
            return Err(format(message));
        }
        structured::push_cells(raw, sizes, self.first);
        Ok(())
    }

    fn rectilinear(&self, raw: &mut Raw) -> Result<(), Error> {
        let coordinates = child(self.piece, "Coordinates")?;
        let axes = arrays(coordinates).map(|array| self.decoder.array(array));
        let axes: Vec<Array> = axes.collect::<Result<_, _>>()?;
        let axes: Vec<Vec<f64>> = axes.into_iter().map(|axis| axis.values).collect();
        let axes: [Vec<f64>; 3] = axes
            .try_into()
            .map_err(|axes: Vec<_>| format(format!("has {} axes, not three", axes.len())))?;
        let sizes = [axes[0].len(), axes[1].len(), axes[2].len()];
        structured::count(sizes, self.decoder.file_size())?;
        structured::push_points(raw, &axes);
        structured::push_cells(raw, sizes, self.first);
        Ok(())
    }

    fn points(&self, raw: &mut Raw) -> Result<(), Error> {
        let element = child(self.piece, "Points")?;
        let array = arrays(element).next();
        let array = array.ok_or_else(|| format("has no array of points; export it again"))?;
        let points = self.decoder.array(array)?;
        if points.components != 3 || !points.values.len().is_multiple_of(3) {
            let n = points.components;
            return Err(format(format!(
                "has points of {n} coordinates; VTK files have three"
            )));
        }
        raw.points.extend(points.values);
        Ok(())
    }

    fn named(&self, parent: Node, name: &str) -> Result<Vec<f64>, Error> {
        let mut found = arrays(parent).filter(|a| a.attribute("Name") == Some(name));
        let array = found
            .next()
            .ok_or_else(|| format(format!("has no array {name} of cells")))?;
        Ok(self.decoder.array(array)?.values)
    }

    fn connectivity(&self, cells: Node) -> Result<Vec<usize>, Error> {
        let nodes = indices(&self.named(cells, "connectivity")?, "connectivity")?;
        Ok(nodes.into_iter().map(|node| node + self.first).collect())
    }

    /// The first and last index along each axis.
    fn extent(&self) -> Result<[f64; 6], Error> {
        attribute(self.piece, "Extent")?;
        numbers::<6>(self.piece, "Extent", [0.0; 6])
    }

    /// Adds the values at the points of the piece.
    fn values(&self, raw: &mut Raw) -> Result<(), Error> {
        for cell in elements(self.piece, "CellData").flat_map(arrays) {
            raw.leave_cell_data(cell.attribute("Name").unwrap_or("unnamed"));
        }
        for array in elements(self.piece, "PointData").flat_map(arrays) {
            let Some(array) = self.decoder.array_if_numbers(array)? else {
                continue;
            };
            let same = |a: &&mut Array| a.name == array.name && a.components == array.components;
            match raw.fields.iter_mut().find(same) {
                Some(field) => field.values.extend(array.values),
                None => raw.fields.push(array),
            }
        }
        Ok(())
    }
}

/// Number of points per axis.
fn sizes(extent: [f64; 6]) -> Result<[usize; 3], Error> {
    let size = |axis: usize| extent[2 * axis + 1] - extent[2 * axis] + 1.0;
    let sizes = indices(&[size(0), size(1), size(2)], "the sizes of the extent")?;
    Ok([sizes[0], sizes[1], sizes[2]])
}

fn elements<'a, 'b>(node: Node<'a, 'b>, name: &'a str) -> impl Iterator<Item = Node<'a, 'b>> {
    node.children()
        .filter(move |child| child.has_tag_name(name))
}

fn arrays<'a, 'b>(node: Node<'a, 'b>) -> impl Iterator<Item = Node<'a, 'b>> {
    node.children()
        .filter(|c| c.has_tag_name("DataArray") || c.has_tag_name("Array"))
}

fn child<'a, 'b>(node: Node<'a, 'b>, name: &str) -> Result<Node<'a, 'b>, Error> {
    let mut found = node.children().filter(|child| child.has_tag_name(name));
    let within = node.tag_name().name();
    found
        .next()
        .ok_or_else(|| format(format!("has no element {name} in {within}; it is damaged")))
}

fn attribute<'a>(node: Node<'a, '_>, name: &str) -> Result<&'a str, Error> {
    let element = node.tag_name().name();
    let value = node.attribute(name);
    value.ok_or_else(|| format(format!("{element} has no attribute {name}; it is damaged")))
}

/// The numbers in an attribute, or `absent` if there is none.
fn numbers<const N: usize>(node: Node, name: &str, absent: [f64; N]) -> Result<[f64; N], Error> {
    let Some(text) = node.attribute(name) else {
        return Ok(absent);
    };
    let values: Result<Vec<f64>, _> = text.split_whitespace().map(str::parse).collect();
    let values = values.ok().and_then(|values| values.try_into().ok());
    values.ok_or_else(|| format(format!("attribute {name} is {text:?}, not {N} numbers")))
}
