//! Splits polygons of five or more nodes into triangles.

use crate::CellKind::Triangle;
use crate::Error;
use crate::error::format;
use crate::file::raw::Raw;
use crate::measure::{Vec3, cross, dot, minus};

/// Largest number of nodes of a polygon.
pub(crate) const MOST_NODES: usize = 64;

/// Adds polygon number `cell` of a file, split into triangles around one of its nodes.
pub(crate) fn push(raw: &mut Raw, cell: usize, nodes: &[usize]) -> Result<(), Error> {
    check(&raw.points, cell, nodes)?;
    let Some(triangles) = fan(&raw.points, nodes) else {
        return Err(format(format!(
            "face {cell} of {} nodes is folded, or far from convex; split it into triangles",
            nodes.len()
        )));
    };
    raw.note("faces of five and more nodes are split into triangles");
    triangles
        .into_iter()
        .for_each(|t| raw.cells.push(Triangle, t));
    Ok(())
}

/// Refuses a polygon of too few or too many nodes, or with nodes that do not exist.
pub(crate) fn check(points: &[f64], cell: usize, nodes: &[usize]) -> Result<(), Error> {
    let count = nodes.len();
    if count > MOST_NODES {
        return Err(format(format!(
            "face {cell} has {count} nodes, more than {MOST_NODES}; split it into triangles"
        )));
    }
    if count < 3 {
        return Err(format(format!(
            "face {cell} has {count} nodes, which is not a supported face; remove it"
        )));
    }
    let points = points.len() / 3;
    match nodes.iter().find(|node| **node >= points) {
        None => Ok(()),
        Some(node) => Err(format(format!(
            "face {cell} has node {node}, but there are {points} points; indices count from zero"
        ))),
    }
}

/// Triangles around one node of a polygon; none if it is folded, or far from convex.
///
/// The node is the first from which all triangles have the orientation of the polygon. In a
/// strictly convex polygon this is any node; if a node lies on a side, it is that node; if there is
/// a single dent, it is the node at the dent.
pub(crate) fn fan(points: &[f64], nodes: &[usize]) -> Option<Vec<[usize; 3]>> {
    let count = nodes.len();
    let around = |first: usize| (1..count - 1).map(move |i| [first, first + i, first + i + 1]);
    let fans = (0..count).map(|first| around(first).map(|t| t.map(|i| nodes[i % count])));
    let mut all = fans.map(Iterator::collect::<Vec<_>>);
    all.find(|fan| {
        let normals: Vec<Vec3> = fan.iter().map(|t| normal(points, *t)).collect();
        let whole = sum(normals.iter().copied());
        normals.iter().all(|normal| dot(*normal, whole) > 0.0)
    })
}

/// The normal of a triangle, with twice its area as length.
pub(crate) fn normal(points: &[f64], nodes: [usize; 3]) -> Vec3 {
    let at = |node: usize| [0, 1, 2].map(|axis| points[3 * node + axis]);
    let [a, b, c] = nodes.map(at);
    cross(minus(b, a), minus(c, a))
}

pub(crate) fn sum(vectors: impl Iterator<Item = Vec3>) -> Vec3 {
    vectors.fold([0.0; 3], |all, own| {
        [0, 1, 2].map(|axis| all[axis] + own[axis])
    })
}
