//! A fitted candidate of any family: predictions, and the novelty of a query.

use super::case::Framed;
use super::constant::Constant;
use super::kernel::{Kernel, KernelFit};
use super::local::LocalFit;
use super::problem::{Base, Problem};
use super::process::ProcessFit;

/// A fitted candidate.
pub(super) enum Model {
    Constant(Constant),
    Local(Box<LocalFit>),
    /// A local regression on inputs with the predicted mean in place of low fidelity.
    Around(Box<LocalFit>),
    Kernel(Box<KernelFit>, Kernel),
    Process(Box<ProcessFit>),
}

/// A candidate with its base.
pub(super) struct Member {
    pub base: Base,
    pub model: Model,
}

impl Model {
    /// Posterior variances of the judging inputs over their mean, if the family has them.
    pub fn unknown(&mut self) -> Option<Vec<f64>> {
        match self {
            Self::Constant(_) | Self::Local(_) | Self::Around(_) => None,
            Self::Kernel(fit, _) => Some(std::mem::take(&mut fit.unknown)),
            Self::Process(fit) => Some(std::mem::take(&mut fit.unknown)),
        }
    }

    /// Guesses for the judging inputs: [judge][channel, point]; on a large domain at the judged
    /// points.
    pub fn judged(&mut self) -> Vec<Vec<f64>> {
        match self {
            Self::Constant(constant) => std::mem::take(&mut constant.judged),
            Self::Local(fit) | Self::Around(fit) => std::mem::take(&mut fit.judged),
            Self::Kernel(fit, _) => std::mem::take(&mut fit.judged),
            Self::Process(fit) => std::mem::take(&mut fit.judged),
        }
    }
}

impl Member {
    /// Guesses for the judging inputs at all points of a large domain; `None` if they cannot be
    /// computed.
    pub fn judged_everywhere(&mut self, problem: &Problem<'_>) -> Option<Vec<Vec<f64>>> {
        let view = problem.views.iter().find(|view| view.base == self.base)?;
        let examples = &view.examples;
        let Problem {
            lattice,
            symmetries,
            ..
        } = *problem;
        Some(match &mut self.model {
            Model::Constant(mean) => mean.judged_everywhere(lattice, symmetries, examples),
            Model::Local(fit) => fit.judged_everywhere(examples),
            Model::Around(fit) => fit.judged_everywhere(&problem.around.as_ref()?.0),
            Model::Kernel(fit, _) => fit.judged_everywhere(examples),
            Model::Process(fit) => fit.judged_everywhere(examples),
        })
    }

    /// The predicted target of a query, without bounds: [channel, point].
    pub fn predict(&self, framed: &Framed, around: Option<&Framed>) -> Option<Vec<f64>> {
        let seen = match self.base {
            Base::Low => framed,
            Base::Input => &framed.alone(),
        };
        match &self.model {
            Model::Constant(constant) => Some(constant.field.clone()),
            Model::Local(fit) => Some(fit.predict(seen)),
            Model::Around(fit) => Some(fit.predict(around?)),
            Model::Kernel(fit, _) => Some(fit.predict(seen)),
            Model::Process(fit) => Some(fit.predict(seen)),
        }
    }

