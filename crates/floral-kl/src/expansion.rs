//! The expansion: mean, spread and law of a solution from a few training inputs; `fitting` fits it.
//!
//! A realization of the solution of an input is modelled as
//!
//!   u = low + r + sum_k c_k f_k + remainder + e,
//!
//! a conditional Karhunen-Loeve expansion. The mean residual r and the variance are each a `blend`
//! of regressions. Coefficients c_k and factors f_k come from runs of training inputs that resemble
//! the new one (`law`); e is the epistemic part, the error of the mean (`epistemic`). `calibration`
//! sets the width of intervals. All of it is computed in `units` of the fit.

use super::blend::{Blend, MemberScore};
use super::calibration::Calibration;
use super::case::{Case, Channels, Framed, Query, mixed_low};
use super::epistemic::Epistemic;
use super::fixed::Fixed;
use super::kept::LeftOut;
use super::kernel::Neighbours;
use super::law::{Law, LawKind};
use super::prediction::Prediction;
use super::support::Support;
use super::target::Parity;
use super::units::{ScaledQuery, Units};
use super::{Lattice, Symmetries, Symmetry};
use crate::Result;

/// The data that an expansion is fitted to.
#[derive(Clone, Copy)]
pub struct Material<'a> {
    /// The grid.
    pub lattice: &'a Lattice,
    /// Channels of input and solution.
    pub channels: Channels,
    /// Motions under which solutions move with their inputs.
    pub symmetries: &'a Symmetries,
    /// Training inputs.
    pub cases: &'a [Case<'a>],
    /// Inputs by which candidates are chosen and weighted and variances calibrated. If there are
    /// none, training inputs take their place, each left out of the fit that it judges.
    pub held_out: &'a [Case<'a>],
}

/// A fitted expansion.
pub struct Expansion {
    pub(super) lattice: Lattice,
    pub(super) channels: Channels,
    pub(super) symmetries: Symmetries,
    pub(super) units: Units,
    /// The training inputs.
    pub(super) framed: Vec<Framed>,
    /// Mean residuals of the training inputs, from which `design` learns correlations of errors:
    /// [input][value].
    pub(super) residuals: Vec<Vec<f32>>,
    pub(super) mean: Blend,
    pub(super) variance: Option<Blend>,
    pub(super) law: Option<Law>,
    pub(super) neighbours: Neighbours,
    pub(super) epistemic: Epistemic,
    /// Factors of calibration, one pair per channel.
    pub(super) calibration: Vec<Calibration>,
    pub(super) least_variance: f64,
    pub(super) fixed: Fixed,
    pub(super) support: Support,
    /// Judging inputs with predictions made without them, by which other quantities are calibrated.
    pub(super) left_out: Option<LeftOut>,
}

impl Expansion {
    /// Mean and variances of the solution of a query.
    pub fn predict(&self, query: &Query<'_>) -> Result<Prediction> {
        let scaled = self.scaled(query)?;
        let prediction = self.prediction(&Framed::new(&scaled.query(), &self.symmetries));
        Ok(self.finished(prediction))
    }

    /// Converts a prediction to the units of the data, and clips its mean to the support.
    pub(super) fn finished(&self, prediction: Prediction) -> Prediction {
        let points = self.lattice.len();
        let mut prediction = self.units.restored(prediction, points);
        self.support.bound(&mut prediction.mean, points);
        prediction
    }

    /// The candidates for the mean, and their scores at judging inputs.
    pub fn mean_scores(&self) -> &[MemberScore] {
        &self.mean.scores
    }

    /// The candidates for the variance; none if no variance was learned.
    pub fn variance_scores(&self) -> &[MemberScore] {
        self.variance.as_ref().map_or(&[], |blend| &blend.scores)
    }

    /// Whether the law at every point is normal.
    pub fn is_normal(&self) -> bool {
        let kind = self.law.as_ref().map(|law| law.kind);
        self.support.is_none() && kind.is_none_or(|kind| kind == LawKind::Normal)
    }

    /// The lattice of inputs and solutions.
    pub fn lattice(&self) -> &Lattice {
        &self.lattice
    }

    /// The symmetries that were declared or found.
    pub fn symmetries(&self) -> &[Symmetry] {
        &self.symmetries.declared
    }

    /// Numbers of channels of inputs and solutions.
    pub fn channels(&self) -> Channels {
        self.channels
    }

    pub(super) fn scaled(&self, query: &Query<'_>) -> Result<ScaledQuery> {
        self.channels.check(&self.lattice, query)?;
        if query.low.is_some() == self.framed[0].low.is_empty() {
            return Err(mixed_low());
        }
        Ok(self.units.query(query, &self.lattice))
    }

    pub(super) fn framed(&self, query: &Query<'_>) -> Result<Framed> {
        Ok(Framed::new(&self.scaled(query)?.query(), &self.symmetries))
    }

    /// Mean and calibrated variances of a framed query, in units of the fit.
    pub(super) fn prediction(&self, framed: &Framed) -> Prediction {
        let mut mean = self.mean.predict(framed, None);
        let around = framed.around(&over(mean.clone(), framed.size));
        for (value, low) in mean.iter_mut().zip(&framed.low) {
            *value += low * framed.size;
        }
        let square = Parity::Even.size(framed);
        let least = self.least_variance * square;
        let variance = self.variance.as_ref();
        let variance = variance.map(|blend| blend.predict(framed, Some(&around)));
        let aleatoric = variance.unwrap_or_else(|| vec![0.0; mean.len()]);
        let novelty = self.mean.novelty(framed, self.neighbours.distance(framed));
        let unknown = self.epistemic.growth(novelty) * square;
        let epistemic = self.epistemic.variance.iter().map(|v| v * unknown);
        let mut prediction = Prediction {
            mean,
            aleatoric,
            epistemic: epistemic.collect(),
            novelty,
        };
        self.apply_calibration(&mut prediction, framed.size, least);
        prediction
    }

    /// Calibrates a prediction in units of the fit, for an input of this size; `least` is the least
    /// aleatoric variance.
    pub(super) fn apply_calibration(&self, prediction: &mut Prediction, size: f64, least: f64) {
        let Prediction {
            mean,
            aleatoric,
            epistemic,
            ..
        } = prediction;
        for place in 0..mean.len() {
            let Calibration {
                epistemic: own,
                total,
            } = self.calibration[place / self.lattice.len()];
            let floor = if self.law.is_some() { least } else { 0.0 };
            aleatoric[place] = match self.fixed.varies(place) {
                true => total * aleatoric[place].max(floor),
                false => 0.0,
            };
            epistemic[place] *= total * own;
            if let Some(value) = self.fixed.value(place) {
                mean[place] = value * size;
                epistemic[place] = 0.0;
            }
        }
    }
}

pub(super) fn over(mut values: Vec<f64>, size: f64) -> Vec<f64> {
    values.iter_mut().for_each(|value| *value /= size);
    values
}
