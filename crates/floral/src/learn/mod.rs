//! Active learning: fit, choose the inputs whose runs are most informative about a quantity, solve
//! them, and repeat.
//!
//! [`Loop`] has an ask-and-tell interface for programs that run the solver themselves:
//! [`ask`](Loop::ask) returns the inputs to solve, and [`tell`](Loop::tell) takes their solutions.
//! [`learn`] drives the loop with a solver command (`solving`), until a quantity is known well
//! enough (`until`) or a number of runs is reached. `state` is the folder of the loop: no input is
//! solved twice, and an interrupted loop can continue. `coordinates` describes the inputs of the
//! pool, `knowledge` estimates the quantity over the pool.

mod coordinates;
mod knowledge;
mod solving;
mod state;
mod until;

use std::path::{Path, PathBuf};
use std::time::Duration;

use floral_decisions::acquisition::{choose, representative};
use serde::{Deserialize, Serialize};

use crate::dataset::{Dataset, SplitConfig};
use crate::low::CommandSolver;
use crate::observer::{Observer, go_on};
use crate::predict::interest::{Asked, Interests, Subject};
use crate::predict::{Cases, Predictor};
use crate::sensitivity::{refusal, refused};
use crate::storage::remove_folder;
use crate::train::{Method, TrainConfig};
use crate::{Arrays, Error, Field, Result, fit};
use coordinates::{coordinates, features};
use knowledge::Knowledge;
use state::State;
pub use until::Until;

/// Smallest number of runs for a first fit.
const LEAST: usize = 3;

/// Failed inputs that are tolerated, in addition to two for each solved input.
const FAILURES: usize = 5;

/// Criterion for the choice of inputs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Choosing {
    /// Inputs that are expected to reduce the uncertainty of the quantity most.
    #[default]
    Best,
    /// Inputs that represent the pool, independently of the fit.
    Spread,
    /// Random inputs, for comparison.
    Random,
}

/// Settings of a [`Loop`].
#[derive(Debug, Clone)]
pub struct LoopSettings {
    /// Definition of the quantity of interest: `peak = max(u)`.
    pub quantity: String,
    /// Number of runs before the first fit; their inputs represent the pool.
    pub start: usize,
    /// Criterion for the choice of inputs.
    pub choosing: Choosing,
    /// Settings of the fits; the split is ignored, as all runs are trained on.
    pub fit: TrainConfig,
    /// Seed of random choices and of solver runs.
    pub seed: u64,
}

impl Default for LoopSettings {
    fn default() -> Self {
        Self {
            quantity: String::new(),
            start: 5,
            choosing: Choosing::Best,
            fit: TrainConfig {
                method: Method::FloralKl,
                ..TrainConfig::default()
            },
            seed: 0,
        }
    }
}

/// Inputs to solve next, and estimates so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Asking {
    /// Indices of pool inputs to solve; empty if all are solved or skipped.
    pub inputs: Vec<usize>,
    /// Number of runs so far.
    pub runs: usize,
    /// Root mean square over the pool of the epistemic standard deviation of the quantity's mean;
    /// `None` before the first fit.
    pub std: Option<f64>,
    /// Expected value of `std` after these inputs are solved.
    pub expected: Option<f64>,
    /// Mean of the quantity over the pool.
    pub mean: Option<f64>,
}

/// An active-learning loop: chooses inputs of a pool and learns from their solutions.
pub struct Loop {
    pool: Dataset,
    settings: LoopSettings,
    state: State,
    /// Coordinates of every input of the pool; computed when first needed.
    coordinates: Vec<Vec<f64>>,
    fitted: Option<(PathBuf, Predictor)>,
}

impl Loop {
    /// Starts a loop in a folder, or continues the one there.
    pub fn open(pool: &Dataset, folder: &Path, settings: LoopSettings) -> Result<Self> {
        if pool.inputs() < LEAST {
            return Err(Error::bad_file(
                pool.path().to_owned(),
                format!(
                    "has {} inputs; a pool needs at least {LEAST}",
                    pool.inputs()
                ),
            ));
        }
        if pool.grid().mesh().is_some() && pool.mask().is_some() {
            return Err(refusal("pool", "masked meshes are not supported"));
        }
        Ok(Self {
            state: State::open(folder, pool)?,
            settings: LoopSettings {
                start: settings.start.max(LEAST).min(pool.inputs()),
                ..settings
            },
            pool: pool.clone(),
            coordinates: Vec::new(),
            fitted: None,
        })
    }

    /// Number of runs so far.
    pub fn runs(&self) -> usize {
        self.state.solved.len()
    }

    /// Inputs that were skipped, with the reason.
    pub fn skipped(&self) -> impl Iterator<Item = (usize, &str)> {
        self.state
            .skipped
            .iter()
            .map(|(input, reason)| (*input, reason.as_str()))
    }

