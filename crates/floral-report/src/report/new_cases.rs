//! Predicts new inputs, whose solutions are unknown, with every run.
//!
//! [`predicted`] consumes the shared prediction loop ([`floral::predict::Walk`]) and returns a
//! [`Comparison`] without a truth, which `predictions` turns into a page.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use floral::kl::Prediction;
use floral::metric::Fields;
use floral::predict::{
    Case, Cases, Consumer, Moments, PredictionCost, Predictor, Sampling, Walk, WalkedInput,
};
use floral::sample::{EnsembleStatistics, OdeSolver, Wanted};
use floral::train::RunFolder;
use floral::{Error, Grid, Observer, Result};

use super::compared_run::{ComparedRun, name};
use super::comparison::{ChannelResult, ChannelTruth, Comparison, Setting, ShownInput};
use super::gather::{check_drawable, check_unmasked, rounded};
use super::names;
use super::options::Options;
use super::picture::Picture;
use super::planes::through;
use super::questions::{Asked, Questions, gathered, observed};
use super::summary::{Certainty, Summary};

/// A run and the new inputs, opened for that run.
pub struct NewRun<'a> {
    /// The run folder.
    pub folder: RunFolder,
    /// The trained model.
    pub predictor: Predictor,
    /// The files, the same for every run.
    pub files: Vec<NewFile<'a>>,
    /// How a flow is integrated.
    pub solver: OdeSolver,
}

/// A file of new inputs.
pub struct NewFile<'a> {
    /// The path of the file.
    pub path: PathBuf,
    /// The inputs in the file.
    pub cases: Cases<'a>,
    /// The inputs to show.
    pub inputs: Range<usize>,
    /// Notes on what was converted or assumed, and on inputs far from the training inputs.
    pub notes: Vec<String>,
}

/// A run with its prediction of every input.
struct Shown<'a> {
    run: ComparedRun,
    inputs: Vec<Predicted>,
    files: Vec<NewFile<'a>>,
    solver: OdeSolver,
}

/// The summary of a predicted input, with its low-fidelity solution and parameters.
struct Predicted {
    summary: Summary,
    low: Option<Vec<f32>>,
    parameters: Vec<f64>,
}

/// Predicts the inputs of all files with every run.
pub fn predicted(
    runs: Vec<NewRun<'_>>,
    options: &Options,
    observer: &dyn Observer,
) -> Result<Comparison> {
    let Some(first) = runs.first() else {
        return Err(refusal("no run is given; name at least one run folder"));
    };
    check_alike(&runs)?;
    let grid = grid(first).clone();
    check_drawable(&grid)?;
    let quantities = first.predictor.header().quantities.solution.clone();
    let channels = first.predictor.header().shapes.solution_channels;
    let inputs = named(&first.files);
    let mut setting = Setting {
        notes: notes(&runs),
        ..setting(first, &grid, inputs.len(), options)?
    };
    let mut all = Vec::new();
    for run in runs {
        let inputs = summaries(&run, options, observer)?;
        let NewRun {
            folder,
            predictor,
            files,
            solver,
        } = run;
        let run = ComparedRun::of(&folder, predictor)?;
        all.push(Shown {
            run,
            inputs,
            files,
            solver,
        });
    }
    all.sort_by_key(|shown| shown.run.order());
    name(all.iter_mut().map(|shown| &mut shown.run), &grid.shape());
    let labels = names::channels(&quantities, channels);
    let keys = names::keys(&quantities, &labels);
    let lowest = |channel: usize| lowest(&all, channel, grid.len());
    let truth = |(i, (quantity, key))| ChannelTruth {
        key,
        quantity,
        low: None,
        spectrum: Vec::new(),
        lowest: lowest(i),
        pairs: Vec::new(),
    };
    Ok(Comparison {
        channels: labels
            .into_iter()
            .zip(keys)
            .enumerate()
            .map(truth)
            .collect(),
        runs: all.iter().map(|shown| result(shown, channels)).collect(),
        questions: questions(&all, &inputs, &mut setting, options, observer)?,
        shown: shown(inputs, &all),
        setting,
    })
}

fn refusal(reason: &str) -> Error {
    Error::config("report", reason)
}

