//! JSON, TOML and CBOR as one type of tree, whose values are replaced, removed, duplicated or
//! exchanged.

use ciborium::Value;

use super::hostile;
use crate::dice::Dice;

/// The syntax of a tree.
#[derive(Clone, Copy)]
pub enum Syntax {
    Json,
    Toml,
    Cbor,
}

impl Syntax {
    fn read(self, bytes: &[u8]) -> Option<Value> {
        match self {
            Self::Json => serde_json::from_slice(bytes).ok(),
            Self::Toml => toml::from_slice(bytes).ok(),
            Self::Cbor => ciborium::from_reader(bytes).ok(),
        }
    }

    fn write(self, mut tree: Value) -> Option<Vec<u8>> {
        match self {
            Self::Json => serde_json::to_vec(&tree).ok(),
            Self::Toml => {
                remove_nulls(&mut tree);
                Some(toml::to_string(&tree).ok()?.into_bytes())
            }
            Self::Cbor => {
                let mut bytes = Vec::new();
                ciborium::into_writer(&tree, &mut bytes).ok()?;
                Some(bytes)
            }
        }
    }
}

/// The bytes after one to three changes; `None` if the bytes do not have this syntax, or if the
/// changed tree cannot be written in it.
pub fn damaged(dice: &mut Dice, bytes: &[u8], syntax: Syntax) -> Option<Vec<u8>> {
    let mut tree = syntax.read(bytes)?;
    for _ in 0..1 + dice.below(3) {
        let mut left = dice.below(size(&tree));
        let value = hostile::value(dice);
        if let Some(node) = at(&mut tree, &mut left) {
            alter(dice, node, value);
        }
    }
    syntax.write(tree)
}

/// Removes nulls, because TOML has none.
fn remove_nulls(tree: &mut Value) {
    match tree {
        Value::Array(list) => {
            list.retain(|value| !value.is_null());
            list.iter_mut().for_each(remove_nulls);
        }
        Value::Map(map) => {
            map.retain(|(_, value)| !value.is_null());
            map.iter_mut().for_each(|(_, value)| remove_nulls(value));
        }
        _ => {}
    }
}

/// Number of values in a tree, including the root.
fn size(tree: &Value) -> usize {
    let inner: usize = match tree {
        Value::Array(list) => list.iter().map(size).sum(),
        Value::Map(map) => map.iter().map(|(_, value)| size(value)).sum(),
        _ => 0,
    };
    1 + inner
}

/// The value with this number, counted from the root.
fn at<'a>(tree: &'a mut Value, left: &mut usize) -> Option<&'a mut Value> {
    if *left == 0 {
        return Some(tree);
    }
    *left -= 1;
    match tree {
        Value::Array(list) => list.iter_mut().find_map(|inner| at(inner, left)),
        Value::Map(map) => map.iter_mut().find_map(|(_, inner)| at(inner, left)),
        _ => None,
    }
}

fn alter(dice: &mut Dice, node: &mut Value, value: Value) {
    match node {
        Value::Array(list) if !list.is_empty() && !dice.one_in(3) => {
            let at = dice.below(list.len());
            match dice.below(5) {
                0 => drop(list.remove(at)),
                1 => list.push(list[at].clone()),
                2 => list.swap(0, at),
                3 => list.clear(),
                _ => list[at] = value,
            }
        }
        Value::Map(map) if !map.is_empty() && !dice.one_in(4) => {
            let at = dice.below(map.len());
            match dice.below(3) {
                0 => drop(map.remove(at)),
                1 => map[at].1 = dice.pick(map).1.clone(),
                _ => map[at].1 = value,
            }
        }
        // Small changes reveal more errors than arbitrary values.
        Value::Integer(number) if dice.one_in(3) => {
            let near = i64::try_from(*number).unwrap_or(0);
            *node = near.saturating_add(*dice.pick(&[-1, 1])).into();
        }
        Value::Float(number) if dice.one_in(3) => {
            *number += *dice.pick(&[-1.0, 1.0, 0.5]);
        }
        Value::Float(number) if dice.one_in(2) => *number = hostile::real(dice),
        Value::Bytes(bytes) if !dice.one_in(5) => match dice.below(4) {
            0 => bytes.truncate(bytes.len().saturating_sub(8)),
            1 => bytes.extend([0; 8]),
            2 => bytes.clear(),
            _ => bytes.iter_mut().take(8).for_each(|byte| *byte = 0xff),
        },
        Value::Bool(flag) if dice.one_in(2) => *flag = !*flag,
        _ => *node = value,
    }
}
