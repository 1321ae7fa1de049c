//! The four methods: what is learned, and from what.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// One network, four formulations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Regression of the solution.
    Fno,
    /// Regression of the gap to the low-fidelity solution.
    ResidualFno,
    /// The distribution of the solution.
    Flora,
    /// The distribution of the gap to the low-fidelity solution.
    Floral,
}

impl Method {
    /// All methods, in the order of the paper's tables.
    pub const ALL: [Self; 4] = [Self::Fno, Self::ResidualFno, Self::Flora, Self::Floral];

    /// Whether it learns the gap, and so needs a low-fidelity solution.
    pub fn is_residual(self) -> bool {
        matches!(self, Self::ResidualFno | Self::Floral)
    }

    /// Whether it returns samples rather than one field.
    pub fn is_generative(self) -> bool {
        matches!(self, Self::Flora | Self::Floral)
    }

    /// Its name in print.
    pub fn title(self) -> &'static str {
        match self {
            Self::Fno => "FNO",
            Self::ResidualFno => "Residual FNO",
            Self::Flora => "FLORA",
            Self::Floral => "FLORAL",
        }
    }

    /// The name by which users ask for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fno => "fno",
            Self::ResidualFno => "residual-fno",
            Self::Flora => "flora",
            Self::Floral => "floral",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Method {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|method| method.name() == name)
            .ok_or_else(|| Error::UnknownName {
                kind: "method",
                name: name.to_owned(),
                known: Self::ALL.map(Self::name).join(", "),
            })
    }
}
