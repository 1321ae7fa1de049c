//! Statistics of predictions in a Zarr v3 group that opens in xarray; a [`Job`](super::Job) fills it.
//!
//! | array | dimensions | |
//! |---|---|---|
//! | `mean` | input, channel, grid... or point | |
//! | `variance`, `std` | the same | of methods with a spread: of what varies and what is not known |
//! | `aleatoric`, `epistemic` | the same | its two parts, of methods that tell them apart; their sum times the attribute `calibration` is what `variance` samples |
//! | `novelty` | input | how much less is known of it than of inputs like those of training, 1 |
//! | `quantiles` | input, quantile, channel, ... | where wanted |
//! | `exceedance` | input, threshold, channel, ... | where wanted; of several channels, each threshold is of one: input, threshold, ... |
//! | `threshold_channel` | threshold | the channel of each threshold, of several |
//! | `realizations` | input, realization, channel, ... | the first ones, where kept |
//! | `evaluations` | input | of the network, over all realizations |
//! | `input`, `quantile`, `threshold` | itself | coordinates |
//! | one per grid axis | itself, or point | coordinates |
//!
//! Units and names of channels are attributes as in datasets; those of a variance are squared.

use std::ops::Range;
use std::path::Path;

use serde_json::{Map, Value};

use super::Places;
use crate::dataset::axis_names;
use crate::dataset::layout::{CHANNEL_DIMENSION, INPUT_DIMENSION, REALIZATION_DIMENSION};
use crate::dataset::quantities::describe;
use crate::sample::{EnsembleStatistics, Wanted};
use crate::storage::array_metadata::UNITS;
use crate::storage::{
    Dimension, Group, GroupPlan, LARGEST_CHUNK, Precision, Spool, array_metadata,
};
use crate::{Error, Quantity, Result};

const MEAN: &str = "mean";
const VARIANCE: &str = "variance";
const DEVIATION: &str = "std";
const ALEATORIC: &str = "aleatoric";
const EPISTEMIC: &str = "epistemic";
const NOVELTY: &str = "novelty";
const QUANTILES: &str = "quantiles";
const EXCEEDANCE: &str = "exceedance";
const REALIZATIONS: &str = "realizations";
const EVALUATIONS: &str = "evaluations";
const QUANTILE_DIMENSION: &str = "quantile";
const THRESHOLD_DIMENSION: &str = "threshold";
const THRESHOLD_CHANNEL: &str = "threshold_channel";

