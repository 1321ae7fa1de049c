//! The samples of each step: a permutation per epoch, from the seed and the number of the epoch.

use rand::RngExt;

use crate::random::{Purpose, stream};

/// The samples 0..count in the order of an epoch.
pub fn shuffled(seed: u64, epoch: usize, count: usize) -> Vec<usize> {
    let mut rng = stream(seed, Purpose::Shuffle, epoch as u64, 0);
    let mut order: Vec<usize> = (0..count).collect();
    // Fisher & Yates, written out: a library's shuffle may change with its version.
    for i in (1..count).rev() {
        order.swap(i, rng.random_range(0..=i));
    }
    order
}

/// The samples of one step, sorted so that those of one input are adjacent and share a context.
pub fn batch(order: &[usize], size: usize, step: usize) -> Vec<usize> {
    let start = step * size;
    let mut batch = order[start..(start + size).min(order.len())].to_vec();
    batch.sort_unstable();
    batch
}

/// Steps in an epoch of this many samples.
pub fn steps(samples: usize, size: usize) -> usize {
    samples.div_ceil(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_epoch_takes_every_sample_once_in_an_order_of_its_own() {
        let order = shuffled(3, 0, 103);
        let mut taken: Vec<usize> = (0..steps(103, 32))
            .flat_map(|s| batch(&order, 32, s))
            .collect();
        taken.sort_unstable();
        assert_eq!(taken, (0..103).collect::<Vec<_>>());
        assert_eq!(order, shuffled(3, 0, 103));
        assert_ne!(order, shuffled(3, 1, 103));
        assert_ne!(order, shuffled(4, 0, 103));
    }
}
