//! Sums over inputs from which the scores of an evaluation are computed.

use serde::{Deserialize, Serialize};

use super::baselines::BaselineFields;
use super::channel;
use super::evaluation::{ChannelEvaluation, MeanErrors, ObservedScores, Prediction, SpreadScores};
use super::interest::InterestAtInput;
use super::truth::Truth;
use crate::metric::{
    EnsembleScores, Fields, MeanFieldError, PAIR_LAGS, Sampled, VarianceError, centred,
    energy_score,
};
use crate::predict::{Moments, PredictionCost};
use crate::sample::{EnsembleStatistics, Wanted};
use crate::{Error, Quantity, Result, kl};

/// Nominal coverages of the central intervals that are reported.
const LEVELS: [f64; 3] = [0.5, 0.9, 0.95];

/// Nominal coverage of the interval for which the worst input is reported.
const WORST_AT: f64 = 0.9;

/// Scores accumulated input by input.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Scoring {
    inputs: usize,
    members: usize,
    mean: MeanFieldError,
    low: Option<MeanFieldError>,
    mean_residual: Option<MeanFieldError>,
    #[serde(default)]
    kriging: Option<MeanFieldError>,
    floors: Option<f64>,
    variance: Option<VarianceError>,
    #[serde(default)]
    drawn_variance: Option<VarianceError>,
    observed: Option<(EnsembleScores, f64)>,
    #[serde(default)]
    worst_coverage: Option<f64>,
    evaluations: usize,
    realizations: usize,
    seconds: f64,
    /// The scores of each channel if there are several, with the standard deviation that is its
    /// unit when channels are pooled.
    #[serde(default)]
    channels: Vec<(f64, Scoring)>,
    /// Values of quantities of interest: [quantity][input].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    interests: Vec<Vec<InterestAtInput>>,
}

/// The energy score with the norm weighted by the quadrature weights of the points.
fn weighted_energy(members: Fields, observations: Fields, weights: &[f64]) -> Result<f64> {
    if weights.is_empty() {
        return energy_score(members, observations, PAIR_LAGS);
    }
    let roots: Vec<f32> = weights.iter().map(|weight| weight.sqrt() as f32).collect();
    let scaled = |fields: Fields| -> Vec<f32> {
        let values = fields.iter().flatten().zip(roots.iter().cycle());
        values.map(|(value, root)| value * root).collect()
    };
    let (members, points) = (scaled(members), members.points());
    let observations = scaled(observations);
    let members = Fields::new(&members, points)?;
    energy_score(members, Fields::new(&observations, points)?, PAIR_LAGS)
}

/// The smaller of two numbers, or the only known one.
fn least(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    one.into_iter().chain(other).min_by(f64::total_cmp)
}

impl Scoring {
    /// Adds the cost of the realizations of one input.
    pub fn add_cost(&mut self, cost: PredictionCost) {
        self.evaluations += cost.progress.evaluations;
        self.realizations += cost.progress.done;
        self.seconds += cost.seconds;
        for (_, channel) in &mut self.channels {
            channel.add_cost(cost);
        }
    }

    /// Divides the time by the number of inputs that were predicted in parallel: their times
    /// overlap, and a sum of them would count the same second several times.
    pub(super) fn share_time(&mut self, among: usize) {
        self.seconds /= among.max(1) as f64;
        for (_, channel) in &mut self.channels {
            channel.share_time(among);
        }
    }

    /// Adds the errors of the baselines for one input.
    pub fn push_baselines(&mut self, baselines: &BaselineFields, truth: &Truth) -> Result<()> {
        if truth.deviations.is_empty() {
            return self.push_pooled_baselines(baselines, truth);
        }
        self.push_pooled_baselines(&baselines.scaled(&truth.deviations), &truth.scaled())?;
        for (i, channel) in self.channels_of(truth).iter_mut().enumerate() {
            let own = truth.channel(i);
            let baselines = baselines.channel(i, truth.deviations.len());
            channel.1.push_pooled_baselines(&baselines, &own)?;
        }
        Ok(())
    }

    /// The scores of every channel of a truth with several.
    fn channels_of(&mut self, truth: &Truth) -> &mut [(f64, Scoring)] {
        if self.channels.is_empty() {
            let deviations = truth.deviations.iter();
            self.channels = deviations.map(|d| (*d, Scoring::default())).collect();
            // The cost of the first input was added before its channels were known.
            let spent = (self.evaluations, self.realizations, self.seconds);
            for (_, channel) in &mut self.channels {
                (channel.evaluations, channel.realizations, channel.seconds) = spent;
            }
        }
        &mut self.channels
    }

    fn push_pooled_baselines(&mut self, baselines: &BaselineFields, truth: &Truth) -> Result<()> {
        let sampled = truth.mean_square_error();
        let sums = [
            (&baselines.low, &mut self.low),
            (&baselines.mean_residual, &mut self.mean_residual),
            (&baselines.kriging, &mut self.kriging),
        ];
        for (field, sum) in sums {
            let Some(field) = field else { continue };
            if field.len() != truth.mean.len() {
                return Err(Error::shape(
                    "a baseline's field",
                    vec![field.len()],
                    vec![truth.mean.len()],
                ));
            }
            let sum = sum.get_or_insert_default();
            sum.push_weighted(field, &truth.mean, &truth.weights, sampled);
        }
        Ok(())
    }

