//! Truncated Karhunen-Loeve expansions: random fields from a few independent coefficients.

use std::sync::{Arc, Mutex, PoisonError};

use rand::Rng;
use rand_distr::{Distribution, StandardNormal};

use super::{Kernel, nystrom};
use crate::{Error, Grid, Result};

/// Seed of the first Krylov block; the expansion does not depend on it.
const START: u64 = 0;
/// Number of expansions that the process caches.
const REMEMBERED: usize = 16;

/// field = sum_k sqrt(lambda_k) xi_k phi_k with independent standard normal xi_k.
///
/// (lambda_k, phi_k) are the largest eigenpairs of the covariance integral operator on the grid's
/// domain, discretised by Nystrom's method with trapezoid weights W: phi = W^(-1/2) u with u an
/// eigenvector of W^(1/2) C W^(1/2). The phi_k are orthonormal in the trapezoid inner product and
/// converge as the grid is refined. Their signs, and their directions where eigenvalues coincide,
/// are functions of the geometry alone, so that given coefficients yield the same field on every
/// machine.
#[derive(Debug, Clone)]
pub struct KarhunenLoeve {
    kernel: Kernel,
    grid: Grid,
    eigenvalues: Vec<f64>,
    /// [mode][point].
    modes: Vec<Vec<f64>>,
    captured: f64,
}

impl KarhunenLoeve {
    /// The first `modes` terms of the expansion on a grid of evenly spaced axes.
    pub fn new(kernel: &Kernel, grid: &Grid, modes: usize) -> Result<Self> {
        if modes > grid.len() || modes == 0 {
            return Err(Error::config(
                "Karhunen-Loeve expansion",
                format!(
                    "{modes} modes on a grid of {} points; choose from 1 to the number of points",
                    grid.len()
                ),
            ));
        }
        let (eigenvalues, modes) = nystrom::eigenpairs(kernel, grid, modes, START)?;
        let extent: f64 = nystrom::trapezoid_weights(grid).iter().sum();
        Ok(Self {
            kernel: *kernel,
            grid: grid.clone(),
            captured: eigenvalues.iter().sum::<f64>() / (kernel.variance() * extent),
            eigenvalues,
            modes,
        })
    }

    /// The same from a cache, which holds the most recent expansions.
    ///
    /// Nothing is locked while computing, so that parallel loops may call this function.
    /// Simultaneous first callers may each compute the expansion; all receive equal ones.
    pub fn cached(kernel: &Kernel, grid: &Grid, modes: usize) -> Result<Arc<Self>> {
        static RECENT: Mutex<Vec<Arc<KarhunenLoeve>>> = Mutex::new(Vec::new());
        let recent = || RECENT.lock().unwrap_or_else(PoisonError::into_inner);
        let find = |known: &[Arc<Self>]| {
            let same = |k: &&Arc<Self>| k.is(kernel, grid, modes);
            known.iter().find(same).cloned()
        };
        if let Some(known) = find(&recent()) {
            return Ok(known);
        }
        let computed = Arc::new(Self::new(kernel, grid, modes)?);
        let mut recent = recent();
        if let Some(known) = find(&recent) {
            return Ok(known);
        }
        if recent.len() == REMEMBERED {
            recent.remove(0);
        }
        recent.push(computed.clone());
        Ok(computed)
    }

    fn is(&self, kernel: &Kernel, grid: &Grid, modes: usize) -> bool {
        self.kernel == *kernel && self.modes.len() == modes && self.grid == *grid
    }

    /// Variance carried by each mode, largest first.
    pub fn eigenvalues(&self) -> &[f64] {
        &self.eigenvalues
    }

    /// The eigenfunctions at the grid points, in the order of the eigenvalues.
    pub fn modes(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.modes.iter().map(Vec::as_slice)
    }

    /// The field with these coefficients.
    ///
    /// # Panics
    /// If there is not one coefficient per mode.
    pub fn combine(&self, coefficients: &[f64]) -> Vec<f64> {
        let mut field = vec![0.0; self.grid.len()];
        self.combine_into(coefficients, &mut field);
        field
    }

    /// Writes the field with these coefficients.
    ///
    /// # Panics
    /// If there is not one coefficient per mode and one value per grid point.
    pub fn combine_into(&self, coefficients: &[f64], field: &mut [f64]) {
        assert_eq!(coefficients.len(), self.modes.len(), "one per mode");
        assert_eq!(field.len(), self.grid.len(), "one value per grid point");
        field.fill(0.0);
        for ((coefficient, value), mode) in
            coefficients.iter().zip(&self.eigenvalues).zip(&self.modes)
        {
            let factor = coefficient * value.sqrt();
            field
                .iter_mut()
                .zip(mode)
                .for_each(|(f, m)| *f += factor * m);
        }
    }

