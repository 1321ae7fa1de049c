//! The neighbours of each point.

use crate::measure::{minus, norm};
use crate::tree::Tree;
use crate::weights::nearest_count;
use crate::{Mesh, Sparse};

impl Mesh {
    /// The neighbours of every point, [n, n]: row i has an entry |x_i - x_j| for each neighbour j.
    ///
    /// With cells, neighbours are points that share a cell. Without cells, they are the nearest
    /// points (8 in the plane, 18 in space, and all others at the same distance as the last), made
    /// symmetric. The matrix has no diagonal and does not depend on the order of points or cells.
    pub fn neighbours(&self) -> Sparse {
        let mut near = vec![Vec::new(); self.points().count()];
        if self.cells().is_empty() {
            self.join_nearest(&mut near);
        } else {
            self.join_cells(&mut near);
        }
        let rows = self.points().rows();
        let distances = near.into_iter().enumerate().map(|(i, mut row)| {
            row.sort_unstable();
            row.dedup();
            let entry = |j| (j, norm(minus(rows[i], rows[j])));
            row.into_iter().map(entry).collect()
        });
        Sparse::from_rows(rows.len(), distances)
    }

    fn join_cells(&self, near: &mut [Vec<usize>]) {
        for nodes in self.cells().iter().flat_map(crate::Cells::iter) {
            for &i in nodes {
                near[i].extend(nodes.iter().filter(|&&j| j != i));
            }
        }
    }

    fn join_nearest(&self, near: &mut [Vec<usize>]) {
        let points = self.points();
        let tree = Tree::new(points);
        let k = nearest_count(points.dimension()) + 1;
        for (i, &x) in points.rows().iter().enumerate() {
            for j in tree.nearest_with_ties(x, k).iter().map(|n| n.point) {
                if j != i {
                    near[i].push(j);
                    near[j].push(i);
                }
            }
        }
    }
}
