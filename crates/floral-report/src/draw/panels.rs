//! Fields side by side as colours; the maps of a row share a colour scale. As SVG.

use super::colour::Colour;
use super::colour_map::ColourMap;
use super::escape::escaped;
use super::label::Label;
use super::map_row::{Cell, RowLayout};
use super::scale::ends;
use super::text::{Anchor, text, upwards, width};

/// The side of a square map, the minimum width of a column, and the space between columns.
const SIDE: f64 = 120.0;
const NARROWEST: f64 = 96.0;
const GAP: f64 = 12.0;

/// The maximum ratio of the sides of a map.
pub const SLENDEREST: f64 = 8.0;

/// The font sizes of titles and of numbers.
pub(super) const LETTERS: f64 = 13.0;
pub(super) const SMALL: f64 = 11.0;

/// An axis of a map.
#[derive(Debug, Clone, PartialEq)]
pub struct Span {
    /// The label of the axis.
    pub label: Label,
    /// The coordinate of its lower end.
    pub from: f64,
    /// The coordinate of its upper end.
    pub to: f64,
}

impl Span {
    /// The two ends as text.
    fn ends(&self) -> [String; 2] {
        ends([self.from, self.to]).0
    }

    /// The label with the unit and the power of ten of the ends, and its font size.
    fn name(&self, room: f64) -> (String, f64) {
        let (_, power) = ends([self.from, self.to]);
        self.label.fitted(power, SMALL, room)
    }
}

/// A field, [vertical, horizontal], in storage order: the last index varies fastest and increases
/// to the right, the first index increases upwards.
#[derive(Debug, Clone, PartialEq)]
pub struct Map {
    /// The title of the map.
    pub title: String,
    /// The values; `None` leaves the cell empty.
    pub values: Option<Vec<f64>>,
}

/// Maps that share a colour scale.
#[derive(Debug, Clone, PartialEq)]
pub struct MapRow {
    /// The meaning of the colours.
    pub label: Label,
    /// The colour map.
    pub colours: ColourMap,
    /// The values of the first and last colour. Values outside take the nearest of the two colours.
    pub range: [f64; 2],
    /// The maps.
    pub maps: Vec<Map>,
}

/// Rows of maps on one grid.
#[derive(Debug, Clone, PartialEq)]
pub struct Panels {
    /// The title of the drawing.
    pub title: String,
    /// The horizontal axis.
    pub x: Span,
    /// The vertical axis.
    pub y: Span,
    /// Number of points along the vertical axis.
    pub height: usize,
    /// Height divided by width of a map; `None` if the axes have different units.
    pub aspect: Option<f64>,
    /// The rows, from top to bottom.
    pub rows: Vec<MapRow>,
    /// Points that are marked on every map: horizontal and vertical coordinate.
    pub marks: Vec<[f64; 2]>,
}

