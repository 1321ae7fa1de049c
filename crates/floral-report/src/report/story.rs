//! What a report says.

use super::comparison::{Comparison, Setting};
use super::gather::words;
use super::view::View;
use super::{
    curve_figures as curves, explorer, learning_figures as figures, map_figures as maps,
    predictions, tables,
};
use crate::draw::{Block, Figure, Group, Page, Section};
use floral::evaluate::TruthSource;
use floral::{Result, counted};

/// The whole report, a page that needs no other file.
pub fn page(comparison: &Comparison) -> Result<Page> {
    let setting = &comparison.setting;
    let Some(truth) = setting.truth else {
        return predictions::page(comparison);
    };
    let (runs, inputs) = (comparison.runs.len(), setting.inputs.len());
    let drawn = &comparison.drawn();
    let chosen = if drawn.runs.len() < runs {
        " Pictures show of each method the run with the most training inputs on the finest grid, \
         tables and learning curves show all."
    } else {
        ""
    };
    let sections = [
        Some(numbers(comparison)),
        Some(explorer(drawn)?),
        Some(distributions(drawn)),
        calibration(drawn),
        spectra(drawn),
        training(drawn),
        learning(comparison),
        Some(speed(comparison)),
    ];
    Ok(Page {
        title: format!("FLORAL report: {}", setting.title),
        lead: format!(
            "{} beside the truth on {}. The truth is {}.{chosen}",
            counted(runs, "trained run"),
            described(inputs, setting.seen),
            words(truth)
        ),
        sections: sections.into_iter().flatten().collect(),
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

/// The name of the file that the inputs come from.
pub(super) fn file(setting: &Setting) -> String {
    let name = setting.data.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// How realizations were drawn; an integrator only where one was needed.
pub(super) fn drawn_how(comparison: &Comparison) -> String {
    let sampling = &comparison.setting.sampling;
    let many = counted(sampling.realizations, "realization");
    let drawn = format!("{many} per input, seed {}", sampling.seed);
    match comparison.runs.iter().any(|run| run.method.is_flow()) {
        true => format!("{drawn}, {}", sampling.solver),
        false => drawn,
    }
}

/// How many inputs scores are taken over, and whether they are a test.
fn described(inputs: usize, seen: usize) -> String {
    if seen == 0 {
        format!("{} never seen in training", counted(inputs, "test input"))
    } else {
        let inputs = counted(inputs, "input");
        format!("{inputs}, {seen} of them used in training: scores on those are no test")
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

/// As many channels are shown at once; of more, the first, and the others where a reader asks for
/// them.
const MOST_OPEN: usize = 3;

/// What every channel has to show: as it is of the only one, under their names of several.
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
            " The truth is an estimate: what its realizations leave open counts in all errors of \
             mean and variance."
        }
    };
    let text = format!(
        "{best}Deterministic methods have no spread, and no scores of one. The band, CRPS, energy \
         score and spread are measured against single realizations of the dataset.{sampling}"
    );
    let mut blocks = Vec::new();
    if comparison.channels.len() > 1 {
        let count = comparison.channels.len();
        blocks.push(Block::Text(format!(
            "The solution has {count} channels; these scores have no units and compare between them:"
        )));
        blocks.push(Block::Table(tables::overview(comparison)));
    }
    blocks.extend(by_channel(comparison, |view| {
        vec![Block::Table(tables::channel_scores(view))]
    }));
    section("Scores", &text, blocks)
}

fn explorer(comparison: &Comparison) -> Result<Section> {
    Ok(section(
        "Explore",
        "Choose a test input and a method. Click a place in any picture to see the distribution \
         there, step through realizations, and move the threshold to see where and how likely it \
         is exceeded. Pictures of a row share one scale, taken from the truth; what lies beyond it \
         takes the colour of the end.",
        vec![Block::Interactive(explorer::interactive(comparison)?)],
    ))
}

fn distributions(comparison: &Comparison) -> Section {
    let has_low = comparison
        .channels
        .iter()
        .any(|channel| channel.low.is_some());
    let kinds = |has_low: bool| {
        let kinds = [false, true];
        kinds
            .into_iter()
            .filter(move |is_residual| has_low || !is_residual)
    };
    let blocks = by_channel(comparison, |view| {
        let own = kinds(view.truth().low.is_some());
        let marginals = own.map(|is_residual| curves::marginal(view, is_residual));
        let mut blocks = vec![Block::Figures(marginals.collect())];
        for is_residual in [false, true] {
            blocks.extend(maps::joints(view, is_residual).map(Block::Panels));
        }
        blocks
    });
    let what = if has_low {
        ": solutions, residuals (what a solution has beyond the low-fidelity one), and how they \
         depend on the low-fidelity value at the same point"
    } else {
        ""
    };
    let text = format!(
        "Values at all points, in all realizations of all test inputs{what}. A deterministic \
         method has one field per input, and so a narrower distribution."
    );
    section("Distributions over all inputs", &text, blocks)
}

fn calibration(comparison: &Comparison) -> Option<Section> {
    let is_there = View::all(comparison).any(|view| view.calibrated().next().is_some());
    is_there.then(|| {
        let blocks = by_channel(comparison, |view| {
            vec![Block::Figures(vec![
                curves::coverage(view),
                curves::ranks(view),
                curves::spread_error(view),
            ])]
        });
        section(
            "Calibration",
            "Whether the predicted spread can be trusted. Coverage below the dashed line, a rank \
             histogram high at both ends and errors above the dashed line mean too little spread; \
             the opposite means too much; a slope of the histogram means bias.",
            blocks,
        )
    })
}

/// Figures of every channel side by side; none where there are none.
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
        "Mean energy of single fields by wave number, under a Hann window. A method that loses \
         energy at high wave numbers smooths; one that has too much of it is noisy.",
        blocks?,
    ))
}

fn training(comparison: &Comparison) -> Option<Section> {
    let figures = figures::training(comparison);
    (!figures.is_empty()).then(|| {
        section(
            "Training",
            "Losses of the two kinds of methods do not compare with each other. Solid to dotted: \
             runs of one method in the order of the tables.",
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
        "Scores over the number of training inputs and over the training grid; inference is on \
         the grid of the dataset.",
        blocks?,
    ))
}

fn speed(comparison: &Comparison) -> Section {
    section(
        "Speed",
        "As measured when the runs were trained and these predictions made; other work on the same \
         machine counts against them.",
        vec![Block::Table(tables::speed(comparison))],
    )
}