    /// Adds the scores of one input: its members, [member, value], against its truth. A single
    /// member is a deterministic prediction without spread.
    ///
    /// If the method has moments in closed form, mean and aleatoric variance are scored by them,
    /// because the members also have the epistemic variance. Intervals and scores of the
    /// distribution always use the members.
    pub fn push<T: Copy + Into<f64>>(
        &mut self,
        members: &[T],
        moments: Option<&kl::Prediction>,
        truth: &Truth,
    ) -> Result<()> {
        if truth.deviations.is_empty() {
            return self.push_pooled(members, moments, truth);
        }
        let deviations = &truth.deviations;
        let scaled = channel::scaled_members(members, truth.mean.len(), deviations);
        let moments_scaled = moments.map(|moments| channel::scaled_moments(moments, deviations));
        self.push_pooled(&scaled, moments_scaled.as_ref(), &truth.scaled())?;
        for (i, (_, scoring)) in self.channels_of(truth).iter_mut().enumerate() {
            let members = channel::of(members, truth.mean.len(), i, deviations.len());
            let moments = moments.map(|moments| channel::of_moments(moments, i, deviations.len()));
            scoring.push_pooled(&members, moments.as_ref(), &truth.channel(i))?;
        }
        Ok(())
    }

    fn push_pooled<T: Copy + Into<f64>>(
        &mut self,
        members: &[T],
        moments: Option<&kl::Prediction>,
        truth: &Truth,
    ) -> Result<()> {
        let values = truth.mean.len();
        let mut statistics = EnsembleStatistics::new(values, 0, &Wanted::default())?;
        let mut each = members.chunks_exact(values.max(1));
        each.try_for_each(|member| statistics.push(member))?;
        let about_truth = centred(members, &truth.mean);
        let members = Fields::new(&about_truth, values)?;
        self.inputs += 1;
        self.members = members.count();
        let moments = Moments::of(moments, &statistics);
        let noise = truth.mean_square_error();
        self.mean
            .push_weighted(&moments.mean, &truth.mean, &truth.weights, noise);
        let sampled = 1.0 / members.count() as f64;
        if let Some(variance) = &truth.variance {
            let is_sampled = members.count() > 1 && moments.is_drawn;
            let own = if is_sampled { sampled } else { 0.0 };
            let square = truth.weighted(variance.iter().copied());
            let square = square * (own + truth.source.sampling_share());
            *self.floors.get_or_insert_default() += square.sqrt();
        }
        if members.count() == 1 {
            return Ok(());
        }
        if let Some(variance) = &truth.variance {
            if let Some(predicted) = &moments.aleatoric {
                let sampled = self.variance_sampling(variance, moments.is_drawn, truth);
                let error = self.variance.get_or_insert_default();
                error.push_weighted(predicted, variance, &truth.weights, sampled);
            }
            let sampled = self.variance_sampling(variance, true, truth);
            let error = self.drawn_variance.get_or_insert_default();
            error.push_weighted(&statistics.variance(), variance, &truth.weights, sampled);
        }
        self.push_observed(members, truth)
    }

    /// Contribution of sampling errors to the error of a variance; `is_sampled`: whether the
    /// predicted variance is that of the members.
    fn variance_sampling(&self, variance: &[f64], is_sampled: bool, truth: &Truth) -> Sampled {
        let fourth = truth.weighted(variance.iter().map(|v| v * v));
        Sampled {
            truth: truth.weighted(truth.variance_error.iter().flatten().copied()),
            // Assumes normal members: too few true realizations may be known to estimate the
            // kurtosis.
            prediction: match is_sampled {
                true => 2.0 * fourth / (self.members as f64 - 1.0),
                false => 0.0,
            },
        }
    }

    fn push_observed(&mut self, members: Fields, truth: &Truth) -> Result<()> {
        if !truth.observations.is_empty() {
            let observations = centred(&truth.observations, &truth.mean);
            let observations = Fields::new(&observations, truth.mean.len())?;
            let mut own = EnsembleScores::default();
            own.push_weighted(members, observations, &truth.weights)?;
            let coverage = own.coverage.at(WORST_AT).map(|interval| interval.coverage);
            self.worst_coverage = least(self.worst_coverage, coverage);
            let (scores, energy) = self.observed.get_or_insert_default();
            scores.merge(&own);
            *energy += weighted_energy(members, observations, &truth.weights)?;
        }
        Ok(())
    }

    /// Adds the values of quantities of interest for one input.
    pub(super) fn push_interests(&mut self, values: Vec<InterestAtInput>) {
        self.interests.resize_with(values.len(), Vec::new);
        for (all, at) in self.interests.iter_mut().zip(values) {
            all.push(at);
        }
    }

