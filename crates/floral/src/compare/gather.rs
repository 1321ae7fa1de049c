//! Predicts every input with every run and gathers the numbers of a report.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use burn::tensor::Device;

use super::answer::{Answer, Question};
use super::cache::{self, Key};
use super::comparison::{Comparison, LowResult, Portrait, RunResult, Setting};
use super::contestant::{Contestant, contestants};
use super::names;
use super::options::{Options, Step};
use super::sketch::{Sketch, spectrum};
use crate::dataset::Dataset;
use crate::evaluate::{Scoring, Truth, TruthSource, Truths, test_inputs};
use crate::metric::Fields;
use crate::predict::Sampling;
use crate::train::RunFolder;
use crate::train::checkpoint::DataIdentity;
use crate::{Error, Field, Result};

/// Groups of points by their expected error.
const GROUPS: usize = 8;

/// Compares runs on the inputs that they have not seen. What was predicted before with the same
/// weights, data and options is taken from the run's folder.
pub fn compare(
    runs: &[RunFolder],
    dataset: &Dataset,
    options: &Options,
    device: &Device,
    observer: &(dyn Fn(Step) + Sync),
    stop: &AtomicBool,
) -> Result<Comparison> {
    let contestants = contestants(runs, dataset, device)?;
    let inputs = chosen(&contestants, dataset, options)?;
    let mut gathering = Gathering {
        truths: Truths::of(dataset, options.evaluation.reference)?,
        results: vec![Gathered::default(); contestants.len()],
        low: Gathered::default(),
        truth: Gathered::default(),
        portraits: Vec::new(),
        total: inputs.len() * contestants.len(),
        contestants,
        dataset,
        options,
        observer,
        stop,
    };
    for (position, index) in inputs.clone().enumerate() {
        gathering.input(position, index)?;
    }
    gathering.finish(inputs)
}

fn chosen(
    contestants: &[Contestant],
    dataset: &Dataset,
    options: &Options,
) -> Result<Range<usize>> {
    let test = || test_inputs(contestants[0].predictor.header(), dataset);
    let inputs = options.evaluation.inputs.clone().unwrap_or_else(test);
    let wrong = if inputs.is_empty() || inputs.end > dataset.inputs() {
        format!(
            "{} has inputs 0..{}; choose at least one of them",
            dataset.path().display(),
            dataset.inputs()
        )
    } else if options.evaluation.realizations < 2 {
        "a spread needs at least two realizations; ask for more".into()
    } else {
        return Ok(inputs);
    };
    Err(Error::Config {
        context: format!("inputs {}..{}", inputs.start, inputs.end),
        reason: wrong,
    })
}

/// What is pooled over inputs.
#[derive(Debug, Clone, Default)]
struct Gathered {
    scoring: Scoring,
    spectrum: Vec<f64>,
    pairs: Vec<[f32; 2]>,
    spread_error: Vec<[f32; 2]>,
    inputs: usize,
}

impl Gathered {
    fn add(&mut self, sketch: &Sketch) {
        self.inputs += 1;
        self.pairs.extend_from_slice(&sketch.pairs);
        self.add_spectrum(&sketch.spectrum);
    }

    fn add_spectrum(&mut self, spectrum: &[f64]) {
        self.spectrum.resize(spectrum.len(), 0.0);
        for (sum, energy) in self.spectrum.iter_mut().zip(spectrum) {
            *sum += energy;
        }
    }

    fn spectrum(&self) -> Vec<f64> {
        let inputs = self.inputs.max(1) as f64;
        self.spectrum.iter().map(|sum| sum / inputs).collect()
    }
}

struct Gathering<'a> {
    contestants: Vec<Contestant>,
    truths: Truths<'a>,
    dataset: &'a Dataset,
    options: &'a Options,
    observer: &'a (dyn Fn(Step) + Sync),
    stop: &'a AtomicBool,
    results: Vec<Gathered>,
    low: Gathered,
    truth: Gathered,
    portraits: Vec<Portrait>,
    total: usize,
}

