//! What is stored of predictions, before a value of it is written: the arrays of a store and their
//! attributes, filled by `prediction_store.rs`.
//!
//! | array | dimensions | |
//! |---|---|---|
//! | `mean` | input, channel, grid... or point | as the method knows it, or else of the draws, as its `comment` says |
//! | `variance`, `std` | the same | the same, of methods with a spread: of what varies and what is not known |
//! | `aleatoric`, `epistemic` | the same | its two parts, of methods that separate them; their sum times the attribute `calibration` is `variance` |
//! | `novelty` | input | how much less is known of it than of inputs like those of training, 1 |
//! | `quantiles` | input, quantile, channel, ... | where wanted |
//! | `exceedance` | input, threshold, channel, ... | where wanted; of several channels, each threshold is of one: input, threshold, ... |
//! | `threshold_channel` | threshold | the channel of each threshold, of several |
//! | `realizations` | input, realization, channel, ... | the first ones, where kept |
//! | `evaluations` | input | of the network, over all realizations |
//! | `draws` | input | realizations, where they were drawn until a standard error was reached |
//! | `input`, `quantile`, `threshold` | itself | coordinates |
//! | one per grid axis | itself, or point | coordinates |
//! | `points`, `cells_triangle`, ... | as in datasets | the mesh, of fields on one; in NetCDF also `mesh` and what it names, by the UGRID conventions |
//! | those of quantities of interest | | see `interest/stored.rs` |
//!
//! Units and names of channels are attributes as in datasets; those of a variance are squared.
//! Values have 32 bits, or 64 where those alone hold the spread: the run's precision.

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
    /// The channel of each threshold; used only if there are several.
    pub threshold_channels: Vec<usize>,
    /// Realizations stored of each input.
    pub kept: usize,
    /// Whether the method has a spread.
    pub has_spread: bool,
    /// Where its mean and variance come from.
    pub moments: MomentSource,
    /// Whether the number of realizations is the input's own.
    pub counts_draws: bool,
    /// Inputs that share a file of an array, which is written once all of them are there.
    pub shard: usize,
    /// Whether each place is outside of the domain, where nothing is stored but NaN; empty if none is.
    pub outside: Vec<bool>,
    /// Quantities of interest.
    pub interests: Vec<InterestPlan>,
    /// Attributes of the group.
    pub attributes: Map<String, Value>,
}

impl PredictionPlan {
    /// By which complete predictions of this plan are known in a single file.
    pub(super) fn mark(&self) -> String {
        let text = self.layout().root().to_string();
        Checksum::default().bytes(text.as_bytes()).to_string()
    }

    /// The group that they become.
    pub(super) fn layout(&self) -> GroupPlan {
        let plan = GroupPlan {
            arrays: arrays(self),
            attributes: self.attributes.clone().into(),
            precision: self.wanted.precision,
            shard: 1,
        };
        plan.sharded((INPUT_DIMENSION, self.inputs.len()), self.shard)
    }

    /// Whether each threshold is of one channel among several.
    pub(super) fn has_threshold_channels(&self) -> bool {
        self.quantities.len() > 1 && !self.wanted.thresholds.is_empty()
    }

    /// The probabilities of exceeding each threshold, in its channel if there are several.
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

/// Refuses axes that could not be stored beside the other arrays.
pub(super) fn check_names(plan: &PredictionPlan) -> Result<()> {
    let axes = || plan.places.coordinates().into_iter().map(|(name, _)| name);
    match axis_names::fault(axes(), &RESERVED) {
        None => interest::check_names(&plan.interests, axes().chain(RESERVED)),
        Some(reason) => Err(Error::config("predictions", reason)),
    }
}

/// Refuses more fields of one input than fit into a chunk, or levels that are no numbers.
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
        let meaning = "variance of what is not known of the mean";
        let quantities = variance("epistemic variance");
        add(EPISTEMIC, plan.values(None, meaning, quantities));
        let meaning = "variance of what is not known over that of inputs like those of training";
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
