//! The methods: the paper's four, kriging, and the one we recommend.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::kl::Recipe;
use crate::{Error, Result};

/// What is learned, and by what: one network in four formulations, or closed-form regression.
///
/// With the input a, low fidelity l and the solution u, whose law given a is learned:
///
/// | method | learns | by |
/// |---|---|---|
/// | [`Fno`](Self::Fno) | E\[u\] | a Fourier neural operator (Li et al., 2021) |
/// | [`ResidualFno`](Self::ResidualFno) | E\[u - l\] | the same |
/// | [`Flora`](Self::Flora) | the law of u | flow matching (Lipman et al., 2023) in function space |
/// | [`Floral`](Self::Floral) | the law of u - l | the same (Bhola & Duraisamy) |
/// | [`Kriging`](Self::Kriging) | the law of u - l | Gaussian process regression (Rasmussen & Williams, 2006) |
/// | [`FloralKl`](Self::FloralKl) | the law of u - l | a conditional Karhunen-Loève expansion |
///
/// ```
/// use floral::train::Method;
///
/// assert_eq!("floral-kl".parse::<Method>()?, Method::FloralKl);
/// assert!(Method::Floral.is_flow() && !Method::Fno.is_generative());
/// # Ok::<(), floral::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Regression of the solution.
    Fno,
    /// Regression of the residual to the low-fidelity solution.
    ResidualFno,
    /// The distribution of the solution.
    Flora,
    /// The distribution of the residual to the low-fidelity solution.
    Floral,
    /// Kernel regression of mean and spread, in closed form.
    Kriging,
    /// Mean and Karhunen-Loeve factors from a blend of regressions: the recommended method.
    #[default]
    FloralKl,
}

impl Method {
    /// All methods: the paper's in the order of its tables, then ours.
    pub const ALL: [Self; 6] = [
        Self::Fno,
        Self::ResidualFno,
        Self::Flora,
        Self::Floral,
        Self::Kriging,
        Self::FloralKl,
    ];

    /// The paper's four.
    pub const PAPER: [Self; 4] = [Self::Fno, Self::ResidualFno, Self::Flora, Self::Floral];

    /// Whether it cannot do without a low-fidelity solution.
    pub fn needs_low(self) -> bool {
        matches!(self, Self::ResidualFno | Self::Floral)
    }

    /// Whether it looks at a low-fidelity solution that is there.
    pub fn uses_low(self) -> bool {
        self.needs_low() || self.recipe().is_some()
    }

    /// Whether it returns samples rather than one field.
    pub fn is_generative(self) -> bool {
        self.is_flow() || self.recipe().is_some()
    }

    /// Whether its samples are integrated from a prior.
    pub fn is_flow(self) -> bool {
        matches!(self, Self::Flora | Self::Floral)
    }

    /// The regressions it is made of; none of a network.
    pub fn recipe(self) -> Option<Recipe> {
        match self {
            Self::Kriging => Some(Recipe::Kernels),
            Self::FloralKl => Some(Recipe::Blend),
            Self::Fno | Self::ResidualFno | Self::Flora | Self::Floral => None,
        }
    }

    /// Refuses a method that this build lacks.
    pub fn check_build(self) -> Result<()> {
        #[cfg(not(feature = "networks"))]
        if self.recipe().is_none() {
            return Err(crate::no_networks::refusal(format!("method {self}")));
        }
        Ok(())
    }

    /// The name in print.
    pub fn title(self) -> &'static str {
        match self {
            Self::Fno => "FNO",
            Self::ResidualFno => "Residual FNO",
            Self::Flora => "FLORA",
            Self::Floral => "FLORAL",
            Self::Kriging => "Kriging",
            Self::FloralKl => "FLORAL-KL",
        }
    }

    /// The name by which users ask for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fno => "fno",
            Self::ResidualFno => "residual-fno",
            Self::Flora => "flora",
            Self::Floral => "floral",
            Self::Kriging => "kriging",
            Self::FloralKl => "floral-kl",
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
            .ok_or_else(|| {
                Error::unknown_name("method", name, Self::ALL.map(Self::name).join(", "))
            })
    }
}
