//! JSON, and what can be written as such: values in it replaced, removed, doubled, exchanged.

use serde_json::Value;

use crate::dice::Dice;
use crate::hostile;

/// The text of JSON with one to three changes; none if it is no JSON.
pub fn damaged(dice: &mut Dice, bytes: &[u8]) -> Option<Vec<u8>> {
    let mut tree: Value = serde_json::from_slice(bytes).ok()?;
    change(dice, &mut tree);
    Some(tree.to_string().into_bytes())
}

/// One to three changes.
pub fn change(dice: &mut Dice, tree: &mut Value) {
    for _ in 0..1 + dice.below(3) {
        let place = dice.below(size(tree));
        let value = hostile::value(dice);
        let mut left = place;
        if let Some(node) = at(tree, &mut left) {
            alter(dice, node, value);
        }
    }
}

/// Values in a tree, itself among them.
fn size(tree: &Value) -> usize {
    let inner: usize = match tree {
        Value::Array(list) => list.iter().map(size).sum(),
        Value::Object(map) => map.values().map(size).sum(),
        _ => 0,
    };
    1 + inner
}

/// The value of this number, counted from the root.
fn at<'a>(tree: &'a mut Value, left: &mut usize) -> Option<&'a mut Value> {
    if *left == 0 {
        return Some(tree);
    }
    *left -= 1;
    match tree {
        Value::Array(list) => list.iter_mut().find_map(|inner| at(inner, left)),
        Value::Object(map) => map.values_mut().find_map(|inner| at(inner, left)),
        _ => None,
    }
}

fn alter(dice: &mut Dice, node: &mut Value, value: Value) {
    match node {
        Value::Array(list) if !list.is_empty() && !dice.one_in(3) => {
            let at = dice.below(list.len());
            match dice.below(4) {
                0 => drop(list.remove(at)),
                1 => list.push(list[at].clone()),
                2 => list.swap(0, at),
                _ => list[at] = value,
            }
        }
        Value::Object(map) if !map.is_empty() && !dice.one_in(4) => {
            let keys: Vec<String> = map.keys().cloned().collect();
            let key = dice.pick(&keys).clone();
            match dice.below(3) {
                0 => drop(map.remove(&key)),
                1 => {
                    let other = map.get(dice.pick(&keys)).cloned();
                    map.insert(key, other.unwrap_or(value));
                }
                _ => drop(map.insert(key, value)),
            }
        }
        // Near misses find more than nonsense.
        Value::Number(number) if dice.one_in(3) => {
            let near = number.as_f64().unwrap_or(0.0) + *dice.pick(&[-1.0, 1.0, 0.5]);
            *node = serde_json::json!(near);
            if near.fract() == 0.0 {
                *node = serde_json::json!(near as i64);
            }
        }
        _ => *node = value,
    }
}
