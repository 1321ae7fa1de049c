//! A row of maps that share a colour bar: heading, titles, colours.

use base64::prelude::{BASE64_STANDARD, Engine};

use super::colour::Colour;
use super::colour_map::COLOURS;
use super::panels::{LETTERS, Map, MapRow, SMALL};
use super::png::png;
use super::scale::Scale;
use super::text::{Anchor, fitted, text, widest, width};

/// The height of a heading and of a line of a title; the width of a colour bar and of its ticks.
const HEADING: f64 = 20.0;
const LINE: f64 = 15.0;
const BAR: f64 = 12.0;
const TICK: f64 = 6.0;

/// The minimum distance of labels at a colour bar.
const APART: f64 = 14.0;

/// The size of a map, the width of its column, and the number of points along its vertical axis.
pub(super) struct Cell {
    pub width: f64,
    pub height: f64,
    pub pitch: f64,
    pub points: usize,
}

/// A row of maps with everything that determines its height and width.
pub(super) struct RowLayout<'a> {
    row: &'a MapRow,
    cell: &'a Cell,
    scale: Scale,
    /// The lines of each title.
    titles: Vec<Vec<&'a str>>,
}

impl<'a> RowLayout<'a> {
    pub fn of(row: &'a MapRow, cell: &'a Cell) -> Self {
        let lines = |map: &'a Map| match map.values {
            Some(_) => lines(&map.title, cell.pitch - TICK),
            None => Vec::new(),
        };
        Self {
            row,
            cell,
            scale: bar_scale(row.range, cell.height),
            titles: row.maps.iter().map(lines).collect(),
        }
    }

    pub fn maps(&self) -> &[Map] {
        &self.row.maps
    }

    pub fn cell(&self) -> &Cell {
        self.cell
    }

    /// The height of heading and titles together.
    pub fn above(&self) -> f64 {
        let lines = self.titles.iter().map(Vec::len).max().unwrap_or(0);
        HEADING + LINE * lines as f64 + 4.0
    }

    /// The meaning of the colours, with the unit and power of ten of the numbers at the colour bar.
    pub fn heading(&self, x: f64, top: f64, room: f64) -> String {
        let (words, size) = self.row.label.fitted(self.scale.power(), LETTERS, room);
        let place = [x, top + LETTERS];
        let heading = text(place, Anchor::Start, size, &words);
        heading.replacen("<text", "<text font-weight=\"600\"", 1)
    }

    /// The map in a column with its title; its upper left corner is at this position.
    pub fn map(&self, column: usize, values: &[f64], [x, y]: [f64; 2]) -> String {
        let Cell { width, height, .. } = self.cell;
        let mut svg = String::new();
        for (i, line) in self.titles[column].iter().rev().enumerate() {
            let (words, size) = fitted(line, LETTERS, self.cell.pitch - TICK);
            let place = [x + width / 2.0, y - 6.0 - LINE * i as f64];
            svg += &text(place, Anchor::Middle, size, &words);
        }
        let columns = values.len() / self.cell.points.max(1);
        let pixels = pixels(values, self.cell.points, self.row);
        svg += &image(&pixels, columns, [x, y, *width, *height]);
        svg + &format!(
            "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" \
             style=\"fill:none;stroke:{}\"/>\n",
            Colour::Grey
        )
    }

    /// Ticks of the colour bar: the distance from its lower end as a fraction of its height, and
    /// the label.
    fn ticks(&self) -> impl Iterator<Item = (f64, String)> + '_ {
        let [low, high] = self.row.range;
        let ticks = self.scale.ticks().iter();
        let at = ticks.map(move |tick| ((tick - low) / (high - low), self.scale.label(*tick)));
        at.filter(|(share, _)| (-1e-9..=1.0 + 1e-9).contains(share))
    }

    /// The width of the colour bar including its numbers.
    pub fn bar_width(&self) -> f64 {
        let labels: Vec<String> = self.ticks().map(|(_, label)| label).collect();
        BAR + TICK + widest(&labels, SMALL) + 2.0
    }

    /// The colour bar; its upper left corner is at this position.
    pub fn bar(&self, [x, y]: [f64; 2]) -> String {
        let height = self.cell.height;
        let mut colours = self.row.colours.table().map(opaque).to_vec();
        colours.reverse();
        let mut svg = image(&colours, 1, [x, y, BAR, height]);
        for (share, label) in self.ticks() {
            let at = y + height * (1.0 - share);
            svg += &format!(
                "<path d=\"M{:.1} {at:.2}h4\" style=\"stroke:{}\"/>\n",
                x + BAR,
                Colour::Grey
            );
            svg += &text([x + BAR + TICK, at + 4.0], Anchor::Start, SMALL, &label);
        }
        svg
    }
}

