//! The constants of Darcy flow and their checks.

use serde::{Deserialize, Serialize};

use super::coefficients::BOUNDS;
use super::{Coarse, Coefficients, NAME, Well, Wells};
use crate::Resolution;
use crate::random::{Family, Kernel};
use crate::{Error, Result};

/// The constants of Darcy flow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DarcyConfig {
    /// Nodes along x and y, which must be equal.
    pub resolution: Resolution,
    /// Factor by which the low-fidelity solver has fewer nodes along each axis.
    pub coarsening: usize,
    /// The permeability that the low-fidelity solver gets at these nodes.
    pub coarse: Coarse,
    /// The well where fluid enters.
    pub well: Well,
    /// Source inside the entry well.
    pub rate: f64,
    /// Side of the square wells.
    pub well_size: f64,
    /// The input: a = exp(G).
    pub permeability: Permeability,
    /// The unknown part of the permeability: K = a (1 + scale * eps).
    pub uncertainty: Uncertainty,
}

/// The field G with covariance exp(-r / length); it is Gaussian unless its coefficients are
/// uniform.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Permeability {
    /// Correlation length.
    pub length: f64,
    /// Number of Karhunen-Loeve modes.
    pub modes: usize,
    /// Distribution of their coefficients.
    pub coefficients: Coefficients,
    /// Bounds of uniform coefficients.
    pub bounds: [f64; 2],
}

/// The Gaussian field eps with covariance amplitude^2 exp(-r^2 / 2 length^2), and its scale.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Uncertainty {
    /// Magnitude of the relative perturbation of the permeability.
    pub scale: f64,
    /// Standard deviation of eps.
    pub amplitude: f64,
    /// Correlation length.
    pub length: f64,
    /// Number of Karhunen-Loeve modes.
    pub modes: usize,
}

impl Default for DarcyConfig {
    fn default() -> Self {
        let wells = Wells::default();
        Self {
            resolution: Resolution::Uniform(64),
            coarsening: 4,
            coarse: Coarse::default(),
            well: wells.well,
            rate: wells.rate,
            well_size: wells.size,
            permeability: Permeability::default(),
            uncertainty: Uncertainty::default(),
        }
    }
}

impl Default for Permeability {
    fn default() -> Self {
        Self {
            length: 0.1,
            modes: 32,
            coefficients: Coefficients::default(),
            bounds: BOUNDS,
        }
    }
}

impl Default for Uncertainty {
    fn default() -> Self {
        Self {
            scale: 0.1,
            amplitude: 1.0,
            length: 0.2,
            modes: 10,
        }
    }
}

impl DarcyConfig {
    /// Nodes per side of the fine and of the coarse grid.
    pub(super) fn sides(&self) -> Result<[usize; 2]> {
        let [x, y] = self.resolution.axes::<2>(NAME, 2)?;
        if x != y {
            return Err(refused(format!(
                "resolution {} is not square; choose the same number of nodes along x and y",
                self.resolution
            )));
        }
        if self.coarsening == 0 || !x.is_multiple_of(self.coarsening) || x < 2 * self.coarsening {
            return Err(refused(format!(
                "resolution {x} with coarsening {}; the coarse grid needs a whole number of \
                 nodes, at least 2: choose a coarsening that divides the resolution",
                self.coarsening
            )));
        }
        Ok([x, x / self.coarsening])
    }

    pub(super) fn wells(&self) -> Result<Wells> {
        let size_fits = self.well_size > 0.0 && self.well_size <= 1.0;
        if !(self.rate.is_normal() && self.rate > 0.0 && size_fits) {
            return Err(refused(format!(
                "rate = {}, well_size = {}; choose a positive rate and a size from 0 to 1",
                self.rate, self.well_size
            )));
        }
        Ok(Wells {
            well: self.well,
            rate: self.rate,
            size: self.well_size,
        })
    }
}

impl Permeability {
    pub(super) fn kernel(&self) -> Result<Kernel> {
        let [low, high] = self.bounds;
        if !(low.is_finite() && high.is_finite() && low < high) {
            return Err(refused(format!(
                "permeability.bounds = [{low}, {high}]; choose two numbers, the smaller first"
            )));
        }
        Kernel::new(Family::Exponential, self.length, 1.0)
    }
}

impl Uncertainty {
    pub(super) fn kernel(&self) -> Result<Kernel> {
        if !(self.scale >= 0.0 && self.scale.is_finite()) {
            return Err(refused(format!(
                "uncertainty.scale = {}; choose a finite number, zero or more",
                self.scale
            )));
        }
        Kernel::new(Family::Rbf, self.length, self.amplitude)
    }
}

fn refused(reason: String) -> Error {
    Error::unsolvable(NAME, reason)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::darcy::Darcy;

    fn refusal(text: &str) -> String {
        match toml::from_str(text) {
            Ok(config) => Darcy::new(config).err().unwrap().to_string(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn constants_survive_a_walk_through_toml() {
        let config = DarcyConfig::default();
        let text = toml::to_string(&config).unwrap();
        assert_eq!(toml::from_str::<DarcyConfig>(&text).unwrap(), config);
        let changed: DarcyConfig =
            toml::from_str("well = \"corner\"\nuncertainty.scale = 0.2").unwrap();
        assert_eq!(changed.well, Well::Corner);
        assert_eq!(changed.uncertainty.length, 0.2);
    }

    #[test]
    fn the_law_of_the_reference_survives_too_and_both_are_documented() {
        let text = "coarse = \"interpolation\"\n\
                    permeability = { coefficients = \"uniform\", bounds = [0.5, 2.0] }";
        let config: DarcyConfig = toml::from_str(text).unwrap();
        let written = toml::to_string(&config).unwrap();
        assert_eq!(toml::from_str::<DarcyConfig>(&written).unwrap(), config);
        let usual = toml::to_string(&DarcyConfig::default()).unwrap();
        let words = ["coarse =", "coefficients", "bounds"];
        let contains_all = |text: &str| words.iter().all(|word| text.contains(word));
        assert!(contains_all(&written) && contains_all(&usual));
    }

    #[test]
    fn bad_constants_are_refused_with_the_reason() {
        for (text, reason) in [
            ("resolution = [16, 32]", "not square"),
            ("resolution = 18", "divides the resolution"),
            ("resolution = 4", "at least 2"),
            ("coarsening = 0", "divides the resolution"),
            ("rate = 0", "positive rate"),
            ("well_size = 2", "size from 0 to 1"),
            ("uncertainty.scale = -1", "zero or more"),
            ("uncertainty.length = 0", "length = 0"),
            ("permeability.length = nan", "positive and finite"),
            ("resolution = 8\npermeability.modes = 65", "65 modes"),
            ("well = \"edge\"", "edge"),
            ("wells = 3", "unknown field"),
            ("coarse = \"average\"", "average"),
            ("permeability.coefficients = \"cauchy\"", "cauchy"),
            ("permeability.bounds = [2, 1]", "the smaller first"),
        ] {
            let refusal = refusal(text);
            assert!(refusal.contains(reason), "{text}: {refusal}");
        }
    }
}
