//! Estimates of the cost of steps, from a few steps of each size timed on this machine.

use std::collections::HashMap;

use super::study::{Cell, Study};
use floral::device::Device;
use floral::device::is_processor;
use floral::flow::Path;
use floral::operator::{weights, with_weights};
use floral::random::{Purpose, Stream, stream};
use floral::sample::OdeSolver;

use floral::train::adam::Adam;
use floral::train::batches::steps;
use floral::train::config::Rows;
use floral::train::gradient::{Loss, block_rows};
use floral::train::model::{Model, Shapes, initial};
use floral::train::samples::Samples;
use floral::{Grid, Result};

/// Assumed number of velocity evaluations of an adaptive integrator.
const ADAPTIVE_EVALUATIONS: usize = 80;

/// Hidden values of the timed samples: enough to be typical, few enough to be quick.
const TIMED_VALUES: usize = 1 << 20;

/// Number of timed realizations of the solver.
const TIMED_REALIZATIONS: usize = 16;

/// Seconds of a regression on one core, per grid value of an input in the fit and of a realization
/// that is drawn: orders of magnitude.
const FITTED_VALUE: f64 = 5e-5;
const DRAWN_VALUE: f64 = 1e-7;

/// Bytes that a regression keeps for each grid value of an input.
const FITTED_BYTES: f64 = 100.0;

/// The remaining cost of a cell.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Estimate {
    /// Seconds of training if it does not stop early.
    pub training: f64,
    /// Seconds of evaluation.
    pub evaluation: f64,
    /// Bytes of its checkpoints.
    pub bytes: f64,
}

/// Seconds of the parts of trainings and evaluations.
#[derive(Debug, Clone, Copy)]
struct Rates {
    /// The gradient of one sample.
    gradient: f64,
    /// One step of the optimiser, without the gradients.
    update: f64,
    /// The loss of one sample on the training grid.
    validation: f64,
    /// One velocity on the full grid.
    velocity: f64,
    parameters: usize,
}

/// Properties of a problem's own solver.
#[derive(Debug, Clone, Copy)]
struct Solver {
    /// Seconds of one realization.
    realization: f64,
    /// Whether the moments are known without realizations.
    exact: bool,
}

/// Times each size once, with the threads of the calling pool. Uses processor time where other
/// programs share the machine.
pub struct Stopwatch<'a> {
    device: &'a Device,
    rates: HashMap<String, Rates>,
    solvers: HashMap<String, Solver>,
}

impl<'a> Stopwatch<'a> {
    /// Times nothing before it is requested.
    pub fn new(device: &'a Device) -> Self {
        Self {
            device,
            rates: HashMap::new(),
            solvers: HashMap::new(),
        }
    }

    /// Seconds to generate a study's dataset.
    pub fn generation(&mut self, study: &Study) -> Result<f64> {
        let realizations = study.request.inputs * study.request.realizations;
        Ok(realizations as f64 * self.solver_of(study)?.realization)
    }

    /// The cost of a cell from scratch.
    pub fn cell(&mut self, study: &Study, cell: &Cell) -> Result<Estimate> {
        if cell.method.recipe().is_some() {
            return self.regression(study, cell);
        }
        let rates = self.rates_of(study, cell)?;
        let training = &cell.training;
        // Rows per input, and rows of all training inputs.
        let (each, rows) = match training.optimiser.rows {
            Rows::Realizations => (study.request.realizations, cell.samples),
            Rows::Inputs => (1, study.experiment.inputs(cell.samples)),
        };
        let validated = (training.split.validation_inputs() * each) as f64;
        let updates = steps(rows, training.optimiser.batch) as f64;
        let epoch =
            rows as f64 * rates.gradient + updates * rates.update + validated * rates.validation;
        let options = study.experiment.options();
        let solver = self.solver_of(study)?;
        let truth = if solver.exact {
            0.0
        } else {
            options.reference as f64 * solver.realization
        };
        let predicted = if cell.method.is_generative() {
            options.sampling.realizations * evaluations(&options.sampling.solver)
        } else {
            1
        };
        let input = predicted as f64 * rates.velocity + truth;
        Ok(Estimate {
            training: training.stopping.epochs as f64 * epoch,
            evaluation: training.split.test_inputs() as f64 * input,
            // Two checkpoints, the best and the last, each with weights and two moments of the
            // optimiser.
            bytes: (2 * 3 * size_of::<f32>() * rates.parameters) as f64,
        })
    }

