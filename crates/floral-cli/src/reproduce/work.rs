//! The work of a plan: generate, train and evaluate whatever is missing.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::estimate::{Estimate, Stopwatch};
use super::plan::ReproductionPlan;
use super::results::{Record, Store};
use super::study::{Cell, Study};
use crate::step_log::StepLog;
use crate::workers::Workers;
use floral::dataset::{Dataset, generate};
use floral::device::Device;
use floral::evaluate::evaluate;
use floral::predict::Predictor;
use floral::ranks::{Counter, Ranks, agreed};
use floral::train::train;
use floral::{Error, Result, counted};

/// The state of a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum State {
    /// It is evaluated.
    Done(Box<Record>),
    /// It was not started in this session.
    NotRun,
    /// It was started, and stopped on request.
    Interrupted,
    /// It failed, for this reason.
    Failed(String),
}

impl State {
    fn failed(error: &Error) -> Self {
        match error {
            Error::Interrupted => Self::Interrupted,
            error => Self::Failed(error.to_string()),
        }
    }

    /// The record, if the cell is evaluated.
    pub fn record(&self) -> Option<&Record> {
        match self {
            Self::Done(record) => Some(record),
            _ => None,
        }
    }

    /// Why the cell is not evaluated: in a word, and in full if there is more to report.
    pub fn missing(&self) -> Option<(&'static str, Option<String>)> {
        match self {
            Self::Done(_) => None,
            Self::NotRun => Some(("not run", None)),
            Self::Interrupted => Some(("interrupted", None)),
            Self::Failed(reason) => Some(("failed", Some(reason.clone()))),
        }
    }

    /// Whether the cell failed.
    pub fn is_failed(&self) -> bool {
        matches!(self, Self::Failed(_))
    }
}

/// The state of every cell, by the name of its evaluation.
pub type States = BTreeMap<String, State>;

/// The expected cost of a step.
#[derive(Debug, Clone)]
pub struct Expected {
    /// A description of the step.
    pub title: String,
    /// Seconds of training, or of generating a dataset.
    pub work: f64,
    /// Seconds of evaluation; `None` for a dataset.
    pub evaluation: Option<f64>,
    /// Bytes on disk.
    pub bytes: f64,
    /// Whether the step is already done.
    pub done: bool,
}

/// The states of the cells as recorded in the store: evaluated, or not run.
pub fn states(plan: &ReproductionPlan, store: &Store) -> Result<States> {
    let state = |cell: &Cell| {
        let record = store.record(cell)?;
        let state = record.map_or(State::NotRun, |record| State::Done(Box::new(record)));
        Ok((cell.evaluation_name(), state))
    };
    plan.cells.iter().map(state).collect()
}

/// The positions of studies with open cells whose dataset does not exist yet.
fn pending(plan: &ReproductionPlan, store: &Store, states: &States) -> Vec<usize> {
    let open = |position: &usize| {
        let mut cells = plan.cells.iter();
        let missing = cells.any(|c| c.study == *position && !is_done(states, c));
        missing && !store.data(&plan.studies[*position]).exists()
    };
    (0..plan.studies.len()).filter(open).collect()
}

fn is_done(states: &States, cell: &Cell) -> bool {
    matches!(states.get(&cell.evaluation_name()), Some(State::Done(_)))
}

