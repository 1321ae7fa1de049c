//! The projection of features on their leading principal components over training inputs.

use floral_linalg::{Mat, symmetric_eigen};
use serde::{Deserialize, Serialize};

/// Components kept at most: a law over few inputs cannot depend on more.
const MOST: usize = 4;

/// Inputs it takes for each component.
const INPUTS_EACH: usize = 3;

/// Components beyond this many deviations are cut off: no law is known out there.
const FARTHEST: f64 = 2.5;

/// Components with less than this share of the variance of the first are left out.
const LEAST: f64 = 1e-3;

/// Features to components of mean zero and unit variance.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Projection {
    centre: Vec<f64>,
    unit: Vec<f64>,
    /// Directions over the root of their variance: [component][feature].
    directions: Vec<Vec<f64>>,
}

impl Projection {
    /// From the features of training inputs; without components where there are too few inputs.
    pub fn new(features: &[&[f64]]) -> Self {
        let (inputs, count) = (features.len(), features.first().map_or(0, |f| f.len()));
        let mean = |of: &dyn Fn(&[f64]) -> f64| {
            features.iter().map(|f| of(f)).sum::<f64>() / inputs.max(1) as f64
        };
        let centre: Vec<f64> = (0..count).map(|k| mean(&|f| f[k])).collect();
        let square = |k: usize| mean(&|f| (f[k] - centre[k]).powi(2));
        let unit = |k: usize| {
            if square(k) > 0.0 {
                square(k).sqrt()
            } else {
                1.0
            }
        };
        let mut projection = Self {
            unit: (0..count).map(unit).collect(),
            centre,
            directions: Vec::new(),
        };
        let rows: Vec<Vec<f64>> = features.iter().map(|f| projection.standard(f)).collect();
        let product = |j: usize, k: usize| rows.iter().map(|row| row[j] * row[k]).sum::<f64>();
        let covariance = Mat::from_fn(count, count, |j, k| product(j, k) / inputs.max(1) as f64);
        let kept = MOST.min(inputs / INPUTS_EACH);
        if let Some((values, vectors)) = symmetric_eigen(&covariance) {
            let large = |k: &usize| values[*k] > LEAST * values[0].max(f64::MIN_POSITIVE);
            let direction = |k: usize| {
                (0..count)
                    .map(|j| vectors[(j, k)] / values[k].sqrt())
                    .collect()
            };
            let leading = (0..count).take(kept).filter(large);
            projection.directions = leading.map(direction).collect();
        }
        projection
    }

    /// No components: the law is the same for all inputs.
    pub(super) fn none(features: usize) -> Self {
        Self {
            centre: vec![0.0; features],
            unit: vec![1.0; features],
            directions: Vec::new(),
        }
    }

    /// Number of components.
    pub fn components(&self) -> usize {
        self.directions.len()
    }

    /// Number of features.
    pub fn features(&self) -> usize {
        self.centre.len()
    }

    /// The components of an input.
    pub fn apply(&self, features: &[f64]) -> Vec<f32> {
        let standard = self.standard(features);
        let component = |direction: &Vec<f64>| {
            let sum: f64 = direction.iter().zip(&standard).map(|(d, f)| d * f).sum();
            sum.clamp(-FARTHEST, FARTHEST) as f32
        };
        self.directions.iter().map(component).collect()
    }

    fn standard(&self, features: &[f64]) -> Vec<f64> {
        let parts = features.iter().zip(&self.centre).zip(&self.unit);
        parts.map(|((f, c), u)| (f - c) / u).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_few_and_have_unit_variance() {
        let features: Vec<[f64; 3]> = (0..12)
            .map(|i| {
                let (a, b) = (f64::from(i), f64::from(i * i % 7));
                [a, b, 2.0 * a]
            })
            .collect();
        let all: Vec<&[f64]> = features.iter().map(|f| f.as_slice()).collect();
        let projection = Projection::new(&all);
        assert_eq!(projection.components(), 2);
        for k in 0..2 {
            let values = all.iter().map(|f| f64::from(projection.apply(f)[k]));
            let (sum, square) = values.fold((0.0, 0.0), |(s, q), v| (s + v, q + v * v));
            assert!(sum.abs() < 1e-5 && (square / 12.0 - 1.0).abs() < 1e-5);
        }
        assert_eq!(Projection::new(&all[..2]).components(), 0);
        let far = projection.apply(&[1e9, 0.0, 2e9]);
        assert!(far.iter().all(|v| v.abs() <= 2.5));
    }
}
