//! A fitted candidate of any family: what it predicts, and how new a query is to it.

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
    pub fn unknown(&mut self) -> Option<Vec<f64>> {
        match self {
            Self::Constant(_) | Self::Local(_) | Self::Around(_) => None,
            Self::Kernel(fit, _) => Some(std::mem::take(&mut fit.unknown)),
            Self::Process(fit) => Some(std::mem::take(&mut fit.unknown)),
        }
    }

    /// What is guessed of the judging inputs: [judge][channel, point], of a large domain at the points that judge.
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
    /// What is guessed of the judging inputs at all points of a large domain; none if that cannot be computed.
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

    /// The target of a query, without bounds: [channel, point].
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

    /// How much less is known of a query than of a judging input: by the posterior variance, or else by
    /// `distance`.
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
