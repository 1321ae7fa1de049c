//! Every key has a meaning, and every meaning a key.

use std::collections::BTreeSet;

use toml::{Table, Value};

use super::*;
use crate::problem::catalogue;
use crate::train::{Method, TrainConfig};

/// Every key and section of a table, by its path.
fn keys(prefix: &str, table: &Table) -> BTreeSet<String> {
    let paths = table.iter().flat_map(|(key, value)| {
        let path = format!("{prefix}{key}");
        let inner = match value {
            Value::Table(inner) => keys(&format!("{path}."), inner),
            _ => BTreeSet::new(),
        };
        inner.into_iter().chain([path])
    });
    paths.collect()
}

/// A table with one key set, which may lie in a section.
fn with(mut table: Table, path: &str, value: &str) -> Table {
    let (sections, key) = path.rsplit_once('.').unwrap_or(("", path));
    let mut inner = &mut table;
    for section in sections.split('.').filter(|part| !part.is_empty()) {
        let entry = inner.entry(section).or_insert(Value::Table(Table::new()));
        inner = entry.as_table_mut().unwrap();
    }
    let parsed: Table = format!("x = {value}").parse().unwrap();
    inner.insert(key.to_owned(), parsed["x"].clone());
    table
}

/// All keys that a section accepts, optional ones included, read from the error about an unknown
/// key.
fn possible(section: &str, refuse: impl Fn(Table) -> String) -> Vec<String> {
    let path = |key: &str| match section {
        "" => key.to_owned(),
        section => format!("{section}.{key}"),
    };
    let words = refuse(with(Table::new(), &path("no_such_key"), "1"));
    let (_, expected) = words.split_once("expected ").expect("a list of keys");
    // The section follows the list.
    let expected = expected.split(" in `").next().unwrap_or(expected);
    let names = expected.split('`').skip(1).step_by(2);
    names.map(path).collect()
}

/// Key names of older runs, which are still read.
const FORMER: [&str; 1] = ["coefficients"];

/// Checks that the settings document exactly the keys of the full table and the optional keys.
fn check(
    context: &str,
    full: &Table,
    settings: &[Setting],
    parse: &dyn Fn(Table) -> Result<Table, String>,
) {
    let there = keys("", full);
    let documented: BTreeSet<String> = settings.iter().map(|s| s.key.to_owned()).collect();
    assert_eq!(
        documented.len(),
        settings.len(),
        "{context}: a key is documented twice"
    );
    let sections = there
        .iter()
        .filter(|key| documented.iter().any(|t| t.starts_with(&format!("{key}."))));
    for section in sections.map(String::as_str).chain([""]) {
        for key in possible(section, |table| parse(table).unwrap_err()) {
            assert!(
                documented.contains(&key) || FORMER.contains(&key.as_str()),
                "{context}: {key} has no meaning in settings/"
            );
        }
    }
    for setting in settings {
        let parsed = match setting.example {
            None => full.clone(),
            Some(example) => parse(with(full.clone(), setting.key, example)).unwrap(),
        };
        let has = keys("", &parsed).contains(setting.key);
        assert!(has, "{context}: there is no key {}", setting.key);
    }
    let text = annotated(full, settings);
    assert_eq!(text.parse::<Table>().unwrap(), *full, "{text}");
    assert!(text.lines().all(|line| line.len() <= 100), "{text}");
}

#[test]
fn every_setting_of_a_training_has_a_meaning() {
    let parse = |mut table: Table| {
        let method = Method::Floral.name();
        table.entry("method").or_insert(method.into());
        let config = TrainConfig::from_table(table, "test").map_err(|e| e.to_string())?;
        Ok(config.to_toml().parse().unwrap())
    };
    let full = TrainConfig::default().for_method(Method::Floral).to_toml();
    check("training", &full.parse().unwrap(), TRAINING, &parse);
}

#[test]
fn every_constant_of_a_problem_has_a_meaning() {
    for name in catalogue::NAMES {
        let parse = |table: Table| match catalogue::build(name, table, "test") {
            Ok(problem) => Ok(problem.constants()),
            Err(error) => Err(error.to_string()),
        };
        let full = parse(Table::new()).unwrap();
        check(name, &full, &of_problem(name).unwrap(), &parse);
    }
    assert!(of_problem("navier").is_err());
}

#[test]
fn absent_keys_are_shown_as_comments_and_unknown_ones_are_kept() {
    let table: Table = "b = 1\nother = 'x'\n[s]\na = [1, 2]\n[t]\nz = 0"
        .parse()
        .unwrap();
    let settings = [
        key("s", "A section."),
        key("s.a", "A list."),
        optional("c", "2.5", "Not there."),
        key("b", "There."),
    ];
    assert_eq!(
        annotated(&table, &settings),
        "# Not there.\n# c = 2.5\n# There.\nb = 1\nother = \"x\"\n\n# A section.\n[s]\n\
         # A list.\na = [1, 2]\n\n[t]\nz = 0\n"
    );
}
