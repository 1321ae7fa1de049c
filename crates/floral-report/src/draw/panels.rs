//! Fields side by side as colours, rows of them sharing a scale, as SVG.

use base64::prelude::{BASE64_STANDARD, Engine};

use super::colour::Colour;
use super::colour_map::{COLOURS, ColourMap};
use super::escape::escaped;
use super::png::png;
use super::scale::Scale;

/// Sizes of the drawing: a map, the gaps around it, and the margins for titles and colour bars.
const SIDE: f64 = 120.0;
const GAP: f64 = 12.0;
const LEFT: f64 = 58.0;
const TOP: f64 = 38.0;
const BOTTOM: f64 = 44.0;
const BAR: f64 = 12.0;
const RIGHT: f64 = 74.0;

/// An axis of a map.
#[derive(Debug, Clone, PartialEq)]
pub struct Span {
    /// Its name.
    pub label: String,
    /// The first coordinate.
    pub from: f64,
    /// The last.
    pub to: f64,
}

/// A field, [horizontal, vertical], the vertical index varying fastest and growing upwards.
#[derive(Debug, Clone, PartialEq)]
pub struct Map {
    /// What it shows.
    pub title: String,
    /// Its values; none leaves its place empty.
    pub values: Option<Vec<f64>>,
}

/// Maps that share a scale.
#[derive(Debug, Clone, PartialEq)]
pub struct MapRow {
    /// What the colours mean.
    pub label: String,
    /// Which colours.
    pub colours: ColourMap,
    /// The values of the first and the last colour; what lies beyond takes the end's.
    pub range: [f64; 2],
    /// The maps.
    pub maps: Vec<Map>,
}

/// Rows of maps on one grid.
#[derive(Debug, Clone, PartialEq)]
pub struct Panels {
    /// What they show.
    pub title: String,
    /// The horizontal axis.
    pub x: Span,
    /// The vertical axis.
    pub y: Span,
    /// Points along the vertical axis.
    pub height: usize,
    /// The rows, from the top.
    pub rows: Vec<MapRow>,
}

impl Panels {
    /// The drawing as an SVG element that scales with its container.
    pub fn to_svg(&self) -> String {
        let columns = self
            .rows
            .iter()
            .map(|row| row.maps.len())
            .max()
            .unwrap_or(0);
        let width = LEFT + columns as f64 * (SIDE + GAP) + RIGHT;
        let pitch = SIDE + TOP + GAP;
        let height = self.rows.len() as f64 * pitch + BOTTOM;
        let rows = self.rows.iter().enumerate();
        let rows: String = rows
            .map(|(i, row)| self.row(row, i as f64 * pitch, columns, &self.rows[i + 1..]))
            .collect();
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             style=\"min-width:{:.0}px\" role=\"img\" \
             aria-label=\"{}\" font-family=\"system-ui,sans-serif\" font-size=\"13\">\n\
             <g style=\"fill:{}\">\n{rows}</g></svg>\n",
            0.8 * width,
            escaped(&self.title),
            Colour::Ink
        )
    }

    /// A row of maps; `below` are the rows under it.
    fn row(&self, row: &MapRow, top: f64, columns: usize, below: &[MapRow]) -> String {
        let mut svg = String::new();
        let mut is_first = true;
        for (i, map) in row.maps.iter().enumerate() {
            let Some(values) = &map.values else { continue };
            let (x, y) = (LEFT + i as f64 * (SIDE + GAP), top + TOP);
            svg += &self.map(&map.title, values, row, [x, y]);
            if is_first {
                svg += &beside(&self.y, x, y);
            }
            is_first = false;
            let goes_on = |row: &MapRow| row.maps.get(i).is_some_and(|map| map.values.is_some());
            if !below.iter().any(goes_on) {
                svg += &under(&self.x, x, y + SIDE);
            }
        }
        svg + &bar(row, LEFT + columns as f64 * (SIDE + GAP), top + TOP)
    }

    fn map(&self, title: &str, values: &[f64], row: &MapRow, [x, y]: [f64; 2]) -> String {
        let middle = x + SIDE / 2.0;
        let mut svg = String::new();
        for (i, line) in lines(title).iter().rev().enumerate() {
            svg += &format!(
                "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                y - 7.0 - 14.0 * i as f64,
                escaped(line)
            );
        }
        let columns = values.len() / self.height.max(1);
        let pixels = pixels(values, self.height, row);
        svg += &image(&pixels, columns, [x, y, SIDE, SIDE]);
        svg + &format!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{SIDE}\" height=\"{SIDE}\" \
             style=\"fill:none;stroke:{}\"/>\n",
            Colour::Grey
        )
    }
}

/// A title in at most two lines, broken near its middle if it is long.
fn lines(title: &str) -> Vec<&str> {
    const LONG: usize = 17;
    let middle = title.len() / 2;
    let blanks = title.match_indices(' ').map(|(at, _)| at);
    match blanks.min_by_key(|at| at.abs_diff(middle)) {
        Some(at) if title.chars().count() > LONG => vec![&title[..at], &title[at + 1..]],
        _ => vec![title],
    }
}

fn opaque([r, g, b]: [u8; 3]) -> [u8; 4] {
    [r, g, b, 255]
}

