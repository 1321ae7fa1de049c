//! What the caller says about data: which arrays are what, and what to do with them.

use std::collections::BTreeMap;

use super::Pick;
use crate::dataset::LowPairing;
use crate::storage::Precision;

/// What is known about data beyond what the files tell; all of it may be left out.
#[derive(Debug, Clone, Default)]
pub struct Wishes {
    /// The arrays that make the input, channel by channel.
    pub input: Vec<Pick>,
    /// Those of the low-fidelity solution.
    pub low: Vec<Pick>,
    /// Those of the high-fidelity solution.
    pub high: Vec<Pick>,
    /// Numbers that belong to an input as a whole, each a constant channel of it.
    pub parameters: Vec<String>,
    /// The dimensions of arrays, by name: `input`, `realization`, `channel`, or an axis of the grid.
    pub dimensions: BTreeMap<String, Vec<String>>,
    /// Of arrays such as `train_input` and `test_input`, those that begin with this.
    pub prefix: Option<String>,
    /// Axes whose ends are the same point.
    pub periodic: Vec<String>,
    /// Whether uneven axes are made even by linear interpolation.
    pub even: bool,
    /// Whether the grid is that of the high-fidelity solution, to which the others are interpolated.
    pub on_high_grid: bool,
    /// Whether realizations and inputs with missing values are left out.
    pub skip_missing: bool,
    /// Whether NaN in high fidelity says that it was not measured there.
    pub sensors: bool,
    /// How realizations of low fidelity go with those of high; as the files say if absent, or else
    /// independent.
    pub low_pairing: Option<LowPairing>,
    /// How values are stored; as precisely as in the files if absent.
    pub precision: Option<Precision>,
    /// Inputs that share a file of an array; each has its own if absent.
    pub shard: Option<usize>,
    /// What the dataset is called.
    pub title: Option<String>,
}
