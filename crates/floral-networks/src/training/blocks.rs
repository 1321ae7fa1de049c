//! Number of samples that a device processes at a time.
//!
//! On the processor, blocks depend on the grid alone (`block_rows`, `sampling_block_rows`), so that
//! results have the same bits everywhere. A graphics card uses blocks of the same size as in
//! training on the processor unless its buffers or its memory are too small: its operations are
//! Burn's own, and each allocates its result.

use floral_flow::cost::arithmetic::Sizes;
use floral_flow::cost::sampling_block_rows;

use crate::device::{Adapter, Device, adapter_of};
use crate::operator::Backbone;

const BYTES: f64 = 4.0;

/// Hidden-channel fields that a layer of composed operations keeps for its backward pass.
const LAYER_FIELDS: f64 = 24.0;

/// The same for lifting and projection, whose hidden layers are four times as wide.
const MLP_FIELDS: f64 = 64.0;

/// The share of a card's memory that a block may take; the rest is left for other uses.
const SHARE: f64 = 0.5;

/// Samples per training block on this device.
pub fn training_rows(network: &Backbone, grid: &[usize], device: &Device) -> usize {
    let rows = network.block_rows(grid.iter().product());
    match adapter_of(device) {
        Some(adapter) => rows.min(fitting(network, grid, &adapter)),
        None => rows,
    }
}

/// Realizations per sampling block on this device.
pub fn sampling_rows(network: &Backbone, grid: &[usize], device: &Device) -> usize {
    match adapter_of(device) {
        Some(_) => training_rows(network, grid, device),
        None => sampling_block_rows(grid.iter().product()),
    }
}

/// Number of samples whose widest tensor fits into a buffer and whose backward pass fits into the
/// memory, if its size is known.
fn fitting(network: &Backbone, grid: &[usize], adapter: &Adapter) -> usize {
    let (values, widest, fields) = match network {
        Backbone::Fno(sizes) => {
            let s = Sizes::new(sizes, grid);
            let widest = (4.0 * s.hidden).max(s.film);
            let fields = s.layers * LAYER_FIELDS + MLP_FIELDS;
            (s.points * s.hidden, s.points * widest, fields)
        }
        Backbone::Slices(sizes) => {
            let points = grid.iter().product::<usize>() as f64;
            let hidden = sizes.hidden_channels.max(sizes.heads * sizes.slices) as f64;
            let fields = sizes.layers as f64 * LAYER_FIELDS + MLP_FIELDS;
            let widest = (4.0 * hidden).max(sizes.film_channels as f64);
            (points * hidden, points * widest, fields)
        }
    };
    let by_buffer = adapter.largest_buffer as f64 / (BYTES * widest);
    let by_memory = adapter.memory.map_or(f64::INFINITY, |memory| {
        SHARE * memory as f64 / (BYTES * values * fields)
    });
    (by_buffer.min(by_memory) as usize).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use floral_flow::cost::block_rows;
    use floral_flow::network::FilmFnoConfig;

    fn rows(largest_buffer: u64, memory: Option<u64>) -> usize {
        let network = Backbone::Fno(FilmFnoConfig::new(1, 1, 2, vec![64, 64]));
        let adapter = Adapter {
            name: "a card".into(),
            largest_buffer,
            memory,
        };
        fitting(&network, &[128, 128], &adapter)
    }

    #[test]
    fn a_block_fits_the_largest_buffer_and_the_memory() {
        // 128 x 128 points of 4 x 64 channels are 16 MiB.
        assert_eq!(rows(1 << 27, None), 8);
        assert_eq!(rows(1 << 20, None), 1);
        assert!(rows(1 << 40, Some(8 << 30)) < rows(1 << 40, Some(16 << 30)));
    }

    #[test]
    fn the_processor_takes_blocks_of_the_grid_alone() {
        let network = Backbone::Fno(FilmFnoConfig::new(1, 1, 2, vec![32, 32]));
        let device = Device::flex();
        let points = 64 * 64;
        assert_eq!(
            training_rows(&network, &[64, 64], &device),
            block_rows(points)
        );
        assert_eq!(
            sampling_rows(&network, &[64, 64], &device),
            sampling_block_rows(points)
        );
    }
}
