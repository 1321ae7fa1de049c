//! The cells of XDMF, of one kind or mixed.

use roxmltree::Node;

use crate::Error;
use crate::error::format;
use crate::file::array::indices;
use crate::file::arrays::shown;
use crate::file::polygon;
use crate::file::raw::Raw;
use crate::file::vtk_cell;
use crate::file::xdmf_grids::{attribute, named};
use crate::file::xdmf_items::Items;

/// A type of cell; XDMF orders its nodes as VTK does.
struct Type {
    name: &'static str,
    /// Its number in mixed topologies.
    number: usize,
    /// Its number of nodes; zero if each topology or cell states it.
    nodes: usize,
    vtk: usize,
}

const fn of(name: &'static str, number: usize, nodes: usize, vtk: usize) -> Type {
    Type {
        name,
        number,
        nodes,
        vtk,
    }
}

const POLYGON: usize = 3;

const TYPES: [Type; 18] = [
    of("polyvertex", 1, 0, 2),
    of("polyline", 2, 0, 4),
    of("polygon", POLYGON, 0, 7),
    of("triangle", 4, 3, 5),
    of("quadrilateral", 5, 4, 9),
    of("tetrahedron", 6, 4, 10),
    of("pyramid", 7, 5, 14),
    of("wedge", 8, 6, 13),
    of("hexahedron", 9, 8, 12),
    of("edge_3", 34, 3, 21),
    of("quadrilateral_9", 35, 9, 28),
    of("quad_9", 35, 9, 28),
    of("quadrilateral_8", 37, 8, 23),
    of("quad_8", 37, 8, 23),
    of("triangle_6", 36, 6, 22),
    of("tri_6", 36, 6, 22),
    of("tetrahedron_10", 38, 10, 24),
    of("tet_10", 38, 10, 24),
];

/// Adds the cells of a Topology element.
pub(crate) fn push(topology: Node, items: Items, raw: &mut Raw) -> Result<(), Error> {
    let name = attribute(topology, &["TopologyType", "Type"]).unwrap_or_default();
    let lower = name.trim().to_ascii_lowercase();
    let known = TYPES.iter().find(|own| own.name == lower);
    if known.is_none() && lower != "mixed" {
        return Err(format(format!(
            "has the topology {:?}, which is not supported; write cells of first order, such as \
             Triangle, Quadrilateral, Tetrahedron, Hexahedron or Mixed",
            shown(name)
        )));
    }
    let Some(item) = named(topology, "DataItem").next() else {
        // A topology without cells, as for points only.
        return Ok(());
    };
    let first = number(topology, "BaseOffset")?.unwrap_or(0) as f64;
    let numbers = items.numbers(item)?;
    let count = match known {
        None => mixed(&numbers, first, raw)?,
        Some(own) => {
            let nodes = match own.nodes {
                0 => number(topology, "NodesPerElement")?.unwrap_or(if own.number == 2 {
                    2
                } else {
                    1
                }),
                nodes => nodes,
            };
            same(&numbers, own, nodes, first, raw)?
        }
    };
    let stated = attribute(topology, &["NumberOfElements", "Dimensions"]);
    let stated = stated.and_then(|text| text.trim().parse::<usize>().ok());
    match stated.filter(|stated| *stated != count) {
        None => Ok(()),
        Some(stated) => Err(format(format!(
            "states {stated} cells but holds {count}; it is damaged"
        ))),
    }
}

/// Adds cells of one type; returns their number.
fn same(
    numbers: &[f64],
    own: &Type,
    nodes: usize,
    first: f64,
    raw: &mut Raw,
) -> Result<usize, Error> {
    let nodes = nodes.max(1);
    if !numbers.len().is_multiple_of(nodes) {
        return Err(format(format!(
            "has {} nodes, which are not whole cells of {nodes}; it is damaged",
            numbers.len()
        )));
    }
    for (cell, row) in numbers.chunks_exact(nodes).enumerate() {
        push_cell(raw, own, cell, &from_zero(row, first)?)?;
    }
    Ok(numbers.len() / nodes)
}

/// Adds cells that each begin with the number of their type; returns their number.
fn mixed(numbers: &[f64], first: f64, raw: &mut Raw) -> Result<usize, Error> {
    let cut = |cell: usize| format(format!("cell {cell} is cut short; it is damaged"));
    let mut rest = numbers;
    let mut cell = 0;
    while let Some((&number, after)) = rest.split_first() {
        let own = TYPES.iter().find(|own| own.number as f64 == number);
        let own = own.ok_or_else(|| {
            format(format!(
                "cell {cell} is of XDMF type {number}, which is not supported; write cells of first order"
            ))
        })?;
        rest = after;
        let mut nodes = own.nodes;
        if nodes == 0 {
            let (&count, after) = rest.split_first().ok_or_else(|| cut(cell))?;
            nodes = indices(&[count], "the nodes of a cell")?[0];
            rest = after;
        }
        let (row, after) = rest.split_at_checked(nodes).ok_or_else(|| cut(cell))?;
        rest = after;
        push_cell(raw, own, cell, &from_zero(row, first)?)?;
        cell += 1;
    }
    Ok(cell)
}

fn push_cell(raw: &mut Raw, own: &Type, cell: usize, nodes: &[usize]) -> Result<(), Error> {
    match nodes.len() {
        5.. if own.number == POLYGON => polygon::push(raw, cell, nodes),
        _ => vtk_cell::push(raw, own.vtk, cell, nodes),
    }
}

fn from_zero(row: &[f64], first: f64) -> Result<Vec<usize>, Error> {
    let row: Vec<f64> = row.iter().map(|node| node - first).collect();
    indices(&row, "a topology")
}

/// An attribute that is a whole number.
fn number(node: Node, name: &str) -> Result<Option<usize>, Error> {
    let Some(text) = node.attribute(name) else {
        return Ok(None);
    };
    let parsed = text.trim().parse();
    parsed.map(Some).map_err(|_| {
        let text = shown(text);
        format(format!("{name} is {text:?}, not a whole number"))
    })
}
