//! Predicts and scores inputs; for regressions, several inputs in parallel.
//!
//! `evaluate` merges the scores in the order of the inputs, so that they depend neither on threads
//! nor on ranks.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::interest::{TruthFields, interest_at_input};
use super::{Baselines, Scoring, Truths};
use crate::grid::{Thinning, picked};
use crate::observer::{Event, Observer};
use crate::predict::interest::{Interests, PreparedInterests};
use crate::predict::{Consumer, PredictionCost, Predictor, Values, Walk, WalkedInput};
use crate::ranks::Ranks;
use crate::{Field, Result, kl};
use floral_data::memory::available;

/// Everything that the scoring of each input needs.
pub(super) struct Setting<'a> {
    pub truths: Truths<'a>,
    pub baselines: Baselines,
    /// Restricts the truth to the points of the predictions, if these are fewer.
    pub thinning: Option<Thinning>,
    /// Number of points of the dataset's grid.
    pub points: usize,
    /// Whether predictions are only at the training points.
    pub on_training_grid: bool,
    /// Quantities of interest, if any.
    pub interests: Option<Interests>,
}

/// The scores of this rank's inputs with their positions; rank r of n has the positions r, r + n,
/// ...
///
/// A regression prepares an input on one thread, so several inputs are processed in parallel; a
/// network uses all threads for each input. Several ranks communicate between inputs, and each
/// processes one input at a time.
pub(super) fn scored(
    ranks: &dyn Ranks,
    walk: &Walk<'_>,
    setting: &Setting<'_>,
) -> Result<Vec<(usize, Scoring)>> {
    let own = (ranks.rank()..walk.inputs.len()).step_by(ranks.size());
    let own: Vec<usize> = own.collect();
    let together = match ranks.size() {
        1 => side_by_side(walk),
        _ => 1,
    };
    if together < 2 {
        let score = |position: &usize| scored_at(walk, setting, *position);
        return own.iter().map(score).collect();
    }
    let finished = Finished::new(walk);
    let walk = Walk {
        observer: &finished,
        inputs: walk.inputs.clone(),
        ..*walk
    };
    let mut all = Vec::new();
    for group in own.chunks(together) {
        let score = |position: &usize| {
            let (position, mut scoring) = scored_at(&walk, setting, *position)?;
            scoring.share_time(group.len());
            finished.one_more();
            Ok((position, scoring))
        };
        let scored: Vec<Result<(usize, Scoring)>> = group.par_iter().map(score).collect();
        for scored in scored {
            all.push(scored?);
        }
    }
    Ok(all)
}

/// Number of inputs that are predicted in parallel: one per thread for regressions, if memory has
/// room for their ensembles, and one for networks.
fn side_by_side(walk: &Walk<'_>) -> usize {
    let is_regression = |predictor: &&Predictor| predictor.method().recipe().is_some();
    if !walk.predictors.iter().all(is_regression) {
        return 1;
    }
    let channels = |predictor: &&Predictor| predictor.header().shapes.solution_channels;
    let channels = walk.predictors.iter().map(channels).max().unwrap_or(1);
    let values = walk.sampling.realizations * channels * walk.cases.grid().len();
    // The ensemble, the blocks in which it is drawn, and its sorted and scaled copies.
    let bytes = 4 * size_of::<f32>() * values.max(1);
    let room = available().map_or(1, |memory| memory / 2 / bytes as u64);
    (room as usize).clamp(1, rayon::current_num_threads())
}

/// The scores of the input at this position.
fn scored_at(walk: &Walk<'_>, setting: &Setting<'_>, position: usize) -> Result<(usize, Scoring)> {
    let mut scored = Scored {
        setting,
        scoring: Scoring::default(),
        members: Values::new(walk.predictors[0].precision()),
        moments: None,
        known: None,
        interests: None,
    };
    walk.run_at(position, &mut scored)?;
    Ok((position, scored.scoring))
}

/// Reports the number of finished inputs to an observer.
struct Finished<'a> {
    observer: &'a dyn Observer,
    method: &'a str,
    done: AtomicUsize,
    total: usize,
}

impl<'a> Finished<'a> {
    fn new(walk: &Walk<'a>) -> Self {
        Self {
            observer: walk.observer,
            method: walk.predictors.first().map_or("", |p| p.method().title()),
            done: AtomicUsize::new(0),
            total: walk.inputs.len(),
        }
    }

    fn one_more(&self) {
        let done = self.done.fetch_add(1, Ordering::SeqCst);
        self.observer.observe(&Event::Prediction {
            method: self.method,
            done,
            total: self.total,
            progress: None,
        });
    }
}

impl Observer for Finished<'_> {
    fn should_stop(&self) -> bool {
        self.observer.should_stop()
    }
}

/// Scores the ensemble of one input.
struct Scored<'a> {
    setting: &'a Setting<'a>,
    scoring: Scoring,
    /// The ensemble: [member, value].
    members: Values,
    /// Moments that are known without drawing, if the method has them.
    moments: Option<kl::Prediction>,
    /// Grid positions at which high fidelity of the input is known, if not all.
    known: Option<Vec<usize>>,
    /// Quantities of interest, evaluated on whole fields.
    interests: Option<PreparedInterests>,
}

impl Consumer for Scored<'_> {
    fn begin(&mut self, _run: usize, input: &WalkedInput) -> Result<Option<usize>> {
        self.known = match self.setting.on_training_grid {
            true => None,
            false => self.setting.truths.dataset().points_of(input.index)?,
        };
        let interests = self.setting.interests.as_ref();
        self.interests = interests.map(|all| all.on(input.case)).transpose()?;
        Ok(Some(0))
    }

    fn moments(&mut self, moments: &kl::Prediction) {
        self.moments = Some(match &self.known {
            Some(known) => moments.picked(self.setting.points, known),
            None => moments.clone(),
        });
    }

    fn realization(&mut self, _index: usize, values: &[f64], _evaluations: usize) -> Result<()> {
        if let Some(interests) = &mut self.interests {
            interests.push(values)?;
        }
        let points = self.setting.points;
        match &self.known {
            Some(known) => self.members.extend(&picked(values, points, known)),
            None => self.members.extend(values),
        }
        Ok(())
    }

    fn end(&mut self, _run: usize, input: &WalkedInput, cost: PredictionCost) -> Result<()> {
        let mut truth = self.setting.truths.at(input.index)?;
        if let Some(thinning) = &self.setting.thinning {
            truth = truth.thinned(thinning);
        }
        let baselines = &self.setting.baselines;
        let baselines = baselines.predict(input.case, self.known.as_deref())?;
        self.scoring.add_cost(cost);
        self.scoring.push_baselines(&baselines, &truth)?;
        if let (Some(all), Some(prepared)) = (&self.setting.interests, &self.interests) {
            let fields = TruthFields {
                points: input.grid.len(),
                channels: truth.deviations.len().max(1),
                known: self.known.as_deref(),
                low: input.case.low.as_ref().map(Field::values),
            };
            let values = interest_at_input(all, prepared, Some(&truth), &fields)?;
            self.scoring.push_interests(values);
        }
        let moments = self.moments.as_ref();
        match &self.members {
            Values::Single(members) => self.scoring.push(members, moments, &truth),
            Values::Double(members) => self.scoring.push(members, moments, &truth),
        }
    }
}