    /// The run folder of the last fit, if there is one.
    pub fn run(&self) -> Option<&Path> {
        self.fitted.as_ref().map(|(path, _)| path.as_path())
    }

    /// The model of the last fit, if there is one.
    pub fn model(&self) -> Option<&Predictor> {
        self.fitted.as_ref().map(|(_, predictor)| predictor)
    }

    /// Adds the realizations of an input's solution.
    pub fn tell(&mut self, input: usize, high: &[Field]) -> Result<()> {
        self.state.add(input, high)
    }

    /// Marks an input as failed, so that it is not asked for again.
    pub fn skip(&mut self, input: usize, reason: &str) -> Result<()> {
        self.state.skip(input, reason)
    }

    /// Up to `count` inputs to solve next, and the estimates so far; fits again if there are new
    /// runs. Before the first fit, all missing start inputs are returned.
    pub fn ask(&mut self, count: usize, observer: &dyn Observer) -> Result<Asking> {
        let missing = self.settings.start.saturating_sub(self.runs());
        if missing > 0 {
            return Ok(Asking {
                inputs: self.first(missing)?,
                runs: self.runs(),
                std: None,
                expected: None,
                mean: None,
            });
        }
        self.refit(observer)?;
        if self.coordinates.is_empty() {
            self.coordinates = coordinates(&features(&self.pool)?, self.pool.grid().len());
        }
        let Some((_, predictor)) = &self.fitted else {
            return Err(refusal("fit", "there is none"));
        };
        let known = self.known(predictor, observer)?;
        let free = |input: &usize| self.state.is_free(*input);
        self.state.write_quantity(&known)?;
        let std = known.std();
        let (inputs, left) = match self.settings.choosing {
            Choosing::Best => {
                let is_free: Vec<bool> = known.inputs.iter().map(free).collect();
                let noise = vec![known.noise; is_free.len()];
                let chosen = choose(&known.known, &noise, &is_free, count);
                let chosen = chosen.map_err(refused)?;
                let left = chosen.last().map(|last| last.left);
                (chosen.iter().map(|c| known.inputs[c.input]).collect(), left)
            }
            Choosing::Spread | Choosing::Random => (self.first(count)?, None),
        };
        Ok(Asking {
            inputs,
            runs: self.runs(),
            std: Some(std),
            expected: left.map(|left| std * left.sqrt()),
            mean: Some(known.mean()),
        })
    }

    /// Inputs that are chosen without a fit.
    fn first(&self, count: usize) -> Result<Vec<usize>> {
        if self.settings.choosing == Choosing::Random {
            return Ok(self.random(count));
        }
        let all = 0..self.pool.inputs();
        let taken = all.clone().filter(|i| !self.state.is_free(*i)).count();
        let order = representative(&features(&self.pool)?, taken + count);
        let rest = all.filter(|i| !order.contains(i));
        let order = order.iter().copied().chain(rest);
        Ok(order
            .filter(|i| self.state.is_free(*i))
            .take(count)
            .collect())
    }

    fn random(&self, count: usize) -> Vec<usize> {
        let word = |input: usize| {
            let stream = crate::random::stream;
            let mut rng = stream(
                self.settings.seed,
                crate::random::Purpose::Shuffle,
                input as u64,
                0,
            );
            rand::Rng::next_u64(&mut rng)
        };
        let mut all: Vec<usize> = (0..self.pool.inputs())
            .filter(|i| self.state.is_free(*i))
            .collect();
        all.sort_by_key(|input| word(*input));
        all.truncate(count);
        all
    }

    /// Fits all runs, unless this fit exists.
    fn refit(&mut self, observer: &dyn Observer) -> Result<()> {
        let folder = self.state.round();
        let run = folder.join("run");
        if self.run() == Some(run.as_path()) {
            return Ok(());
        }
        let mut arrays = Arrays::new(self.pool.grid().clone()).quantities(
            self.pool.quantities().input.clone(),
            self.pool.quantities().solution.clone(),
        );
        for (input, high) in &self.state.solved {
            let low = match self.pool.has_low() {
                true => Some(self.pool.low(*input)?),
                false => None,
            };
            arrays.push(&self.pool.input(*input)?, low.as_ref(), high)?;
        }
        let dataset = arrays.write(folder.join("data.zarr"))?;
        let config = TrainConfig {
            split: SplitConfig::new(0, 0, None),
            ..self.settings.fit.clone()
        };
        let predictor = fit(&dataset, &run, &config, observer)?;
        let before = self.fitted.replace((run, predictor));
        if let Some(before) = before.as_ref().and_then(|(run, _)| run.parent()) {
            remove_folder(before)?;
        }
        Ok(())
    }

