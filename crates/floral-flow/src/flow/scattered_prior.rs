//! The prior at the points of a mesh: exact for few points, by random waves for many.

use rand_distr::{ChiSquared, Distribution, StandardNormal};

use super::draws::{GaussianPrior, Prior, WhiteNoise};
use crate::random::{Family, GaussianProcess, Kernel, Stream};
use crate::{Error, Result};

/// Most points drawn by a Cholesky factor: a draw multiplies by half a square matrix.
const MOST_EXACT: usize = 4096;

/// Correlations below this count as zero.
const LEAST_CORRELATION: f64 = 1e-6;

/// Waves per draw.
const WAVES: usize = 256;

/// The prior with this kernel and noise at points in the prior's coordinates: [point, coordinate].
///
/// It is white noise if no two points correlate, and exact by Cholesky at up to [`MOST_EXACT`]
/// points. Beyond, see [`Waves`].
pub(super) fn at_points(
    kernel: &Kernel,
    noise: f64,
    points: Vec<Vec<f64>>,
) -> Result<Box<dyn Prior>> {
    let reach = kernel.support(LEAST_CORRELATION);
    if !any_closer(&points, reach) {
        let deviation = (kernel.variance() + noise).sqrt() as f32;
        return Ok(Box::new(WhiteNoise { deviation }));
    }
    if points.len() <= MOST_EXACT {
        let process = GaussianProcess::on_points(kernel, &points)?.with_nugget(noise)?;
        return Ok(Box::new(GaussianPrior { process }));
    }
    Ok(Box::new(Waves::new(kernel, noise, points)?))
}

/// The points of a mesh, each coordinate mapped from the interval that the mesh covers to the unit
/// interval.
pub(super) fn placed(rows: &[[f64; 3]], dimension: usize) -> Vec<Vec<f64>> {
    let range = |axis: usize| {
        let along = rows.iter().map(|row| row[axis]);
        along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
            (low.min(x), high.max(x))
        })
    };
    let ranges: Vec<_> = (0..dimension).map(range).collect();
    let unit = |(x, (low, high)): (&f64, &(f64, f64))| match high > low {
        true => (x - low) / (high - low),
        false => 0.0,
    };
    let points = rows.iter();
    points
        .map(|row| row.iter().zip(&ranges).map(unit).collect())
        .collect()
}

/// Whether any two points are closer than this.
fn any_closer(points: &[Vec<f64>], reach: f64) -> bool {
    let mut order: Vec<&Vec<f64>> = points.iter().collect();
    order.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let square = |a: &[f64], b: &[f64]| -> f64 {
        let pairs = a.iter().zip(b);
        pairs.map(|(a, b)| (a - b) * (a - b)).sum()
    };
    order.iter().enumerate().any(|(i, a)| {
        let mut ahead = order[i + 1..].iter().take_while(|b| b[0] - a[0] < reach);
        ahead.any(|b| square(a, b) < reach * reach)
    })
}

/// f(x) = sigma / sqrt(W) sum_k a_k cos(w_k x) + b_k sin(w_k x), with normal a_k, b_k and
/// frequencies w_k from the kernel's spectrum: normal for the squared exponential, Student's t for
/// Matern kernels.
///
/// Every draw has its own waves, so that f has the kernel as its covariance and is normal at every
/// point. Jointly f is a mixture of Gaussians: for given waves, correlations deviate from the
/// kernel's by at most 1 / sqrt(2 W), 4 %, in the root mean square. Rahimi & Recht (2007), "Random
/// features for large-scale kernel machines"; Shinozuka (1971), "Simulation of multivariate and
/// multidimensional random processes".
struct Waves {
    length: f64,
    deviation: f64,
    noise: f64,
    /// Student's t for a Matern kernel; none if the spectrum is normal.
    spectrum: Option<Student>,
    points: Vec<Vec<f64>>,
}

/// The ratio of a Student t variable to a normal one: sqrt(n / chi^2_n).
struct Student {
    freedom: f64,
    square: ChiSquared<f64>,
}

impl Student {
    /// `freedom` is the number of degrees of freedom: twice the smoothness of the Matern kernel.
    fn new(freedom: f64) -> Result<Self> {
        let square =
            ChiSquared::new(freedom).map_err(|error| Error::config("prior", error.to_string()))?;
        Ok(Self { freedom, square })
    }

    fn width(&self, rng: &mut Stream) -> f64 {
        // Smaller values give waves so short that they are noise at any set of points.
        const LEAST: f64 = 1e-12;
        (self.freedom / self.square.sample(rng).max(LEAST)).sqrt()
    }
}