impl Gathering<'_> {
    fn input(&mut self, position: usize, index: usize) -> Result<()> {
        let low = self.dataset.low_or_solved(index, self.truths.origin())?;
        let input = self.dataset.input(index)?;
        let truth = self.truths.at(index)?;
        let question = Question {
            grid: self.dataset.grid(),
            low: low.as_ref(),
            truth: &truth,
            kept: self.options.kept,
        };
        let true_sketch = self.true_sketch(&question, index)?;
        self.truth.add(&true_sketch);
        if let Some(low) = &low {
            self.low.inputs += 1;
            let values = rounded(low);
            let own = spectrum(std::iter::once(&values[..]), &self.dataset.grid().shape());
            self.low.add_spectrum(&own);
        }
        let mut likenesses = Vec::new();
        for run in 0..self.contestants.len() {
            let done = position * self.contestants.len() + run;
            let answer = self.answer(run, &question, &input, index, done)?;
            let result = &mut self.results[run];
            result.scoring.merge(&answer.scoring);
            result.spread_error.extend_from_slice(&answer.spread_error);
            result.add(&answer.sketch);
            likenesses.push(answer.sketch.likeness);
        }
        if position < self.options.shown {
            self.portraits.push(Portrait {
                input: index,
                field: rounded(&input),
                low: low.as_ref().map(rounded),
                truth: true_sketch.likeness,
                runs: likenesses,
            });
        }
        Ok(())
    }

    fn true_sketch(&self, question: &Question, index: usize) -> Result<Sketch> {
        let truth = question.truth;
        let fresh = match self.options.evaluation.reference {
            0 | 1 => Vec::new(),
            wanted => self.truths.ensemble(index, wanted)?,
        };
        let members = if fresh.is_empty() {
            &truth.observations
        } else {
            &fresh
        };
        match members.is_empty() {
            // Moments alone, as of a dataset that holds nothing else.
            true => {
                let mean: Vec<f32> = truth.mean.iter().map(|v| *v as f32).collect();
                let only = Fields::new(&mean, mean.len())?;
                Ok(question.sketch(only, &truth.mean, None))
            }
            false => {
                let members = Fields::new(members, truth.mean.len())?;
                Ok(question.sketch(members, &truth.mean, truth.variance.as_deref()))
            }
        }
    }

    fn answer(
        &self,
        run: usize,
        question: &Question,
        input: &Field,
        index: usize,
        done: usize,
    ) -> Result<Answer> {
        let (contestant, options) = (&self.contestants[run], self.options);
        let step = |progress| Step {
            run: &contestant.label,
            done,
            total: self.total,
            progress,
        };
        if self.stop.load(Ordering::SeqCst) {
            return Err(Error::Interrupted {
                advice: "the same command goes on where it was".into(),
            });
        }
        let key = self.key(contestant, question.truth, input, question.low, index);
        let place = cache::place(&contestant.run, key);
        if let Some(answer) = cache::load(&place) {
            (self.observer)(step(None));
            return Ok(answer);
        }
        let predictor = &contestant.predictor;
        let predicted = predictor.for_input(input, question.low, self.dataset.grid())?;
        let sampling = Sampling {
            realizations: options.evaluation.realizations,
            seed: options.evaluation.seed,
            input: index as u64,
            solver: &options.evaluation.solver,
            stop: self.stop,
            observer: &|progress| (self.observer)(step(Some(progress))),
        };
        let mut members = Vec::new();
        let start = Instant::now();
        let progress = predicted.deliver(&sampling, |_, values| {
            members.extend_from_slice(values);
            Ok(())
        })?;
        let answer = question.answer(&members, (progress, start.elapsed().as_secs_f64()))?;
        cache::store(&place, &answer);
        Ok(answer)
    }

    /// The hash of all that an answer depends on.
    fn key(
        &self,
        contestant: &Contestant,
        truth: &Truth,
        input: &Field,
        low: Option<&Field>,
        index: usize,
    ) -> Key {
        let json = |value: serde_json::Result<String>| value.unwrap_or_default();
        let identity = json(serde_json::to_string(&DataIdentity::of(self.dataset)));
        let source = json(serde_json::to_string(&truth.source));
        let key = contestant
            .key
            .bytes(identity.as_bytes())
            .bytes(source.as_bytes());
        let key = match contestant.predictor.method().is_generative() {
            true => key
                .bytes(json(serde_json::to_string(&self.options.evaluation.solver)).as_bytes())
                .number(self.options.evaluation.realizations as f64)
                .number(self.options.evaluation.seed as f64),
            false => key,
        };
        let axes = self.dataset.grid().axes.iter();
        key.number(self.options.kept as f64)
            .number(index as f64)
            .numbers(axes.flat_map(|axis| axis.coordinates.iter().copied()))
            .numbers(input.values().iter().copied())
            .numbers(low.iter().flat_map(|low| low.values().iter().copied()))
            .numbers(truth.mean.iter().copied())
            .numbers(truth.observations.iter().map(|v| f64::from(*v)))
    }

    fn finish(self, inputs: Range<usize>) -> Result<Comparison> {
        let low_errors = self.results.iter().find_map(|result| result.scoring.low());
        let low = low_errors.map(|errors| LowResult {
            errors,
            spectrum: self.low.spectrum(),
        });
        let runs = self.contestants.iter().zip(&self.results);
        Ok(Comparison {
            setting: self.setting(inputs),
            low,
            truth_spectrum: self.truth.spectrum(),
            truth_pairs: self.truth.pairs,
            runs: runs
                .map(|(contestant, result)| summary(contestant, result))
                .collect(),
            portraits: self.portraits,
        })
    }

    fn setting(&self, inputs: Range<usize>) -> Setting {
        let dataset = self.dataset;
        let header = self.contestants[0].predictor.header();
        Setting {
            problem: dataset.problem().map(str::to_owned),
            data: dataset.path().to_owned(),
            quantity: names::quantity(dataset),
            axes: names::axes(dataset),
            grid: dataset.grid().clone(),
            channels: header.shapes.solution_channels,
            inputs,
            observations: dataset.realizations(),
            truth: self.truths.source(),
            realizations: self.options.evaluation.realizations,
            seed: self.options.evaluation.seed,
            solver: self.options.evaluation.solver,
        }
    }
}