    /// The values of quantities of interest: [quantity][input].
    pub(super) fn interests(&self) -> &[Vec<InterestAtInput>] {
        &self.interests
    }

    /// Adds the scores of other inputs.
    pub fn merge(&mut self, other: &Self) {
        self.inputs += other.inputs;
        self.members = self.members.max(other.members);
        self.mean.merge(&other.mean);
        if let Some(low) = &other.low {
            self.low.get_or_insert_default().merge(low);
        }
        if let Some(mean) = &other.mean_residual {
            self.mean_residual.get_or_insert_default().merge(mean);
        }
        if let Some(kriging) = &other.kriging {
            self.kriging.get_or_insert_default().merge(kriging);
        }
        if let Some(floors) = other.floors {
            *self.floors.get_or_insert_default() += floors;
        }
        if let Some(variance) = &other.variance {
            self.variance.get_or_insert_default().merge(variance);
        }
        if let Some(variance) = &other.drawn_variance {
            self.drawn_variance.get_or_insert_default().merge(variance);
        }
        self.worst_coverage = least(self.worst_coverage, other.worst_coverage);
        if let Some((scores, energy)) = &other.observed {
            let (own, sum) = self.observed.get_or_insert_default();
            own.merge(scores);
            *sum += energy;
        }
        self.evaluations += other.evaluations;
        self.realizations += other.realizations;
        self.seconds += other.seconds;
        let count = self.interests.len().max(other.interests.len());
        self.interests.resize_with(count, Vec::new);
        for (own, other) in self.interests.iter_mut().zip(&other.interests) {
            own.extend_from_slice(other);
        }
        if self.channels.is_empty() {
            self.channels.clone_from(&other.channels);
        } else {
            for ((_, own), (_, other)) in self.channels.iter_mut().zip(&other.channels) {
                own.merge(other);
            }
        }
    }

    /// The scores of each channel if there are several; `quantities` are their names and units.
    pub fn channels(&self, quantities: &[Quantity]) -> Vec<ChannelEvaluation> {
        let channels = self.channels.iter().zip(quantities);
        let evaluation =
            |((deviation, scoring), quantity): (&(f64, Self), &Quantity)| ChannelEvaluation {
                quantity: quantity.clone(),
                deviation: *deviation,
                prediction: scoring.prediction(),
                low: scoring.low(),
                mean_residual: scoring.mean_residual(),
                kriging: scoring.kriging(),
            };
        channels.map(evaluation).collect()
    }

    /// The scores of one channel; if there is only one, all scores.
    pub fn channel(&self, index: usize) -> &Self {
        let own = self.channels.get(index);
        own.map_or(self, |(_, scoring)| scoring)
    }

    /// The accumulated scores against single realizations, if there are any.
    pub fn observed(&self) -> Option<&EnsembleScores> {
        self.observed.as_ref().map(|(scores, _)| scores)
    }

    /// The scores of the prediction.
    pub fn prediction(&self) -> Prediction {
        let per_realization = |sum: f64| sum / self.realizations.max(1) as f64;
        Prediction {
            realizations: self.members,
            mean: MeanErrors::from(&self.mean),
            mean_l2_floor: self.floors.map(|sum| sum / self.inputs as f64),
            spread: (self.members > 1).then(|| self.spread()),
            evaluations: per_realization(self.evaluations as f64),
            seconds: per_realization(self.seconds),
        }
    }

    /// The errors of the low-fidelity solution.
    pub fn low(&self) -> Option<MeanErrors> {
        self.low.as_ref().map(MeanErrors::from)
    }

    /// The errors of the low-fidelity solution plus the mean residual of the training inputs.
    pub fn mean_residual(&self) -> Option<MeanErrors> {
        self.mean_residual.as_ref().map(MeanErrors::from)
    }

    /// The errors of kriging of the run's training inputs.
    pub fn kriging(&self) -> Option<MeanErrors> {
        self.kriging.as_ref().map(MeanErrors::from)
    }

    fn spread(&self) -> SpreadScores {
        let variance = self.variance.as_ref();
        SpreadScores {
            variance_l2: variance.map(VarianceError::mean_l2),
            variance_relative: variance.map(VarianceError::relative),
            drawn_variance_relative: self.drawn_variance.as_ref().map(VarianceError::relative),
            variance_truth_l2: variance.map(VarianceError::truth_l2),
            variance_l2_floor: variance.map(VarianceError::floor),
            corrected: variance.and_then(VarianceError::corrected),
            observed: self.observed.as_ref().map(|(scores, energy)| {
                let coverage = LEVELS.iter().filter_map(|l| scores.coverage.at(*l));
                ObservedScores {
                    crps: scores.crps.fair(),
                    energy_score: energy / self.inputs as f64,
                    coverage: coverage.collect(),
                    worst_input_coverage: self.worst_coverage,
                    spread: scores.spread.spread(),
                    error: scores.spread.error(),
                    spread_skill: scores.spread.ratio(),
                    rank_histogram: scores.ranks.frequencies(),
                    reliability_index: scores.ranks.reliability_index(),
                }
            }),
        }
    }
}