impl Waves {
    fn new(kernel: &Kernel, noise: f64, points: Vec<Vec<f64>>) -> Result<Self> {
        let freedom = match kernel.family() {
            Family::Rbf => None,
            Family::Exponential => Some(1.0),
            Family::Matern32 => Some(3.0),
            Family::Matern52 => Some(5.0),
        };
        Ok(Self {
            length: kernel.length(),
            deviation: kernel.variance().sqrt(),
            noise: noise.sqrt(),
            spectrum: freedom.map(Student::new).transpose()?,
            points,
        })
    }

    fn frequency(&self, rng: &mut Stream) -> Vec<f64> {
        let width = self.spectrum.as_ref().map_or(1.0, |s| s.width(rng));
        let dimensions = self.points.first().map_or(0, Vec::len);
        let normal = |_| -> f64 { StandardNormal.sample(rng) };
        let normals: Vec<f64> = (0..dimensions).map(normal).collect();
        normals.iter().map(|z| z * width / self.length).collect()
    }
}

impl Prior for Waves {
    fn draw(&self, rng: &mut Stream, channel: &mut [f32]) {
        let mut sums = vec![0.0; channel.len()];
        for _ in 0..WAVES {
            let frequency = self.frequency(rng);
            let [a, b]: [f64; 2] = std::array::from_fn(|_| StandardNormal.sample(rng));
            for (sum, point) in sums.iter_mut().zip(&self.points) {
                let phase: f64 = frequency.iter().zip(point).map(|(w, x)| w * x).sum();
                let (sine, cosine) = phase.sin_cos();
                *sum += a * cosine + b * sine;
            }
        }
        let scale = self.deviation / (WAVES as f64).sqrt();
        for (value, sum) in channel.iter_mut().zip(sums) {
            let white: f64 = StandardNormal.sample(rng);
            *value = (scale * sum + self.noise * white) as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};

    fn cloud(count: usize) -> Vec<Vec<f64>> {
        let wrap = |i: usize, step: f64| (i as f64 * step).fract();
        (0..count)
            .map(|i| vec![wrap(i, 0.618_033_98), wrap(i, 0.754_877_66)])
            .collect()
    }

    /// Asserts that correlations of some pairs over many draws are close to the kernel's.
    fn assert_correlations(kernel: &Kernel, points: &[Vec<f64>], prior: &dyn Prior) {
        const DRAWS: u64 = 2000;
        let places = [0, 1, 7, 20, 33];
        let mut sums = vec![0.0; places.len()];
        let mut field = vec![0.0; points.len()];
        for i in 0..DRAWS {
            prior.draw(&mut stream(4, Purpose::Prior, 0, i), &mut field);
            for (sum, place) in sums.iter_mut().zip(places) {
                *sum += f64::from(field[0]) * f64::from(field[place]) / DRAWS as f64;
            }
        }
        for (sum, place) in sums.iter().zip(places) {
            let expected = kernel.between(&points[0], &points[place]);
            let error = ((1.0 + expected * expected) / DRAWS as f64).sqrt();
            assert!(
                (sum - expected).abs() < 5.0 * error,
                "{kernel:?} {place}: {sum} {expected}"
            );
        }
    }

    #[test]
    fn draws_at_few_and_at_many_points_have_the_covariance_of_the_kernel() {
        let points = cloud(40);
        for family in [
            Family::Rbf,
            Family::Exponential,
            Family::Matern32,
            Family::Matern52,
        ] {
            let kernel = Kernel::new(family, 0.3, 1.0).unwrap();
            let exact = at_points(&kernel, 0.0, points.clone()).unwrap();
            assert_correlations(&kernel, &points, exact.as_ref());
            let waves = Waves::new(&kernel, 0.0, points.clone()).unwrap();
            assert_correlations(&kernel, &points, &waves);
        }
    }

    #[test]
    fn points_farther_apart_than_the_kernel_reaches_are_independent() {
        let points = cloud(200);
        assert!(!any_closer(&points, 1e-4));
        assert!(any_closer(&points, 0.1));
    }

    #[test]
    fn a_mesh_is_placed_in_the_unit_box() {
        let rows = [[3.0, -1.0, 0.0], [5.0, 0.0, 0.0], [4.0, 1.0, 0.0]];
        let expected = [[0.0, 0.0], [1.0, 0.5], [0.5, 1.0]];
        assert_eq!(placed(&rows, 2), expected);
    }
}
