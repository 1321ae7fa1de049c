//! The methods: four of the paper, kriging, and the recommended default.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::kl::Recipe;
use crate::{Error, Result};

/// What is learned, and how: by a network in one of four formulations, or by closed-form
/// regression.
///
/// The input is a, low fidelity is l, and u is the solution, whose distribution given a is learned:
///
/// | method | learns | by |
/// |---|---|---|
/// | [`Fno`](Self::Fno) | E\[u\] | a Fourier neural operator (Li et al., 2021) |
/// | [`ResidualFno`](Self::ResidualFno) | E\[u - l\] | the same |
/// | [`Flora`](Self::Flora) | distribution of u | flow matching (Lipman et al., 2023) in function space |
/// | [`Floral`](Self::Floral) | distribution of u - l | the same (Bhola & Duraisamy) |
/// | [`Kriging`](Self::Kriging) | distribution of u - l | Gaussian process regression (Rasmussen & Williams, 2006) |
/// | [`FloralKl`](Self::FloralKl) | distribution of u - l | a conditional Karhunen-Loève expansion |
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
    /// Network regression of the mean solution.
    Fno,
    /// Network regression of the mean residual.
    ResidualFno,
    /// Flow that learns the distribution of the solution.
    Flora,
    /// Flow that learns the distribution of the residual.
    Floral,
    /// Kernel regression of mean and spread, in closed form.
    Kriging,
    /// Mean and Karhunen-Loeve factors from a blend of regressions: the recommended method.
    #[default]
    FloralKl,
}

impl Method {
    /// All methods: those of the paper in the order of its tables, then kriging and floral-kl.
    pub const ALL: [Self; 6] = [
        Self::Fno,
        Self::ResidualFno,
        Self::Flora,
        Self::Floral,
        Self::Kriging,
        Self::FloralKl,
    ];

    /// The four methods of the paper.
    pub const PAPER: [Self; 4] = [Self::Fno, Self::ResidualFno, Self::Flora, Self::Floral];

    /// Whether the method requires a low-fidelity solution.
    pub fn needs_low(self) -> bool {
        matches!(self, Self::ResidualFno | Self::Floral)
    }

    /// Whether the method uses a low-fidelity solution if there is one.
    pub fn uses_low(self) -> bool {
        self.needs_low() || self.recipe().is_some()
    }

    /// Whether the method predicts realizations rather than one field.
    pub fn is_generative(self) -> bool {
        self.is_flow() || self.recipe().is_some()
    }

    /// Whether realizations are integrated from draws of a prior.
    pub fn is_flow(self) -> bool {
        matches!(self, Self::Flora | Self::Floral)
    }

    /// Recipe of the regressions; `None` for a network.
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

    /// Name in print.
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

    /// Name in settings and on the command line.
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
