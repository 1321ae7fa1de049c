//! Sums of gradients over the blocks of all ranks: each rank adds one segment of the weights, in
//! the tree of `tree.rs`, and sends the sum to all.

use std::borrow::Cow;
use std::ops::Range;

use rayon::prelude::*;

use super::tree::{nodes_within, sum};
use crate::Result;
use crate::ranks::{Ranks, share};

/// Values per task of an addition.
const TASK: usize = 1 << 16;

/// One array per weight.
pub type Arrays = Vec<Vec<f32>>;

/// Adds arrays to others of the same lengths.
pub fn add(sum: &mut Arrays, part: Arrays) {
    for (sum, part) in sum.iter_mut().zip(&part) {
        add_values(sum, part);
    }
}

fn add_values(sum: &mut [f32], part: &[f32]) {
    let tasks = sum.par_chunks_mut(TASK).zip(part.par_chunks(TASK));
    tasks.for_each(|(sum, part)| {
        for (sum, value) in sum.iter_mut().zip(part) {
            *sum += value;
        }
    });
}

/// The contribution of one rank to a step.
pub struct Own {
    /// The sums over the largest nodes within its blocks, in order.
    pub nodes: Vec<Arrays>,
    /// The loss of each of its blocks.
    pub losses: Vec<f32>,
    /// Whether this rank was asked to stop.
    pub stops: bool,
}

/// The result of a step, the same on all ranks.
pub struct All {
    /// The sum over all blocks.
    pub arrays: Arrays,
    /// The loss of each block.
    pub losses: Vec<f32>,
    /// Whether any rank was asked to stop.
    pub stops: bool,
}

/// How sums over blocks are divided among ranks.
pub struct Reduction<'a> {
    /// The ranks that share the blocks.
    pub ranks: &'a dyn Ranks,
    /// Number of blocks.
    pub blocks: usize,
    /// Number of values of each array.
    pub lengths: &'a [usize],
}

impl Reduction<'_> {
    /// The blocks of a rank.
    pub fn blocks_of(&self, rank: usize) -> Range<usize> {
        share(self.blocks, rank, self.ranks.size())
    }

    /// The largest nodes of the tree within the blocks of a rank.
    pub fn nodes_of(&self, rank: usize) -> Vec<Range<usize>> {
        nodes_within(self.blocks, &self.blocks_of(rank))
    }

    /// The range of values that a rank adds, counted through all arrays in sequence.
    fn segment(&self, rank: usize) -> Range<usize> {
        share(self.lengths.iter().sum(), rank, self.ranks.size())
    }

    /// Adds the contributions of all ranks by two exchanges: segments to the ranks that add them,
    /// then the sums to all.
    pub fn reduce(&self, mut own: Own) -> Result<All> {
        if self.ranks.size() == 1 {
            return Ok(All {
                arrays: own.nodes.pop().unwrap_or_default(),
                losses: own.losses,
                stops: own.stops,
            });
        }
        let mut message = self.summed_segment(own.nodes)?;
        message.extend_from_slice(&own.losses);
        message.push(f32::from(u8::from(own.stops)));
        let all = 0..self.ranks.size();
        let lengths: Vec<[usize; 2]> = all
            .map(|rank| [self.segment(rank).len(), self.blocks_of(rank).len()])
            .collect();
        let counts: Vec<usize> = lengths.iter().map(|[n, blocks]| n + blocks + 1).collect();
        let joined = self.ranks.join(message, &counts)?;
        let mut rest = joined.as_slice();
        let (mut segments, mut losses, mut stops) = (Vec::new(), Vec::new(), false);
        for [segment, blocks] in lengths {
            let (values, after) = rest.split_at(segment);
            let (of_blocks, after) = after.split_at(blocks);
            segments.push(values);
            losses.extend_from_slice(of_blocks);
            stops |= after[0] > 0.0;
            rest = &after[1..];
        }
        Ok(All {
            arrays: self.arrays(segments),
            losses,
            stops,
        })
    }

    /// The sum over all blocks for this rank's segment.
    fn summed_segment(&self, own: Vec<Arrays>) -> Result<Vec<f32>> {
        let size = self.ranks.size();
        let own_segment = self.segment(self.ranks.rank());
        let nodes: Vec<Vec<Range<usize>>> = (0..size).map(|rank| self.nodes_of(rank)).collect();
        let given: Vec<usize> = (0..size)
            .map(|rank| own.len() * self.segment(rank).len())
            .collect();
        let taken: Vec<usize> = nodes.iter().map(|n| n.len() * own_segment.len()).collect();
        let mut message = Vec::with_capacity(given.iter().sum());
        for rank in 0..size {
            for arrays in &own {
                copy(arrays, self.segment(rank), &mut message);
            }
        }
        drop(own);
        let parts = self.ranks.exchange(message, &given, &taken)?;
        let nodes = nodes.concat();
        let length = own_segment.len();
        let mut known = |node: &Range<usize>| {
            let place = nodes.iter().position(|known| known == node);
            Ok(place.map(|i| Cow::Borrowed(&parts[i * length..(i + 1) * length])))
        };
        let add = |sum: &mut Cow<[f32]>, part: Cow<[f32]>| add_values(sum.to_mut(), &part);
        let sum = sum(&(0..self.blocks), &mut known, &add)?;
        Ok(sum.unwrap_or_default().into_owned())
    }

    /// The arrays whose values, in sequence, make up these segments.
    fn arrays(&self, segments: Vec<&[f32]>) -> Arrays {
        let mut segments = segments.into_iter().filter(|segment| !segment.is_empty());
        let mut rest: &[f32] = &[];
        let arrays = self.lengths.iter().map(|&length| {
            let mut array = Vec::with_capacity(length);
            while array.len() < length {
                if rest.is_empty() {
                    rest = segments.next().expect("as many values as arrays have");
                }
                let (taken, after) = rest.split_at(rest.len().min(length - array.len()));
                array.extend_from_slice(taken);
                rest = after;
            }
            array
        });
        arrays.collect()
    }
}

