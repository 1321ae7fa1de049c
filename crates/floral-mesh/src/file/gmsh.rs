//! Gmsh files (`.msh`), versions 2.2 and 4.1, text or binary.
//!
//! <https://gmsh.info/doc/texinfo/gmsh.html#MSH-file-format>

use std::collections::HashMap;

use crate::Error;
use crate::error::format;
use crate::file::array::{Array, Number, indices};
use crate::file::arrays::shown;
use crate::file::cursor::{Cursor, Mode};
use crate::file::raw::Raw;
use crate::file::vtk_cell;

/// Reads a Gmsh file.
pub(crate) fn read(bytes: &[u8]) -> Result<Raw, Error> {
    let mut cursor = Cursor::new(bytes);
    let new = read_format(&mut cursor)?;
    let mut gmsh = Gmsh {
        cursor,
        raw: Raw::default(),
        index: HashMap::new(),
        cells: 0,
    };
    while let Some(line) = gmsh.cursor.line() {
        match (line.as_str(), new) {
            ("$Nodes", false) => gmsh.nodes_2()?,
            ("$Nodes", true) => gmsh.nodes_4()?,
            ("$Elements", false) => gmsh.elements_2()?,
            ("$Elements", true) => gmsh.elements_4()?,
            ("$NodeData", _) => gmsh.node_data()?,
            ("$ElementData" | "$ElementNodeData", _) => gmsh.raw.leave_cell_data("$ElementData"),
            _ => {}
        }
    }
    Ok(gmsh.raw)
}

/// Reads $MeshFormat; true for version 4.1, false for 2.2.
fn read_format(cursor: &mut Cursor) -> Result<bool, Error> {
    if !cursor.skip_to("$MeshFormat") {
        return Err(format("has no $MeshFormat; it is not a file of Gmsh"));
    }
    let version = cursor.expect("the version")?;
    let new = match version {
        "2.2" | "2" | "2.0" | "2.1" => false,
        "4.1" => true,
        other => {
            let shown = shown(other);
            return Err(format(format!(
                "is of version {shown}; save it as 4.1 or 2.2 (Mesh.MshFileVersion = 4.1)"
            )));
        }
    };
    let binary: usize = cursor.parse("the file type")?;
    let size: usize = cursor.parse("the data size")?;
    cursor.end_line();
    if binary == 1 {
        if size != 8 {
            return Err(format(format!(
                "has numbers of {size} bytes, not 8; it is damaged"
            )));
        }
        // The integer one reveals the byte order.
        cursor.mode = Mode::Binary { big: false };
        let one = cursor.numbers(1, Number::I32, "the byte order")?[0];
        cursor.mode = Mode::Binary { big: one != 1.0 };
    }
    Ok(new)
}

/// A file, as far as it has been read.
struct Gmsh<'a> {
    cursor: Cursor<'a>,
    raw: Raw,
    /// Index of the point for each node tag.
    index: HashMap<usize, usize>,
    cells: usize,
}

