//! Learning curves of `floral learn`: the uncertainty of the quantity by number of runs.

use std::path::{Path, PathBuf};

use serde::Serialize;

use floral::learn::Asking;
use floral::{Error, Result};

use super::Answer;
use crate::draw::{Block, Colour, Curve, Dash, Figure};
use crate::report::names::capitalized;

/// The learning curve of a loop.
#[derive(Debug, Clone, Serialize)]
pub struct Learned {
    /// The folder of the loop.
    pub folder: PathBuf,
    /// The mean and its uncertainty after each fit.
    pub curve: Vec<Asking>,
}

impl Learned {
    /// Reads the learning curve in the folder of `floral learn`.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join("curve.json");
        let bytes = std::fs::read(&path).map_err(|_| {
            Error::bad_file(
                folder,
                "is not a folder of floral learn with a fit; give the -o of that command",
            )
        })?;
        let curve = serde_json::from_slice(&bytes).map_err(|error| {
            Error::bad_file(path.clone(), format!("is not a learning curve ({error})"))
        })?;
        Ok(Self {
            folder: folder.to_owned(),
            curve,
        })
    }
}

pub(super) fn answer(all: &[Learned]) -> Option<Answer> {
    let figures = vec![
        figure(
            all,
            "uncertainty over cost",
            "epistemic std, rms over the pool",
            |a| a.std,
        ),
        figure(all, "mean over cost", "mean over the pool", |a| a.mean),
    ];
    (!all.is_empty()).then(|| {
        Answer::new(
            "Learning curve",
            "Mean and epistemic uncertainty of the quantity over the pool after each fit, over the number of \
             runs. The epistemic standard deviation is the error that the method itself expects.",
            vec![("loop".into(), Block::Figures(figures))],
        )
    })
}

fn figure(all: &[Learned], title: &str, label: &str, of: fn(&Asking) -> Option<f64>) -> Figure {
    let colours = [Colour::Blue, Colour::Orange, Colour::Green, Colour::Purple];
    let curve = |(i, one): (usize, &Learned)| {
        let points = one.curve.iter();
        let points = points.filter_map(|point| Some((point.runs as f64, of(point)?)));
        let (x, y): (Vec<f64>, Vec<f64>) = points.unzip();
        let name = one.folder.file_name().unwrap_or_default().to_string_lossy();
        let dash = Dash::ALL[i / colours.len() % Dash::ALL.len()];
        Curve::line(&name, y, colours[i % colours.len()])
            .at(x)
            .with_dash(dash)
            .marked()
    };
    Figure {
        title: capitalized(title),
        x_label: "runs of the solver".into(),
        y_label: label.into(),
        curves: all.iter().enumerate().map(curve).collect(),
        ..Figure::default()
    }
}
