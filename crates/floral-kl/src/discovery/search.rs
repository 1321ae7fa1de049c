//! The search for symmetries: those with which left-out inputs are predicted better are kept.
//!
//! Let e_i and e'_i be the norms of the errors at input i without and with a symmetry. There is a
//! gain if the mean of e_i - e'_i is more than [`GAIN`] standard errors above zero, and a loss if
//! it is more than [`LOSS`] below. A symmetry is kept if the best regression gains and no
//! regression, of means or of variances, loses: an approximate symmetry helps a regression with
//! little information and spoils one with more. The symmetry with the clearest gain is kept first;
//! the others are tried again together with it.

use rayon::prelude::*;

use super::candidates::candidates;
use super::periodic;
use super::trial::{Errors, Trial};
use crate::case::{Case, Channels};
use crate::observer::Found;
use crate::target::Parity;
use crate::{Lattice, Result, Symmetries, Symmetry};

/// Standard errors beyond which a gain is clear, if there are many inputs.
const GAIN: f64 = 2.3;

/// Standard errors beyond which a loss is clear.
const LOSS: f64 = 2.0;

/// Share of the error below which gains and losses do not count.
const LEAST: f64 = 0.02;

/// The lattice, its symmetries, and those of them that were found.
pub(crate) struct Discovery {
    pub lattice: Lattice,
    pub symmetries: Symmetries,
    pub found: Found,
}

impl Discovery {
    /// The declared symmetries and nothing else.
    pub(crate) fn none(lattice: &Lattice, declared: &Symmetries) -> Self {
        Self {
            lattice: lattice.clone(),
            symmetries: declared.clone(),
            found: Found::default(),
        }
    }
}

