//! A blend: several regressions of one target, weighed by what they say of judging inputs.

use serde::{Deserialize, Serialize};

use super::case::Framed;
use super::kernel::{Kernel, KernelFit, Resemblance};
use super::local::{LocalFit, LocalPlan};
use super::target::{Examples, Parity};
use super::weights::{norms, weights};
use super::{Lattice, Symmetries};
use crate::Result;
use crate::observer::{Event, Observer, go_on};

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

/// The regressions to choose from.
pub(super) struct Menu {
    pub local: Vec<LocalPlan>,
    /// Those in which the predicted mean is in the place of low fidelity.
    pub around: Vec<LocalPlan>,
    pub kernels: Vec<Kernel>,
}

pub(super) enum Member {
    Local(Box<LocalFit>),
    /// Of inputs with the predicted mean in the place of low fidelity.
    Around(Box<LocalFit>),
    Kernel(Box<KernelFit>, Kernel),
    /// The target is zero: of a residual, low fidelity alone.
    Zero,
}

impl Member {
    fn judged(&self, input: usize) -> Option<&[f64]> {
        match self {
            Self::Local(fit) | Self::Around(fit) => Some(&fit.judged[input]),
            Self::Kernel(fit, _) => Some(&fit.judged[input]),
            Self::Zero => None,
        }
    }

    /// What was needed to judge and is not to predict.
    fn forget(&mut self) {
        match self {
            Self::Local(fit) | Self::Around(fit) => fit.judged.clear(),
            Self::Kernel(fit, _) => fit.judged.clear(),
            Self::Zero => (),
        }
    }

    fn predict(&self, framed: &Framed, around: Option<&Framed>) -> Option<Vec<f64>> {
        match self {
            Self::Local(fit) => Some(fit.predict(framed)),
            Self::Around(fit) => Some(fit.predict(around?)),
            Self::Kernel(fit, _) => Some(fit.predict(framed)),
            Self::Zero => None,
        }
    }
}

/// Weighed regressions of one target.
pub(super) struct Blend {
    pub members: Vec<(Member, f64)>,
    pub parity: Parity,
    /// The training inputs' targets: [input][channel, point].
    pub targets: Vec<Vec<f64>>,
    /// What each candidate achieved.
    pub scores: Vec<MemberScore>,
}

/// What a blend says of the inputs that judged it, framed.
pub(super) struct Verdict {
    /// [judge][channel, point].
    pub guesses: Vec<Vec<f64>>,
    /// Target minus guess.
    pub errors: Vec<Vec<f64>>,
}

impl Blend {
    pub(super) fn new(
        menu: &Menu,
        lattice: &Lattice,
        symmetries: &Symmetries,
        examples: &Examples<'_>,
        around: Option<&Examples<'_>>,
        observer: &dyn Observer,
    ) -> Result<(Self, Verdict)> {
        let total = menu.around.len() + menu.local.len() + menu.kernels.len();
        let of = examples.parity.name();
        let begin = |done: usize| {
            observer.observe(&Event::Fitting { of, done, total });
            go_on(observer)
        };
        let mut members = vec![("zero".to_owned(), Member::Zero)];
        let mut tried = 0..total;
        let mut next = || begin(tried.next().unwrap_or(total));
        for (plan, around) in menu.around.iter().filter_map(|plan| Some((plan, around?))) {
            next()?;
            let fit = LocalFit::new(plan, lattice, symmetries, around);
            let name = format!("around the mean {}", plan.name());
            members.extend(fit.map(|fit| (name, Member::Around(Box::new(fit)))));
        }
        for plan in &menu.local {
            next()?;
            let fit = LocalFit::new(plan, lattice, symmetries, examples);
            members.extend(fit.map(|fit| (plan.name(), Member::Local(Box::new(fit)))));
        }
        for kernel in &menu.kernels {
            next()?;
            let resemblance = Resemblance::new(lattice, symmetries, examples.train.framed, kernel);
            let fit = KernelFit::new(kernel.covariance, &resemblance, symmetries, examples);
            members.extend(fit.map(|fit| (kernel.name(), Member::Kernel(Box::new(fit), *kernel))));
        }
        Ok(weigh(members, examples))
    }

