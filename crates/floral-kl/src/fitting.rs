//! Fitting an expansion: from training cases to blends, law, epistemic part and calibration.

use std::time::Instant;

use super::blend::{Base, Blend, Problem, Verdict, View};
use super::calibration::Calibration;
use super::candidates;
use super::case::{self, Case, Channels, Framed};
use super::discovery::{Discovery, discover};
use super::epistemic::{Epistemic, Missed};
use super::expansion::{Expansion, Material, over};
use super::fixed::Fixed;
use super::folds::Folds;
use super::judged::Judged;
use super::kernel::Neighbours;
use super::law::{Law, LawKind};
use super::moments::{self, Moments};
use super::outliers::{Outlier, outliers};
use super::stack::Learner;
use super::stacking::Stacking;
use super::support::Support;
use super::target::{Examples, Parity};
use super::units::{Scaled, Units};
use super::{Lattice, Part, Recipe, Symmetries};
use crate::Result;
use crate::observer::{Event, Observer};

/// Predicted variances are at least this share of the training inputs' mean variance, where anything
/// varies at all.
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

    /// The same, with networks stacked on the mean where they gain.
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
        let is_single = |case: &Case<'_>| case.count(lattice, channels) == 1;
        if !held_out.is_empty() && cases.iter().any(is_single) {
            // What single realizations vary by is what the mean misses at inputs left out.
            let all = [cases, held_out].concat();
            let material = Material {
                cases: &all,
                held_out: &[],
                ..*material
            };
            return Self::fit_with(recipe, kind, &material, learner, observer);
        }
        let outliers = outliers(lattice, channels, cases);
        for outlier in &outliers {
            observer.observe(&Event::Outlier(outlier));
        }
        let cleaned = without(cases, &outliers, lattice, channels);
        let mut cases: Vec<Case<'_>> = cases
            .iter()
            .zip(&cleaned)
            .map(|(case, kept)| Case {
                realizations: kept.as_deref().unwrap_or(case.realizations),
                ..*case
            })
            .collect();
        // What a fit makes of its inputs does not depend on the order in which they come.
        case::sort(&mut cases, lattice);
        let Discovery {
            lattice,
            symmetries,
            found,
        } = match recipe.has(Part::Symmetries) {
            false => Discovery::none(lattice, material.symmetries),
            true => discover(lattice, channels, material.symmetries, &cases)?,
        };
        let (lattice, symmetries) = (&lattice, &symmetries);
        if !found.is_empty() {
            observer.observe(&Event::Symmetries(&found));
        }
        let units = Units::new(lattice, channels, symmetries, &cases);
        let support = Support::new(lattice, channels, &cases);
        let scaled = |case| units.case(case, lattice);
        let train: Vec<Scaled<'_>> = cases.iter().map(scaled).collect();
        let held: Vec<Scaled<'_>> = held_out.iter().map(scaled).collect();
        let [train, held] =
            [&train, &held].map(|all| all.iter().map(Scaled::case).collect::<Vec<_>>());
        let material = Material {
            lattice,
            symmetries,
            channels,
            cases: &train,
            held_out: &held,
        };
        let given = (units, support);
        Self::fit_in_units(recipe, kind, &material, given, (learner, observer))
    }

    fn fit_in_units(
        recipe: Recipe,
        kind: LawKind,
        material: &Material<'_>,
        (units, support): (Units, Support),
        (learner, observer): (Option<&dyn Learner>, &dyn Observer),
    ) -> Result<Self> {
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
        let (mut train, held) = (moments(cases), moments(held_out));
        let neighbours = Neighbours::new(lattice, symmetries, &train.framed);
        let folds = Folds::new(&neighbours.distinct(&train.framed, symmetries));
        let neighbours = neighbours.faded(&folds, &held.framed);
        let fit = Fit {
            recipe,
            lattice,
            symmetries,
            folds: &folds,
            learner,
            observer,
        };
        let (mean, verdict) = fit.mean(&train, &held, &units)?;
        if folds.count() > 1 {
            train.complete_variances(&verdict.errors);
        }
        let is_held = !held_out.is_empty();
        let judges = if is_held { &held } else { &train };
        let (epistemic, unknown) = if is_held || folds.count() > 1 {
            let errors = verdict.errors.iter().enumerate();
            let errors: Vec<Vec<f64>> = errors.map(|(i, e)| judges.completed(i, e)).collect();
            let group = |i: usize| if is_held { i } else { folds.of(i) };
            let missed = Missed {
                lattice,
                symmetries,
                errors: &errors,
                judges,
                novelty: &verdict.novelty(&neighbours.judged(&folds, &held.framed)),
                groups: &(0..errors.len()).map(group).collect::<Vec<usize>>(),
            };
            missed.learned()
        } else {
            let squares = unjudged_squares(&mean, &train);
            (Epistemic::unjudged(&squares, lattice.len()), Vec::new())
        };
        let mut fitted = Self {
            lattice: lattice.clone(),
            channels,
            symmetries: symmetries.clone(),
            units,
            mean,
            variance: None,
            law: None,
            neighbours,
            epistemic,
            calibration: vec![Calibration::NONE; channels.solution],
            least_variance: 0.0,
            fixed: Fixed::new(&train, lattice, symmetries, folds.count()),
            framed: train.framed.clone(),
            residuals: train.residuals.iter().map(|r| singles(r)).collect(),
            support,
        };
        let spread = fitted.fit_spread(&fit, kind, cases, &train, (&held, &verdict))?;
        if (is_held || folds.count() > 1) && recipe.has(Part::Calibration) {
            let judging = if is_held { held_out } else { cases };
            let independent = match is_held {
                true => held_out.len(),
                false => folds.count(),
            };
            let judged = Judged {
                cases: judging,
                moments: judges,
                unknown: &unknown,
                mean: &verdict,
                spread: spread.as_ref(),
                independent,
            };
            fitted.calibration = (0..channels.solution)
                .map(|channel| {
                    fitted.calibrated(&judged, channel, fitted.reach(cases, kind, channel))
                })
                .collect();
        }
        Ok(fitted)
    }

    /// Variances and law, and what the variances' blend says of the judging inputs.
    fn fit_spread(
        &mut self,
        fit: &Fit<'_>,
        kind: LawKind,
        cases: &[Case<'_>],
        train: &Moments,
        (held, verdict): (&Moments, &Verdict),
    ) -> Result<Option<Verdict>> {
        if !train.has_variances() {
            return Ok(None);
        }
        // Means as a new input's would be: guessed by the others, or at least not its own average.
        let guesses = if held.framed.is_empty() {
            verdict.guesses.clone()
        } else {
            let guess = |framed: &Framed| over(self.mean.predict(framed, None), framed.size);
            train.framed.iter().map(guess).collect()
        };
        let around = [train.around(&guesses), held.around(&verdict.guesses)];
        self.least_variance = LEAST_VARIANCE * average(train.variances.iter().flatten());
        let (blend, verdict) = fit.variance(train, held, &around, &self.units)?;
        self.variance = Some(blend);
        let values = self.channels.solution * self.lattice.len();
        let known = cases.iter().zip(&train.interpolated);
        let sizes = train.framed.iter().map(|framed| framed.size);
        let realizations: Vec<(&[f64], f64)> = known
            .zip(sizes)
            .map(|((case, interpolated), size)| match interpolated {
                // These are framed already.
                Some(fields) => (&fields[..], 1.0),
                None => (case.realizations, size),
            })
            .collect();
        self.law = Law::new(kind, &realizations, values, &self.lattice);
        Ok(Some(verdict))
    }
}

