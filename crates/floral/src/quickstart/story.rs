//! What the report of a quickstart says and shows.

use super::portrait::{Likeness, Portrait};
use super::{Contestant, Folder, Plan, command};
use crate::evaluate::Prediction;
use crate::report::{Best, Block, Colour, Column, Curve, Figure, Page, Row, Section, Table};
use crate::train::Method;

/// Half the height of a band, in standard deviations.
const BAND: f64 = 2.0;

/// The name of a method in print, and its colour.
fn title(method: Method) -> (&'static str, Colour) {
    match method {
        Method::Fno => ("FNO", Colour::Orange),
        Method::ResidualFno => ("Residual FNO", Colour::Purple),
        Method::Flora => ("FLORA", Colour::Sky),
        Method::Floral => ("FLORAL", Colour::Vermillion),
    }
}

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
             Two of them give a single curve; the other two give the whole distribution.",
            plan.realizations
        ),
        sections: vec![
            problem(portrait),
            Section {
                heading: "Four predictions of the same truth".into(),
                blocks: vec![
                    Block::Text(
                        "The dashed line is the true mean, the grey band holds about 95 % of the \
                         true runs. A good prediction lies on the dashed line, with a coloured band \
                         as wide as the grey one."
                            .into(),
                    ),
                    Block::Figures(panels(portrait, View::Solution)),
                ],
            },
            Section {
                heading: "A closer look: the gap to the cheap solver".into(),
                blocks: vec![
                    Block::Text(
                        "The same predictions with the cheap answer subtracted. Residual FNO and \
                         FLORAL learn this gap itself; FNO and FLORA learn the solution and know \
                         nothing of the cheap solver."
                            .into(),
                    ),
                    Block::Figures(panels(portrait, View::Gap)),
                ],
            },
            uncertainty(portrait),
            numbers(plan, results),
            yourself(folder, plan),
        ],
        footer: format!(
            "Made by floral {} with seed {}. The input shown is number {} of the test inputs.",
            env!("CARGO_PKG_VERSION"),
            plan.seed,
            portrait.input
        ),
    }
}

/// What is drawn: solutions, or what is left of them without the low-fidelity one.
#[derive(Clone, Copy, PartialEq)]
enum View {
    Solution,
    Gap,
}

impl View {
    fn of(self, values: &[f64], portrait: &Portrait) -> Vec<f64> {
        let low = match self {
            Self::Solution => return values.to_vec(),
            Self::Gap => &portrait.low,
        };
        values.iter().zip(low).map(|(v, low)| v - low).collect()
    }

    fn label(self) -> &'static str {
        match self {
            Self::Solution => "solution",
            Self::Gap => "gap",
        }
    }

    fn curve(self, name: &str, of: &Likeness, portrait: &Portrait, colour: Colour) -> Curve {
        let band = of.deviation.iter().flatten().map(|d| BAND * d).collect();
        Curve::line(name, self.of(&of.mean, portrait), colour).with_band(band)
    }

    fn truth(self, name: &str, portrait: &Portrait) -> Curve {
        self.curve(name, &portrait.truth, portrait, Colour::Ink)
            .dashed()
    }

    fn realizations(self, of: &Likeness, portrait: &Portrait, colour: Colour) -> Vec<Curve> {
        let values = of.realizations.iter().map(|r| self.of(r, portrait));
        values
            .map(|values| Curve::line("", values, colour).unnamed())
            .collect()
    }
}

fn figure(title: &str, view: &str, portrait: &Portrait, curves: Vec<Curve>) -> Figure {
    Figure {
        title: title.into(),
        x_label: "x".into(),
        y_label: view.into(),
        x: portrait.x.clone(),
        curves,
        covers: Vec::new(),
    }
}

/// One panel a method, all on the same scale.
fn panels(portrait: &Portrait, view: View) -> Vec<Figure> {
    let panel = |(method, likeness): &(Method, Likeness)| {
        let (name, colour) = title(*method);
        let curves = vec![
            view.curve(name, likeness, portrait, colour),
            view.truth("truth", portrait),
        ];
        let what = match likeness.deviation {
            Some(_) => format!("{name}: mean ± {BAND} standard deviations"),
            None => format!("{name}: one curve, no uncertainty"),
        };
        figure(&what, view.label(), portrait, curves)
    };
    sharing(portrait.methods.iter().map(panel).collect())
}

/// The figures with one vertical scale.
fn sharing(mut figures: Vec<Figure>) -> Vec<Figure> {
    let all: Vec<f64> = figures.iter().flat_map(Figure::extent).collect();
    for figure in &mut figures {
        figure.covers.clone_from(&all);
    }
    figures
}

