//! A regression problem: examples of one target, with and without low fidelity, and their
//! candidates.

use serde::{Deserialize, Serialize};

use super::candidate_list::CandidateList;
use super::local::LocalPlan;
use super::target::Examples;
use super::{Lattice, Symmetries};

/// Which quantity a candidate predicts, and from what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Base {
    /// The residual from input and low fidelity; without low fidelity, the solution.
    Low,
    /// The solution from the input alone: low fidelity is ignored.
    Input,
}

/// Examples with a base, and the candidates fitted to them.
pub(super) struct View<'a> {
    pub base: Base,
    pub examples: Examples<'a>,
    pub candidates: CandidateList,
}

/// One target, mean or variance, with all that its candidates are fitted to.
pub(super) struct Problem<'a> {
    pub lattice: &'a Lattice,
    pub symmetries: &'a Symmetries,
    /// The first has the base [`Base::Low`], unless low fidelity is rejected and nothing can judge
    /// it.
    pub views: Vec<View<'a>>,
    /// Examples with the predicted mean in place of low fidelity, and plans for them; for variances
    /// only.
    pub around: Option<(Examples<'a>, Vec<LocalPlan>)>,
    /// The value of zero in each channel of the input, in units of the fit.
    pub zeros: Vec<f64>,
    /// Whether constant fields stay among the candidates if others could be fitted.
    pub has_constants: bool,
    /// Constant candidates: a name, and one number per channel.
    pub constants: Vec<(&'static str, Vec<f64>)>,
}
