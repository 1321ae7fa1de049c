//! Interpolates coefficients between the points at which they are known: cubic radial basis
//! functions with a linear part.

/// Minimum scale of a parameter with little effect, relative to the largest scale.
const LEAST_SCALE: f64 = 0.1;

/// c(t) = sum_i w_i |s (t - t_i)|^3 + b_0 + b . t, through all known values.
///
/// The scales s are square roots of the effect of a parameter, the size of its linear and quadratic
/// part in the coefficients. Wendland (2005), "Scattered data approximation", chapter 8.
pub(super) struct Interpolant {
    pub scales: Vec<f64>,
    /// The scaled points: [point, parameter].
    pub places: Vec<Vec<f64>>,
    /// The weights w_i of all points, then b_0 and b: [point + 1 + parameter, coefficient].
    pub weights: Vec<Vec<f64>>,
}

impl Interpolant {
    /// From points in the unit box and the coefficients there.
    pub fn new(places: &[Vec<f64>], coefficients: &[Vec<f64>]) -> Self {
        let scales = scales(places, coefficients);
        let scaled: Vec<Vec<f64>> = places.iter().map(|t| scaled(t, &scales)).collect();
        let (n, d) = (places.len(), scales.len());
        let row = |i: usize| -> Vec<f64> {
            match i < n {
                true => {
                    let cubes = scaled.iter().map(|t| cube(t, &scaled[i]));
                    cubes.chain(tail(&scaled[i])).collect()
                }
                false => {
                    let column = scaled.iter().map(|t| tail(t).nth(i - n).unwrap_or(0.0));
                    column.chain(std::iter::repeat_n(0.0, d + 1)).collect()
                }
            }
        };
        let width = coefficients.first().map_or(0, Vec::len);
        let empty = vec![0.0; width];
        let right = |i: usize| coefficients.get(i).unwrap_or(&empty).clone();
        let system = (0..n + d + 1).map(|i| (row(i), right(i))).collect();
        Self {
            weights: solved(system),
            places: scaled,
            scales,
        }
    }

    /// The coefficients at a point in the unit box.
    pub fn at(&self, place: &[f64]) -> Vec<f64> {
        let own = scaled(place, &self.scales);
        let cubes = self.places.iter().map(|t| cube(t, &own));
        let factors: Vec<f64> = cubes.chain(tail(&own)).collect();
        let width = self.weights.first().map_or(0, Vec::len);
        let mut found = vec![0.0; width];
        for (factor, weights) in factors.iter().zip(&self.weights) {
            let pairs = found.iter_mut().zip(weights);
            pairs.for_each(|(sum, weight)| *sum += factor * weight);
        }
        found
    }
}

fn scaled(place: &[f64], scales: &[f64]) -> Vec<f64> {
    place
        .iter()
        .zip(scales)
        .map(|(t, scale)| t * scale)
        .collect()
}

fn cube(a: &[f64], b: &[f64]) -> f64 {
    let squares = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b));
    squares.sum::<f64>().sqrt().powi(3)
}

fn tail(place: &[f64]) -> impl Iterator<Item = f64> + '_ {
    std::iter::once(1.0).chain(place.iter().copied())
}

/// The effect of each parameter on the coefficients, from its first two Legendre polynomials.
fn scales(places: &[Vec<f64>], coefficients: &[Vec<f64>]) -> Vec<f64> {
    let count = places.len().max(1) as f64;
    let width = coefficients.first().map_or(0, Vec::len);
    let mean = |k: usize| coefficients.iter().map(|c| c[k]).sum::<f64>() / count;
    let means: Vec<f64> = (0..width).map(mean).collect();
    let share = |axis: usize| -> f64 {
        let of = |polynomial: &dyn Fn(f64) -> f64| -> f64 {
            let part = |k: usize| {
                let pairs = places.iter().zip(coefficients);
                let sum: f64 = pairs
                    .map(|(t, c)| polynomial(2.0 * t[axis] - 1.0) * (c[k] - means[k]))
                    .sum();
                (sum / count).powi(2)
            };
            (0..width).map(part).sum()
        };
        let linear = of(&|x| 3f64.sqrt() * x);
        linear + of(&|x| 5f64.sqrt() * (1.5 * x * x - 0.5))
    };
    let axes = places.first().map_or(0, Vec::len);
    let shares: Vec<f64> = (0..axes).map(|axis| share(axis).sqrt()).collect();
    let largest = shares.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let scale = |share: &f64| (share / largest).sqrt().max(LEAST_SCALE);
    shares.iter().map(scale).collect()
}

/// Gaussian elimination with partial pivoting, on rows with their right-hand sides. A column
/// without a pivot, for a parameter that does not vary, gets weight zero.
fn solved(mut system: Vec<(Vec<f64>, Vec<f64>)>) -> Vec<Vec<f64>> {
    const SINGULAR: f64 = 1e-13;
    let n = system.len();
    let width = system.first().map_or(0, |(_, right)| right.len());
    for k in 0..n {
        let pivot = (k..n).max_by(|a, b| system[*a].0[k].abs().total_cmp(&system[*b].0[k].abs()));
        system.swap(k, pivot.unwrap_or(k));
        if system[k].0[k].abs() < SINGULAR {
            continue;
        }
        let (above, below) = system.split_at_mut(k + 1);
        let (row, right) = &above[k];
        for (other, other_right) in below {
            let factor = other[k] / row[k];
            if factor != 0.0 {
                subtract(&mut other[k..], &row[k..], factor);
                subtract(other_right, right, factor);
            }
        }
    }
    let mut found = vec![vec![0.0; width]; n];
    for k in (0..n).rev() {
        let (row, right) = &system[k];
        if row[k].abs() < SINGULAR {
            continue;
        }
        let mut own = right.clone();
        for (j, solved) in found.iter().enumerate().skip(k + 1) {
            subtract(&mut own, solved, row[j]);
        }
        found[k] = own.iter().map(|v| v / row[k]).collect();
    }
    found
}

fn subtract(from: &mut [f64], values: &[f64], factor: f64) {
    let pairs = from.iter_mut().zip(values);
    pairs.for_each(|(from, value)| *from -= factor * value);
}

#[cfg(test)]
mod tests {
    use super::super::design::Bounds;
    use super::*;

    fn smooth(t: &[f64]) -> Vec<f64> {
        vec![(2.0 * t[0]).sin() + t[1] * t[1], 3.0 - t[0] + 2.0 * t[1]]
    }

    #[test]
    fn known_values_are_met_and_a_smooth_function_is_near() {
        let all = Bounds {
            bounds: vec![[0.0, 1.0]; 2],
        };
        let places = all.design(64);
        let known: Vec<_> = places.iter().map(|t| smooth(t)).collect();
        let found = Interpolant::new(&places, &known);
        let error = |t: &[f64]| {
            let pairs = found.at(t).into_iter().zip(smooth(t));
            pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        assert!(places.iter().all(|t| error(t) < 1e-9));
        assert!(all.random(50).iter().all(|t| error(t) < 5e-3));
    }

    #[test]
    fn a_parameter_that_does_not_vary_does_no_harm() {
        let places: Vec<Vec<f64>> = (0..20).map(|i| vec![f64::from(i) / 19.0, 0.0]).collect();
        let known: Vec<Vec<f64>> = places.iter().map(|t| vec![t[0] * t[0]]).collect();
        let found = Interpolant::new(&places, &known);
        assert!((found.at(&[0.513, 0.0])[0] - 0.513 * 0.513).abs() < 1e-3);
    }
}
