//! The blends of mean and variance: the problems that their candidates are fitted to.

use std::time::Instant;

use super::blend::{Blend, Verdict};
use super::candidates;
use super::case::Framed;
use super::expansion::Material;
use super::folds::Folds;
use super::moments::{self, Moments};
use super::problem::{Base, Problem, View};
use super::stack::Learner;
use super::stacking::Stacking;
use super::target::{Examples, Parity, Sample};
use super::units::Units;
use super::{Lattice, Part, Recipe, Symmetries};
use crate::Result;
use crate::observer::Observer;

/// Moments of training inputs and of held-out inputs, in units of the fit.
pub(super) struct Known<'a> {
    pub train: Moments<'a>,
    /// Empty if training inputs judge.
    pub held: Moments<'a>,
}

impl<'a> Known<'a> {
    /// The moments of cases that are in units of the fit.
    pub(super) fn new(material: &Material<'a>) -> Self {
        let Material {
            lattice,
            channels,
            symmetries,
            cases,
            held_out,
        } = *material;
        let interpolation = moments::interpolation(lattice, channels, symmetries, cases);
        let moments =
            |cases| Moments::new(lattice, channels, symmetries, cases, interpolation.as_ref());
        Self {
            train: moments(cases),
            held: moments(held_out),
        }
    }

    /// Whether inputs are held out.
    pub(super) fn has_held(&self) -> bool {
        !self.held.framed.is_empty()
    }

    /// The inputs that judge.
    pub(super) fn judges(&self) -> &Moments<'a> {
        match self.has_held() {
            true => &self.held,
            false => &self.train,
        }
    }
}

/// What the fits of mean and variance have in common.
pub(super) struct Fit<'a> {
    pub recipe: Recipe,
    pub lattice: &'a Lattice,
    pub symmetries: &'a Symmetries,
    pub folds: &'a Folds,
    pub learner: Option<&'a dyn Learner>,
    pub observer: &'a dyn Observer,
}

impl Fit<'_> {
    /// Whether any input judges: one that is held out, or left out with its fold.
    pub(super) fn is_judged(&self, known: &Known<'_>) -> bool {
        known.has_held() || self.folds.count() > 1
    }

    fn examples<'s>(&'s self, parity: Parity, train: Sample<'s>, held: Sample<'s>) -> Examples<'s> {
        Examples {
            train,
            held,
            parity,
            folds: self.folds,
        }
    }

    /// The blend of the mean residual, and its verdict on the judging inputs.
    pub(super) fn mean(&self, known: &Known<'_>, units: &Units) -> Result<(Blend, Verdict)> {
        let Known { train, held } = known;
        let examples = |train, held| self.examples(Parity::Odd, train, held);
        let mut views = vec![View {
            base: Base::Low,
            examples: examples(train.means(), held.means()),
            candidates: self.recipe.mean(),
        }];
        let hidden = [train, held].map(Moments::alone);
        let solutions = [train, held].map(Moments::solutions);
        let mut constants = Vec::new();
        if train.has_low() {
            views.push(View {
                base: Base::Input,
                examples: examples(
                    train.about_nothing(&hidden[0], &solutions[0]),
                    held.about_nothing(&hidden[1], &solutions[1]),
                ),
                candidates: self.recipe.mean_by_input(),
            });
            let zero = vec![0.0; units.solution().len()];
            constants.push(("low with its mean bias", zero));
            constants.push(("low", units.bias_of_low()));
            if !self.is_judged(known) && !is_low_informative(train) {
                constants.clear();
                views.swap(0, 1);
                views.swap_remove(1);
            }
        }
        let problem = Problem {
            lattice: self.lattice,
            symmetries: self.symmetries,
            views,
            around: None,
            zeros: units.zeros_of_input(),
            has_constants: self.recipe.has(Part::Constants),
            constants,
        };
        let start = Instant::now();
        let (mut blend, mut verdict) = candidates::blended(&problem, self.observer)?;
        if let Some(learner) = self.learner {
            let stacking = Stacking {
                lattice: self.lattice,
                symmetries: self.symmetries,
                examples: examples(train.means(), held.means()),
                learner,
                observer: self.observer,
                // The variance takes at most about as long as the mean.
                reserved: start.elapsed(),
            };
            stacking.apply(&mut blend, &mut verdict)?;
        }
        Ok((blend, verdict))
    }

    /// The blend of the variance; `around` are the inputs with their predicted means.
    pub(super) fn variance(
        &self,
        known: &Known<'_>,
        around: &[Vec<Framed>; 2],
        units: &Units,
    ) -> Result<(Blend, Verdict)> {
        let Known { train, held } = known;
        let examples = |train, held| self.examples(Parity::Even, train, held);
        let hidden = [train, held].map(Moments::alone);
        let mut views = vec![View {
            base: Base::Low,
            examples: examples(train.spreads(&train.framed), held.spreads(&held.framed)),
            candidates: self.recipe.variance(),
        }];
        if train.has_low() {
            views.push(View {
                base: Base::Input,
                examples: examples(train.spreads(&hidden[0]), held.spreads(&hidden[1])),
                candidates: self.recipe.variance_by_input(),
            });
        }
        let around = examples(train.spreads(&around[0]), held.spreads(&around[1]));
        let problem = Problem {
            lattice: self.lattice,
            symmetries: self.symmetries,
            views,
            around: Some((around, self.recipe.variance_around())),
            zeros: units.zeros_of_input(),
            has_constants: self.recipe.has(Part::Constants),
            constants: Vec::new(),
        };
        candidates::blended(&problem, self.observer)
    }
}

/// Whether residuals vary less over the domain than solutions do; decides where no input can judge.
fn is_low_informative(train: &Moments<'_>) -> bool {
    let square = |fields: &[Vec<f64>]| fields.iter().flatten().map(|v| v * v).sum::<f64>();
    square(&train.residuals) < square(&train.solutions())
}
