//! Kinds of cells: their nodes, corners and faces.
//!
//! The nodes of a cell are in the order of VTK, Gmsh and meshio.

/// The shape of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CellKind {
    /// A line of two nodes.
    Line,
    /// A triangle of three nodes.
    Triangle,
    /// A quadrilateral of four nodes, in order around its border.
    Quad,
    /// A tetrahedron of four nodes.
    Tetrahedron,
    /// A hexahedron of eight nodes: a quadrilateral, then the opposite one.
    Hexahedron,
    /// A wedge of six nodes: a triangle, then the opposite one.
    Wedge,
    /// A pyramid of five nodes: a quadrilateral, then the apex.
    Pyramid,
}

impl CellKind {
    /// Every kind, lines first.
    pub const ALL: [Self; 7] = [
        Self::Line,
        Self::Triangle,
        Self::Quad,
        Self::Tetrahedron,
        Self::Hexahedron,
        Self::Wedge,
        Self::Pyramid,
    ];

    /// The number of nodes of a cell.
    pub fn nodes(self) -> usize {
        match self {
            Self::Line => 2,
            Self::Triangle => 3,
            Self::Quad | Self::Tetrahedron => 4,
            Self::Pyramid => 5,
            Self::Wedge => 6,
            Self::Hexahedron => 8,
        }
    }

    /// The topological dimension: 1 for lines, 2 for surface cells, 3 for volume cells.
    pub fn dimension(self) -> usize {
        match self {
            Self::Line => 1,
            Self::Triangle | Self::Quad => 2,
            _ => 3,
        }
    }

    /// The name in messages and in meshio: `line`, `triangle`, `quad`, `tetra`, `hexahedron`,
    /// `wedge`, `pyramid`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Line => "line",
            Self::Triangle => "triangle",
            Self::Quad => "quad",
            Self::Tetrahedron => "tetra",
            Self::Hexahedron => "hexahedron",
            Self::Wedge => "wedge",
            Self::Pyramid => "pyramid",
        }
    }

    /// The kind with this [`name`](Self::name).
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The node at each corner of a line, square or cube.
    ///
    /// Every cell is one of these three, possibly with coinciding corners: a triangle is a square
    /// whose last two corners are the same node. A single quadrature thus serves all kinds.
    pub(crate) fn corners(self) -> &'static [usize] {
        match self {
            Self::Line => &[0, 1],
            Self::Triangle => &[0, 1, 2, 2],
            Self::Quad => &[0, 1, 2, 3],
            Self::Tetrahedron => &[0, 1, 2, 2, 3, 3, 3, 3],
            Self::Hexahedron => &[0, 1, 2, 3, 4, 5, 6, 7],
            Self::Wedge => &[0, 1, 2, 2, 3, 4, 5, 5],
            Self::Pyramid => &[0, 1, 2, 3, 4, 4, 4, 4],
        }
    }

    /// The order of nodes that mirrors a cell: same shape, opposite orientation.
    pub(crate) fn mirrored(self) -> &'static [usize] {
        match self {
            Self::Line => &[1, 0],
            Self::Triangle => &[0, 2, 1],
            Self::Quad => &[0, 3, 2, 1],
            Self::Tetrahedron => &[0, 2, 1, 3],
            Self::Hexahedron => &[0, 3, 2, 1, 4, 7, 6, 5],
            Self::Wedge => &[0, 2, 1, 3, 5, 4],
            Self::Pyramid => &[0, 3, 2, 1, 4],
        }
    }

    /// The faces of a volume cell, oriented outward.
    pub(crate) fn faces(self) -> &'static [&'static [usize]] {
        match self {
            Self::Line | Self::Triangle | Self::Quad => &[],
            Self::Tetrahedron => &[&[0, 2, 1], &[0, 1, 3], &[1, 2, 3], &[0, 3, 2]],
            Self::Hexahedron => &[
                &[0, 3, 2, 1],
                &[4, 5, 6, 7],
                &[0, 1, 5, 4],
                &[1, 2, 6, 5],
                &[2, 3, 7, 6],
                &[3, 0, 4, 7],
            ],
            Self::Wedge => &[
                &[0, 2, 1],
                &[3, 4, 5],
                &[0, 1, 4, 3],
                &[1, 2, 5, 4],
                &[2, 0, 3, 5],
            ],
            Self::Pyramid => &[
                &[0, 3, 2, 1],
                &[0, 1, 4],
                &[1, 2, 4],
                &[2, 3, 4],
                &[3, 0, 4],
            ],
        }
    }
}
