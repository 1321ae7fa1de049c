//! Datasets: inputs, low-fidelity solutions and realizations of the true one, in a Zarr v3 group.
//!
//! | array | dimensions | |
//! |---|---|---|
//! | `input` | input, channel, grid... | what the solvers were given |
//! | `low` | input, channel, grid... | the low-fidelity solution |
//! | `low_realizations` | input, low_realization, channel, grid... | draws of a stochastic low-fidelity solution; `low`, if absent, is their mean |
//! | `high` | input, realization, channel, grid... | draws of the true one |
//! | `exact_mean`, `exact_variance` | input, channel, grid... | where they are known |
//! | `redraws` | input | how many draws the solver had to repeat |
//! | `realizations_of` | input | how many realizations it has, where not all have the same number |
//! | `low_realizations` | input, low_realization, channel, grid... | those of which `low` is the mean |
//! | one per grid axis | that axis | its coordinates |
//!
//! The group's attribute `symmetries`, a list such as `["roll:x", "sign"]`, declares which motions
//! take solutions to solutions. The attribute `low_pairing` says whether the i-th of
//! `low_realizations` was made with the randomness of the i-th of `high`, "shared", or not,
//! "independent", which it is if absent; what is learned in either case tells
//! `train/control_variate.rs`. Each array has one chunk per input. High fidelity may be known on
//! fewer points, every s-th of the grid's: its axes are then called `x_high`. [`generate()`] writes a
//! dataset, [`import`] makes one of files of other programs, [`Dataset`] reads one, also one made by
//! other means. Inputs to predict come from any of them or from a NumPy archive, as an
//! [`InputSource`].
//!
//! What values are is told by attributes of the arrays, all of which may be absent:
//!
//! | array | attributes |
//! |---|---|
//! | an axis | `units`, `long_name`; `domain`, such as `{"kind": "closed", "from": 0, "to": 1}` |
//! | `input`, `low`, `high` with one channel | `units`, `long_name`, `name` or `standard_name` |
//! | the same with several | lists `channel_units`, `channel_long_names`, `channel_names` |
//! | the group | `title` |

mod arrays;
pub(crate) mod axis_names;
mod generate;
pub mod import;
mod inputs;
pub(crate) mod layout;
mod normalise;
pub(crate) mod npz;
mod on_demand;
mod origin;
pub(crate) mod quantities;
mod reader;
mod realizations;
mod root;
mod shapes;
mod split;
mod stochastic_low;
mod symmetries;
pub(crate) mod view;
mod writer;

pub use arrays::Arrays;
pub use generate::{Outcome, generate};
pub use inputs::InputSource;
pub use layout::{FORMAT, Request};
pub use normalise::Normaliser;
pub use npz::NpzInputs;
pub use reader::Dataset;
pub use realizations::Realizations;
pub use split::{Split, SplitConfig};
pub use stochastic_low::LowPairing;

pub use crate::storage::{Precision, write_atomically};
