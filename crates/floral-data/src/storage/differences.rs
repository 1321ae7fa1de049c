//! Describes the differences of two groups, in words: the reason why `partial.rs` refuses to
//! continue or replace one.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::array_metadata::{
    CHANNEL_LONG_NAMES, CHANNEL_NAMES, CHANNEL_UNITS, COMMENT, DOMAIN, LONG_NAME, NAME, UNITS,
};
use super::sharding::chunks_in_a_row;

/// Attributes that follow from others, or are compared item by item.
const APART: [&str; 2] = ["title", "constants"];

/// Attributes that describe the values of an array.
const DESCRIPTIONS: [&str; 7] = [
    NAME,
    UNITS,
    LONG_NAME,
    COMMENT,
    CHANNEL_NAMES,
    CHANNEL_UNITS,
    CHANNEL_LONG_NAMES,
];

/// Largest number of differences that are listed.
const MOST_FACTS: usize = 4;

/// A fact: its name, its value in the existing group, and its value in the wanted group.
type Fact = (String, Value, Value);

/// The differences between the existing and the wanted group, given by their metadata; none if they
/// are equal.
pub(super) fn differences(existing: &Value, wanted: &Value) -> Option<String> {
    if without_consequences(existing) == without_consequences(wanted) {
        return None;
    }
    let facts = [
        attributes(existing, wanted),
        constants(existing, wanted),
        lengths(existing, wanted),
        data_type(existing, wanted),
        shards(existing, wanted),
        descriptions(existing, wanted),
    ];
    let words: Vec<String> = facts
        .into_iter()
        .flatten()
        .filter(|(_, old, new)| old != new)
        .map(|(name, old, new)| format!("{name} {}, not {}", shown(&old), shown(&new)))
        .collect();
    Some(match words.len() {
        0 => "another layout of its arrays".into(),
        n if n > MOST_FACTS => {
            let more = n - MOST_FACTS;
            format!(
                "{}; and {more} more differences",
                words[..MOST_FACTS].join("; ")
            )
        }
        _ => words.join("; "),
    })
}

/// The metadata without the domains of axes, and for a built-in problem without its symmetries and
/// quantities. These follow from problem and constants, and datasets of older builds lack them.
fn without_consequences(root: &Value) -> Value {
    let mut root = root.clone();
    let attributes = root.get_mut("attributes").and_then(Value::as_object_mut);
    let problem = attributes.filter(|found| found.contains_key("problem"));
    let is_problem = problem.is_some();
    if let Some(attributes) = problem {
        attributes.remove("symmetries");
    }
    let table = root.pointer_mut("/consolidated_metadata/metadata");
    for array in table.and_then(Value::as_object_mut).into_iter().flatten() {
        let attributes = array.1.get_mut("attributes");
        if let Some(attributes) = attributes.and_then(Value::as_object_mut) {
            attributes.remove(DOMAIN);
            // Older builds declared all coordinates as pure numbers.
            let is_claim = |name: &str, value: &Value| name == UNITS && value == "1";
            let is_consequence = |name: &str| is_problem && DESCRIPTIONS.contains(&name);
            attributes.retain(|name, value| !is_claim(name, value) && !is_consequence(name));
        }
    }
    root
}

fn attributes(existing: &Value, wanted: &Value) -> Vec<Fact> {
    let keys = keys(existing, wanted, "/attributes");
    keys.into_iter()
        .filter(|name| !APART.contains(&name.as_str()))
        .map(|name| fact(name, existing, wanted, &format!("/attributes/{name}")))
        .collect()
}

/// The keys of a table in either group.
fn keys<'a>(existing: &'a Value, wanted: &'a Value, table: &str) -> BTreeSet<&'a String> {
    [existing, wanted]
        .into_iter()
        .filter_map(|root| root.pointer(table)?.as_object())
        .flat_map(|table| table.keys())
        .collect()
}

fn constants(existing: &Value, wanted: &Value) -> Vec<Fact> {
    let keys = keys(existing, wanted, "/attributes/constants");
    let of = |root: &Value, key: &str| root["attributes"]["constants"][key].clone();
    keys.into_iter()
        .map(|key| (key.clone(), of(existing, key), of(wanted, key)))
        .collect()
}

fn lengths(existing: &Value, wanted: &Value) -> Vec<Fact> {
    let (old, new) = (dimensions(existing), dimensions(wanted));
    let names: BTreeSet<&str> = old.keys().chain(new.keys()).copied().collect();
    let of = |lengths: &BTreeMap<&str, &Value>, name| lengths.get(name).copied().cloned();
    names
        .into_iter()
        .map(|name| {
            let lengths = [of(&old, name), of(&new, name)];
            let [old, new] = lengths.map(Option::unwrap_or_default);
            (counted(name), old, new)
        })
        .collect()
}

/// The lengths of a group's dimensions, by name.
fn dimensions(root: &Value) -> BTreeMap<&str, &Value> {
    arrays(root)
        .filter_map(|(_, array)| {
            let names = array["dimension_names"].as_array()?.iter();
            let lengths = array["shape"].as_array()?;
            Some(names.filter_map(Value::as_str).zip(lengths))
        })
        .flatten()
        .collect()
}

fn arrays(root: &Value) -> impl Iterator<Item = (&String, &Value)> {
    let table = root.pointer("/consolidated_metadata/metadata");
    table.and_then(Value::as_object).into_iter().flatten()
}