    /// The target of a query in the problem's own frame, [channel, point]; `around` is the query with
    /// the predicted mean in the place of low fidelity.
    pub(super) fn predict(&self, framed: &Framed, around: Option<&Framed>) -> Vec<f64> {
        let mut sum = vec![0.0; self.targets[0].len()];
        for (member, weight) in &self.members {
            let values = member.predict(framed, around).unwrap_or_default();
            for (sum, value) in sum.iter_mut().zip(values) {
                *sum += weight * value;
            }
        }
        let size = self.parity.size(framed);
        sum.iter_mut().for_each(|value| *value *= size);
        sum
    }

    /// How much less is known of a query than of a judging input: kernels by their posterior
    /// variance, the others by `distance`.
    pub(super) fn novelty(&self, framed: &Framed, distance: f64) -> f64 {
        let novelty = |(member, weight): &(Member, f64)| match member {
            Member::Kernel(fit, _) => weight * fit.novelty(framed),
            Member::Local(_) | Member::Around(_) | Member::Zero => weight * distance,
        };
        self.members.iter().map(novelty).sum()
    }
}

fn weigh(members: Vec<(String, Member)>, examples: &Examples<'_>) -> (Blend, Verdict) {
    let judges = examples.judges();
    let count = judges.framed.len();
    let zero = vec![0.0; judges.targets[0].len()];
    let miss = |member: &Member, i: usize| judges.miss(i, member.judged(i).unwrap_or(&zero));
    let of = |member: &Member| (0..count).map(|i| miss(member, i)).collect();
    let errors: Vec<Vec<Vec<f64>>> = members.iter().map(|(_, member)| of(member)).collect();
    let sizes = judges.framed.iter().map(|f| examples.parity.size(f));
    let sizes: Vec<f64> = sizes.collect();
    let norms = norms(&errors, &sizes);
    let weights = weights(&errors, &norms, &sizes);
    let verdict = verdict(&members, &weights, judges.targets);
    let blend = Blend {
        scores: scores(&members, &norms, &weights),
        parity: examples.parity,
        targets: examples.train.targets.to_vec(),
        members: members
            .into_iter()
            .zip(weights)
            .filter(|(_, weight)| *weight > 0.0)
            .map(|((_, mut member), weight)| {
                member.forget();
                (member, weight)
            })
            .collect(),
    };
    (blend, verdict)
}

fn verdict(members: &[(String, Member)], weights: &[f64], targets: &[Vec<f64>]) -> Verdict {
    let blended = |i: usize| {
        let mut sum = vec![0.0; targets[i].len()];
        for ((_, member), weight) in members.iter().zip(weights) {
            let guess = member.judged(i).unwrap_or(&[]);
            sum.iter_mut()
                .zip(guess)
                .for_each(|(s, g)| *s += weight * g);
        }
        sum
    };
    let guesses: Vec<Vec<f64>> = (0..targets.len()).map(blended).collect();
    let error = |(target, guess): (&Vec<f64>, &Vec<f64>)| {
        target.iter().zip(guess).map(|(t, g)| t - g).collect()
    };
    Verdict {
        errors: targets.iter().zip(&guesses).map(error).collect(),
        guesses,
    }
}

fn scores(members: &[(String, Member)], norms: &[Vec<f64>], weights: &[f64]) -> Vec<MemberScore> {
    let score =
        |((name, _), (norms, weight)): (&(String, Member), (&Vec<f64>, &f64))| MemberScore {
            name: name.clone(),
            left_out: norms.iter().sum::<f64>() / norms.len() as f64,
            weight: *weight,
        };
    members
        .iter()
        .zip(norms.iter().zip(weights))
        .map(score)
        .collect()
}
