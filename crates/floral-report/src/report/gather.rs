//! Predicts every input with every run and gathers the numbers of a report.
//!
//! [`compare`] consumes the shared prediction loop ([`floral::predict::Walk`]) and returns a
//! [`Comparison`]. Scored summaries are stored next to each run ([`cache`]).

use std::borrow::Cow;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use floral::dataset::Dataset;
use floral::device::Device;
use floral::evaluate::{
    BaselineFields, Scoring, Truth, TruthSource, Truths, between, check_interests, chosen_inputs,
    seen_inputs,
};
use floral::grid::Mask;
use floral::kl::Prediction;
use floral::metric::Fields;
use floral::predict::interest::Asked as AskedQuantities;
use floral::predict::{Cases, Consumer, Moments, PredictionCost, Predictor, Walk, WalkedInput};
use floral::train::RunFolder;
use floral::train::checkpoint::DataIdentity;
use floral::{Error, Field, Grid, Observer, Result, counted};

use super::cache::{self, Key};
use super::channel::Channel;
use super::compared_run::{ComparedRun, loaded};
use super::comparison::{
    ChannelResult, ChannelTruth, Comparison, LowResult, RunResult, Setting, ShownInput,
};
use super::names;
use super::options::Options;
use super::picture::Picture;
use super::planes::through;
use super::pooled::Pooled;
use super::questions::{Asked, Questions, gathered};
use super::summary::{Summary, spectrum};
use super::test_input::{Predicted, ScoredSummary, TestInput};
use crate::draw::Label;

/// Compares runs on held-out inputs. Predictions made earlier with the same program, weights, data
/// and options are read from the run's folder.
pub fn compare(
    runs: &[RunFolder],
    dataset: &Dataset,
    options: &Options,
    device: &Device,
    observer: &dyn Observer,
) -> Result<Comparison> {
    check_shown(dataset, options)?;
    let runs = loaded(runs, dataset, device, observer)?;
    let wanted = options.evaluation.inputs.clone();
    let inputs = chosen_inputs(runs[0].predictor.header(), dataset, wanted)?;
    if options.evaluation.sampling.realizations < 2 {
        return Err(Error::config(
            "report",
            "a standard deviation needs at least two realizations; give --realizations 2 or more",
        ));
    }
    let channels = runs[0].predictor.header().shapes.solution_channels;
    let values = channels * dataset.grid().len();
    options.evaluation.sampling.check_memory(values)?;
    let pooled = vec![Pooled::default(); channels];
    let mut gathering = Gathering {
        truths: Truths::of(dataset, options.evaluation.reference)?,
        scorings: vec![Scoring::default(); runs.len()],
        results: vec![pooled.clone(); runs.len()],
        low: pooled.clone(),
        truth: pooled,
        shown: Vec::new(),
        current: None,
        members: Vec::new(),
        place: PathBuf::new(),
        moments: None,
        baselines: BaselineFields::default(),
        runs: &runs,
        dataset,
        options,
    };
    let predictors: Vec<&Predictor> = runs.iter().map(|run| &run.predictor).collect();
    let walk = Walk {
        predictors: &predictors,
        cases: &Cases::of(dataset)?,
        inputs: inputs.clone(),
        derived: None,
        sampling: &options.evaluation.sampling,
        observer,
    };
    walk.run(&mut gathering)?;
    let questions = questions(&gathering, &inputs, observer)?;
    gathering.finish(inputs, questions)
}

/// Refuses data that a report cannot show.
fn check_shown(dataset: &Dataset, options: &Options) -> Result<()> {
    if dataset.known().is_some() || dataset.has_sensors() {
        return Err(Error::bad_file(
            dataset.path().to_owned(),
            "has high fidelity on fewer points than its grid, which a report cannot show; use \
                     floral evaluate, which compares at those points",
        ));
    }
    check_drawable(dataset.grid())?;
    through(&names::drawn(dataset.grid()), &options.through)?;
    check_unmasked(dataset.path(), dataset.mask())
}

/// Refuses fields with points outside of the domain.
pub(super) fn check_unmasked(path: &Path, mask: Option<&Mask>) -> Result<()> {
    let Some(mask) = mask else {
        return Ok(());
    };
    Err(Error::bad_file(
        path,
        format!(
            "has {} points outside of the domain, which a report cannot show; use floral evaluate \
             for scores of the points inside, and floral sample for fields to draw",
            mask.count()
        ),
    ))
}

