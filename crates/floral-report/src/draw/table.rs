//! A table of methods by metrics, as text, Markdown and HTML.

use std::fmt::Write;

use super::escape::escaped;

/// The rule for the best value of a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Best {
    /// The smallest value.
    Lowest,
    /// The value closest to this one.
    Nearest(f64),
    /// No value: the column is informative.
    Unranked,
    /// No value: the column holds counts.
    Count,
}

impl Best {
    /// The distance of a value from the ideal.
    fn distance(self, value: f64) -> f64 {
        match self {
            Self::Lowest => value,
            Self::Nearest(ideal) => (value - ideal).abs(),
            Self::Unranked | Self::Count => f64::NAN,
        }
    }
}

/// A metric.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// The name.
    pub name: String,
    /// The meaning, in a few words.
    pub meaning: String,
    /// The rule for the best value.
    pub best: Best,
}

impl Column {
    /// A metric with its meaning and the rule for its best value.
    pub fn new(name: &str, meaning: &str, best: Best) -> Self {
        Self {
            name: name.into(),
            meaning: meaning.into(),
            best,
        }
    }
}

/// A method with one value per column; `None` if the metric does not apply.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The name.
    pub name: String,
    /// The values, one per column.
    pub values: Vec<Option<f64>>,
    /// Whether the row competes for the best value of a column.
    pub competes: bool,
}

/// Methods by metrics.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// The metrics.
    pub columns: Vec<Column>,
    /// The methods.
    pub rows: Vec<Row>,
}

impl Table {
    /// Aligned text; a star marks the best value of each column.
    pub fn to_text(&self) -> String {
        let names = self.columns.iter().map(|column| column.name.clone() + " ");
        let mut lines = vec![std::iter::once(String::new()).chain(names).collect()];
        for row in &self.rows {
            let cells = self.cells(row).map(|(value, is_best)| match is_best {
                true => value + "*",
                false => value + " ",
            });
            lines.push(std::iter::once(row.name.clone()).chain(cells).collect());
        }
        aligned(&lines)
    }

    /// A Markdown table; the best value of each column is bold.
    pub fn to_markdown(&self) -> String {
        let names = self.columns.iter().map(|column| column.name.as_str());
        let names: Vec<&str> = std::iter::once("").chain(names).collect();
        let mut text = format!("| {} |\n|---|", names.join(" | "));
        text += &"---:|".repeat(self.columns.len());
        for row in &self.rows {
            text += &format!("\n| {}", row.name.replace('|', "\\|"));
            for (value, is_best) in self.cells(row) {
                let bold = if is_best { "**" } else { "" };
                text += &format!(" | {bold}{value}{bold}");
            }
            text += " |";
        }
        text + "\n"
    }

    /// An HTML table; the best value of each column is emphasised.
    pub fn to_html(&self) -> String {
        let mut html = String::from(
            "<div class=\"table\" tabindex=\"0\" role=\"group\" aria-label=\"table, scrolls to the right\"><table>\n<thead><tr><th></th>",
        );
        for column in &self.columns {
            let (name, meaning) = (escaped(&column.name), escaped(&column.meaning));
            html += &format!("<th scope=\"col\">{name}<small>{meaning}</small></th>");
        }
        html += "</tr></thead>\n<tbody>\n";
        for row in &self.rows {
            html += &format!("<tr><th scope=\"row\">{}</th>", escaped(&row.name));
            for (value, is_best) in self.cells(row) {
                html += &match is_best {
                    true => format!("<td><strong>{value}</strong></td>"),
                    false => format!("<td>{value}</td>"),
                };
            }
            html += "</tr>\n";
        }
        html + "</tbody></table></div>\n"
    }

    /// The values of a row as text, each with a flag for the best of its column.
    pub(super) fn cells(&self, row: &Row) -> impl Iterator<Item = (String, bool)> {
        let columns = 0..self.columns.len();
        columns.map(move |column| (self.cell(row, column), self.is_best(row, column)))
    }

    /// A value as text.
    fn cell(&self, row: &Row, column: usize) -> String {
        match row.values.get(column) {
            Some(Some(count)) if self.columns[column].best == Best::Count => format!("{count:.0}"),
            Some(Some(value)) => significant(*value),
            _ => "\u{2013}".into(),
        }
    }

