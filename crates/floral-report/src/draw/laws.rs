//! Tests of every drawing with any numbers: nothing is cut off, and no labels overlap.

use usvg::{Node, Rect, Transform};

use super::print::drawing::{drawing, walk};
use super::*;

/// Ranges that occur in data: large, small, negative, far from zero, a single value.
const RANGES: [[f64; 2]; 9] = [
    [0.0, 1.0],
    [-41_630.0, -12.0],
    [0.0, 0.0025],
    [1.013e5, 2.4e5],
    [101_324.0, 101_326.0],
    [2e-9, 7e-9],
    [-3e-300, 4e299],
    [7.0, 7.0],
    [0.0, 0.0],
];

const LONG: &str = "mass concentration of a tracer in the lowest layer of the atmosphere";

fn label(name: &str) -> Label {
    Label::new(name, Some("kg m-3"))
}

/// The texts of a drawing with their bounding boxes, and the box of the page.
fn texts(svg: &str) -> (Vec<(String, Rect)>, Rect) {
    let tree = drawing(svg).unwrap();
    let mut found = Vec::new();
    walk(tree.root(), Transform::identity(), &mut |node, _| {
        if let Node::Text(text) = node {
            let words = text.chunks().iter().map(|chunk| chunk.text()).collect();
            found.push((words, text.abs_bounding_box()));
        }
        Ok(())
    })
    .unwrap();
    let page = Rect::from_xywh(0.0, 0.0, tree.size().width(), tree.size().height()).unwrap();
    (found, page)
}

fn assert_legible(svg: &str, what: &str) {
    let (texts, page) = texts(svg);
    assert!(texts.len() > 4, "{what}");
    for (i, (words, place)) in texts.iter().enumerate() {
        let is_inside = place.left() >= page.left()
            && place.right() <= page.right()
            && place.top() >= page.top()
            && place.bottom() <= page.bottom();
        assert!(
            is_inside,
            "{what}: {words:?} at {place:?} is cut by {page:?}"
        );
        for (other, beside) in &texts[..i] {
            // Boxes have the height of the font, so those of neighbouring lines overlap a little.
            let wide = place.right().min(beside.right()) - place.left().max(beside.left());
            let high = place.bottom().min(beside.bottom()) - place.top().max(beside.top());
            assert!(
                wide <= 0.5 || high <= 4.0,
                "{what}: {words:?} at {place:?} lies over {other:?} at {beside:?}"
            );
        }
    }
}

fn figure(x: [f64; 2], y: [f64; 2], name: &str) -> Figure {
    let line = |name: &str| Curve::line(name, y.to_vec(), Colour::Blue);
    Figure {
        title: "a figure".into(),
        x_label: label("x"),
        y_label: label(name),
        x: x.to_vec(),
        curves: vec![
            line("truth"),
            line(name).with_band(&[0.1 * (y[1] - y[0]); 2]),
        ],
        bands: Some("\u{b1} 5 std".into()),
        ..Figure::default()
    }
}

#[test]
fn labels_of_a_figure_lie_within_the_page_and_apart() {
    for x in RANGES {
        for y in RANGES {
            for name in ["w", LONG] {
                let what = format!("{x:?} {y:?} {name}");
                assert_legible(&figure(x, y, name).to_svg(), &what);
                let logarithmic = Figure {
                    log_x: true,
                    log_y: true,
                    ..figure(x, y, name)
                };
                assert_legible(&logarithmic.to_svg(), &format!("logarithmic {what}"));
            }
        }
    }
}

fn panels(span: [f64; 2], range: [f64; 2], aspect: f64, name: &str) -> Panels {
    let [from, to] = span;
    let axis = |name: &str| Span {
        label: label(name),
        from,
        to,
    };
    let map = |title: &str, is_there: bool| Map {
        title: title.into(),
        values: is_there.then(|| vec![range[0]; 6]),
    };
    let row = |maps: Vec<Map>| MapRow {
        label: label(name),
        colours: ColourMap::Field,
        range,
        maps,
    };
    Panels {
        title: "maps".into(),
        x: axis("x"),
        y: axis(name),
        height: 3,
        aspect: Some(aspect),
        marks: Vec::new(),
        rows: vec![
            row(vec![
                map("truth", true),
                map("low fidelity", true),
                map("FLORAL-KL 250 inputs at 128\u{d7}128", true),
            ]),
            row(vec![
                map("truth", true),
                map("low fidelity", false),
                map("a-name-that-cannot-be-broken-anywhere", true),
            ]),
        ],
    }
}

#[test]
fn labels_of_maps_lie_within_the_page_and_apart() {
    for span in RANGES {
        for range in RANGES.into_iter().filter(|[low, high]| low < high) {
            for aspect in [0.05, 0.6, 1.0, 2.0 / 1.2, 20.0] {
                for name in ["w", LONG] {
                    let what = format!("{span:?} {range:?} {aspect} {name}");
                    assert_legible(&panels(span, range, aspect, name).to_svg(), &what);
                }
            }
        }
    }
}

#[test]
fn a_power_of_ten_stands_once_at_the_axis_with_the_unit() {
    let (texts, _) = texts(&figure([0.0, 2e-9], [-3e5, 1e5], "pressure").to_svg());
    let has = |wanted: &str| texts.iter().any(|(words, _)| words == wanted);
    assert!(
        has("x [10\u{207b}\u{2079} kg m\u{207b}\u{b3}]"),
        "{texts:?}"
    );
    assert!(has("pressure [10\u{2075} kg m\u{207b}\u{b3}]"), "{texts:?}");
    assert!(has("\u{2212}3"), "{texts:?}");
}

#[test]
fn bands_are_named_where_there_are_any() {
    let mut figure = figure([0.0, 1.0], [0.0, 1.0], "w");
    let has_name = |figure: &Figure| {
        let (texts, _) = texts(&figure.to_svg());
        texts.iter().any(|(words, _)| words.contains("5 std"))
    };
    assert!(has_name(&figure));
    figure.curves[1].band.clear();
    assert!(!has_name(&figure));
}

#[test]
fn a_single_point_is_seen_with_its_band() {
    let mut figure = figure([1.0, 1.0], [2.0, 2.0], "w");
    figure.x.truncate(1);
    for curve in &mut figure.curves {
        curve.values.truncate(1);
    }
    figure.curves[1].band = vec![[0.5, 1.5]];
    let svg = figure.to_svg();
    assert!(svg.contains("<circle"), "{svg}");
    let band = svg.split("class=\"band\" d=\"").nth(1).unwrap();
    let corners = band.split('"').next().unwrap();
    assert_eq!(corners.matches(['M', 'L']).count(), 4, "{corners}");
    assert_legible(&svg, "one point");
}

#[test]
fn the_band_of_a_positive_quantity_is_positive() {
    let curve = Curve::line("c", vec![1.0, 2.0], Colour::Blue).with_band(&[5.0; 2]);
    assert_eq!(curve.edges().0, [-4.0, -3.0]);
    assert_eq!(curve.above(Some(0.0)).edges().0, [0.0, 0.0]);
}
