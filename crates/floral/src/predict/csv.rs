//! Reads the lines, cells and numbers of CSV files: points, observations and parameters.

use std::path::Path;

use crate::units::{Conversion, relation};
use crate::{Error, Result};

/// A line number, counted from 1, and what is wrong with that line; without a number, the fault is
/// that of the whole file.
pub(super) type Fault = (Option<usize>, String);

/// Reads a file by `parse`; a fault becomes an error with its line.
pub(super) fn read<T>(
    path: &Path,
    parse: impl FnOnce(&str) -> std::result::Result<T, Fault>,
) -> Result<T> {
    let text = std::fs::read_to_string(path).map_err(Error::io(path))?;
    parse(&text).map_err(|(line, reason)| {
        let reason = match line {
            Some(line) => format!("line {line}: {reason}"),
            None => reason,
        };
        Error::bad_file(path, reason)
    })
}

/// The lines that are not blank, with their numbers.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    // Spreadsheet programs often write a byte order mark first.
    let text = text.trim_start_matches('\u{feff}');
    let lines = text.lines().enumerate().map(|(i, line)| (i + 1, line));
    lines.filter(|(_, line)| !line.trim().is_empty())
}

/// The cells of a line, without surrounding quotation marks. A comma within quotation marks is part
/// of its cell.
pub(super) fn cells(line: &str) -> Vec<&str> {
    let mut is_quoted = false;
    let separates = |c: char| {
        is_quoted ^= c == '"';
        c == ',' && !is_quoted
    };
    line.split(separates).map(unquoted).collect()
}

/// The cells of a row below a header of this number of columns.
pub(super) fn row(line: &str, columns: usize) -> std::result::Result<Vec<&str>, String> {
    let cells = cells(line);
    match cells.len() == columns {
        true => Ok(cells),
        false => Err(format!(
            "{} values, but the header names {columns}",
            cells.len()
        )),
    }
}

/// The finite number in a cell.
pub(super) fn number(cell: &str) -> std::result::Result<f64, String> {
    let value: Option<f64> = cell.parse().ok();
    value
        .filter(|value| value.is_finite())
        .ok_or_else(|| format!("\"{cell}\" is not a number"))
}

/// Splits a header cell into a name and optional units in brackets.
pub(super) fn named(cell: &str) -> (String, Option<String>) {
    match cell.strip_suffix(']').and_then(|cell| cell.split_once('[')) {
        Some((name, units)) => (name.trim().to_owned(), Some(units.trim().to_owned())),
        None => (cell.to_owned(), None),
    }
}

/// Conversion from the units of a column to those of the run; a column without units is in the
/// run's units.
pub(super) fn conversion(
    name: &str,
    given: Option<&str>,
    run: Option<&str>,
) -> std::result::Result<Conversion, String> {
    let Some(given) = given else {
        return Ok(Conversion::NONE);
    };
    let Some(run) = run else {
        return Err(format!(
            "{name} is in {given}, but the run does not know its units; convert it and leave [{given}] out"
        ));
    };
    relation(given, run).conversion().ok_or_else(|| {
        format!("{name} is in {given}, which does not convert to the {run} of the run")
    })
}

fn unquoted(cell: &str) -> &str {
    let cell = cell.trim();
    let inner = cell
        .strip_prefix('"')
        .and_then(|cell| cell.strip_suffix('"'));
    inner.unwrap_or(cell).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_cells_may_hold_commas() {
        assert_eq!(cells("\"a, b\", 1 ,\" c\""), ["a, b", "1", "c"]);
        assert_eq!(cells("a,,"), ["a", "", ""]);
    }

    #[test]
    fn blank_lines_count_but_are_skipped() {
        let found: Vec<_> = lines("\u{feff}a\r\n\r\nb\n").collect();
        assert_eq!(found, [(1, "a"), (3, "b")]);
    }
}
