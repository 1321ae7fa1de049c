//! Polygons of five or more nodes as triangles.

use crate::CellKind::Triangle;
use crate::Error;
use crate::error::format;
use crate::file::raw::Raw;
use crate::measure::{cross, dot, minus};

/// Nodes of the largest polygon.
const MOST_NODES: usize = 64;

/// Adds the `cell`-th polygon of a file, split into triangles around one of its nodes.
///
/// The node is the first from which every triangle has the orientation of the whole: any node of a
/// strictly convex polygon; one on a side, where a node hangs there; that of a single dent.
pub(crate) fn push(raw: &mut Raw, cell: usize, nodes: &[usize]) -> Result<(), Error> {
    let count = nodes.len();
    if count > MOST_NODES {
        return Err(format(format!(
            "face {cell} has {count} nodes, more than {MOST_NODES}; split it into triangles"
        )));
    }
    let points = raw.points.len() / 3;
    if let Some(node) = nodes.iter().find(|node| **node >= points) {
        return Err(format(format!(
            "face {cell} has node {node}, but there are {points} points; indices count from zero"
        )));
    }
    let around = |first: usize| (1..count - 1).map(move |i| [first, first + i, first + i + 1]);
    let fan = (0..count).map(|first| around(first).map(|t| t.map(|i| nodes[i % count])));
    let convex = fan.map(Iterator::collect::<Vec<_>>).find(|fan| {
        let normals: Vec<[f64; 3]> = fan.iter().map(|t| normal(&raw.points, *t)).collect();
        let whole = normals.iter().fold([0.0; 3], |sum, normal| {
            [sum[0] + normal[0], sum[1] + normal[1], sum[2] + normal[2]]
        });
        normals.iter().all(|normal| dot(*normal, whole) > 0.0)
    });
    let Some(triangles) = convex else {
        return Err(format(format!(
            "face {cell} of {count} nodes is folded, or far from convex; split it into triangles"
        )));
    };
    raw.note("faces of five and more nodes are split into triangles");
    triangles
        .into_iter()
        .for_each(|t| raw.cells.push(Triangle, t));
    Ok(())
}

/// Twice the area of a triangle, along its normal.
fn normal(points: &[f64], nodes: [usize; 3]) -> [f64; 3] {
    let at = |node: usize| [0, 1, 2].map(|axis| points[3 * node + axis]);
    let [a, b, c] = nodes.map(at);
    cross(minus(b, a), minus(c, a))
}