/// Refuses a mesh along a line: its points have no order, so curves would be wrong.
pub(super) fn check_drawable(grid: &Grid) -> Result<()> {
    match grid.mesh() {
        Some(mesh) if mesh.points().dimension() == 1 => Err(Error::config(
            "report",
            "fields on a mesh along a line are not drawn; give its points in increasing order as a grid \
                     of one axis",
        )),
        _ => Ok(()),
    }
}

/// Quantities of interest with the truth, results of other commands, and notes.
fn questions(
    gathering: &Gathering<'_>,
    inputs: &Range<usize>,
    observer: &dyn Observer,
) -> Result<(Questions, Vec<String>)> {
    let options = gathering.options;
    let evaluation = &options.evaluation;
    if evaluation.interests != AskedQuantities::default() {
        check_interests(gathering.dataset)?;
    }
    let cases = Cases::of(gathering.dataset)?;
    let names = gathering.shown.iter().map(|shown| shown.name.clone());
    let names: Vec<String> = names.collect();
    let asked = |run| Asked {
        run,
        files: vec![(&cases, inputs.clone())],
        truths: Some(&gathering.truths),
        sampling: evaluation.sampling,
        names: names.clone(),
    };
    let wanted: Vec<Asked<'_>> = gathering.runs.iter().map(asked).collect();
    let calibrates = evaluation.calibrates;
    let (quantities, notes) = gathered(&wanted, &evaluation.interests, calibrates, observer)?;
    let found = &options.found;
    let questions = Questions {
        quantities,
        observed: None,
        sensitivity: found.sensitivity.clone(),
        learned: found.learned.clone(),
    };
    Ok((questions, notes))
}

struct Gathering<'a> {
    runs: &'a [ComparedRun],
    truths: Truths<'a>,
    dataset: &'a Dataset,
    options: &'a Options,
    /// One per run.
    scorings: Vec<Scoring>,
    /// One per run and channel.
    results: Vec<Vec<Pooled>>,
    low: Vec<Pooled>,
    truth: Vec<Pooled>,
    shown: Vec<ShownInput>,
    /// The truth of the current input.
    current: Option<Truth>,
    /// The current ensemble, [member, value], and the cache file of its summary.
    members: Vec<f32>,
    place: PathBuf,
    /// The closed-form moments of the current ensemble, if the method has them.
    moments: Option<Prediction>,
    /// The baselines of the current run, evaluated at the current input.
    baselines: BaselineFields,
}

impl Consumer for Gathering<'_> {
    fn input(&mut self, input: &WalkedInput) -> Result<()> {
        let truth = self.truths.at(input.index)?;
        let summary = self.true_summary(&self.test(input, &truth), input.index)?;
        for (pooled, own) in self.truth.iter_mut().zip(&summary.channels) {
            pooled.add(own);
        }
        let low = input.case.low.as_ref().map(rounded);
        if let Some(low) = &low {
            let channels = Channel::all(low.len(), input.grid.len());
            for (pooled, channel) in self.low.iter_mut().zip(channels) {
                let field = std::iter::once(&low[..]);
                pooled.add_spectrum(&spectrum(field, input.grid, channel));
            }
        }
        if input.position < self.options.shown {
            self.shown.push(ShownInput {
                name: format!("input {}", input.index),
                input: input.index,
                parameters: names::parameter_values(&input.case.input, self.parameters().len()),
                low,
                truth: Some(summary.distribution),
                runs: Vec::new(),
                certainty: Vec::new(),
            });
        }
        self.current = Some(truth);
        Ok(())
    }

    fn begin(&mut self, run: usize, input: &WalkedInput) -> Result<Option<usize>> {
        self.members.clear();
        self.moments = None;
        let Some(truth) = &self.current else {
            return Ok(None);
        };
        self.baselines = self.runs[run].baselines.predict(input.case, None)?;
        self.place = cache::place(&self.runs[run].folder, self.key(run, truth, input));
        Ok(match cache::load(&self.place) {
            Some(scored) => {
                self.take(run, input, scored);
                None
            }
            None => Some(0),
        })
    }

    fn moments(&mut self, moments: &Prediction) {
        self.moments = Some(moments.clone());
    }

    fn realization(&mut self, _index: usize, values: &[f64], _evaluations: usize) -> Result<()> {
        self.members.extend(values.iter().map(|v| *v as f32));
        Ok(())
    }

    fn end(&mut self, run: usize, input: &WalkedInput, cost: PredictionCost) -> Result<()> {
        let Some(truth) = &self.current else {
            return Ok(());
        };
        let scored = self.test(input, truth).scored(&Predicted {
            members: &self.members,
            cost,
            moments: self.moments.as_ref(),
            baselines: &self.baselines,
        })?;
        cache::store(&self.place, &scored);
        self.take(run, input, scored);
        Ok(())
    }
}

