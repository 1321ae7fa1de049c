//! Prediction store: statistics of predictions in a Zarr v3 group that xarray can open. A
//! [`Job`](super::Job) fills it.

use std::ops::Range;
use std::path::Path;

use super::Moments;
use super::interest::{InterestPlan, InterestSummary};
use super::prediction_layout::{
    ALEATORIC, DEVIATION, DRAWS, EPISTEMIC, EVALUATIONS, EXCEEDANCE, MEAN, NOVELTY, PredictionPlan,
    QUANTILE_DIMENSION, QUANTILES, REALIZATIONS, THRESHOLD_CHANNEL, THRESHOLD_DIMENSION, VARIANCE,
    check_names, check_size,
};
use crate::Result;
use crate::dataset::layout::INPUT_DIMENSION;
use crate::dataset::mesh;
use crate::grid::blank;
use crate::kl::Prediction;
use crate::ranks::{Alone, Ranks};
use crate::sample::{EnsembleStatistics, Wanted};
use crate::storage::{Group, Spool};

/// Every array with a chunk per input. The last one is also written last, and so marks a complete
/// input.
const PER_INPUT: [&str; 12] = [
    DRAWS,
    MEAN,
    VARIANCE,
    DEVIATION,
    ALEATORIC,
    EPISTEMIC,
    NOVELTY,
    QUANTILES,
    EXCEEDANCE,
    REALIZATIONS,
    INPUT_DIMENSION,
    EVALUATIONS,
];

/// A prediction store that is open for writing.
pub struct PredictionWriter {
    group: Group,
    plan: PredictionPlan,
}

impl PredictionWriter {
    /// Starts or continues a group, which gets the name `path` once complete. Returns `None` if the
    /// same predictions are already complete. With `force`, a different or unfinished group is
    /// replaced.
    pub fn open(path: &Path, plan: PredictionPlan, force: bool) -> Result<Option<Self>> {
        Self::open_across(&Alone::default(), path, plan, force)
    }

    /// [`open`](Self::open) for several ranks, each with its own inputs; rank 0 finishes the group.
    pub fn open_across(
        ranks: &dyn Ranks,
        path: &Path,
        plan: PredictionPlan,
        force: bool,
    ) -> Result<Option<Self>> {
        check_names(&plan)?;
        check_size(&plan)?;
        let group = Group::open_across(ranks, path, plan.layout(), force)?;
        Ok(group.map(|group| Self { group, plan }))
    }

    /// The plan for which it was opened.
    pub(super) fn plan(&self) -> &PredictionPlan {
        &self.plan
    }

    /// Whether the input at this position of the plan is stored.
    pub fn is_finished(&self, position: usize) -> bool {
        self.group.has(&PER_INPUT, position)
    }

    /// Number of parts into which the inputs are divided; the inputs of a part share their files.
    pub(super) fn parts(&self) -> usize {
        self.group.parts(self.plan.inputs.len())
    }

    /// The positions of the inputs of a part.
    pub(super) fn part(&self, part: usize) -> Range<usize> {
        self.group.part(part, self.plan.inputs.len())
    }

    /// Whether the input at this position is the last of its part.
    pub(super) fn ends_a_part(&self, position: usize) -> bool {
        let next = position + 1;
        next == self.plan.inputs.len() || next.is_multiple_of(self.plan.shard.max(1))
    }

    /// The spool of the input at this position, with the realizations that an earlier job has left:
    /// realizations of `size` values in blocks of `rows`.
    pub fn spool(&self, position: usize, size: usize, rows: usize) -> Spool {
        self.group.spool(position, size, rows)
    }

    /// Waits until everything that this rank has stored has reached the disk.
    pub(super) fn settle(&self, ranks: &dyn Ranks) -> Result<()> {
        self.group.settle(ranks)
    }

