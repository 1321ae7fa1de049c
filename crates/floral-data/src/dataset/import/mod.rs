//! Import: turns files of other formats into a dataset, after checking them.
//!
//! `source/` opens files as named arrays. Arrays that belong together form a unit (`unit.rs`). A
//! `Recipe` states which of them are input, low and high fidelity, from their layout (`layouts/`)
//! or [`ImportOptions`]. `parts.rs` names their dimensions, `frame.rs` finds the grid, and a
//! `Reading` converts them to it. `survey.rs` checks every value, `group.rs` lays out the dataset,
//! `write.rs` stores it input by input, and `summary.rs` summarizes the findings.

mod axes;
mod channels;
mod circle;
mod conversion;
mod cover;
mod dimensions;
mod found;
mod frame;
mod group;
mod guess;
mod layouts;
mod matching;
mod options;
mod part;
mod parts;
mod pick;
mod prepared;
mod quantity;
mod reading;
mod recipe;
mod role;
pub(super) mod source;
mod stack;
mod summary;
mod survey;
mod unit;
mod write;

use std::path::{Path, PathBuf};

pub use found::{ArrayFound, AxisFound, ChannelFound, Found, PartFound};
pub use matching::matched;
pub use options::ImportOptions;
pub use pick::{Along, Pick};

use crate::Result;
use crate::observer::Observer;
use prepared::Prepared;
use source::Source;

pub use source::is_data;

/// Files opened for import.
pub struct Import {
    paths: Vec<PathBuf>,
    sources: Vec<Source>,
}

impl Import {
    /// Opens files: NumPy (.npz, .npy), HDF5, NetCDF, Zarr, or folders of such files. Several
    /// files, or numbered groups of one file, hold one or more inputs each, and are concatenated. A
    /// folder of single-array files is one set of arrays.
    pub fn open(paths: &[PathBuf]) -> Result<Self> {
        Ok(Self {
            paths: paths.to_vec(),
            sources: source::open(paths)?,
        })
    }

    /// Checks all data without writing anything.
    pub fn look(&self, options: &ImportOptions, observer: &dyn Observer) -> Result<Found> {
        Ok(Prepared::new(&self.sources, options, observer)?.found())
    }

    /// Writes the dataset `path`. Returns the findings, and whether the dataset was written
    /// (`true`) or already complete (`false`). Invalid data are refused before anything is written;
    /// an existing dataset is replaced only with `force`.
    pub fn write(
        &self,
        options: &ImportOptions,
        path: &Path,
        force: bool,
        observer: &dyn Observer,
    ) -> Result<(Found, bool)> {
        let prepared = Prepared::new(&self.sources, options, observer)?;
        let plan = prepared.plan(options, &self.paths);
        let is_written = plan.write(path, force, observer)?;
        Ok((prepared.found(), is_written))
    }
}
