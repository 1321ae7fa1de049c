//! The interactive part of a report: its data, packed, and the program that shows them.

mod container;

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use container::Container;

use super::comparison::{Comparison, Portrait};
use super::curve_figures::dash;
use super::likeness::{LEVELS, Likeness, stride};
use crate::report::{Colour, ColourMap, Interactive, base64};
use crate::{Error, Result};

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
    Ok(base64(&bytes.map_err(Error::io("report"))?))
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
            .portraits
            .iter()
            .map(|portrait| portrait_facts(portrait, container))
            .collect::<Vec<_>>(),
    })
}

fn portrait_facts(portrait: &Portrait, container: &mut Container) -> Value {
    let runs: Vec<Value> = portrait
        .runs
        .iter()
        .map(|likeness| likeness_facts(likeness, container))
        .collect();
    json!({
        "index": portrait.input,
        "field": container.words(&portrait.field),
        "low": portrait.low.as_ref().map(|low| container.words(low)),
        "truth": likeness_facts(&portrait.truth, container),
        "runs": runs,
    })
}

fn likeness_facts(likeness: &Likeness, container: &mut Container) -> Value {
    let has_spread = !likeness.deviation.is_empty();
    json!({
        "mean": container.words(&likeness.mean),
        "deviation": has_spread.then(|| container.words(&likeness.deviation)),
        "quantiles": has_spread.then(|| container.anomalies(&likeness.quantiles)),
        "realizations": has_spread.then(|| container.anomalies(&likeness.realizations)),
        "kept": likeness.kept(),
    })
}
