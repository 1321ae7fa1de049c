//! A training step: prior and path, forward, loss, backward, clipping, Adam.

use super::MeasuredNetwork;
use floral::Result;
use floral::flow::{Path, Prior};
use floral::operator::{Device, Weight, weights};
use floral::random::{Purpose, Stream, stream};
use floral::train::adam::Adam;
use floral::train::gradient::Loss;
use floral::train::samples::Samples;
use floral::train::update::update;
use floral::train::{Model, TrainConfig};

/// A model, its optimiser and random samples.
pub struct TrainingStep {
    config: TrainConfig,
    device: Device,
    model: Model,
    weights: Vec<Weight>,
    adam: Adam,
    prior: Box<dyn Prior>,
    samples: Samples<'static>,
    batch: Vec<usize>,
    steps: u64,
}

impl TrainingStep {
    /// Draws weights and samples. Without the prior, paths start at zero.
    pub fn new(case: &MeasuredNetwork, with_prior: bool) -> Result<Self> {
        let config = case.config();
        let device = case.device.clone().autodiff();
        let model = case.model(&device)?;
        let weights = weights(&model.network)?;
        let grid = case.unit_grid();
        let inputs = case.inputs.clamp(1, case.batch.max(1));
        let realizations = case.batch.div_ceil(inputs);
        let conditions = (0..inputs as u64).map(|i| case.values(model.condition_channels(), i));
        let targets = (0..inputs as u64).map(|i| case.values(realizations, 1000 + i));
        let samples = Samples::new(
            grid.clone(),
            conditions.collect(),
            targets.collect(),
            grid.len(),
        );
        // Every input takes part, as in a shuffled batch.
        let place = |i: usize| i % inputs * realizations + i / inputs;
        let mut batch: Vec<usize> = (0..case.batch).map(place).collect();
        batch.sort_unstable();
        Ok(Self {
            prior: if with_prior {
                config.prior.on(&grid)?
            } else {
                Box::new(Origin)
            },
            adam: Adam::new(weights.iter().map(|w| w.values.len())),
            config,
            device,
            model,
            weights,
            samples,
            batch,
            steps: 0,
        })
    }

    /// Runs one step and returns its loss.
    pub fn run(&mut self) -> Result<f64> {
        self.steps += 1;
        let step = self.steps;
        let draws =
            move |sample: usize| -> Stream { stream(0, Purpose::Path, step, sample as u64) };
        let loss = Loss {
            samples: &self.samples,
            path: Some(Path {
                config: &self.config.path,
                prior: self.prior.as_ref(),
                points: self.samples.grid.len(),
            }),
            stream: &draws,
        };
        let gradient = loss.gradient(&self.model, &self.batch, &self.device)?;
        let settings = (&self.config.optimiser, self.config.learning_rate(0));
        update(
            &mut self.model,
            &mut self.weights,
            &mut self.adam,
            &gradient,
            settings,
        )?;
        Ok(gradient.loss)
    }
}

/// A prior that is zero everywhere, at no cost.
struct Origin;

impl Prior for Origin {
    fn draw(&self, _rng: &mut Stream, channel: &mut [f32]) {
        channel.fill(0.0);
    }
}