/// Every array with a chunk for each input; the last one is written last.
const PER_INPUT: [&str; 11] = [
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

/// Names that no axis may have.
const RESERVED: [&str; 16] = [
    MEAN,
    VARIANCE,
    DEVIATION,
    THRESHOLD_CHANNEL,
    ALEATORIC,
    EPISTEMIC,
    NOVELTY,
    QUANTILES,
    EXCEEDANCE,
    REALIZATIONS,
    EVALUATIONS,
    INPUT_DIMENSION,
    REALIZATION_DIMENSION,
    CHANNEL_DIMENSION,
    QUANTILE_DIMENSION,
    THRESHOLD_DIMENSION,
];

/// What is stored about every input.
#[derive(Debug, Clone)]
pub struct PredictionPlan {
    /// Where the predictions are stored.
    pub places: Places,
    /// What the channels of the solution are, one for each.
    pub quantities: Vec<Quantity>,
    /// Indices of the inputs.
    pub inputs: Range<usize>,
    /// Quantiles and thresholds.
    pub wanted: Wanted,
    /// The channel of each threshold; only looked at where there are several.
    pub threshold_channels: Vec<usize>,
    /// Realizations stored of each input.
    pub kept: usize,
    /// Whether the method has a spread.
    pub has_spread: bool,
    /// Whether it tells apart what varies and what is not known.
    pub has_parts: bool,
    /// Attributes of the group.
    pub attributes: Map<String, Value>,
}

/// The variance in its two parts, [channel, point] each, and how new the input is.
pub struct VarianceParts {
    /// Of the solution itself.
    pub aleatoric: Vec<f64>,
    /// Of what is not known of its mean.
    pub epistemic: Vec<f64>,
    /// How much less is known than of an input like those of training.
    pub novelty: f64,
}

/// Unfinished predictions open for writing.
pub struct PredictionWriter {
    group: Group,
    plan: PredictionPlan,
}

impl PredictionWriter {
    /// Begins or continues a group, which takes the name `path` once complete; none if the same is
    /// there. With `force` it replaces another one, or an unfinished one.
    pub fn open(path: &Path, plan: PredictionPlan, force: bool) -> Result<Option<Self>> {
        check_names(&plan.places)?;
        check_size(&plan)?;
        let layout = GroupPlan {
            arrays: arrays(&plan),
            attributes: plan.attributes.clone().into(),
            precision: Precision::F32,
        };
        let group = Group::open(path, layout, force)?;
        Ok(group.map(|group| Self { group, plan }))
    }

    /// Whether the input at this position of the list is stored.
    pub fn is_finished(&self, position: usize) -> bool {
        self.group.has(&PER_INPUT, position)
    }

    /// What an earlier run has kept of the input at this position, and where to keep more:
    /// realizations of `size` values in blocks of `rows`.
    pub fn spool(&self, position: usize, size: usize, rows: usize) -> Spool {
        self.group.spool(position, size, rows)
    }

    /// Stores the input at this position of the list: its statistics, the realizations kept of it
    /// and the network's evaluations.
    pub fn write(
        &self,
        position: usize,
        statistics: &EnsembleStatistics,
        parts: Option<&VarianceParts>,
        kept: &[f32],
        evaluations: usize,
    ) -> Result<()> {
        let write = |name: &str, values: &[f64]| self.group.write_values(name, position, values);
        write(MEAN, statistics.mean())?;
        if self.plan.has_spread {
            let variance = statistics.variance();
            let deviation: Vec<f64> = variance.iter().map(|v| v.sqrt()).collect();
            write(VARIANCE, &variance)?;
            write(DEVIATION, &deviation)?;
        }
        if let Some(parts) = parts.filter(|_| self.plan.has_parts) {
            write(ALEATORIC, &parts.aleatoric)?;
            write(EPISTEMIC, &parts.epistemic)?;
            write(NOVELTY, &[parts.novelty])?;
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
            let kept: Vec<f64> = kept.iter().map(|&value| value.into()).collect();
            write(REALIZATIONS, &kept)?;
        }
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let index = count(self.plan.inputs.start + position);
        self.group.write_count(INPUT_DIMENSION, position, index)?;
        self.group
            .write_count(EVALUATIONS, position, count(evaluations))
    }

    /// Adds coordinates, and gives the complete group its name.
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
        if self.plan.has_threshold_channels() {
            for (i, channel) in self.plan.threshold_channels.iter().enumerate() {
                self.group
                    .write_count(THRESHOLD_CHANNEL, i, *channel as u32)?;
            }
        }
        self.group.finish()
    }
}

impl PredictionPlan {
    /// Whether each threshold is of one channel among several.
    fn has_threshold_channels(&self) -> bool {
        self.quantities.len() > 1 && !self.wanted.thresholds.is_empty()
    }

    /// The probabilities of exceeding each threshold, in its channel if there are several.
    fn exceedances(&self, statistics: &EnsembleStatistics) -> Vec<f64> {
        let fields = statistics.exceedances();
        if !self.has_threshold_channels() {
            return fields.into_iter().flat_map(|(_, field)| field).collect();
        }
        let fields = fields.iter().zip(&self.threshold_channels);
        fields
            .flat_map(|((_, field), channel)| {
                let points = field.len() / self.quantities.len();
                &field[channel * points..][..points]
            })
            .copied()
            .collect()
    }
}

/// Refuses axes that could not be stored beside the other arrays.
fn check_names(places: &Places) -> Result<()> {
    let axes = places.coordinates().into_iter().map(|(name, _)| name);
    match axis_names::fault(axes, &RESERVED) {
        None => Ok(()),
        Some(reason) => Err(Error::Config {
            context: "predictions".into(),
            reason,
        }),
    }
}

/// Refuses more fields of one input than fit into a chunk, or levels that are no numbers.
fn check_size(plan: &PredictionPlan) -> Result<()> {
    let refuse = |context: &str, reason: &str| {
        Err(Error::Config {
            context: context.into(),
            reason: reason.into(),
        })
    };
    let Wanted {
        quantiles,
        thresholds,
        ..
    } = &plan.wanted;
    if thresholds.iter().any(|threshold| !threshold.is_finite()) {
        return refuse("exceedance", "a threshold has to be a finite number");
    }
    let channels = plan.quantities.len();
    let of_channels = &plan.threshold_channels;
    let is_odd =
        of_channels.len() != thresholds.len() || of_channels.iter().any(|c| *c >= channels);
    if plan.has_threshold_channels() && is_odd {
        return refuse(
            "exceedance",
            "each threshold needs one of the solution's channels",
        );
    }
    let values = plan
        .places
        .dimensions()
        .iter()
        .map(|(_, n)| n)
        .product::<usize>();
    let most = plan.kept.max(quantiles.len()).max(thresholds.len()).max(1);
    let bytes = values
        .checked_mul(plan.quantities.len() * Precision::F32.size())
        .and_then(|field| field.checked_mul(most));
    match bytes {
        Some(bytes) if bytes <= LARGEST_CHUNK => Ok(()),
        _ => refuse(
            "predictions",
            "the fields stored of one input take more than 2 GiB; keep fewer realizations, or \
             choose a lower resolution",
        ),
    }
}

