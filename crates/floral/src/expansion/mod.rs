//! Expansion: what a run of a regression holds, a conditional Karhunen-Loeve expansion.
//!
//! Mean, deviation and what is not known come from [`regression`](crate::regression), and so do
//! Gaussian factors. Where the realizations of the training inputs are far from normal
//! (`shape`), a network of factors and a flow of their coefficients ([`heads`](crate::heads))
//! are `learned`, and kept if inputs held out say that their realizations are closer to the truth.
//! [`Draws`] makes realizations of one input.

mod conditions;
mod draws;
mod learned;
mod scales;
mod shape;
mod stored;
#[cfg(test)]
mod tests;

pub use draws::Draws;
pub use learned::EnergyScores;

use floral_linalg::Mat;

use crate::Result;
use crate::observer::Observer;
use crate::regression::{Case, Channels, Kriging, Lattice, Prediction, Query, Recipe, Symmetries};
use learned::Learned;
use scales::{ChannelScales, ScaledCase};

/// A fitted expansion.
pub struct Expansion {
    kriging: Kriging,
    learned: Option<Learned>,
    /// Energy scores at inputs held out with normal and with learned coefficients; none if learning
    /// was not tried.
    energy: Option<EnergyScores>,
    /// The units in which it is fitted.
    scales: ChannelScales,
}

/// What an expansion is fitted to.
#[derive(Clone, Copy)]
pub struct Material<'a> {
    /// The grid.
    pub lattice: &'a Lattice,
    /// Channels of input and solution.
    pub channels: Channels,
    /// Motions of inputs that move their solutions likewise.
    pub symmetries: &'a Symmetries,
    /// Training inputs.
    pub cases: &'a [Case<'a>],
    /// Inputs that choose and calibrate; where there are none, training inputs do.
    pub held_out: &'a [Case<'a>],
}

impl Expansion {
    /// Fits the regressions of a recipe and, of a blend and if asked, tries to learn a law that is
    /// not normal.
    pub fn fit(
        (recipe, learns): (Recipe, bool),
        material: &Material<'_>,
        seed: u64,
        observer: &dyn Observer,
    ) -> Result<Self> {
        let scales = ChannelScales::of(material);
        let [cases, held_out] = [material.cases, material.held_out].map(|cases| {
            let scaled = cases.iter().map(|case| scales.case(case, material.lattice));
            scaled.collect::<Vec<_>>()
        });
        let [cases, held_out] =
            [&cases, &held_out].map(|cases| cases.iter().map(ScaledCase::case).collect::<Vec<_>>());
        let material = Material {
            cases: &cases,
            held_out: &held_out,
            ..*material
        };
        let fitted = Self::fit_in_units((recipe, learns), &material, seed, observer)?;
        Ok(Self { scales, ..fitted })
    }

    /// Fits to cases whose channels weigh alike.
    fn fit_in_units(
        (recipe, learns): (Recipe, bool),
        material: &Material<'_>,
        seed: u64,
        observer: &dyn Observer,
    ) -> Result<Self> {
        let kriging = Kriging::fit(
            recipe,
            material.lattice,
            material.channels,
            material.symmetries,
            material.cases,
            material.held_out,
            observer,
        )?;
        let mut expansion = Self {
            kriging,
            learned: None,
            energy: None,
            scales: ChannelScales::default(),
        };
        if !shape::is_far_from_normal(material) {
            return Ok(expansion);
        }
        expansion.kriging.keep_deviations();
        if learns && recipe == Recipe::Blend {
            expansion.learn(material, seed, observer)?;
        }
        Ok(expansion)
    }

    /// Mean and variances of the solution of a query.
    pub fn predict(&self, query: &Query<'_>) -> Result<Prediction> {
        let lattice = self.kriging.lattice();
        let scaled = self.scales.query(query, lattice);
        let prediction = self.kriging.predict(&scaled.query())?;
        Ok(self.scales.restored(prediction, lattice.len()))
    }

    /// What draws realizations of the solution of a query.
    pub fn draws(&self, query: &Query<'_>) -> Result<Draws<'_>> {
        let scaled = self.scales.query(query, self.kriging.lattice());
        let draws = Draws::new(&self.kriging, self.learned.as_ref(), &scaled.query())?;
        Ok(draws.restored(&self.scales, self.kriging.lattice().len()))
    }

    /// How far errors of the mean at queries go together, given the training inputs: [query, query].
    pub(crate) fn error_correlations(&self, queries: &[Query<'_>]) -> Result<Mat<f64>> {
        let lattice = self.kriging.lattice();
        let scaled = queries
            .iter()
            .map(|query| self.scales.query(query, lattice));
        let scaled: Vec<ScaledCase<'_>> = scaled.collect();
        let queries: Vec<Query<'_>> = scaled.iter().map(ScaledCase::query).collect();
        self.kriging.error_correlations(&queries)
    }

    /// The regressions.
    pub fn kriging(&self) -> &Kriging {
        &self.kriging
    }

    /// Energy scores at inputs held out with normal and with learned coefficients; none if learning
    /// was not tried, because the realizations look normal or the inputs are too few.
    pub fn energy(&self) -> Option<EnergyScores> {
        self.energy
    }

    /// Whether coefficients come from a learned law.
    pub fn is_learned(&self) -> bool {
        self.learned.is_some()
    }
}
