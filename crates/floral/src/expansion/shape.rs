//! The shape of the realizations' law: whether normal coefficients can have it.

use super::Material;
use crate::regression::Case;

/// Mean squared skewness over points beyond which a law is far from normal.
const SKEWNESS: f64 = 0.25;

/// Mean squared excess kurtosis over points beyond which it is.
const KURTOSIS: f64 = 1.0;

/// Realizations below which the shape of a law cannot be told.
const FEWEST: usize = 12;

/// Whether skewness or kurtosis of the training inputs' realizations is beyond what their number
/// makes of normal ones.
pub(super) fn is_far_from_normal(material: &Material<'_>) -> bool {
    let shapes: Vec<Shape> = material
        .cases
        .iter()
        .filter_map(|case| Shape::of(case, material))
        .collect();
    let count = shapes.len() as f64;
    let mean = |of: fn(&Shape) -> f64| shapes.iter().map(of).sum::<f64>() / count;
    count > 0.0 && (mean(|s| s.skewness) > SKEWNESS || mean(|s| s.kurtosis) > KURTOSIS)
}

/// Mean squares over points, less what chance makes of normal realizations.
struct Shape {
    skewness: f64,
    kurtosis: f64,
}

impl Shape {
    fn of(case: &Case<'_>, material: &Material<'_>) -> Option<Self> {
        let points = case.points.map_or(material.lattice.len(), <[usize]>::len);
        let values = points * material.channels.solution;
        let count = case.realizations.len() / values.max(1);
        if count < FEWEST {
            return None;
        }
        let n = count as f64;
        let of_value = |v: usize| {
            let all = || case.realizations.iter().skip(v).step_by(values);
            let mean = all().sum::<f64>() / n;
            let moment = |k: i32| all().map(|r| (r - mean).powi(k)).sum::<f64>() / n;
            let square = moment(2);
            (square > 0.0).then(|| {
                let (skewness, kurtosis) = (
                    moment(3) / square.powf(1.5),
                    moment(4) / square.powi(2) - 3.0,
                );
                [skewness * skewness, kurtosis * kurtosis]
            })
        };
        let found: Vec<[f64; 2]> = (0..values).filter_map(of_value).collect();
        let mean = |k: usize| found.iter().map(|v| v[k]).sum::<f64>() / found.len().max(1) as f64;
        // Variances of both of n normal numbers.
        Some(Self {
            skewness: mean(0) - 6.0 / n,
            kurtosis: mean(1) - 24.0 / n,
        })
    }
}