/// Refuses runs and files that cannot be compared in one figure.
fn check_alike(runs: &[NewRun<'_>]) -> Result<()> {
    let first = &runs[0];
    if first.files.is_empty() {
        return Err(refusal("no new input is given; name at least one file"));
    }
    for (i, run) in runs.iter().enumerate() {
        let header = run.predictor.header();
        let path = run.folder.path();
        let fault = |reason: String| Error::bad_file(path, reason);
        if runs[..i].iter().any(|other| other.folder.path() == path) {
            return Err(fault("is named twice; name it once".into()));
        }
        let own = &first.predictor.header().quantities.solution;
        if header.quantities.solution != *own
            || header.shapes.solution_channels != first.predictor.header().shapes.solution_channels
        {
            let other = first.folder.path().display();
            return Err(fault(format!(
                "predicts a different solution than {other}; report on them separately"
            )));
        }
        for file in &run.files {
            check_unmasked(&file.path, file.cases.mask())?;
            if !file.cases.grid().coincides(grid(first)) {
                return Err(fault(format!(
                    "sees {} on a different grid than {} of {}; report on them separately",
                    file.path.display(),
                    first.files[0].path.display(),
                    first.folder.path().display()
                )));
            }
        }
    }
    Ok(())
}

fn grid<'a>(run: &'a NewRun<'_>) -> &'a Grid {
    run.files[0].cases.grid()
}

/// The name of every input, with its index in its file.
fn named(files: &[NewFile<'_>]) -> Vec<(String, usize)> {
    let name = |file: &NewFile<'_>, index: usize| {
        let stem = file.path.file_name().unwrap_or_default().to_string_lossy();
        match (files.len(), file.cases.inputs()) {
            (1, _) => format!("input {index}"),
            (_, 1) => stem.into_owned(),
            _ => format!("{stem} {index}"),
        }
    };
    let of_file = |file: &NewFile<'_>| -> Vec<(String, usize)> {
        let inputs = file.inputs.clone();
        inputs.map(|index| (name(file, index), index)).collect()
    };
    files.iter().flat_map(of_file).collect()
}

fn setting(run: &NewRun<'_>, grid: &Grid, inputs: usize, options: &Options) -> Result<Setting> {
    let header = run.predictor.header();
    let grid = names::drawn(grid);
    let files = run.files.iter();
    let stems = files.map(|file| file.path.file_name().unwrap_or_default().to_string_lossy());
    let stems: Vec<_> = stems.collect();
    let of = stems.join(", ");
    Ok(Setting {
        title: match &header.title {
            Some(title) => format!("{title}, predictions of {of}"),
            None => format!("predictions of {of}"),
        },
        problem: header.data.problem.clone(),
        data: run.files[0].path.clone(),
        picture: grid.mesh().map(|mesh| Arc::new(Picture::new(mesh))),
        parameters: names::parameters(&header.quantities.input),
        axes: names::axes(&grid),
        right: grid.rightward(),
        through: through(&grid, &options.through)?,
        place: None,
        band: options.band,
        grid,
        inputs: 0..inputs,
        seen: 0,
        observations: 0,
        truth: None,
        sampling: Sampling {
            solver: run.solver,
            ..options.evaluation.sampling
        },
        build: options.build.clone(),
        notes: Vec::new(),
    })
}

/// The notes on the inputs, without repetitions, preceded by the file if there are several files.
fn notes(runs: &[NewRun<'_>]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for file in runs.iter().flat_map(|run| &run.files) {
        let stem = file.path.file_name().unwrap_or_default().to_string_lossy();
        for note in &file.notes {
            let note = match runs[0].files.len() {
                1 => note.clone(),
                _ => format!("{stem}: {note}"),
            };
            if !all.contains(&note) {
                all.push(note);
            }
        }
    }
    all
}

