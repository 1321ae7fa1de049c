//! What a report says.

use super::comparison::Comparison;
use super::gather::words;
use super::{curve_figures as curves, explorer, map_figures as maps, tables};
use crate::draw::{Block, Page, Section};
use floral::Result;

/// The whole report, a page that needs no other file.
pub fn page(comparison: &Comparison) -> Result<Page> {
    let setting = &comparison.setting;
    let problem = setting.problem.as_deref().unwrap_or("a dataset");
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
        Some(spectra(drawn)),
        training(drawn),
        learning(comparison),
        Some(speed(comparison)),
    ];
    Ok(Page {
        title: format!("FLORAL report: {problem}"),
        lead: format!(
            "{runs} {} beside the truth on {inputs} {}. The truth is {}.{chosen}",
            if runs == 1 {
                "trained run"
            } else {
                "trained runs"
            },
            described(inputs, setting.seen),
            words(setting.truth)
        ),
        sections: sections.into_iter().flatten().collect(),
        footer: format!(
            "Made by {} from {}, inputs {}..{}, {} realizations per input, seed {}, {}.",
            setting.build,
            setting
                .data
                .file_name()
                .unwrap_or_default()
                .to_string_lossy(),
            setting.inputs.start,
            setting.inputs.end,
            setting.sampling.realizations,
            setting.sampling.seed,
            setting.sampling.solver
        ),
    })
}

/// How many inputs scores are taken over, and whether they are a test.
fn described(inputs: usize, seen: usize) -> String {
    let plural = if inputs == 1 { "input" } else { "inputs" };
    if seen == 0 {
        format!("test {plural} never seen in training")
    } else {
        format!("{plural}, {seen} of which were used in training: scores on those are no test")
    }
}

fn section(heading: &str, text: &str, blocks: Vec<Block>) -> Section {
    let mut all = vec![Block::Text(text.into())];
    all.extend(blocks);
    Section {
        heading: heading.into(),
        blocks: all,
    }
}

fn numbers(comparison: &Comparison) -> Section {
    section(
        "Scores",
        "The best of each column is bold. Deterministic methods have no spread, and no scores of \
         one. The band, CRPS, energy score and spread are measured against single realizations of \
         the dataset.",
        vec![Block::Table(tables::scores(comparison))],
    )
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
    let mut figures = vec![curves::marginal(comparison, false)];
    if comparison.low.is_some() {
        figures.push(curves::marginal(comparison, true));
    }
    let mut blocks = vec![Block::Figures(figures)];
    for is_residual in [false, true] {
        blocks.extend(maps::joints(comparison, is_residual).map(Block::Panels));
    }
    let what = match comparison.low {
        Some(_) => {
            ": solutions, residuals (what a solution has beyond the low-fidelity one), and how \
             they depend on the low-fidelity value at the same point"
        }
        None => "",
    };
    let text = format!(
        "Values at all points, in all realizations of all test inputs{what}. A deterministic \
         method has one field per input, and so a narrower distribution."
    );
    section("Distributions over all inputs", &text, blocks)
}

fn calibration(comparison: &Comparison) -> Option<Section> {
    let is_there = comparison.runs.iter().any(|run| !run.coverage.is_empty());
    is_there.then(|| {
        let figures = vec![
            curves::coverage(comparison),
            curves::ranks(comparison),
            curves::spread_error(comparison),
        ];
        section(
            "Calibration",
            "Whether the predicted spread can be trusted. Coverage below the dashed line, a rank \
             histogram high at both ends and errors above the dashed line mean too little spread; \
             the opposite means too much; a slope of the histogram means bias.",
            vec![Block::Figures(figures)],
        )
    })
}

fn spectra(comparison: &Comparison) -> Section {
    section(
        "Spectra",
        "Mean energy of single fields by wave number, under a Hann window. A method that loses \
         energy at high wave numbers smooths; one that has too much of it is noisy.",
        vec![Block::Figures(vec![curves::spectra(comparison)])],
    )
}

fn training(comparison: &Comparison) -> Option<Section> {
    let figures = curves::training(comparison);
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
    let mut figures = curves::learning(comparison, false);
    figures.extend(curves::learning(comparison, true));
    (!figures.is_empty()).then(|| {
        section(
            "Learning curves",
            "Scores over the number of training inputs and over the training grid; inference is on \
             the grid of the dataset.",
            vec![Block::Figures(figures)],
        )
    })
}

fn speed(comparison: &Comparison) -> Section {
    section(
        "Speed",
        "As measured when the runs were trained and these predictions made; other work on the same \
         machine counts against them.",
        vec![Block::Table(tables::speed(comparison))],
    )
}
