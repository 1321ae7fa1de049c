//! Rectangles of grid nodes: cuts, nodes and surroundings.

use std::ops::Range;

/// The nodes with i in the first range (x) and j in the second (y), stored at i n + j.
#[derive(Clone)]
pub(super) struct Rectangle([Range<usize>; 2]);

// Cutting smaller rectangles saves little arithmetic and costs bookkeeping.
const LEAF_NODES: usize = 9;

impl Rectangle {
    /// The whole grid of n x n nodes.
    pub fn whole(n: usize) -> Self {
        Self([0..n, 0..n])
    }

    /// The two halves and the line of nodes between them; no halves and the whole if it is small.
    pub fn cut(&self) -> (Vec<Self>, Self) {
        let [x, y] = &self.0;
        let axis = usize::from(y.len() > x.len());
        let long = self.0[axis].clone();
        if x.len() * y.len() <= LEAF_NODES || long.len() < 3 {
            return (Vec::new(), self.clone());
        }
        let middle = long.start + long.len() / 2;
        let with = |range: Range<usize>| {
            let mut part = self.clone();
            part.0[axis] = range;
            part
        };
        let halves = vec![with(long.start..middle), with(middle + 1..long.end)];
        (halves, with(middle..middle + 1))
    }

    /// The nodes of the rectangle as indices into a grid of n x n, in ascending order.
    pub fn nodes(&self, n: usize) -> Vec<usize> {
        let [x, y] = self.0.clone();
        x.flat_map(|i| y.clone().map(move |j| i * n + j)).collect()
    }

    /// The nodes outside the rectangle that are adjacent to it, one side after the other.
    pub fn surroundings(&self, n: usize) -> Vec<usize> {
        let [x, y] = &self.0;
        let before = |range: &Range<usize>| range.start.saturating_sub(1)..range.start;
        let after = |range: &Range<usize>| range.end..(range.end + 1).min(n);
        let sides = [
            [before(x), y.clone()],
            [after(x), y.clone()],
            [x.clone(), before(y)],
            [x.clone(), after(y)],
        ];
        sides.map(|side| Self(side).nodes(n)).concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_and_their_line_make_the_whole() {
        let whole = Rectangle::whole(10);
        let (halves, line) = whole.cut();
        let mut nodes = line.nodes(10);
        nodes.extend(halves.iter().flat_map(|half| half.nodes(10)));
        nodes.sort_unstable();
        assert_eq!(nodes, whole.nodes(10));
    }

    #[test]
    fn surroundings_end_where_the_grid_ends() {
        assert!(Rectangle::whole(5).surroundings(5).is_empty());
        let corner = Rectangle([0..2, 3..5]);
        assert_eq!(corner.surroundings(5), [13, 14, 2, 7]);
    }
}
