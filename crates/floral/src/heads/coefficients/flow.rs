//! Flow matching of coefficients: the velocity along arcs from normal numbers to data.
//!
//! The arc of a pair (z, xi) is u = cos(angle) z + sin(angle) xi, its velocity
//! cos(angle) xi - sin(angle) z. Between two standard normal laws the mean velocity is zero
//! everywhere, so the perceptron learns only what is not Gaussian. Albergo & Vanden-Eijnden (2023),
//! the trigonometric interpolant.

use burn::module::Module;
use burn::tensor::{Device, Tensor, TensorData};
use rand::{Rng, RngExt};
use rand_distr::StandardNormal;

use super::march::{Dense, LANES, March};
use super::perceptron::{Perceptron, angle, embedded};
use super::projection::Projection;
use crate::Result;
use crate::heads::descent::{Descent, Schedule};
use crate::observer::{Event, Observer, go_on};
use crate::operator::{Weight, weights, with_weights};
use crate::random::{Purpose, stream};

/// Steps at most, and between two looks at the inputs held out.
const STEPS: usize = 2000;
const EVERY: usize = 50;

/// Looks without improvement after which learning ends.
const PATIENCE: usize = 10;

/// Points per step.
const BATCH: usize = 256;

/// Arcs of every held-out draw.
const ARCS: usize = 4;

/// Coefficients of mean zero and deviation one beside the components of their input.
pub(super) struct Matter<'a> {
    /// [input][draw, dimension].
    pub coefficients: &'a [Vec<f32>],
    /// [input][component].
    pub components: Vec<Vec<f32>>,
    pub dimension: usize,
}

/// A learned flow.
#[derive(Debug, Clone)]
pub(super) struct Flow {
    pub projection: Projection,
    pub weights: Vec<Weight>,
    layers: Vec<Dense>,
    dimension: usize,
}

/// Points of arcs, as the perceptron takes them, and their velocities.
#[derive(Default)]
struct Arcs {
    inputs: Vec<f32>,
    velocities: Vec<f32>,
    rows: usize,
}

impl Flow {
    /// From stored weights.
    pub(super) fn from_parts(
        projection: Projection,
        dimension: usize,
        weights: Vec<Weight>,
    ) -> Result<Self> {
        let device = Device::flex();
        let empty = Perceptron::new(dimension, projection.components(), 0, &device);
        let perceptron = with_weights(empty, weights.clone())?;
        Ok(Self {
            layers: perceptron.dense(),
            projection,
            weights,
            dimension,
        })
    }

    /// Learns from training inputs what serves the held-out ones best.
    pub(super) fn matched(
        projection: Projection,
        [train, held_out]: [&Matter<'_>; 2],
        seed: u64,
        observer: &dyn Observer,
    ) -> Result<Self> {
        let dimension = train.dimension;
        let device = Device::flex().autodiff();
        let perceptron = Perceptron::new(dimension, projection.components(), seed, &device);
        let mut best = (f64::INFINITY, 0, weights(&perceptron.valid())?);
        let mut descent = Descent::new(perceptron, schedule())?;
        let looks = held_out.looks(seed);
        observer.observe(&Event::Training {
            epoch: 0,
            epochs: STEPS / EVERY,
            steps: EVERY,
            samples: train.draws(),
        });
        for step in 0..STEPS {
            go_on(observer)?;
            let arcs = train.arcs(seed, step);
            let loss = descent.step(arcs.loss(&descent.module, &device))?;
            let (epoch, step) = (step / EVERY, step % EVERY);
            observer.observe(&Event::Step { epoch, step, loss });
            if step + 1 < EVERY {
                continue;
            }
            let score = looks.loss(&descent.averaged()?, &device.clone().inner());
            let score: f64 = score.into_data().iter::<f32>().map(f64::from).sum();
            if score < best.0 {
                best = (score, epoch, descent.averaged_weights().to_vec());
            } else if epoch - best.1 >= PATIENCE {
                break;
            }
        }
        Self::from_parts(projection, dimension, best.2)
    }

    /// Draws for an input, each from its own stream: out is [draw, dimension].
    pub(super) fn draw<R: Rng>(&self, features: &[f64], rngs: &mut [R], out: &mut [f32]) {
        let components = self.projection.apply(features);
        let march = March::new(&self.layers, self.dimension, &components);
        let mut points = vec![[0.0; LANES]; self.dimension];
        let blocks = out.chunks_mut(LANES * self.dimension);
        for (rngs, out) in rngs.chunks_mut(LANES).zip(blocks) {
            for (lane, rng) in rngs.iter_mut().enumerate() {
                let lanes = points.iter_mut();
                lanes.for_each(|point| point[lane] = rng.sample(StandardNormal));
            }
            march.run(&mut points);
            for (lane, draw) in out.chunks_exact_mut(self.dimension).enumerate() {
                let values = draw.iter_mut().zip(&points);
                values.for_each(|(value, point)| *value = point[lane]);
            }
        }
    }
}

fn schedule() -> Schedule {
    Schedule {
        steps: STEPS,
        warm_up: 50,
        learning_rate: 3e-3,
        weight_decay: 1e-5,
    }
}

impl Matter<'_> {
    fn draws(&self) -> usize {
        let values = self.coefficients.iter().map(Vec::len).sum::<usize>();
        values / self.dimension
    }

