//! A stationary covariance on a regular grid, embedded in a covariance on a torus, where it is
//! diagonal.
//!
//! Dietrich & Newsam (1997), SIAM J. Sci. Comput. 18, 1088-1107.

use super::Kernel;
use super::hartley::{Hartley, Work};
use crate::{Axis, Error, Grid, Result};

/// Correlations below this do not change a double-precision sum.
const NEGLIGIBLE: f64 = 1e-16;

/// A covariance C on a grid as a corner block of a covariance on a torus with these eigenvalues.
///
/// The eigenvectors are those of the Hartley transform; some eigenvalues may be negative.
#[derive(Debug, Clone)]
pub(super) struct Embedding {
    /// Points of the grid per axis.
    pub grid: Vec<usize>,
    /// Points of the torus per axis.
    pub torus: Vec<usize>,
    spacing: Vec<f64>,
    /// Shape [torus...].
    pub eigenvalues: Vec<f64>,
}

impl Embedding {
    /// The smallest torus on which all covariances between grid points are exact.
    pub(super) fn smallest(kernel: &Kernel, grid: &Grid) -> Result<Self> {
        check_regular(grid)?;
        let spacing: Vec<f64> = grid.axes.iter().map(Axis::spacing).collect();
        let support = kernel.support(NEGLIGIBLE);
        let axes = grid.axes.iter().zip(&spacing);
        let torus = axes
            .map(|(axis, h)| exact_size(axis.len(), support / h))
            .collect();
        Ok(Self::on_torus(kernel, grid.shape(), spacing, torus))
    }

    /// The same covariance on a torus of twice the extent.
    pub(super) fn doubled(&self, kernel: &Kernel) -> Self {
        let torus = self.torus.iter().zip(&self.grid);
        let torus = torus.map(|(m, n)| if *n > 1 { smooth_size(2 * m) } else { 1 });
        Self::on_torus(
            kernel,
            self.grid.clone(),
            self.spacing.clone(),
            torus.collect(),
        )
    }

    fn on_torus(kernel: &Kernel, grid: Vec<usize>, spacing: Vec<f64>, torus: Vec<usize>) -> Self {
        let hartley = Hartley::new(&torus, &torus, &torus);
        let mut work = hartley.work();
        let points = torus.iter().product();
        work.values
            .extend((0..points).map(|i| kernel.covariance(wrapped_distance(i, &torus, &spacing))));
        hartley.transform(&mut work);
        Self {
            grid,
            torus,
            spacing,
            eigenvalues: work.values,
        }
    }

    /// The operator v -> C v on grid values.
    pub(super) fn product(&self) -> Product {
        let points = self.eigenvalues.len() as f64;
        Product {
            into_spectrum: Hartley::new(&self.grid, &self.torus, &self.torus),
            out_of_spectrum: Hartley::new(&self.torus, &self.torus, &self.grid),
            factors: self.eigenvalues.iter().map(|e| e / points).collect(),
        }
    }
}

/// Multiplication by a covariance matrix that is never formed.
pub(super) struct Product {
    into_spectrum: Hartley<f64>,
    out_of_spectrum: Hartley<f64>,
    factors: Vec<f64>,
}

impl Product {
    pub(super) fn work(&self) -> (Work<f64>, Work<f64>) {
        (self.into_spectrum.work(), self.out_of_spectrum.work())
    }

    /// The product of C and `input`; both have shape [grid...].
    pub(super) fn apply<'w>(
        &self,
        input: impl Iterator<Item = f64>,
        work: &'w mut (Work<f64>, Work<f64>),
    ) -> &'w [f64] {
        let (into, out) = work;
        into.values.clear();
        into.values.extend(input);
        self.into_spectrum.transform(into);
        out.values.clear();
        let spectrum = into.values.iter().zip(&self.factors);
        out.values
            .extend(spectrum.map(|(value, factor)| value * factor));
        self.out_of_spectrum.transform(out);
        &out.values
    }
}