impl Gmsh<'_> {
    /// Integers, stored in 32 bits in binary files.
    fn ints(&mut self, count: usize, what: &str) -> Result<Vec<usize>, Error> {
        indices(&self.cursor.numbers(count, Number::I32, what)?, what)
    }

    /// Integers, stored in 64 bits in binary files.
    fn sizes(&mut self, count: usize, what: &str) -> Result<Vec<usize>, Error> {
        indices(&self.cursor.numbers(count, Number::U64, what)?, what)
    }

    fn doubles(&mut self, count: usize, what: &str) -> Result<Vec<f64>, Error> {
        self.cursor.numbers(count, Number::F64, what)
    }

    /// A count on its own line, which is text even in binary files.
    fn count_line(&mut self) -> Result<usize, Error> {
        let count = self.cursor.parse("a count")?;
        self.cursor.end_line();
        Ok(count)
    }

    fn add_node(&mut self, tag: usize, coordinates: &[f64]) -> Result<(), Error> {
        let point = self.raw.points.len() / 3;
        if self.index.insert(tag, point).is_some() {
            return Err(format(format!("has node {tag} twice; it is damaged")));
        }
        self.raw.points.extend(&coordinates[..3]);
        Ok(())
    }

    fn nodes_2(&mut self) -> Result<(), Error> {
        for _ in 0..self.count_line()? {
            let tag = self.ints(1, "a node's tag")?[0];
            let coordinates = self.doubles(3, "a coordinate")?;
            self.add_node(tag, &coordinates)?;
        }
        Ok(())
    }

    fn nodes_4(&mut self) -> Result<(), Error> {
        let header = self.sizes(4, "the count of nodes")?;
        for _ in 0..header[0] {
            // Dimension, tag, and whether the coordinates are followed by parameters on the
            // surface.
            let entity = self.cursor.numbers(3, Number::I32, "an entity of nodes")?;
            let count = self.sizes(1, "a count of nodes")?[0];
            let tags = self.sizes(count, "a node's tag")?;
            let parameters = if entity[2] == 1.0 {
                entity[0].clamp(0.0, 3.0) as usize
            } else {
                0
            };
            for tag in tags {
                let coordinates = self.doubles(3 + parameters, "a coordinate")?;
                self.add_node(tag, &coordinates)?;
            }
        }
        Ok(())
    }

    fn elements_2(&mut self) -> Result<(), Error> {
        let count = self.count_line()?;
        let end = self.cells.saturating_add(count);
        while self.cells < end {
            if self.cursor.mode == Mode::Ascii {
                let head = self.ints(3, "an element")?;
                self.elements_of(head[1], 1, head[2])?;
            } else {
                // Type, number of elements, tags per element.
                let head = self.ints(3, "a block of elements")?;
                self.elements_of_binary(head[0], head[1], head[2])?;
            }
        }
        Ok(())
    }

    /// Reads elements of one type, whose header has been read.
    fn elements_of(&mut self, kind: usize, count: usize, tags: usize) -> Result<(), Error> {
        let per = nodes_of(kind, self.cells)?;
        for _ in 0..count {
            // Tags may be negative; nodes may not.
            self.cursor.numbers(tags, Number::I32, "a tag")?;
            let nodes = self.ints(per, "a node of an element")?;
            self.add_element(kind, &nodes)?;
        }
        Ok(())
    }

    fn elements_of_binary(&mut self, kind: usize, count: usize, tags: usize) -> Result<(), Error> {
        if count == 0 {
            return Err(format("has a block of no elements; it is damaged"));
        }
        self.elements_of(kind, count, tags.saturating_add(1))
    }

    fn elements_4(&mut self) -> Result<(), Error> {
        let header = self.sizes(4, "the count of elements")?;
        for _ in 0..header[0] {
            let entity = self
                .cursor
                .numbers(3, Number::I32, "an entity of elements")?;
            let kind = indices(&entity[2..], "the type of elements")?[0];
            let count = self.sizes(1, "a count of elements")?[0];
            let per = nodes_of(kind, self.cells)?;
            for _ in 0..count {
                let nodes = self.sizes(1 + per, "a node of an element")?;
                self.add_element(kind, &nodes[1..])?;
            }
        }
        Ok(())
    }

    fn add_element(&mut self, kind: usize, tags: &[usize]) -> Result<(), Error> {
        let cell = self.cells;
        let mut nodes = Vec::with_capacity(tags.len());
        for tag in tags {
            let point = self.index.get(tag).ok_or_else(|| {
                format(format!(
                    "element {cell} has node {tag}, which is not defined"
                ))
            })?;
            nodes.push(*point);
        }
        let own = &TYPES[kind_at(kind, cell)?];
        if !own.order.is_empty() {
            nodes = own.order.iter().map(|&i| nodes[i]).collect();
        }
        vtk_cell::push(&mut self.raw, own.vtk, cell, &nodes)?;
        self.cells += 1;
        Ok(())
    }

    /// Values at nodes: names, times, [step, components, count], then the tag and values of each
    /// node.
    fn node_data(&mut self) -> Result<(), Error> {
        let mut names = Vec::new();
        for _ in 0..self.count_line()? {
            let line = self.cursor.line();
            names.push(line.ok_or_else(|| format("ends within $NodeData; it is cut short"))?);
        }
        for _ in 0..self.count_line()? {
            self.cursor.parse::<f64>("a time")?;
        }
        let mut integers = Vec::new();
        for _ in 0..self.count_line()? {
            integers.push(self.cursor.parse::<usize>("an integer of $NodeData")?);
        }
        self.cursor.end_line();
        let [_, components, count, ..] = integers[..] else {
            return Err(format(
                "$NodeData has fewer than three integers; it is damaged",
            ));
        };
        let name = names
            .first()
            .map_or("unnamed", |name| name.trim_matches('"'))
            .to_owned();
        let points = self.raw.points.len() / 3;
        if count != points || components == 0 || components > 9 {
            return Err(format(format!(
                "field {name} has {components} components at {count} nodes of {points}; give \
                 values at every node"
            )));
        }
        let mut values = vec![f64::NAN; points * components];
        for _ in 0..count {
            let tag = self.ints(1, "a node's tag")?[0];
            let row = self.doubles(components, &name)?;
            let point = self.index.get(&tag).ok_or_else(|| {
                format(format!(
                    "field {name} has a value at node {tag}, which is not defined"
                ))
            })?;
            values[point * components..][..components].copy_from_slice(&row);
        }
        self.raw.fields.push(Array {
            name,
            components,
            values,
        });
        Ok(())
    }
}

