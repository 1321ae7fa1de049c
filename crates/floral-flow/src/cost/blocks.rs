//! Numbers of samples that are computed together, in training and in sampling.

/// Most grid values in a training block; bounds the memory of the backward pass.
const BLOCK_VALUES: usize = 32 * 128 * 128;

/// Fewest samples, and fewest grid values, that keep the processors busy. A step has as many blocks
/// for ranks to share as stay above both.
pub const LEAST_ROWS: usize = 4;
const LEAST_VALUES: usize = LEAST_ROWS * 64 * 64;

/// Samples per training block on a grid of this many points, if the device has room for them.
pub fn block_rows(points: usize) -> usize {
    (BLOCK_VALUES / points.max(1)).clamp(1, 64)
}

/// Number of blocks for a step of `batch` samples on a device that takes `rows` samples at a time.
pub fn step_blocks(batch: usize, points: usize, rows: usize) -> usize {
    let fit = batch.div_ceil(rows.max(1));
    let large = (batch / LEAST_ROWS).min(batch * points / LEAST_VALUES);
    fit.max(large).clamp(1, batch.max(1))
}

/// Grid values in a sampling block: keeps its hidden layers within tens of megabytes.
pub const SAMPLING_VALUES: usize = 8 * 64 * 64;

/// Realizations per sampling block on a grid of this many points.
///
/// It depends on the grid alone: matrix products round differently for other block sizes, and a
/// realization must have the same bits for any number of realizations and threads.
pub fn sampling_block_rows(points: usize) -> usize {
    (SAMPLING_VALUES / points.max(1)).clamp(1, 64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_has_several_blocks_where_grid_and_batch_are_large_enough() {
        let cases = [
            (32, 64 * 64, 8),
            (32, 128, 1),
            (6, 128 * 128, 1),
            (8, 128 * 128, 2),
            (512, 128 * 128, 128),
            (0, 128 * 128, 1),
        ];
        for (batch, points, blocks) in cases {
            let found = step_blocks(batch, points, block_rows(points));
            assert_eq!(found, blocks, "{batch} on {points}");
        }
        // A device with less room needs more blocks.
        assert_eq!(step_blocks(32, 64 * 64, 2), 16);
    }
}