/// The smallest value of a channel in the realizations of all runs, and in low fidelity.
fn lowest(all: &[Shown<'_>], channel: usize, points: usize) -> f32 {
    let inputs = all.iter().flat_map(|shown| &shown.inputs);
    let each = inputs.map(|Predicted { summary, low, .. }| {
        let own = summary.channels.get(channel).map_or(f32::NAN, |c| c.lowest);
        let low = low.iter().flat_map(|low| low.chunks(points).nth(channel));
        low.flatten().copied().fold(own, f32::min)
    });
    each.fold(f32::INFINITY, f32::min)
}

fn result(shown: &Shown<'_>, channels: usize) -> super::RunResult {
    let channel = |i: usize| {
        let own = shown
            .inputs
            .iter()
            .filter_map(|input| input.summary.channels.get(i));
        ChannelResult {
            lowest: own.map(|c| c.lowest).fold(f32::INFINITY, f32::min),
            ..ChannelResult::default()
        }
    };
    shown.run.result((0..channels).map(channel).collect())
}

/// Quantities of interest, the effect of readings, and results of other commands.
fn questions(
    all: &[Shown<'_>],
    inputs: &[(String, usize)],
    setting: &mut Setting,
    options: &Options,
    observer: &dyn Observer,
) -> Result<Questions> {
    let wanted = all.iter().map(|shown| Asked {
        run: &shown.run,
        files: (shown.files.iter())
            .map(|file| (&file.cases, file.inputs.clone()))
            .collect(),
        truths: None,
        sampling: Sampling {
            solver: shown.solver,
            ..options.evaluation.sampling
        },
        names: inputs.iter().map(|(name, _)| name.clone()).collect(),
    });
    let wanted: Vec<Asked<'_>> = wanted.collect();
    let evaluation = &options.evaluation;
    let calibrates = evaluation.calibrates;
    let (quantities, notes) = gathered(&wanted, &evaluation.interests, calibrates, observer)?;
    setting.notes.extend(notes);
    let only = all.iter().filter_map(|shown| {
        let file = shown.files.first()?;
        Some((&shown.run, &file.cases, file.inputs.start))
    });
    Ok(Questions {
        quantities,
        observed: observed(only)?,
        sensitivity: options.found.sensitivity.clone(),
        learned: options.found.learned.clone(),
    })
}

/// Every input, with the predictions of all runs.
fn shown(inputs: Vec<(String, usize)>, all: &[Shown<'_>]) -> Vec<ShownInput> {
    let input = |(position, (name, _)): (usize, (String, usize))| {
        let each = || all.iter().map(move |shown| &shown.inputs[position]);
        ShownInput {
            name,
            input: position,
            parameters: each()
                .next()
                .map_or(Vec::new(), |one| one.parameters.clone()),
            low: each().find_map(|one| one.low.clone()),
            truth: None,
            runs: each().map(|one| one.summary.distribution.clone()).collect(),
            certainty: each().map(|one| one.summary.certainty.clone()).collect(),
        }
    };
    inputs.into_iter().enumerate().map(input).collect()
}

/// Predicts the inputs of all files with one run.
fn summaries(
    run: &NewRun<'_>,
    options: &Options,
    observer: &dyn Observer,
) -> Result<Vec<Predicted>> {
    let mut gathering = Gathering {
        parameters: names::parameters(&run.predictor.header().quantities.input).len(),
        kept: options.kept,
        members: Vec::new(),
        moments: None,
        summaries: Vec::new(),
    };
    let sampling = Sampling {
        solver: run.solver,
        ..options.evaluation.sampling
    };
    for file in &run.files {
        let walk = Walk {
            predictors: &[&run.predictor],
            cases: &file.cases,
            inputs: file.inputs.clone(),
            derived: None,
            sampling: &sampling,
            observer,
        };
        walk.run(&mut gathering)?;
    }
    Ok(gathering.summaries)
}

struct Gathering {
    /// Number of parameters of an input.
    parameters: usize,
    kept: usize,
    /// The current ensemble, [member, value].
    members: Vec<f32>,
    moments: Option<Prediction>,
    summaries: Vec<Predicted>,
}

impl Consumer for Gathering {
    fn begin(&mut self, _run: usize, _input: &WalkedInput) -> Result<Option<usize>> {
        self.members.clear();
        self.moments = None;
        Ok(Some(0))
    }

    fn moments(&mut self, moments: &Prediction) {
        self.moments = Some(moments.clone());
    }

    fn realization(&mut self, _index: usize, values: &[f64], _evaluations: usize) -> Result<()> {
        self.members.extend(values.iter().map(|v| *v as f32));
        Ok(())
    }

    fn end(&mut self, _run: usize, input: &WalkedInput, cost: PredictionCost) -> Result<()> {
        let Case {
            input: given, low, ..
        } = input.case;
        let values = self.members.len() / cost.progress.done.max(1);
        let members = Fields::new(&self.members, values)?;
        let mut statistics = EnsembleStatistics::new(values, 0, &Wanted::default())?;
        members.iter().try_for_each(|m| statistics.push(m))?;
        let moments = Moments::of(self.moments.as_ref(), &statistics);
        let certainty = self.moments.as_ref();
        let certainty = certainty.map(|known| Certainty::of(known, input.grid.len()));
        let summary = Summary {
            certainty,
            ..Summary::of(input.grid, low.as_ref(), members, &moments, self.kept)
        };
        self.summaries.push(Predicted {
            summary,
            low: low.as_ref().map(rounded),
            parameters: names::parameter_values(given, self.parameters),
        });
        Ok(())
    }
}
