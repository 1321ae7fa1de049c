//! Points and cells of grids.

use crate::Error;
use crate::cell::CellKind;
use crate::error::format;
use crate::file::raw::Raw;

/// Most points per byte of the file: a larger grid cannot come with data.
const POINTS_PER_BYTE: usize = 64;

/// The number of points of a grid; refused if it is too large for its file.
pub(crate) fn count(sizes: [usize; 3], bytes: usize) -> Result<usize, Error> {
    let count = sizes
        .iter()
        .try_fold(1usize, |n, &size| n.checked_mul(size));
    let most = bytes
        .saturating_mul(POINTS_PER_BYTE)
        .saturating_add(1 << 16);
    match count {
        Some(0) => Err(format(format!("a grid of {sizes:?} points has none"))),
        Some(count) if count <= most => Ok(count),
        _ => Err(format(format!(
            "a grid of {sizes:?} points does not fit a file of {bytes} bytes; it is damaged"
        ))),
    }
}

/// Adds the points of a grid with these axes, the first running fastest.
pub(crate) fn push_points(raw: &mut Raw, axes: &[Vec<f64>; 3]) {
    for &z in &axes[2] {
        for &y in &axes[1] {
            raw.points.extend(axes[0].iter().flat_map(|&x| [x, y, z]));
        }
    }
}

/// Adds the cells of a grid: lines, quads or hexahedra, depending on how many axes have two points
/// or more. `first` is the index of its first point.
pub(crate) fn push_cells(raw: &mut Raw, sizes: [usize; 3], first: usize) {
    let strides = [1, sizes[0], sizes[0] * sizes[1]];
    let long: Vec<usize> = (0..3).filter(|&axis| sizes[axis] > 1).collect();
    let kind = match long.len() {
        0 => return,
        1 => CellKind::Line,
        2 => CellKind::Quad,
        _ => CellKind::Hexahedron,
    };
    let corners: Vec<usize> = [0, 1, 3, 2, 4, 5, 7, 6][..kind.nodes()]
        .iter()
        .map(|corner| {
            let far = long
                .iter()
                .enumerate()
                .filter(|(bit, _)| corner >> bit & 1 == 1);
            far.map(|(_, &axis)| strides[axis]).sum()
        })
        .collect();
    let cells = sizes.map(|size| size.saturating_sub(1).max(1));
    for k in 0..cells[2] {
        for j in 0..cells[1] {
            for i in 0..cells[0] {
                let origin = first + i + j * strides[1] + k * strides[2];
                raw.cells
                    .push(kind, corners.iter().map(|corner| origin + corner));
            }
        }
    }
}
