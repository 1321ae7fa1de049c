//! A tree of bounding boxes, which finds the simplices that may contain a point.

use crate::measure::Vec3;

/// Boxes per leaf.
const LEAF: usize = 8;

#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) low: Vec3,
    pub(crate) high: Vec3,
}

impl Bounds {
    pub(crate) fn of(points: &[Vec3]) -> Self {
        let (low, high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        points.iter().fold(Self { low, high }, |b, &p| {
            b.joined(Self { low: p, high: p })
        })
    }

    fn joined(self, other: Self) -> Self {
        Self {
            low: std::array::from_fn(|a| self.low[a].min(other.low[a])),
            high: std::array::from_fn(|a| self.high[a].max(other.high[a])),
        }
    }

    /// Enlarged on all sides by a share of the longest side, so that points on the border are
    /// inside.
    pub(crate) fn inflated(self, share: f64) -> Self {
        let sides = (0..3).map(|a| self.high[a] - self.low[a]);
        let by = share * sides.fold(0.0, f64::max);
        Self {
            low: self.low.map(|x| x - by),
            high: self.high.map(|x| x + by),
        }
    }

    fn contains(&self, x: Vec3) -> bool {
        (0..3).all(|a| self.low[a] <= x[a] && x[a] <= self.high[a])
    }

    fn middle(&self, axis: usize) -> f64 {
        0.5 * (self.low[axis] + self.high[axis])
    }
}

/// A node of the tree: a range of `items`, which its two children halve.
struct Node {
    bounds: Bounds,
    start: usize,
    end: usize,
    /// Index of the second child (the first child is the next node); none for a leaf.
    second: Option<usize>,
}

/// A tree of boxes.
pub(crate) struct BoxTree {
    nodes: Vec<Node>,
    boxes: Vec<Bounds>,
    items: Vec<usize>,
}

impl BoxTree {
    pub(crate) fn new(boxes: Vec<Bounds>) -> Self {
        let items = (0..boxes.len()).collect();
        let mut tree = Self {
            nodes: Vec::new(),
            boxes,
            items,
        };
        if !tree.items.is_empty() {
            tree.build(0, tree.items.len());
        }
        tree
    }

    fn build(&mut self, start: usize, end: usize) {
        let boxes = &self.boxes;
        let range = &mut self.items[start..end];
        let bounds = range.iter().map(|&i| boxes[i]).reduce(Bounds::joined);
        let bounds = bounds.expect("a range of the tree is not empty");
        let at = self.nodes.len();
        let second = None;
        if end - start > LEAF {
            let side = |a: usize| bounds.high[a] - bounds.low[a];
            let axis = (0..3)
                .max_by(|&a, &b| side(a).total_cmp(&side(b)))
                .unwrap_or(0);
            let half = range.len() / 2;
            range.select_nth_unstable_by(half, |&i, &j| {
                boxes[i]
                    .middle(axis)
                    .total_cmp(&boxes[j].middle(axis))
                    .then(i.cmp(&j))
            });
            self.nodes.push(Node {
                bounds,
                start,
                end,
                second,
            });
            self.build(start, start + half);
            self.nodes[at].second = Some(self.nodes.len());
            self.build(start + half, end);
        } else {
            self.nodes.push(Node {
                bounds,
                start,
                end,
                second,
            });
        }
    }

    /// Indices of the boxes that contain a point.
    pub(crate) fn containing(&self, x: Vec3) -> impl Iterator<Item = usize> {
        let mut open: Vec<usize> = (!self.nodes.is_empty()).then_some(0).into_iter().collect();
        let mut found: Vec<usize> = Vec::new();
        while let Some(at) = open.pop() {
            let node = &self.nodes[at];
            if !node.bounds.contains(x) {
                continue;
            }
            if let Some(second) = node.second {
                open.extend([at + 1, second]);
            } else {
                found.extend(&self.items[node.start..node.end]);
            }
        }
        found
            .into_iter()
            .filter(move |&i| self.boxes[i].contains(x))
    }
}