/// Appends a range of values, counted through all arrays in sequence, to `out`.
fn copy(arrays: &Arrays, part: Range<usize>, out: &mut Vec<f32>) {
    let mut start = 0;
    for array in arrays {
        let end = start + array.len();
        let (from, to) = (part.start.max(start), part.end.min(end));
        if from < to {
            out.extend_from_slice(&array[from - start..to - start]);
        }
        start = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranks::Threads;

    /// Values whose sum depends on the order in which they are added.
    fn block(number: usize) -> Arrays {
        let value = |i: usize| ((i * 37 + number * 101) as f32).sin() * 10f32.powi(number as i32);
        vec![
            (0..5).map(value).collect(),
            Vec::new(),
            (5..18).map(value).collect(),
        ]
    }

    fn node_sum(node: &Range<usize>) -> Arrays {
        let mut leaf = |node: &Range<usize>| Ok((node.len() == 1).then(|| block(node.start)));
        let found = sum(node, &mut leaf, &|a: &mut Arrays, b| add(a, b));
        found.unwrap().unwrap()
    }

    #[test]
    fn any_number_of_ranks_adds_to_the_same_bits() {
        for blocks in [1, 3, 8] {
            let expected = node_sum(&(0..blocks));
            for size in [1, 2, 3, 4, 8, 20] {
                let ends = Threads::run(size, 1, |ranks| {
                    let reduction = Reduction {
                        ranks,
                        blocks,
                        lengths: &[5, 0, 13],
                    };
                    let own = reduction.blocks_of(ranks.rank());
                    let nodes = reduction.nodes_of(ranks.rank());
                    reduction.reduce(Own {
                        nodes: nodes.iter().map(node_sum).collect(),
                        losses: own.map(|block| block as f32).collect(),
                        stops: ranks.rank() == size - 1,
                    })
                });
                for end in ends {
                    let all = end.unwrap();
                    assert_eq!(all.arrays, expected, "{blocks} blocks, {size} ranks");
                    let losses: Vec<f32> = (0..blocks).map(|block| block as f32).collect();
                    assert_eq!(all.losses, losses);
                    assert!(all.stops);
                }
            }
        }
    }
}