    /// Stores the input at this position of the plan: its moments if known without drawing, at the
    /// places of the plan; the statistics of its draws; the realizations to keep; the number of
    /// network evaluations.
    pub fn write(
        &self,
        position: usize,
        statistics: &EnsembleStatistics,
        known: Option<&Prediction>,
        kept: &[f64],
        evaluations: usize,
    ) -> Result<()> {
        let write = |name: &str, values: &[f64]| match &self.plan.outside[..] {
            [] => self.group.write_values(name, position, values),
            outside => {
                let mut values = values.to_vec();
                blank(outside, &mut values);
                let group = &self.group;
                group.write_measured(name, position, &values, values.len())
            }
        };
        let moments = Moments::of(known, statistics);
        write(MEAN, &moments.mean)?;
        if self.plan.has_spread {
            let unknown = || vec![f64::NAN; moments.mean.len()];
            let deviation = moments.deviation().unwrap_or_else(unknown);
            let variance = moments.variance.unwrap_or_else(|| unknown().into());
            write(VARIANCE, &variance)?;
            write(DEVIATION, &deviation)?;
        }
        if let Some(known) = known.filter(|_| self.plan.moments.has_parts()) {
            write(ALEATORIC, &known.aleatoric)?;
            write(EPISTEMIC, &known.epistemic)?;
            let novelty = [known.novelty];
            self.group.write_values(NOVELTY, position, &novelty)?;
        }
        let joined = |fields: Vec<(f64, Vec<f64>)>| -> Vec<f64> {
            fields.into_iter().flat_map(|(_, field)| field).collect()
        };
        if !self.plan.wanted.quantiles.is_empty() {
            write(QUANTILES, &joined(statistics.quantiles()?))?;
        }
        if !self.plan.wanted.thresholds.is_empty() {
            write(EXCEEDANCE, &self.plan.exceedances(statistics))?;
        }
        if self.plan.kept > 0 {
            write(REALIZATIONS, kept)?;
        }
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        if self.plan.counts_draws {
            let draws = count(statistics.count());
            self.group.write_count(DRAWS, position, draws)?;
        }
        let index = count(self.plan.inputs.start + position);
        self.group.write_count(INPUT_DIMENSION, position, index)?;
        self.group
            .write_count(EVALUATIONS, position, count(evaluations))
    }

    /// Stores the quantities of interest for the input at this position. Call it before
    /// [`write`](Self::write), which completes the input.
    ///
    /// `values`: `[quantity][draw]`; `epistemic`: the epistemic variance of each quantity, if
    /// known.
    pub fn write_interests(
        &self,
        position: usize,
        values: &[Vec<f64>],
        epistemic: &[Option<f64>],
    ) -> Result<()> {
        let values = values.iter().zip(epistemic);
        for (plan, (values, epistemic)) in self.plan.interests.iter().zip(values) {
            for (name, values) in plan.values(values, *epistemic) {
                self.group.write_doubles(&name, position, &values)?;
            }
        }
        Ok(())
    }

    /// The quantities of interest of the plan.
    pub fn interests(&self) -> &[InterestPlan] {
        &self.plan.interests
    }

    /// The statistics of each quantity of interest for the input at this position, read from the
    /// store.
    pub fn summaries(&self, position: usize) -> Option<Vec<InterestSummary>> {
        let drawn = self.plan.counts_draws;
        let draws = drawn.then(|| self.group.count(DRAWS, position)).flatten();
        let summary = |plan: &InterestPlan| {
            let mut values = self.group.doubles(&plan.name, position)?;
            values.truncate(draws.map_or(plan.draws, |draws| draws as usize));
            let epistemic = plan.epistemic_name();
            let epistemic = epistemic.and_then(|name| self.group.doubles(&name, position));
            let epistemic = epistemic.and_then(|values| values.first().copied());
            let known = epistemic.filter(|variance| variance.is_finite());
            Some(InterestSummary::new(&values, &plan.thresholds, known))
        };
        self.plan.interests.iter().map(summary).collect()
    }

