//! The predictor of one input: a [`Predictor`] and what it derives from the input delivers
//! realizations of the solution.

use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};

use super::velocity::NetworkVelocity;
use super::{Predictor, block_rows, checks};
use crate::flow::Prior;
use crate::observer::{Event, Observer};
use crate::operator::Context;
use crate::random::Stream;
use crate::sample::{Ensemble, OdeSolver, Progress, RowCost, from_prior};
use crate::train::model::fields;
use crate::{Field, Grid, Result};

/// How many realizations are wanted of an input, and how they are made.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sampling {
    /// How many; a deterministic method has one, whatever is asked.
    pub realizations: usize,
    /// The seed of the priors.
    pub seed: u64,
    /// The integrator.
    pub solver: OdeSolver,
}

impl Default for Sampling {
    /// The paper's 2500 realizations by its integrator.
    fn default() -> Self {
        Self {
            realizations: 2500,
            seed: 0,
            solver: OdeSolver::default(),
        }
    }
}

/// Draws of a prior for one input.
struct PriorStream<'a> {
    prior: &'a dyn Prior,
    seed: u64,
    input: u64,
}

/// A run's network with what it derives from one input on one grid.
pub struct InputPredictor<'a> {
    predictor: &'a Predictor,
    context: Context,
    /// a in the network's units, which regression is fed with: [1, channel, y, x].
    input: Tensor<4>,
    low: Option<Vec<f64>>,
    shape: Vec<usize>,
    /// None for regression.
    prior: Option<Box<dyn Prior>>,
}

impl<'a> InputPredictor<'a> {
    pub(super) fn new(
        predictor: &'a Predictor,
        input: &Field,
        low: Option<&Field>,
        grid: &Grid,
    ) -> Result<Self> {
        let Predictor {
            header,
            model,
            device,
            ..
        } = predictor;
        checks::check(header, input, low, grid)?;
        let low = low.filter(|_| model.method.is_residual());
        let shape = grid.shape();
        let mut condition = header.scaling.condition(input, low);
        let conditions = fields(
            condition.clone(),
            model.condition_channels(),
            &shape,
            device,
        );
        condition.truncate(input.values().len());
        let prior = if model.method.is_generative() {
            Some(header.config.prior.on(grid)?)
        } else {
            None
        };
        Ok(Self {
            predictor,
            context: model.network.condition(conditions)?,
            input: fields(condition, input.channels(), &shape, device),
            low: low.map(|low| low.values().to_vec()),
            shape,
            prior,
        })
    }

    /// Values of a realization: channels times points.
    pub fn values(&self) -> usize {
        self.predictor.model.shapes.solution_channels * self.points()
    }

    /// Realizations that are integrated together.
    pub fn block_rows(&self) -> usize {
        block_rows(self.points())
    }

    /// Delivers realizations in the order of their index, in physical units: [channel, point].
    ///
    /// `input` is the input's index, so that inputs have priors of their own. A realization's bits
    /// depend on seed, input and its own index, not on how many there are nor on the number of
    /// threads.
    pub fn deliver(
        &self,
        input: u64,
        wanted: &Sampling,
        observer: &dyn Observer,
        mut consume: impl FnMut(usize, &[f32]) -> Result<()>,
    ) -> Result<Progress> {
        self.deliver_from(0, input, wanted, observer, |realization, values, _| {
            consume(realization, values)
        })
    }

    /// Delivers realizations from `first` on, each with the network's evaluations that it took;
    /// a deterministic method has only the one of index 0, and delivers it in any case.
    pub fn deliver_from(
        &self,
        first: usize,
        input: u64,
        wanted: &Sampling,
        observer: &dyn Observer,
        mut consume: impl FnMut(usize, &[f32], usize) -> Result<()>,
    ) -> Result<Progress> {
        match &self.prior {
            Some(prior) => {
                let stream = PriorStream {
                    prior: prior.as_ref(),
                    seed: wanted.seed,
                    input,
                };
                let ensemble = Ensemble {
                    solver: &wanted.solver,
                    realizations: first.min(wanted.realizations)..wanted.realizations,
                    observer,
                };
                self.sample(&stream, &ensemble, consume)
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

    fn sample(
        &self,
        from: &PriorStream,
        ensemble: &Ensemble,
        mut consume: impl FnMut(usize, &[f32], usize) -> Result<()>,
    ) -> Result<Progress> {
        let velocity = NetworkVelocity {
            model: &self.predictor.model,
            context: &self.context,
            shape: &self.shape,
            device: &self.predictor.device,
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
        // A small network leaves processors idle: one block for each.
        let blocks = rayon::current_num_threads();
        let deliver = |realization: usize, state: &[f32], cost: RowCost| {
            consume(realization, &self.physical(state), cost.evaluations)
        };
        ensemble.run(blocks, &velocity, start, deliver)
    }

    fn regress(&self) -> Result<Vec<f32>> {
        let network = &self.predictor.model.network;
        let field = network.predict(self.input.clone(), &self.context)?;
        let values: Vec<f32> = field.into_data().iter::<f32>().collect();
        Ok(self.physical(&values))
    }

    /// The solution from a target in the network's units.
    fn physical(&self, target: &[f32]) -> Vec<f32> {
        let scale = &self.predictor.header.scaling.target;
        let mut values = scale.invert(target, self.points());
        for (value, low) in values.iter_mut().zip(self.low.iter().flatten()) {
            *value += low;
        }
        values.into_iter().map(|value| value as f32).collect()
    }

    fn points(&self) -> usize {
        self.shape.iter().product()
    }
}
