//! That training learns: on 1DCR, whose mean and variance are known, from few samples in seconds.

use std::sync::Arc;

use burn::tensor::{Tensor, TensorData};
use rand::RngExt;
use tempfile::TempDir;

use super::config::{NetworkConfig, OptimiserConfig, Rows, StoppingConfig};
use super::gradient::Loss;
use super::model::{Model, Shapes, fields};
use super::samples::{Reader, Samples};
use super::{Checkpoint, Method, Outcome, RunFolder, TrainConfig, train};
use crate::dataset::{Dataset, Precision, Request, SplitConfig, generate};
use crate::flow::{Path, Prior};
use crate::metric::RunningMoments;
use crate::operator::{Context, Device, with_weights};
use crate::problem::{Moments, Problem, catalogue};
use crate::random::{Purpose, Stream, stream};
use crate::ranks::Threads;
use crate::sample::{OdeSolver, Velocity};
use crate::{Result, Silent};

const POINTS: usize = 32;
const TEST_INPUTS: usize = 3;
const REALIZATIONS: usize = 256;

struct Line {
    folder: TempDir,
    problem: Box<dyn Problem>,
    dataset: Dataset,
}

impl Line {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let constants = toml::toml! { resolution = 32 };
        let problem = catalogue::build("1dcr", constants, "test").unwrap();
        let request = Request {
            inputs: 20,
            realizations: 16,
            seed: 1,
            precision: Precision::F32,
            shard: 1,
            force: false,
        };
        let path = folder.path().join("line.zarr");
        generate(problem.as_ref(), &request, &path, &Silent).unwrap();
        Self {
            folder,
            problem,
            dataset: Dataset::open(&path).unwrap(),
        }
    }

    fn config(method: Method, epochs: usize) -> TrainConfig {
        TrainConfig {
            method,
            split: SplitConfig::new(TEST_INPUTS, 2, None),
            network: NetworkConfig {
                hidden_channels: 16,
                layers: 2,
                film_channels: 16,
                n_modes: None,
            },
            optimiser: OptimiserConfig {
                batch: 16,
                learning_rate: 4e-3,
                decay: 0.93,
                decay_every: 1,
                ..Default::default()
            },
            stopping: StoppingConfig {
                epochs,
                ..Default::default()
            },
            ..Default::default()
        }
    }

    fn trained(&self, config: &TrainConfig) -> (RunFolder, Outcome) {
        let name = format!("{}-{}", config.method, config.stopping.least_improvement);
        let run = RunFolder::create(&self.folder.path().join(name), config).unwrap();
        let outcome = train(&run, &self.dataset, &Device::flex(), &Silent).unwrap();
        (run, outcome)
    }

    fn truth(&self, input: usize) -> Moments {
        let input = self.dataset.input(input).unwrap();
        self.problem.exact_moments(&input).unwrap().unwrap()
    }
}

/// A trained network with one input of the dataset.
struct Trained<'a> {
    line: &'a Line,
    run: RunFolder,
    checkpoint: Checkpoint,
    model: Model,
}

/// Which way the flow is followed.
#[derive(Clone, Copy)]
enum Direction {
    /// From time 0 to 1.
    Forward,
    /// From time 1 to 0.
    Backward,
    /// From time 0 to 1, against the velocity.
    Against,
}

struct Flow<'a> {
    model: &'a Model,
    context: Context,
    direction: Direction,
}

impl Velocity<f32> for Flow<'_> {
    fn rows(&self) -> usize {
        REALIZATIONS
    }

    fn row_len(&self) -> usize {
        POINTS
    }

    fn evaluate(&self, times: &[f32], states: &[f32], out: &mut [f32]) -> Result<()> {
        let device = Device::flex();
        let (from, slope, sign) = match self.direction {
            Direction::Forward => (0.0, 1.0, 1.0),
            Direction::Backward => (1.0, -1.0, -1.0),
            Direction::Against => (0.0, 1.0, -1.0),
        };
        let times: Vec<f32> = times.iter().map(|time| from + slope * time).collect();
        let tau = Tensor::from_data(TensorData::new(times, [REALIZATIONS]), &device);
        let w = fields(states.to_vec(), 1, &[POINTS], &device);
        let velocity = self.model.network.velocity(w, tau, &self.context)?;
        for (out, value) in out.iter_mut().zip(velocity.into_data().iter::<f32>()) {
            *out = sign * value;
        }
        Ok(())
    }
}