/// What fits of mean and variance share.
struct Fit<'a> {
    recipe: Recipe,
    lattice: &'a Lattice,
    symmetries: &'a Symmetries,
    folds: &'a Folds,
    learner: Option<&'a dyn Learner>,
    observer: &'a dyn Observer,
}

impl Fit<'_> {
    /// The mean residual's blend, and what it says of the judging inputs.
    fn mean(&self, train: &Moments, held: &Moments, units: &Units) -> Result<(Blend, Verdict)> {
        let examples = |train, held| Examples {
            train,
            held,
            parity: Parity::Odd,
            folds: self.folds,
        };
        let mut views = vec![View {
            base: Base::Low,
            examples: examples(train.means(), held.means()),
            menu: self.recipe.mean(),
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
                menu: self.recipe.mean_by_input(),
            });
            let zero = vec![0.0; units.solution().len()];
            constants.push(("low with its mean bias", zero));
            constants.push(("low", units.bias_of_low()));
            if !self.is_judged(held) && !is_low_informative(train) {
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

    fn is_judged(&self, held: &Moments) -> bool {
        !held.framed.is_empty() || self.folds.count() > 1
    }

    /// The variance's blend; `around` are the inputs with their predicted means.
    fn variance(
        &self,
        train: &Moments,
        held: &Moments,
        around: &[Vec<Framed>; 2],
        units: &Units,
    ) -> Result<(Blend, Verdict)> {
        let examples = |train, held| Examples {
            train,
            held,
            parity: Parity::Even,
            folds: self.folds,
        };
        let hidden = [train, held].map(Moments::alone);
        let mut views = vec![View {
            base: Base::Low,
            examples: examples(train.spreads(&train.framed), held.spreads(&held.framed)),
            menu: self.recipe.variance(),
        }];
        if train.has_low() {
            views.push(View {
                base: Base::Input,
                examples: examples(train.spreads(&hidden[0]), held.spreads(&hidden[1])),
                menu: self.recipe.variance_by_input(),
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

fn singles(values: &[f64]) -> Vec<f32> {
    values.iter().map(|v| *v as f32).collect()
}

/// Whether the only input's residual varies less over the domain than its solution does.
fn is_low_informative(train: &Moments) -> bool {
    let square = |fields: &[Vec<f64>]| fields.iter().flatten().map(|v| v * v).sum::<f64>();
    square(&train.residuals) < square(&train.solutions())
}

/// Mean squares, a number a channel, by which a mean that nothing has judged may be off: twice what the
/// residual, or of a mean solution the solution, varies by over the domain, as two of them differ by.
fn unjudged_squares(mean: &Blend, train: &Moments) -> Vec<f64> {
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

/// Realizations of each case without its outliers; none where it has none.
fn without(
    cases: &[Case<'_>],
    outliers: &[Outlier],
    lattice: &Lattice,
    channels: Channels,
) -> Vec<Option<Vec<f64>>> {
    let kept = |(input, case): (usize, &Case<'_>)| {
        let is_out = |realization: usize| {
            let same = |o: &Outlier| (o.input, o.realization) == (input, realization);
            outliers.iter().any(same)
        };
        let values = channels.solution * case.known(lattice);
        let runs = case.realizations.chunks_exact(values).enumerate();
        outliers.iter().any(|o| o.input == input).then(|| {
            let kept = runs.filter(|(r, _)| !is_out(*r));
            kept.flat_map(|(_, run)| run).copied().collect()
        })
    };
    cases.iter().enumerate().map(kept).collect()
}

fn average<'a>(values: impl Iterator<Item = &'a f64>) -> f64 {
    let (count, sum) = values.fold((0.0, 0.0), |(n, s), v| (n + 1.0, s + v));
    if count > 0.0 { sum / count } else { 0.0 }
}