fn arrays(plan: &PredictionPlan) -> Map<String, Value> {
    let inputs = (INPUT_DIMENSION, plan.inputs.len());
    let mut arrays = Map::new();
    let mut add = |name: &str, array| arrays.insert(name.to_owned(), array);
    for (name, array) in plan.places.axes() {
        add(name, array);
    }
    let meaning = "index of the input";
    add(INPUT_DIMENSION, array_metadata::counts(inputs, meaning));
    let meaning = "evaluations of the network over all realizations";
    add(EVALUATIONS, array_metadata::counts(inputs, meaning));
    let statistic = |what| plan.quantities.iter().map(|q| q.statistic(what)).collect();
    let variance = |what| plan.quantities.iter().map(|q| q.variance(what)).collect();
    add(
        MEAN,
        plan.values(None, "mean of the solution", statistic("mean")),
    );
    if plan.has_spread {
        let meaning = "variance of the solution";
        add(VARIANCE, plan.values(None, meaning, variance("variance")));
        let meaning = "standard deviation of the solution";
        let quantities = statistic("standard deviation");
        add(DEVIATION, plan.values(None, meaning, quantities));
    }
    if plan.has_parts {
        let meaning = "variance of the solution itself";
        let quantities = variance("aleatoric variance");
        add(ALEATORIC, plan.values(None, meaning, quantities));
        let meaning = "variance of what is not known of the mean";
        let quantities = variance("epistemic variance");
        add(EPISTEMIC, plan.values(None, meaning, quantities));
        let meaning = "variance of what is not known over that of inputs like those of training";
        let mut novelty = array_metadata::values(inputs, &[], Precision::F32, meaning);
        array_metadata::set(&mut novelty, UNITS, "1");
        add(NOVELTY, novelty);
    }
    let levels = [
        (QUANTILES, plan.quantiles(), "quantiles of the solution"),
        (REALIZATIONS, plan.kept(), "realizations of the solution"),
    ];
    for (name, dimension, meaning) in levels {
        if dimension.1 > 0 {
            let quantities = plan.quantities.clone();
            add(name, plan.values(Some(dimension), meaning, quantities));
        }
    }
    if plan.quantiles().1 > 0 {
        let mut levels = array_metadata::coordinates(plan.quantiles());
        array_metadata::set(&mut levels, UNITS, "1");
        add(QUANTILE_DIMENSION, levels);
    }
    arrays.extend(plan.exceedance_arrays());
    arrays
}