fn summary(contestant: &Contestant, result: &Gathered) -> RunResult {
    let header = contestant.predictor.header();
    let observed = result.scoring.observed();
    let logged = contestant.epochs.last().map(|record| record.seconds);
    RunResult {
        label: contestant.label.clone(),
        folder: contestant.run.path().to_owned(),
        method: contestant.predictor.method(),
        variant: contestant.variant,
        training_inputs: contestant.training_inputs,
        training_grid: header.shapes.grid.clone(),
        // The best checkpoint knows the time up to itself alone.
        training_seconds: logged.unwrap_or(header.progress.seconds),
        epoch: header.progress.epoch,
        epochs: contestant.epochs.clone(),
        prediction: result.scoring.prediction(),
        coverage: observed.map_or_else(Vec::new, |scores| scores.coverage.curve()),
        ranks: observed.map_or_else(Vec::new, |scores| scores.ranks.frequencies()),
        spread_error: grouped(&result.spread_error),
        spectrum: result.spectrum(),
        pairs: result.pairs.clone(),
    }
}

/// Root mean squares of expected and found errors in groups of like expected error.
fn grouped(pairs: &[[f32; 2]]) -> Vec<[f64; 2]> {
    let mut pairs = pairs.to_vec();
    pairs.sort_unstable_by(|a, b| a[0].total_cmp(&b[0]));
    let size = pairs.len().div_ceil(GROUPS).max(1);
    let root = |group: &[[f32; 2]], i: usize| {
        let sum: f64 = group.iter().map(|pair| f64::from(pair[i])).sum();
        (sum / group.len() as f64).sqrt()
    };
    pairs
        .chunks(size)
        .map(|group| [root(group, 0), root(group, 1)])
        .collect()
}

fn rounded(field: &Field) -> Vec<f32> {
    field.values().iter().map(|value| *value as f32).collect()
}

/// In words, where true moments come from.
pub(super) fn words(truth: TruthSource) -> String {
    match truth {
        TruthSource::Exact => "the exact moments of the solution".into(),
        TruthSource::Reference { realizations } => {
            format!("{realizations} fresh realizations per input of the true solver")
        }
        TruthSource::Dataset { realizations } => {
            format!("the {realizations} realizations per input of the dataset")
        }
    }
}
