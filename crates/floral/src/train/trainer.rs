//! The training loop: epochs of steps, validation, checkpoints, and the reasons to stop.

use std::time::{Duration, Instant};

use crate::device::Device;
use burn::module::Module;

use super::EpochRecord;
use super::checkpoint::{Checkpoint, Header, Progress};
use super::model::{Model, initial};
use super::samples::Samples;
use super::training::{Outcome, Training};
use super::update::update;
use super::{RunFolder, TrainConfig};
use crate::flow::{Coupling, Path, Prior};
use crate::memory::Reuse;
use crate::observer::{Event, Observer};
use crate::operator::{Network, Weight, weights, with_weights};
use crate::random::{Purpose, Stream, stream};
use crate::ranks::{Ranks, agreed, share};
use crate::storage::FolderLock;
use crate::{Error, Result};
use floral_flow::training::adam::Adam;
use floral_flow::training::average::{Average, averaged};
use floral_flow::training::batches::{batch, shuffled, steps};
use floral_flow::training::coupling::nearest;
use floral_networks::training::gradient::Loss;

/// Shortest time between checkpoints; shorter epochs are not all saved.
const BETWEEN_CHECKPOINTS: Duration = Duration::from_secs(20);

pub(super) struct Trainer<'a> {
    pub(super) ranks: &'a dyn Ranks,
    pub(super) run: &'a RunFolder,
    /// Lock of the run folder, held by rank 0 for all ranks.
    _lock: Option<FolderLock>,
    pub(super) device: Device,
    pub(super) config: TrainConfig,
    pub(super) header: Header,
    pub(super) model: Model,
    pub(super) weights: Vec<Weight>,
    pub(super) adam: Adam,
    pub(super) average: Option<Average>,
    pub(super) train: Samples<'a>,
    pub(super) validation: Samples<'a>,
    pub(super) prior: Box<dyn Prior>,
    pub(super) started: Instant,
    pub(super) seconds_before: f64,
    pub(super) last_write: Option<Instant>,
    pub(super) unwritten_best: Option<Checkpoint>,
    _reuse: Reuse,
}

impl<'a> Trainer<'a> {
    pub(super) fn new(training: &'a Training<'a>, device: &Device) -> Result<Self> {
        let Training {
            ranks, run, reader, ..
        } = training;
        let ranks = *ranks;
        let lock = ranks.is_first().then(|| run.lock()).transpose();
        let lock = agreed(ranks, lock, &mut || {})?;
        let config = training.config.clone();
        let split = config.split_of(reader.dataset.inputs())?;
        let scales = reader.scales_across(ranks, split.train.clone())?;
        let header = Header::new(&config, reader, scales)?;
        let device = device.clone().autodiff();
        let model = initial(
            config.method,
            &config.network,
            header.shapes.clone(),
            config.seed,
            &device,
        )?;
        let weights = weights(&model.network)?;
        let rows = config.optimiser.rows;
        let scratch = training.bytes_on_disk().map(|_| run.path());
        let read = |inputs| {
            let samples = reader.samples_on_demand(scratch, inputs, rows, &header.scaling)?;
            // A step's samples are shared among ranks by input, so that a rank finds most of its
            // samples in this part.
            samples.fetch(share(samples.len(), ranks.rank(), ranks.size()))?;
            Ok::<_, Error>(samples)
        };
        let mut trainer = Self {
            ranks,
            run,
            _lock: lock,
            average: Average::new(config.optimiser.average, &weights),
            adam: Adam::new(weights.iter().map(|w| w.values.len())),
            train: read(split.train)?,
            validation: read(split.validation)?,
            prior: reader.prior(&config.prior)?,
            header,
            config,
            device,
            model,
            weights,
            started: Instant::now(),
            seconds_before: 0.0,
            last_write: None,
            unwritten_best: None,
            _reuse: Reuse::begin(),
        };
        if let Some(checkpoint) = run.last()? {
            trainer.restore(checkpoint, &reader.dataset)?;
        }
        trainer.begin_together()?;
        Ok(trainer)
    }

