//! Sensitivity: shares of the variance, indices of parameters with intervals, and their maps.

use std::path::Path;

use serde::Serialize;

use floral::sensitivity::{IndexEstimate, QuantityOutcome, Sensitivity};
use floral::{Error, Result};

use super::Answer;
use crate::draw::{Bar, Bars, Block, Colour, ColourMap, Curve, Figure, Label, Map, MapRow};
use crate::report::comparison::Comparison;
use crate::report::map_figures::panels;
use crate::report::view::View;

/// The result of a sensitivity analysis.
#[derive(Debug, Clone, Serialize)]
pub struct SensitivityShown {
    /// Variance shares and indices.
    pub found: Sensitivity,
    /// Name of each parameter, with its first-order and total indices at every point, [channel,
    /// point]; empty without maps.
    #[serde(skip)]
    pub maps: Vec<(String, [Vec<f64>; 2])>,
}

impl SensitivityShown {
    /// Reads the files that `floral sensitivity` writes with `-o` and `--maps`.
    pub fn read(path: &Path, maps: Option<&Path>) -> Result<Self> {
        let refused = |reason: String| Error::bad_file(path, reason);
        let bytes = std::fs::read(path).map_err(|error| refused(format!("{error}")))?;
        let found: Sensitivity = serde_json::from_slice(&bytes).map_err(|error| {
            let expected = "give the file that floral sensitivity writes by -o";
            refused(format!(
                "is not a result of floral sensitivity ({error}); {expected}"
            ))
        })?;
        let maps = maps.map(|path| read_maps(path, &found)).transpose()?;
        Ok(Self {
            found,
            maps: maps.unwrap_or_default(),
        })
    }
}

fn read_maps(path: &Path, found: &Sensitivity) -> Result<Vec<(String, [Vec<f64>; 2])>> {
    let mut arrays = floral::sensitivity::read_maps(path)?;
    let one = |name: &String| {
        let mut field = |kind: &str| {
            let array = arrays.remove(&format!("{kind}_{name}"));
            array.map(|(_, values)| values).ok_or_else(|| {
                Error::bad_file(
                    path,
                    format!("has no array {kind}_{name}; give the --maps of the same analysis"),
                )
            })
        };
        Ok((name.clone(), [field("first")?, field("total")?]))
    };
    found.parameters.iter().map(one).collect()
}

pub(super) fn answer(comparison: &Comparison, one: &SensitivityShown) -> Answer {
    let mut blocks = vec![(
        "sensitivity-shares".to_owned(),
        Block::Bars(shares(&one.found)),
    )];
    for quantity in &one.found.quantities {
        if !quantity.indices.is_empty() {
            let name = format!("sensitivity-{}", quantity.name);
            blocks.push((name, Block::Bars(indices(quantity))));
        }
    }
    for view in View::all(comparison) {
        blocks.extend(maps(view, one));
    }
    Answer::new(
        "Sensitivity",
        "Where the variance of each quantity comes from: the input, the inherent randomness of the solution, \
         and epistemic uncertainty for lack of training data. First-order indices are the share of the input's part that a \
         parameter explains alone, total indices the share that it takes part in. Intervals of 90 % contain \
         the uncertainty of the run.",
        blocks,
    )
}

fn shares(found: &Sensitivity) -> Bars {
    let bar = |value: f64, colour| Bar {
        value,
        interval: None,
        colour,
    };
    let group = |one: &QuantityOutcome| {
        let parts = &one.variance;
        let bars = vec![
            bar(parts.input, Colour::Blue),
            bar(parts.inherent, Colour::Orange),
            bar(parts.ignorance.unwrap_or(0.0), Colour::Grey),
        ];
        (one.name.clone(), bars)
    };
    let legend = [
        ("input", Colour::Blue),
        ("inherent", Colour::Orange),
        ("epistemic", Colour::Grey),
    ];
    Bars {
        title: "Shares of the variance".into(),
        label: Label::new("share of the variance", Some("1")),
        range: [0.0, 1.0],
        groups: found.quantities.iter().map(group).collect(),
        legend: legend
            .map(|(name, colour)| (name.to_owned(), colour))
            .into(),
        is_stacked: true,
    }
}

fn indices(quantity: &QuantityOutcome) -> Bars {
    let bar = |estimate: &IndexEstimate, colour| Bar {
        value: estimate.value,
        interval: Some(estimate.interval),
        colour,
    };
    let group = |index: &floral::sensitivity::ParameterIndices| {
        let bars = vec![
            bar(&index.first, Colour::Blue),
            bar(&index.total, Colour::Sky),
        ];
        (index.name.clone(), bars)
    };
    let ends = quantity.indices.iter();
    let ends = ends.flat_map(|one| [&one.first, &one.total]);
    let ends = ends.flat_map(|one| [one.value, one.interval[0], one.interval[1]]);
    let [low, high] = ends.fold([0.0, 1.0], |[l, h]: [f64; 2], v| [l.min(v), h.max(v)]);
    let legend = [("first-order", Colour::Blue), ("total", Colour::Sky)];
    Bars {
        title: format!("Indices of {} = {}", quantity.name, quantity.expression),
        label: Label::new("index", Some("1")),
        range: [low, high],
        groups: quantity.indices.iter().map(group).collect(),
        legend: legend
            .map(|(name, colour)| (name.to_owned(), colour))
            .into(),
        is_stacked: false,
    }
}

/// Maps of the indices of one channel, or curves on a line; `None` if there are none for this grid.
fn maps(view: View, one: &SensitivityShown) -> Option<(String, Block)> {
    let setting = &view.comparison.setting;
    let values = setting.grid.len() * view.comparison.channels.len();
    let fits = |(_, fields): &(String, [Vec<f64>; 2])| fields.iter().all(|f| f.len() == values);
    if one.maps.is_empty() || !one.maps.iter().all(fits) {
        return None;
    }
    let of = |field: &[f64]| field.iter().map(|v| *v as f32).collect::<Vec<f32>>();
    let name = view.file("sensitivity-maps");
    let title = view.titled("Indices of the mean at every point");
    if setting.has_maps() {
        let row = |(kind, part): (&str, usize)| MapRow {
            label: Label::new(kind, Some("1")),
            colours: ColourMap::Spread,
            range: [0.0, 1.0],
            maps: (one.maps.iter())
                .map(|(name, fields)| Map {
                    title: name.clone(),
                    values: Some(view.map(&of(&fields[part]))),
                })
                .collect(),
        };
        let rows = [("first-order index", 0), ("total index", 1)]
            .map(row)
            .into();
        return Some((name, Block::Panels(panels(view.comparison, title, rows))));
    }
    let colours = [
        Colour::Blue,
        Colour::Orange,
        Colour::Green,
        Colour::Purple,
        Colour::Sky,
        Colour::Brown,
    ];
    let curve = |(i, (name, fields)): (usize, &(String, [Vec<f64>; 2]))| {
        let colour = colours[i % colours.len()];
        let first = Curve::line(name, view.of(&of(&fields[0])), colour);
        let total = Curve::line(name, view.of(&of(&fields[1])), colour);
        [first, total.dashed().thin().unnamed()]
    };
    setting.has_curves().then(|| {
        let figure = Figure {
            title: format!("{title}: first-order, and total dashed"),
            x_label: setting.axes[0].clone(),
            y_label: Label::new("index", Some("1")),
            x: setting.grid.axes[0].coordinates.clone(),
            curves: one.maps.iter().enumerate().flat_map(curve).collect(),
            covers: vec![0.0, 1.0],
            ..Figure::default()
        };
        (name, Block::Figures(vec![figure]))
    })
}