/// Colours row by row from the top.
fn pixels(values: &[f64], height: usize, row: &MapRow) -> Vec<[u8; 4]> {
    let (table, [low, high]) = (row.colours.table(), row.range);
    let width = values.len() / height.max(1);
    let colour = |value: f64| match (value - low) / (high - low) {
        // Nothing is there, and nothing is shown.
        t if t.is_nan() => [0; 4],
        t => opaque(table[(t.clamp(0.0, 1.0) * (COLOURS - 1) as f64).round() as usize]),
    };
    let places = (0..height)
        .rev()
        .flat_map(|j| (0..width).map(move |i| i * height + j));
    places.map(|at| colour(values[at])).collect()
}

fn image(pixels: &[[u8; 4]], columns: usize, [x, y, width, height]: [f64; 4]) -> String {
    format!(
        "<image x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" \
         preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" \
         href=\"data:image/png;base64,{}\"/>\n",
        BASE64_STANDARD.encode(png(columns, pixels))
    )
}

/// The colour bar of a row.
fn bar(row: &MapRow, x: f64, y: f64) -> String {
    let mut colours = row.colours.table().map(opaque).to_vec();
    colours.reverse();
    let mut svg = image(&colours, 1, [x, y, BAR, SIDE]);
    let [low, high] = row.range;
    let scale = Scale::covering([low, high], 4);
    for tick in scale.ticks() {
        let share = (tick - low) / (high - low);
        if !(-1e-9..=1.0 + 1e-9).contains(&share) {
            continue;
        }
        let at = y + SIDE * (1.0 - share);
        svg += &format!(
            "<path d=\"M{:.1} {at:.2}h4\" style=\"stroke:{}\"/>\n\
             <text x=\"{:.1}\" y=\"{:.2}\" font-size=\"11\">{}</text>\n",
            x + BAR,
            Colour::Grey,
            x + BAR + 6.0,
            at + 4.0,
            scale.label(*tick)
        );
    }
    svg + &format!(
        "<text transform=\"translate({:.1} {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
        x + RIGHT - 8.0,
        y + SIDE / 2.0,
        escaped(&row.label)
    )
}

/// The ends and the name of the horizontal axis.
fn under(span: &Span, x: f64, bottom: f64) -> String {
    let text = |x: f64, y: f64, anchor: &str, text: &str| {
        format!(
            "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\" font-size=\"11\">{text}</text>\n"
        )
    };
    text(x, bottom + 14.0, "start", &end(span.from))
        + &text(x + SIDE, bottom + 14.0, "end", &end(span.to))
        + &text(
            x + SIDE / 2.0,
            bottom + 28.0,
            "middle",
            &escaped(&span.label),
        )
}

/// The ends and the name of the vertical axis of the map at (x, y).
fn beside(span: &Span, x: f64, y: f64) -> String {
    let text = |y: f64, text: String| {
        let x = x - 6.0;
        format!("<text x=\"{x}\" y=\"{y}\" text-anchor=\"end\" font-size=\"11\">{text}</text>\n")
    };
    let name = format!(
        "<text transform=\"translate({} {}) rotate(-90)\" text-anchor=\"middle\" \
         font-size=\"11\">{}</text>\n",
        x + 14.0 - LEFT,
        y + SIDE / 2.0,
        escaped(&span.label)
    );
    text(y + SIDE, end(span.from)) + &text(y + 10.0, end(span.to)) + &name
}

fn end(coordinate: f64) -> String {
    let text = format!("{coordinate:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    text.replace('-', "\u{2212}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::testing::assert_well_formed;

    fn panels() -> Panels {
        let map = |title: &str, values| Map {
            title: title.into(),
            values,
        };
        let span = |label: &str| Span {
            label: label.into(),
            from: -0.5,
            to: 1.0,
        };
        Panels {
            title: "a < b".into(),
            x: span("x"),
            y: span("y & z"),
            height: 3,
            rows: vec![MapRow {
                label: "mean".into(),
                colours: ColourMap::Field,
                range: [0.0, 5.0],
                maps: vec![
                    map("truth", Some((0..6).map(f64::from).collect())),
                    map("low", None),
                ],
            }],
        }
    }

    #[test]
    fn svg_is_well_formed_and_carries_its_images() {
        let svg = panels().to_svg();
        assert_well_formed(&svg);
        // One map and the colour bar; the other map has no values.
        assert_eq!(svg.matches("data:image/png;base64,").count(), 2);
    }

    #[test]
    fn a_map_without_values_leaves_no_empty_frame_and_the_axis_goes_under_the_lowest() {
        let mut panels = panels();
        panels.rows.push(panels.rows[0].clone());
        panels.rows[0].maps[1].values = panels.rows[0].maps[0].values.clone();
        let svg = panels.to_svg();
        assert_eq!(svg.matches("<rect").count(), 3);
        assert_eq!(svg.matches(">low<").count(), 1);
        // Each column has the name of its horizontal axis once, each row that of its vertical.
        assert_eq!(svg.matches(">x<").count(), 2);
        assert_eq!(svg.matches(">y &amp; z<").count(), 2);
    }

    #[test]
    fn the_first_index_runs_to_the_right_and_the_second_upwards() {
        let panels = panels();
        let row = &panels.rows[0];
        let values = row.maps[0].values.as_ref().unwrap();
        let (pixels, table) = (pixels(values, 3, row), ColourMap::Field.table());
        assert_eq!(pixels.len(), 6);
        assert_eq!(pixels[4], opaque(table[0]));
        assert_eq!(pixels[1], opaque(table[COLOURS - 1]));
    }
}