impl Panels {
    /// The drawing as an SVG element that scales with its container.
    pub fn to_svg(&self) -> String {
        let columns = self.rows.iter().map(|row| row.maps.len()).max();
        let columns = columns.unwrap_or(0) as f64;
        let cell = self.cell();
        let left = self.left();
        let rows: Vec<RowLayout> = self
            .rows
            .iter()
            .map(|row| RowLayout::of(row, &cell))
            .collect();
        let bars = left + columns * cell.pitch;
        let right = rows.iter().map(RowLayout::bar_width).fold(0.0, f64::max);
        let width = bars + right;
        let (mut svg, mut top) = (String::new(), 0.0);
        for (i, row) in rows.iter().enumerate() {
            svg += &row.heading(left, top, width - left);
            top += row.above();
            svg += &self.maps(row, [left, top], &self.rows[i + 1..]);
            svg += &row.bar([bars, top]);
            let is_under = self.is_lowest_somewhere(i);
            top += cell.height + GAP + if is_under { 2.0 * LETTERS } else { 0.0 };
        }
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {top:.0}\" \
             style=\"width:{:.0}px;min-width:{:.0}px;max-width:100%\" role=\"img\" \
             aria-label=\"{}\" font-family=\"system-ui,sans-serif\" font-size=\"{LETTERS}\">\n\
             <g style=\"fill:{}\">\n{svg}</g></svg>\n",
            1.25 * width,
            0.8 * width,
            escaped(&self.title),
            Colour::Ink
        )
    }

    /// The size of a map: the area of a square map, with the aspect ratio of the domain.
    fn cell(&self) -> Cell {
        let aspect = self.aspect.unwrap_or(1.0);
        let aspect = aspect.clamp(1.0 / SLENDEREST, SLENDEREST);
        let width = SIDE / aspect.sqrt();
        Cell {
            width,
            height: SIDE * aspect.sqrt(),
            pitch: width.max(NARROWEST) + GAP,
            points: self.height,
        }
    }

    /// The room for the name and the ends of the vertical axis.
    fn left(&self) -> f64 {
        let widest = self.y.ends();
        let widest = widest
            .iter()
            .map(|end| width(end, SMALL))
            .fold(0.0, f64::max);
        SMALL + 10.0 + widest + 6.0
    }

    /// Whether a row contains a map with no map below it.
    fn is_lowest_somewhere(&self, row: usize) -> bool {
        let maps = self.rows[row].maps.iter().enumerate();
        let mut shown = maps.filter(|(_, map)| map.values.is_some());
        shown.any(|(column, _)| is_lowest(column, &self.rows[row + 1..]))
    }

    /// The maps of a row whose upper left corner is at this position; `below` are the rows under
    /// it.
    fn maps(&self, row: &RowLayout, [left, top]: [f64; 2], below: &[MapRow]) -> String {
        let mut svg = String::new();
        let mut is_first = true;
        for (column, map) in row.maps().iter().enumerate() {
            let Some(values) = &map.values else { continue };
            let cell = row.cell();
            let column_left = left + column as f64 * cell.pitch;
            let x = column_left + (cell.pitch - GAP - cell.width) / 2.0;
            svg += &row.map(column, values, [x, top]);
            svg += &self.marked(cell, [x, top]);
            if is_first {
                svg += &self.beside(cell, [x, top]);
            }
            is_first = false;
            if is_lowest(column, below) {
                svg += &self.under(cell, [column_left, top + cell.height]);
            }
        }
        svg
    }

    /// The marks on the map whose upper left corner is at this position.
    fn marked(&self, cell: &Cell, [left, top]: [f64; 2]) -> String {
        let share = |value: f64, span: &Span| (value - span.from) / (span.to - span.from);
        let mark = |place: &[f64; 2]| {
            let [x, y] = [share(place[0], &self.x), share(place[1], &self.y)];
            let is_inside = [x, y].iter().all(|share| (0.0..=1.0).contains(share));
            let [x, y] = [left + x * cell.width, top + (1.0 - y) * cell.height];
            let ring = format!(
                "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"4\" \
                 style=\"fill:#ffffff;stroke:#1d2126;stroke-width:2\"/>\n"
            );
            is_inside.then_some(ring)
        };
        self.marks.iter().filter_map(mark).collect()
    }

    /// The ends and the label of the horizontal axis, under a column.
    fn under(&self, cell: &Cell, [x, bottom]: [f64; 2]) -> String {
        let [from, to] = self.x.ends();
        let room = cell.pitch - GAP;
        let slack = (room - cell.width) / 2.0;
        // Under the corners if both numbers fit there, otherwise as far apart as the column allows.
        let is_roomy = width(&from, SMALL) + width(&to, SMALL) + GAP <= cell.width;
        let inset = if is_roomy { slack } else { 0.0 };
        let (name, size) = self.x.name(room + GAP / 2.0);
        let [numbers, names] = [bottom + LETTERS, bottom + 2.0 * LETTERS];
        text([x + inset, numbers], Anchor::Start, SMALL, &from)
            + &text([x + room - inset, numbers], Anchor::End, SMALL, &to)
            + &text([x + room / 2.0, names], Anchor::Middle, size, &name)
    }

    /// The ends and the label of the vertical axis of the map at (x, y).
    fn beside(&self, cell: &Cell, [x, y]: [f64; 2]) -> String {
        let [from, to] = self.y.ends();
        let (name, size) = self.y.name(cell.height + 2.0 * LETTERS);
        let numbers = x - 6.0;
        text([numbers, y + cell.height], Anchor::End, SMALL, &from)
            + &text([numbers, y + SMALL - 1.0], Anchor::End, SMALL, &to)
            + &upwards(
                [x - self.left() + SMALL, y + cell.height / 2.0],
                size,
                &name,
            )
    }
}

fn is_lowest(column: usize, below: &[MapRow]) -> bool {
    let goes_on = |row: &MapRow| row.maps.get(column).is_some_and(|map| map.values.is_some());
    !below.iter().any(goes_on)
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
            aspect: None,
            rows: vec![MapRow {
                label: "mean".into(),
                colours: ColourMap::Field,
                range: [0.0, 5.0],
                maps: vec![
                    map("truth", Some((0..6).map(f64::from).collect())),
                    map("low", None),
                ],
            }],
            marks: Vec::new(),
        }
    }

    #[test]
    fn svg_is_well_formed_and_carries_its_images() {
        let svg = panels().to_svg();
        assert_well_formed(&svg);
        // One map and the colour bar have an image; the other map has no values.
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
        // The horizontal axis is named once per column, the vertical axis once per row.
        assert_eq!(svg.matches(">x<").count(), 2);
        assert_eq!(svg.matches(">y &amp; z<").count(), 2);
    }

    #[test]
    fn marks_are_drawn_on_every_map_where_they_lie_within() {
        let mut panels = panels();
        panels.marks = vec![[0.0, 0.0], [9.0, 0.0]];
        let svg = panels.to_svg();
        assert_well_formed(&svg);
        assert_eq!(svg.matches("<circle").count(), 1);
    }

    #[test]
    fn a_map_has_the_aspect_of_its_domain() {
        for aspect in [0.2, 0.6, 1.0, 2.0 / 1.2, 5.0] {
            let cell = Panels {
                aspect: Some(aspect),
                ..panels()
            }
            .cell();
            assert!((cell.height / cell.width - aspect).abs() < 1e-12);
            assert!(cell.pitch > cell.width);
        }
        let endless = Panels {
            aspect: Some(1e6),
            ..panels()
        };
        let cell = endless.cell();
        assert!((cell.height / cell.width - SLENDEREST).abs() < 1e-9);
    }
}
