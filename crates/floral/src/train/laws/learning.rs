//! Tests that training learns, and of when it stops.

use burn::tensor::{Tensor, TensorData};

use super::{Line, POINTS, REALIZATIONS, TEST_INPUTS};
use crate::metric::RunningMoments;
use crate::operator::{Context, Device, with_weights};
use crate::random::{Purpose, stream};
use crate::sample::{OdeSolver, Velocity};
use crate::train::model::{Model, fields, initial};
use crate::train::{Checkpoint, Method, Outcome, RunFolder, train};
use crate::{Result, Silent};

/// A trained network with one input of the dataset.
struct Trained<'a> {
    line: &'a Line,
    run: RunFolder,
    checkpoint: Checkpoint,
    model: Model,
}

/// Direction in which the flow is integrated.
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
        let mut model = initial(method, &config.network, shapes.clone(), 0, &device).unwrap();
        model.network = with_weights(model.network, checkpoint.weights.clone()).unwrap();
        Self {
            line,
            run,
            checkpoint,
            model,
        }
    }

    /// The condition of an input, [channel, point], and the context that the network derives from
    /// it.
    fn context(&self, input: usize) -> (Vec<f32>, Context) {
        let dataset = &self.line.dataset;
        let (input, low) = (dataset.input(input).unwrap(), dataset.low(input).unwrap());
        let condition = self.checkpoint.header.scaling.condition(&input, Some(&low));
        let tensor = fields(condition.clone(), 2, &[POINTS], &Device::flex());
        (
            condition,
            self.model.network.condition(tensor, &[POINTS]).unwrap(),
        )
    }

    /// Predicted mean and variance of the solution at every point.
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

    /// Errors over the test inputs: that of the mean relative to the error of the low-fidelity
    /// solution, and that of the variance relative to the variance itself.
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
        let residual = trained
            .checkpoint
            .header
            .scaling
            .target
            .invert(&values, POINTS);
        let low = line.dataset.low(input).unwrap();
        let mean: Vec<f64> = low
            .values()
            .iter()
            .zip(residual)
            .map(|(l, g)| l + g)
            .collect();
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
    // With so large a threshold, only the first epoch counts as an improvement.
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
