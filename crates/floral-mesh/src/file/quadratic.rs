//! Quadratic volumes with middle nodes on their edges only, split into tetrahedra at these nodes.
//!
//! Each corner is cut off through the middle nodes around it; the remainder is a cone from one of
//! its nodes over the rest of its surface. All nodes are kept. Quads are halved through their node
//! of the smallest number, so that neighbours split their common face in the same way.

use crate::CellKind::{self, Tetrahedron};
use crate::file::raw::Blocks;

/// A linear cell, and its edges in the order of their middle nodes.
pub(crate) struct Volume {
    kind: CellKind,
    edges: &'static [[usize; 2]],
}

/// VTK's quadratic hexahedron of 20 nodes.
pub(crate) const HEXAHEDRON: Volume = Volume {
    kind: CellKind::Hexahedron,
    edges: &[
        [0, 1],
        [1, 2],
        [2, 3],
        [3, 0],
        [4, 5],
        [5, 6],
        [6, 7],
        [7, 4],
        [0, 4],
        [1, 5],
        [2, 6],
        [3, 7],
    ],
};

/// VTK's quadratic wedge of 15 nodes.
pub(crate) const WEDGE: Volume = Volume {
    kind: CellKind::Wedge,
    edges: &[
        [0, 1],
        [1, 2],
        [2, 0],
        [3, 4],
        [4, 5],
        [5, 3],
        [0, 3],
        [1, 4],
        [2, 5],
    ],
};

/// VTK's quadratic pyramid of 13 nodes.
pub(crate) const PYRAMID: Volume = Volume {
    kind: CellKind::Pyramid,
    edges: &[
        [0, 1],
        [1, 2],
        [2, 3],
        [3, 0],
        [0, 4],
        [1, 4],
        [2, 4],
        [3, 4],
    ],
};

/// Adds a volume as tetrahedra; `nodes` are its corners, then the middles of its edges.
pub(crate) fn push(blocks: &mut Blocks, volume: &Volume, nodes: &[usize]) {
    let around: Vec<Vec<usize>> = (0..volume.kind.nodes())
        .map(|c| volume.around(c, nodes))
        .collect();
    for (corner, polygon) in around.iter().enumerate() {
        for [a, b, c] in triangles(polygon) {
            blocks.push(Tetrahedron, [a, b, c, nodes[corner]]);
        }
    }
    let Some(&top) = nodes[volume.kind.nodes()..].iter().min() else {
        return;
    };
    let on_faces = volume
        .kind
        .faces()
        .iter()
        .map(|face| volume.within(face, nodes));
    for polygon in on_faces.chain(around) {
        let seen = triangles(&polygon).filter(|triangle| !triangle.contains(&top));
        seen.for_each(|[a, b, c]| blocks.push(Tetrahedron, [a, c, b, top]));
    }
}

impl Volume {
    /// The middle node of the edge between two corners.
    fn middle(&self, a: usize, b: usize, nodes: &[usize]) -> usize {
        let is_it = |edge: &[usize; 2]| *edge == [a, b] || *edge == [b, a];
        let edge = self.edges.iter().position(is_it);
        nodes[self.kind.nodes() + edge.expect("the sides of every face are edges")]
    }

    /// The middle nodes on the sides of a face, in its order.
    fn within(&self, face: &[usize], nodes: &[usize]) -> Vec<usize> {
        let next = face.iter().cycle().skip(1);
        let sides = face.iter().zip(next);
        sides.map(|(&a, &b)| self.middle(a, b, nodes)).collect()
    }

    /// The middle nodes around a corner, counter-clockwise as seen from the corner.
    fn around(&self, corner: usize, nodes: &[usize]) -> Vec<usize> {
        // Each face at the corner connects two of them.
        let joined = |face: &&[usize]| {
            let at = face.iter().position(|c| *c == corner)?;
            let neighbour = |step: usize| face[(at + step) % face.len()];
            let side = |step| self.middle(corner, neighbour(step), nodes);
            Some([side(1), side(face.len() - 1)])
        };
        let pairs: Vec<[usize; 2]> = self.kind.faces().iter().filter_map(joined).collect();
        let mut polygon: Vec<usize> = pairs.first().map_or(Vec::new(), |pair| vec![pair[0]]);
        while polygon.len() < pairs.len() {
            let last = polygon.last().copied();
            let next = pairs.iter().find(|pair| Some(pair[0]) == last);
            polygon.extend(next.map(|pair| pair[1]));
        }
        polygon
    }
}

