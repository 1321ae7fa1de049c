//! Figures of maps: fields of an input, and joint distributions.

use super::comparison::{Comparison, Setting, ShownInput};
use super::curve_figures::value;
use super::distribution::Distribution;
use super::histogram::{JOINT_BINS, joint, range, widened};
use super::view::View;
use crate::draw::{ColourMap, Map, MapRow, Panels, Span, extremes};
use floral::Axis;
use floral::grid::AxisKind;
use floral::units::relation;

/// Maximum number of realizations in one figure.
const DRAWN: usize = 4;

/// The margin of a colour scale beyond the range of the truth, as a fraction of its length, so that
/// predictions slightly outside can be distinguished.
const MARGIN: f64 = 0.05;

/// The horizontal and the vertical axis.
fn spans(comparison: &Comparison) -> [Span; 2] {
    let setting = &comparison.setting;
    if let Some(picture) = &setting.picture {
        let names = match picture.is_projected {
            true => ["seen from one side", "from above"],
            false => ["x", "y"],
        };
        return [0, 1].map(|i| Span {
            label: names[i].into(),
            from: picture.ends[i][0],
            to: picture.ends[i][1],
        });
    }
    directions(setting).map(|i| {
        let domain = &setting.grid.axes[i].domain;
        Span {
            label: setting.axes[i].clone(),
            from: domain.from,
            to: domain.to,
        }
    })
}

/// Indices of the axes of the grid that point to the right and upwards.
pub(super) fn directions(setting: &Setting) -> [usize; 2] {
    [setting.right, 1 - setting.right.min(1)]
}

/// Height divided by width of a map, as in the domain; `None` if the axes have incompatible units.
pub(super) fn aspect(setting: &Setting) -> Option<f64> {
    if let Some(picture) = &setting.picture {
        return Some(picture.aspect());
    }
    if setting.grid.dimensions() != 2 {
        return None;
    }
    let [x, y] = directions(setting).map(|i| &setting.grid.axes[i]);
    let [of_x, of_y] = directions(setting).map(|i| &setting.axes[i]);
    let is_time = |axis: &Axis| axis.domain.kind == AxisKind::Times;
    let factor = match (&of_y.units, &of_x.units) {
        (None, None) => 1.0,
        (Some(of_y), Some(of_x)) => relation(of_y, of_x).conversion()?.factor,
        _ => return None,
    };
    let aspect = factor * y.domain.length() / x.domain.length();
    (is_time(x) == is_time(y) && aspect.is_finite() && aspect > 0.0).then_some(aspect)
}

/// The range of the colours of a field. If no value is negative, neither is the range.
pub(super) fn colours(values: &[f64]) -> [f64; 2] {
    let finite = values.iter().copied().filter(|value| value.is_finite());
    let Some([low, high]) = extremes(finite) else {
        return [0.0, 1.0];
    };
    let [wide_low, wide_high] = widened([low, high], MARGIN);
    [
        if low >= 0.0 {
            wide_low.max(0.0)
        } else {
            wide_low
        },
        wide_high,
    ]
}

/// The number, or 1 if it is not positive.
pub(super) fn nonzero(value: f64) -> f64 {
    if value > 0.0 { value } else { 1.0 }
}

pub(super) fn panels(comparison: &Comparison, title: String, rows: Vec<MapRow>) -> Panels {
    let [x, y] = spans(comparison);
    let setting = &comparison.setting;
    Panels {
        title,
        x,
        y,
        height: match &setting.picture {
            Some(picture) => picture.rows,
            None => setting.grid.axes[directions(setting)[1]].len(),
        },
        aspect: aspect(setting),
        rows,
        marks: Vec::new(),
    }
}

/// One field per column of a figure; `None` if it is unknown.
type Fields = Vec<Option<Vec<f64>>>;

/// The columns of a figure of fields: truth, low fidelity, every run.
struct Columns {
    names: Vec<String>,
    means: Fields,
    deviations: Fields,
    /// Quantiles at the ends of the band, if it is defined by quantiles.
    quantiles: [Fields; 2],
}

impl Columns {
    fn of(view: View, shown: &ShownInput) -> Self {
        let mut all = Self {
            names: Vec::new(),
            means: Vec::new(),
            deviations: Vec::new(),
            quantiles: [Vec::new(), Vec::new()],
        };
        if let Some(truth) = &shown.truth {
            all.push(view, "truth", truth);
        }
        if let Some(low) = &shown.low {
            let mean = low.clone();
            let only = Distribution {
                mean,
                ..Distribution::default()
            };
            all.push(view, "low fidelity", &only);
        }
        for ((run, _), distribution) in view.runs().zip(&shown.runs) {
            all.push(view, &run.label, distribution);
        }
        all
    }

    fn push(&mut self, view: View, name: &str, distribution: &Distribution) {
        let of = |values: &[f32]| Some(view.map(values)).filter(|values| !values.is_empty());
        self.names.push(name.to_owned());
        self.means.push(of(&distribution.mean));
        self.deviations.push(of(&distribution.deviation));
        let levels = view.comparison.setting.band.levels();
        for (i, fields) in self.quantiles.iter_mut().enumerate() {
            let quantile = levels.and_then(|levels| view.quantile(distribution, levels[i]));
            fields.push(quantile.map(|values| view.oriented(values)));
        }
    }

