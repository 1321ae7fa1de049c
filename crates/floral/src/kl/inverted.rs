//! Mean and variances of a normal distribution after inversion of a transform.
//!
//! At a point, the learned prediction is m + e + a with normal e (epistemic) and a (aleatoric).
//! With the inverse g of the transform, the parts of the variance follow from the law of total
//! variance: Var g = Var_e E_a g + E_e Var_a g.

use super::Prediction;
use crate::transform::{Transform, Transforms};

/// Number of nodes of the trapezoidal rule from -REACH to REACH. For a Gaussian weight its error is
/// about exp(-2 pi^2 / step^2), 6e-16 for a step of 0.75 (Trefethen & Weideman, 2014).
const NODES: usize = 25;
/// Integration limit in standard deviations.
const REACH: f64 = 9.0;

/// Quadrature nodes for a standard normal variable, with weights that sum to one.
struct Rule([(f64, f64); NODES]);

impl Rule {
    fn new() -> Self {
        let node = |i: usize| 2.0 * REACH * i as f64 / (NODES - 1) as f64 - REACH;
        let weight = |z: f64| (-0.5 * z * z).exp();
        let sum: f64 = (0..NODES).map(|i| weight(node(i))).sum();
        Self(std::array::from_fn(|i| (node(i), weight(node(i)) / sum)))
    }

    /// Mean and mean square of a function of a standard normal variable.
    fn moments(&self, of: impl Fn(f64) -> f64) -> (f64, f64) {
        self.0.iter().fold((0.0, 0.0), |(first, second), (z, w)| {
            let value = of(*z);
            (first + w * value, second + w * value * value)
        })
    }
}

/// Mean and the parts of the variance at one point.
struct Parts {
    mean: f64,
    aleatoric: f64,
    epistemic: f64,
}

/// The prediction of the solution from a prediction of its transform; exact if the latter is
/// normal.
pub(crate) fn inverted(
    transforms: &Transforms,
    prediction: &Prediction,
    points: usize,
) -> Prediction {
    let rule = Rule::new();
    let mut all = prediction.clone();
    for (channel, transform) in transforms.channels().iter().enumerate() {
        if transform.is_none() {
            continue;
        }
        for i in channel * points..(channel + 1) * points {
            let variances = [prediction.aleatoric[i], prediction.epistemic[i]];
            let deviations = variances.map(|v| v.max(0.0).sqrt());
            let parts = parts(&rule, *transform, prediction.mean[i], deviations);
            all.mean[i] = parts.mean;
            all.aleatoric[i] = parts.aleatoric;
            all.epistemic[i] = parts.epistemic;
        }
    }
    all
}

fn parts(rule: &Rule, transform: Transform, mean: f64, [aleatoric, epistemic]: [f64; 2]) -> Parts {
    let mut all = Parts {
        mean: 0.0,
        aleatoric: 0.0,
        epistemic: 0.0,
    };
    let mut square = 0.0;
    for (z, weight) in &rule.0 {
        let centre = mean + epistemic * z;
        let (first, second) = rule.moments(|z| transform.invert(centre + aleatoric * z));
        all.mean += weight * first;
        all.aleatoric += weight * (second - first * first).max(0.0);
        square += weight * first * first;
    }
    all.epistemic = (square - all.mean * all.mean).max(0.0);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prediction(mean: f64, aleatoric: f64, epistemic: f64) -> Prediction {
        Prediction {
            mean: vec![mean],
            aleatoric: vec![aleatoric],
            epistemic: vec![epistemic],
            novelty: 1.0,
        }
    }

    fn by(name: &str, prediction: &Prediction) -> Prediction {
        inverted(&Transforms::new(vec![name.parse().unwrap()]), prediction, 1)
    }

    /// E exp = exp(m + v / 2), Var_e E_a exp = (e^e - 1) (E exp)^2, all together (e^v - 1) (E exp)^2.
    #[test]
    fn the_logarithm_gives_a_log_normal_law() {
        for (a, e) in [(0.25, 0.09), (1.3, 0.26), (0.01, 0.0)] {
            let found = by("log", &prediction(0.3, a, e));
            let mean = (0.3 + 0.5 * (a + e)).exp();
            let square = mean * mean;
            assert!((found.mean[0] / mean - 1.0).abs() < 1e-9);
            let epistemic = e.exp_m1() * square;
            let total = (a + e).exp_m1() * square;
            assert!((found.epistemic[0] - epistemic).abs() < 1e-9 * square);
            assert!((found.total()[0] / total - 1.0).abs() < 1e-8);
        }
    }

    /// The square of a normal number of mean m and variance v has mean m^2 + v and variance
    /// 4 m^2 v + 2 v^2.
    #[test]
    fn the_root_gives_squares() {
        let found = by("sqrt", &prediction(2.0, 0.03, 0.01));
        let v = 0.04;
        assert!((found.mean[0] - (4.0 + v)).abs() < 1e-9);
        assert!((found.total()[0] - (16.0 * v + 2.0 * v * v)).abs() < 1e-9);
    }

    #[test]
    fn small_variances_follow_the_slope() {
        for name in ["log", "sqrt", "positive:0.5", "bounded:0:2"] {
            let transform: Transform = name.parse().unwrap();
            let at = transform.apply(0.7);
            let found = by(name, &prediction(at, 1e-8, 3e-8));
            let slope = (transform.invert(at + 1e-4) - transform.invert(at - 1e-4)) / 2e-4;
            assert!((found.mean[0] - 0.7).abs() < 1e-6, "{name}");
            assert!((found.aleatoric[0] / (slope * slope * 1e-8) - 1.0).abs() < 1e-4);
            assert!((found.epistemic[0] / (slope * slope * 3e-8) - 1.0).abs() < 1e-4);
        }
    }

    #[test]
    fn no_transform_changes_nothing() {
        let before = prediction(0.3, 0.1, 0.2);
        assert_eq!(by("none", &before), before);
    }
}