fn check_regular(grid: &Grid) -> Result<()> {
    let refuse = |reason: String| Error::config("grid of a random field", reason);
    if grid.is_empty() || grid.dimensions() == 0 {
        return Err(refuse("the grid has no points".into()));
    }
    match grid.axes.iter().find(|axis| !axis.is_even()) {
        Some(Axis { name, .. }) => Err(refuse(format!(
            "axis {name} is not evenly spaced in increasing order; sample at its points instead"
        ))),
        None => Ok(()),
    }
}

/// Whether a covariance on this grid can be embedded in a torus.
pub fn is_evenly_spaced(grid: &Grid) -> bool {
    grid.axes.iter().all(Axis::is_even)
}

/// Number of points of a torus on which lags up to n - 1 keep their covariance. Either none of
/// these lags wraps, or the lags that wrap, and those that they wrap to, exceed the kernel's
/// support (in units of the spacing).
fn exact_size(n: usize, support: f64) -> usize {
    if n == 1 {
        return 1;
    }
    let reach = support.ceil().min((n - 1) as f64) as usize;
    smooth_size(n - 1 + reach.max(1))
}

/// The smallest number 2^a 3^b 5^c that is at least `least`.
fn smooth_size(least: usize) -> usize {
    let is_smooth = |mut n: usize| {
        for prime in [2, 3, 5] {
            while n.is_multiple_of(prime) {
                n /= prime;
            }
        }
        n == 1
    };
    (least.max(1)..)
        .find(|&n| is_smooth(n))
        .expect("a power of two lies above every number")
}

/// Distance on the torus between the origin and the point with this index in memory.
fn wrapped_distance(mut index: usize, torus: &[usize], spacing: &[f64]) -> f64 {
    let mut square = 0.0;
    for (m, h) in torus.iter().zip(spacing).rev() {
        let lag = index % m;
        let distance = h * lag.min(m - lag) as f64;
        square += distance * distance;
        index /= m;
    }
    square.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Family;

    fn grid(shape: &[usize]) -> Grid {
        Grid::new(shape.iter().map(|n| Axis::closed("x", *n)).collect())
    }

    /// Largest difference between the torus's covariance and the kernel over all lags of the grid.
    fn deviation(kernel: &Kernel, grid: &Grid) -> f64 {
        let embedding = Embedding::smallest(kernel, grid).unwrap();
        let product = embedding.product();
        let mut work = product.work();
        let origin = (0..grid.len()).map(|i| f64::from(i == 0));
        let row = product.apply(origin, &mut work);
        row.iter()
            .enumerate()
            .map(|(i, c)| (c - kernel.between(&grid.point(0), &grid.point(i))).abs())
            .fold(0.0, f64::max)
    }

    #[test]
    fn the_torus_reproduces_the_kernel_at_every_lag() {
        for family in [Family::Rbf, Family::Exponential, Family::Matern32] {
            for length in [1e-3, 0.03, 0.2, 2.0] {
                let kernel = Kernel::new(family, length, 1.0).unwrap();
                for shape in [
                    vec![1],
                    vec![2],
                    vec![33],
                    vec![128],
                    vec![17, 24],
                    vec![5, 1, 8],
                ] {
                    let deviation = deviation(&kernel, &grid(&shape));
                    assert!(deviation < 1e-12, "{kernel:?} {shape:?} {deviation}");
                }
            }
        }
    }

    #[test]
    fn a_short_kernel_needs_little_more_than_the_grid() {
        let kernel = Kernel::new(Family::Exponential, 1e-3, 1.0).unwrap();
        let embedding = Embedding::smallest(&kernel, &grid(&[128, 128])).unwrap();
        assert_eq!(embedding.torus, [135, 135]);
        assert!(embedding.eigenvalues.iter().all(|e| *e > 0.0));
    }

    #[test]
    fn uneven_axes_are_refused() {
        let mut uneven = grid(&[4]);
        uneven.axes[0].coordinates[1] = 0.4;
        let kernel = Kernel::new(Family::Rbf, 1.0, 1.0).unwrap();
        let error = Embedding::smallest(&kernel, &uneven).unwrap_err();
        assert!(error.to_string().contains("not evenly spaced"));
        assert!(Embedding::smallest(&kernel, &Grid::new(vec![])).is_err());
        assert!(Embedding::smallest(&kernel, &grid(&[3, 0])).is_err());
    }
}
