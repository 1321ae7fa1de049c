//! A Zarr v3 group written by many threads. Each chunk is written atomically, and the group gets
//! its name once complete. It grows in the folder of `partial.rs`.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use zarrs::storage::ReadableStorage;

use super::files::{create_folder, refuse_other_than_text, sync, write_json, zarr_store};
use super::flush::Flush;
use super::group_plan::{GroupPlan, METADATA_FILE};
use super::growing_array::GrowingArray;
use super::names;
use super::partial::Partial;
use super::spool::Spool;
use super::{Checksum, Precision};
use crate::ranks::{Ranks, agreed};
use crate::{Error, Result};

/// A group under construction in a separate folder, renamed once complete.
pub struct Group {
    partial: Partial,
    plan: GroupPlan,
    arrays: BTreeMap<String, GrowingArray>,
    flush: Flush,
}

impl Group {
    /// Begins or continues a group; none if it is already complete.
    pub fn open(target: &Path, plan: GroupPlan, force: bool) -> Result<Option<Self>> {
        // Refused before any folder is created.
        refuse_other_than_text(target)?;
        plan.check_shards()?;
        let Some(partial) = Partial::open(target, &plan.root(), force)? else {
            return Ok(None);
        };
        Self::in_folder(partial, plan).map(Some)
    }

    /// The same for several ranks: rank 0 opens the group, the others join, and each writes its own
    /// chunks.
    pub fn open_across(
        ranks: &dyn Ranks,
        target: &Path,
        plan: GroupPlan,
        force: bool,
    ) -> Result<Option<Self>> {
        same_everywhere(ranks, target, &plan)?;
        let first = ranks.is_first();
        let opened = first.then(|| Self::open(target, plan.clone(), force));
        let opened = agreed(ranks, opened.transpose(), &mut || {})?;
        let is_there = matches!(opened, Some(None));
        let words = ranks.gather(vec![u8::from(is_there)], &mut || {})?;
        match opened {
            Some(group) => Ok(group),
            None if words[0] == [1] => Ok(None),
            None => Self::join(target, plan).map(Some),
        }
    }

    fn join(target: &Path, plan: GroupPlan) -> Result<Self> {
        Self::in_folder(Partial::join(target)?, plan)
    }

    fn in_folder(partial: Partial, plan: GroupPlan) -> Result<Self> {
        let arrays = open_arrays(&plan, &partial.store())?;
        Ok(Self {
            flush: Flush::new(&partial.store()),
            partial,
            plan,
            arrays,
        })
    }

    /// Whether the plan has an array of this name.
    pub fn plans(&self, name: &str) -> bool {
        self.arrays.contains_key(name)
    }

    /// Whether every array of these names has a valid chunk at this index.
    pub fn has(&self, names: &[&str], index: usize) -> bool {
        let mut planned = names.iter().filter_map(|name| self.arrays.get(*name));
        planned.all(|array| array.has(index))
    }

    /// The count stored at an index, if it is present and valid.
    pub fn count(&self, name: &str, index: usize) -> Option<u32> {
        self.arrays.get(name)?.count(index)
    }

    /// Number of parts of `total` indices. The indices of a part share files and are therefore
    /// processed together.
    pub fn parts(&self, total: usize) -> usize {
        total.div_ceil(self.plan.shard)
    }

    /// The indices of a part.
    pub fn part(&self, part: usize, total: usize) -> Range<usize> {
        let first = part * self.plan.shard;
        first..total.min(first + self.plan.shard)
    }

    /// Stores the values at one index of an array's first dimension.
    pub fn write_values(&self, name: &str, index: usize, values: &[f64]) -> Result<()> {
        self.write_padded(name, index, values, values.len())
    }

    /// Stores the values at one index, padded with NaN to `total` values.
    pub fn write_padded(
        &self,
        name: &str,
        index: usize,
        values: &[f64],
        total: usize,
    ) -> Result<()> {
        match values.iter().find(|v| v.is_nan()) {
            Some(nan) => Err(unstorable(name, index, *nan)),
            None => self.write_measured(name, index, values, total),
        }
    }

    /// The same for values that may include NaN.
    pub fn write_measured(
        &self,
        name: &str,
        index: usize,
        values: &[f64],
        total: usize,
    ) -> Result<()> {
        let precision = self.plan.precision;
        let mut there = values.iter().filter(|v| !v.is_nan());
        if let Some(value) = there.find(|&&v| !precision.holds(v)) {
            return Err(unstorable(name, index, *value));
        }
        let mut bytes = precision.native_bytes(values);
        let missing = precision.native_bytes(&[f64::NAN]);
        bytes.extend(missing.repeat(total.saturating_sub(values.len())));
        self.write_chunk(name, index, bytes)
    }

