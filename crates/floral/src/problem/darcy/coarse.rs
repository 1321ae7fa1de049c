//! Between grids: every so-many-th node of a field, and a coarse field seen by a finer grid.

/// The values of an n x n field at every `stride`-th node along each axis, from node 0 on.
pub(super) fn every(stride: usize, field: &[f64], n: usize) -> Vec<f64> {
    let lines = field.chunks_exact(n).step_by(stride);
    lines
        .flat_map(|line| line.iter().step_by(stride).copied())
        .collect()
}

/// Bilinear interpolation of an m x m field to n x n nodes; both grids span the unit square.
pub(super) fn interpolate(field: &[f64], m: usize, n: usize) -> Vec<f64> {
    let places: Vec<(usize, f64)> = (0..n).map(|i| place(i, m, n)).collect();
    let mut fine = Vec::with_capacity(n * n);
    for &(i, s) in &places {
        for &(j, t) in &places {
            let along = |i: usize| field[i * m + j] * (1.0 - t) + field[i * m + j + 1] * t;
            fine.push(along(i) * (1.0 - s) + along(i + 1) * s);
        }
    }
    fine
}

/// The coarse cell in which fine node `i` lies, and how far along it, from 0 to 1.
fn place(i: usize, m: usize, n: usize) -> (usize, f64) {
    // Whole numbers, so that nodes of both grids meet exactly.
    let cell = (i * (m - 1) / (n - 1)).min(m - 2);
    let beyond = i * (m - 1) - cell * (n - 1);
    (cell, beyond as f64 / (n - 1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpolation_reproduces_bilinear_fields() {
        let field = |n: usize| -> Vec<f64> {
            let at = |i: usize| i as f64 / (n - 1) as f64;
            let value = |x: f64, y: f64| 1.0 + 2.0 * x - 3.0 * y + 5.0 * x * y;
            (0..n * n).map(|k| value(at(k / n), at(k % n))).collect()
        };
        for (m, n) in [(4, 16), (2, 9), (16, 64), (8, 8)] {
            let fine = interpolate(&field(m), m, n);
            let gaps = fine.iter().zip(field(n)).map(|(a, b)| (a - b).abs());
            assert!(gaps.fold(0.0, f64::max) < 1e-14);
        }
    }

    #[test]
    fn coarse_nodes_are_every_fourth_from_the_first() {
        let field: Vec<f64> = (0..64).map(f64::from).collect();
        assert_eq!(every(4, &field, 8), [0.0, 4.0, 32.0, 36.0]);
    }
}
