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
            let values = names.iter().zip(&cells[1..]).map(number);
            rows.push((cells[0].clone(), values.collect::<Result<Vec<f64>>>()?));
        }
        let path = path.to_owned();
        Ok(Self { path, names, rows })
    }

    /// The parameters of an input, found by its label; leading zeros are ignored.
    pub(super) fn row(&self, label: &str) -> Result<Vec<f64>> {
        let plain = |text: &str| text.trim_start_matches('0').to_owned();
        let is_same = |own: &str| own == label || plain(own) == plain(label);
        let found = self.rows.iter().find(|(own, _)| is_same(own));
        let row = found.map(|(_, row)| row.clone());
        row.ok_or_else(|| {
            Error::bad_file(&self.path, format!("has no row for the input {label:?}"))
        })
    }
}