fn problem(portrait: &Portrait) -> Section {
    let cheap = Curve::line("cheap", portrait.low.clone(), Colour::Green);
    let solution = vec![View::Solution.truth("truth", portrait), cheap];
    let mut gap = View::Gap.realizations(&portrait.truth, portrait, Colour::Grey);
    let runs = gap.len();
    gap.push(View::Gap.truth("truth", portrait));
    Section {
        heading: "The problem".into(),
        blocks: vec![
            Block::Text(format!(
                "1DCR, the smallest of the built-in problems: its mean and its spread are known \
                 exactly, so nothing can hide. Left, the cheap answer beside the true mean with \
                 ± {BAND} standard deviations. Right, the gap between the two, with {runs} true runs \
                 as thin lines."
            )),
            Block::Figures(vec![
                figure("Two solvers, one input", "solution", portrait, solution),
                figure("The gap between them", "gap", portrait, gap),
            ]),
        ],
    }
}

fn uncertainty(portrait: &Portrait) -> Section {
    let deviation = |of: &Likeness, name: &str, colour| {
        let values = of.deviation.clone()?;
        Some(Curve::line(name, values, colour))
    };
    let mut spreads: Vec<Curve> = Vec::new();
    let mut drawn = View::Gap.realizations(&portrait.truth, portrait, Colour::Grey);
    for (method, likeness) in &portrait.methods {
        let (name, colour) = title(*method);
        spreads.extend(deviation(likeness, name, colour));
        if *method == Method::Floral {
            drawn = View::Gap.realizations(likeness, portrait, colour);
        }
    }
    spreads.extend(deviation(&portrait.truth, "truth", Colour::Ink).map(Curve::dashed));
    let runs = drawn.len();
    drawn.push(View::Gap.truth("truth", portrait));
    let mut spread = figure(
        "How large the spread is",
        "standard deviation",
        portrait,
        spreads,
    );
    spread.covers = vec![0.0];
    let what = format!("{runs} runs that FLORAL invented");
    Section {
        heading: "How uncertain".into(),
        blocks: vec![
            Block::Text(
                "Left, the spread that the two probabilistic methods predict beside the true one. \
                 Right, runs drawn by FLORAL: they should look like the true ones at the top, and \
                 fill the true band."
                    .into(),
            ),
            Block::Figures(vec![spread, figure(&what, "gap", portrait, drawn)]),
        ],
    }
}

fn numbers(plan: &Plan, results: &[Contestant]) -> Section {
    let text = format!(
        "Over {} test inputs, against the exact truth; the best of each column is bold. The \
         probabilistic methods draw {} realizations per input.",
        plan.inputs[0], plan.predicted
    );
    Section {
        heading: "In numbers".into(),
        blocks: vec![Block::Text(text), Block::Table(table(results))],
    }
}

fn yourself(folder: &Folder, plan: &Plan) -> Section {
    let lines = command::commands(folder, plan);
    Section {
        heading: "Do it yourself".into(),
        blocks: vec![
            Block::Text(
                "These commands did all of the above. The same four words, generate, train, \
                 evaluate and sample, work for every problem; the paper's sizes are the defaults."
                    .into(),
            ),
            Block::Lines(lines.iter().map(|line| format!("$ {line}")).collect()),
        ],
    }
}

/// Methods by metrics.
pub(super) fn table(results: &[Contestant]) -> Table {
    let column = |name: &str, meaning: &str, best| Column {
        name: name.into(),
        meaning: meaning.into(),
        best,
    };
    let low = results.iter().find_map(|r| r.evaluation.low.as_ref());
    let low = low.map(|low| Row {
        name: "cheap solver".into(),
        values: vec![Some(low.mean_l2), Some(low.nrmse)],
        competes: false,
    });
    Table {
        columns: vec![
            column("mean L2", "error of the mean", Best::Lowest),
            column("nRMSE", "the same, relative", Best::Lowest),
            column("variance", "relative error, 1 = no skill", Best::Lowest),
            column("CRPS", "of the distribution", Best::Lowest),
            column(
                "95 % band",
                "share of true runs inside",
                Best::Nearest(0.95),
            ),
            column("training", "seconds", Best::Unranked),
        ],
        rows: low.into_iter().chain(results.iter().map(row)).collect(),
    }
}

fn row(result: &Contestant) -> Row {
    let prediction = &result.evaluation.prediction;
    let Prediction { mean, spread, .. } = prediction;
    let observed = spread.as_ref().and_then(|s| s.observed.as_ref());
    let band = observed.and_then(|o| o.coverage.iter().find(|i| (i.level - 0.95).abs() < 1e-9));
    Row {
        name: title(result.method).0.into(),
        values: vec![
            Some(mean.mean_l2),
            Some(mean.nrmse),
            spread.as_ref().and_then(|s| s.variance_relative),
            observed.map(|o| o.crps),
            band.map(|interval| interval.coverage),
            Some(result.training_seconds),
        ],
        competes: true,
    }
}
