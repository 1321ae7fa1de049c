//! Which families of regressions a fit may choose from.

use serde::{Deserialize, Serialize};

/// What is fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Recipe {
    /// Kernel regression alone: multi-fidelity kriging as engineers use it.
    Kernels,
    /// Kernels and local regressions, weighed by inputs that were not trained on.
    Blend,
}