impl<'a> Trained<'a> {
    fn new(line: &'a Line, method: Method) -> Self {
        let (run, _) = line.trained(&Line::config(method, 30));
        let checkpoint = run.best().unwrap();
        let (config, shapes) = (&checkpoint.header.config, &checkpoint.header.shapes);
        let device = Device::flex();
        let mut model = Model::new(method, &config.network, shapes.clone(), 0, &device).unwrap();
        model.network = with_weights(model.network, checkpoint.weights.clone()).unwrap();
        Self {
            line,
            run,
            checkpoint,
            model,
        }
    }

    /// The condition of an input, [channel, point], and what the network derives from it.
    fn context(&self, input: usize) -> (Vec<f32>, Context) {
        let dataset = &self.line.dataset;
        let (input, low) = (dataset.input(input).unwrap(), dataset.low(input).unwrap());
        let condition = self.checkpoint.header.scaling.condition(&input, Some(&low));
        let tensor = fields(condition.clone(), 2, &[POINTS], &Device::flex());
        (condition, self.model.network.condition(tensor).unwrap())
    }

    /// Mean and variance of the solution at every point.
    fn moments(&self, input: usize, direction: Direction) -> (Vec<f64>, Vec<f64>) {
        let header = &self.checkpoint.header;
        let prior = header.config.prior.on(self.line.dataset.grid()).unwrap();
        let mut states = vec![0.0; REALIZATIONS * POINTS];
        for (j, state) in states.chunks_exact_mut(POINTS).enumerate() {
            prior.draw(
                &mut stream(3, Purpose::Prior, input as u64, j as u64),
                state,
            );
        }
        let flow = Flow {
            model: &self.model,
            context: self.context(input).1,
            direction,
        };
        let solver = OdeSolver::named("midpoint", Some(21)).unwrap();
        solver.integrate(&flow, &mut states).unwrap();
        let residuals = header.scaling.target.invert(&states, POINTS);
        let low = self.line.dataset.low(input).unwrap();
        let at = |point: usize| {
            let values = residuals.iter().skip(point).step_by(POINTS);
            let moments = RunningMoments::of(values.copied());
            (low.values()[point] + moments.mean(), moments.variance())
        };
        (0..POINTS).map(at).unzip()
    }

    /// Errors of mean and variance over the test inputs: relative to the error of the
    /// low-fidelity solution, and to the variance itself.
    fn errors(&self, direction: Direction) -> [f64; 2] {
        let mut sums = [[0.0; 2]; 2];
        for input in 0..TEST_INPUTS {
            let truth = self.line.truth(input);
            let (mean, variance) = self.moments(input, direction);
            let low = self.line.dataset.low(input).unwrap();
            let zero = vec![0.0; POINTS];
            let pairs = [
                (truth.mean.values(), &mean[..], low.values()),
                (truth.variance.values(), &variance[..], &zero[..]),
            ];
            for (sums, (truth, found, nothing)) in sums.iter_mut().zip(pairs) {
                sums[0] += square_distance(truth, found);
                sums[1] += square_distance(truth, nothing);
            }
        }
        sums.map(|[error, scale]| (error / scale).sqrt())
    }
}

fn square_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
}

#[test]
fn floral_learns_mean_and_variance_and_only_forward_in_time() {
    let line = Line::new();
    let trained = Trained::new(&line, Method::Floral);
    let [mean, variance] = trained.errors(Direction::Forward);
    assert!(mean < 0.25 && variance < 0.3, "{mean} {variance}");
    for direction in [Direction::Backward, Direction::Against] {
        let [mean, variance] = trained.errors(direction);
        assert!(mean > 0.5 && variance > 2.0, "{mean} {variance}");
    }
    let epochs = trained.run.epochs().unwrap();
    let (first, best) = (&epochs[0], trained.checkpoint.header.progress.best.unwrap());
    let last = epochs.last().unwrap();
    assert!(
        last.train_loss < 0.5 * first.train_loss,
        "{first:?} {last:?}"
    );
    assert!(best.0 < 0.5 * first.validation_loss, "{first:?} {best:?}");
}

#[test]
fn residual_fno_learns_the_mean() {
    let line = Line::new();
    let trained = Trained::new(&line, Method::ResidualFno);
    let (mut error, mut scale) = (0.0, 0.0);
    for input in 0..TEST_INPUTS {
        let (condition, context) = trained.context(input);
        let fed = fields(condition[..POINTS].to_vec(), 1, &[POINTS], &Device::flex());
        let field = trained.model.network.predict(fed, &context).unwrap();
        let values: Vec<f32> = field.into_data().iter::<f32>().collect();
        let gap = trained
            .checkpoint
            .header
            .scaling
            .target
            .invert(&values, POINTS);
        let low = line.dataset.low(input).unwrap();
        let mean: Vec<f64> = low.values().iter().zip(gap).map(|(l, g)| l + g).collect();
        let truth = line.truth(input).mean;
        error += square_distance(truth.values(), &mean);
        scale += square_distance(truth.values(), low.values());
    }
    let error = (error / scale).sqrt();
    assert!(error < 0.15, "{error}");
}

