//! A blend: candidate regressions of one target, weighed by what they miss at judging inputs.
//!
//! Candidates differ in what they are fitted to (`Base`), in kind (`Model`) and in their
//! settings; `Menu` lists those settings. A judging input is one that a candidate has not seen: held
//! out, or left out with its fold.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::case::Framed;
use super::constant::{Bounds, Constant, uniform};
use super::kernel::{Kernel, KernelFit};
use super::local::{LocalFit, LocalPlan};
use super::process::ProcessFit;
use super::stack::Stacked;
use super::target::{Examples, Parity};
use super::weights::{Products, norms, products, weights};
use super::{Lattice, Symmetries};

/// What a member of a blend achieved, for tables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MemberScore {
    /// What it is.
    pub name: String,
    /// Mean Euclidean norm of its errors at judging inputs.
    pub left_out: f64,
    /// Its weight in the blend.
    pub weight: f64,
}

/// What a candidate is fitted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Base {
    /// The residual to low fidelity, which is a field beside the input; without low fidelity the
    /// solution.
    Low,
    /// The solution, by the input alone: low fidelity is not looked at.
    Input,
}

/// The settings of candidates.
pub(super) struct Menu {
    pub local: Vec<LocalPlan>,
    pub kernels: Vec<Kernel>,
    /// Gaussian processes over coordinates: whether they have a linear part.
    pub processes: Vec<bool>,
}

/// Examples with a base, and the candidates fitted to them.
pub(super) struct View<'a> {
    pub base: Base,
    pub examples: Examples<'a>,
    pub menu: Menu,
}

