//! Fitting an expansion: from training cases to blends, law, epistemic part and calibration.

use super::blend::{Blend, Verdict};
use super::calibration::Calibration;
use super::case::{self, Case, Framed};
use super::discovery::{Discovery, discover};
use super::epistemic::{Epistemic, Missed};
use super::expansion::{Expansion, Material, over};
use super::fixed::Fixed;
use super::folds::Folds;
use super::judged::Judged;
use super::kernel::Neighbours;
use super::law::{Law, LawKind};
use super::mean_and_variance::{Fit, Known};
use super::moments::Moments;
use super::outliers::{outliers, without};
use super::problem::Base;
use super::realizations::Realizations;
use super::stack::Learner;
use super::support::Support;
use super::units::{Scaled, Units};
use super::{Part, Recipe};
use crate::Result;
use crate::observer::{Event, Observer};

/// Least aleatoric variance as a share of the training inputs' mean variance, where anything varies
/// at all.
const LEAST_VARIANCE: f64 = 1e-3;

impl Expansion {
    /// Fits mean, spread and law to the cases.
    pub fn fit(
        recipe: Recipe,
        kind: LawKind,
        material: &Material<'_>,
        observer: &dyn Observer,
    ) -> Result<Self> {
        Self::fit_with(recipe, kind, material, None, observer)
    }

    /// Like [`Self::fit`], with networks stacked on the mean if they reduce its error.
    pub fn fit_with(
        recipe: Recipe,
        kind: LawKind,
        material: &Material<'_>,
        learner: Option<&dyn Learner>,
        observer: &dyn Observer,
    ) -> Result<Self> {
        let Material {
            lattice,
            channels,
            cases,
            held_out,
            ..
        } = *material;
        channels.check_all(lattice, cases, held_out)?;
        let fitting = Fitting {
            recipe,
            kind,
            learner,
            observer,
        };
        let is_single = |case: &Case<'_>| case.count(lattice, channels) == 1;
        if held_out.is_empty() || !cases.iter().chain(held_out).any(is_single) {
            return fitting.fitted(material);
        }
        // With single realizations the spread is learned from the errors of the mean at left-out
        // training inputs, so held-out inputs are more useful as training inputs.
        fitting.fitted(&Material {
            cases: &[cases, held_out].concat(),
            held_out: &[],
            ..*material
        })
    }
}

/// How an expansion is fitted.
struct Fitting<'a> {
    recipe: Recipe,
    kind: LawKind,
    learner: Option<&'a dyn Learner>,
    observer: &'a dyn Observer,
}

