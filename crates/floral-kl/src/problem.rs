//! What there is to learn from: examples of one target, seen with low fidelity and without.

use serde::{Deserialize, Serialize};

use super::candidate_list::CandidateList;
use super::local::LocalPlan;
use super::target::Examples;
use super::{Lattice, Symmetries};

/// What a candidate is fitted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Base {
    /// The residual to low fidelity, which is a field beside the input; without low fidelity the
    /// solution.
    Low,
    /// The solution, by the input alone: low fidelity is not looked at.
    Input,
}

/// Examples with a base, and the candidates fitted to them.
pub(super) struct View<'a> {
    pub base: Base,
    pub examples: Examples<'a>,
    pub candidates: CandidateList,
}

/// A target with all that its candidates are fitted to.
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
