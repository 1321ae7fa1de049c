//! Options of an import: the role of each array, and its conversion.

use std::collections::BTreeMap;

use super::Pick;
use crate::dataset::LowPairing;
use crate::storage::Precision;

/// Options of an import; all may be omitted.
#[derive(Debug, Clone, Default)]
pub struct ImportOptions {
    /// The arrays that form the input, channel by channel.
    pub input: Vec<Pick>,
    /// The arrays that form the low-fidelity solution.
    pub low: Vec<Pick>,
    /// The arrays that form the high-fidelity solution.
    pub high: Vec<Pick>,
    /// Arrays with one number per input; each becomes a constant channel.
    pub parameters: Vec<String>,
    /// The dimensions of arrays by array name: `input`, `realization`, `channel`, or an axis of the
    /// grid.
    pub dimensions: BTreeMap<String, Vec<String>>,
    /// The prefix to take among arrays such as `train_input` and `test_input`.
    pub prefix: Option<String>,
    /// Axes whose ends are the same point.
    pub periodic: Vec<String>,
    /// Whether uneven axes are made even by linear interpolation.
    pub even: bool,
    /// Whether to use the grid of high fidelity and interpolate the other arrays to it.
    pub on_high_grid: bool,
    /// Whether to leave out realizations and inputs with missing values.
    pub skip_missing: bool,
    /// Whether NaN in high fidelity means "not measured here".
    pub sensors: bool,
    /// How realizations of low and high fidelity are paired; by default as stated in the files,
    /// else independent.
    pub low_pairing: Option<LowPairing>,
    /// Precision of stored values; by default that of the files.
    pub precision: Option<Precision>,
    /// Number of inputs per stored file of an array; by default one.
    pub shard: Option<usize>,
    /// The title of the dataset.
    pub title: Option<String>,
}
