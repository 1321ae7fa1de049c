//! Tests of a comparison of several channels in different units.

use floral::train::Method;

use super::curve_figures::marginal;
use super::map_figures::{fields, joints};
use super::testing::{Play, membrane};
use super::tests::{compared, options};
use super::view::View;
use super::*;
use crate::draw::Figure;

fn comparison(play: &Play) -> Comparison {
    compared(play, &[play.run(Method::Kriging)], &options()).0
}

fn first(comparison: &Comparison) -> View<'_> {
    View::all(comparison).next().unwrap()
}

#[test]
fn every_channel_is_drawn_in_its_own_units() {
    let play = membrane();
    let comparison = comparison(&play);
    let sizes = [1e-9, 1e5];
    for ((view, size), name) in View::all(&comparison)
        .zip(sizes)
        .zip(["deflection", "pressure"])
    {
        let panels = fields(view, &comparison.shown[0]);
        assert!(panels.title.contains(name), "{}", panels.title);
        let truth = &panels.rows[0];
        assert!(truth.label.name.contains(name));
        assert_eq!(truth.label.units, view.quantity().units);
        assert!(
            (0.1 * size..10.0 * size).contains(&truth.range[1]),
            "{:?}",
            truth.range
        );
    }
}

#[test]
fn every_channel_is_scored_in_its_own_units() {
    let play = membrane();
    let comparison = comparison(&play);
    let low = |i: usize| comparison.channels[i].low.as_ref().unwrap().errors.rmse;
    // The same load moves both channels: one by nanometres, the other by 1000 pascals.
    assert!(
        (low(1) / low(0) / 1e12 - 1.0).abs() < 1e-3,
        "{} {}",
        low(0),
        low(1)
    );
    let tables = scores(&comparison);
    let units = |i: usize| &tables[i].columns[0].meaning;
    assert!(
        units(0).ends_with(", m") && units(1).ends_with(", Pa"),
        "{}",
        units(0)
    );
}

#[test]
fn figures_of_every_channel_have_names_of_their_own() {
    let play = membrane();
    let comparison = comparison(&play);
    let exports = exports(&comparison);
    let mut names: Vec<&str> = exports.iter().map(|(name, _)| name.as_str()).collect();
    for wanted in [
        "scores-pressure",
        "fields-0-deflection",
        "spectra-pressure",
        "speed",
    ] {
        assert!(names.contains(&wanted), "{wanted}");
    }
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn maps_have_the_aspect_of_the_domain_whose_axes_compare() {
    let play = membrane();
    let mut comparison = comparison(&play);
    let aspect = |comparison: &Comparison| {
        let shown = &comparison.shown[0];
        fields(first(comparison), shown).aspect
    };
    assert!((aspect(&comparison).unwrap() - 2.0 / 1.2).abs() < 1e-12);
    assert_eq!(joints(first(&comparison), false).unwrap().aspect, None);
    comparison.setting.axes[0].units = Some("mm".into());
    assert!((aspect(&comparison).unwrap() - 2000.0 / 1.2).abs() < 1e-9);
    comparison.setting.axes[0].units = Some("s".into());
    assert_eq!(aspect(&comparison), None);
}

#[test]
fn maps_are_drawn_with_x_to_the_right_whatever_the_order_of_axes() {
    let play = membrane();
    let mut comparison = comparison(&play);
    // The axes are x and y, of 6 and 10 points.
    assert_eq!(comparison.setting.right, 0);
    let map = |comparison: &Comparison| {
        let panels = fields(first(comparison), &comparison.shown[0]);
        let values = panels.rows[0].maps[0].values.clone().unwrap();
        (panels.x.label.name.clone(), panels.height, values)
    };
    let (right, height, values) = map(&comparison);
    assert_eq!((right.as_str(), height), ("x", 10));
    let truth = comparison.shown[0].truth.as_ref().unwrap().mean.clone();
    let at = |x: usize, y: usize| f64::from(truth[x * 10 + y]);
    for (x, y) in [(0, 0), (5, 0), (0, 9), (3, 4)] {
        assert_eq!(values[y * 6 + x], at(x, y));
    }
    // The convention of xarray for an array of unknown axes: the last one to the right.
    comparison.setting.right = 1;
    let (right, height, values) = map(&comparison);
    assert_eq!((right.as_str(), height), ("y", 6));
    assert_eq!(values[3 * 10 + 4], at(3, 4));
}

/// The sum of a curve's heights at negative x.
fn below_zero(figure: &Figure, curve: usize) -> f64 {
    let curve = &figure.curves[curve];
    let pairs = curve.x.windows(2).zip(curve.values.windows(2));
    // A step has its height between its two ends; between steps, the line has no width.
    let steps = pairs.step_by(2).filter(|(x, _)| x[0] < 0.0);
    steps.map(|(_, heights)| heights[0]).sum()
}

#[test]
fn what_is_never_negative_has_no_density_below_zero() {
    let play = membrane();
    let mut comparison = comparison(&play);
    assert!(comparison.channels[0].lowest > 0.0);
    for negative in [0.0, -1e-9] {
        let truth = comparison.channels[0].pairs.iter();
        comparison.runs[0].channels[0].pairs =
            truth.map(|[low, value]| [*low, value + negative]).collect();
        let figure = marginal(first(&comparison), false);
        assert_eq!(below_zero(&figure, 0), 0.0, "{negative}");
        let has_predicted = below_zero(&figure, 1) > 0.0;
        assert_eq!(has_predicted, negative < 0.0, "what is predicted is shown");
    }
}

#[test]
fn a_page_has_the_title_of_its_data_and_a_part_for_every_channel() {
    let play = membrane();
    let html = page(&comparison(&play)).unwrap().to_html();
    assert!(html.contains("<title>FLORAL report: Membrane under load</title>"));
    for heading in ["deflection [m]", "pressure [Pa]"] {
        assert!(
            html.contains(&format!("<summary>{heading}</summary>")),
            "{heading}"
        );
    }
    assert!(!html.contains("<strong>"), "one run is best of nothing");
}
