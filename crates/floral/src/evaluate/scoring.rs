//! Sums over inputs from which the scores of an evaluation are computed.

use serde::{Deserialize, Serialize};

use super::baselines::BaselineFields;
use super::evaluation::{MeanErrors, ObservedScores, Prediction, SpreadScores};
use super::truth::Truth;
use crate::metric::{
    EnsembleScores, Fields, MeanFieldError, PAIR_LAGS, VarianceError, energy_score,
};
use crate::predict::PredictionCost;
use crate::sample::{EnsembleStatistics, Wanted};
use crate::{Error, Result, regression};

/// The levels of central intervals that are reported.
const LEVELS: [f64; 3] = [0.5, 0.9, 0.95];

/// Scores gathered input by input.
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
    observed: Option<(EnsembleScores, f64)>,
    evaluations: usize,
    realizations: usize,
    seconds: f64,
}

impl Scoring {
    /// Adds what the realizations of one input have cost.
    pub fn add_cost(&mut self, cost: PredictionCost) {
        self.evaluations += cost.progress.evaluations;
        self.realizations += cost.progress.done;
        self.seconds += cost.seconds;
    }

    /// Adds the simplest predictions of one input.
    pub fn push_baselines(&mut self, baselines: &BaselineFields, truth: &Truth) -> Result<()> {
        let sums = [
            (&baselines.low, &mut self.low),
            (&baselines.mean_residual, &mut self.mean_residual),
            (&baselines.kriging, &mut self.kriging),
        ];
        for (field, sum) in sums {
            let Some(field) = field else { continue };
            if field.len() != truth.mean.len() {
                return Err(Error::Shape {
                    what: "a baseline's field".into(),
                    found: vec![field.len()],
                    expected: vec![truth.mean.len()],
                });
            }
            sum.get_or_insert_default().push(field, &truth.mean);
        }
        Ok(())
    }

    /// Adds one input's members, [member, value], and its truth. A single member is a deterministic
    /// prediction and has no spread.
    ///
    /// Members of a method with moments in closed form vary by what is not known too. The errors of
    /// mean and variance are then those of the moments, of the variance without that part; intervals
    /// and scores of the distribution are always those of the members.
    pub fn push(
        &mut self,
        members: &[f32],
        moments: Option<&regression::Prediction>,
        truth: &Truth,
    ) -> Result<()> {
        let values = truth.mean.len();
        let members = Fields::new(members, values)?;
        let mut statistics = EnsembleStatistics::new(values, 0, &Wanted::default())?;
        members.iter().try_for_each(|m| statistics.push(m))?;
        self.inputs += 1;
        self.members = members.count();
        let mean = moments.map_or(statistics.mean(), |moments| &moments.mean);
        self.mean.push(mean, &truth.mean);
        let sampled = 1.0 / members.count() as f64;
        if let Some(variance) = &truth.variance {
            let is_sampled = members.count() > 1 && moments.is_none();
            let own = if is_sampled { sampled } else { 0.0 };
            let square = variance.iter().sum::<f64>() * (own + truth.source.sampling_share());
            *self.floors.get_or_insert_default() += square.sqrt();
        }
        if members.count() == 1 {
            return Ok(());
        }
        let variance = match moments {
            Some(moments) => moments.aleatoric.clone(),
            None => statistics.variance(),
        };
        self.push_spread(members, &variance, truth)
    }

    fn push_spread(&mut self, members: Fields, predicted: &[f64], truth: &Truth) -> Result<()> {
        if let Some(variance) = &truth.variance {
            let error = self.variance.get_or_insert_default();
            error.push(predicted, variance);
        }
        if !truth.observations.is_empty() {
            let observations = Fields::new(&truth.observations, truth.mean.len())?;
            let (scores, energy) = self.observed.get_or_insert_default();
            scores.push(members, observations)?;
            *energy += energy_score(members, observations, PAIR_LAGS)?;
        }
        Ok(())
    }

    /// Adds what another has gathered over other inputs.
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
        if let Some((scores, energy)) = &other.observed {
            let (own, sum) = self.observed.get_or_insert_default();
            own.merge(scores);
            *sum += energy;
        }
        self.evaluations += other.evaluations;
        self.realizations += other.realizations;
        self.seconds += other.seconds;
    }

    /// The sums behind the scores against single realizations, if there are any.
    pub fn observed(&self) -> Option<&EnsembleScores> {
        self.observed.as_ref().map(|(scores, _)| scores)
    }

    /// The prediction's scores.
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

    /// The low-fidelity solution's scores.
    pub fn low(&self) -> Option<MeanErrors> {
        self.low.as_ref().map(MeanErrors::from)
    }

    /// The scores of the low-fidelity solution plus the mean residual of the training inputs.
    pub fn mean_residual(&self) -> Option<MeanErrors> {
        self.mean_residual.as_ref().map(MeanErrors::from)
    }

    /// The scores of kernel regression from the run's training inputs.
    pub fn kriging(&self) -> Option<MeanErrors> {
        self.kriging.as_ref().map(MeanErrors::from)
    }

    fn spread(&self) -> SpreadScores {
        let variance = self.variance.as_ref();
        SpreadScores {
            variance_l2: variance.map(VarianceError::mean_l2),
            variance_relative: variance.map(VarianceError::relative),
            variance_truth_l2: variance.map(VarianceError::truth_l2),
            observed: self.observed.as_ref().map(|(scores, energy)| {
                let coverage = LEVELS.iter().filter_map(|l| scores.coverage.at(*l));
                ObservedScores {
                    crps: scores.crps.fair(),
                    energy_score: energy / self.inputs as f64,
                    coverage: coverage.collect(),
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