    /// A rough estimate: a regression cannot be timed on zeros.
    fn regression(&mut self, study: &Study, cell: &Cell) -> Result<Estimate> {
        let (training, options) = (&cell.training, study.experiment.options());
        let inputs = study.experiment.inputs(cell.samples) + training.split.validation_inputs();
        let values = study.problem.grid().len() as f64;
        let solver = self.solver_of(study)?;
        let truth = if solver.exact { 0 } else { options.reference };
        let drawn = options.sampling.realizations as f64 * values * DRAWN_VALUE;
        let input = drawn + truth as f64 * solver.realization;
        Ok(Estimate {
            training: inputs as f64 * values * FITTED_VALUE,
            evaluation: training.split.test_inputs() as f64 * input,
            bytes: inputs as f64 * values * FITTED_BYTES,
        })
    }

    fn solver_of(&mut self, study: &Study) -> Result<Solver> {
        let name = study.data_name();
        if let Some(solver) = self.solvers.get(&name) {
            return Ok(*solver);
        }
        let problem = study.problem.as_ref();
        let input = problem.draw_input(&mut stream(0, Purpose::Input, 0, 0))?;
        let draw = |j| stream(0, Purpose::Realization, 0, j);
        let mut streams: Vec<Stream> = (0..TIMED_REALIZATIONS as u64).map(draw).collect();
        let size = problem.low_fidelity(&input)?.values().len();
        let mut out = vec![0.0; TIMED_REALIZATIONS * size];
        // The solvers of the problems run on the CPU, whatever device the networks use.
        let seconds = timed(&Device::flex(), || {
            problem
                .high_fidelity(&input, &mut streams, &mut out)
                .map(drop)
        })?;
        let solver = Solver {
            realization: seconds / TIMED_REALIZATIONS as f64,
            exact: problem.exact_moments(&input)?.is_some(),
        };
        self.solvers.insert(name, solver);
        Ok(solver)
    }

    fn rates_of(&mut self, study: &Study, cell: &Cell) -> Result<Rates> {
        let points = cell.training.resolution.as_ref();
        let points = points.and_then(|points| points.first()).copied();
        let (coarse, full) = (study.training_grid(points), study.problem.grid());
        let network = &cell.training.network;
        let batch = cell.training.optimiser.batch;
        let size = (coarse.shape(), full.shape(), cell.method, network, batch);
        let name = format!("{size:?}");
        if let Some(rates) = self.rates.get(&name) {
            return Ok(*rates);
        }
        let rates = measure(study, cell, &coarse, self.device)?;
        self.rates.insert(name, rates);
        Ok(rates)
    }
}

fn evaluations(solver: &OdeSolver) -> usize {
    match solver {
        OdeSolver::Adaptive(_) => ADAPTIVE_EVALUATIONS,
        OdeSolver::Fixed(fixed) => fixed.steps() * fixed.tableau().stages(),
    }
}