    /// How much less is known of a query than of a judging input: by the posterior variance, or by
    /// `distance` if there is none.
    pub fn novelty(&self, framed: &Framed, distance: f64) -> f64 {
        let seen = match self.base {
            Base::Low => framed,
            Base::Input => &framed.alone(),
        };
        match &self.model {
            Model::Kernel(fit, _) => fit.novelty(seen),
            Model::Process(fit) => fit.novelty(seen),
            Model::Constant(_) | Model::Local(_) | Model::Around(_) => distance,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidate_list::CandidateList;
    use crate::case::{Case, Channels, Query};
    use crate::folds::Folds;
    use crate::kernel::SharedRows;
    use crate::large::{judging, picked};
    use crate::local::LandmarkPlan;
    use crate::moments::Moments;
    use crate::problem::View;
    use crate::process::Coordinates;
    use crate::target::{Examples, Parity};
    use crate::testing::{lattice, scattered};
    use crate::{Lattice, Symmetries};

    const INPUTS: usize = 7;
    const RUNS: usize = 3;

    /// Waves of two numbers, and runs of their squares: [input] -> input and realizations.
    fn data(points: usize) -> Vec<(Vec<f64>, Vec<f64>)> {
        let one = |i: usize| {
            let [a, b] = [(1.3 * i as f64).sin(), (2.1 * i as f64).cos()];
            let at = |p: usize| 6.0 * p as f64 / points as f64;
            let input: Vec<f64> = (0..points)
                .map(|p| a * at(p).sin() + b * (2.0 * at(p)).cos())
                .collect();
            let run = |r: usize| input.iter().map(move |v| v * v + 0.1 * (r as f64) * v);
            (input.clone(), (0..RUNS).flat_map(run).collect())
        };
        (0..INPUTS).map(one).collect()
    }

    /// Fits of every family.
    fn models(lattice: &Lattice, symmetries: &Symmetries, examples: &Examples<'_>) -> Vec<Model> {
        let mut list = CandidateList::trial(Parity::Odd, false);
        for plan in &mut list.local {
            let few = |plan: LandmarkPlan| LandmarkPlan { most: 40, ..plan };
            plan.landmarks = plan.landmarks.map(few);
        }
        let local = |plan| LocalFit::new(plan, lattice, symmetries, examples).unwrap();
        let mut all: Vec<Model> = list
            .local
            .iter()
            .map(|plan| Model::Local(Box::new(local(plan))))
            .collect();
        let mut rows = SharedRows::default();
        for kernel in list.kernels {
            let rows = rows.of(lattice, symmetries, examples.train.framed, &kernel);
            let fit = KernelFit::new(kernel.covariance, &rows, symmetries, examples).unwrap();
            all.push(Model::Kernel(Box::new(fit), kernel));
        }
        let coordinates = Coordinates::new(examples.train.framed, &[0.0]).unwrap();
        let process = ProcessFit::new(&coordinates, false, examples).unwrap();
        all.push(Model::Process(Box::new(process)));
        all.push(Model::Constant(Constant::mean(
            lattice, symmetries, examples,
        )));
        all
    }

    #[test]
    fn what_judges_a_candidate_of_a_large_domain_is_what_any_number_of_threads_guess_of_its_points()
    {
        let grid = lattice(&[("t", 260), ("x", 70)], &[]);
        for lattice in [grid, Lattice::of_points("point", scattered(17_000, 8))] {
            let symmetries = Symmetries::none(&lattice, 1, 1);
            let channels = Channels {
                input: 1,
                solution: 1,
            };
            let data = data(lattice.len());
            let cases = data.iter().map(|(input, runs)| Case {
                query: Query { input, low: None },
                realizations: runs.into(),
                points: None,
            });
            let cases: Vec<Case<'_>> = cases.collect();
            let [train, held] = [&cases[..], &[]]
                .map(|cases| Moments::new(&lattice, channels, &symmetries, cases, None));
            let folds = Folds::single(INPUTS);
            let examples = Examples {
                train: train.means(),
                held: held.means(),
                parity: Parity::Odd,
                folds: &folds,
            };
            let problem = Problem {
                lattice: &lattice,
                symmetries: &symmetries,
                views: vec![View {
                    base: Base::Low,
                    examples,
                    candidates: CandidateList::trial(Parity::Odd, false),
                }],
                around: None,
                zeros: vec![0.0],
                has_constants: true,
                constants: Vec::new(),
            };
            let at = judging(&lattice).unwrap();
            let by = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
                let pool = pool.build().unwrap();
                pool.install(|| models(&lattice, &symmetries, &examples))
            };
            for (mut model, mut alone) in by(3).into_iter().zip(by(1)) {
                let judged = model.judged();
                assert_eq!(judged, alone.judged());
                let base = Base::Low;
                let everywhere = Member { base, model }.judged_everywhere(&problem).unwrap();
                for (judged, everywhere) in judged.iter().zip(&everywhere) {
                    let expected = picked(everywhere, lattice.len(), &at);
                    assert_eq!(judged.len(), expected.len());
                    let off = judged.iter().zip(&expected).map(|(a, b)| (a - b).abs());
                    assert!(off.fold(0.0, f64::max) < 1e-9);
                }
            }
        }
    }
}
