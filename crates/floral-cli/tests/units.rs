//! Two channels of different size and units, as a user meets them: deflection and pressure of a
//! membrane.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod command;

use std::path::Path;

use command::{Commands, Folder};
use floral::grid::Domain;
use floral::{Arrays, Axis, Field, Grid, Quantity};
use serde_json::Value;

const POINTS: usize = 12;
const TRAIN: &str = "--method kriging --set split.test=2 --set split.validation=1";

/// Eight inputs with six realizations: deflections of about 1e-3 m, pressures of about 1e5 Pa.
/// Inputs are multiplied by `factor`.
fn membrane(path: &Path, factor: f64) {
    let x = Axis::over(Domain::closed(0.0, 1.2), "x", POINTS).with_units("m");
    let x = x.with_long_name("distance along the membrane");
    let found = [
        Quantity::named("deflection").with_units("m"),
        Quantity::named("pressure").with_units("Pa"),
    ];
    let load = [Quantity::named("load").with_units("kPa")];
    let mut arrays = Arrays::new(Grid::new(vec![x]))
        .title("A membrane")
        .quantities(load, found);
    let field = |channels: usize, value: &dyn Fn(usize, f64) -> f64| {
        let points = (0..channels).flat_map(|c| (0..POINTS).map(move |i| (c, i as f64)));
        let values = points.map(|(c, i)| value(c, i)).collect();
        Field::from_values(channels, &[POINTS], values).unwrap()
    };
    for k in 0..8 {
        let wave = |c: usize, i: f64| {
            let phase = 0.4 * i + f64::from(k) * (1.0 + c as f64 / 3.0);
            [1e-3, 1e5][c] * phase.sin()
        };
        let input = field(1, &|_, i| factor * (0.3 * i + f64::from(k)).cos());
        let low = field(2, &|c, i| 0.9 * wave(c, i));
        let high = [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5];
        let high = high.map(|r| field(2, &|c, i| wave(c, i) * (1.0 + 0.05 * r)));
        arrays.push(&input, Some(&low), &high).unwrap();
    }
    arrays.write(path).unwrap();
}

fn trained(folder: &Path) {
    membrane(&folder.join("data.zarr"), 1.0);
    folder.succeed(&format!("train data.zarr {TRAIN} -o run"));
}

fn json(folder: &Path, words: &str) -> Value {
    serde_json::from_str(&folder.printed(words)).unwrap()
}

fn attributes(folder: &Path, array: &str) -> Value {
    let file = folder.join(array).join("zarr.json");
    let mut metadata: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    metadata["attributes"].take()
}

#[test]
fn inspect_shows_each_channel_in_its_units() {
    let folder = &Folder::new();
    membrane(&folder.join("data.zarr"), 1.0);
    let text = folder.printed("inspect data.zarr");
    for part in [
        "title     A membrane",
        "12 points from 0 to 1.2 m",
        "  pressure",
        "[8, 1, 12]  kPa",
        "channels in units of their standard deviation",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let summary = json(folder, "inspect data.zarr --json");
    let channels = &summary["low_fidelity"]["channels"];
    assert_eq!(channels[1]["name"], "pressure");
    let rmse = |i: usize| channels[i]["rmse"].as_f64().unwrap();
    assert!(rmse(0) < 1e-3 && rmse(1) > 1e3);
    let pooled = summary["low_fidelity"]["rmse"].as_f64().unwrap();
    assert!(pooled > 0.01 && pooled < 1.0, "{pooled}");
    assert_eq!(summary["arrays"][2]["channels"][1]["units"], "Pa");
}

#[test]
fn evaluate_scores_each_channel_and_says_what_sampling_makes() {
    let folder = &Folder::new();
    trained(folder);
    let command = "evaluate run data.zarr --realizations 20";
    let text = folder.printed(command);
    for part in [
        "all channels, in units of their standard deviations",
        "  deflection",
        "  pressure",
        "without the sampling error of the truth",
        "error of sampling alone",
        "without the truth's sampling",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let scores = json(folder, &format!("{command} --json"));
    let [small, large] = [0, 1].map(|i| &scores["channels"][i]);
    assert_eq!(large["name"], "pressure");
    let low = |scores: &Value| scores["low"]["rmse"].as_f64().unwrap();
    assert!(low(large) > 1e6 * low(small), "{scores}");
    let own = |scores: &Value, key: &str| scores["prediction"]["mean"][key].as_f64().unwrap();
    for channel in [small, large, &scores] {
        assert!(own(channel, "nrmse") < 0.5, "{channel}");
    }
    let corrected = &scores["prediction"]["mean"]["corrected"];
    assert!(corrected["rmse"].as_f64().unwrap() < own(&scores, "rmse"));
    assert!(scores["prediction"]["spread"]["corrected"]["variance_l2"].is_f64());
}

#[test]
fn a_threshold_is_of_a_channel_and_units_are_stored() {
    let folder = &Folder::new();
    trained(folder);
    let command = "sample run --input data.zarr --inputs 0..2 --realizations 20";
    let message = folder.refuse(&format!("{command} --exceed 0.5 -o out.zarr"));
    assert!(
        message.contains("2 channels (deflection, pressure)"),
        "{message}"
    );
    assert!(message.contains("as in deflection:0.5"), "{message}");
    let message = folder.refuse(&format!("{command} --exceed speed:1 -o out.zarr"));
    assert!(message.contains("deflection, pressure"), "{message}");
    folder.succeed(&format!(
        "{command} --exceed pressure:5e4 --exceed 0:-1e-3 --quantile 0.9 -o out.zarr"
    ));
    // The same thresholds for other channels are a different result.
    let message = folder.refuse(&format!(
        "{command} --exceed 0:5e4 --exceed 1:-1e-3 --quantile 0.9 -o out.zarr"
    ));
    assert!(
        message.contains("threshold_channels [1,0], not [0,1]"),
        "{message}"
    );
    let out = folder.join("out.zarr");
    let found = |array: &str| attributes(&out, array);
    assert_eq!(found("")["title"], "A membrane: predictions of kriging");
    assert_eq!(found("x")["units"], "m");
    assert_eq!(found("x")["long_name"], "distance along the membrane");
    for array in ["mean", "std", "quantiles"] {
        assert_eq!(
            found(array)["channel_units"],
            serde_json::json!(["m", "Pa"])
        );
    }
    assert_eq!(found("variance")["channel_units"][1], "Pa2");
    assert_eq!(found("mean")["channel_names"][0], "deflection");
    assert_eq!(found("exceedance")["coordinates"], "threshold_channel");
}

#[test]
fn an_input_far_outside_is_noted_before_sampling() {
    let folder = &Folder::new();
    trained(folder);
    membrane(&folder.join("far.zarr"), 1000.0);
    let words = "sample run --input far.zarr --inputs 0..1 --realizations 3 -o out.zarr";
    let notes = String::from_utf8(folder.succeed(words).stderr).unwrap();
    let first = notes.lines().next().unwrap();
    assert!(
        first.starts_with("note: input 0: load of the input reaches"),
        "{notes}"
    );
    assert!(first.contains("kPa"), "{notes}");
}
