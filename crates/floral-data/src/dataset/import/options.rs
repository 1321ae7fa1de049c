//! Options of an import: which arrays are what, and how they are converted.

use std::collections::BTreeMap;

use super::Pick;
use crate::dataset::LowPairing;
use crate::storage::Precision;

/// Options of an import; all may be omitted.
#[derive(Debug, Clone, Default)]
pub struct ImportOptions {
    /// The arrays that make the input, channel by channel.
    pub input: Vec<Pick>,
    /// Those of the low-fidelity solution.
    pub low: Vec<Pick>,
    /// Those of the high-fidelity solution.
    pub high: Vec<Pick>,
    /// Numbers that belong to an input as a whole; each becomes a constant channel.
    pub parameters: Vec<String>,
    /// The dimensions of arrays, by name: `input`, `realization`, `channel`, or an axis of the grid.
    pub dimensions: BTreeMap<String, Vec<String>>,
    /// The prefix to take among arrays such as `train_input` and `test_input`.
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
    /// How realizations of low fidelity correspond to those of high; by default as the files say, or
    /// independent.
    pub low_pairing: Option<LowPairing>,
    /// How values are stored; as precisely as in the files if absent.
    pub precision: Option<Precision>,
    /// Inputs that share a file of an array; each has its own if absent.
    pub shard: Option<usize>,
    /// The title of the dataset.
    pub title: Option<String>,
}
