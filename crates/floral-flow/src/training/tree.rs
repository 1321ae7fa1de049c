//! The tree that fixes the order of sums over blocks. It does not depend on the division of blocks
//! among ranks, so that sums have the same bits on any number of ranks.

use std::ops::Range;

use crate::Result;

/// The two halves of a node; none for a leaf, which is one block.
fn halves(node: &Range<usize>) -> Option<[Range<usize>; 2]> {
    let middle = node.start + node.len().div_ceil(2);
    (node.len() > 1).then_some([node.start..middle, middle..node.end])
}

/// The largest nodes of the tree over `count` blocks that lie within `part`, in order.
pub fn nodes_within(count: usize, part: &Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    descend(0..count, part, &mut found);
    found
}

fn descend(node: Range<usize>, part: &Range<usize>, found: &mut Vec<Range<usize>>) {
    if node.start >= part.end || node.end <= part.start {
        return;
    }
    match halves(&node) {
        Some(halves) if node.start < part.start || node.end > part.end => {
            halves
                .into_iter()
                .for_each(|half| descend(half, part, found));
        }
        _ => found.push(node),
    }
}

/// The sum over a node: `known` if it returns one, otherwise the sum of its halves, added by `add`.
/// Every leaf must be known.
pub fn sum<T>(
    node: &Range<usize>,
    known: &mut dyn FnMut(&Range<usize>) -> Result<Option<T>>,
    add: &dyn Fn(&mut T, T),
) -> Result<Option<T>> {
    if let Some(value) = known(node)? {
        return Ok(Some(value));
    }
    let Some([first, second]) = halves(node) else {
        return Ok(None);
    };
    let first = sum(&first, known, add)?;
    let second = sum(&second, known, add)?;
    Ok(match (first, second) {
        (Some(mut first), Some(second)) => {
            add(&mut first, second);
            Some(first)
        }
        (first, second) => first.or(second),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranks::share;

    /// The sum over a node as text, which shows its order.
    fn in_words(node: &Range<usize>) -> String {
        let mut leaf = |node: &Range<usize>| Ok((node.len() == 1).then(|| node.start.to_string()));
        let add = |a: &mut String, b: String| *a = format!("({a}+{b})");
        sum(node, &mut leaf, &add).unwrap().unwrap_or_default()
    }

    #[test]
    fn any_division_among_ranks_adds_in_the_same_order() {
        assert_eq!(in_words(&(0..5)), "(((0+1)+2)+(3+4))");
        for count in 1..20 {
            for size in 1..12 {
                let nodes: Vec<Range<usize>> = (0..size)
                    .flat_map(|rank| nodes_within(count, &share(count, rank, size)))
                    .collect();
                assert_eq!(nodes.iter().map(Range::len).sum::<usize>(), count);
                let mut known =
                    |node: &Range<usize>| Ok(nodes.contains(node).then(|| in_words(node)));
                let add = |a: &mut String, b: String| *a = format!("({a}+{b})");
                let found = sum(&(0..count), &mut known, &add).unwrap();
                assert_eq!(found.unwrap(), in_words(&(0..count)));
            }
        }
    }

    #[test]
    fn a_power_of_two_of_ranks_has_one_node_each() {
        for size in [1, 2, 4, 8] {
            for rank in 0..size {
                assert_eq!(nodes_within(8, &share(8, rank, size)).len(), 1);
            }
        }
    }
}