/// A type of element.
struct Type {
    gmsh: usize,
    vtk: usize,
    nodes: usize,
    /// Gmsh's position of each VTK node; empty if the orders agree.
    order: &'static [usize],
}

const fn of(gmsh: usize, vtk: usize, nodes: usize) -> Type {
    let order = &[];
    Type {
        gmsh,
        vtk,
        nodes,
        order,
    }
}

const fn turned(gmsh: usize, vtk: usize, order: &'static [usize]) -> Type {
    let nodes = order.len();
    Type {
        gmsh,
        vtk,
        nodes,
        order,
    }
}

const TYPES: [Type; 16] = [
    of(1, 3, 2),
    of(2, 5, 3),
    of(3, 9, 4),
    of(4, 10, 4),
    of(5, 12, 8),
    of(6, 13, 6),
    of(7, 14, 5),
    of(8, 21, 3),
    of(9, 22, 6),
    of(10, 28, 9),
    turned(11, 24, &[0, 1, 2, 3, 4, 5, 6, 7, 9, 8]),
    of(15, 1, 1),
    of(16, 23, 8),
    turned(
        17,
        25,
        &[
            0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15,
        ],
    ),
    turned(18, 26, &[0, 1, 2, 3, 4, 5, 6, 9, 7, 12, 14, 13, 8, 10, 11]),
    turned(19, 27, &[0, 1, 2, 3, 4, 5, 8, 10, 6, 7, 9, 11, 12]),
];

fn kind_at(kind: usize, cell: usize) -> Result<usize, Error> {
    TYPES.iter().position(|own| own.gmsh == kind).ok_or_else(|| {
        format(format!(
            "element {cell} is of Gmsh type {kind}, which is not supported; mesh with elements of \
             first order (Mesh.ElementOrder = 1), or of second order without nodes within cells \
             (Mesh.SecondOrderIncomplete = 1)"
        ))
    })
}

fn nodes_of(kind: usize, cell: usize) -> Result<usize, Error> {
    kind_at(kind, cell).map(|at| TYPES[at].nodes)
}
