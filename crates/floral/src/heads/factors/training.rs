//! The training of the factors' network: steps of moved rows, looks at the inputs held out.

use std::time::Instant;

use burn::tensor::{Device, Tensor};
use floral_linalg::Mat;

use super::batch::{Batch, Corpus};
use super::gram::{MEAN, Overlap, loss};
use super::settings::Settings;
use super::turn;
use super::view::View;
use crate::heads::descent::{Descent, Schedule};
use crate::observer::{Event, Observer, go_on};
use crate::operator::{FilmFno, Weight};
use crate::random::{Purpose, stream};
use crate::train::EpochRecord;
use crate::train::batches::shuffled;
use crate::train::model::fields;
use crate::{Error, Result};

/// Moved copies of each training row from which the common turn is found.
const TURN_VIEWS: u64 = 4;

/// A network under training.
pub(super) struct Training<'a> {
    pub settings: &'a Settings,
    pub train: Corpus<'a>,
    pub held_out: Corpus<'a>,
    pub device: Device,
}

/// The weights that were best at the inputs held out.
pub(super) struct Best {
    pub weights: Vec<Weight>,
    pub score: f64,
    pub epoch: usize,
}

impl Training<'_> {
    /// Goes down until the steps are done or the inputs held out are served no better.
    pub(super) fn run(&self, network: FilmFno, observer: &dyn Observer) -> Result<Best> {
        let every = self.settings.validate_every;
        let epochs = self.settings.steps.div_ceil(every);
        observer.observe(&Event::Training {
            epoch: 0,
            epochs,
            steps: every,
            samples: self.train.rows.len(),
        });
        let mut descent = Descent::new(network, self.schedule())?;
        let looks = self.looks(&self.held_out, 1);
        let started = Instant::now();
        let mut best: Option<Best> = None;
        for epoch in 0..epochs {
            let train_loss = self.epoch(&mut descent, epoch, observer)?;
            let score = self.score(&descent, &looks)?;
            let is_best = best.as_ref().is_none_or(|best| score < best.score);
            observer.observe(&Event::Epoch(&EpochRecord {
                epoch: epoch + 1,
                train_loss,
                validation_loss: score,
                learning_rate: descent.learning_rate(),
                gradient_norm: descent.gradient_norm(),
                seconds: started.elapsed().as_secs_f64(),
                is_best,
            }));
            // Without inputs held out the last weights are the best guess.
            if is_best || looks.is_empty() {
                let weights = descent.averaged_weights().to_vec();
                best = Some(Best {
                    weights,
                    score,
                    epoch,
                });
            }
            let since = best.as_ref().map_or(0, |best| epoch - best.epoch);
            if since >= self.settings.patience {
                break;
            }
        }
        best.ok_or(Error::Interrupted)
    }

    /// The steps up to the next look; their mean loss.
    fn epoch(
        &self,
        descent: &mut Descent<FilmFno>,
        epoch: usize,
        observer: &dyn Observer,
    ) -> Result<f64> {
        let every = self.settings.validate_every;
        let steps = every.min(self.settings.steps - epoch * every);
        let mut sum = 0.0;
        for step in 0..steps {
            go_on(observer)?;
            let loss = self.step(descent, epoch * every + step)?;
            observer.observe(&Event::Step { epoch, step, loss });
            sum += loss;
        }
        Ok(sum / steps as f64)
    }

    fn schedule(&self) -> Schedule {
        Schedule {
            steps: self.settings.steps,
            warm_up: self.settings.warm_up,
            learning_rate: self.settings.learning_rate,
            weight_decay: self.settings.weight_decay,
        }
    }

    fn step(&self, descent: &mut Descent<FilmFno>, step: usize) -> Result<f64> {
        let batch = self.train.batch(&self.picks(step));
        let outputs = self.outputs(&descent.module, &batch, &self.device)?;
        descent.step(loss(outputs, &batch, self.settings.factors))
    }

    /// The rows of a step: a few of all in turn, each anew in random order, through drawn views.
    fn picks(&self, step: usize) -> Vec<(usize, View)> {
        let (rows, seed) = (self.train.rows.len(), self.settings.seed);
        let moves = self.train.stage.moves();
        let size = if moves {
            self.settings.batch
        } else {
            self.settings.batch.min(rows)
        };
        let pick = |k: usize| {
            let round = (step * size + k) / rows;
            let order = shuffled(seed, round, rows);
            let rng = &mut stream(seed, Purpose::Path, step as u64, k as u64);
            (order[(step * size + k) % rows], self.train.stage.drawn(rng))
        };
        (0..size).map(pick).collect()
    }

    /// Every row as it is, and `moved` times through a view of its own if there are any.
    fn looks(&self, corpus: &Corpus<'_>, moved: u64) -> Vec<Batch> {
        let moved = if corpus.stage.moves() { moved } else { 0 };
        let seed = self.settings.seed;
        let views = (0..=moved).flat_map(|k| {
            (0..corpus.rows.len()).map(move |row| {
                let rng = &mut stream(seed, Purpose::Validation, k, row as u64);
                let view = if k == 0 {
                    corpus.stage.still()
                } else {
                    corpus.stage.drawn(rng)
                };
                (row, view)
            })
        });
        let views: Vec<(usize, View)> = views.collect();
        views
            .chunks(self.settings.batch)
            .map(|part| corpus.batch(part))
            .collect()
    }

    /// The relative error of the covariance, and of the mean with the best share of its correction:
    /// a correction that learns nothing must not end the learning of factors.
    fn score(&self, descent: &Descent<FilmFno>, looks: &[Batch]) -> Result<f64> {
        let overlaps = self.overlaps(&descent.averaged()?, looks)?;
        let scored = overlaps.iter().filter(|o| o.covariance > 0.0);
        let whole = Mat::<f64>::identity(self.settings.factors, self.settings.factors);
        let count = scored.clone().count().max(1) as f64;
        let covariance = scored.map(|o| o.error(whole.as_ref())).sum::<f64>() / count;
        Ok(covariance + f64::from(MEAN) * turn::share(&overlaps).1)
    }

    /// What the inputs held out, and what the training inputs say of a finished network.
    pub(super) fn final_overlaps(&self, network: &FilmFno) -> Result<[Vec<Overlap>; 2]> {
        let held_out = self.overlaps(network, &self.looks(&self.held_out, TURN_VIEWS))?;
        let train = self.overlaps(network, &self.looks(&self.train, TURN_VIEWS))?;
        Ok([held_out, train])
    }

    fn overlaps(&self, network: &FilmFno, batches: &[Batch]) -> Result<Vec<Overlap>> {
        let device = self.device.clone().inner();
        let mut all = Vec::new();
        for batch in batches {
            let outputs = self.outputs(network, batch, &device)?;
            let outputs: Vec<f32> = outputs.into_data().iter::<f32>().collect();
            all.extend(Overlap::of(&outputs, batch, self.settings.factors));
        }
        Ok(all)
    }

    fn outputs(&self, network: &FilmFno, batch: &Batch, device: &Device) -> Result<Tensor<4>> {
        let channels = network.config().condition_channels;
        let shape = self.train.stage.thinned.shape();
        let fed = fields(batch.fed.clone(), channels, &shape, device);
        let context = network.condition(fed.clone())?;
        Ok(network.predict(fed, &context)? * self.settings.unit())
    }
}
