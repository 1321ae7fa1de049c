//! Weighted least-squares fit of a linear function around a point.

use crate::measure::{Vec3, dot};

/// The offsets do not span directions whose share of their variance is below this.
const SEEN: f64 = 1e-12;

/// Coefficients c_j `[points]` of the gradient g = sum_j c_j (f_j - f_0) that minimises sum_j v_j
/// (f_j - f_0 - g . e_j)^2, with offsets e_j and weights v_j.
///
/// g has no component in directions that the offsets do not span. At most the `rank` strongest
/// directions count: on a surface the gradient is tangential.
pub(crate) fn gradient_coefficients(offsets: &[Vec3], weights: &[f64], rank: usize) -> Vec<Vec3> {
    let mut matrix = [[0.0; 3]; 3];
    for (e, v) in offsets.iter().zip(weights) {
        for a in 0..3 {
            for b in 0..3 {
                matrix[a][b] += v * e[a] * e[b];
            }
        }
    }
    let inverse = pseudo_inverse(matrix, rank);
    let coefficient = |(e, v): (&Vec3, &f64)| inverse.map(|row| v * dot(row, *e));
    offsets.iter().zip(weights).map(coefficient).collect()
}

/// The pseudo-inverse of a symmetric matrix from its `rank` largest eigenvalues.
fn pseudo_inverse(matrix: [Vec3; 3], rank: usize) -> [Vec3; 3] {
    let (values, vectors) = eigen(matrix);
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
    let largest = values[order[0]];
    let mut inverse = [[0.0; 3]; 3];
    for &k in order[..rank]
        .iter()
        .filter(|&&k| values[k] > SEEN * largest)
    {
        for a in 0..3 {
            for b in 0..3 {
                inverse[a][b] += vectors[a][k] * vectors[b][k] / values[k];
            }
        }
    }
    inverse
}

/// Eigenvalues and eigenvectors (columns) of a symmetric matrix by Jacobi rotations.
fn eigen(mut m: [Vec3; 3]) -> (Vec3, [Vec3; 3]) {
    let mut vectors = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    // Convergence is quadratic: a few sweeps reach roundoff.
    for _ in 0..10 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if m[p][q] == 0.0 {
                continue;
            }
            let theta = 0.5 * (m[q][q] - m[p][p]) / m[p][q];
            let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
            let c = 1.0 / t.hypot(1.0);
            let s = t * c;
            rotate_columns(&mut m, p, q, c, s);
            rotate_rows(&mut m, p, q, c, s);
            rotate_columns(&mut vectors, p, q, c, s);
        }
    }
    ([m[0][0], m[1][1], m[2][2]], vectors)
}

fn rotate_columns(m: &mut [Vec3; 3], p: usize, q: usize, c: f64, s: f64) {
    for row in m {
        (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
    }
}

fn rotate_rows(m: &mut [Vec3; 3], p: usize, q: usize, c: f64, s: f64) {
    let (a, b) = (m[p], m[q]);
    m[p] = std::array::from_fn(|column| c * a[column] - s * b[column]);
    m[q] = std::array::from_fn(|column| s * a[column] + c * b[column]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_times_its_pseudo_inverse_is_the_identity() {
        let m = [[4.0, 1.0, -0.5], [1.0, 3.0, 0.25], [-0.5, 0.25, 2.0]];
        let inverse = pseudo_inverse(m, 3);
        for (a, row) in m.iter().enumerate() {
            let product = |b: usize| (0..3).map(|k| row[k] * inverse[k][b]).sum::<f64>();
            for b in 0..3 {
                let identity = f64::from(u8::from(a == b));
                assert!((product(b) - identity).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn directions_that_no_point_shows_have_no_gradient() {
        let offsets = [[1.0, 1.0, 0.0], [-2.0, -2.0, 0.0]];
        let c = gradient_coefficients(&offsets, &[1.0, 1.0], 3);
        let g: Vec3 = std::array::from_fn(|a| c[0][a] - 2.0 * c[1][a]);
        assert!((g[0] - 0.5).abs() < 1e-14 && (g[1] - 0.5).abs() < 1e-14 && g[2] == 0.0);
    }
}
