//! New inputs that consist of parameters only: named numbers, from the command line or a CSV file.

use std::path::{Path, PathBuf};

use super::{InputSource, csv};
use crate::dataset::parameters::channels;
use crate::train::Header;
use crate::{Error, Field, Grid, Quantity, Result};

/// Inputs given by parameters, in the order of the run's channels.
pub struct ParameterTable {
    /// Name of the table in messages.
    name: PathBuf,
    /// Label of each input: its row number, or its first column if that is not a parameter.
    pub labels: Vec<String>,
    rows: Vec<Vec<f64>>,
    grid: Grid,
}

impl ParameterTable {
    /// Reads a single input written as `load=0.3,stiffness=12`, or the inputs of a CSV file whose
    /// header names the parameters.
    pub fn read(text: &str, header: &Header) -> Result<Self> {
        let names = names(header)?;
        if text.contains('=') {
            let (given, values): (Vec<_>, Vec<_>) = text
                .split(',')
                .map(|part| part.split_once('=').unwrap_or((part, "")))
                .map(|(name, value)| (name.trim(), value.trim()))
                .unzip();
            let table = Table {
                columns: given,
                rows: vec![(1, values)],
                may_have_labels: false,
            };
            return Self::of(Path::new("--parameters"), &table, &names, &header.grid);
        }
        let path = Path::new(text);
        let contents = std::fs::read_to_string(path).map_err(Error::io(path))?;
        Self::of(path, &Table::parse(&contents), &names, &header.grid)
    }

    /// A table from rows of numbers, one number per channel of the run's input.
    pub fn of_rows(name: &str, rows: Vec<Vec<f64>>, header: &Header) -> Result<Self> {
        let expected = header.shapes.input_channels;
        if let Some(row) = rows.iter().find(|row| row.len() != expected) {
            return Err(Error::shape(
                format!("a row of {name}"),
                vec![row.len()],
                vec![expected],
            ));
        }
        Ok(Self {
            name: name.into(),
            labels: (0..rows.len()).map(|i| i.to_string()).collect(),
            rows,
            grid: header.grid.clone(),
        })
    }

    fn of(path: &Path, table: &Table, names: &[String], grid: &Grid) -> Result<Self> {
        let refuse = |reason: String| Error::bad_file(path, reason);
        let known = || names.join(", ");
        let place = |name: &String| table.columns.iter().position(|column| column == name);
        let mut places = Vec::new();
        for name in names {
            let found = place(name);
            places.push(found.ok_or_else(|| {
                refuse(format!(
                    "the parameter {name} is missing; the run has {}",
                    known()
                ))
            })?);
        }
        let odd = table
            .columns
            .iter()
            .enumerate()
            .filter(|(i, _)| !places.contains(i));
        let odd: Vec<(usize, &&str)> = odd.collect();
        let is_label = |i: usize| i == 0 && table.may_have_labels;
        if let Some((_, name)) = odd.iter().find(|(i, _)| !is_label(*i)) {
            return Err(refuse(format!(
                "the parameter {name} is unknown; the run has {}",
                known()
            )));
        }
        let mut rows = Vec::new();
        for (line, row) in &table.rows {
            let number = |&at: &usize| -> Result<f64> {
                let text = row.get(at).copied().unwrap_or("");
                let value = text.parse::<f64>().ok().filter(|value| value.is_finite());
                value.ok_or_else(|| {
                    let name = table.columns[at];
                    refuse(format!(
                        "line {line}: {name} is {text:?}; give a finite number"
                    ))
                })
            };
            rows.push(places.iter().map(number).collect::<Result<Vec<f64>>>()?);
        }
        if rows.is_empty() {
            return Err(refuse("holds no cases below its header".into()));
        }
        let label = |(i, (_, row)): (usize, &(usize, Vec<&str>))| match odd.first() {
            Some(_) => row[0].to_owned(),
            None => i.to_string(),
        };
        Ok(Self {
            name: path.to_owned(),
            labels: table.rows.iter().enumerate().map(label).collect(),
            rows,
            grid: grid.clone(),
        })
    }
}

/// The names of a run's parameters; refused unless all input channels are parameters.
fn names(header: &Header) -> Result<Vec<String>> {
    let input = &header.quantities.input;
    if input.is_empty() || !input.iter().all(|quantity| quantity.parameter) {
        return Err(Error::config(
            "parameters",
            "the run was trained on inputs that are fields; give them with --input",
        ));
    }
    let name = |(i, quantity): (usize, &Quantity)| match &quantity.name {
        Some(name) => name.clone(),
        None => format!("p{i}"),
    };
    Ok(input.iter().enumerate().map(name).collect())
}

/// The cells of a CSV text; each row has its line number.
struct Table<'a> {
    columns: Vec<&'a str>,
    rows: Vec<(usize, Vec<&'a str>)>,
    /// Whether the first column may hold the labels of the inputs, as in a file.
    may_have_labels: bool,
}

impl<'a> Table<'a> {
    fn parse(text: &'a str) -> Self {
        let mut lines = csv::lines(text).map(|(i, line)| (i, csv::cells(line)));
        Self {
            columns: lines.next().map_or_else(Vec::new, |(_, header)| header),
            rows: lines.collect(),
            may_have_labels: true,
        }
    }
}

impl InputSource for ParameterTable {
    fn path(&self) -> &Path {
        &self.name
    }

    fn grid(&self) -> &Grid {
        &self.grid
    }

    fn inputs(&self) -> usize {
        self.rows.len()
    }

    fn input(&self, index: usize) -> Result<Field> {
        let row = &self.rows[index];
        let values = channels(row, self.grid.len()).collect();
        Field::from_values(row.len(), &self.grid.shape(), values)
    }

    fn has_low(&self) -> bool {
        false
    }

    fn low(&self, _index: usize) -> Result<Field> {
        Err(Error::config(
            "low fidelity",
            "parameters alone have none; give inputs with --input",
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Axis;

    fn labels(text: &str) -> Result<Vec<String>> {
        let grid = Grid::new(vec![Axis::closed("x", 4)]);
        let names = ["load".to_owned()];
        ParameterTable::of(Path::new("cases.csv"), &Table::parse(text), &names, &grid)
            .map(|table| table.labels)
    }

    #[test]
    fn the_first_column_may_hold_labels_however_many_rows_there_are() {
        assert_eq!(labels("case,load\na,1\n").unwrap(), ["a"]);
        assert_eq!(labels("case,load\na,1\nb,2\n").unwrap(), ["a", "b"]);
        assert_eq!(labels("load\n1\n").unwrap(), ["0"]);
        let words = labels("load,case\n1,a\n").unwrap_err().to_string();
        assert!(words.contains("case is unknown"), "{words}");
    }
}