/// Every step with its expected cost. Sizes are timed with the threads of one worker.
pub fn estimated(
    plan: &ReproductionPlan,
    store: &Store,
    device: &Device,
    workers: Workers,
) -> Result<Vec<Expected>> {
    let states = states(plan, store)?;
    let mut watch = Stopwatch::new(device);
    let mut steps = Vec::new();
    for position in pending(plan, store, &states) {
        let study = &plan.studies[position];
        let solution = study.problem.quantities().solution.len().max(1);
        let values = study.request.inputs
            * study.request.realizations
            * solution
            * study.problem.grid().len();
        steps.push(Expected {
            title: format!("generate {}", study.experiment.name),
            work: workers.with_own_threads(|| watch.generation(study))?,
            evaluation: None,
            bytes: (values * study.request.precision.size()) as f64,
            done: false,
        });
    }
    for cell in &plan.cells {
        let (study, done) = (plan.study(cell), is_done(&states, cell));
        let estimate = if done {
            Estimate::default()
        } else {
            workers.with_own_threads(|| watch.cell(study, cell))?
        };
        steps.push(Expected {
            title: cell.title(study),
            work: estimate.training,
            evaluation: Some(estimate.evaluation),
            bytes: estimate.bytes,
            done,
        });
    }
    Ok(steps)
}

/// Does the missing steps, datasets first. A cell that fails does not affect the others. If a stop
/// is requested, the same call continues the unfinished steps later.
///
/// Several ranks take one task after another, as they become free.
pub fn work(
    plan: &ReproductionPlan,
    store: &Store,
    device: &Device,
    workers: Workers,
    (ranks, log): (&dyn Ranks, &StepLog),
) -> Result<States> {
    let occupied = ranks.is_first().then(|| store.occupy()).transpose();
    let _occupied = agreed(ranks, occupied, &mut || {})?;
    let before = states(plan, store)?;
    let open: Vec<&Cell> = plan.cells.iter().filter(|c| !is_done(&before, c)).collect();
    let datasets = pending(plan, store, &before);
    let session = Session {
        plan,
        store,
        device,
        threads: workers.threads,
        steps: datasets.len() + open.len(),
        log,
    };
    let tasks = Tasks::new(ranks, datasets.len())?;
    let failures = Mutex::new(BTreeMap::new());
    // Datasets are generated one at a time, each with all threads.
    for position in tasks.numbers() {
        let study = datasets[position];
        if let Err(error) = session.generate(position + 1, &plan.studies[study]) {
            locked(&failures).insert(study.to_string(), State::failed(&error));
        }
    }
    let failures = everywhere(ranks, into_inner(failures))?;
    let tasks = Tasks::new(ranks, open.len())?;
    let missing = Mutex::new(States::new());
    workers.run(tasks.numbers(), |index| {
        let cell = open[index];
        let state = match failures.get(&cell.study.to_string()) {
            Some(failure) => failure.clone(),
            None if log.should_stop() => State::NotRun,
            None => session.cell(datasets.len() + index + 1, cell),
        };
        if state.record().is_none() {
            locked(&missing).insert(cell.evaluation_name(), state);
        }
        Ok(())
    })?;
    let missing = everywhere(ranks, into_inner(missing))?;
    // The records are read after all ranks have written theirs.
    let mut all = states(plan, store)?;
    all.extend(missing);
    Ok(all)
}

/// Tasks that ranks take as they become free.
struct Tasks<'a> {
    ranks: &'a dyn Ranks,
    /// The first task's value of the counter that ranks share.
    first: u64,
    count: usize,
}

impl<'a> Tasks<'a> {
    /// Every rank must create the same tasks at the same point of the program.
    fn new(ranks: &'a dyn Ranks, count: usize) -> Result<Self> {
        let counted = ranks.is_first().then(|| ranks.count(Counter::Next, 0));
        let counted = agreed(ranks, counted.transpose(), &mut || {})?;
        let own = counted.unwrap_or(0).to_le_bytes().to_vec();
        let all = ranks.gather(own, &mut || {})?;
        let first = all[0].as_slice().try_into().map_or(0, u64::from_le_bytes);
        Ok(Self {
            ranks,
            first,
            count,
        })
    }

    /// The tasks taken by this rank. If the counter cannot be reached, there are no more.
    fn numbers(&self) -> impl Iterator<Item = usize> + Send + '_ {
        std::iter::from_fn(|| {
            let number = self.ranks.count(Counter::Next, 1).ok()?;
            let number = number.checked_sub(self.first)? as usize;
            (number < self.count).then_some(number)
        })
    }
}

