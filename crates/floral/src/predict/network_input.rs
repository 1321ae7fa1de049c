//! Predictions of a network for one input: realizations of the solution, conditioned on readings if
//! there are any.

use burn::tensor::{Device, Tensor};

use super::Sampling;
use super::observe::no_distribution;
use super::velocity::NetworkVelocity;
use crate::device::{is_processor, read};
use crate::flow::Prior;
use crate::kl::{self, DrawnUpdate, Innovation, Reading};
use crate::memory::Reuse;
use crate::observer::{Event, Observer};
use crate::operator::{Context, Points, Weight, with_weights};
use crate::random::{Purpose, Stream, stream};
use crate::sample::{BlockIntegration, Progress, RowCost, from_prior};
use crate::train::model::{fields, initial};
use crate::train::{Header, Model};
use crate::{Field, Grid, Result, Silent};
use floral_networks::training::blocks::sampling_rows;

/// Number of draws from whose covariance a network is conditioned on readings.
const DRAWN: usize = 256;

/// Input index for the random streams of these draws; no input has it.
const DRAWN_INPUT: u64 = 1 << 62;

/// A trained network and its device.
#[derive(Debug)]
pub(super) struct Network {
    pub model: Model,
    pub device: Device,
    _reuse: Reuse,
}

impl Network {
    /// The network of a run with the given weights.
    pub(super) fn restored(header: &Header, weights: Vec<Weight>, device: &Device) -> Result<Self> {
        let (config, shapes) = (&header.config, header.shapes.clone());
        let mut model = initial(config.method, &config.network, shapes, 0, device)?;
        model.network = with_weights(model.network, weights)?;
        Ok(Self {
            model,
            device: device.clone(),
            _reuse: Reuse::begin(),
        })
    }

    /// Number of realizations computed together on a grid.
    pub(super) fn block_rows(&self, grid: &Grid) -> usize {
        sampling_rows(&self.model.network.config(), &grid.shape(), &self.device)
    }
}

/// Draws of a prior for one input.
struct PriorStream<'a> {
    prior: &'a dyn Prior,
    seed: u64,
    input: u64,
}

/// A run's network prepared for one input on one grid.
pub(super) struct NetworkInput<'a> {
    header: &'a Header,
    network: &'a Network,
    context: Context,
    /// The input a in the network's scaled units, used by regression networks: [1, channel, y, x].
    input: Tensor<4>,
    low: Option<Vec<f64>>,
    shape: Vec<usize>,
    /// The prior of a flow; `None` for regression networks.
    prior: Option<Box<dyn Prior>>,
    /// Update of a realization by the readings.
    update: Option<DrawnUpdate>,
}

impl<'a> NetworkInput<'a> {
    pub(super) fn new(
        header: &'a Header,
        network: &'a Network,
        input: &Field,
        low: Option<&Field>,
        grid: &Grid,
    ) -> Result<Self> {
        let Network { model, device, .. } = network;
        let shape = grid.shape();
        let mut condition = header.scaling.condition(input, low);
        let channels = model.condition_channels();
        let conditions = fields(condition.clone(), channels, &shape, device);
        condition.truncate(input.values().len());
        let prior = if header.config.method.is_flow() {
            Some(header.config.prior.on(grid)?)
        } else {
            None
        };
        Ok(Self {
            header,
            network,
            context: model.network.condition(
                conditions,
                Points {
                    shape: &shape,
                    nodes: header.nodes(grid).as_ref(),
                },
            )?,
            input: fields(condition, input.channels(), &shape, device),
            low: low.map(|low| low.values().to_vec()),
            shape,
            prior,
            update: None,
        })
    }

