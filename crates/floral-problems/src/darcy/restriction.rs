//! How the coarse solver gets its permeability from the fine grid.

use serde::{Deserialize, Serialize};

use crate::grid::{Interpolation, Thinning};

/// The permeability that the low-fidelity solver gets at its m nodes from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Coarse {
    /// The value at every `coarsening`-th node, as in the paper's text. The last coarse node then
    /// has the permeability of a point slightly before the wall.
    #[default]
    Nodes,
    /// The value at the same position, linear between fine nodes, as in the code behind the paper's
    /// tables.
    Interpolation,
}

impl Coarse {
    /// From n x n nodes to m x m nodes, where m divides n.
    pub(super) fn restriction(self, n: usize, m: usize) -> Restriction {
        match self {
            Self::Nodes => Restriction::Thinning(Thinning::every(&[n, n], &[n / m; 2])),
            Self::Interpolation => {
                Restriction::Interpolation(Interpolation::between_nodes(&[n, n], &[m, m]))
            }
        }
    }
}

/// A map from the fine nodes to the coarse ones.
pub(super) enum Restriction {
    Thinning(Thinning),
    Interpolation(Interpolation),
}

impl Restriction {
    /// field: \[x, y\] on the fine nodes -> \[x, y\] on the coarse ones.
    pub fn apply(&self, field: &[f64]) -> Vec<f64> {
        match self {
            Self::Thinning(thinning) => thinning.apply(field),
            Self::Interpolation(interpolation) => interpolation.apply(field),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bilinear(n: usize) -> Vec<f64> {
        let at = |i: usize| i as f64 / (n - 1) as f64;
        let value = |x: f64, y: f64| 4.0 + 2.0 * x - 3.0 * y + 5.0 * x * y;
        (0..n * n).map(|k| value(at(k / n), at(k % n))).collect()
    }

    fn largest_difference(coarse: Coarse, n: usize, m: usize) -> f64 {
        let found = coarse.restriction(n, m).apply(&bilinear(n));
        let gaps = found.iter().zip(bilinear(m)).map(|(a, b)| (a - b).abs());
        gaps.fold(0.0, f64::max)
    }

    #[test]
    fn interpolation_is_exact_for_bilinear_fields_and_every_fourth_node_is_not() {
        for (n, m) in [(64, 16), (16, 8), (12, 12)] {
            assert!(largest_difference(Coarse::Interpolation, n, m) < 1e-14);
        }
        // The last of 16 nodes takes the value of the 60th of 64, three spacings before the corner;
        // the slopes at the corner are 7 and 2.
        let difference = largest_difference(Coarse::Nodes, 64, 16);
        assert!((difference - (7.0 + 2.0 - 5.0 * 3.0 / 63.0) * 3.0 / 63.0).abs() < 1e-14);
    }
}