impl Gathering<'_> {
    fn test<'t>(&self, input: &'t WalkedInput, truth: &'t Truth) -> TestInput<'t> {
        TestInput {
            grid: input.grid,
            low: input.case.low.as_ref(),
            truth,
            kept: self.options.kept,
        }
    }

    fn parameters(&self) -> Vec<Label> {
        names::parameters(&self.runs[0].predictor.header().quantities.input)
    }

    fn take(&mut self, run: usize, input: &WalkedInput, scored: ScoredSummary) {
        self.scorings[run].merge(&scored.scoring);
        let channels = scored.summary.channels.iter().zip(&scored.spread_error);
        for (pooled, (summary, spread_error)) in self.results[run].iter_mut().zip(channels) {
            pooled.add(summary);
            pooled.add_spread_error(spread_error);
        }
        if input.position < self.options.shown
            && let Some(shown) = self.shown.last_mut()
        {
            shown.runs.push(scored.summary.distribution);
            shown.certainty.push(scored.summary.certainty);
        }
    }

    fn true_summary(&self, test: &TestInput, index: usize) -> Result<Summary> {
        let truth = test.truth;
        let fresh = match self.options.evaluation.reference {
            0 | 1 => Vec::new(),
            wanted => self.truths.ensemble(index, wanted)?,
        };
        let members = if fresh.is_empty() {
            &truth.observations
        } else {
            &fresh
        };
        let members: Vec<f32> = members.iter().map(|v| *v as f32).collect();
        let variance = truth.variance.as_deref().map(Cow::from);
        let moments = Moments {
            mean: Cow::from(&truth.mean),
            variance: variance.filter(|_| !members.is_empty()),
            aleatoric: None,
            is_drawn: truth.source != TruthSource::Exact,
        };
        if members.is_empty() {
            // A dataset may have moments but no realizations.
            let mean: Vec<f32> = truth.mean.iter().map(|v| *v as f32).collect();
            let only = Fields::new(&mean, mean.len())?;
            return Ok(test.summary(only, &moments));
        }
        let members = Fields::new(&members, truth.mean.len())?;
        Ok(test.summary(members, &moments))
    }

    /// The hash of everything that a prediction and its scores depend on.
    fn key(&self, run: usize, truth: &Truth, input: &WalkedInput) -> Key {
        let json = |value: serde_json::Result<String>| value.unwrap_or_default();
        let identity = json(serde_json::to_string(&DataIdentity::of(self.dataset)));
        let source = json(serde_json::to_string(&truth.source));
        let run = &self.runs[run];
        let key = run
            .key
            .bytes(self.options.build.as_bytes())
            .bytes(identity.as_bytes())
            .bytes(source.as_bytes());
        let sampling = &self.options.evaluation.sampling;
        let key = if run.predictor.method().is_generative() {
            key.bytes(json(serde_json::to_string(&sampling.solver)).as_bytes())
                .number(sampling.realizations as f64)
                .number(sampling.seed as f64)
        } else {
            key
        };
        let axes = input.grid.axes.iter();
        let low = input.case.low.iter();
        key.number(self.options.kept as f64)
            .number(input.index as f64)
            .numbers(axes.flat_map(|axis| axis.coordinates.iter().copied()))
            .numbers(input.case.input.values().iter().copied())
            .numbers(low.flat_map(|low| low.values().iter().copied()))
            .numbers(self.baselines.values())
            .numbers(truth.mean.iter().copied())
            .numbers(truth.variance.iter().flatten().copied())
            .numbers(truth.observations.iter().copied())
            .numbers(truth.deviations.iter().copied())
    }

    fn finish(
        self,
        inputs: Range<usize>,
        (questions, notes): (Questions, Vec<String>),
    ) -> Result<Comparison> {
        let quantities = self.dataset.solution_quantities();
        let labels = names::channels(quantities, self.truth.len());
        let keys = names::keys(quantities, &labels);
        let channels = labels.into_iter().zip(keys).enumerate();
        let runs = self
            .runs
            .iter()
            .zip(self.scorings.iter().zip(&self.results));
        Ok(Comparison {
            setting: Setting {
                notes,
                ..self.setting(inputs)?
            },
            channels: channels
                .map(|(i, (quantity, key))| self.channel(i, quantity, key))
                .collect(),
            runs: runs
                .map(|(run, (scoring, pooled))| result(run, scoring, pooled))
                .collect(),
            shown: self.shown,
            questions,
        })
    }

    fn channel(&self, index: usize, quantity: Label, key: String) -> ChannelTruth {
        let (truth, low) = (&self.truth[index], &self.low[index]);
        let mut scorings = self.scorings.iter().map(|scoring| scoring.channel(index));
        let errors = scorings.find_map(Scoring::low);
        ChannelTruth {
            key,
            quantity,
            low: errors.map(|errors| LowResult {
                errors,
                spectrum: low.spectrum(),
            }),
            spectrum: truth.spectrum(),
            lowest: truth.lowest(),
            pairs: truth.pairs.clone(),
        }
    }

    fn setting(&self, inputs: Range<usize>) -> Result<Setting> {
        let dataset = self.dataset;
        let grid = names::drawn(dataset.grid());
        let headers = self.runs.iter().map(|run| run.predictor.header());
        let seen = headers.map(|header| Ok(seen_inputs(header, dataset, &inputs)?.len()));
        let seen: Vec<usize> = seen.collect::<Result<_>>()?;
        Ok(Setting {
            title: names::title(dataset),
            problem: dataset.problem().map(str::to_owned),
            data: dataset.path().to_owned(),
            picture: grid.mesh().map(|mesh| Arc::new(Picture::new(mesh))),
            parameters: self.parameters(),
            axes: names::axes(&grid),
            right: grid.rightward(),
            through: through(&grid, &self.options.through)?,
            place: None,
            band: self.options.band,
            grid,
            seen: seen.into_iter().max().unwrap_or(0),
            inputs,
            observations: dataset.realizations(),
            truth: Some(self.truths.source()),
            sampling: self.options.evaluation.sampling,
            build: self.options.build.clone(),
            notes: Vec::new(),
        })
    }
}

