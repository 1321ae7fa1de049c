//! The drawable part of a mesh: triangles and edges.

use std::collections::BTreeMap;

use crate::Mesh;

/// Triangles and edges to draw, as indices of points.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surface {
    /// Triangles: all cells in two dimensions, the boundary faces in three. Quads are split.
    pub triangles: Vec<[usize; 3]>,
    /// The edges of these cells or faces, each once, lower index first, without the diagonals that
    /// split quads.
    pub edges: Vec<[usize; 2]>,
    /// The border of a surface: edges that belong to one cell only. Empty for a volume, whose
    /// boundary is closed. On a plane mesh the border runs counter-clockwise.
    pub border: Vec<[usize; 2]>,
}

impl Mesh {
    /// The triangles and edges of the mesh: of its cells if they are lines or surface cells, of its
    /// boundary faces if they are volume cells. Empty for a cloud.
    pub fn surface(&self) -> Surface {
        let faces = match self.dimension() {
            3 => self.boundary_faces(),
            _ => self
                .cells()
                .iter()
                .flat_map(|b| b.iter().map(<[usize]>::to_vec))
                .collect(),
        };
        let mut surface = Surface::default();
        let mut edges: BTreeMap<[usize; 2], (usize, [usize; 2])> = BTreeMap::new();
        for face in &faces {
            surface
                .triangles
                .extend((2..face.len()).map(|k| [face[0], face[k - 1], face[k]]));
            // A line has one edge; a face has as many as corners.
            let count = if face.len() == 2 { 1 } else { face.len() };
            for k in 0..count {
                let edge = [face[k], face[(k + 1) % face.len()]];
                let sorted = [edge[0].min(edge[1]), edge[0].max(edge[1])];
                edges.entry(sorted).or_insert((0, edge)).0 += 1;
            }
        }
        surface.edges = edges.keys().copied().collect();
        if self.dimension() == 2 {
            let single = edges.values().filter(|(count, _)| *count == 1);
            surface.border = single.map(|(_, edge)| *edge).collect();
        }
        surface
    }

    /// The faces that belong to one cell only, oriented outward, ordered by their sorted nodes.
    fn boundary_faces(&self) -> Vec<Vec<usize>> {
        let mut faces = Vec::new();
        for block in self.cells() {
            for cell in block.iter() {
                faces.extend(
                    block
                        .kind()
                        .faces()
                        .iter()
                        .map(|face| Face::new(cell, face)),
                );
            }
        }
        faces.sort_unstable_by_key(|face| face.sorted);
        let same = faces.chunk_by(|a, b| a.sorted == b.sorted);
        let single = same.filter(|group| group.len() == 1);
        single
            .map(|group| group[0].nodes[..group[0].count].to_vec())
            .collect()
    }
}

/// A face of three or four nodes.
struct Face {
    nodes: [usize; 4],
    count: usize,
    /// The nodes in increasing order, equal for both cells that share a face.
    sorted: [usize; 4],
}

impl Face {
    fn new(cell: &[usize], corners: &[usize]) -> Self {
        let node = |k: usize| corners.get(k).map_or(usize::MAX, |&corner| cell[corner]);
        let nodes = std::array::from_fn(node);
        let mut sorted = nodes;
        sorted.sort_unstable();
        let count = corners.len();
        Self {
            nodes,
            count,
            sorted,
        }
    }
}
