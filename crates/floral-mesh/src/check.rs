//! Conditions that points and cells must satisfy to form a mesh.

use crate::cell::CellKind;
use crate::cells::Cells;
use crate::measure::{Quadrature, minus, norm};
use crate::points::corners;
use crate::{Error, Points};

/// A measure below this fraction of h^t is roundoff, with h the longest distance between two nodes.
const ROUNDOFF: f64 = 1e-14;

/// Keeps the blocks of the highest topological dimension.
///
/// Gmsh and other programs store the boundary of a domain as cells of one dimension less. Returns
/// the cells of the domain and the number of cells left out.
pub fn highest_dimension(cells: Vec<Cells>) -> (Vec<Cells>, usize) {
    let highest = cells.iter().map(|b| b.kind().dimension()).max();
    let (kept, dropped): (Vec<_>, Vec<_>) = cells
        .into_iter()
        .partition(|block| Some(block.kind().dimension()) == highest);
    (kept, dropped.iter().map(Cells::count).sum())
}

/// The order of the points by their coordinates; refuses coinciding points.
pub(crate) fn distinct(points: &Points) -> Result<Vec<usize>, Error> {
    let rows = points.rows();
    let mut order: Vec<usize> = (0..rows.len()).collect();
    let compare = |&a: &usize, &b: &usize| {
        (0..3)
            .map(|axis| rows[a][axis].total_cmp(&rows[b][axis]))
            .find(|o| o.is_ne())
            .unwrap_or(a.cmp(&b))
    };
    order.sort_unstable_by(compare);
    let equal = order.windows(2).filter(|p| rows[p[0]] == rows[p[1]]);
    match equal.map(|p| (p[1], p[0])).min() {
        Some((second, first)) => Err(Error::DuplicatePoints { first, second }),
        None => Ok(order),
    }
}

/// Lines between consecutive points.
pub(crate) fn lines_along(order: &[usize]) -> Result<Cells, Error> {
    let nodes = order.windows(2).flatten().copied().collect();
    Cells::new(CellKind::Line, nodes)
}

/// Refuses cells of different dimensions, or of a higher dimension than the points.
pub(crate) fn dimensions(points: &Points, cells: &[Cells]) -> Result<(), Error> {
    for block in cells {
        let (first, kind) = (cells[0].kind(), block.kind());
        if kind.dimension() > points.dimension() {
            let dimension = points.dimension();
            return Err(Error::CellDimension { kind, dimension });
        }
        if kind.dimension() != first.dimension() {
            let second = kind;
            return Err(Error::MixedDimensions { first, second });
        }
    }
    Ok(())
}

/// Checks every cell and mirrors those of negative orientation; returns their number.
pub(crate) fn cells(points: &Points, block: &mut Cells) -> Result<usize, Error> {
    let mut inverted = Vec::new();
    for (cell, nodes) in block.iter().enumerate() {
        nodes_of(points, block.kind(), cell, nodes)?;
        if negative(points, block.kind(), cell, nodes)? {
            inverted.push(cell);
        }
    }
    for &cell in &inverted {
        block.mirror(cell);
    }
    Ok(inverted.len())
}

fn nodes_of(points: &Points, kind: CellKind, cell: usize, nodes: &[usize]) -> Result<(), Error> {
    let points = points.count();
    for (i, &node) in nodes.iter().enumerate() {
        if node >= points {
            return Err(Error::NodeOutOfRange {
                kind,
                cell,
                node,
                points,
            });
        }
        if nodes[..i].contains(&node) {
            return Err(Error::RepeatedNode { kind, cell, node });
        }
    }
    Ok(())
}

/// Whether a cell has negative orientation at all quadrature points.
fn negative(points: &Points, kind: CellKind, cell: usize, nodes: &[usize]) -> Result<bool, Error> {
    let corners = corners(points, nodes);
    let quadrature = Quadrature::new(kind, &corners, points.dimension());
    let measure: f64 = quadrature.densities.iter().map(|d| d.abs()).sum();
    let longest = corners
        .iter()
        .flat_map(|&a| corners.iter().map(move |&b| norm(minus(a, b))));
    let longest = longest.fold(0.0, f64::max);
    let roundoff = ROUNDOFF * longest.powi(kind.dimension() as i32);
    // In this form the condition also refuses NaN.
    if !(measure > roundoff && measure.is_finite()) {
        return Err(Error::ZeroMeasure { kind, cell });
    }
    let below = quadrature.densities.iter().filter(|d| **d < 0.0).count();
    match below {
        0 => Ok(false),
        n if n == quadrature.densities.len() && kind.dimension() == points.dimension() => Ok(true),
        _ => Err(Error::Tangled { kind, cell }),
    }
}

/// Refuses cells with the same nodes.
pub(crate) fn distinct_cells(block: &Cells) -> Result<(), Error> {
    let first_of = |(second, first)| Error::DuplicateCells {
        kind: block.kind(),
        first,
        second,
    };
    let repeated = repeated_cells(block).into_iter().next();
    repeated.map_or(Ok(()), |pair| Err(first_of(pair)))
}

/// The cells with the same nodes as an earlier cell, in order, each with that earlier cell.
pub(crate) fn repeated_cells(block: &Cells) -> Vec<(usize, usize)> {
    let key = |(cell, nodes): (usize, &[usize])| {
        let mut sorted = [usize::MAX; 8];
        sorted[..nodes.len()].copy_from_slice(nodes);
        sorted.sort_unstable();
        (sorted, cell)
    };
    let mut keys: Vec<_> = block.iter().enumerate().map(key).collect();
    keys.sort_unstable();
    let groups = keys.chunk_by(|a, b| a.0 == b.0);
    let later = groups.flat_map(|group| group[1..].iter().map(|again| (again.1, group[0].1)));
    let mut repeated: Vec<_> = later.collect();
    repeated.sort_unstable();
    repeated
}

/// Refuses points that no cell uses.
pub(crate) fn all_used(points: usize, cells: &[Cells]) -> Result<(), Error> {
    let used = used(points, cells);
    let Some(point) = used.iter().position(|u| !u) else {
        return Ok(());
    };
    let count = used.iter().filter(|u| !**u).count();
    Err(Error::UnusedPoint { point, count })
}

/// Whether each point is a node of a cell.
pub(crate) fn used(points: usize, cells: &[Cells]) -> Vec<bool> {
    let mut used = vec![false; points];
    for &node in cells.iter().flat_map(Cells::nodes) {
        used[node] = true;
    }
    used
}