    /// Adds coordinates and gives the complete group its final name.
    pub fn finish(self) -> Result<()> {
        let Wanted {
            quantiles,
            thresholds,
            ..
        } = &self.plan.wanted;
        let axes = self.plan.places.coordinates().into_iter();
        let levels = [
            (QUANTILE_DIMENSION, quantiles),
            (THRESHOLD_DIMENSION, thresholds),
        ];
        for (name, values) in axes.chain(levels) {
            if !values.is_empty() {
                self.group.write_coordinates(name, values)?;
            }
        }
        if let Some(grid) = self.plan.places.mesh_grid() {
            mesh::write(&self.group, grid)?;
        }
        let thresholds = self.plan.interests.iter();
        for (name, values) in thresholds.filter_map(InterestPlan::coordinate) {
            self.group.write_coordinates(&name, values)?;
        }
        if self.plan.has_threshold_channels() {
            for (i, channel) in self.plan.threshold_channels.iter().enumerate() {
                self.group
                    .write_count(THRESHOLD_CHANNEL, i, *channel as u32)?;
            }
        }
        self.group.finish()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use zarrs::storage::ReadableStorage;

    use serde_json::{Map, Value};

    use super::*;
    use crate::predict::{MomentSource, Places};
    use crate::storage::StoredArray;
    use crate::{Axis, Grid, Quantity};

    fn plan() -> PredictionPlan {
        PredictionPlan {
            places: Places::Grid(Grid::new(vec![Axis::periodic("x", 3)])),
            quantities: vec![Quantity::named("p").with_units("Pa")],
            inputs: 4..6,
            wanted: Wanted {
                quantiles: vec![0.0, 1.0],
                thresholds: vec![1.5],
                ..Wanted::default()
            },
            threshold_channels: vec![0],
            kept: 1,
            has_spread: true,
            moments: MomentSource::Known,
            counts_draws: true,
            shard: 1,
            outside: Vec::new(),
            interests: Vec::new(),
            attributes: Map::from_iter([("seed".to_owned(), 7.into())]),
        }
    }

    /// Known moments of every input; the draws have a different mean and variance.
    fn known() -> Prediction {
        Prediction {
            mean: vec![10.0, 20.0, 30.0],
            aleatoric: vec![2.0, 0.0, 2.0],
            epistemic: vec![1.0; 3],
            novelty: 2.0,
        }
    }

    fn write(path: &Path, force: bool) -> Result<bool> {
        let plan = plan();
        let Some(writer) = PredictionWriter::open(path, plan.clone(), force)? else {
            return Ok(false);
        };
        for position in 0..2 {
            if writer.is_finished(position) {
                continue;
            }
            let shift = position as f64;
            let fields = [[1.0 + shift, 2.0, 3.0], [3.0 + shift, 2.0, 1.0]];
            let mut statistics = EnsembleStatistics::new(3, 2, &plan.wanted)?;
            for field in &fields {
                statistics.push(field)?;
            }
            writer.write(position, &statistics, Some(&known()), &fields[0], 14)?;
        }
        assert!(!path.exists(), "the name is taken only when complete");
        writer.finish()?;
        Ok(true)
    }

    #[test]
    fn what_is_written_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.zarr");
        assert!(write(&path, false).unwrap());
        let storage = zarrs::filesystem::FilesystemStore::new(&path).unwrap();
        let storage: ReadableStorage = Arc::new(storage);
        let read = |name: &str| {
            let array = StoredArray::open(&storage, &path, name).unwrap().unwrap();
            (array.shape(), array.read(0..array.shape()[0]).unwrap())
        };
        // The known moments are stored, not those of the draws.
        let mean = [10.0, 20.0, 30.0];
        assert_eq!(read("mean"), (vec![2, 1, 3], [mean, mean].concat()));
        assert_eq!(read("variance").1[..3], [3.0, 1.0, 3.0]);
        let root = f64::from(3f64.sqrt() as f32);
        assert_eq!(read("std").1[..3], [root, 1.0, root]);
        assert_eq!(read("aleatoric").1[..3], [2.0, 0.0, 2.0]);
        assert_eq!(read("epistemic").1, [1.0; 6]);
        assert_eq!(read("novelty"), (vec![2], vec![2.0, 2.0]));
        let (shape, values) = read("quantiles");
        assert_eq!(shape, [2, 2, 1, 3]);
        assert_eq!(values[..6], [1.0, 2.0, 1.0, 3.0, 2.0, 3.0]);
        assert_eq!(read("exceedance").1[..3], [0.5, 1.0, 0.5]);
        assert_eq!(read("realizations").1[3..], [2.0, 2.0, 3.0]);
        assert_eq!(read("input").1, [4.0, 5.0]);
        assert_eq!(read("evaluations").1, [14.0, 14.0]);
        assert_eq!(read("draws").1, [2.0, 2.0]);
        assert_eq!(read("threshold").1, [1.5]);
        assert!(!write(&path, false).unwrap(), "the same is there already");
    }