fn measure(study: &Study, cell: &Cell, coarse: &Grid, device: &Device) -> Result<Rates> {
    let input = study
        .problem
        .draw_input(&mut stream(0, Purpose::Input, 0, 0))?;
    let shapes = Shapes {
        input_channels: input.channels(),
        solution_channels: study.problem.low_fidelity(&input)?.channels(),
        grid: coarse.shape(),
        coordinates: None,
    };
    let sizes = &cell.training.network;
    let model = |device: &Device| initial(cell.method, sizes, shapes.clone(), 0, device);
    let (learning, still) = (device.clone().autodiff(), model(device)?);
    let mut model = model(&learning)?;
    let trained = white(cell, &still, coarse);
    let rows = trained.len() as f64;
    let batch: Vec<usize> = (0..trained.len()).collect();
    let gradient = loss_of(cell, &trained, |loss| {
        timed(device, || {
            loss.gradient(&model, &batch, &learning).map(drop)
        })
    })?;
    let validation = loss_of(cell, &trained, |loss| {
        timed(device, || loss.mean(&still, device).map(drop))
    })?;
    let predicted = white(cell, &still, study.problem.grid());
    let velocity = loss_of(cell, &predicted, |loss| {
        timed(device, || loss.mean(&still, device).map(drop))
    })?;
    let mut arrays = weights(&model.network)?;
    let zeros: Vec<Vec<f32>> = arrays.iter().map(|w| vec![0.0; w.values.len()]).collect();
    let mut adam = Adam::new(zeros.iter().map(Vec::len));
    let update = timed(device, || {
        let values = arrays.iter_mut().map(|w| w.values.as_mut_slice());
        adam.step(0.0, 0.0, 1.0, values.zip(zeros.iter().map(Vec::as_slice)));
        model.network = with_weights(model.network.clone(), arrays.clone())?;
        Ok(())
    })?;
    Ok(Rates {
        gradient: gradient / rows,
        update,
        validation: validation / rows,
        velocity: velocity / predicted.len() as f64,
        parameters: zeros.iter().map(Vec::len).sum(),
    })
}

/// Samples of one input that are zero everywhere; the arithmetic takes as long as with other
/// values.
fn white(cell: &Cell, model: &Model, grid: &Grid) -> Samples<'static> {
    let points = grid.len();
    let hidden = cell.training.network.hidden_channels;
    let most = cell.training.optimiser.batch.min(block_rows(points)).max(1);
    let rows = (TIMED_VALUES / (points * hidden).max(1)).clamp(1, most);
    let size = model.shapes.solution_channels * points;
    let conditions = vec![vec![0.0; model.condition_channels() * points]];
    Samples::new(grid.clone(), conditions, vec![vec![0.0; rows * size]], size)
}

/// Calls a function with the loss on these samples.
fn loss_of(cell: &Cell, samples: &Samples, call: impl FnOnce(&Loss) -> Result<f64>) -> Result<f64> {
    let prior = cell.training.prior.on(&samples.grid)?;
    let draws = |sample: usize| stream(0, Purpose::Path, 0, sample as u64);
    call(&Loss {
        samples,
        path: cell.method.is_flow().then(|| Path {
            config: &cell.training.path,
            prior: prior.as_ref(),
            points: samples.grid.len(),
        }),
        stream: &draws,
    })
}

/// Seconds of a call. A quick call is repeated, so that caches are warm. On a CPU the time excludes
/// other programs.
fn timed(device: &Device, call: impl FnMut() -> Result<()>) -> Result<f64> {
    let watch = floral_bench::Stopwatch {
        seconds: 0.2,
        rounds: 1,
    };
    match is_processor(device) {
        true => watch.best_undisturbed(call),
        false => watch.best(call),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::testing::tiny;
    use floral::train::Method;

    #[test]
    fn a_cell_of_more_epochs_is_estimated_longer_and_timed_only_once() {
        let device = floral::device::named("cpu").unwrap();
        let mut experiment = tiny();
        let one = Study::new(experiment.clone()).unwrap();
        experiment.training.stopping.epochs *= 3;
        let three = Study::new(experiment).unwrap();
        let mut watch = Stopwatch::new(&device);
        let mut estimate = |study: &Study| {
            let cell = study.cell(0, Method::Floral, 8, None);
            watch.cell(study, &cell).unwrap()
        };
        let (one, three) = (estimate(&one), estimate(&three));
        assert!(one.training > 0.0 && one.evaluation > 0.0 && one.bytes > 0.0);
        assert!((three.training / one.training - 3.0).abs() < 1e-9);
        assert_eq!(three.evaluation, one.evaluation);
        assert_eq!(watch.rates.len(), 1);
    }
}