    /// Differences from the first column, which itself has none.
    fn errors(&self) -> Fields {
        let truth = self.means.first().cloned().flatten().unwrap_or_default();
        let error = |mean: &Option<Vec<f64>>| -> Option<Vec<f64>> {
            let mean = mean.as_ref()?;
            Some(mean.iter().zip(&truth).map(|(m, t)| m - t).collect())
        };
        let others = self.means.iter().skip(1).map(error);
        std::iter::once(None).chain(others).collect()
    }
}

/// Truth, low fidelity and every run: the mean; its error if the truth is known, otherwise the ends
/// of the band; and the standard deviation.
pub(super) fn fields(view: View, shown: &ShownInput) -> Panels {
    let columns = Columns::of(view, shown);
    let row = |name: &str, colours, range, values: &Fields| MapRow {
        label: view.row(name),
        colours,
        range,
        maps: titled(&columns.names, values),
    };
    // The truth sets the colour scale; without it, all fields in the row do.
    let scale = |fields: &Fields| -> Vec<f64> {
        let known = if shown.truth.is_some() { 1 } else { usize::MAX };
        fields
            .iter()
            .flatten()
            .take(known)
            .flatten()
            .copied()
            .collect()
    };
    let field = colours(&scale(&columns.means));
    let mean = format!("mean of {}", view.quantity().name);
    let mut rows = vec![row(&mean, ColourMap::Field, field, &columns.means)];
    match view.comparison.setting.band.levels() {
        _ if shown.truth.is_some() => {
            let errors = columns.errors();
            let all = errors.iter().flatten().flatten().map(|e| e.abs());
            let reach = nonzero(range(all)[1]);
            let (name, ends) = ("error of the mean", [-reach, reach]);
            rows.push(row(name, ColourMap::Difference, ends, &errors));
        }
        Some(levels) if columns.quantiles[0].iter().any(Option::is_some) => {
            let both: Fields = columns.quantiles.concat();
            let ends = colours(&scale(&both));
            for (level, fields) in levels.into_iter().zip(&columns.quantiles) {
                let percent = (1e6 * level).round() / 1e4;
                let name = format!("{percent} % quantile");
                rows.push(row(&name, ColourMap::Field, ends, fields));
            }
        }
        _ => {}
    }
    let spread = nonzero(colours(&scale(&columns.deviations))[1]);
    let (name, ends) = ("standard deviation", [0.0, spread]);
    rows.push(row(name, ColourMap::Spread, ends, &columns.deviations));
    panels(view.comparison, view.titled_input(shown, ""), rows)
}

/// Maps with these titles and values.
fn titled(titles: &[String], values: &Fields) -> Vec<Map> {
    let map = |(title, values): (&String, &Option<Vec<f64>>)| Map {
        title: title.clone(),
        values: values.clone(),
    };
    titles.iter().zip(values).map(map).collect()
}

/// Realizations of the truth, and of every run that stores some, one row each.
pub(super) fn samples(view: View, shown: &ShownInput) -> Panels {
    let means = shown.references().flat_map(|known| view.of(&known.mean));
    let range = colours(&means.collect::<Vec<_>>());
    let row = |name: &str, distribution: &Distribution| {
        let drawn = (0..distribution.kept().min(DRAWN)).filter_map(|i| distribution.realization(i));
        let maps: Vec<Map> = drawn
            .enumerate()
            .map(|(i, values)| Map {
                title: format!("{name} {}", i + 1),
                values: Some(view.map(&values)),
            })
            .collect();
        (!maps.is_empty()).then(|| MapRow {
            label: view.row(&view.quantity().name),
            colours: ColourMap::Field,
            range,
            maps,
        })
    };
    let truth = shown.truth.as_ref();
    let truth = truth.and_then(|truth| row("truth", truth));
    let runs = view.runs().zip(&shown.runs);
    let runs = runs.filter_map(|((run, _), distribution)| row(&run.label, distribution));
    let title = view.titled_input(shown, "realizations");
    panels(
        view.comparison,
        title,
        truth.into_iter().chain(runs).collect(),
    )
}

/// The low-fidelity solution against solutions or residuals, over all inputs; `None` without low
/// fidelity.
pub(super) fn joints(view: View, is_residual: bool) -> Option<Panels> {
    let truth = view.truth();
    truth.low.as_ref()?;
    let pair = |pair: &[f32; 2]| [f64::from(pair[0]), value(*pair, is_residual)];
    let pairs = || truth.pairs.iter().map(pair);
    let first = range(pairs().map(|[low, _]| low));
    let second = range(pairs().map(|[_, value]| value));
    let map = |title: &str, pairs: &[[f32; 2]]| Map {
        title: title.into(),
        values: Some(joint(pairs.iter().map(pair), first, second)),
    };
    let runs = view.runs().map(|(run, own)| map(&run.label, &own.pairs));
    let maps: Vec<Map> = std::iter::once(map("truth", &truth.pairs))
        .chain(runs)
        .collect();
    let quantity = view.quantity();
    let (title, label) = if is_residual {
        ("Residual over low fidelity", quantity.named("residual"))
    } else {
        ("Solution over low fidelity", quantity.clone())
    };
    let span = |label, [from, to]: [f64; 2]| Span { label, from, to };
    Some(Panels {
        title: view.titled(title),
        x: span(quantity.named("low fidelity"), first),
        y: span(label, second),
        height: JOINT_BINS,
        aspect: None,
        rows: vec![MapRow {
            label: "log\u{2081}\u{2080} of the share of values".into(),
            colours: ColourMap::Spread,
            range: [-4.5, -1.5],
            maps,
        }],
        marks: Vec::new(),
    })
}