    #[test]
    fn stored_inputs_stay_and_another_plan_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.zarr");
        let open = |plan| PredictionWriter::open(&path, plan, false);
        let writer = open(plan()).unwrap().unwrap();
        let mut statistics = EnsembleStatistics::new(3, 2, &plan().wanted).unwrap();
        statistics.push(&[9.0; 3]).unwrap();
        statistics.push(&[9.0; 3]).unwrap();
        assert!(!writer.is_finished(1));
        writer
            .write(1, &statistics, Some(&known()), &[9.0; 3], 14)
            .unwrap();
        drop(writer);

        let mut other = plan();
        other.attributes.insert("seed".into(), 8.into());
        let refusal = open(other).err().unwrap().to_string();
        assert!(refusal.contains("seed 7, not 8"), "{refusal}");
        assert!(refusal.contains("discard it"), "{refusal}");
        let writer = open(plan()).unwrap().unwrap();
        assert!(writer.is_finished(1) && !writer.is_finished(0));
    }

    fn attributes(path: &Path, array: &str) -> Value {
        let file = path.join(array).join("zarr.json");
        let mut metadata: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        metadata["attributes"].take()
    }

    #[test]
    fn units_travel_and_are_never_claimed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.zarr");
        write(&path, false).unwrap();
        let units = |array: &str| attributes(&path, array)["units"].clone();
        for array in ["mean", "std", "quantiles", "realizations", "threshold"] {
            assert_eq!(units(array), "Pa", "{array}");
        }
        for array in ["variance", "aleatoric", "epistemic"] {
            assert_eq!(units(array), "Pa2", "{array}");
        }
        for array in ["exceedance", "novelty", "quantile", "evaluations", "input"] {
            assert_eq!(units(array), "1", "{array}");
        }
        assert_eq!(units("x"), Value::Null);
        assert_eq!(attributes(&path, "mean")["name"], "p");
        assert_eq!(attributes(&path, "mean")["long_name"], "mean of p");
        for array in ["mean", "variance", "std"] {
            let found = attributes(&path, array)["comment"].clone();
            assert_eq!(found, "known in closed form, without drawing", "{array}");
        }
    }

    #[test]
    fn a_threshold_among_several_channels_is_of_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.zarr");
        let two = PredictionPlan {
            quantities: vec![Quantity::named("a"), Quantity::named("b")],
            inputs: 0..1,
            wanted: Wanted {
                thresholds: vec![1.5, 25.0],
                ..Wanted::default()
            },
            threshold_channels: vec![0, 1],
            kept: 0,
            moments: MomentSource::Draws,
            ..plan()
        };
        let mut odd = two.clone();
        odd.threshold_channels = vec![0, 2];
        let refusal = PredictionWriter::open(&path, odd, false).err().unwrap();
        assert!(refusal.to_string().contains("one of the solution's"));
        let writer = PredictionWriter::open(&path, two.clone(), false)
            .unwrap()
            .unwrap();
        let mut statistics = EnsembleStatistics::new(6, 2, &two.wanted).unwrap();
        statistics.push(&[1.0, 2.0, 3.0, 10.0, 20.0, 30.0]).unwrap();
        statistics.push(&[3.0, 2.0, 1.0, 30.0, 20.0, 10.0]).unwrap();
        writer.write(0, &statistics, None, &[], 1).unwrap();
        writer.finish().unwrap();
        let origin = |path: &Path| attributes(path, "std")["comment"].clone();
        assert_eq!(origin(&path), "from the drawn realizations");
        let storage = zarrs::filesystem::FilesystemStore::new(&path).unwrap();
        let storage: ReadableStorage = Arc::new(storage);
        let open = |name| StoredArray::open(&storage, &path, name).unwrap().unwrap();
        let exceedance = open("exceedance");
        assert_eq!(exceedance.shape(), [1, 2, 3]);
        let mean = open("mean").read(0..1).unwrap();
        assert_eq!(mean, [2.0, 2.0, 2.0, 20.0, 20.0, 20.0]);
        assert_eq!(
            exceedance.read(0..1).unwrap(),
            [0.5, 1.0, 0.5, 0.5, 0.0, 0.5]
        );
        assert_eq!(open("threshold_channel").read(0..2).unwrap(), [0.0, 1.0]);
        let found = attributes(&path, "exceedance");
        assert_eq!(found["coordinates"], "threshold_channel");
        assert_eq!(attributes(&path, "std")["channel_names"][1], "b");
    }
}
