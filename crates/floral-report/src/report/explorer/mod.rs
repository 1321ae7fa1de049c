//! The interactive part of a report: its packed data, and the program that displays them.

mod container;

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use container::Container;

use super::band::Band;
use super::comparison::{Comparison, ShownInput};
use super::curve_figures::dash;
use super::distribution::{Distribution, LEVELS, stride};
use super::map_figures;
use super::planes::Plane;
use crate::draw::{Colour, ColourMap, Interactive, SLENDEREST, typeset};
use base64::prelude::{BASE64_STANDARD, Engine};
use floral::{Error, Result};

/// JSON values by name.
type Facts = serde_json::Map<String, Value>;

const MARKUP: &str = include_str!("explorer.html");
const STYLE: &str = include_str!("explorer.css");

/// The scripts, each after those that it needs.
const SCRIPTS: [&str; 5] = [
    include_str!("data.js"),
    include_str!("numbers.js"),
    include_str!("maps.js"),
    include_str!("charts.js"),
    include_str!("explorer.js"),
];

/// The explorer of a comparison with one or several planes.
pub(super) fn interactive(planes: &[Plane<'_>]) -> Result<Interactive> {
    Ok(Interactive {
        markup: MARKUP.into(),
        style: STYLE.into(),
        script: format!("(() => {{\n\"use strict\";\n{}}})();\n", SCRIPTS.concat()),
        data: packed(planes)?,
    })
}

/// All data of the program: the length of the JSON, the JSON and the bytes that it refers to,
/// compressed and encoded as base64.
fn packed(planes: &[Plane<'_>]) -> Result<String> {
    let mut container = Container::default();
    let facts = facts(planes, &mut container).to_string();
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let length = (facts.len() as u32).to_le_bytes();
    let written = [&length, facts.as_bytes(), container.bytes()]
        .into_iter()
        .try_for_each(|part| encoder.write_all(part));
    let bytes = written.and_then(|()| encoder.finish());
    Ok(BASE64_STANDARD.encode(bytes.map_err(Error::io("report"))?))
}

fn facts(planes: &[Plane<'_>], container: &mut Container) -> Value {
    let mut all = planes
        .first()
        .map_or_else(Facts::new, |first| shared_facts(&first.comparison));
    match planes {
        [only] => all.extend(plane_facts(&only.comparison, container)),
        _ => {
            let named = planes.iter().map(|plane| {
                let mut facts = plane_facts(&plane.comparison, container);
                facts.insert("name".into(), plane.title.clone().into());
                Value::from(facts)
            });
            all.insert("planes".into(), named.collect());
        }
    }
    all.into()
}

/// The data of one plane: its axes, and the fields on it.
fn plane_facts(comparison: &Comparison, container: &mut Container) -> Facts {
    let setting = &comparison.setting;
    let axes = setting.grid.axes.iter().zip(&setting.axes);
    let axes = axes.map(|(axis, label)| {
        json!({
            "name": label.name,
            "units": label.units.as_deref().map(typeset),
            "at": axis.coordinates,
            "from": axis.domain.from,
            "to": axis.domain.to,
        })
    });
    let inputs = comparison.shown.iter();
    let inputs = inputs.map(|shown| input_facts(shown, setting.grid.len(), container));
    let facts = [
        ("axes", axes.collect()),
        ("aspect", aspect(comparison).into()),
        ("right", setting.right.into()),
        ("stride", stride(&setting.grid.shape()).into()),
        ("inputs", inputs.collect()),
    ];
    let named = facts.map(|(name, value): (&str, Value)| (name.to_owned(), value));
    Facts::from_iter(named)
}

fn shared_facts(comparison: &Comparison) -> Facts {
    let setting = &comparison.setting;
    let channels = comparison.channels.iter().map(|channel| {
        let quantity = &channel.quantity;
        json!({
            "name": quantity.name,
            "units": quantity.units.as_deref().map(typeset),
            "inverse": quantity.inverse().units,
            "isPositive": channel.lowest >= 0.0,
        })
    });
    let runs = comparison.runs.iter().map(|run| {
        json!({
            "label": run.label,
            "colour": Colour::of(run.method).name(),
            "dash": dash(run).lengths(),
            "isPositive": run.channels.iter().map(|own| own.lowest >= 0.0).collect::<Vec<_>>(),
        })
    });
    let hex = |map: ColourMap| -> String {
        let bytes = map.table();
        bytes
            .as_flattened()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    };
    let maps = ColourMap::ALL.map(|map| (map.name().to_owned(), Value::from(hex(map))));
    let band = match setting.band {
        Band::Level(level) => json!({"level": level}),
        Band::Deviations(count) => json!({"deviations": count}),
    };
    let facts = [
        ("channels", channels.collect()),
        ("band", band),
        ("levels", LEVELS.to_vec().into()),
        ("colours", Facts::from_iter(maps).into()),
        ("runs", runs.collect()),
    ];
    let named = facts.map(|(name, value): (&str, Value)| (name.to_owned(), value));
    Facts::from_iter(named)
}

/// The aspect ratio of maps, height over width.
fn aspect(comparison: &Comparison) -> f64 {
    map_figures::aspect(&comparison.setting)
        .unwrap_or(1.0)
        .clamp(1.0 / SLENDEREST, SLENDEREST)
}

/// Packs fields, every channel with its own scale.
fn fields(values: &[f32], points: usize, container: &mut Container) -> Value {
    let channels = values.chunks(points.max(1));
    channels.map(|channel| container.words(channel)).collect()
}

fn input_facts(shown: &ShownInput, points: usize, container: &mut Container) -> Value {
    let runs: Vec<Value> = shown
        .runs
        .iter()
        .map(|distribution| distribution_facts(distribution, points, container))
        .collect();
    json!({
        "name": shown.name,
        "certainty": shown.certainty,
        "low": shown.low.as_ref().map(|low| fields(low, points, container)),
        "truth": shown.truth.as_ref().map(|truth| distribution_facts(truth, points, container)),
        "runs": runs,
    })
}

fn distribution_facts(
    distribution: &Distribution,
    points: usize,
    container: &mut Container,
) -> Value {
    let has_spread = !distribution.deviation.is_empty();
    json!({
        "mean": fields(&distribution.mean, points, container),
        "deviation": has_spread.then(|| fields(&distribution.deviation, points, container)),
        "quantiles": has_spread.then(|| container.anomalies(&distribution.quantiles)),
        "realizations": has_spread.then(|| container.anomalies(&distribution.realizations)),
        "kept": distribution.kept(),
    })
}
