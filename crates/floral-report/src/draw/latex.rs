//! A table as LaTeX, in the style of the package booktabs.

use super::table::Table;

impl Table {
    /// A `tabular` for use in a `table`; the best value of each column is bold. Needs
    /// `\usepackage{booktabs}`.
    pub fn to_latex(&self) -> String {
        let names = self.columns.iter().map(|column| latex(&column.name));
        let mut text = format!(
            "% \\usepackage{{booktabs}}\n\\begin{{tabular}}{{l{}}}\n\\toprule\n{} \\\\\n\\midrule\n",
            "r".repeat(self.columns.len()),
            line(String::new(), names)
        );
        for row in &self.rows {
            let cells = self.cells(row).map(|(value, is_best)| match is_best {
                true => format!("\\textbf{{{}}}", number(&value)),
                false => number(&value),
            });
            text += &line(latex(&row.name), cells);
            text += " \\\\\n";
        }
        text + "\\bottomrule\n\\end{tabular}\n"
    }
}

fn line(first: String, cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = std::iter::once(first).chain(cells).collect();
    cells.join(" & ").trim_start().to_owned()
}

/// A cell in LaTeX: powers of ten as mathematics, and an en dash for an empty cell.
fn number(text: &str) -> String {
    match text.split_once('e') {
        Some((digits, power)) => format!("${digits} \\times 10^{{{power}}}$"),
        None if text == "\u{2013}" => "--".into(),
        None => text.replace('-', "$-$"),
    }
}

/// Escapes the characters that LaTeX reserves.
fn latex(text: &str) -> String {
    let mut out = String::new();
    for character in text.chars() {
        match character {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => out.extend(['\\', character]),
            '\\' => out += "\\textbackslash{}",
            '~' => out += "\\textasciitilde{}",
            '^' => out += "\\textasciicircum{}",
            '\u{d7}' => out += "$\\times$",
            '\u{b1}' => out += "$\\pm$",
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::table::{Best, Column, Row};
    use super::*;

    #[test]
    fn a_table_compiles_in_shape_and_marks_its_best() {
        let column = |name: &str| Column {
            name: name.into(),
            meaning: String::new(),
            best: Best::Lowest,
        };
        let row = |name: &str, values: [Option<f64>; 2]| Row {
            name: name.into(),
            values: values.to_vec(),
            competes: true,
        };
        let table = Table {
            columns: vec![column("error_1"), column("95 %")],
            rows: vec![
                row("a & b", [Some(2.5e-7), None]),
                row("c\u{d7}d", [Some(1.0), Some(-0.5)]),
            ],
        };
        let text = table.to_latex();
        assert!(text.contains("& error\\_1 & 95 \\% \\\\"), "{text}");
        assert!(
            text.contains("a \\& b & \\textbf{$2.5 \\times 10^{-7}$} & -- \\\\"),
            "{text}"
        );
        assert!(
            text.contains("c$\\times$d & 1.00 & $-$0.500 \\\\"),
            "{text}"
        );
        let rules = ["\\toprule", "\\midrule", "\\bottomrule"];
        assert!(rules.iter().all(|rule| text.matches(rule).count() == 1));
    }
}
