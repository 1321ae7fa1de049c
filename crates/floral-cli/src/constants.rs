//! A problem's constants, layered: defaults, then a TOML file, then flags.

use std::path::Path;

use anyhow::{Context, Result, bail};
use toml::{Table, Value};

/// The table of a TOML file (empty without a file) after applying assignments `key=value`.
pub fn read(path: Option<&Path>, assignments: &[String]) -> Result<Table> {
    let mut table = path.map_or_else(|| Ok(Table::new()), of_file)?;
    for assignment in assignments {
        set(&mut table, assignment)?;
    }
    Ok(table)
}

/// The name of the settings in messages: their file, if there is one.
pub fn context(path: Option<&Path>) -> String {
    path.map_or("settings".into(), |path| path.display().to_string())
}

fn of_file(path: &Path) -> Result<Table> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    Ok(text
        .parse()
        .map_err(floral::Error::toml(path.display().to_string()))?)
}

/// Applies `key=value`, where dots in the key descend into sub-tables.
pub fn set(table: &mut Table, assignment: &str) -> Result<()> {
    let Some((key, text)) = assignment.split_once('=') else {
        bail!("--set {assignment}: write key=value, as in --set viscosity=0.008");
    };
    insert(table, key.trim(), parse(text.trim())).with_context(|| format!("--set {assignment}"))
}

/// Inserts a value, where dots in the key descend into sub-tables.
pub fn insert(table: &mut Table, key: &str, value: Value) -> Result<()> {
    let mut parts: Vec<&str> = key.split('.').collect();
    let last = parts.pop().unwrap_or_default();
    let mut table = table;
    for part in parts {
        let inner = table
            .entry(part)
            .or_insert_with(|| Value::Table(Table::new()));
        match inner {
            Value::Table(inner) => table = inner,
            _ => bail!("{part} is a value, not a table"),
        }
    }
    table.insert(last.to_owned(), value);
    Ok(())
}

/// Parses a TOML value. Any other text is a string, so that `--set well=corner` needs no quotes.
fn parse(text: &str) -> Value {
    let document: Option<Table> = format!("value = {text}").parse().ok();
    document
        .and_then(|mut table| table.remove("value"))
        .unwrap_or_else(|| Value::String(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_reach_into_tables_and_keep_their_types() {
        let mut table: Table = "[filter]\nkeep = 0.4\nscale = 0.8".parse().unwrap();
        for assignment in [
            "filter.keep=0.6",
            "well=corner",
            "modes = 12",
            "resolution=[8, 16]",
        ] {
            set(&mut table, assignment).unwrap();
        }
        let expected: Table = "well = 'corner'\nmodes = 12\nresolution = [8, 16]\n\
                               [filter]\nkeep = 0.6\nscale = 0.8"
            .parse()
            .unwrap();
        assert_eq!(table, expected);
    }

    #[test]
    fn what_is_no_assignment_is_refused() {
        let mut table: Table = "modes = 3".parse().unwrap();
        assert!(set(&mut table, "modes").is_err());
        assert!(set(&mut table, "modes.inner=3").is_err());
    }
}