impl PredictionPlan {
    fn quantiles(&self) -> Dimension<'static> {
        (QUANTILE_DIMENSION, self.wanted.quantiles.len())
    }

    fn thresholds(&self) -> Dimension<'static> {
        (THRESHOLD_DIMENSION, self.wanted.thresholds.len())
    }

    fn kept(&self) -> Dimension<'static> {
        (REALIZATION_DIMENSION, self.kept)
    }

    /// An array of all channels at all places.
    fn values(
        &self,
        leading: Option<Dimension>,
        meaning: &str,
        quantities: Vec<Quantity>,
    ) -> Value {
        let channels = (CHANNEL_DIMENSION, self.quantities.len());
        let leading: Vec<Dimension> = leading.into_iter().chain([channels]).collect();
        let mut array = self.at_places(&leading, meaning, &[]);
        describe(&mut array, &quantities);
        array
    }

    /// An array with these dimensions between the input and the places.
    fn at_places(&self, leading: &[Dimension], meaning: &str, coordinates: &[&str]) -> Value {
        let inputs = (INPUT_DIMENSION, self.inputs.len());
        let inner = [leading, &self.places.dimensions()].concat();
        let array = array_metadata::values(inputs, &inner, Precision::F32, meaning);
        self.places.mark(array, coordinates)
    }

    /// Probabilities and their thresholds: of one channel, or each of one among several.
    fn exceedance_arrays(&self) -> Vec<(String, Value)> {
        let thresholds = self.thresholds();
        if thresholds.1 == 0 {
            return Vec::new();
        }
        let meaning = "probability of a value above the threshold";
        let mut values = array_metadata::coordinates(thresholds);
        let mut arrays = Vec::new();
        let mut exceedance = if self.has_threshold_channels() {
            let meaning_of_channel = "channel of the threshold";
            let channels = array_metadata::counts(thresholds, meaning_of_channel);
            arrays.push((THRESHOLD_CHANNEL.to_owned(), channels));
            self.at_places(&[thresholds], meaning, &[THRESHOLD_CHANNEL])
        } else {
            if let Some(units) = self.quantities.first().and_then(|q| q.units.as_deref()) {
                array_metadata::set(&mut values, UNITS, units);
            }
            self.values(Some(thresholds), meaning, Vec::new())
        };
        array_metadata::set(&mut exceedance, UNITS, "1");
        arrays.push((EXCEEDANCE.to_owned(), exceedance));
        arrays.push((THRESHOLD_DIMENSION.to_owned(), values));
        arrays
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use zarrs::storage::ReadableStorage;

    use super::*;
    use crate::storage::StoredArray;
    use crate::{Axis, Grid};

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
            has_parts: true,
            attributes: Map::from_iter([("seed".to_owned(), 7.into())]),
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
            let shift = position as f32;
            let fields = [[1.0 + shift, 2.0, 3.0], [3.0 + shift, 2.0, 1.0]];
            let mut statistics = EnsembleStatistics::new(3, 2, &plan.wanted)?;
            for field in &fields {
                statistics.push(field)?;
            }
            let parts = VarianceParts {
                aleatoric: vec![1.0, 0.0, 1.0],
                epistemic: vec![0.5; 3],
                novelty: 2.0,
            };
            writer.write(position, &statistics, Some(&parts), &fields[0], 14)?;
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
        assert_eq!(
            read("mean"),
            (vec![2, 1, 3], vec![2.0, 2.0, 2.0, 3.0, 2.0, 2.0])
        );
        assert_eq!(read("variance").1[..3], [2.0, 0.0, 2.0]);
        let root = 2f64.sqrt() as f32;
        assert_eq!(read("std").1[..3], [root, 0.0, root].map(f64::from));
        assert_eq!(read("aleatoric").1[..3], [1.0, 0.0, 1.0]);
        assert_eq!(read("epistemic").1, [0.5; 6]);
        assert_eq!(read("novelty"), (vec![2], vec![2.0, 2.0]));
        let (shape, values) = read("quantiles");
        assert_eq!(shape, [2, 2, 1, 3]);
        assert_eq!(values[..6], [1.0, 2.0, 1.0, 3.0, 2.0, 3.0]);
        assert_eq!(read("exceedance").1[..3], [0.5, 1.0, 0.5]);
        assert_eq!(read("realizations").1[3..], [2.0, 2.0, 3.0]);
        assert_eq!(read("input").1, [4.0, 5.0]);
        assert_eq!(read("evaluations").1, [14.0, 14.0]);
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
        let parts = VarianceParts {
            aleatoric: vec![0.0; 3],
            epistemic: vec![0.0; 3],
            novelty: 1.0,
        };
        writer
            .write(1, &statistics, Some(&parts), &[9.0; 3], 14)
            .unwrap();
        drop(writer);

        let mut other = plan();
        other.attributes.insert("seed".into(), 8.into());
        let refusal = open(other).err().unwrap().to_string();
        assert!(refusal.contains("seed 7, not 8"), "{refusal}");
        assert!(refusal.contains("by force"), "{refusal}");
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
            has_parts: false,
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
        let storage = zarrs::filesystem::FilesystemStore::new(&path).unwrap();
        let storage: ReadableStorage = Arc::new(storage);
        let open = |name| StoredArray::open(&storage, &path, name).unwrap().unwrap();
        let exceedance = open("exceedance");
        assert_eq!(exceedance.shape(), [1, 2, 3]);
        assert_eq!(
            exceedance.read(0..1).unwrap(),
            [0.5, 1.0, 0.5, 0.5, 0.0, 0.5]
        );
        assert_eq!(open("threshold_channel").read(0..2).unwrap(), [0.0, 1.0]);
        let told = attributes(&path, "exceedance");
        assert_eq!(told["coordinates"], "threshold_channel");
        assert_eq!(attributes(&path, "std")["channel_names"][1], "b");
    }
}