    fn is_best(&self, row: &Row, column: usize) -> bool {
        let best = self.columns[column].best;
        let distance = |row: &Row| match row.values.get(column) {
            Some(Some(value)) if row.competes => best.distance(*value),
            _ => f64::NAN,
        };
        let all = self.rows.iter().map(distance).filter(|d| !d.is_nan());
        // A single value is not marked as the best.
        all.clone().count() > 1 && distance(row) == all.fold(f64::NAN, f64::min)
    }
}

/// Three significant digits for values of ordinary size, scientific notation for others.
fn significant(value: f64) -> String {
    let magnitude = value.abs();
    match magnitude {
        0.0 => "0".into(),
        m if (1e-3..1e4).contains(&m) => {
            let decimals = (2.0 - m.log10().floor()).clamp(0.0, 5.0) as usize;
            format!("{value:.decimals$}")
        }
        _ => format!("{value:.1e}"),
    }
}

/// Aligns columns: the first to the left, the others to the right.
fn aligned(lines: &[Vec<String>]) -> String {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let length = |line: &Vec<String>, i: usize| line.get(i).map_or(0, |c| c.chars().count());
    let widths: Vec<usize> = (0..columns)
        .map(|i| lines.iter().map(|line| length(line, i)).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for line in lines {
        let mut row = String::new();
        for (i, (cell, width)) in line.iter().zip(&widths).enumerate() {
            let written = match i {
                0 => write!(row, "  {cell:width$}"),
                _ => write!(row, "  {cell:>width$}"),
            };
            written.expect("writing to a string");
        }
        text += &row;
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::testing::assert_well_formed;

    fn table() -> Table {
        let column = |name: &str, best| Column {
            name: name.into(),
            meaning: "a & b".into(),
            best,
        };
        let row = |name: &str, values: &[Option<f64>], competes| Row {
            name: name.into(),
            values: values.to_vec(),
            competes,
        };
        Table {
            columns: vec![
                column("error", Best::Lowest),
                column("coverage", Best::Nearest(0.95)),
            ],
            rows: vec![
                row("<low>", &[Some(0.0), None], false),
                row("fno", &[Some(1234.5), None], true),
                row("flora", &[Some(0.5), Some(0.99)], true),
                row("floral", &[Some(0.01), Some(0.93)], true),
            ],
        }
    }

    #[test]
    fn rows_of_text_align() {
        let text = table().to_text();
        let widths: Vec<usize> = text.lines().map(|line| line.chars().count()).collect();
        assert_eq!(widths.len(), 5);
        assert!(widths.iter().all(|w| *w == widths[0]), "{text}");
    }

    #[test]
    fn the_best_of_those_that_compete_is_marked() {
        let text = table().to_text();
        let stars: Vec<usize> = text.lines().map(|l| l.matches('*').count()).collect();
        assert_eq!(stars, [0, 0, 0, 0, 2]);
        assert_eq!(table().to_html().matches("<strong>").count(), 2);
    }

    #[test]
    fn a_method_alone_is_best_of_nothing() {
        let mut table = table();
        table.rows.truncate(2);
        assert!(!table.to_html().contains("<strong>") && !table.to_text().contains('*'));
    }

    #[test]
    fn rows_of_markdown_have_a_cell_for_every_column() {
        let text = table().to_markdown();
        assert_eq!(text.lines().count(), 6);
        assert!(
            text.lines().all(|line| line.matches('|').count() == 4),
            "{text}"
        );
        assert_eq!(text.matches("**").count(), 4);
    }

    #[test]
    fn html_is_well_formed_and_escaped() {
        let html = table().to_html();
        assert_well_formed(&html);
        assert!(html.contains("&lt;low&gt;") && html.contains("a &amp; b"));
    }

    #[test]
    fn numbers_keep_three_digits() {
        let shown = [0.0, 0.01234, 1.0, 12.345, 1234.5, 3.2e-5, -0.5].map(significant);
        assert_eq!(
            shown,
            ["0", "0.0123", "1.00", "12.3", "1234", "3.2e-5", "-0.500"]
        );
    }
}
