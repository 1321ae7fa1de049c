//! Writes a dataset input by input.

use std::path::Path;

use zarrs::array::{Array, ArrayBytes};
use zarrs::filesystem::FilesystemStore;

use super::layout::{EXACT_MEAN, EXACT_VARIANCE, HIGH, INPUT, LOW, Plan, REDRAWS};
use super::store::{Store, chunk_of};
use super::stored_array::codec_options;
use crate::problem::Moments;
use crate::{Error, Field, Grid, Result};

/// Everything that is stored about one input.
pub(super) struct Solution {
    pub input: Field,
    pub low: Field,
    /// [realization, channel, grid...]
    pub high: Vec<f64>,
    pub moments: Option<Moments>,
    pub redraws: u32,
}

/// An unfinished dataset open for writing, by many threads at once.
pub(super) struct Writer {
    store: Store,
}

impl Writer {
    /// Begins or continues a dataset; none if it is complete.
    pub fn open(target: &Path, plan: Plan, force: bool) -> Result<Option<Self>> {
        let store = Store::open(target, plan, force)?;
        Ok(store.map(|store| Self { store }))
    }

    /// The number of redraws of an input of which every chunk is there and has its checksum;
    /// none if it has to be computed.
    pub fn finished(&self, input: usize) -> Option<u32> {
        let at = |array: &Array<FilesystemStore>| chunk_of(array, input);
        // Written last: where it is missing, there is no need to look at the others.
        let redraws = self.store.array(REDRAWS)?;
        let counts: Vec<u32> = redraws
            .retrieve_chunk_if_exists_opt(&at(redraws), &codec_options())
            .ok()??;
        for name in [INPUT, LOW, HIGH, EXACT_MEAN, EXACT_VARIANCE] {
            if let Some(array) = self.store.array(name) {
                array
                    .retrieve_chunk_if_exists_opt::<ArrayBytes>(&at(array), &codec_options())
                    .ok()??;
            }
        }
        counts.first().copied()
    }

    /// Stores an input and its solutions.
    pub fn write(&self, input: usize, solution: &Solution) -> Result<()> {
        let store = &self.store;
        store.write_values(INPUT, input, solution.input.values())?;
        store.write_values(LOW, input, solution.low.values())?;
        store.write_values(HIGH, input, &solution.high)?;
        if solution.moments.is_some() != store.array(EXACT_MEAN).is_some() {
            return Err(sometimes_exact(input));
        }
        if let Some(moments) = &solution.moments {
            store.write_values(EXACT_MEAN, input, moments.mean.values())?;
            store.write_values(EXACT_VARIANCE, input, moments.variance.values())?;
        }
        store.write_count(REDRAWS, input, solution.redraws)
    }

    /// Adds coordinates and metadata, and gives the complete dataset its name.
    pub fn finish(self, grid: &Grid) -> Result<()> {
        for axis in &grid.axes {
            self.store
                .write_coordinates(&axis.name, &axis.coordinates)?;
        }
        self.store.finish()
    }
}

fn sometimes_exact(input: usize) -> Error {
    Error::Numerical {
        what: format!(
            "input {input}: exact moments are known for this input or the first, not both"
        ),
        advice: "a problem has to know them for all inputs or for none".into(),
    }
}
