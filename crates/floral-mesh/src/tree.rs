//! Nearest points by a k-d tree.

use std::num::NonZero;

use kiddo::{ImmutableKdTree, SquaredEuclidean};

use crate::Points;
use crate::measure::Vec3;

/// A point found by a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Near {
    pub(crate) point: usize,
    pub(crate) distance: f64,
}

/// A k-d tree of points.
pub(crate) struct Tree {
    tree: ImmutableKdTree<f64, 3>,
    count: usize,
}

impl Tree {
    pub(crate) fn new(points: &Points) -> Self {
        let tree = ImmutableKdTree::new_from_slice(points.rows())
            .expect("points are finite and at least one");
        Self {
            tree,
            count: points.count(),
        }
    }

    /// The k nearest points, or all points if there are fewer, nearest first.
    pub(crate) fn nearest(&self, x: Vec3, k: usize) -> Vec<Near> {
        let k = NonZero::new(k.min(self.count)).unwrap_or(NonZero::<usize>::MIN);
        let found = self
            .tree
            .query(&x)
            .nearest_n::<SquaredEuclidean<f64>>(k)
            .execute();
        found
            .iter()
            .map(|f| near(f.item as usize, f.distance))
            .collect()
    }

    /// The points within a radius, nearest first.
    pub(crate) fn within(&self, x: Vec3, radius: f64) -> Vec<Near> {
        let found = self
            .tree
            .query(&x)
            .within::<SquaredEuclidean<f64>>(radius * radius)
            .execute();
        found
            .iter()
            .map(|f| near(f.item as usize, f.distance))
            .collect()
    }

    /// The k nearest points and all others at the distance of the last, nearest first.
    ///
    /// A choice among points at equal distance would depend on their order and be one-sided.
    pub(crate) fn nearest_with_ties(&self, x: Vec3, k: usize) -> Vec<Near> {
        let last = self.nearest(x, k).last().map_or(0.0, |n| n.distance);
        self.within(x, last * (1.0 + 1e-9))
    }
}

fn near(point: usize, squared: f64) -> Near {
    Near {
        point,
        distance: squared.sqrt(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_at_equal_distance_are_all_found() {
        let lattice: Vec<f64> = (0..400)
            .flat_map(|i| [f64::from(i % 20), f64::from(i / 20)])
            .collect();
        let tree = Tree::new(&Points::new(&lattice, 2).unwrap());
        assert_eq!(tree.nearest_with_ties([7.0, 7.0, 0.0], 2).len(), 5);
        assert_eq!(tree.nearest_with_ties([7.0, 7.0, 0.0], 6).len(), 9);
        assert_eq!(tree.nearest([0.0; 3], 1000).len(), 400);
    }
}
