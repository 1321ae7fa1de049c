//! Covariances between two inputs as functions of their inner product and distance.

use serde::{Deserialize, Serialize};

/// A covariance of features of unit size. The constant 1 is added, for the mean of the targets.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) enum Covariance {
    /// 1 + the inner product: the target is linear in the features.
    Linear,
    /// 1 + exp(-d^2 / (2 length^2)).
    SquaredExponential {
        /// The correlation length, in the distance of features.
        length: f64,
    },
    /// 1 + (1 + r + r^2 / 3) exp(-r), r = sqrt(5) d / length: twice differentiable. A squared
    /// exponential assumes targets to be smoother than few inputs can show.
    Matern52 {
        /// The correlation length, in the distance of features.
        length: f64,
    },
}

impl Covariance {
    /// The covariance of inputs of squared norms `a` and `b` and inner product `inner`.
    pub(crate) fn between(self, a: f64, b: f64, inner: f64) -> f64 {
        match self {
            Self::Linear => 1.0 + inner,
            Self::SquaredExponential { length } => {
                let square = (a + b - 2.0 * inner).max(0.0);
                1.0 + (-0.5 * square / (length * length)).exp()
            }
            Self::Matern52 { length } => {
                1.0 + matern52((a + b - 2.0 * inner).max(0.0).sqrt() / length)
            }
        }
    }

    fn name(self) -> String {
        match self {
            Self::Linear => "kernel linear".into(),
            Self::SquaredExponential { length } => format!("kernel squared exponential {length}"),
            Self::Matern52 { length } => format!("kernel matern 5/2 {length}"),
        }
    }
}

/// (1 + r + r^2 / 3) exp(-r), r = sqrt(5) d, at a distance d.
pub(crate) fn matern52(distance: f64) -> f64 {
    let r = 5.0_f64.sqrt() * distance;
    (1.0 + r + r * r / 3.0) * (-r).exp()
}

/// A covariance, and the features that it compares.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Kernel {
    pub covariance: Covariance,
    /// The share of the input in the squared distance; low fidelity has the rest.
    pub share: f64,
    /// Width, as a share of each axis, of the filter that smooths fields before they are compared;
    /// zero for none.
    pub smoothing: f64,
}

impl Kernel {
    /// A name for tables.
    pub(crate) fn name(self) -> String {
        let (name, share, smoothing) = (self.covariance.name(), self.share, self.smoothing);
        format!("{name} share {share} smoothing {smoothing}")
    }
}
