//! The search for symmetries: those are kept with which left-out inputs are predicted better.
//!
//! With e_i and e'_i the norms of the errors at input i without and with a symmetry, it is kept if the
//! mean of e_i - e'_i is more than [`CLEAR`] standard errors above zero, and the variances do not
//! contradict it. The one that gains most comes first, the others are tried again beside it.

use rayon::prelude::*;

use super::candidates::candidates;
use super::periodic;
use super::trial::{Errors, Trial};
use crate::case::{Case, Channels};
use crate::{Lattice, Result, Symmetries, Symmetry};

/// Standard errors beyond which a difference is one.
const CLEAR: f64 = 2.0;

/// Shares of the error below which a gain is not worth the copies.
const LEAST_GAIN: f64 = 0.02;

/// What the data say of a problem's symmetries.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// Axes that close although they were not declared periodic.
    pub periodic: Vec<String>,
    /// Symmetries that were not declared.
    pub symmetries: Vec<Symmetry>,
    /// Declared ones with which left-out inputs are predicted worse; they are used all the same.
    pub contradicted: Vec<Symmetry>,
}

impl Found {
    /// Whether there is nothing to say.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A lattice and symmetries with what was found.
pub(crate) struct Discovery {
    pub lattice: Lattice,
    pub symmetries: Symmetries,
    pub found: Found,
}

/// Looks for symmetries beside the declared ones, and for those that the cases contradict.
pub(crate) fn discover(
    lattice: &Lattice,
    channels: Channels,
    declared: &Symmetries,
    cases: &[Case<'_>],
) -> Result<Discovery> {
    if cases.iter().any(|case| case.points.is_some()) {
        return Ok(Discovery {
            lattice: lattice.clone(),
            symmetries: declared.clone(),
            found: Found::default(),
        });
    }
    let closed = periodic::closed(lattice, channels, cases);
    let Channels { input, solution } = channels;
    let group = |list: &[Symmetry]| Symmetries::new(list, &closed, input, solution);
    let trial = Trial::new(&closed, channels, cases);
    let list = &declared.declared;
    let candidates = candidates(&closed, cases);
    let (all, contradicted) = match Search::new(&trial, list) {
        None => (list.clone(), Vec::new()),
        Some(search) => {
            let contradicted = search.contradicted();
            (search.extended(candidates, |list| group(list).is_ok()), contradicted)
        }
    };
    let raised = lattice.axes.iter().zip(&closed.axes);
    let raised = raised.filter(|(before, after)| before.periodic != after.periodic);
    let found = Found {
        periodic: raised.map(|(axis, _)| axis.name.clone()).collect(),
        symmetries: all[list.len()..].to_vec(),
        contradicted,
    };
    Ok(Discovery {
        symmetries: group(&all)?,
        lattice: closed,
        found,
    })
}

/// A list of symmetries and the errors with it.
struct Search<'a> {
    trial: &'a Trial,
    list: Vec<Symmetry>,
    group: Symmetries,
    errors: Errors,
}

impl<'a> Search<'a> {
    fn new(trial: &'a Trial, list: &[Symmetry]) -> Option<Self> {
        let group = trial.group(list).ok()?;
        Some(Self {
            errors: trial.errors(&group)?,
            trial,
            list: list.to_vec(),
            group,
        })
    }

    /// The symmetries of the list without which errors are clearly smaller.
    fn contradicted(&self) -> Vec<Symmetry> {
        let is_contradicted = |i: &usize| {
            let mut others = self.list.clone();
            others.remove(*i);
            Self::new(self.trial, &others).is_some_and(|without| {
                Change::of(&without.errors.mean, &self.errors.mean).is_loss()
                    || Change::of(&without.errors.variance, &self.errors.variance).is_loss()
            })
        };
        let worse = (0..self.list.len()).into_par_iter().filter(is_contradicted);
        worse.map(|i| self.list[i].clone()).collect()
    }

    /// The list with all candidates that gain and are allowed beside those before.
    fn extended(
        mut self,
        mut candidates: Vec<Symmetry>,
        is_allowed: impl Fn(&[Symmetry]) -> bool + Sync,
    ) -> Vec<Symmetry> {
        while !candidates.is_empty() {
            let with = |candidate: &Symmetry| {
                let list = [&self.list[..], std::slice::from_ref(candidate)].concat();
                let next = self.next(&list).filter(|_| is_allowed(&list))?;
                let change = Change::of(&self.errors.mean, &next.errors.mean);
                (!change.is_loss()).then_some((next, change))
            };
            let tried: Vec<(Search<'a>, Change)> =
                candidates.par_iter().filter_map(with).collect();
            let last = |search: &Search<'_>| search.list[search.list.len() - 1].clone();
            candidates = tried.iter().map(|(next, _)| last(next)).collect();
            let is_found = |(next, change): &(Search<'_>, Change)| {
                let variance = Change::of(&self.errors.variance, &next.errors.variance);
                change.is_gain(&self.errors.mean) && !variance.is_loss()
            };
            let found = tried.into_iter().filter(is_found);
            match found.max_by(|a, b| a.1.mean.total_cmp(&b.1.mean)) {
                Some((next, _)) => self = next,
                None => break,
            }
        }
        self.list
    }

    /// With a longer list, if that generates more.
    fn next(&self, list: &[Symmetry]) -> Option<Self> {
        let group = self.trial.group(list).ok()?;
        let size = |group: &Symmetries| (group.rolled.len(), group.scale, group.motions.len());
        if size(&group) == size(&self.group) {
            return None;
        }
        Self::new(self.trial, list)
    }
}

/// How errors, paired by input, fall from one list of symmetries to another.
struct Change {
    mean: f64,
    standard_error: f64,
}

impl Change {
    fn of(before: &[f64], after: &[f64]) -> Self {
        let n = before.len().max(2) as f64;
        let falls: Vec<f64> = before.iter().zip(after).map(|(b, a)| b - a).collect();
        let mean = falls.iter().sum::<f64>() / n;
        let square = falls.iter().map(|f| (f - mean).powi(2)).sum::<f64>();
        Self {
            mean,
            standard_error: (square / (n - 1.0) / n).sqrt(),
        }
    }

    fn is_gain(&self, before: &[f64]) -> bool {
        let error = before.iter().sum::<f64>() / before.len() as f64;
        self.mean > CLEAR * self.standard_error && self.mean > LEAST_GAIN * error
    }

    fn is_loss(&self) -> bool {
        self.mean < -CLEAR * self.standard_error
    }
}
