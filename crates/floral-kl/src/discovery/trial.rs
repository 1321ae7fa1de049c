//! What left-out inputs' errors are with a list of symmetries, by a small blend on thinned fields.

use super::thinned::Thinned;
use crate::blend::{Base, Blend, Menu, Problem, Verdict, View};
use crate::case::{Case, Channels, Query};
use crate::folds::Folds;
use crate::kernel::Neighbours;
use crate::moments::Moments;
use crate::target::{Examples, Parity};
use crate::units::{Scaled, Units};
use crate::{Lattice, Result, Silent, Symmetries, Symmetry};

/// Inputs that are tried at most.
const MOST_INPUTS: usize = 40;

/// Folds with fewer of which nothing is decided.
const FEWEST_FOLDS: usize = 5;

/// Norms of the errors at left-out inputs, in the same order and units for all lists of symmetries.
pub(super) struct Errors {
    pub mean: Vec<f64>,
    /// Empty if inputs have one run each.
    pub variance: Vec<f64>,
}

/// Thinned fields on which symmetries are tried.
pub(super) struct Trial {
    lattice: Lattice,
    channels: Channels,
    fields: Vec<Fields>,
    /// The scales of the solution's channels, in units of which errors are given.
    scales: Vec<f64>,
}

struct Fields {
    input: Vec<f64>,
    low: Option<Vec<f64>>,
    realizations: Vec<f64>,
}

impl Fields {
    fn case(&self) -> Case<'_> {
        Case {
            query: Query {
                input: &self.input,
                low: self.low.as_deref(),
            },
            realizations: &self.realizations,
            points: None,
        }
    }
}

impl Trial {
    /// `cases` are known at all points.
    pub(super) fn new(lattice: &Lattice, channels: Channels, cases: &[Case<'_>]) -> Self {
        let none = Symmetries::none(lattice, channels.input, channels.solution);
        let units = Units::new(lattice, channels, &none, cases);
        // What is tried does not depend on the order of the inputs.
        let place = |case: &Case<'_>| units.query(&case.query, lattice).place();
        let mut places: Vec<(f64, &Case<'_>)> = cases.iter().map(|c| (place(c), c)).collect();
        places.sort_by(|a, b| a.0.total_cmp(&b.0));
        let thinned = Thinned::new(lattice);
        let fields = |(_, case): &(f64, &Case<'_>)| Fields {
            input: thinned.fields(case.query.input),
            low: case.query.low.map(|low| thinned.fields(low)),
            realizations: thinned.fields(case.realizations),
        };
        let step = cases.len().div_ceil(MOST_INPUTS).max(1);
        Self {
            fields: places.iter().step_by(step).map(fields).collect(),
            scales: units.solution().iter().map(|unit| unit.scale).collect(),
            lattice: thinned.lattice,
            channels,
        }
    }

    /// What a list of symmetries generates on the thinned lattice.
    pub(super) fn group(&self, list: &[Symmetry]) -> Result<Symmetries> {
        let Channels { input, solution } = self.channels;
        Symmetries::new(list, &self.lattice, input, solution)
    }

    /// Errors with these symmetries; none if there are too few inputs.
    pub(super) fn errors(&self, symmetries: &Symmetries) -> Option<Errors> {
        let cases: Vec<Case<'_>> = self.fields.iter().map(Fields::case).collect();
        let units = Units::new(&self.lattice, self.channels, symmetries, &cases);
        let scaled = cases.iter().map(|case| units.case(case, &self.lattice));
        let scaled: Vec<Scaled<'_>> = scaled.collect();
        let cases: Vec<Case<'_>> = scaled.iter().map(Scaled::case).collect();
        let moments = Moments::new(&self.lattice, self.channels, symmetries, &cases, None);
        let neighbours = Neighbours::new(&self.lattice, symmetries, &moments.framed);
        let folds = Folds::new(&moments.framed, &neighbours, symmetries);
        if folds.count() < FEWEST_FOLDS {
            return None;
        }
        let mean = self.judged(Parity::Odd, symmetries, (&moments, &folds), &units)?;
        let variance = match moments.has_variances() {
            true => self.judged(Parity::Even, symmetries, (&moments, &folds), &units)?,
            false => Vec::new(),
        };
        Some(Errors { mean, variance })
    }

    /// Norms of a blend's errors.
    fn judged(
        &self,
        parity: Parity,
        symmetries: &Symmetries,
        (moments, folds): (&Moments, &Folds),
        units: &Units,
    ) -> Option<Vec<f64>> {
        let (alone, solutions) = (moments.alone(), moments.solutions());
        let samples = match parity {
            Parity::Odd => [moments.means(), moments.about_nothing(&alone, &solutions)],
            Parity::Even => [moments.spreads(&moments.framed), moments.spreads(&alone)],
        };
        let bases = if moments.has_low() { 2 } else { 1 };
        let mut views = Vec::new();
        for (base, train) in [Base::Low, Base::Input].into_iter().zip(samples).take(bases) {
            views.push(View {
                base,
                examples: Examples {
                    held: train.none(),
                    train,
                    parity,
                    folds,
                },
                menu: Menu::trial(parity, base),
            });
        }
        let problem = Problem {
            lattice: &self.lattice,
            symmetries,
            views,
            around: None,
            zeros: units.zeros_of_input(),
            constants: Vec::new(),
        };
        let (_, verdict) = Blend::new(&problem, &Silent).ok()?;
        Some(self.norms(&verdict, parity, moments, units))
    }

    /// In units that do not depend on symmetries.
    fn norms(
        &self,
        verdict: &Verdict,
        parity: Parity,
        moments: &Moments,
        units: &Units,
    ) -> Vec<f64> {
        let scales = units.solution().iter().zip(&self.scales);
        let scales: Vec<f64> = scales.map(|(unit, scale)| unit.scale / scale).collect();
        let times = |scale: f64| match parity {
            Parity::Odd => scale,
            Parity::Even => scale * scale,
        };
        let norm = |(error, framed): (&Vec<f64>, &crate::case::Framed)| {
            let channels = error.chunks_exact(self.lattice.len()).zip(&scales);
            let square = |(channel, scale): (&[f64], &f64)| {
                let size = times(*scale) * parity.size(framed);
                channel.iter().map(|e| (size * e).powi(2)).sum::<f64>()
            };
            channels.map(square).sum::<f64>().sqrt()
        };
        let both = verdict.errors.iter().zip(&moments.framed);
        both.map(norm).collect()
    }
}
