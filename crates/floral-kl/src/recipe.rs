//! Which families of regressions a fit may choose from.

use serde::{Deserialize, Serialize};

/// Which families are fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Recipe {
    /// Kernel regression alone: multi-fidelity kriging as engineers use it.
    Kernels,
    /// All families, weighted by their errors at inputs they have not seen.
    Blend,
    /// The blend without one of its parts: a row of an ablation.
    Without(Part),
}

/// A part of the default method that an ablation leaves out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// Constant fields among the candidates.
    Constants,
    /// Local polynomials and local processes.
    Local,
    /// Kernels of whole fields.
    Kernels,
    /// Processes with a length per coordinate.
    Processes,
    /// The search for symmetries and periodic axes.
    Symmetries,
    /// The network on the error of the blend.
    Network,
    /// Factors by which variances are calibrated.
    Calibration,
}

impl Recipe {
    /// Whether the recipe includes a part.
    pub fn has(self, part: Part) -> bool {
        match self {
            Self::Kernels => matches!(part, Part::Constants | Part::Kernels | Part::Calibration),
            Self::Blend => true,
            Self::Without(left_out) => left_out != part,
        }
    }
}