    /// Estimates of the quantity over the pool.
    fn known(&self, predictor: &Predictor, observer: &dyn Observer) -> Result<Knowledge> {
        let subject = knowledge::Subject {
            predictor,
            cases: &Cases::of(&self.pool)?,
            quantity: &self.settings.quantity,
            coordinates: &self.coordinates,
            solved: &self.state.solved,
        };
        Knowledge::new(&subject, observer)
    }
}

/// Settings of [`learn`].
pub struct LearnRequest<'a> {
    /// Solver command with `{input}` and `{output}`, and optionally `{seed}`.
    pub solver: &'a str,
    /// Time limit of a run in seconds.
    pub timeout: f64,
    /// Largest number of runs.
    pub budget: usize,
    /// Criterion for stopping before the budget is spent.
    pub until: Option<Until>,
    /// Number of inputs that are chosen together.
    pub batch: usize,
    /// Number of parallel runs.
    pub jobs: usize,
}

/// Reason why the loop ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ended {
    /// The quantity is known well enough.
    Known,
    /// The budget is spent.
    Spent,
    /// No input of the pool is left.
    Exhausted,
}

/// Drives a loop with a solver command; `report` is called with every new choice of inputs.
pub fn learn(
    looped: &mut Loop,
    request: &LearnRequest<'_>,
    observer: &dyn Observer,
    report: &mut dyn FnMut(&Asking),
) -> Result<Ended> {
    let solver = solver(request)?;
    looped.check_quantity()?;
    looped.check_until(request.until.as_ref())?;
    loop {
        go_on(observer)?;
        let left = request.budget.saturating_sub(looped.runs());
        let asking = looped.ask(request.batch.max(1).min(left.max(1)), observer)?;
        looped.state.record(&asking)?;
        report(&asking);
        match (&request.until, asking.std) {
            (Some(until), Some(std)) if std < until.value => return Ok(Ended::Known),
            _ if left == 0 => return Ok(Ended::Spent),
            _ if asking.inputs.is_empty() && asking.std.is_some() => return Ok(Ended::Exhausted),
            _ if asking.inputs.is_empty() => return Err(looped.hopeless()),
            _ => {}
        }
        let inputs: Vec<usize> = asking.inputs.into_iter().take(left).collect();
        solving::solve(looped, &inputs, &solver, request.jobs, observer)?;
        if looped.skipped().count() > FAILURES + 2 * looped.runs() {
            return Err(looped.hopeless());
        }
    }
}

fn solver(request: &LearnRequest<'_>) -> Result<CommandSolver> {
    if !["{input}", "{output}"]
        .iter()
        .all(|word| request.solver.contains(word))
    {
        return Err(refusal(
            "solver",
            "the command lacks {input} or {output}, the paths of the NumPy archives it reads and writes; write it as \
             in './solve {input} {output}'",
        ));
    }
    let timeout = Duration::try_from_secs_f64(request.timeout)
        .ok()
        .filter(|t| !t.is_zero());
    let timeout = timeout.ok_or_else(|| refusal("timeout", "give a number of seconds above 0"))?;
    CommandSolver::new(request.solver, timeout)
}

impl Loop {
    /// Error for a solver that fails most of the time.
    fn hopeless(&self) -> Error {
        let reason = self.skipped().last().map_or("none", |(_, reason)| reason);
        let (failed, runs) = (self.skipped().count(), self.runs());
        refusal(
            "solver",
            &format!(
                "it failed on {failed} inputs and solved {runs}; fix it and remove skipped.json; the last failure: {reason}"
            ),
        )
    }

    /// Refuses a stopping criterion for another quantity.
    fn check_until(&self, until: Option<&Until>) -> Result<()> {
        let definition = self.settings.quantity.split('=').next();
        let name = definition.unwrap_or_default().trim();
        match until.filter(|until| until.name != name) {
            None => Ok(()),
            Some(until) => Err(refusal(
                &format!("std({}) < {}", until.name, until.value),
                &format!(
                    "unknown quantity `{}`; the loop is about `{name}`",
                    until.name
                ),
            )),
        }
    }

    /// Refuses an invalid quantity before anything is solved. This is possible only if the number
    /// of solution channels is known, from a run or from low fidelity.
    pub fn check_quantity(&self) -> Result<()> {
        let solved = self
            .state
            .solved
            .values()
            .next()
            .map(|high| high[0].channels());
        let Some(channels) = solved.or_else(|| self.pool.solution_channels()) else {
            return Ok(());
        };
        let subject = Subject {
            grid: self.pool.grid(),
            mask: self.pool.mask(),
            quantities: self.pool.quantities(),
            channels: [self.pool.input_channels(), channels],
            has_low: self.pool.has_low(),
        };
        let asked = Asked {
            quantities: vec![self.settings.quantity.clone()],
            thresholds: Vec::new(),
        };
        Interests::new(&asked, &subject).map(drop)
    }
}

#[cfg(test)]
#[cfg(feature = "networks")]
mod tests;