/// What there is to learn from.
pub(super) struct Problem<'a> {
    pub lattice: &'a Lattice,
    pub symmetries: &'a Symmetries,
    /// The first has the base [`Base::Low`].
    pub views: Vec<View<'a>>,
    /// Examples in which the predicted mean is in the place of low fidelity, and plans for them.
    pub around: Option<(Examples<'a>, Vec<LocalPlan>)>,
    /// What zero is in each channel of the input, in units.
    pub zeros: Vec<f64>,
    /// Whether constant fields are candidates where others can be judged.
    pub has_constants: bool,
    /// Numbers a channel that the target may be everywhere.
    pub constants: Vec<(&'static str, Vec<f64>)>,
}

/// A fitted candidate.
pub(super) enum Model {
    Constant(Constant),
    Local(Box<LocalFit>),
    /// Of inputs with the predicted mean in the place of low fidelity.
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
    /// What is left unknown of each judging input over the mean of that, where the kind knows it.
    fn unknown(&mut self) -> Option<Vec<f64>> {
        match self {
            Self::Constant(_) | Self::Local(_) | Self::Around(_) => None,
            Self::Kernel(fit, _) => Some(std::mem::take(&mut fit.unknown)),
            Self::Process(fit) => Some(std::mem::take(&mut fit.unknown)),
        }
    }

    fn judged(&mut self) -> Vec<Vec<f64>> {
        match self {
            Self::Constant(constant) => std::mem::take(&mut constant.judged),
            Self::Local(fit) | Self::Around(fit) => std::mem::take(&mut fit.judged),
            Self::Kernel(fit, _) => std::mem::take(&mut fit.judged),
            Self::Process(fit) => std::mem::take(&mut fit.judged),
        }
    }
}

impl Member {
    /// The target of a query, without bounds: [channel, point].
    fn predict(&self, framed: &Framed, around: Option<&Framed>) -> Option<Vec<f64>> {
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
}

/// Weighed regressions of one target.
pub(super) struct Blend {
    pub members: Vec<(Member, f64)>,
    pub parity: Parity,
    /// Values of a target.
    pub values: usize,
    /// What guesses lie between, of the base low fidelity and of the input alone.
    pub bounds: [Bounds; 2],
    /// What each candidate achieved.
    pub scores: Vec<MemberScore>,
    /// Networks that add what the members miss.
    pub stacked: Option<Stacked>,
}

/// What a blend says of the inputs that judged it, framed.
pub(super) struct Verdict {
    /// [judge][channel, point].
    pub guesses: Vec<Vec<f64>>,
    /// Target minus guess.
    pub errors: Vec<Vec<f64>>,
    /// Weighed posterior variances, each over its mean, and the weight of members without one.
    unknown: Vec<f64>,
    without: f64,
}

impl Verdict {
    /// How new each judging input was to the fit that it judged, as [`Blend::novelty`] has it.
    pub(super) fn novelty(&self, distances: &[f64]) -> Vec<f64> {
        let both = self.unknown.iter().zip(distances);
        both.map(|(u, d)| u + self.without * d).collect()
    }
}

/// A candidate with its name and its guesses at judging inputs: [judge][channel, point].
pub(super) struct Tried {
    name: String,
    member: Member,
    guesses: Vec<Vec<f64>>,
    unknown: Option<Vec<f64>>,
}

impl Blend {
    /// Without members.
    pub(super) fn empty(problem: &Problem<'_>) -> Self {
        let examples = &problem.views[0].examples;
        let bounds = [Base::Low, Base::Input].map(|base| {
            let view = problem.views.iter().find(|view| view.base == base);
            let sample = &view.unwrap_or(&problem.views[0]).examples.train;
            Bounds::new(sample, examples.parity, problem.symmetries)
        });
        Self {
            members: Vec::new(),
            parity: examples.parity,
            values: examples.train.targets[0].len(),
            bounds,
            scores: Vec::new(),
            stacked: None,
        }
    }

    /// Constants, of which at least one is always among the candidates.
    pub(super) fn simplest(&self, problem: &Problem<'_>) -> Vec<Tried> {
        let points = problem.lattice.len();
        let examples = &problem.views[0].examples;
        let given = problem.constants.iter().map(|(name, numbers)| {
            let constant = Constant::given(uniform(numbers, points), examples);
            self.tried(
                (*name).to_owned(),
                Base::Low,
                Model::Constant(constant),
                examples,
            )
        });
        let means = problem.views.iter().map(|view| {
            let examples = &view.examples;
            let mean = Constant::mean(problem.lattice, problem.symmetries, examples);
            let name = match (
                view.base,
                self.parity,
                examples.train.framed[0].low.is_empty(),
            ) {
                (Base::Low, Parity::Odd, false) => "mean residual",
                (_, Parity::Odd, _) => "mean solution",
                (_, Parity::Even, _) => "mean variance",
            };
            self.tried(name.into(), view.base, Model::Constant(mean), examples)
        });
        given.chain(means).collect()
    }

    /// A candidate with its guesses, within bounds and less low fidelity where it is not looked at.
    pub(super) fn tried(
        &self,
        name: String,
        base: Base,
        mut model: Model,
        examples: &Examples<'_>,
    ) -> Tried {
        let (mut guesses, unknown) = (model.judged(), model.unknown());
        for (guess, hidden) in guesses.iter_mut().zip(examples.judges().hidden) {
            self.finish(base, guess, hidden);
        }
        Tried {
            name,
            member: Member { base, model },
            guesses,
            unknown,
        }
    }

    /// Brings a guess within bounds and makes it one of the residual; low: [channel, point] or empty.
    fn finish(&self, base: Base, guess: &mut [f64], low: &[f64]) {
        match base {
            Base::Low => self.bounds[0].apply(guess),
            Base::Input => {
                self.bounds[1].apply(guess);
                if self.parity == Parity::Odd {
                    guess.iter_mut().zip(low).for_each(|(g, low)| *g -= low);
                }
            }
        }
    }

    /// With weights by the guesses at judging inputs; without any the first candidate, the simplest,
    /// has all of it.
    pub(super) fn weighed(
        mut self,
        tried: Vec<Tried>,
        examples: &Examples<'_>,
        is_judged: bool,
    ) -> (Self, Verdict) {
        let judges = examples.judges();
        // One judge after another: the errors of all members at all judges would be as large as the data.
        let of_judge = |i: usize| {
            let errors = tried.iter().map(|tried| judges.miss(i, &tried.guesses[i]));
            products(&errors.collect::<Vec<Vec<f64>>>())
        };
        let count = judges.framed.len();
        let products: Vec<Products> = (0..count).into_par_iter().map(of_judge).collect();
        let sizes = judges.framed.iter().map(|f| examples.parity.size(f));
        let sizes: Vec<f64> = sizes.collect();
        let norms = norms(&products, &sizes);
        let weights = if is_judged {
            let evidence = match examples.has_held() {
                true => sizes.len(),
                false => examples.folds.count(),
            };
            weights(&products, &norms, &sizes, evidence)
        } else {
            let first = |k: usize| if k == 0 { 1.0 } else { 0.0 };
            (0..tried.len()).map(first).collect()
        };
        let verdict = verdict(&tried, &weights, judges.targets);
        for ((tried, norms), weight) in tried.into_iter().zip(norms).zip(weights) {
            self.scores.push(MemberScore {
                name: tried.name,
                left_out: norms.iter().sum::<f64>() / norms.len() as f64,
                weight,
            });
            if weight > 0.0 {
                self.members.push((tried.member, weight));
            }
        }
        (self, verdict)
    }

    /// The target of a query in the problem's own frame, [channel, point]; `around` is the query with
    /// the predicted mean in the place of low fidelity.
    pub(super) fn predict(&self, framed: &Framed, around: Option<&Framed>) -> Vec<f64> {
        let mut sum = vec![0.0; self.values];
        for (member, weight) in &self.members {
            let mut values = member.predict(framed, around).unwrap_or_default();
            self.finish(member.base, &mut values, &framed.low);
            for (sum, value) in sum.iter_mut().zip(values) {
                *sum += weight * value;
            }
        }
        if let Some(stacked) = &self.stacked {
            let correction = stacked.correction(framed, &sum);
            sum.iter_mut().zip(correction).for_each(|(s, c)| *s += c);
        }
        let size = self.parity.size(framed);
        sum.iter_mut().for_each(|value| *value *= size);
        sum
    }

    /// How much less is known of a query than of a judging input: kernels by their posterior
    /// variance, the others by `distance`.
    pub(super) fn novelty(&self, framed: &Framed, distance: f64) -> f64 {
        let novelty = |(member, weight): &(Member, f64)| match (&member.model, member.base) {
            (Model::Kernel(fit, _), Base::Low) => weight * fit.novelty(framed),
            (Model::Kernel(fit, _), Base::Input) => weight * fit.novelty(&framed.alone()),
            (Model::Process(fit), Base::Low) => weight * fit.novelty(framed),
            (Model::Process(fit), Base::Input) => weight * fit.novelty(&framed.alone()),
            _ => weight * distance,
        };
        self.members.iter().map(novelty).sum()
    }
}

fn verdict(tried: &[Tried], weights: &[f64], targets: &[Vec<f64>]) -> Verdict {
    let weighed = || tried.iter().zip(weights).filter(|(_, w)| **w > 0.0);
    let blended = |i: usize| {
        let mut sum = vec![0.0; targets[i].len()];
        for (tried, weight) in weighed() {
            let parts = sum.iter_mut().zip(&tried.guesses[i]);
            parts.for_each(|(s, g)| *s += weight * g);
        }
        sum
    };
    let guesses: Vec<Vec<f64>> = (0..targets.len()).map(blended).collect();
    let error = |(target, guess): (&Vec<f64>, &Vec<f64>)| {
        target.iter().zip(guess).map(|(t, g)| t - g).collect()
    };
    let unknown = |i: usize| {
        let parts = weighed().filter_map(|(t, w)| Some(w * t.unknown.as_ref()?.get(i)?));
        parts.sum()
    };
    let without = weighed().filter(|(t, _)| t.unknown.is_none());
    Verdict {
        errors: targets.iter().zip(&guesses).map(error).collect(),
        guesses,
        unknown: (0..targets.len()).map(unknown).collect(),
        without: without.map(|(_, w)| w).sum(),
    }
}
