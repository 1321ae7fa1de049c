//! Observations: predictions of an input before and after conditioning on readings of its solution.

use serde::Serialize;

use floral::Result;
use floral::kl::Prediction;
use floral::predict::Cases;

use super::Answer;
use crate::draw::{Best, Block, Colour, ColourMap, Column, Curve, Figure, Map, MapRow, Row, Table};
use crate::report::compared_run::ComparedRun;
use crate::report::comparison::Comparison;
use crate::report::map_figures::{colours, directions, nonzero, panels};
use crate::report::view::View;

/// Half the width of a normal 90 % interval, in standard deviations.
const REACH: f64 = 1.645;

/// The effect of readings on predictions.
#[derive(Debug, Clone, Serialize)]
pub struct Observed {
    /// Positions, channels, values and noise of point readings.
    pub readings: Vec<ReadAt>,
    /// Number of readings of quantities.
    pub quantities: usize,
    /// The effect on each run.
    pub runs: Vec<ObservedRun>,
}

/// A reading at a point.
#[derive(Debug, Clone, Serialize)]
pub struct ReadAt {
    /// The coordinates of the point.
    pub place: Vec<f64>,
    /// The channel.
    pub channel: usize,
    /// The value that was read.
    pub value: f64,
    /// The standard deviation of the noise.
    pub std: f64,
}

/// A run's prediction without and with readings.
#[derive(Debug, Clone, Serialize)]
pub struct ObservedRun {
    /// The label of the run.
    pub label: String,
    /// Chi-square of the readings under the prediction without them.
    pub chi_square: f64,
    /// The p-value of chi-square.
    pub p_value: f64,
    /// Effective number of training runs that agree with the readings.
    pub effective_runs: f64,
    /// Mean and standard deviation before: [channel, point].
    #[serde(skip)]
    before: [Vec<f32>; 2],
    /// Mean and standard deviation after: [channel, point].
    #[serde(skip)]
    after: [Vec<f32>; 2],
}

/// The predictions of the only input by every run. `None` without readings, or if no run has
/// moments.
pub(in crate::report) fn observed<'a>(
    runs: impl Iterator<Item = (&'a ComparedRun, &'a Cases<'a>, usize)>,
) -> Result<Option<Observed>> {
    let mut found: Option<Observed> = None;
    for (run, cases, index) in runs {
        let Some(all) = cases.observations() else {
            continue;
        };
        let (predictor, case) = (&run.predictor, cases.case(index)?);
        let after = cases.predicted(predictor, &case)?;
        let before = predictor.for_input(&case.input, case.low.as_ref(), cases.grid())?;
        let moments = before.moments().zip(after.moments());
        let (Some((before, moments)), Some(innovation)) = (moments, after.innovation()) else {
            continue;
        };
        let one = ObservedRun {
            label: run.label.clone(),
            chi_square: innovation.chi_square,
            p_value: innovation.p_value,
            effective_runs: innovation.effective_runs,
            before: fields(before),
            after: fields(moments),
        };
        let readings = all.points.iter().map(|point| ReadAt {
            place: point.place.clone(),
            channel: point.channel,
            value: point.value,
            std: point.std,
        });
        let own = found.get_or_insert_with(|| Observed {
            readings: readings.collect(),
            quantities: all.quantities.len(),
            runs: Vec::new(),
        });
        own.runs.push(one);
    }
    Ok(found)
}

fn fields(moments: &Prediction) -> [Vec<f32>; 2] {
    let singles = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v as f32).collect();
    let total = moments.total();
    [
        singles(&mut moments.mean.iter().copied()),
        singles(&mut total.iter().map(|v| v.max(0.0).sqrt())),
    ]
}

pub(super) fn answer(comparison: &Comparison, observed: &Observed) -> Answer {
    let mut blocks = vec![("observations".to_owned(), Block::Table(table(observed)))];
    for view in View::all(comparison) {
        let name = view.file("observed");
        if comparison.setting.has_maps() {
            let panels = of_maps(view, observed);
            blocks.push((name, Block::Panels(panels)));
        } else if comparison.setting.has_curves() {
            blocks.push((name, Block::Figures(of_curves(view, observed))));
        }
    }
    Answer::new(
        "Observations",
        "Predictions without and with readings of one realization. Rings and points are readings. Chi-square \
         compares the readings with the prediction without them: a small p-value means that they contradict it. \
         All other figures of the report show predictions given the readings.",
        blocks,
    )
}

