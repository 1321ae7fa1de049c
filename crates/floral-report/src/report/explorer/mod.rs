//! The interactive part of a report: its data, packed, and the program that shows them.

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
use crate::draw::{Colour, ColourMap, Interactive, SLENDEREST, typeset};
use base64::prelude::{BASE64_STANDARD, Engine};
use floral::{Error, Result};

const MARKUP: &str = include_str!("explorer.html");
const STYLE: &str = include_str!("explorer.css");

/// The program, in the order in which its parts need each other.
const SCRIPTS: [&str; 5] = [
    include_str!("data.js"),
    include_str!("numbers.js"),
    include_str!("maps.js"),
    include_str!("charts.js"),
    include_str!("explorer.js"),
];

/// The explorer of a comparison.
pub(super) fn interactive(comparison: &Comparison) -> Result<Interactive> {
    Ok(Interactive {
        markup: MARKUP.into(),
        style: STYLE.into(),
        script: format!("(() => {{\n\"use strict\";\n{}}})();\n", SCRIPTS.concat()),
        data: packed(comparison)?,
    })
}

/// All that the program shows: JSON after its length, then the bytes that it refers to, compressed,
/// as text.
fn packed(comparison: &Comparison) -> Result<String> {
    let mut container = Container::default();
    let facts = facts(comparison, &mut container).to_string();
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let length = (facts.len() as u32).to_le_bytes();
    let written = [&length, facts.as_bytes(), container.bytes()]
        .into_iter()
        .try_for_each(|part| encoder.write_all(part));
    let bytes = written.and_then(|()| encoder.finish());
    Ok(BASE64_STANDARD.encode(bytes.map_err(Error::io("report"))?))
}

fn facts(comparison: &Comparison, container: &mut Container) -> Value {
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
    json!({
        "channels": channels.collect::<Vec<_>>(),
        "axes": axes.collect::<Vec<_>>(),
        "aspect": aspect(comparison),
        "right": setting.right,
        "band": match setting.band {
            Band::Level(level) => json!({"level": level}),
            Band::Deviations(count) => json!({"deviations": count}),
        },
        "levels": LEVELS,
        "stride": stride(&setting.grid.shape()),
        "colours": serde_json::Map::from_iter(maps),
        "runs": runs.collect::<Vec<_>>(),
        "inputs": comparison
            .shown
            .iter()
            .map(|shown| input_facts(shown, setting.grid.len(), container))
            .collect::<Vec<_>>(),
    })
}

/// How high maps are for their width.
fn aspect(comparison: &Comparison) -> f64 {
    map_figures::aspect(&comparison.setting)
        .unwrap_or(1.0)
        .clamp(1.0 / SLENDEREST, SLENDEREST)
}

/// Every channel on a scale of its own.
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