/// The unfinished cells of all ranks.
fn everywhere(ranks: &dyn Ranks, own: States) -> Result<States> {
    if ranks.size() == 1 {
        return Ok(own);
    }
    let own = serde_json::to_vec(&own).expect("names and words");
    let all = ranks.gather(own, &mut || {})?;
    let states = all
        .iter()
        .map(|part| serde_json::from_slice::<States>(part));
    Ok(states
        .filter_map(std::result::Result::ok)
        .flatten()
        .collect())
}

fn locked(states: &Mutex<States>) -> MutexGuard<'_, States> {
    states.lock().unwrap_or_else(PoisonError::into_inner)
}

fn into_inner(states: Mutex<States>) -> States {
    states.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// The context of every step.
struct Session<'a> {
    plan: &'a ReproductionPlan,
    store: &'a Store,
    device: &'a Device,
    threads: usize,
    steps: usize,
    log: &'a StepLog<'a>,
}

impl Session<'_> {
    fn began(&self, position: usize, what: &str) {
        let steps = self.steps;
        self.log.line(&format!("[{position}/{steps}] {what}"));
    }

    fn ended(&self, position: usize, result: &str, start: Instant) {
        let (steps, seconds) = (self.steps, start.elapsed().as_secs_f64());
        self.log
            .line(&format!("[{position}/{steps}] {result} ({seconds:.1} s)"));
    }

    fn generate(&self, position: usize, study: &Study) -> Result<()> {
        let title = format!("generate {}", study.experiment.name);
        self.began(position, &title);
        let start = Instant::now();
        let progress = self.log.watch(&study.experiment.name);
        let path = self.store.data(study);
        let problem = study.problem.as_ref();
        let outcome = generate(problem, &study.request, &path, &progress);
        progress.finish();
        let result = match &outcome {
            Ok(_) => format!("{title}: {}", counted(study.request.inputs, "input")),
            Err(error) => format!("{title}: {error}"),
        };
        self.ended(position, &result, start);
        outcome.map(drop)
    }

    fn cell(&self, position: usize, cell: &Cell) -> State {
        let title = cell.title(self.plan.study(cell));
        self.began(position, &title);
        let start = Instant::now();
        let outcome = self.trained_and_evaluated(cell, &title);
        let result = match &outcome {
            Ok(record) => {
                let error = record.evaluation.prediction.mean.nrmse;
                format!("{title}: nRMSE {error:.4}")
            }
            Err(Error::Interrupted) => format!("{title}: interrupted"),
            Err(error) => format!("{title}: {error}"),
        };
        self.ended(position, &result, start);
        match outcome {
            Ok(record) => State::Done(Box::new(record)),
            Err(error) => State::failed(&error),
        }
    }

    fn trained_and_evaluated(&self, cell: &Cell, title: &str) -> Result<Record> {
        let study = self.plan.study(cell);
        let dataset = Dataset::open(self.store.data(study))?;
        let run = self.store.run_folder(cell)?;
        let progress = self.log.watch(title);
        train(&run, &dataset, self.device, &progress)?;
        let start = Instant::now();
        let predictor = Predictor::load(&run, self.device)?;
        let options = study.experiment.options();
        let mut evaluation = evaluate(&predictor, &dataset, &options, &progress)?;
        progress.finish();
        // The path would be wrong after the folder of records is moved.
        evaluation.data = study.data_name().into();
        let Some(last) = run.last()? else {
            return Err(Error::bad_file(
                run.path(),
                "has lost its last checkpoint; remove it",
            ));
        };
        let record = Record {
            floral: crate::provenance::build(),
            recipe: cell.recipe(),
            threads: self.threads,
            epochs: last.header.progress.epoch,
            training_seconds: last.header.progress.seconds,
            evaluation_seconds: start.elapsed().as_secs_f64(),
            evaluation,
        };
        self.store.write_record(cell, &record)?;
        Ok(record)
    }
}