impl Fitting<'_> {
    /// Fits cases in the units of the data: leaves outliers out, finds symmetries, chooses units.
    fn fitted(&self, material: &Material<'_>) -> Result<Expansion> {
        let Material {
            lattice, channels, ..
        } = *material;
        let outliers = outliers(lattice, channels, material.cases);
        for outlier in &outliers {
            self.observer.observe(&Event::Outlier(outlier));
        }
        let kept = without(material.cases, &outliers, lattice, channels);
        let cleaned = material.cases.iter().zip(&kept);
        let cleaned = cleaned.map(|(case, kept)| Case {
            realizations: kept.as_ref().map_or(case.realizations, Realizations::from),
            ..*case
        });
        let mut cases: Vec<Case<'_>> = cleaned.collect();
        // Sorted, so that the fit does not depend on the order of the inputs.
        case::sort(&mut cases, lattice);
        let Discovery {
            lattice,
            symmetries,
            found,
        } = match self.recipe.has(Part::Symmetries) {
            false => Discovery::none(lattice, material.symmetries),
            true => discover(lattice, channels, material.symmetries, &cases)?,
        };
        if !found.is_empty() {
            self.observer.observe(&Event::Symmetries(&found));
        }
        let units = Units::new(&lattice, channels, &symmetries, &cases);
        let support = Support::new(&lattice, channels, &cases);
        let scaled = |case| units.case(case, &lattice);
        let train: Vec<Scaled<'_>> = cases.iter().map(scaled).collect();
        let held: Vec<Scaled<'_>> = material.held_out.iter().map(scaled).collect();
        let [train, held] =
            [&train, &held].map(|all| all.iter().map(Scaled::case).collect::<Vec<_>>());
        let material = Material {
            lattice: &lattice,
            symmetries: &symmetries,
            channels,
            cases: &train,
            held_out: &held,
        };
        self.fitted_in_units(&material, &units, support)
    }

    /// Fits cases in units of the fit.
    fn fitted_in_units(
        &self,
        material: &Material<'_>,
        units: &Units,
        support: Support,
    ) -> Result<Expansion> {
        let Material {
            lattice,
            channels,
            symmetries,
            cases,
            held_out,
        } = *material;
        let mut known = Known::new(material);
        let neighbours = Neighbours::new(lattice, symmetries, &known.train.framed);
        let folds = Folds::new(&neighbours.distinct(&known.train.framed, symmetries));
        let neighbours = neighbours.faded(&folds, &known.held.framed);
        let fit = Fit {
            recipe: self.recipe,
            lattice,
            symmetries,
            folds: &folds,
            learner: self.learner,
            observer: self.observer,
        };
        let (mean, verdict) = fit.mean(&known, units)?;
        if folds.count() > 1 {
            known.train.complete_variances(&verdict.errors);
        }
        let (epistemic, unknown) = epistemic(&fit, &known, &neighbours, &mean, &verdict);
        let train = &known.train;
        let mut fitted = Expansion {
            lattice: lattice.clone(),
            channels,
            symmetries: symmetries.clone(),
            units: units.clone(),
            mean,
            variance: None,
            law: None,
            neighbours,
            epistemic,
            calibration: vec![Calibration::NONE; channels.solution],
            least_variance: 0.0,
            fixed: Fixed::new(train, lattice, symmetries, folds.count()),
            framed: train.framed.clone(),
            residuals: train.residuals.iter().map(|r| singles(r)).collect(),
            support,
            left_out: None,
        };
        let spread = self.fit_spread(&mut fitted, &fit, cases, &known, &verdict)?;
        if fit.is_judged(&known) && self.recipe.has(Part::Calibration) {
            let judged = Judged {
                cases: if known.has_held() { held_out } else { cases },
                moments: known.judges(),
                unknown: &unknown,
                mean: &verdict,
                spread: spread.as_ref(),
                independent: match known.has_held() {
                    true => held_out.len(),
                    false => folds.count(),
                },
                is_held: known.has_held(),
            };
            fitted.calibrate(&judged, cases, self.kind);
            fitted.left_out = fitted.left_out(&judged, &folds);
        }
        Ok(fitted)
    }

    /// Fits variances and law; returns the verdict of the variance's blend on the judging inputs.
    fn fit_spread(
        &self,
        fitted: &mut Expansion,
        fit: &Fit<'_>,
        cases: &[Case<'_>],
        known: &Known<'_>,
        verdict: &Verdict,
    ) -> Result<Option<Verdict>> {
        let Known { train, held } = known;
        if !train.has_variances() {
            return Ok(None);
        }
        // Means as a new input would have them: left-out predictions, or those of the fit if
        // held-out inputs judge.
        let guesses = match known.has_held() {
            false => verdict.guesses.clone(),
            true => {
                let guess = |framed: &Framed| over(fitted.mean.predict(framed, None), framed.size);
                train.framed.iter().map(guess).collect()
            }
        };
        let around = [train.around(&guesses), held.around(&verdict.guesses)];
        fitted.least_variance = LEAST_VARIANCE * average(train.variances.iter().flatten());
        let (blend, verdict) = fit.variance(known, &around, &fitted.units)?;
        fitted.variance = Some(blend);
        let values = fitted.channels.solution * fitted.lattice.len();
        let sources = cases.iter().zip(&train.interpolated).zip(&train.framed);
        let sources = sources.map(|((case, interpolated), framed)| match interpolated {
            // Interpolated fields are framed already.
            Some(fields) => (fields.into(), 1.0),
            None => (case.realizations, framed.size),
        });
        let sources: Vec<(Realizations<'_>, f64)> = sources.collect();
        fitted.law = Law::new(self.kind, &sources, values, &fitted.lattice);
        Ok(Some(verdict))
    }
}

/// The epistemic part, and for every judging input its variance as learned from the others:
/// [judge][channel, point].
fn epistemic(
    fit: &Fit<'_>,
    known: &Known<'_>,
    neighbours: &Neighbours,
    mean: &Blend,
    verdict: &Verdict,
) -> (Epistemic, Vec<Vec<f64>>) {
    if !fit.is_judged(known) {
        let squares = unjudged_squares(mean, &known.train);
        return (Epistemic::unjudged(&squares, fit.lattice.len()), Vec::new());
    }
    let judges = known.judges();
    let errors = verdict.errors.iter().enumerate();
    let errors: Vec<Vec<f64>> = errors.map(|(i, e)| judges.completed(i, e)).collect();
    let group = |i: usize| match known.has_held() {
        true => i,
        false => fit.folds.of(i),
    };
    let missed = Missed {
        lattice: fit.lattice,
        symmetries: fit.symmetries,
        errors: &errors,
        judges,
        novelty: &verdict.novelty(&neighbours.judged(fit.folds, &known.held.framed)),
        groups: &(0..errors.len()).map(group).collect::<Vec<usize>>(),
    };
    missed.learned()
}

fn singles(values: &[f64]) -> Vec<f32> {
    values.iter().map(|v| *v as f32).collect()
}

/// The mean squared error, per channel, assumed of a mean that no input has judged: twice the mean
/// square over the domain of the residual, or of the solution if the mean is a mean solution. Two
/// independent fields differ by as much.
fn unjudged_squares(mean: &Blend, train: &Moments<'_>) -> Vec<f64> {
    let is_solution = mean
        .members
        .iter()
        .any(|(member, _)| member.base == Base::Input)
        || !train.has_low();
    let fields = match is_solution {
        true => train.solutions(),
        false => train.residuals.clone(),
    };
    let points = train.framed[0].points;
    let channels = fields[0].len() / points;
    let square = |channel: usize| {
        let own = fields
            .iter()
            .flat_map(|f| &f[channel * points..(channel + 1) * points]);
        let (count, sum) = own.fold((0.0, 0.0), |(n, s), v| (n + 1.0, s + v * v));
        2.0 * sum / count
    };
    (0..channels).map(square).collect()
}

fn average<'a>(values: impl Iterator<Item = &'a f64>) -> f64 {
    let (count, sum) = values.fold((0.0, 0.0), |(n, s), v| (n + 1.0, s + v));
    if count > 0.0 { sum / count } else { 0.0 }
}
