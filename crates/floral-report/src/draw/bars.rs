//! Bars with intervals, one group below the other, as SVG.

use super::colour::Colour;
use super::escape::escaped;
use super::label::Label;
use super::scale::Scale;
use super::text::{Anchor, fitted, text, widest, width};

/// The length of the axis, the height of a bar, and the space between groups.
const LENGTH: f64 = 300.0;
const HEIGHT: f64 = 14.0;
const APART: f64 = 8.0;

const LETTERS: f64 = 13.0;
const SMALL: f64 = 11.0;

/// The maximum width of a group's name.
const NAME: f64 = 180.0;

/// One bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// The length of the bar; it starts at zero or, in a stacked group, at the end of the previous
    /// bar.
    pub value: f64,
    /// An interval for the value.
    pub interval: Option<[f64; 2]>,
    /// The colour of the bar.
    pub colour: Colour,
}

/// Groups of bars.
#[derive(Debug, Clone, PartialEq)]
pub struct Bars {
    /// The title of the drawing.
    pub title: String,
    /// The horizontal axis.
    pub label: Label,
    /// Both ends of the horizontal axis.
    pub range: [f64; 2],
    /// Names and bars of the groups, from top to bottom.
    pub groups: Vec<(String, Vec<Bar>)>,
    /// The meaning of each colour.
    pub legend: Vec<(String, Colour)>,
    /// Whether the bars of a group follow one another on one line.
    pub is_stacked: bool,
}

impl Bars {
    /// The drawing as an SVG element that scales with its container.
    pub fn to_svg(&self) -> String {
        let names: Vec<String> = self.groups.iter().map(|group| group.0.clone()).collect();
        let left = widest(&names, LETTERS).min(NAME) + 10.0;
        let scale = Scale::covering(self.range, 5);
        let numbers = scale.labels();
        let page = left + LENGTH + 0.5 * widest(&numbers, SMALL).max(20.0) + 4.0;
        let (mut svg, mut top) = self.heading(page);
        let first = top;
        let at = |value: f64| left + self.share(value) * LENGTH;
        for (name, bars) in &self.groups {
            let height = self.height(bars.len());
            let (words, size) = fitted(name, LETTERS, NAME);
            let middle = top + 0.5 * height + 4.0;
            svg += &text([left - 8.0, middle], Anchor::End, size, &words);
            svg += &self.bars(bars, at, top);
            top += height + APART;
        }
        let axis = self.axis(&scale, at, [first, top]);
        let (name, size) = self.label.fitted(scale.power(), SMALL, LENGTH);
        let middle = [left + 0.5 * LENGTH, top + 2.6 * SMALL];
        svg += &text(middle, Anchor::Middle, size, &name);
        let bottom = top + 3.2 * SMALL;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {page:.0} {bottom:.0}\" \
             style=\"width:{:.0}px;max-width:100%\" role=\"img\" aria-label=\"{}\" \
             font-family=\"system-ui,sans-serif\" font-size=\"{LETTERS}\">\n\
             <g style=\"fill:{}\">\n{axis}{svg}</g></svg>\n",
            1.2 * page,
            escaped(&self.title),
            Colour::Ink
        )
    }

    fn share(&self, value: f64) -> f64 {
        let [from, to] = self.range;
        ((value - from) / (to - from)).clamp(0.0, 1.0)
    }

    fn height(&self, bars: usize) -> f64 {
        match self.is_stacked {
            true => HEIGHT,
            false => HEIGHT * bars.max(1) as f64,
        }
    }

    /// The legend, with as many entries per line as fit, and the y coordinate of its lower end.
    fn heading(&self, page: f64) -> (String, f64) {
        let (mut svg, mut x, mut y) = (String::new(), 4.0, 14.0);
        for (name, colour) in &self.legend {
            let room = width(name, SMALL) + 34.0;
            if x > 4.0 && x + room > page {
                (x, y) = (4.0, y + 16.0);
            }
            svg += &format!(
                "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"12\" height=\"10\" style=\"fill:{colour}\"/>\n",
                y - 9.0
            );
            svg += &text([x + 18.0, y], Anchor::Start, SMALL, name);
            x += room;
        }
        let end = if self.legend.is_empty() {
            4.0
        } else {
            y + 10.0
        };
        (svg, end)
    }

    fn bars(&self, bars: &[Bar], at: impl Fn(f64) -> f64, top: f64) -> String {
        let (mut svg, mut start) = (String::new(), 0.0);
        for (k, bar) in bars.iter().enumerate() {
            let (from, y) = match self.is_stacked {
                true => (start, top),
                false => (0.0, top + HEIGHT * k as f64),
            };
            let to = from + bar.value;
            let [low, high] = [from.min(to), from.max(to)].map(&at);
            svg += &format!(
                "<rect x=\"{low:.2}\" y=\"{:.2}\" width=\"{:.2}\" height=\"{:.2}\" style=\"fill:{}\"/>\n",
                y + 1.0,
                high - low,
                HEIGHT - 2.0,
                bar.colour
            );
            if let Some(ends) = bar.interval {
                let [low, high] = ends.map(&at);
                let middle = y + 0.5 * HEIGHT;
                svg += &format!(
                    "<path d=\"M{low:.2} {middle:.2}H{high:.2}M{low:.2} {:.2}v6M{high:.2} {:.2}v6\" \
                     style=\"stroke:{};stroke-width:1.5\"/>\n",
                    middle - 3.0,
                    middle - 3.0,
                    Colour::Ink
                );
            }
            start = to;
        }
        svg
    }

    /// Vertical lines at the ticks, with their numbers.
    fn axis(&self, scale: &Scale, at: impl Fn(f64) -> f64, [top, bottom]: [f64; 2]) -> String {
        let [from, to] = self.range;
        let ticks = scale.ticks().iter().filter(|t| (from..=to).contains(*t));
        let tick = |tick: &f64| {
            let x = at(*tick);
            let line = format!(
                "<path d=\"M{x:.2} {top:.1}V{bottom:.1}\" style=\"stroke:{};stroke-opacity:0.35\"/>\n",
                Colour::Grey
            );
            let place = [x, bottom + SMALL + 2.0];
            line + &text(place, Anchor::Middle, SMALL, &scale.label(*tick))
        };
        ticks.map(tick).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::testing::assert_well_formed;

    fn bars(is_stacked: bool) -> Bars {
        let bar = |value, colour| Bar {
            value,
            interval: (!is_stacked).then_some([value - 0.1, value + 0.1]),
            colour,
        };
        let both = vec![bar(0.25, Colour::Blue), bar(0.5, Colour::Orange)];
        Bars {
            title: "a < b".into(),
            label: "share".into(),
            range: [0.0, 1.0],
            groups: vec![("k & l".into(), both.clone()), ("m".into(), both)],
            legend: vec![("first".into(), Colour::Blue)],
            is_stacked,
        }
    }

    #[test]
    fn a_bar_is_as_long_as_its_share_and_follows_the_one_before_if_stacked() {
        for is_stacked in [false, true] {
            let svg = bars(is_stacked).to_svg();
            assert_well_formed(&svg);
            let wide = format!("width=\"{:.2}\"", 0.5 * LENGTH);
            assert_eq!(svg.matches(&wide).count(), 2);
        }
    }
}