/// A triangle unchanged, or a quad halved through its node of the smallest number.
fn triangles(polygon: &[usize]) -> impl Iterator<Item = [usize; 3]> {
    let count = polygon.len();
    let first = (0..count).min_by_key(|&i| polygon[i]).unwrap_or(0);
    (1..count.saturating_sub(1)).map(move |i| [0, i, i + 1].map(|k| polygon[(first + k) % count]))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::measure::{Vec3, cross, dot, minus};

    const BOX: [Vec3; 8] = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [1.0, 1.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [1.0, 0.0, 1.0],
        [1.0, 1.0, 1.0],
        [0.0, 1.0, 1.0],
    ];
    const PRISM: [Vec3; 6] = [BOX[0], BOX[1], BOX[3], BOX[4], BOX[5], BOX[7]];
    const TENT: [Vec3; 5] = [BOX[0], BOX[1], BOX[2], BOX[3], [0.5, 0.5, 1.0]];

    /// Corners, then the middles of the edges.
    fn places(volume: &Volume, corners: &[Vec3]) -> Vec<Vec3> {
        let middle = |edge: &[usize; 2]| {
            [0, 1, 2].map(|i| (corners[edge[0]][i] + corners[edge[1]][i]) / 2.0)
        };
        let middles = volume.edges.iter().map(middle);
        corners.iter().copied().chain(middles).collect()
    }

    fn tetrahedra(volume: &Volume, nodes: &[usize]) -> Vec<[usize; 4]> {
        let mut blocks = Blocks::default();
        push(&mut blocks, volume, nodes);
        let all = blocks.nodes(Tetrahedron);
        let found = all.chunks_exact(4).map(|t| [t[0], t[1], t[2], t[3]]);
        found.collect()
    }

    fn measure(at: &[Vec3], [a, b, c, d]: [usize; 4]) -> f64 {
        let [b, c, d] = [b, c, d].map(|node| minus(at[node], at[a]));
        dot(cross(b, c), d) / 6.0
    }

    /// Numbers of nodes in an order that depends on the seed.
    fn shuffled(count: usize, seed: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by_key(|i| (i + 1) * (2 * seed + 1) * 7919 % 104_729);
        order
    }

    #[test]
    fn the_parts_fill_the_volume_and_use_every_node_whatever_their_numbers() {
        for (volume, corners, expected) in [
            (&HEXAHEDRON, &BOX[..], 1.0),
            (&WEDGE, &PRISM[..], 0.5),
            (&PYRAMID, &TENT[..], 1.0 / 3.0),
        ] {
            let places = places(volume, corners);
            for seed in 0..200 {
                let nodes = shuffled(places.len(), seed);
                let mut at = places.clone();
                nodes
                    .iter()
                    .zip(&places)
                    .for_each(|(node, place)| at[*node] = *place);
                let parts = tetrahedra(volume, &nodes);
                let measures: Vec<f64> = parts.iter().map(|t| measure(&at, *t)).collect();
                assert!(measures.iter().all(|m| *m > 1e-3), "{measures:?}");
                assert!((measures.iter().sum::<f64>() - expected).abs() < 1e-12);
                assert!((0..at.len()).all(|node| parts.as_flattened().contains(&node)));
            }
        }
    }

    /// Every triangle inside two neighbours belongs to two tetrahedra, also on their common face.
    #[test]
    fn neighbours_are_split_alike_on_the_face_between_them() {
        let left = places(&HEXAHEDRON, &BOX);
        let right: Vec<Vec3> = left.iter().map(|p| [p[0] + 1.0, p[1], p[2]]).collect();
        let mut at = left.clone();
        at.extend(right.iter().filter(|p| !left.contains(p)));
        for seed in 0..50 {
            let numbers = shuffled(at.len(), seed);
            let number = |p: &Vec3| numbers[at.iter().position(|q| q == p).unwrap()];
            let mut sides: HashMap<[usize; 3], usize> = HashMap::new();
            for places in [&left, &right] {
                let nodes: Vec<usize> = places.iter().map(number).collect();
                for [a, b, c, d] in tetrahedra(&HEXAHEDRON, &nodes) {
                    for mut side in [[a, b, c], [a, b, d], [a, c, d], [b, c, d]] {
                        side.sort_unstable();
                        *sides.entry(side).or_default() += 1;
                    }
                }
            }
            let place = |node: usize| at[numbers.iter().position(|n| *n == node).unwrap()];
            for (side, count) in sides {
                let all = |axis: usize, value: f64| side.iter().all(|n| place(*n)[axis] == value);
                let is_outside = all(0, 0.0)
                    || all(0, 2.0)
                    || (1..3).any(|axis| all(axis, 0.0) || all(axis, 1.0));
                assert_eq!(count, if is_outside { 1 } else { 2 }, "{side:?}");
            }
        }
    }
}
