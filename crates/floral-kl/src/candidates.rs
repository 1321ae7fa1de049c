//! Fits the candidates of a blend one after another, cheap ones first, as long as a budget lasts.

use std::time::Duration;

use super::blend::{Blend, Tried, Verdict};
use super::candidate_list::CandidateList;
use super::kernel::{Kernel, KernelFit, SharedRows};
use super::local::{LocalFit, LocalPlan};
use super::member::Model;
use super::problem::{Base, Problem, View};
use super::process::{Coordinates, ProcessFit};
use super::target::{Examples, Parity};
use crate::Result;
use crate::observer::{Event, Observer, go_on};

/// The blend of a problem's candidates, and its verdict on the judging inputs. If no input can
/// judge, the simplest candidate is taken.
pub(super) fn blended(problem: &Problem<'_>, observer: &dyn Observer) -> Result<(Blend, Verdict)> {
    let blend = Blend::empty(problem);
    let mut tried = blend.simplest(problem);
    let examples = &problem.views[0].examples;
    let is_judged = examples.has_held() || examples.folds.count() > 1;
    if is_judged {
        let fitted = fitted(&blend, problem, observer)?;
        tried.retain(|_| problem.has_constants || fitted.is_empty());
        tried.extend(fitted);
    }
    let (mut blend, verdict) = blend.weighed(tried, problem, is_judged);
    for (member, weight) in &mut blend.members {
        let view = problem.views.iter().find(|view| view.base == member.base);
        if let (Model::Kernel(fit, _), Some(view)) = (&mut member.model, view) {
            fit.learn_posterior(*weight, &view.examples);
        }
    }
    Ok((blend, verdict))
}

/// Fits all candidates but the constants.
fn fitted(blend: &Blend, problem: &Problem<'_>, observer: &dyn Observer) -> Result<Vec<Tried>> {
    let mut pass = Pass {
        blend,
        problem,
        clock: Clock::new(problem, blend.parity, observer),
        tried: Vec::new(),
    };
    if let Some((examples, plans)) = &problem.around {
        for plan in plans {
            pass.around(plan, examples)?;
        }
    }
    for view in &problem.views {
        pass.view(view)?;
    }
    Ok(pass.tried)
}

/// One pass over the candidates.
struct Pass<'a> {
    blend: &'a Blend,
    problem: &'a Problem<'a>,
    clock: Clock<'a>,
    tried: Vec<Tried>,
}

