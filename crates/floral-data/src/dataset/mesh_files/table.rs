//! Parameters of inputs from a CSV file.

use std::path::{Path, PathBuf};

use crate::{Error, Result};

/// Parameters from a CSV file: a header of names, then one row per input; the first column is the
/// label of the input.
pub(super) struct Table {
    path: PathBuf,
    pub names: Vec<String>,
    rows: Vec<(String, Vec<f64>)>,
}

impl Table {
    pub(super) fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(Error::io(path))?;
        let text = text.trim_start_matches('\u{feff}');
        let lines = text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty());
        let cells = |line: &str| -> Vec<String> {
            let cells = line.split(',').map(|cell| cell.trim().trim_matches('"'));
            cells.map(str::to_owned).collect()
        };
        let mut lines = lines.map(|(i, line)| (i + 1, cells(line)));
        let names = lines.next().map_or_else(Vec::new, |(_, header)| header);
        if names.len() < 2 {
            return Err(Error::bad_file(
                path,
                "its header has to name the input and at least one parameter, as in case,load",
            ));
        }
        let names = names[1..].to_vec();
        let mut rows = Vec::new();
        for (line, cells) in lines {
            let number = |(name, cell): (&String, &String)| {
                let value = cell.parse::<f64>().ok().filter(|value| value.is_finite());
                value.ok_or_else(|| {
                    Error::bad_file(
                        path,
                        format!("line {line}: {name} is {cell:?}; give a finite number"),
                    )
                })
            };
            if cells.len() != names.len() + 1 {
                let expected = names.len() + 1;
                let reason = format!(
                    "line {line} has {} cells, the header {expected}",
                    cells.len()
                );
                return Err(Error::bad_file(path, reason));
            }
            let mut before = rows.iter().map(|(label, _)| label);
            if before.any(|label: &String| *label == cells[0]) {
                let reason = format!("line {line}: the input {:?} has a row before", cells[0]);
                return Err(Error::bad_file(path, reason));
            }
            let values = names.iter().zip(&cells[1..]).map(number);
            rows.push((cells[0].clone(), values.collect::<Result<Vec<f64>>>()?));
        }
        let path = path.to_owned();
        Ok(Self { path, names, rows })
    }

    /// The parameters of an input, found by its label, or else by its label without leading zeros.
    pub(super) fn row(&self, label: &str) -> Result<Vec<f64>> {
        let exact = self.rows.iter().find(|(own, _)| own == label);
        let plain = |text: &str| text.trim_start_matches('0').to_owned();
        let mut like = self
            .rows
            .iter()
            .filter(|(own, _)| plain(own) == plain(label));
        match (exact, like.next(), like.next()) {
            (Some((_, row)), ..) | (None, Some((_, row)), None) => Ok(row.clone()),
            (None, Some((one, _)), Some((other, _))) => Err(Error::bad_file(
                &self.path,
                format!("has the rows {one:?} and {other:?} for the input {label:?}; keep one"),
            )),
            (None, None, _) => Err(Error::bad_file(
                &self.path,
                format!("has no row for the input {label:?}"),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &str) -> Result<Table> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.csv");
        std::fs::write(&path, format!("case,load\n{rows}")).unwrap();
        Table::read(&path)
    }

    #[test]
    fn a_row_is_found_by_its_own_label_before_others() {
        let both = table("01,5\n1,7\n").unwrap();
        assert_eq!(both.row("1").unwrap(), [7.0]);
        assert_eq!(both.row("01").unwrap(), [5.0]);
        assert!(both.row("001").is_err(), "it could be either");
        assert_eq!(table("1,7\n").unwrap().row("001").unwrap(), [7.0]);
        assert!(table("1,7\n").unwrap().row("2").is_err());
    }

    #[test]
    fn two_rows_of_one_input_are_refused() {
        let refusal = table("1,5\n1,7\n").err().unwrap().to_string();
        assert!(refusal.contains("line 3"), "{refusal}");
    }
}
