//! A configuration as a file in which every key is explained.

use std::fmt::Write;

use toml::{Table, Value};

use super::Setting;

/// Width of a comment line, in characters.
const WIDTH: usize = 98;

/// The table as TOML, in the order of the settings, with the meaning of each key above it. Absent
/// keys appear as comments with their example value.
pub fn annotated(table: &Table, settings: &[Setting]) -> String {
    let mut text = String::new();
    section(&mut text, "", table, settings);
    text.trim_start().to_owned()
}

/// Writes the keys of one section, then its subsections.
fn section(text: &mut String, prefix: &str, table: &Table, settings: &[Setting]) {
    let own = |setting: &&Setting| {
        let rest = setting.key.strip_prefix(prefix);
        rest.is_some_and(|rest| !rest.is_empty() && !rest.contains('.'))
    };
    let own: Vec<&Setting> = settings.iter().filter(own).collect();
    let name = |setting: &Setting| setting.key[prefix.len()..].to_owned();
    for setting in &own {
        match (table.get(&name(setting)), setting.example) {
            (Some(Value::Table(_)), _) | (None, None) => {}
            (Some(value), _) => entry(text, setting.meaning, &name(setting), &value.to_string()),
            (None, Some(example)) => {
                let name = format!("# {}", name(setting));
                entry(text, setting.meaning, &name, example);
            }
        }
    }
    let known = |key: &String| own.iter().any(|setting| name(setting) == *key);
    for (key, value) in table.iter().filter(|(key, _)| !known(key)) {
        if !value.is_table() {
            entry(text, "", key, &value.to_string());
        }
    }
    let ordered = own.iter().map(|setting| (name(setting), setting.meaning));
    let rest = table.keys().filter(|key| !known(key));
    for (key, meaning) in ordered.chain(rest.map(|key| (key.clone(), ""))) {
        if let Some(Value::Table(inner)) = table.get(&key) {
            let path = format!("{prefix}{key}");
            text.push('\n');
            comment(text, meaning);
            let _ = writeln!(text, "[{path}]");
            section(text, &format!("{path}."), inner, settings);
        }
    }
}

fn entry(text: &mut String, meaning: &str, key: &str, value: &str) {
    comment(text, meaning);
    let _ = writeln!(text, "{key} = {value}");
}

fn comment(text: &mut String, meaning: &str) {
    let mut line = String::from("#");
    for word in meaning.split_whitespace() {
        if line.len() + 1 + word.len() > WIDTH {
            let _ = writeln!(text, "{line}");
            line = String::from("#");
        }
        line.push(' ');
        line.push_str(word);
    }
    if line.len() > 1 {
        let _ = writeln!(text, "{line}");
    }
}