    /// Conditions on readings of the learned field, by the covariance of draws.
    pub(super) fn observe(&mut self, readings: &[Reading]) -> Result<Innovation> {
        if self.prior.is_none() {
            return Err(no_distribution(self.header.config.method));
        }
        let values = self.points() * self.header.shapes.solution_channels;
        let wanted = Sampling {
            realizations: DRAWN,
            ..Sampling::default()
        };
        wanted.check_memory(values)?;
        let mut draws = vec![0.0; DRAWN * values];
        self.deliver_from(0, DRAWN_INPUT, &wanted, &Silent, |draw, found, _| {
            draws[draw * values..][..values].copy_from_slice(found);
            Ok(())
        })?;
        let found = DrawnUpdate::new(&draws, values, readings);
        let (update, innovation) = found.map_err(kl::failed)?;
        self.update = Some(update);
        Ok(innovation)
    }

    /// See [`InputPredictor::deliver_from`](super::InputPredictor::deliver_from).
    pub(super) fn deliver_from(
        &self,
        first: usize,
        input: u64,
        wanted: &Sampling,
        observer: &dyn Observer,
        mut consume: impl FnMut(usize, &[f64], usize) -> Result<()>,
    ) -> Result<Progress> {
        match &self.prior {
            Some(prior) => {
                let from = PriorStream {
                    prior: prior.as_ref(),
                    seed: wanted.seed,
                    input,
                };
                let ensemble = BlockIntegration {
                    solver: &wanted.solver,
                    realizations: first.min(wanted.realizations)..wanted.realizations,
                    observer,
                };
                self.sample(&from, &ensemble, |realization, values, evaluations| {
                    let values = self.given(&from, realization, values);
                    consume(realization, &values, evaluations)
                })
            }
            None => {
                consume(0, &self.regress()?, 1)?;
                let progress = Progress {
                    done: 1,
                    total: 1,
                    evaluations: 1,
                    block_evaluations: 1,
                };
                observer.observe(&Event::Realizations(progress));
                Ok(progress)
            }
        }
    }

    /// A realization conditioned on the readings, if there are any.
    fn given(&self, from: &PriorStream, realization: usize, values: Vec<f64>) -> Vec<f64> {
        let Some(update) = &self.update else {
            return values;
        };
        let mut values = values;
        // No input has the complement of an index as its own index, so the noise is independent of
        // all prior draws.
        let mut noise = stream(from.seed, Purpose::Prior, !from.input, realization as u64);
        update.apply(&mut noise, &mut values);
        values
    }

    fn sample(
        &self,
        from: &PriorStream,
        ensemble: &BlockIntegration,
        mut consume: impl FnMut(usize, Vec<f64>, usize) -> Result<()>,
    ) -> Result<Progress> {
        let velocity = NetworkVelocity {
            model: &self.network.model,
            context: &self.context,
            shape: &self.shape,
            rows: self.block_rows(),
            device: &self.network.device,
        };
        let points = self.points();
        let prior = from.prior;
        let start = from_prior(from.seed, from.input, move |rng: &mut Stream, state| {
            let state: &mut [f32] = state;
            for channel in state.chunks_exact_mut(points) {
                prior.draw(rng, channel);
            }
            Ok(())
        });
        // A small network leaves cores idle, so each core gets its own block. A GPU has a single
        // queue.
        let blocks = match is_processor(&self.network.device) {
            true => rayon::current_num_threads(),
            false => 1,
        };
        let deliver = |realization: usize, state: &[f32], cost: RowCost| {
            consume(realization, self.physical(state), cost.evaluations)
        };
        ensemble.run(blocks, &velocity, start, deliver)
    }

    /// Number of realizations computed together.
    pub(super) fn block_rows(&self) -> usize {
        let Network { model, device, .. } = self.network;
        sampling_rows(&model.network.config(), &self.shape, device)
    }

    fn regress(&self) -> Result<Vec<f64>> {
        let network = &self.network.model.network;
        let field = network.predict(self.input.clone(), &self.context)?;
        Ok(self.physical(&read(field)?))
    }

    /// The solution in physical units from a target in the network's scaled units.
    fn physical(&self, target: &[f32]) -> Vec<f64> {
        let scale = &self.header.scaling.target;
        let mut values = scale.invert(target, self.points());
        for (value, low) in values.iter_mut().zip(self.low.iter().flatten()) {
            *value += low;
        }
        values
    }

    fn points(&self) -> usize {
        self.shape.iter().product()
    }
}
