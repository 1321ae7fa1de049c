//! The cell types of VTK, converted to kinds of cells.

use crate::cell::CellKind;
use crate::error::format;
use crate::file::quadratic;
use crate::file::raw::{Blocks, Raw};
use crate::{CellKind::*, Error};

/// The nodes of each part of a cell.
type Parts = &'static [&'static [usize]];

/// A quadratic cell is split at its middle nodes, whose values are kept.
const LINES: Parts = &[&[0, 2], &[2, 1]];
const TRIANGLES: Parts = &[&[0, 3, 5], &[3, 1, 4], &[5, 4, 2], &[3, 4, 5]];
/// For a quad without a node in the middle, the corners are cut off.
const CORNERS: Parts = &[&[0, 4, 7], &[4, 1, 5], &[5, 2, 6], &[7, 6, 3]];
const MIDDLE: Parts = &[&[4, 5, 6, 7]];
const QUADS: Parts = &[&[0, 4, 8, 7], &[4, 1, 5, 8], &[8, 5, 2, 6], &[7, 8, 6, 3]];
const TETRAHEDRA: Parts = &[
    &[0, 4, 6, 7],
    &[4, 1, 5, 8],
    &[6, 5, 2, 9],
    &[7, 8, 9, 3],
    &[4, 9, 6, 7],
    &[4, 9, 7, 8],
    &[4, 9, 8, 5],
    &[4, 9, 5, 6],
];

/// Adds cell number `cell` of a file, of VTK's type `number`.
pub(crate) fn push(
    raw: &mut Raw,
    number: usize,
    cell: usize,
    nodes: &[usize],
) -> Result<(), Error> {
    let whole = |blocks: &mut Blocks, kind| blocks.push(kind, nodes.iter().copied());
    let blocks = &mut raw.cells;
    match (number, nodes.len()) {
        // Vertices are points only.
        (1, 1) | (2, _) => {}
        (3, 2) | (68, 2) => whole(blocks, Line),
        (5, 3) | (7, 3) | (69, 3) => whole(blocks, Triangle),
        (9, 4) | (7, 4) | (70, 4) => whole(blocks, Quad),
        (10, 4) | (71, 4) => whole(blocks, Tetrahedron),
        (12, 8) | (72, 8) => whole(blocks, Hexahedron),
        (13, 6) => whole(blocks, Wedge),
        (14, 5) => whole(blocks, Pyramid),
        // Pixels and voxels list their nodes row by row.
        (8, 4) => parts(blocks, Quad, &[&[0, 1, 3, 2]], nodes),
        (11, 8) => parts(blocks, Hexahedron, &[&[0, 1, 3, 2, 4, 5, 7, 6]], nodes),
        (21, 3) | (68, 3) => parts(blocks, Line, LINES, nodes),
        (22, 6) | (69, 6) => parts(blocks, Triangle, TRIANGLES, nodes),
        (28, 9) | (70, 9) => parts(blocks, Quad, QUADS, nodes),
        (23, 8) => {
            parts(blocks, Triangle, CORNERS, nodes);
            parts(blocks, Quad, MIDDLE, nodes);
        }
        (25, 20) => quadratic::push(blocks, &quadratic::HEXAHEDRON, nodes),
        (26, 15) => quadratic::push(blocks, &quadratic::WEDGE, nodes),
        (27, 13) => quadratic::push(blocks, &quadratic::PYRAMID, nodes),
        (24, 10) | (71, 10) => parts(blocks, Tetrahedron, TETRAHEDRA, nodes),
        (4, 2..) => nodes
            .windows(2)
            .for_each(|pair| blocks.push(Line, pair.iter().copied())),
        (6, 3..) => nodes
            .windows(3)
            .for_each(|t| blocks.push(Triangle, t.iter().copied())),
        (number, count) => {
            return Err(format(format!(
                "cell {cell} is of VTK type {number} with {count} nodes, which is not supported; \
                 split it into triangles or tetrahedra (in ParaView: Tetrahedralize)"
            )));
        }
    }
    let is_split = match number {
        21..=28 => true,
        68 => nodes.len() > 2,
        69..=71 => nodes.len() > 4,
        _ => false,
    };
    if is_split {
        raw.note("quadratic cells are split into linear ones at their middle nodes");
    }
    Ok(())
}

fn parts(blocks: &mut Blocks, kind: CellKind, parts: Parts, nodes: &[usize]) {
    for part in parts {
        blocks.push(kind, part.iter().map(|&i| nodes[i]));
    }
}

/// Adds cells, given the nodes of all cells, the end of each cell among these, and its type.
pub(crate) fn push_all(
    raw: &mut Raw,
    connectivity: &[usize],
    ends: &[usize],
    types: impl Fn(usize) -> usize,
) -> Result<(), Error> {
    let mut start = 0;
    for (cell, &end) in ends.iter().enumerate() {
        let Some(nodes) = connectivity.get(start..end) else {
            return Err(format(format!(
                "cell {cell} ends at node {end} of {}, begun at {start}; the offsets are damaged",
                connectivity.len()
            )));
        };
        push(raw, types(cell), cell, nodes)?;
        start = end;
    }
    Ok(())
}

/// The VTK type of a kind.
pub(crate) fn number(kind: CellKind) -> u8 {
    match kind {
        Line => 3,
        Triangle => 5,
        Quad => 9,
        Tetrahedron => 10,
        Hexahedron => 12,
        Wedge => 13,
        Pyramid => 14,
    }
}
