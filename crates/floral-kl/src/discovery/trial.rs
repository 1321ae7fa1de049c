//! Errors at left-out inputs with a list of symmetries, of a few regressions on thinned fields.

use super::thinned::Thinned;
use crate::candidate_list::CandidateList;
use crate::case::{self, Case, Channels, Framed, Query};
use crate::folds::Folds;
use crate::kernel::{Kernel, KernelFit, Neighbours, Rows};
use crate::local::{LocalFit, LocalPlan};
use crate::moments::Moments;
use crate::target::{Examples, Parity};
use crate::units::{Scaled, Units};
use crate::{Lattice, Result, Symmetries, Symmetry};

/// Maximum number of inputs used.
const MOST_INPUTS: usize = 40;

/// Minimum number of folds; with fewer nothing is decided.
const FEWEST_FOLDS: usize = 5;

/// Norms of errors, [regression][input], in the same order and units for all symmetries; `None` for
/// a regression that cannot be fitted.
pub(super) type Errors = Vec<Option<Vec<f64>>>;

/// Thinned fields on which symmetries are tried.
pub(super) struct Trial {
    lattice: Lattice,
    channels: Channels,
    fields: Vec<Fields>,
    /// Scales of the solution's channels, the units of the errors.
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
            realizations: (&self.realizations).into(),
            points: None,
        }
    }
}

impl Trial {
    /// `cases` are known at all points and come in any order.
    pub(super) fn new(lattice: &Lattice, channels: Channels, cases: &[Case<'_>]) -> Self {
        let none = Symmetries::none(lattice, channels.input, channels.solution);
        let units = Units::new(lattice, channels, &none, cases);
        let mut cases = cases.to_vec();
        case::sort(&mut cases, lattice);
        let thinned = Thinned::new(lattice);
        let fields = |case: &Case<'_>| Fields {
            input: thinned.fields(case.query.input),
            low: case.query.low.map(|low| thinned.fields(low)),
            realizations: thinned.realizations(case.realizations),
        };
        let step = cases.len().div_ceil(MOST_INPUTS).max(1);
        Self {
            fields: cases.iter().step_by(step).map(fields).collect(),
            scales: units.solution().iter().map(|unit| unit.scale).collect(),
            lattice: thinned.lattice,
            channels,
        }
    }

    /// The group that a list of symmetries generates on the thinned lattice.
    pub(super) fn group(&self, list: &[Symmetry]) -> Result<Symmetries> {
        let Channels { input, solution } = self.channels;
        Ok(Symmetries::new(list, &self.lattice, input, solution)?)
    }

    /// Errors at left-out inputs with these symmetries, of means or of variances. `None` if there
    /// are too few folds or no variances.
    pub(super) fn errors(&self, symmetries: &Symmetries, parity: Parity) -> Option<Errors> {
        let cases: Vec<Case<'_>> = self.fields.iter().map(Fields::case).collect();
        let units = Units::new(&self.lattice, self.channels, symmetries, &cases);
        let scaled = cases.iter().map(|case| units.case(case, &self.lattice));
        let scaled: Vec<Scaled<'_>> = scaled.collect();
        let cases: Vec<Case<'_>> = scaled.iter().map(Scaled::case).collect();
        let moments = Moments::new(&self.lattice, self.channels, symmetries, &cases, None);
        let neighbours = Neighbours::new(&self.lattice, symmetries, &moments.framed);
        let folds = Folds::new(&neighbours.distinct(&moments.framed, symmetries));
        let has_targets = parity == Parity::Odd || moments.has_variances();
        if folds.count() < FEWEST_FOLDS || !has_targets {
            return None;
        }
        let train = match parity {
            Parity::Odd => moments.means(),
            Parity::Even => moments.spreads(&moments.framed),
        };
        let examples = Examples {
            held: train.none(),
            train,
            parity,
            folds: &folds,
        };
        let guesses = self.guesses(symmetries, &examples, moments.has_low());
        let norms = |guesses: Vec<Vec<f64>>| self.norms(&guesses, &examples, &units);
        Some(guesses.into_iter().map(|all| all.map(norms)).collect())
    }

    /// Guesses of every regression at left-out inputs: [regression][input][channel, point].
    fn guesses(
        &self,
        symmetries: &Symmetries,
        examples: &Examples<'_>,
        has_low: bool,
    ) -> Vec<Option<Vec<Vec<f64>>>> {
        let list = CandidateList::trial(examples.parity, has_low);
        let local = |plan: &LocalPlan| {
            let fit = LocalFit::new(plan, &self.lattice, symmetries, examples);
            fit.map(|fit| fit.judged)
        };
        let kernel = |kernel: &Kernel| {
            let framed = examples.train.framed;
            let rows = Rows::new(&self.lattice, symmetries, framed, kernel);
            let fit = KernelFit::new(kernel.covariance, &rows.into(), symmetries, examples);
            fit.map(|fit| fit.judged)
        };
        let local = list.local.iter().map(local);
        local.chain(list.kernels.iter().map(kernel)).collect()
    }

    /// Norms of the errors, in units that do not depend on symmetries.
    fn norms(&self, guesses: &[Vec<f64>], examples: &Examples<'_>, units: &Units) -> Vec<f64> {
        let parity = examples.parity;
        let scales = units.solution().iter().zip(&self.scales);
        let power = |scale: f64| match parity {
            Parity::Odd => scale,
            Parity::Even => scale * scale,
        };
        let scales: Vec<f64> = scales.map(|(u, scale)| power(u.scale / scale)).collect();
        let norm = |(i, framed): (usize, &Framed)| {
            let miss = examples.train.miss(i, &guesses[i]);
            let channels = miss.chunks_exact(self.lattice.len()).zip(&scales);
            let square = |(channel, scale): (&[f64], &f64)| {
                let size = scale * parity.size(framed);
                channel.iter().map(|e| (size * e).powi(2)).sum::<f64>()
            };
            channels.map(square).sum::<f64>().sqrt()
        };
        examples.train.framed.iter().enumerate().map(norm).collect()
    }
}