impl Pass<'_> {
    /// Fits a local regression on the predicted mean.
    fn around(&mut self, plan: &LocalPlan, examples: &Examples<'_>) -> Result<()> {
        if self.clock.skips()? {
            return Ok(());
        }
        let Problem {
            lattice,
            symmetries,
            ..
        } = *self.problem;
        let fit = LocalFit::new(plan, lattice, symmetries, examples);
        let model = fit.map(|fit| Model::Around(Box::new(fit)));
        let name = format!("around the mean {}", plan.name());
        let tried = model.map(|model| self.blend.tried(name, Base::Low, model, examples));
        self.tried.extend(tried);
        Ok(())
    }

    /// Fits the candidates of one view.
    fn view(&mut self, view: &View<'_>) -> Result<()> {
        let coordinates = match self.problem.symmetries.is_trivial() {
            // Coefficients of fields have no simple transformation under motions.
            false => None,
            true => Coordinates::new(view.examples.train.framed, &self.problem.zeros),
        };
        let before = self.tried.len();
        for &has_slopes in &view.candidates.processes {
            self.process(view, coordinates.as_ref(), has_slopes)?;
        }
        // If the input is parameters alone, the neighbourhood of a point carries no information and
        // filters change nothing: local regressions and smoothed kernels are left out.
        let is_numbers = coordinates.is_some_and(|c| c.are_parameters());
        let is_odd = self.blend.parity == Parity::Odd;
        let is_known = is_numbers && is_odd && self.tried.len() > before;
        let mut rows = SharedRows::default();
        for kernel in &view.candidates.kernels {
            self.kernel(view, kernel, &mut rows, is_known)?;
        }
        for plan in &view.candidates.local {
            self.local(view, plan, is_known)?;
        }
        Ok(())
    }

    fn process(
        &mut self,
        view: &View<'_>,
        coordinates: Option<&Coordinates>,
        has_slopes: bool,
    ) -> Result<()> {
        if self.clock.skips()? {
            return Ok(());
        }
        let fit = coordinates.and_then(|c| ProcessFit::new(c, has_slopes, &view.examples));
        let name = match has_slopes {
            true => "process with a length per coordinate, linear",
            false => "process with a length per coordinate",
        };
        let model = fit.map(|fit| Model::Process(Box::new(fit)));
        self.add(view, name.into(), model);
        Ok(())
    }

    fn kernel(
        &mut self,
        view: &View<'_>,
        kernel: &Kernel,
        rows: &mut SharedRows,
        is_known: bool,
    ) -> Result<()> {
        if self.clock.skips()? || (is_known && kernel.smoothing > 0.0) {
            return Ok(());
        }
        let Problem {
            lattice,
            symmetries,
            ..
        } = *self.problem;
        let examples = &view.examples;
        let rows = rows.of(lattice, symmetries, examples.train.framed, kernel);
        let fit = KernelFit::new(kernel.covariance, &rows, symmetries, examples);
        let model = fit.map(|fit| Model::Kernel(Box::new(fit), *kernel));
        self.add(view, kernel.name(), model);
        Ok(())
    }

    fn local(&mut self, view: &View<'_>, plan: &LocalPlan, is_known: bool) -> Result<()> {
        if self.clock.skips()? || is_known {
            return Ok(());
        }
        let Problem {
            lattice,
            symmetries,
            ..
        } = *self.problem;
        let fit = LocalFit::new(plan, lattice, symmetries, &view.examples);
        let model = fit.map(|fit| Model::Local(Box::new(fit)));
        self.add(view, plan.name(), model);
        Ok(())
    }

    fn add(&mut self, view: &View<'_>, name: String, model: Option<Model>) {
        let name = match view.base {
            Base::Low => name,
            Base::Input => format!("input alone, {name}"),
        };
        let tried = model.map(|model| self.blend.tried(name, view.base, model, &view.examples));
        self.tried.extend(tried);
    }
}

/// Counts candidates, and stops when the budget is spent.
struct Clock<'a> {
    observer: &'a dyn Observer,
    /// The target's name, for messages.
    of: &'static str,
    /// Time that is reserved for later parts of the fit.
    kept: Duration,
    done: usize,
    total: usize,
    is_spent: bool,
}

impl<'a> Clock<'a> {
    fn new(problem: &Problem<'_>, parity: Parity, observer: &'a dyn Observer) -> Self {
        let count = |view: &View<'_>| {
            let CandidateList {
                local,
                kernels,
                processes,
            } = &view.candidates;
            local.len() + kernels.len() + processes.len()
        };
        let around = problem.around.as_ref().map_or(0, |(_, plans)| plans.len());
        Self {
            observer,
            of: parity.name(),
            // The regressions of the mean leave half of a budget to the network and the variance.
            kept: match (parity, observer.time_left()) {
                (Parity::Odd, Some(left)) => left / 2,
                _ => Duration::ZERO,
            },
            done: 0,
            total: problem.views.iter().map(count).sum::<usize>() + around,
            is_spent: false,
        }
    }

    /// Whether to leave the next candidate out because the budget is spent. Reports progress.
    fn skips(&mut self) -> Result<bool> {
        go_on(self.observer)?;
        let (of, done, total) = (self.of, self.done, self.total);
        let is_late = || {
            self.observer
                .time_left()
                .is_some_and(|left| left <= self.kept)
        };
        if !self.is_spent && is_late() {
            self.observer.observe(&Event::Spent { of, done, total });
            self.is_spent = true;
        }
        if !self.is_spent {
            self.observer.observe(&Event::Fitting { of, done, total });
        }
        self.done += 1;
        Ok(self.is_spent)
    }
}
