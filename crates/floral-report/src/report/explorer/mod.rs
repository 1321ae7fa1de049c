//! The interactive part of a report: its data, packed, and the program that shows them.

mod container;

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use container::Container;

use super::comparison::{Comparison, ShownInput};
use super::curve_figures::dash;
use super::distribution::{Distribution, LEVELS, stride};
use crate::draw::{Colour, ColourMap, Interactive};
use base64::prelude::{BASE64_STANDARD, Engine};
use floral::{Error, Result};

const MARKUP: &str = include_str!("explorer.html");
const STYLE: &str = include_str!("explorer.css");

/// The program, in the order in which its parts need each other.
const SCRIPTS: [&str; 4] = [
    include_str!("data.js"),
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
    let axes = axes.map(|(axis, label)| json!({"label": label, "at": axis.coordinates}));
    let runs = comparison.runs.iter().map(|run| {
        json!({
            "label": run.label,
            "colour": Colour::of(run.method).name(),
            "dash": dash(run).lengths(),
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
        "quantity": setting.quantity,
        "axes": axes.collect::<Vec<_>>(),
        "channels": setting.channels,
        "levels": LEVELS,
        "stride": stride(&setting.grid.shape()),
        "colours": serde_json::Map::from_iter(maps),
        "runs": runs.collect::<Vec<_>>(),
        "inputs": comparison
            .shown
            .iter()
            .map(|shown| portrait_facts(shown, container))
            .collect::<Vec<_>>(),
    })
}

fn portrait_facts(shown: &ShownInput, container: &mut Container) -> Value {
    let runs: Vec<Value> = shown
        .runs
        .iter()
        .map(|distribution| likeness_facts(distribution, container))
        .collect();
    json!({
        "index": shown.input,
        "field": container.words(&shown.field),
        "low": shown.low.as_ref().map(|low| container.words(low)),
        "truth": likeness_facts(&shown.truth, container),
        "runs": runs,
    })
}

fn likeness_facts(distribution: &Distribution, container: &mut Container) -> Value {
    let has_spread = !distribution.deviation.is_empty();
    json!({
        "mean": container.words(&distribution.mean),
        "deviation": has_spread.then(|| container.words(&distribution.deviation)),
        "quantiles": has_spread.then(|| container.anomalies(&distribution.quantiles)),
        "realizations": has_spread.then(|| container.anomalies(&distribution.realizations)),
        "kept": distribution.kept(),
    })
}