fn table(observed: &Observed) -> Table {
    let column = |name: &str, meaning: &str| Column {
        name: name.into(),
        meaning: meaning.into(),
        best: Best::Unranked,
    };
    let count = (observed.readings.len() + observed.quantities) as f64;
    let row = |run: &ObservedRun| Row {
        name: run.label.clone(),
        values: [count, run.chi_square, run.p_value, run.effective_runs]
            .map(Some)
            .into(),
        competes: false,
    };
    Table {
        columns: vec![
            column("readings", "how many"),
            column("chi-square", "of the readings"),
            column("p-value", "of chi-square"),
            column("effective runs", "that agree with the readings"),
        ],
        rows: observed.runs.iter().map(row).collect(),
    }
}

/// Mean and standard deviation before and after, on shared colour scales.
fn of_maps(view: View, observed: &Observed) -> crate::draw::Panels {
    let row = |(name, part, colours_of): (&str, usize, ColourMap)| {
        let maps = observed.runs.iter().flat_map(|run| {
            let both = [("before", &run.before), ("after", &run.after)];
            both.map(|(when, fields)| Map {
                title: format!("{}, {when}", run.label),
                values: Some(view.map(&fields[part])),
            })
        });
        let maps: Vec<Map> = maps.collect();
        let values = maps.iter().filter_map(|map| map.values.as_ref()).flatten();
        let all: Vec<f64> = values.copied().collect();
        let range = match part {
            0 => colours(&all),
            _ => [0.0, nonzero(colours(&all)[1])],
        };
        MapRow {
            label: view.row(name),
            colours: colours_of,
            range,
            maps,
        }
    };
    let rows = [
        ("mean", 0, ColourMap::Field),
        ("standard deviation", 1, ColourMap::Spread),
    ];
    let title = view.titled("Before and after the readings");
    let mut all = panels(view.comparison, title, rows.map(row).into());
    all.marks = marks(view, observed);
    all
}

/// The positions of a channel's readings on a map; empty for a view of a body in space.
fn marks(view: View, observed: &Observed) -> Vec<[f64; 2]> {
    let setting = &view.comparison.setting;
    let own = own_readings(view, observed);
    let places = match &setting.picture {
        Some(picture) if picture.is_projected => return Vec::new(),
        Some(_) => [0, 1],
        None => directions(setting),
    };
    let mark = |one: &ReadAt| Some([*one.place.get(places[0])?, *one.place.get(places[1])?]);
    own.filter_map(mark).collect()
}

fn own_readings<'a>(view: View<'a>, observed: &'a Observed) -> impl Iterator<Item = &'a ReadAt> {
    let channels = view.comparison.channels.len();
    let numbers: Vec<usize> = (0..channels).collect();
    let own = view.own(&numbers).copied();
    let readings = observed.readings.iter();
    readings.filter(move |one| Some(one.channel) == own)
}

/// Mean and 90 % interval before and after, with the readings.
fn of_curves(view: View, observed: &Observed) -> Vec<Figure> {
    let setting = &view.comparison.setting;
    let figure = |run: &ObservedRun| {
        let banded = |name: &str, fields: &[Vec<f32>; 2], colour| {
            let [mean, deviation] = [0, 1].map(|part| view.of(&fields[part]));
            let half: Vec<f64> = deviation.iter().map(|d| REACH * d).collect();
            Curve::line(name, mean, colour)
                .with_band(&half)
                .above(view.floor())
        };
        let mut curves = vec![
            banded("before", &run.before, Colour::Sky),
            banded("after", &run.after, Colour::Vermillion),
        ];
        for (i, reading) in own_readings(view, observed).enumerate() {
            let x = reading.place.first().copied().unwrap_or(f64::NAN);
            let point = Curve::line("readings", vec![reading.value], Colour::Ink);
            let point = point.at(vec![x]).with_band(&[REACH * reading.std]);
            curves.push(if i == 0 { point } else { point.unnamed() });
        }
        Figure {
            title: view.titled(&format!("{}, before and after the readings", run.label)),
            x_label: setting.axes[0].clone(),
            y_label: view.quantity().clone(),
            x: setting.grid.axes[0].coordinates.clone(),
            curves,
            bands: Some("\u{b1} 1.645 std".into()),
            ..Figure::default()
        }
    };
    observed.runs.iter().map(figure).collect()
}
