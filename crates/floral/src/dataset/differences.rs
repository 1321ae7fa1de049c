//! In which facts two datasets differ, in words.

use std::collections::BTreeSet;

use serde_json::Value;

use super::layout::HIGH;

/// Attributes that tell nothing which others do not, or that are compared one by one.
const APART: [&str; 2] = ["title", "constants"];

/// Where more facts differ, it is another dataset altogether.
const MOST_FACTS: usize = 4;

/// A fact's name, its value in the dataset that exists and in the one that is wanted.
type Fact = (String, Value, Value);

/// What distinguishes the dataset that exists from the one that is wanted, both given by the
/// metadata of their groups; none if they are the same.
pub(super) fn differences(existing: &Value, wanted: &Value) -> Option<String> {
    if existing == wanted {
        return None;
    }
    let facts = [
        attributes(existing, wanted),
        constants(existing, wanted),
        shapes(existing, wanted),
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

fn attributes(existing: &Value, wanted: &Value) -> Vec<Fact> {
    let told = keys(existing, wanted, "/attributes");
    told.into_iter()
        .filter(|name| !APART.contains(&name.as_str()))
        .map(|name| fact(name, existing, wanted, &format!("/attributes/{name}")))
        .collect()
}

/// The keys of a table that either has.
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

fn shapes(existing: &Value, wanted: &Value) -> Vec<Fact> {
    let high = |what: &str| format!("/consolidated_metadata/metadata/{HIGH}/{what}");
    let field = |root: &Value| match root.pointer(&high("shape")) {
        Some(Value::Array(shape)) => shape.get(2..).unwrap_or(&[]).to_vec().into(),
        _ => Value::Null,
    };
    vec![
        fact("inputs", existing, wanted, &high("shape/0")),
        fact("realizations", existing, wanted, &high("shape/1")),
        ("channels and grid".into(), field(existing), field(wanted)),
        fact("data type", existing, wanted, &high("data_type")),
    ]
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
            "consolidated_metadata": {"metadata": {"high": {"shape": [inputs, 4, 1, 8]}}},
        })
    }

    #[test]
    fn a_dataset_does_not_differ_from_itself() {
        assert_eq!(differences(&root(1, 0.1, 3), &root(1, 0.1, 3)), None);
    }

    #[test]
    fn every_differing_fact_is_named_with_both_values() {
        let words = differences(&root(1, 0.1, 3), &root(2, 0.5, 5)).unwrap();
        assert_eq!(words, "seed 1, not 2; length 0.1, not 0.5; inputs 3, not 5");
    }

    #[test]
    fn a_group_made_by_other_means_differs() {
        assert!(differences(&json!({}), &root(1, 0.1, 3)).is_some());
        let mut other = root(1, 0.1, 3);
        other["consolidated_metadata"]["metadata"]["low"] = json!(1);
        assert!(differences(&other, &root(1, 0.1, 3)).is_some());
    }
}