/// A scale with at least two ticks in the range, if possible, and with enough space between ticks.
fn bar_scale(range: [f64; 2], height: f64) -> Scale {
    let most = ((height / APART) as usize).clamp(1, 4);
    let inside = |scale: &Scale| {
        let [low, high] = range;
        let slack = 1e-9 * (high - low);
        let ticks = scale.ticks().iter();
        ticks
            .filter(|tick| (low - slack..=high + slack).contains(tick))
            .count()
    };
    let scale = |about| Scale::covering(range, about);
    let enough = (most..3 * most).map(scale).find(|scale| inside(scale) > 1);
    enough.unwrap_or_else(|| scale(most))
}

/// A title in at most two lines. If it is wider than `room`, it is broken near its middle.
fn lines(title: &str, room: f64) -> Vec<&str> {
    let middle = title.len() / 2;
    let blanks = title.match_indices(' ').map(|(at, _)| at);
    match blanks.min_by_key(|at| at.abs_diff(middle)) {
        Some(at) if width(title, LETTERS) > room => vec![&title[..at], &title[at + 1..]],
        _ => vec![title],
    }
}

fn opaque([r, g, b]: [u8; 3]) -> [u8; 4] {
    [r, g, b, 255]
}

/// The colours of a map, row by row from the top.
fn pixels(values: &[f64], height: usize, row: &MapRow) -> Vec<[u8; 4]> {
    let (table, [low, high]) = (row.colours.table(), row.range);
    let width = values.len() / height.max(1);
    let colour = |value: f64| match (value - low) / (high - low) {
        // A missing value is transparent.
        t if t.is_nan() => [0; 4],
        t => opaque(table[(t.clamp(0.0, 1.0) * (COLOURS - 1) as f64).round() as usize]),
    };
    let places = (0..height)
        .rev()
        .flat_map(|j| (0..width).map(move |i| j * width + i));
    places.map(|at| colour(values[at])).collect()
}

fn image(pixels: &[[u8; 4]], columns: usize, [x, y, width, height]: [f64; 4]) -> String {
    format!(
        "<image x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" \
         preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" \
         href=\"data:image/png;base64,{}\"/>\n",
        BASE64_STANDARD.encode(png(columns, pixels))
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::ColourMap;

    #[test]
    fn the_last_index_runs_to_the_right_and_the_first_upwards() {
        let row = MapRow {
            label: "mean".into(),
            colours: ColourMap::Field,
            range: [0.0, 5.0],
            maps: Vec::new(),
        };
        let values: Vec<f64> = (0..6).map(f64::from).collect();
        let (pixels, table) = (pixels(&values, 3, &row), ColourMap::Field.table());
        // Three rows with two points each: the first row is the lowest.
        assert_eq!(pixels.len(), 6);
        assert_eq!(pixels[4], opaque(table[0]));
        assert_eq!(pixels[5], opaque(table[COLOURS / 5]));
        assert_eq!(pixels[1], opaque(table[COLOURS - 1]));
    }

    #[test]
    fn a_colour_bar_has_two_numbers_at_least_and_they_are_apart() {
        for range in [
            [0.0, 1.0],
            [-4.5, -1.5],
            [0.0731, 0.0749],
            [1.1e5, 1.9e5],
            [-3e-9, 3e-9],
        ] {
            for height in [40.0, 120.0, 330.0] {
                let scale = bar_scale(range, height);
                let step = scale.ticks()[1] - scale.ticks()[0];
                let inside = scale
                    .ticks()
                    .iter()
                    .filter(|t| (range[0]..=range[1]).contains(*t));
                assert!(inside.count() > 1, "{range:?} {scale:?}");
                assert!(
                    height * step / (range[1] - range[0]) >= 8.0,
                    "{range:?} {height}"
                );
            }
        }
    }
}
