//! What the report of a quickstart says.

use super::figures::{BAND, View, drawn_gap, panels, spreads, true_gap, two_solvers};
use super::{Contestant, Folder, Plan, Portrait, command, scores};
use crate::report::{Block, Page, Section};
use crate::train::Method;

/// The whole report.
pub(super) fn page(
    folder: &Folder,
    plan: &Plan,
    portrait: &Portrait,
    results: &[Contestant],
) -> Page {
    let [_, _, train] = plan.inputs;
    Page {
        title: "FLORAL quickstart: learning the gap between two solvers".into(),
        lead: format!(
            "A cheap solver gives one answer, and it is wrong. The true answer is expensive, and it \
             is random: run it twice and you get two curves. From {train} inputs with {} true runs \
             each, four methods have learned to predict the truth of inputs they have never seen. \
             Two of them give a single curve; the other two, FLORA and FLORAL, give the whole \
             distribution.",
            plan.realizations
        ),
        sections: vec![
            problem(portrait),
            predictions(portrait),
            gaps(portrait),
            uncertainty(portrait),
            numbers(plan, results),
            yourself(folder, plan),
        ],
        footer: format!(
            "Made by floral {} with seed {}. The figures show test input {}.",
            env!("CARGO_PKG_VERSION"),
            plan.seed,
            portrait.input
        ),
    }
}

fn section(heading: &str, text: &str, content: Block) -> Section {
    Section {
        heading: heading.into(),
        blocks: vec![Block::Text(text.into()), content],
    }
}

fn problem(portrait: &Portrait) -> Section {
    let text = format!(
        "1DCR is the smallest of the built-in problems. Its mean and its spread are known exactly, \
         so predictions can be judged without doubt. The grey band is the true mean ± {BAND} \
         standard deviations: about 95 % of the true runs pass through it at any x. The gap is what \
         a true run has and the cheap solver misses."
    );
    let figures = vec![two_solvers(portrait), true_gap(portrait)];
    section("The problem", &text, Block::Figures(figures))
}

fn predictions(portrait: &Portrait) -> Section {
    section(
        "Four predictions of the same truth",
        "A good prediction lies on the dashed line, the true mean. A good distribution also has a \
         coloured band as wide as the grey one.",
        Block::Figures(panels(portrait, View::Solution)),
    )
}

fn gaps(portrait: &Portrait) -> Section {
    section(
        "A closer look at the gap",
        "The same predictions with the cheap solution subtracted, on a finer scale. Residual FNO \
         and FLORAL learn this gap itself; FNO and FLORA learn the solution and know nothing of the \
         cheap solver.",
        Block::Figures(panels(portrait, View::Gap)),
    )
}

fn uncertainty(portrait: &Portrait) -> Section {
    let drawn = drawn_gap(portrait, Method::Floral);
    let figures = std::iter::once(spreads(portrait)).chain(drawn).collect();
    section(
        "How uncertain, and in what way",
        "The spread that the probabilistic methods predict beside the true one; and single runs \
         drawn by FLORAL, which should look like the true runs above and fill the true band.",
        Block::Figures(figures),
    )
}

fn numbers(plan: &Plan, results: &[Contestant]) -> Section {
    let text = format!(
        "Over {} test inputs, against the exact truth; the best of each column is bold. FLORA and \
         FLORAL draw {} realizations per input.",
        plan.inputs[0], plan.predicted
    );
    let table = scores::table(results);
    section("In numbers", &text, Block::Table(table))
}

fn yourself(folder: &Folder, plan: &Plan) -> Section {
    let lines = command::commands(folder, plan);
    let lines = lines.iter().map(|line| format!("$ {line}")).collect();
    section(
        "Do it yourself",
        "These commands did the work. They take every built-in problem, and your own data in place \
         of the generated; without further options they use the paper's sizes.",
        Block::Lines(lines),
    )
}