/// "inputs" for the dimension input, "points along x" for a one-letter axis.
fn counted(dimension: &str) -> String {
    if dimension.chars().count() == 1 {
        format!("points along {dimension}")
    } else {
        format!("{dimension}s")
    }
}

fn data_type(existing: &Value, wanted: &Value) -> Vec<Fact> {
    first_difference("data type", existing, wanted, |array| {
        array["data_type"].clone()
    })
}

fn shards(existing: &Value, wanted: &Value) -> Vec<Fact> {
    let name = "inputs in a shard";
    first_difference(name, existing, wanted, |array| {
        chunks_in_a_row(array).into()
    })
}

/// A property that differs in all arrays or in none: its values in the first array where they
/// differ.
fn first_difference(
    fact: &str,
    existing: &Value,
    wanted: &Value,
    of: impl Fn(&Value) -> Value,
) -> Vec<Fact> {
    let pairs = arrays(existing).filter_map(|(name, old)| Some((old, wanted_array(wanted, name)?)));
    let mut facts = pairs.map(|(old, new)| (fact.to_owned(), of(old), of(new)));
    facts.find(|(_, old, new)| old != new).into_iter().collect()
}

/// The descriptions of the arrays that exist in both groups.
fn descriptions(existing: &Value, wanted: &Value) -> Vec<Fact> {
    let described = |array: &Value, key: &str| match array.pointer(&format!("/attributes/{key}")) {
        Some(value) if (key, value) != (UNITS, &Value::from("1")) => value.clone(),
        _ => Value::Null,
    };
    arrays(existing)
        .filter_map(|(name, old)| Some((name, old, wanted_array(wanted, name)?)))
        .flat_map(|(name, old, new)| {
            DESCRIPTIONS.map(|key| {
                (
                    format!("{key} of {name}"),
                    described(old, key),
                    described(new, key),
                )
            })
        })
        .collect()
}

fn wanted_array<'a>(wanted: &'a Value, name: &str) -> Option<&'a Value> {
    let found = arrays(wanted).find(|(other, _)| *other == name);
    found.map(|(_, array)| array)
}

fn fact(name: &str, existing: &Value, wanted: &Value, pointer: &str) -> Fact {
    let of = |root: &Value| root.pointer(pointer).cloned().unwrap_or_default();
    (name.to_owned(), of(existing), of(wanted))
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "unknown".into(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn root(seed: u64, length: f64, inputs: usize) -> Value {
        json!({
            "attributes": {"problem": "toy", "seed": seed, "constants": {"length": length}},
            "consolidated_metadata": {"metadata": {"high": {
                "shape": [inputs, 4, 1, 8],
                "dimension_names": ["input", "realization", "channel", "x"],
                "data_type": "float32",
            }}},
        })
    }

    #[test]
    fn a_dataset_does_not_differ_from_itself() {
        assert_eq!(differences(&root(1, 0.1, 3), &root(1, 0.1, 3)), None);
    }

    #[test]
    fn a_dataset_of_an_older_build_without_domains_is_the_same() {
        let mut other = root(1, 0.1, 3);
        let high = &mut other["consolidated_metadata"]["metadata"]["high"];
        high["attributes"] = json!({"codec": "old"});
        let old = other.clone();
        other["consolidated_metadata"]["metadata"]["high"]["attributes"][DOMAIN] = json!(1);
        assert_eq!(differences(&old, &other), None);
        assert!(differences(&root(1, 0.1, 3), &other).is_some());
    }

    #[test]
    fn quantities_of_a_problem_follow_from_it_and_others_are_facts() {
        let describe = |root: &mut Value, units: &str| {
            let high = &mut root["consolidated_metadata"]["metadata"]["high"];
            high["attributes"] = json!({"units": units, "long_name": "pressure"});
        };
        let [mut old, mut new] = [root(1, 0.1, 3), root(1, 0.1, 3)];
        describe(&mut old, "1");
        describe(&mut new, "Pa");
        assert_eq!(differences(&old, &new), None);
        for root in [&mut old, &mut new] {
            root["attributes"]
                .as_object_mut()
                .unwrap()
                .remove("problem");
        }
        let words = differences(&old, &new).unwrap();
        assert_eq!(words, "units of high unknown, not Pa");
    }

    #[test]
    fn every_differing_fact_is_named_with_both_values() {
        let words = differences(&root(1, 0.1, 3), &root(2, 0.5, 5)).unwrap();
        assert_eq!(words, "seed 1, not 2; length 0.1, not 0.5; inputs 3, not 5");
    }

    #[test]
    fn grid_and_type_are_facts_too() {
        let mut other = root(1, 0.1, 3);
        let high = &mut other["consolidated_metadata"]["metadata"]["high"];
        high["shape"][3] = json!(16);
        high["data_type"] = json!("float64");
        let words = differences(&root(1, 0.1, 3), &other).unwrap();
        assert_eq!(
            words,
            "points along x 8, not 16; data type float32, not float64"
        );
    }

    #[test]
    fn a_group_made_by_other_means_differs() {
        assert!(differences(&json!({}), &root(1, 0.1, 3)).is_some());
        let mut other = root(1, 0.1, 3);
        other["consolidated_metadata"]["metadata"]["low"] = json!(1);
        assert!(differences(&other, &root(1, 0.1, 3)).is_some());
    }
}
