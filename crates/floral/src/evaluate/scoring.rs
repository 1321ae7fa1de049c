//! Sums over inputs from which the scores of an evaluation are computed.

use serde::{Deserialize, Serialize};

use super::baselines::MeanResidual;
use super::evaluation::{MeanErrors, ObservedScores, Prediction, SpreadScores};
use super::truth::Truth;
use crate::metric::{
    EnsembleScores, Fields, MeanFieldError, PAIR_LAGS, VarianceError, energy_score,
};
use crate::predict::PredictionCost;
use crate::sample::{EnsembleStatistics, Wanted};
use crate::{Error, Field, Result};

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

    /// Adds the simplest predictions of one input: its low-fidelity solution, as it is and corrected.
    pub fn push_baselines(
        &mut self,
        low: Option<&Field>,
        mean_residual: Option<&MeanResidual>,
        truth: &Truth,
    ) -> Result<()> {
        let Some(low) = low else {
            return Ok(());
        };
        if low.values().len() != truth.mean.len() {
            return Err(Error::Shape {
                what: "the low-fidelity solution".into(),
                found: vec![low.values().len()],
                expected: vec![truth.mean.len()],
            });
        }
        let error = self.low.get_or_insert_default();
        error.push(low.values(), &truth.mean);
        if let Some(corrected) = mean_residual.and_then(|mean| mean.corrected(low)) {
            let error = self.mean_residual.get_or_insert_default();
            error.push(&corrected, &truth.mean);
        }
        Ok(())
    }

    /// Adds one input's members, [member, value], and its truth. A single member is a deterministic
    /// prediction and has no spread.
    pub fn push(&mut self, members: &[f32], truth: &Truth) -> Result<()> {
        let values = truth.mean.len();
        let members = Fields::new(members, values)?;
        let mut statistics = EnsembleStatistics::new(values, 0, &Wanted::default())?;
        members.iter().try_for_each(|m| statistics.push(m))?;
        self.inputs += 1;
        self.members = members.count();
        self.mean.push(statistics.mean(), &truth.mean);
        let sampled = 1.0 / members.count() as f64;
        if let Some(variance) = &truth.variance {
            let own = if members.count() > 1 { sampled } else { 0.0 };
            let square = variance.iter().sum::<f64>() * (own + truth.source.sampling_share());
            *self.floors.get_or_insert_default() += square.sqrt();
        }
        if members.count() == 1 {
            return Ok(());
        }
        self.push_spread(members, &statistics, truth)
    }

    fn push_spread(
        &mut self,
        members: Fields,
        statistics: &EnsembleStatistics,
        truth: &Truth,
    ) -> Result<()> {
        if let Some(variance) = &truth.variance {
            let error = self.variance.get_or_insert_default();
            error.push(&statistics.variance(), variance);
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
