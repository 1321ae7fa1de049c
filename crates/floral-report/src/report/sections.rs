//! The sections of a report on test inputs, and their text.

use super::comparison::{Comparison, Setting};
use super::gather::words;
use super::planes::Plane;
use super::view::View;
use super::{
    curve_figures as curves, explorer, learning_figures as figures, map_figures as maps,
    predictions, questions, tables,
};
use crate::draw::{Block, Figure, Group, Page, Section};
use floral::evaluate::TruthSource;
use floral::{Result, counted};

/// The whole report as a page that needs no other file.
pub fn page(comparison: &Comparison) -> Result<Page> {
    let setting = &comparison.setting;
    let Some(truth) = setting.truth else {
        return predictions::page(comparison);
    };
    let (runs, inputs) = (comparison.runs.len(), setting.inputs.len());
    let drawn = &comparison.drawn();
    let chosen = if drawn.runs.len() < runs {
        " Figures show, for each method, the run with the most training inputs on the finest grid; \
         tables and learning curves show all runs."
    } else {
        ""
    };
    let sections = [
        Some(numbers(comparison)),
        setting.is_explored().then(|| explorer(drawn)).transpose()?,
        predictions::parameters(comparison),
        fields(drawn),
        Some(distributions(drawn)),
        calibration(drawn),
        spectra(drawn),
        training(drawn),
        learning(comparison),
        Some(speed(comparison)),
    ];
    let sections = sections.into_iter().flatten();
    let sections: Vec<Section> = sections.collect();
    Ok(Page {
        title: format!("FLORAL report: {}", setting.title),
        lead: format!(
            "{} compared with the truth on {}. The truth is {}.{chosen}",
            counted(runs, "trained run"),
            described(inputs, setting.seen),
            words(truth)
        ),
        sections: with_answers(sections, comparison),
        footer: format!(
            "Made by {} from {}, inputs {}..{}, {}.",
            setting.build,
            file(setting),
            setting.inputs.start,
            setting.inputs.end,
            drawn_how(comparison)
        ),
    })
}

/// Inserts the sections of `questions` after the first section.
pub(super) fn with_answers(mut sections: Vec<Section>, comparison: &Comparison) -> Vec<Section> {
    let answers = questions::sections(comparison);
    let place = sections.len().min(1);
    sections.splice(place..place, answers);
    sections
}