    /// Stores the count at one index.
    pub fn write_count(&self, name: &str, index: usize, count: u32) -> Result<()> {
        self.write_chunk(name, index, count.to_ne_bytes().to_vec())
    }

    /// Stores the values at one index of a 64-bit array, regardless of the plan's precision; NaN is
    /// a missing value.
    pub fn write_doubles(&self, name: &str, index: usize, values: &[f64]) -> Result<()> {
        self.write_chunk(name, index, Precision::F64.native_bytes(values))
    }

    /// The values stored at one index of a 64-bit array, if they are present and valid.
    pub fn doubles(&self, name: &str, index: usize) -> Option<Vec<f64>> {
        self.arrays.get(name)?.doubles(index)
    }

    /// Stores the coordinates of a dimension.
    pub fn write_coordinates(&self, name: &str, coordinates: &[f64]) -> Result<()> {
        self.write_chunk(name, 0, Precision::F64.native_bytes(coordinates))
    }

    /// Stores indices in a single chunk.
    pub fn write_indices(&self, name: &str, indices: &[usize]) -> Result<()> {
        let narrow = |index: &usize| u32::try_from(*index).unwrap_or(u32::MAX).to_ne_bytes();
        self.write_chunk(name, 0, indices.iter().flat_map(narrow).collect())
    }

    /// The spool of an unfinished index: realizations of `size` values, in blocks of `rows`.
    pub fn spool(&self, index: usize, size: usize, rows: usize) -> Spool {
        let folder = self.partial.pending().join(index.to_string());
        Spool::new(
            folder,
            self.partial.scratch(),
            (size, rows),
            self.plan.precision,
        )
    }

    /// Waits until everything written by this rank has reached the disk, which a rank on another
    /// host cannot request. Rank 0 does so when it finishes.
    pub fn settle(&self, ranks: &dyn Ranks) -> Result<()> {
        match ranks.is_first() {
            true => Ok(()),
            false => self.flush.all(),
        }
    }

    /// Adds the metadata and renames the complete group.
    pub fn finish(self) -> Result<()> {
        let (store, scratch) = (self.partial.store(), self.partial.scratch());
        for array in self.arrays.values() {
            array.write_rest(&scratch)?;
        }
        for (name, metadata) in &self.plan.arrays {
            write_json(&store.join(name).join(METADATA_FILE), metadata, &scratch)?;
        }
        // Data must be on disk before the metadata that declare the group complete, in case of a
        // power failure.
        self.flush.all()?;
        let root = store.join(METADATA_FILE);
        write_json(&root, &self.plan.root(), &scratch)?;
        sync(&root)?;
        sync(&store)?;
        self.partial.publish()
    }

    fn write_chunk(&self, name: &str, index: usize, bytes: Vec<u8>) -> Result<()> {
        let written = self.arrays[name].write(index, bytes, &self.partial.scratch())?;
        self.flush.wrote(written)
    }
}

/// Refuses a group whose plan differs between ranks.
fn same_everywhere(ranks: &dyn Ranks, target: &Path, plan: &GroupPlan) -> Result<()> {
    let own = Checksum::default().bytes(plan.root().to_string().as_bytes());
    let marks = ranks.gather(own.to_string().into_bytes(), &mut || {})?;
    match marks.iter().position(|mark| *mark != marks[0]) {
        None => Ok(()),
        Some(rank) => Err(Error::bad_file(
            target,
            format!(
                "rank {rank} would write something else than rank 0; give every rank the same \
                 program, the same arguments and the same files"
            ),
        )),
    }
}

fn open_arrays(plan: &GroupPlan, store: &Path) -> Result<BTreeMap<String, GrowingArray>> {
    let bad = |reason: String| Error::bad_file(store, reason);
    let storage: ReadableStorage = Arc::new(zarr_store(store)?);
    let arrays = plan.arrays.iter().map(|(name, metadata)| {
        if let Some(fault) = names::fault(name) {
            return Err(bad(format!("an array cannot be stored: {fault}")));
        }
        create_folder(&store.join(name))?;
        let array = GrowingArray::new(storage.clone(), store, name, metadata);
        Ok((name.clone(), array.map_err(bad)?))
    });
    arrays.collect()
}

fn unstorable(name: &str, input: usize, value: f64) -> Error {
    let advice = if value.is_finite() {
        "store the dataset in f64"
    } else {
        "the value is not finite: correct the data, or use a finer resolution or milder constants"
    };
    Error::numerical(
        format!("input {input}: {name} has the value {value:e}, which cannot be stored"),
        advice,
    )
}