    /// A random field: independent standard normal coefficients, drawn in the order of the modes.
    pub fn sample(&self, rng: &mut impl Rng) -> Vec<f64> {
        let mut field = vec![0.0; self.grid.len()];
        self.sample_into(rng, &mut field);
        field
    }

    /// Writes a random field.
    ///
    /// # Panics
    /// If `field` does not have one value per grid point.
    pub fn sample_into(&self, rng: &mut impl Rng, field: &mut [f64]) {
        let draws = (0..self.modes.len()).map(|_| StandardNormal.sample(rng));
        self.combine_into(&draws.collect::<Vec<f64>>(), field);
    }

    /// The variance of the truncated expansion at each grid point: sum_k lambda_k phi_k^2.
    pub fn variance(&self) -> Vec<f64> {
        let mut variance = vec![0.0; self.grid.len()];
        for (value, mode) in self.eigenvalues.iter().zip(&self.modes) {
            for (sum, m) in variance.iter_mut().zip(mode) {
                *sum += value * m * m;
            }
        }
        variance
    }

    /// The fraction of the field's variance, averaged over the domain, carried by the modes.
    pub fn captured(&self) -> f64 {
        self.captured
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Axis;
    use crate::nystrom::trapezoid_weights;
    use crate::{Family, Purpose, stream};

    fn unit(shape: &[usize]) -> Grid {
        Grid::new(shape.iter().map(|n| Axis::closed("x", *n)).collect())
    }

    fn kernel(family: Family, length: f64) -> Kernel {
        Kernel::new(family, length, 1.0).unwrap()
    }

    fn largest_difference<'a>(
        a: impl Iterator<Item = &'a [f64]>,
        b: impl Iterator<Item = &'a [f64]>,
    ) -> f64 {
        let differences = a.zip(b).flat_map(|(a, b)| a.iter().zip(b));
        differences.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }

    fn assert_orthonormal(expansion: &KarhunenLoeve) {
        let weights = trapezoid_weights(&expansion.grid);
        for (i, a) in expansion.modes().enumerate() {
            for (j, b) in expansion.modes().enumerate().skip(i) {
                let terms = a.iter().zip(b).zip(&weights);
                let inner: f64 = terms.map(|((a, b), w)| a * b * w).sum();
                let expected = f64::from(i == j);
                assert!((inner - expected).abs() < 1e-12, "{i} {j}: {inner}");
            }
        }
    }

    #[test]
    fn modes_are_orthonormal_in_the_trapezoid_inner_product() {
        for shape in [
            vec![50],
            vec![600],
            vec![13, 10],
            vec![24, 24],
            vec![8, 7, 9],
        ] {
            for family in [Family::Rbf, Family::Exponential] {
                let made = KarhunenLoeve::new(&kernel(family, 0.2), &unit(&shape), 20);
                assert_orthonormal(&made.unwrap());
            }
        }
    }

    /// The RBF is a product over axes, so that its eigenvalues on a cube are products of those on
    /// an interval, most of them sixfold.
    #[test]
    fn eigenvalues_of_the_rbf_in_a_cube_are_products() {
        let rbf = kernel(Family::Rbf, 0.3);
        let interval = KarhunenLoeve::new(&rbf, &unit(&[10]), 6).unwrap();
        let line = interval.eigenvalues();
        let plane: Vec<f64> = line
            .iter()
            .flat_map(|a| line.iter().map(move |b| a * b))
            .collect();
        let space = plane.iter().flat_map(|a| line.iter().map(move |b| a * b));
        let mut products: Vec<f64> = space.collect();
        products.sort_by(|a, b| b.total_cmp(a));
        let cube = KarhunenLoeve::new(&rbf, &unit(&[10, 10, 10]), 40).unwrap();
        for (found, product) in cube.eigenvalues().iter().zip(&products) {
            assert!((found - product).abs() < 1e-14);
        }
    }

    /// Eigenvalues of exp(-|x - y| / l) on [0, 1]: 2c / (w^2 + c^2), c = 1/l, where w solves
    /// c = w tan(w/2) and w = -c tan(w/2) in turn. Ghanem & Spanos (1991), section 2.3.3.
    fn exponential_eigenvalue(k: usize, length: f64) -> f64 {
        let c = 1.0 / length;
        let half_turn = std::f64::consts::PI;
        let (mut low, mut high) = (k as f64 * half_turn, (k + 1) as f64 * half_turn);
        // After multiplication by the cosine, both equations are smooth with one sign change in
        // between.
        let equation = |w: f64| match k % 2 {
            0 => c * (w / 2.0).cos() - w * (w / 2.0).sin(),
            _ => w * (w / 2.0).cos() + c * (w / 2.0).sin(),
        };
        let sign_at_low = equation(low + 1e-9).signum();
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if equation(middle) * sign_at_low > 0.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        2.0 * c / (low * low + c * c)
    }