/// The name of the file or folder with the inputs.
pub(super) fn file(setting: &Setting) -> String {
    let name = setting.data.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// How realizations were drawn; the ODE solver is named only if a run needed it.
pub(super) fn drawn_how(comparison: &Comparison) -> String {
    let sampling = &comparison.setting.sampling;
    let many = counted(sampling.realizations, "realization");
    let drawn = format!("{many} per input, seed {}", sampling.seed);
    match comparison.runs.iter().any(|run| run.method.is_flow()) {
        true => format!("{drawn}, {}", sampling.solver),
        false => drawn,
    }
}

/// The number of scored inputs, and whether they were held out.
fn described(inputs: usize, seen: usize) -> String {
    if seen == 0 {
        format!("{} held out from training", counted(inputs, "test input"))
    } else {
        let inputs = counted(inputs, "input");
        format!("{inputs}, {seen} of them used in training; scores on those are not a test")
    }
}

pub(super) fn section(heading: &str, text: &str, blocks: Vec<Block>) -> Section {
    let mut all = vec![Block::Text(text.into())];
    all.extend(blocks);
    Section {
        heading: heading.into(),
        blocks: all,
    }
}

/// Maximum number of channels whose groups are all open initially. If there are more, only the
/// first is open.
const MOST_OPEN: usize = 3;

/// The blocks of every channel, in groups named after the channels if there are several.
pub(super) fn by_channel(
    comparison: &Comparison,
    blocks: impl Fn(View) -> Vec<Block>,
) -> Vec<Block> {
    let count = comparison.channels.len();
    let group = |(i, view): (usize, View)| {
        let blocks = blocks(view);
        match count {
            1 => blocks,
            _ => vec![Block::Group(Group {
                heading: view.quantity().plain(),
                blocks,
                is_open: count <= MOST_OPEN || i == 0,
            })],
        }
    };
    View::all(comparison).enumerate().flat_map(group).collect()
}

fn numbers(comparison: &Comparison) -> Section {
    let competitors = comparison.runs.len();
    let best = if competitors > 1 {
        "The best of each column is bold. "
    } else {
        ""
    };
    let sampling = match comparison.setting.truth {
        None | Some(TruthSource::Exact) => "",
        _ => {
            " The truth is an estimate: its sampling error is part of all errors of mean and \
             variance."
        }
    };
    let text = format!(
        "{best}Deterministic methods have no spread and thus no scores of it. Coverage of the 90 % band, \
         CRPS, energy score and spread are measured against single realizations of the \
         dataset.{sampling}"
    );
    let mut blocks = Vec::new();
    if comparison.channels.len() > 1 {
        let count = comparison.channels.len();
        blocks.push(Block::Text(format!(
            "The solution has {count} channels. These scores have no units, so channels can be compared:"
        )));
        blocks.push(Block::Table(tables::overview(comparison)));
    }
    blocks.extend(by_channel(comparison, |view| {
        vec![Block::Table(tables::channel_scores(view))]
    }));
    section("Scores", &text, blocks)
}

/// A sentence on the planes, if there are several.
pub(super) fn on_planes(planes: &[Plane<'_>]) -> String {
    match planes {
        [_] => String::new(),
        _ => {
            let titles: Vec<&str> = planes.iter().map(|plane| plane.title.as_str()).collect();
            format!(
                " Fields on three axes are shown on planes: {}. Scores are of all points.",
                titles.join("; ")
            )
        }
    }
}

fn explorer(comparison: &Comparison) -> Result<Section> {
    let planes = comparison.planes();
    let text = format!(
        "Choose a test input and a method. Click a point of any figure to see the distribution \
         there, step through realizations, and move the threshold to see where and with which \
         probability it is exceeded. Figures of a row share the scale of the truth; values beyond it \
         take the colour of its end.{}",
        on_planes(&planes)
    );
    let explorer = explorer::interactive(&planes)?;
    Ok(section(
        "Explore",
        &text,
        vec![Block::Interactive(explorer)],
    ))
}

/// Predictions of every shown input on a mesh, which the explorer does not show, or of single
/// numbers.
fn fields(comparison: &Comparison) -> Option<Section> {
    if comparison.setting.is_explored() {
        return None;
    }
    let blocks = by_channel(comparison, |view| {
        let table = Block::Table(predictions::summaries(view));
        let inputs = view.comparison.shown.iter();
        let figures = inputs.flat_map(|shown| predictions::of_input(view, shown));
        std::iter::once(table).chain(figures).collect()
    });
    let maps = match comparison.setting.has_maps() {
        true => {
            " Maps of a row share the scale of the truth; values beyond it take the colour of its end."
        }
        false => "",
    };
    let text = format!("Novelty is 1 for inputs like those that validated the fit.{maps}");
    Some(section("Predictions of test inputs", &text, blocks))
}

fn distributions(comparison: &Comparison) -> Section {
    let has_low = comparison
        .channels
        .iter()
        .any(|channel| channel.low.is_some());
    let blocks = by_channel(comparison, |view| {
        let mut marginals = vec![curves::marginal(view, false)];
        if view.truth().low.is_some() {
            marginals.push(curves::marginal(view, true));
        }
        let mut blocks = vec![Block::Figures(marginals)];
        for is_residual in [false, true] {
            blocks.extend(maps::joints(view, is_residual).map(Block::Panels));
        }
        blocks
    });
    let what = if has_low {
        ": solutions, residuals (solution minus low fidelity), and how they depend on the \
         low-fidelity value at the same point"
    } else {
        ""
    };
    let text = format!(
        "Values at all points, in all realizations of all test inputs{what}. A deterministic \
         method has one field per input and therefore a narrower distribution."
    );
    section("Distributions over all inputs", &text, blocks)
}

fn calibration(comparison: &Comparison) -> Option<Section> {
    let has_spread = View::all(comparison).any(|view| view.calibrated().next().is_some());
    has_spread.then(|| {
        let blocks = by_channel(comparison, |view| {
            vec![Block::Figures(vec![
                curves::coverage(view),
                curves::ranks(view),
                curves::spread_error(view),
            ])]
        });
        section(
            "Calibration",
            "Can the predicted spread be trusted? Coverage below the dashed line, a rank \
             histogram that is high at both ends, and errors above the dashed line mean too little \
             spread; the opposite means too much. A sloped histogram means bias.",
            blocks,
        )
    })
}

/// The figures of all channels side by side; `None` without figures.
fn side_by_side(
    comparison: &Comparison,
    figures: impl Fn(View) -> Vec<Figure>,
) -> Option<Vec<Block>> {
    let all: Vec<Figure> = View::all(comparison).flat_map(figures).collect();
    (!all.is_empty()).then(|| vec![Block::Figures(all)])
}

fn spectra(comparison: &Comparison) -> Option<Section> {
    let blocks = side_by_side(comparison, |view| {
        curves::spectra(view).into_iter().collect()
    });
    Some(section(
        "Spectra",
        "Mean energy of single realizations by wave number, with a Hann window. Too little energy at \
         high wave numbers means smoothing; too much means noise.",
        blocks?,
    ))
}

fn training(comparison: &Comparison) -> Option<Section> {
    let figures = figures::training(comparison);
    (!figures.is_empty()).then(|| {
        section(
            "Training",
            "Losses of regression and of flow matching cannot be compared with each other. Solid to \
             dotted: runs of one method in the order of the tables.",
            vec![Block::Figures(figures)],
        )
    })
}

fn learning(comparison: &Comparison) -> Option<Section> {
    let blocks = side_by_side(comparison, |view| {
        let mut all = figures::learning(view, false);
        all.extend(figures::learning(view, true));
        all
    });
    Some(section(
        "Learning curves",
        "Scores over the number of training inputs and over the training grid; predictions are on \
         the grid of the dataset.",
        blocks?,
    ))
}

fn speed(comparison: &Comparison) -> Section {
    section(
        "Speed",
        "Measured when the runs were trained and these predictions were made; other work on the same \
         machine is included.",
        vec![Block::Table(tables::speed(comparison))],
    )
}
