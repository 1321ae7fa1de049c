//! Figures of learning: losses by epoch, and scores by amount of training data.

use super::comparison::{ChannelResult, Comparison, RunResult};
use super::curve_figures::line;
use super::view::View;
use crate::draw::{Colour, Curve, Figure, Label};
use floral::train::Method;

/// Losses by epoch. Those of regression and of flow matching are not comparable.
pub(super) fn training(comparison: &Comparison) -> Vec<Figure> {
    let kinds = [(false, "Regression"), (true, "Flow matching")];
    let figure = |(is_generative, title): (bool, &str)| {
        let runs = comparison.runs.iter();
        let logged = runs.filter(|run| run.method.is_generative() == is_generative);
        let curves: Vec<Curve> = logged
            .filter(|run| !run.epochs.is_empty())
            .flat_map(losses)
            .collect();
        (!curves.is_empty()).then(|| Figure {
            title: format!("{title}: validation loss (training loss thin)"),
            x_label: "epoch".into(),
            y_label: "loss".into(),
            curves,
            log_y: true,
            ..Figure::default()
        })
    };
    kinds.into_iter().filter_map(figure).collect()
}

/// The training loss of a run, drawn thin, and its validation loss.
fn losses(run: &RunResult) -> [Curve; 2] {
    let x: Vec<f64> = run.epochs.iter().map(|e| e.epoch as f64).collect();
    let validation = run.epochs.iter().map(|e| e.validation_loss).collect();
    let training = run.epochs.iter().map(|e| e.train_loss).collect();
    [
        line(run, training).at(x.clone()).thin().unnamed(),
        line(run, validation).at(x),
    ]
}

/// A score drawn as a function of training size or resolution.
struct Score {
    name: &'static str,
    /// Whether the score is in units of the solution.
    has_units: bool,
    of: fn(&ChannelResult) -> Option<f64>,
}

const SCORES: [Score; 3] = [
    Score {
        name: "mean L2 error",
        has_units: true,
        of: |own| Some(own.prediction.as_ref()?.mean.mean_l2),
    },
    Score {
        name: "relative variance error",
        has_units: false,
        of: |own| own.prediction.as_ref()?.spread.as_ref()?.variance_relative,
    },
    Score {
        name: "CRPS",
        has_units: true,
        of: |own| {
            let spread = own.prediction.as_ref()?.spread.as_ref()?;
            spread.observed.as_ref().map(|observed| observed.crps)
        },
    },
];

/// Runs of one method that differ only in one amount of training data.
struct Series {
    curve: Curve,
    method: Method,
    other: Option<Vec<usize>>,
}

/// Scores as a function of the number of training inputs, or of the points of the training grid.
pub(super) fn learning(view: View, over_grid: bool) -> Vec<Figure> {
    let (title, x_label) = if over_grid {
        ("training grid", "points per axis in training")
    } else {
        ("training inputs", "training inputs")
    };
    let figure = |score: &Score| {
        let mut all: Vec<Series> = Vec::new();
        for (run, own) in view.runs() {
            if let (Some(x), Some(y)) = (amount(run, over_grid), (score.of)(own)) {
                add(&mut all, run, over_grid, [x, y]);
            }
        }
        all.retain(|series| series.curve.x.len() > 1);
        (!all.is_empty()).then(|| Figure {
            title: view.titled(&format!("{} over {title}", score.name)),
            x_label: x_label.into(),
            y_label: if score.has_units {
                view.quantity().named(score.name)
            } else {
                Label::from(score.name)
            },
            curves: all.into_iter().map(|series| series.curve).collect(),
            log_x: true,
            log_y: true,
            ..Figure::default()
        })
    };
    SCORES.iter().filter_map(figure).collect()
}

fn amount(run: &RunResult, over_grid: bool) -> Option<f64> {
    if over_grid {
        run.training_grid.last().map(|n| *n as f64)
    } else {
        run.training_inputs.map(|n| n as f64)
    }
}

/// Adds a point to the series of a run. Of several runs with equal amounts, the first is used.
fn add(all: &mut Vec<Series>, run: &RunResult, over_grid: bool, [x, y]: [f64; 2]) {
    let other = if over_grid {
        run.training_inputs.map(|n| vec![n])
    } else {
        Some(run.training_grid.clone())
    };
    let same = |series: &&mut Series| series.other == other && series.method == run.method;
    match all.iter_mut().find(same) {
        Some(series) if series.curve.x.last() == Some(&x) => {}
        Some(series) => {
            series.curve.x.push(x);
            series.curve.values.push(y);
        }
        None => {
            let curve = Curve::line(run.method.title(), vec![y], Colour::of(run.method));
            all.push(Series {
                curve: curve.at(vec![x]).marked(),
                method: run.method,
                other,
            });
        }
    }
}
