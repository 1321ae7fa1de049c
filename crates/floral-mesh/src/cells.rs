//! Cells of one kind, as the indices of their nodes.

use crate::{CellKind, Error};

/// Cells of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cells {
    kind: CellKind,
    nodes: Vec<usize>,
}

impl Cells {
    /// Cells from the indices of their nodes, [cells, nodes of the kind], one cell after another.
    ///
    /// # Errors
    /// If the last cell is incomplete. [`Mesh::new`](crate::Mesh::new) checks whether the nodes
    /// exist.
    pub fn new(kind: CellKind, nodes: Vec<usize>) -> Result<Self, Error> {
        if !nodes.len().is_multiple_of(kind.nodes()) {
            let numbers = nodes.len();
            return Err(Error::Nodes { kind, numbers });
        }
        Ok(Self { kind, nodes })
    }

    /// The kind of all of these cells.
    pub fn kind(&self) -> CellKind {
        self.kind
    }

    /// The number of cells.
    pub fn count(&self) -> usize {
        self.nodes.len() / self.kind.nodes()
    }

    /// The indices of the nodes, [cells, nodes of the kind].
    pub fn nodes(&self) -> &[usize] {
        &self.nodes
    }

    /// The nodes of each cell.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[usize]> {
        self.nodes.chunks_exact(self.kind.nodes())
    }

    /// Reverses the orientation of one cell.
    pub(crate) fn mirror(&mut self, cell: usize) {
        let count = self.kind.nodes();
        let nodes = &mut self.nodes[cell * count..][..count];
        let old = nodes.to_vec();
        for (node, &from) in nodes.iter_mut().zip(self.kind.mirrored()) {
            *node = old[from];
        }
    }

    /// A copy without some of the cells; `left_out` is in increasing order.
    pub(crate) fn without(&self, left_out: &[usize]) -> Self {
        let kept = self
            .iter()
            .enumerate()
            .filter(|(cell, _)| left_out.binary_search(cell).is_err());
        Self {
            kind: self.kind,
            nodes: kept.flat_map(|(_, nodes)| nodes).copied().collect(),
        }
    }

    /// The same cells after their points were renumbered.
    pub(crate) fn renumbered(mut self, new_index: &[usize]) -> Self {
        self.nodes.iter_mut().for_each(|n| *n = new_index[*n]);
        self
    }
}