    /// Noise on components: the fewer inputs, the less their components can be told apart.
    fn noise(&self) -> f32 {
        (self.coefficients.len() as f32)
            .sqrt()
            .recip()
            .clamp(0.05, 0.3)
    }

    /// The points of a step: inputs and draws at random.
    fn arcs(&self, seed: u64, step: usize) -> Arcs {
        let rng = &mut stream(seed, Purpose::Path, step as u64, 0);
        let noise = self.noise();
        let mut arcs = Arcs::default();
        for _ in 0..BATCH {
            let input = rng.random_range(0..self.coefficients.len());
            let draws = self.coefficients[input].len() / self.dimension;
            let draw = rng.random_range(0..draws);
            let mut components = self.components[input].clone();
            for component in &mut components {
                *component += noise * rng.sample::<f32, _>(StandardNormal);
            }
            let at = angle(rng.random_range(0.0..1.0));
            arcs.push(self.point(input, draw), &components, at, rng);
        }
        arcs
    }

    /// The same points in every look, their angles spread evenly.
    fn looks(&self, seed: u64) -> Arcs {
        let mut arcs = Arcs::default();
        for (input, coefficients) in self.coefficients.iter().enumerate() {
            for draw in 0..coefficients.len() / self.dimension {
                for k in 0..ARCS {
                    let index = (draw * ARCS + k) as u64;
                    let rng = &mut stream(seed, Purpose::Validation, input as u64, index);
                    let share = (k as f64 + rng.random_range(0.0..1.0)) / ARCS as f64;
                    let components = &self.components[input];
                    arcs.push(self.point(input, draw), components, angle(share), rng);
                }
            }
        }
        arcs
    }

    fn point(&self, input: usize, draw: usize) -> &[f32] {
        &self.coefficients[input][draw * self.dimension..][..self.dimension]
    }
}

impl Arcs {
    fn push(&mut self, xi: &[f32], components: &[f32], angle: f64, rng: &mut impl Rng) {
        let (sin, cos) = (angle.sin() as f32, angle.cos() as f32);
        for xi in xi {
            let z: f32 = rng.sample(StandardNormal);
            self.inputs.push(cos * z + sin * xi);
            self.velocities.push(cos * xi - sin * z);
        }
        self.inputs.extend(embedded(angle));
        self.inputs.extend(components);
        self.rows += 1;
    }

    /// The mean squared error of the velocities.
    fn loss(&self, perceptron: &Perceptron, device: &Device) -> Tensor<1> {
        let tensor = |values: &[f32]| -> Tensor<2> {
            let shape = [self.rows, values.len() / self.rows.max(1)];
            Tensor::from_data(TensorData::new(values.to_vec(), shape), device)
        };
        let velocities = perceptron.forward(tensor(&self.inputs));
        (velocities - tensor(&self.velocities)).square().mean()
    }
}
