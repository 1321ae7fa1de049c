//! The roles of an array's dimensions, by their names.

use super::source::COMPLEX;
use crate::dataset::layout::{
    CHANNEL_DIMENSION, INPUT_CHANNEL_DIMENSION, INPUT_DIMENSION, LOW_REALIZATION_DIMENSION,
    REALIZATION_DIMENSION,
};

/// Names that programs give to the dimension along which inputs differ.
const INPUTS: [&str; 10] = [
    INPUT_DIMENSION,
    "inputs",
    "sample",
    "samples",
    "case",
    "cases",
    "simulation",
    "trajectory",
    "trajectories",
    "batch",
];

/// Names from `INPUTS` that count realizations if another dimension counts the inputs.
pub(super) const MEMBERS_OR_INPUTS: [&str; 4] = ["sample", "samples", "simulation", "trajectory"];

/// Names of the dimension of realizations of one input; `number` is used by ECMWF.
const REALIZATIONS: [&str; 31] = [
    REALIZATION_DIMENSION,
    "realizations",
    "realisation",
    "realisations",
    "number",
    "member",
    "members",
    "member_id",
    "mem",
    "ensemble",
    "ensembles",
    "ensemble_member",
    "ensemble_members",
    "ensemble_id",
    "ens",
    "ens_member",
    "perturbation",
    "perturbations",
    "perturbation_number",
    "draw",
    "draws",
    "seed",
    "seeds",
    "mc",
    "monte_carlo",
    "mc_sample",
    "replicate",
    "replicates",
    "replica",
    "trial",
    "trials",
];

/// Names of the dimension of channels.
const CHANNELS: [&str; 8] = [
    CHANNEL_DIMENSION,
    INPUT_CHANNEL_DIMENSION,
    "channels",
    "component",
    "components",
    "variable",
    "field",
    COMPLEX,
];

/// The role of a dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Role {
    /// Inputs.
    Input,
    /// Realizations of the solution of one input.
    Realization,
    /// Channels of a field.
    Channel,
    /// An axis of the grid.
    Axis(String),
}

impl Role {
    /// The role of a dimension with this name.
    pub fn named(name: &str) -> Self {
        let small = name.trim().to_lowercase();
        let is_one_of = |names: &[&str]| names.contains(&small.as_str());
        if is_one_of(&INPUTS) {
            Self::Input
        } else if is_one_of(&REALIZATIONS) || small == LOW_REALIZATION_DIMENSION {
            Self::Realization
        } else if is_one_of(&CHANNELS) {
            Self::Channel
        } else {
            Self::Axis(axis(name.trim()))
        }
    }

    /// The name of the dimension in a dataset.
    pub fn name(&self) -> &str {
        match self {
            Self::Input => INPUT_DIMENSION,
            Self::Realization => REALIZATION_DIMENSION,
            Self::Channel => CHANNEL_DIMENSION,
            Self::Axis(name) => name,
        }
    }
}

/// The axis of a name such as `x_low`, which holds the coarser points of `x`.
fn axis(name: &str) -> String {
    for grid in ["low", "high", "coarse", "fine"] {
        let rest = name
            .strip_suffix(grid)
            .and_then(|rest| rest.strip_suffix('_'))
            .or_else(|| name.strip_prefix(grid)?.strip_prefix('_'));
        if let Some(rest) = rest.filter(|rest| !rest.is_empty()) {
            return rest.to_owned();
        }
    }
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_other_programs_are_known() {
        assert_eq!(Role::named("Sample"), Role::Input);
        for name in ["member", "number", "Ensemble", "ens"] {
            assert_eq!(Role::named(name), Role::Realization, "{name}");
        }
        assert_eq!(Role::named("component"), Role::Channel);
        for (name, axis) in [
            ("x", "x"),
            ("x_low", "x"),
            ("coarse_lat", "lat"),
            ("low", "low"),
        ] {
            assert_eq!(Role::named(name), Role::Axis(axis.into()));
        }
    }
}
