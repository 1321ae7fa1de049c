//! The scores of inputs, each predicted and scored by itself; of regressions several side by side.
//!
//! `evaluate` merges them in the order of the inputs, so that they depend neither on threads nor ranks.

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

/// What the scores of every input depend on.
pub(super) struct Setting<'a> {
    pub truths: Truths<'a>,
    pub baselines: Baselines,
    /// Takes the truth to the points of the predictions, where they are fewer.
    pub thinning: Option<Thinning>,
    /// Points of the dataset's grid.
    pub points: usize,
    /// Whether predictions are at the points of training alone.
    pub on_training_grid: bool,
    /// Quantities of interest, if any.
    pub interests: Option<Interests>,
}

/// The scores of this rank's inputs, every n-th from its own number on, by position.
///
/// Regressions derive what they know of an input on one thread, so that several inputs are taken side by
/// side; a network has all threads for each. Ranks speak with each other between inputs, and take one
/// at a time.
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
            let scored = scored_at(&walk, setting, *position);
            finished.one_more();
            scored
        };
        let scored: Vec<Result<(usize, Scoring)>> = group.par_iter().map(score).collect();
        for scored in scored {
            all.push(scored?);
        }
    }
    Ok(all)
}

/// How many inputs are predicted at once: as many as there are threads, if memory has room for their
/// ensembles.
fn side_by_side(walk: &Walk<'_>) -> usize {
    let is_regression = |predictor: &&Predictor| predictor.method().recipe().is_some();
    if !walk.predictors.iter().all(is_regression) {
        return 1;
    }
    let channels = |predictor: &&Predictor| predictor.header().shapes.solution_channels;
    let channels = walk.predictors.iter().map(channels).max().unwrap_or(1);
    let values = walk.sampling.realizations * channels * walk.cases.grid().len();
    // The ensemble, the blocks it is drawn in, and what scores sort or scale of it.
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

/// Reports to an observer how many of the inputs under way are finished.
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

/// Scores the ensemble of one input and forgets it.
struct Scored<'a> {
    setting: &'a Setting<'a>,
    scoring: Scoring,
    /// The ensemble: [member, value].
    members: Values,
    /// Its moments in closed form, of methods that have them.
    moments: Option<kl::Prediction>,
    /// Points at which high fidelity of the input is known, where they are fewer.
    known: Option<Vec<usize>>,
    /// Quantities of interest on whole fields.
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
