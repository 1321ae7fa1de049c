//! Gradients of fields on any mesh, as sparse matrices.

use crate::fit::gradient_coefficients;
use crate::measure::{Vec3, minus};
use crate::{Mesh, Sparse};

impl Mesh {
    /// The gradient by least squares: matrices G_a [n, n], a = 1..d, with (G_a f)_i = df/dx_a at
    /// x_i.
    ///
    /// At each point, the linear function through (x_i, f_i) is fitted to the neighbours with
    /// weights 1 / |x_i - x_j|^2. It is exact for linear functions. On a surface in space it is the
    /// tangential gradient.
    pub fn gradients(&self) -> Vec<Sparse> {
        let n = self.points().count();
        let neighbours = self.neighbours();
        let d = self.points().dimension();
        let mut rows: Vec<Vec<Vec<(usize, f64)>>> = vec![Vec::with_capacity(n); d];
        for i in 0..n {
            let coefficients = self.gradient_at(i, &neighbours);
            for (axis, rows) in rows.iter_mut().enumerate() {
                let own: f64 = coefficients.iter().map(|(_, c)| c[axis]).sum();
                let others = coefficients.iter().map(|&(j, c)| (j, c[axis]));
                rows.push(others.chain([(i, -own)]).collect());
            }
        }
        let matrix = |rows| Sparse::from_rows(n, rows);
        rows.into_iter().map(matrix).collect()
    }

    fn gradient_at(&self, i: usize, neighbours: &Sparse) -> Vec<(usize, Vec3)> {
        let rows = self.points().rows();
        let (near, weights): (Vec<usize>, Vec<f64>) =
            neighbours.row(i).map(|(j, r)| (j, 1.0 / (r * r))).unzip();
        let offsets: Vec<_> = near.iter().map(|&j| minus(rows[j], rows[i])).collect();
        let coefficients = gradient_coefficients(&offsets, &weights, self.dimension());
        near.into_iter().zip(coefficients).collect()
    }
}