fn result(run: &ComparedRun, scoring: &Scoring, channels: &[Pooled]) -> RunResult {
    let channels = channels.iter().enumerate();
    run.result(
        channels
            .map(|(i, pooled)| channel_result(scoring.channel(i), pooled))
            .collect(),
    )
}

fn channel_result(scoring: &Scoring, pooled: &Pooled) -> ChannelResult {
    let observed = scoring.observed();
    ChannelResult {
        prediction: Some(scoring.prediction()),
        mean_residual: scoring.mean_residual(),
        kriging: scoring.kriging(),
        coverage: observed.map_or_else(Vec::new, |scores| scores.coverage.curve()),
        ranks: observed.map_or_else(Vec::new, |scores| scores.ranks.frequencies()),
        spread_error: pooled.spread_error(),
        spectrum: pooled.spectrum(),
        lowest: pooled.lowest(),
        pairs: pooled.pairs.clone(),
    }
}

pub(super) fn rounded(field: &Field) -> Vec<f32> {
    field.values().iter().map(|value| *value as f32).collect()
}

/// A description of the source of the true moments.
pub(super) fn words(truth: TruthSource) -> String {
    match truth {
        TruthSource::Exact => "the exact moments of the solution".into(),
        TruthSource::Reference { realizations } => {
            let many = counted(realizations, "fresh realization");
            format!("{many} of the true solver per input")
        }
        TruthSource::Dataset {
            realizations,
            fewest,
        } => {
            let many = between(fewest, realizations);
            format!("the mean and variance of the dataset's {many} per input")
        }
    }
}
