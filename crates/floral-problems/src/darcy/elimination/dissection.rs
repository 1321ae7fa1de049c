//! Nested dissection of a square grid: the order in which nodes are eliminated, front by front.
//!
//! A rectangle is cut along its middle line. The halves are eliminated first, each leaving a dense
//! coupling of the surrounding nodes, and then the line. The plan depends on the grid alone.

use super::join::Join;
use super::rectangle::Rectangle;

/// George (1973), "Nested dissection of a regular finite element mesh": O(n^3) operations and
/// O(n^2 log n) stored numbers for n x n nodes.
pub struct Dissection {
    /// All fronts, each after its halves; the last one holds the node that is never eliminated.
    pub fronts: Vec<Front>,
    /// Nodes per side of the grid.
    pub n: usize,
}

/// Nodes to eliminate together, and the remaining nodes that they couple.
pub struct Front {
    /// The pivots, then the boundary, as indices into the grid.
    pub nodes: Vec<usize>,
    /// Number of nodes eliminated here.
    pub pivots: usize,
    /// Number of nodes whose right-hand sides start here: the pivots, or all nodes in the last
    /// front.
    pub own: usize,
    /// Number of rectangles that contain this one.
    pub depth: usize,
    /// Whether this is the first or second half (0 or 1) of the innermost of them.
    pub side: usize,
    /// Matrix entries that first appear in this front.
    pub entries: Vec<Entry>,
    /// How the fronts of the two halves join, if the rectangle is cut.
    pub halves: Vec<Join>,
}

/// An off-diagonal entry of the matrix and its position in a front.
pub struct Entry {
    pub row: usize,
    pub column: usize,
    /// The node whose equation contains the entry.
    pub node: usize,
    /// Direction from that node to the node of the column.
    pub direction: usize,
}

/// Right-hand sides carried through the elimination: the source and the border.
const RIGHT_HAND_SIDES: usize = 2;

/// Positions of nodes in the current front.
type Places = Vec<Option<usize>>;

impl Front {
    /// Number of equations.
    pub fn height(&self) -> usize {
        self.nodes.len()
    }

    /// Number of columns, the right-hand sides last.
    pub fn width(&self) -> usize {
        self.nodes.len() + RIGHT_HAND_SIDES
    }

    /// The nodes that remain coupled after the elimination.
    pub fn boundary(&self) -> &[usize] {
        &self.nodes[self.pivots..]
    }
}

impl Dissection {
    /// The plan for n x n nodes.
    pub fn new(n: usize) -> Self {
        let mut plan = Self {
            fronts: Vec::new(),
            n,
        };
        let mut places = vec![None; n * n];
        plan.dissect(&Rectangle::whole(n), [0, 0], &mut places);
        plan
    }

    /// Number of values in the upper triangles and right-hand sides of all fronts.
    pub fn stored(&self) -> usize {
        let rows = |front: &Front| {
            (0..front.pivots)
                .map(|row| front.width() - row)
                .sum::<usize>()
        };
        self.fronts.iter().map(rows).sum()
    }

    /// Largest depth of a front.
    pub fn depth(&self) -> usize {
        let depths = self.fronts.iter().map(|front| front.depth);
        depths.max().unwrap_or(0)
    }

    /// Plans the elimination of a rectangle; returns the index of its front.
    fn dissect(
        &mut self,
        all: &Rectangle,
        [depth, side]: [usize; 2],
        places: &mut Places,
    ) -> usize {
        let (halves, separator) = all.cut();
        let halves: Vec<usize> = (0..halves.len())
            .map(|side| self.dissect(&halves[side], [depth + 1, side], places))
            .collect();
        let mut nodes = separator.nodes(self.n);
        let own = nodes.len();
        nodes.extend(all.surroundings(self.n));
        // The whole grid has no surroundings; its last node stays, because the matrix is singular.
        let pivots = own.min(nodes.len() - 1);
        for (place, &node) in nodes.iter().enumerate() {
            places[node] = Some(place);
        }
        let front = Front {
            entries: entries(self.n, &nodes, pivots, places),
            halves: halves
                .iter()
                .map(|&half| self.join(half, nodes.len(), places))
                .collect(),
            nodes,
            pivots,
            own,
            depth,
            side,
        };
        for &node in &front.nodes {
            places[node] = None;
        }
        self.fronts.push(front);
        self.fronts.len() - 1
    }

    fn join(&self, half: usize, height: usize, places: &Places) -> Join {
        let boundary = self.fronts[half].boundary().iter();
        let mut columns: Vec<usize> = boundary.filter_map(|&node| places[node]).collect();
        columns.extend(height..height + RIGHT_HAND_SIDES);
        Join::new(&columns, height)
    }
}

/// The entries that couple the pivots with each other and with the boundary, in both directions.
fn entries(n: usize, nodes: &[usize], pivots: usize, places: &Places) -> Vec<Entry> {
    let mut entries = Vec::new();
    for (row, &node) in nodes[..pivots].iter().enumerate() {
        for direction in 0..4 {
            let other = neighbour(n, node, direction);
            let Some((other, column)) = other.and_then(|o| Some((o, places[o]?))) else {
                continue;
            };
            entries.push(Entry {
                row,
                column,
                node,
                direction,
            });
            if column >= pivots {
                entries.push(Entry {
                    row: column,
                    column: row,
                    node: other,
                    direction: direction ^ 1,
                });
            }
        }
    }
    entries
}

/// The neighbour at x - h, x + h, y - h or y + h, for directions 0 to 3, if it is on the grid.
pub fn neighbour(n: usize, node: usize, direction: usize) -> Option<usize> {
    let (i, j) = (node / n, node % n);
    match direction {
        0 => (i > 0).then(|| node - n),
        1 => (i + 1 < n).then(|| node + n),
        2 => (j > 0).then(|| node - 1),
        _ => (j + 1 < n).then(|| node + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_but_one_is_eliminated_once() {
        for n in [2, 3, 7, 16, 33] {
            let plan = Dissection::new(n);
            let pivots = |front: &Front| front.nodes[..front.pivots].to_vec();
            let mut order: Vec<usize> = plan.fronts.iter().flat_map(pivots).collect();
            order.extend(plan.fronts.last().unwrap().boundary());
            order.sort_unstable();
            assert_eq!(order, (0..n * n).collect::<Vec<_>>(), "n = {n}");
        }
    }

    #[test]
    fn every_coupling_of_neighbours_appears_once() {
        let n = 13;
        let plan = Dissection::new(n);
        let entries = plan.fronts.iter().flat_map(|front| &front.entries);
        let mut couplings: Vec<_> = entries.map(|e| (e.node, e.direction)).collect();
        let count = couplings.len();
        couplings.sort_unstable();
        couplings.dedup();
        assert_eq!(couplings.len(), count);
        assert_eq!(count, 4 * n * (n - 1));
    }

    #[test]
    fn a_half_leaves_only_nodes_that_the_whole_holds() {
        let mut waiting: Vec<usize> = Vec::new();
        for front in &Dissection::new(24).fronts {
            for half in front.halves.iter().rev() {
                let boundary = waiting.pop().unwrap();
                assert_eq!(half.rows.iter().flatten().count(), boundary);
            }
            waiting.push(front.boundary().len());
        }
        assert_eq!(waiting, [1]);
    }
}
