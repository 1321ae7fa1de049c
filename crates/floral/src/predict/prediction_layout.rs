//! Layout of a prediction store: its arrays and their attributes, filled by `prediction_store.rs`.
//!
//! | array | dimensions | |
//! |---|---|---|
//! | `mean` | input, channel, grid... or point | closed form, or mean of the draws; its attribute `comment` says which |
//! | `variance`, `std` | as `mean` | total of aleatoric and epistemic parts, for methods with a spread; source as for `mean` |
//! | `aleatoric`, `epistemic` | as `mean` | the two parts, for methods that separate them; their sum times the attribute `calibration` is `variance` |
//! | `novelty` | input | epistemic variance relative to that of inputs like the training inputs |
//! | `quantiles` | input, quantile, channel, ... | if wanted |
//! | `exceedance` | input, threshold, channel, ... | if wanted; with several channels, each threshold belongs to one: input, threshold, ... |
//! | `threshold_channel` | threshold | the channel of each threshold, if there are several channels |
//! | `realizations` | input, realization, channel, ... | the first realizations, if kept |
//! | `evaluations` | input | network evaluations over all realizations |
//! | `draws` | input | number of realizations, if drawn until a standard error was reached |
//! | `input`, `quantile`, `threshold` | itself | coordinates |
//! | one per grid axis | itself, or point | coordinates |
//! | `points`, `cells_triangle`, ... | as in datasets | the mesh, for fields on one; in NetCDF also `mesh` and the arrays it names, by the UGRID conventions |
//! | arrays of quantities of interest | | see `interest/stored.rs` |
//!
//! Units and names of channels are attributes as in datasets; the units of a variance are squared.
//! Values are in single precision, or in double precision if single does not resolve the spread.

use std::ops::Range;

use serde_json::{Map, Value};

use super::interest::InterestPlan;
use super::{MomentSource, Places, interest};
use crate::dataset::axis_names;
use crate::dataset::layout::{CHANNEL_DIMENSION, INPUT_DIMENSION, REALIZATION_DIMENSION};
use crate::dataset::prediction_names::RESERVED;
pub(super) use crate::dataset::prediction_names::{
    ALEATORIC, DEVIATION, DRAWS, EPISTEMIC, EVALUATIONS, EXCEEDANCE, MEAN, NOVELTY,
    QUANTILE_DIMENSION, QUANTILES, REALIZATIONS, THRESHOLD_CHANNEL, THRESHOLD_DIMENSION, VARIANCE,
};
use crate::dataset::quantities::describe;
use crate::sample::{EnsembleStatistics, Wanted};
use crate::storage::array_metadata::{COMMENT, UNITS};
use crate::storage::{Dimension, GroupPlan, LARGEST_CHUNK, array_metadata};
use crate::{Checksum, Error, Quantity, Result};

/// Plan of a prediction store: what is stored for every input.
#[derive(Debug, Clone)]
pub struct PredictionPlan {
    /// Places at which predictions are stored.
    pub places: Places,
    /// Names and units of the solution channels.
    pub quantities: Vec<Quantity>,
    /// Indices of the inputs.
    pub inputs: Range<usize>,
    /// Quantiles and thresholds.
    pub wanted: Wanted,
    /// The channel of each threshold; used only if there are several channels.
    pub threshold_channels: Vec<usize>,
    /// Number of realizations stored per input.
    pub kept: usize,
    /// Whether the method has a spread.
    pub has_spread: bool,
    /// Origin of mean and variance.
    pub moments: MomentSource,
    /// Whether the number of realizations differs between inputs and is stored.
    pub counts_draws: bool,
    /// Number of inputs that share a file of an array; the file is written once all of them are
    /// complete.
    pub shard: usize,
    /// Whether each place is outside the domain, where NaN is stored; empty if none is.
    pub outside: Vec<bool>,
    /// Quantities of interest.
    pub interests: Vec<InterestPlan>,
    /// Attributes of the group.
    pub attributes: Map<String, Value>,
}