    #[test]
    fn eigenvalues_of_the_exponential_kernel_converge_to_the_analytic_ones_at_order_two() {
        let length = 0.3;
        let worst = |n| {
            let expansion =
                KarhunenLoeve::new(&kernel(Family::Exponential, length), &unit(&[n]), 10).unwrap();
            let errors = expansion.eigenvalues().iter().enumerate();
            errors
                .map(|(k, value)| (value / exponential_eigenvalue(k, length) - 1.0).abs())
                .fold(0.0, f64::max)
        };
        let (coarse, fine) = (worst(257), worst(513));
        assert!(fine < 1e-3, "{fine}");
        assert!((coarse / fine - 4.0).abs() < 0.1, "{coarse} {fine}");
    }

    #[test]
    fn all_modes_together_carry_the_whole_variance_everywhere() {
        let expansion =
            KarhunenLoeve::new(&kernel(Family::Exponential, 0.1), &unit(&[8, 9]), 72).unwrap();
        assert!((expansion.captured() - 1.0).abs() < 1e-12);
        assert!(expansion.variance().iter().all(|v| (v - 1.0).abs() < 1e-12));
    }

    #[test]
    fn canonical_modes_converge_as_the_grid_is_refined() {
        for family in [Family::Rbf, Family::Exponential] {
            let expand = |n| KarhunenLoeve::new(&kernel(family, 0.3), &unit(&[n, n]), 12).unwrap();
            let at_shared_points = |fine: &KarhunenLoeve, n: usize| -> Vec<Vec<f64>> {
                let index = |i| (i / n) * 2 * (2 * n - 1) + (i % n) * 2;
                let pick = |m: &[f64]| (0..n * n).map(|i| m[index(i)]).collect();
                fine.modes().map(pick).collect()
            };
            let grids = [9, 17, 33, 65].map(expand);
            let change = |c: usize, n: usize| {
                let shared = at_shared_points(&grids[c + 1], n);
                largest_difference(grids[c].modes(), shared.iter().map(Vec::as_slice))
            };
            let changes = [change(1, 17), change(2, 33)];
            assert!(changes[1] < 0.35 * changes[0], "{family} {changes:?}");
            let drift = grids[2].eigenvalues().iter().zip(grids[3].eigenvalues());
            assert!(drift.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) < 2e-3);
        }
    }

    #[test]
    fn the_number_of_threads_does_not_matter() {
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let make = || KarhunenLoeve::new(&kernel(Family::Rbf, 0.2), &unit(&[20, 21]), 10);
            pool.build().unwrap().install(make).unwrap()
        };
        let (one, three) = (on(1), on(3));
        assert_eq!(one.modes, three.modes);
        assert_eq!(one.eigenvalues, three.eigenvalues);
    }

    /// The smallest of sixty eigenvalues of a smooth kernel are far below rounding.
    #[test]
    fn modes_without_variance_are_harmless() {
        let expansion = KarhunenLoeve::new(&kernel(Family::Rbf, 0.2), &unit(&[400]), 60).unwrap();
        assert_orthonormal(&expansion);
        assert_eq!(expansion.eigenvalues()[59], 0.0);
        assert!((expansion.captured() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_sample_is_a_combination_with_normal_coefficients() {
        let expansion = KarhunenLoeve::new(&kernel(Family::Rbf, 0.2), &unit(&[30]), 5).unwrap();
        let rng = || stream(3, Purpose::Realization, 0, 0);
        let draws: Vec<f64> = StandardNormal.sample_iter(rng()).take(5).collect();
        let field = expansion.sample(&mut rng());
        assert_eq!(field, expansion.combine(&draws));
        let first = expansion.combine(&[1.0, 0.0, 0.0, 0.0, 0.0]);
        let mode = expansion.modes().next().unwrap();
        let deviation = expansion.eigenvalues()[0].sqrt();
        assert!(
            first
                .iter()
                .zip(mode)
                .all(|(f, m)| (f - deviation * m).abs() < 1e-15)
        );
    }

    #[test]
    fn equal_requests_share_one_expansion() {
        let ask = |length| KarhunenLoeve::cached(&kernel(Family::Rbf, length), &unit(&[9]), 3);
        let (first, second, other) = (ask(0.21), ask(0.21), ask(0.22));
        assert!(Arc::ptr_eq(&first.unwrap(), second.as_ref().unwrap()));
        assert!(!Arc::ptr_eq(&second.unwrap(), &other.unwrap()));
    }

    #[test]
    fn too_many_modes_are_refused() {
        let rbf = kernel(Family::Rbf, 0.2);
        let error = KarhunenLoeve::new(&rbf, &unit(&[4, 4]), 17).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("17 modes on a grid of 16 points")
        );
        assert!(KarhunenLoeve::new(&rbf, &unit(&[4, 4]), 0).is_err());
    }
}