    /// Checks that all ranks continue from the same checkpoint, and cuts the log to its epoch.
    fn begin_together(&self) -> Result<()> {
        let cut = match self.ranks.is_first() {
            true => self.run.log().cut(self.header.progress.epoch),
            false => Ok(()),
        };
        agreed(self.ranks, cut, &mut || {})?;
        let own = format!("{:?}", self.header.progress).into_bytes();
        let all = self.ranks.gather(own, &mut || {})?;
        match all.iter().position(|other| *other != all[0]) {
            None => Ok(()),
            Some(rank) => Err(Error::bad_file(
                self.run.last_path(),
                format!(
                    "rank {rank} reads another checkpoint than rank 0; start the job again once the \
                     file system shows every host the same"
                ),
            )),
        }
    }

    pub(super) fn run(mut self, observer: &dyn Observer) -> Result<Outcome> {
        let epochs = self.config.stopping.epochs;
        let steps = steps(self.train.len(), self.config.optimiser.batch);
        observer.observe(&Event::Training {
            epoch: self.header.progress.epoch,
            epochs,
            steps,
            samples: self.train.len(),
        });
        if self.header.progress.diverged {
            return Err(self.diverged());
        }
        while !self.header.progress.finished {
            if self.is_over() {
                self.header.progress.finished = true;
                self.write()?;
                break;
            }
            self.epoch(observer)?;
        }
        Ok(if self.is_stuck() {
            Outcome::NoImprovement {
                best_epoch: self.header.progress.best.map_or(0, |(_, epoch)| epoch),
            }
        } else {
            Outcome::AllEpochs
        })
    }

    /// Whether no epoch is left to run.
    pub(super) fn is_over(&self) -> bool {
        self.header.progress.epoch >= self.config.stopping.epochs || self.is_stuck()
    }

    fn is_stuck(&self) -> bool {
        let Progress {
            epoch, reference, ..
        } = self.header.progress;
        reference
            .is_some_and(|(_, since)| epoch.saturating_sub(since) >= self.config.stopping.patience)
    }

    pub(super) fn epoch(&mut self, observer: &dyn Observer) -> Result<()> {
        let epoch = self.header.progress.epoch;
        let order = shuffled(self.config.seed, epoch, self.train.len());
        let pairs = self.pairs(epoch)?;
        let size = self.config.optimiser.batch;
        for step in self.header.progress.step..steps(order.len(), size) {
            let is_alone = self.ranks.size() == 1;
            // Ranks exchange requests to stop along with gradients, and so stop at the same step.
            let stop = !is_alone && observer.should_stop();
            let (loss, stops) = self.step(epoch, &batch(&order, size, step), &pairs, stop)?;
            self.header.progress.step = step + 1;
            observer.observe(&Event::Step { epoch, step, loss });
            if stops || is_alone && observer.should_stop() {
                self.write()?;
                return Err(Error::Interrupted);
            }
        }
        let record = self.close_epoch()?;
        if self.ranks.is_first() {
            self.run.log().append(&record)?;
        }
        observer.observe(&Event::Epoch(&record));
        let last = self.last_write;
        let is_due = last.is_none_or(|last| last.elapsed() > BETWEEN_CHECKPOINTS);
        // The end of training is written once, by `run`, with the mark that it is finished.
        if is_due && !self.is_over() {
            self.write()?;
        }
        Ok(())
    }