#[test]
fn training_stops_once_nothing_improves_and_not_before() {
    let line = Line::new();
    let mut config = Line::config(Method::ResidualFno, 8);
    config.stopping.patience = 3;
    let (run, outcome) = line.trained(&config);
    assert_eq!(outcome, Outcome::AllEpochs, "the loss falls in every epoch");
    assert_eq!(run.epochs().unwrap().len(), 8);
    // Nothing counts as an improvement but the first epoch's loss itself.
    config.stopping.least_improvement = 10.0;
    let (run, outcome) = line.trained(&config);
    let epochs = run.epochs().unwrap();
    let best = epochs.iter().rfind(|epoch| epoch.is_best).unwrap();
    assert_eq!(
        outcome,
        Outcome::NoImprovement {
            best_epoch: best.epoch
        }
    );
    assert_eq!(epochs.len(), 1 + 3);
    assert_eq!(run.best().unwrap().header.progress.epoch, best.epoch);
    let again = train(&run, &line.dataset, &Device::flex(), &Silent).unwrap();
    assert_eq!(again, outcome);
}

/// Of one sample: (1 + 2 tau^2), and the mean over the grid of (v - (w1 - w0))^2, where v is the
/// velocity at (1 - tau) w0 + tau w1 + 1e-5 ||w1 - w0|| xi.
fn weight_and_square(
    model: &Model,
    samples: &Samples,
    prior: &dyn Prior,
    sample: usize,
) -> (f64, f64) {
    let device = Device::flex();
    let rng = &mut draws(sample);
    let tau: f32 = rng.random();
    let (mut w0, mut xi) = (vec![0.0; POINTS], vec![0.0; POINTS]);
    prior.draw(rng, &mut w0);
    prior.draw(rng, &mut xi);
    let target = samples.target_of(sample).unwrap();
    let pairs = target.iter().zip(&w0);
    let target: Vec<f32> = pairs.map(|(w1, w0)| w1 - w0).collect();
    let sigma = (1e-5 * mean_square(&target).sqrt()) as f32;
    let state = (0..POINTS).map(|i| w0[i] + tau * target[i] + sigma * xi[i]);
    let state = fields(state.collect(), 1, &[POINTS], &device);
    let condition = samples.condition_of(samples.input_of(sample), 2);
    let condition = condition.unwrap().into_owned();
    let context = model
        .network
        .condition(fields(condition, 2, &[POINTS], &device));
    let time = Tensor::from_data(TensorData::new(vec![tau], [1]), &device);
    let velocity = model.network.velocity(state, time, &context.unwrap());
    let velocity = velocity.unwrap().into_data();
    let gaps = velocity.iter::<f32>().zip(&target).map(|(v, u)| v - u);
    let weight = f64::from(1.0 + 2.0 * tau * tau);
    (weight, mean_square(&gaps.collect::<Vec<_>>()))
}

fn draws(sample: usize) -> Stream {
    stream(8, Purpose::Path, 0, sample as u64)
}

fn mean_square(values: &[f32]) -> f64 {
    let squares = values.iter().map(|v| f64::from(*v).powi(2));
    squares.sum::<f64>() / values.len() as f64
}

#[test]
fn the_loss_is_weighted_along_the_path_as_its_formula_says() {
    let line = Line::new();
    let config = Line::config(Method::Floral, 1);
    let reader = Reader::new(&line.dataset, &config).unwrap();
    let scaling = reader.scaling(5..20).unwrap();
    let samples = reader.samples(0..3, Rows::Realizations, &scaling).unwrap();
    let shapes = Shapes {
        input_channels: 1,
        solution_channels: 1,
        grid: vec![POINTS],
    };
    let device = Device::flex();
    let model = Model::new(config.method, &config.network, shapes, 4, &device).unwrap();
    let prior = config.prior.on(&samples.grid).unwrap();
    let loss = Loss {
        samples: &samples,
        path: Some(Path {
            config: &config.path,
            prior: prior.as_ref(),
            points: POINTS,
        }),
        stream: &draws,
    };
    let found = loss.mean(&model, &device).unwrap();
    let (mut weighted, mut plain) = (0.0, 0.0);
    for sample in 0..samples.len() {
        let (weight, square) = weight_and_square(&model, &samples, prior.as_ref(), sample);
        plain += square / samples.len() as f64;
        weighted += weight * square / samples.len() as f64;
    }
    assert!((found / weighted - 1.0).abs() < 1e-5, "{found} {weighted}");
    assert!((weighted / plain - 1.0).abs() > 0.3, "{weighted} {plain}");
}