/// Searches for symmetries beside the declared ones, and for declared ones that the cases
/// contradict.
pub(crate) fn discover(
    lattice: &Lattice,
    channels: Channels,
    declared: &Symmetries,
    cases: &[Case<'_>],
) -> Result<Discovery> {
    let is_constant = |case: &Case<'_>| {
        let mut channels = case.query.input.chunks_exact(lattice.len().max(1));
        channels.all(|channel| channel.iter().all(|v| *v == channel[0]))
    };
    if cases.iter().any(|case| case.points.is_some()) || cases.iter().all(is_constant) {
        return Ok(Discovery::none(lattice, declared));
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
            (
                search.extended(candidates, |list| group(list).is_ok()),
                contradicted,
            )
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
    /// Errors of means.
    errors: Errors,
}

impl<'a> Search<'a> {
    fn new(trial: &'a Trial, list: &[Symmetry]) -> Option<Self> {
        let group = trial.group(list).ok()?;
        Some(Self {
            errors: trial.errors(&group, Parity::Odd)?,
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
                loses(&without.errors, &self.errors) || without.loses_variances(self)
            })
        };
        let worse = (0..self.list.len()).into_par_iter().filter(is_contradicted);
        worse.map(|i| self.list[i].clone()).collect()
    }

    /// The list, extended by all candidates that gain and are allowed together with those before.
    fn extended(
        mut self,
        mut candidates: Vec<Symmetry>,
        is_allowed: impl Fn(&[Symmetry]) -> bool + Sync,
    ) -> Vec<Symmetry> {
        while !candidates.is_empty() {
            let with = |candidate: &Symmetry| {
                let list = [&self.list[..], std::slice::from_ref(candidate)].concat();
                let next = self.next(&list).filter(|_| is_allowed(&list))?;
                (!loses(&self.errors, &next.errors)).then_some(next)
            };
            let tried: Vec<Search<'a>> = candidates.par_iter().filter_map(with).collect();
            let last = |search: &Search<'_>| search.list[search.list.len() - 1].clone();
            candidates = tried.iter().map(last).collect();
            let gained = |next: Search<'a>| Some((gain(&self.errors, &next.errors)?, next));
            let mut found: Vec<(f64, Search<'a>)> = tried.into_iter().filter_map(gained).collect();
            found.sort_by(|a, b| b.0.total_cmp(&a.0));
            let mut found = found.into_iter().map(|(_, next)| next);
            match found.find(|next| !self.loses_variances(next)) {
                Some(next) => self = next,
                None => break,
            }
        }
        self.list
    }

    /// Whether a regression of variances loses with the list of another search.
    fn loses_variances(&self, by: &Self) -> bool {
        let errors = |group| self.trial.errors(group, Parity::Even);
        let both = errors(&self.group).zip(errors(&by.group));
        both.is_some_and(|(before, after)| loses(&before, &after))
    }

    /// The search with a longer list; `None` if that generates no larger group.
    fn next(&self, list: &[Symmetry]) -> Option<Self> {
        let group = self.trial.group(list).ok()?;
        let size = |group: &Symmetries| (group.rolled.len(), group.scale, group.motions.len());
        if size(&group) == size(&self.group) {
            return None;
        }
        Self::new(self.trial, list)
    }
}

/// Whether any regression loses from one list of symmetries to another.
fn loses(before: &Errors, after: &Errors) -> bool {
    let is_loss = |c: Change| c.mean < -LEAST * c.error && c.mean < -LOSS * c.standard_error;
    changes(before, after).any(is_loss)
}

/// The gain from the best regression before to the best one after, in standard errors, if it is
/// clear. Weaker regressions do not count: a wrong symmetry may reduce their statistical error.
fn gain(before: &Errors, after: &Errors) -> Option<f64> {
    let change = Change::of(best(before)?, best(after)?);
    let gain = change.mean / change.standard_error.max(f64::MIN_POSITIVE);
    let is_clear = gain > quantile(GAIN, change.inputs - 1.0);
    (is_clear && change.mean > LEAST * change.error).then_some(gain)
}

/// The errors of the regression with the least error.
fn best(errors: &Errors) -> Option<&Vec<f64>> {
    let sum = |errors: &Vec<f64>| errors.iter().sum::<f64>();
    let all = errors.iter().flatten();
    all.min_by(|a, b| sum(a).total_cmp(&sum(b)))
}

/// The quantile of Student's t with the probability of a normal quantile, to first order in
/// 1 / freedom. Abramowitz & Stegun (1964), 26.7.5.
fn quantile(normal: f64, freedom: f64) -> f64 {
    normal + (normal.powi(3) + normal) / (4.0 * freedom)
}

fn changes<'a>(before: &'a Errors, after: &'a Errors) -> impl Iterator<Item = Change> + 'a {
    let both = before.iter().zip(after);
    both.filter_map(|(before, after)| Some(Change::of(before.as_ref()?, after.as_ref()?)))
}

/// The decrease of errors, paired by input, from one list of symmetries to another.
struct Change {
    mean: f64,
    standard_error: f64,
    /// The mean error before.
    error: f64,
    inputs: f64,
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
            error: before.iter().sum::<f64>() / n,
            inputs: n,
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use rand_distr::StandardNormal;

    use super::*;
    use crate::Query;
    use crate::testing::{Purpose, lattice, stream};

    const POINTS: usize = 16;
    const INPUTS: usize = 14;

    /// Random waves.
    fn waves() -> Vec<Vec<f64>> {
        let wave = |i: usize| -> Vec<f64> {
            let mut rng = stream(31, Purpose::Input, i as u64, 0);
            let [a, b, c, d]: [f64; 4] = std::array::from_fn(|_| rng.sample(StandardNormal));
            let at = |p: usize| std::f64::consts::TAU * p as f64 / POINTS as f64;
            let value =
                |x: f64| a * x.sin() + b * x.cos() + c * (2.0 * x).sin() + d * (2.0 * x).cos();
            (0..POINTS).map(|p| value(at(p))).collect()
        };
        (0..INPUTS).map(wave).collect()
    }

    /// A product with the value two points before: equivariant under rolls, but not under
    /// reflections or signs.
    fn rolling(a: &[f64]) -> Vec<f64> {
        let before = |p: usize| a[(p + POINTS - 2) % POINTS];
        (0..POINTS).map(|p| a[p] + a[p] * before(p)).collect()
    }

    fn found(declared: &[&str], periodic: &[&str], data: &[(Vec<f64>, Vec<f64>)]) -> Found {
        let lattice = lattice(&[("x", POINTS)], periodic);
        let declared: Vec<Symmetry> = declared.iter().map(|text| text.parse().unwrap()).collect();
        let channels = Channels {
            input: 1,
            solution: 1,
        };
        let cases = data.iter().map(|(input, run)| Case {
            query: Query { input, low: None },
            realizations: run.into(),
            points: None,
        });
        let cases: Vec<Case<'_>> = cases.collect();
        let declared = Symmetries::new(&declared, &lattice, 1, 1).unwrap();
        discover(&lattice, channels, &declared, &cases)
            .unwrap()
            .found
    }

    fn data(solve: impl Fn(&[f64]) -> Vec<f64>) -> Vec<(Vec<f64>, Vec<f64>)> {
        let pair = |a: Vec<f64>| {
            let u = solve(&a);
            (a, u)
        };
        waves().into_iter().map(pair).collect()
    }

    fn roll() -> Vec<Symmetry> {
        vec!["roll:x".parse().unwrap()]
    }

    #[test]
    fn a_roll_is_found_whether_or_not_the_axis_is_declared_periodic() {
        assert_eq!(found(&[], &["x"], &data(rolling)).symmetries, roll());
        let both = found(&[], &[], &data(rolling));
        assert_eq!(
            (both.symmetries, both.periodic),
            (roll(), vec!["x".to_owned()])
        );
    }

    #[test]
    fn a_roll_that_does_not_hold_is_not_found_and_is_contradicted_if_declared() {
        let grows = |a: &[f64]| -> Vec<f64> {
            let factor = |p: usize| 1.0 + (std::f64::consts::TAU * p as f64 / POINTS as f64).sin();
            a.iter().enumerate().map(|(p, v)| factor(p) * v).collect()
        };
        let symmetries = found(&[], &["x"], &data(grows)).symmetries;
        assert!(!symmetries.contains(&roll()[0]), "{symmetries:?}");
        assert_eq!(
            found(&["roll:x"], &["x"], &data(grows)).contradicted,
            roll()
        );
        assert!(
            found(&["roll:x"], &["x"], &data(rolling))
                .contradicted
                .is_empty()
        );
    }

    #[test]
    fn neither_the_order_of_inputs_nor_units_change_what_is_found() {
        let plain = data(rolling);
        let scaled = |(a, u): &(Vec<f64>, Vec<f64>)| {
            let times = |values: &[f64], factor: f64| values.iter().map(|v| factor * v).collect();
            (times(a, 1e-3), times(u, 1e6))
        };
        let other: Vec<(Vec<f64>, Vec<f64>)> = plain.iter().rev().map(scaled).collect();
        assert_eq!(found(&[], &["x"], &plain), found(&[], &["x"], &other));
    }
}