    /// Computes the gradient of a batch and updates the weights. Returns the loss, and whether any
    /// rank was asked to stop.
    fn step(
        &mut self,
        epoch: usize,
        batch: &[usize],
        pairs: &[usize],
        stop: bool,
    ) -> Result<(f64, bool)> {
        let all = self.draws(epoch);
        let draws = |sample: usize| all(pairs.get(sample).copied().unwrap_or(sample));
        let loss = self.loss(&self.train, &draws);
        let lengths: Vec<usize> = self.weights.iter().map(|w| w.values.len()).collect();
        let network = (&self.model, lengths.as_slice());
        let gradient = loss.gradient_across(self.ranks, network, batch, &self.device, stop)?;
        let norm = update(
            &mut self.model,
            &mut self.weights,
            &mut self.adam,
            &gradient,
            (&self.config.optimiser, self.config.learning_rate(epoch)),
        )?;
        if !(gradient.loss.is_finite() && norm.is_finite()) {
            return self.diverge();
        }
        if let Some(average) = &mut self.average {
            average.push(&self.weights, self.adam.steps);
        }
        let progress = &mut self.header.progress;
        progress.loss += gradient.loss * batch.len() as f64;
        progress.gradient_norm = progress.gradient_norm.max(norm);
        Ok((gradient.loss, gradient.stops))
    }

    /// The random stream of each sample in an epoch.
    fn draws(&self, epoch: usize) -> impl Fn(usize) -> Stream + Sync + use<> {
        let seed = self.config.seed;
        move |sample: usize| stream(seed, Purpose::Path, epoch as u64, sample as u64)
    }

    /// Index of the draw with which each sample is paired; empty if every sample has its own draw.
    fn pairs(&self, epoch: usize) -> Result<Vec<usize>> {
        let draws = self.draws(epoch);
        match self.loss(&self.train, &draws).path {
            Some(path) if path.config.coupling == Coupling::Nearest => {
                nearest(&self.train, &path, &draws)
            }
            _ => Ok(Vec::new()),
        }
    }

    fn loss<'s>(
        &'s self,
        samples: &'s Samples<'s>,
        stream: &'s (dyn Fn(usize) -> Stream + Sync),
    ) -> Loss<'s> {
        Loss {
            samples,
            path: self.config.method.is_flow().then(|| Path {
                config: &self.config.path,
                prior: self.prior.as_ref(),
                points: samples.grid.len(),
            }),
            stream,
        }
    }

    /// Validates, and advances the progress to the next epoch.
    fn close_epoch(&mut self) -> Result<EpochRecord> {
        let seed = self.config.seed;
        // The same times and priors in every epoch, so that epochs can be compared.
        let draws = move |sample: usize| stream(seed, Purpose::Validation, 0, sample as u64);
        let still = Model {
            network: self.kept()?.valid(),
            ..self.model.clone()
        };
        let device = self.device.clone().inner();
        let loss = self.loss(&self.validation, &draws);
        let count = self.config.stopping.validation_samples;
        let validation_loss = loss.mean_across(self.ranks, count, &still, &device)?;
        if !validation_loss.is_finite() {
            return self.diverge();
        }
        let seconds = self.seconds_before + self.started.elapsed().as_secs_f64();
        let samples = self.train.len() as f64;
        let learning_rate = self.config.learning_rate(self.header.progress.epoch);
        let progress = &mut self.header.progress;
        progress.epoch += 1;
        let record = EpochRecord {
            epoch: progress.epoch,
            train_loss: progress.loss / samples,
            validation_loss,
            learning_rate,
            gradient_norm: progress.gradient_norm,
            seconds,
            is_best: progress.best.is_none_or(|(best, _)| validation_loss < best),
        };
        progress.step = 0;
        progress.loss = 0.0;
        progress.gradient_norm = 0.0;
        progress.seconds = seconds;
        if record.is_best {
            progress.best = Some((validation_loss, progress.epoch));
        }
        let enough = self.config.stopping.least_improvement;
        if progress
            .reference
            .is_none_or(|(best, _)| validation_loss < best - enough)
        {
            progress.reference = Some((validation_loss, progress.epoch));
        }
        if record.is_best && self.ranks.is_first() {
            self.unwritten_best = Some(self.checkpoint());
        }
        Ok(record)
    }

    /// The network that is validated: with averaged weights, if an average is kept.
    fn kept(&self) -> Result<Network> {
        let network = self.model.network.clone();
        match &self.average {
            Some(average) => with_weights(network, averaged(&self.weights, &average.values)),
            None => Ok(network),
        }
    }
}