impl PredictionPlan {
    /// Mark by which complete predictions of this plan are recognised in a single file.
    pub(super) fn mark(&self) -> String {
        let text = self.layout().root().to_string();
        Checksum::default().bytes(text.as_bytes()).to_string()
    }

    /// The plan of the Zarr group.
    pub(super) fn layout(&self) -> GroupPlan {
        let plan = GroupPlan {
            arrays: arrays(self),
            attributes: self.attributes.clone().into(),
            precision: self.wanted.precision,
            shard: 1,
        };
        plan.sharded((INPUT_DIMENSION, self.inputs.len()), self.shard)
    }

    /// Whether each threshold belongs to one channel among several.
    pub(super) fn has_threshold_channels(&self) -> bool {
        self.quantities.len() > 1 && !self.wanted.thresholds.is_empty()
    }

    /// The exceedance probabilities of each threshold, only in its own channel if there are
    /// several.
    pub(super) fn exceedances(&self, statistics: &EnsembleStatistics) -> Vec<f64> {
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

/// Refuses axes whose names clash with those of other arrays.
pub(super) fn check_names(plan: &PredictionPlan) -> Result<()> {
    let axes = || plan.places.coordinates().into_iter().map(|(name, _)| name);
    match axis_names::fault(axes(), &RESERVED) {
        None => interest::check_names(&plan.interests, axes().chain(RESERVED)),
        Some(reason) => Err(Error::config("predictions", reason)),
    }
}

/// Refuses more fields per input than fit into a chunk, thresholds that are not finite, and
/// thresholds without a valid channel.
pub(super) fn check_size(plan: &PredictionPlan) -> Result<()> {
    let refuse = |context: &str, reason: &str| Err(Error::config(context, reason));
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
        .checked_mul(plan.quantities.len() * plan.wanted.precision.size())
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
        add(&name, array);
    }
    let meaning = "index of the input";
    add(INPUT_DIMENSION, array_metadata::counts(inputs, meaning));
    let meaning = "evaluations of the network over all realizations";
    add(EVALUATIONS, array_metadata::counts(inputs, meaning));
    if plan.counts_draws {
        let meaning = "realizations drawn until the standard error was reached";
        add(DRAWS, array_metadata::counts(inputs, meaning));
    }
    let statistic = |what| plan.quantities.iter().map(|q| q.statistic(what)).collect();
    let variance = |what| plan.quantities.iter().map(|q| q.variance(what)).collect();
    let moment = |meaning, quantities| {
        let mut array = plan.values(None, meaning, quantities);
        array_metadata::set(&mut array, COMMENT, &plan.moments.to_string());
        array
    };
    add(MEAN, moment("mean of the solution", statistic("mean")));
    if plan.has_spread {
        let meaning = "variance of the solution";
        add(VARIANCE, moment(meaning, variance("variance")));
        let meaning = "standard deviation of the solution";
        let quantities = statistic("standard deviation");
        add(DEVIATION, moment(meaning, quantities));
    }
    if plan.moments.has_parts() {
        let meaning = "variance of the solution itself";
        let quantities = variance("aleatoric variance");
        add(ALEATORIC, plan.values(None, meaning, quantities));
        let meaning = "epistemic variance of the solution";
        let quantities = variance("epistemic variance");
        add(EPISTEMIC, plan.values(None, meaning, quantities));
        let meaning = "epistemic variance relative to that of inputs like the training inputs";
        let mut novelty = array_metadata::values(inputs, &[], plan.wanted.precision, meaning);
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
    let interests = plan.interests.iter();
    arrays.extend(interests.flat_map(|interest| interest.arrays(plan.inputs.len())));
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
        let array = array_metadata::values(inputs, &inner, self.wanted.precision, meaning);
        self.places.mark(array, coordinates)
    }

    /// The arrays of exceedance probabilities and thresholds.
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
