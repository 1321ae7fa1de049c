//! The row of shared coefficients that each sample of a batch uses.

/// For each tile of each row: the parts of the samples that use this row, in their order.
///
/// One unit of work is one tile of one row, so that one thread sums over the samples of a row, in
/// one order. values: \[sample, ...\], cut into tiles of `tile` values each.
pub fn by_row<'a>(
    values: &'a mut [f32],
    rows: &[usize],
    row_count: usize,
    tile: usize,
) -> Vec<Vec<(usize, &'a mut [f32])>> {
    let size = values.len() / rows.len().max(1);
    let tiles = size.div_ceil(tile.max(1));
    let mut units: Vec<Vec<_>> = (0..row_count * tiles).map(|_| Vec::new()).collect();
    let samples = values.chunks_mut(size.max(1)).zip(rows);
    for (sample, (values, &row)) in samples.enumerate() {
        for (i, part) in values.chunks_mut(tile).enumerate() {
            units[row * tiles + i].push((sample, part));
        }
    }
    units
}