#[test]
fn samples_in_a_file_teach_what_samples_in_memory_teach() {
    let line = Line::new();
    let folder = tempfile::tempdir().unwrap();
    let device = Device::flex().autodiff();
    for method in [Method::Floral, Method::ResidualFno] {
        let config = Line::config(method, 1);
        let reader = Arc::new(Reader::new(&line.dataset, &config).unwrap());
        let scaling = reader.scaling(5..20).unwrap();
        let shapes = Shapes {
            input_channels: 1,
            solution_channels: 1,
            grid: vec![POINTS],
        };
        let model = Model::new(method, &config.network, shapes, 4, &device).unwrap();
        let prior = config.prior.on(&reader.grid()).unwrap();
        let read = |scratch, on_demand| match on_demand {
            true => reader.samples_on_demand(scratch, 0..3, Rows::Realizations, &scaling),
            false => reader.samples_in(scratch, 0..3, Rows::Realizations, &scaling),
        };
        let file = Some(folder.path());
        let places = [(None, false), (file, false), (None, true), (file, true)];
        let found = places.map(|(scratch, on_demand)| {
            let samples = read(scratch, on_demand).unwrap();
            let loss = Loss {
                samples: &samples,
                path: method.is_flow().then(|| Path {
                    config: &config.path,
                    prior: prior.as_ref(),
                    points: POINTS,
                }),
                stream: &draws,
            };
            let batch: Vec<usize> = (0..samples.len()).rev().step_by(2).collect();
            let gradient = loss.gradient(&model, &batch, &device).unwrap();
            (gradient.loss.to_bits(), gradient.arrays)
        });
        assert!(found.iter().all(|one| *one == found[0]));
    }
}

#[test]
fn an_input_is_read_when_it_is_first_wanted() {
    let line = Line::new();
    let config = Line::config(Method::Floral, 1);
    let reader = Arc::new(Reader::new(&line.dataset, &config).unwrap());
    let scaling = reader.scaling(5..20).unwrap();
    let samples = reader.samples_on_demand(None, 2..8, Rows::Realizations, &scaling);
    let samples = samples.unwrap();
    assert_eq!(samples.held(), 0);
    samples.target_of(samples.of_input(4).start).unwrap();
    samples.condition_of(4, 1).unwrap();
    assert_eq!(samples.held(), 1);
    samples
        .fetch(samples.of_input(0).start..samples.of_input(1).end)
        .unwrap();
    assert_eq!(samples.held(), 3);
}

#[test]
fn any_number_of_ranks_comes_to_the_same_scales() {
    let line = Line::new();
    let config = Line::config(Method::Floral, 1);
    let expected = Reader::new(&line.dataset, &config)
        .unwrap()
        .scales(5..20)
        .unwrap();
    for size in [2, 3, 16] {
        let ends = Threads::run(size, 1, |ranks| {
            Reader::new(&line.dataset, &config)?.scales_across(ranks, 5..20)
        });
        for end in ends {
            assert_eq!(end.unwrap(), expected, "{size} ranks");
        }
    }
}

/// Means have the gradient of all realizations: their losses differ by what realizations vary by,
/// whatever the network.
#[test]
fn the_mean_of_an_input_teaches_what_its_realizations_teach() {
    let line = Line::new();
    let config = Line::config(Method::ResidualFno, 1);
    let reader = Reader::new(&line.dataset, &config).unwrap();
    let scaling = reader.scaling(5..20).unwrap();
    let device = Device::flex();
    let losses = |seed: u64| {
        let shapes = Shapes {
            input_channels: 1,
            solution_channels: 1,
            grid: vec![POINTS],
        };
        let model = Model::new(config.method, &config.network, shapes, seed, &device).unwrap();
        [Rows::Realizations, Rows::Inputs].map(|rows| {
            let samples = reader.samples(0..3, rows, &scaling).unwrap();
            let loss = Loss {
                samples: &samples,
                path: None,
                stream: &draws,
            };
            loss.mean(&model, &device).unwrap()
        })
    };
    let ([all, means], [other_all, other_means]) = (losses(4), losses(5));
    assert!((all / other_all - 1.0).abs() > 1e-3, "{all} {other_all}");
    let (noise, other) = (all - means, other_all - other_means);
    assert!(
        noise > 0.0 && (noise - other).abs() < 1e-5 * all,
        "{noise} {other}"
    );
}
