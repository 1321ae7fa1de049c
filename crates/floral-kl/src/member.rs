//! A fitted candidate of any family: what it predicts, and how new a query is to it.

use super::case::Framed;
use super::constant::Constant;
use super::kernel::{Kernel, KernelFit};
use super::local::LocalFit;
use super::problem::Base;
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
