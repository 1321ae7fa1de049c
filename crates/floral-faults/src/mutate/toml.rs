//! TOML, changed as the tree that it is.

use serde_json::Value;
use toml::Table;

use super::tree;
use crate::dice::Dice;

/// The text of a table with changes; none if it is no TOML, or could not be written as such.
pub fn damaged(dice: &mut Dice, bytes: &[u8]) -> Option<Vec<u8>> {
    let table: Table = std::str::from_utf8(bytes).ok()?.parse().ok()?;
    let mut tree = serde_json::to_value(table).ok()?;
    tree::change(dice, &mut tree);
    without_null(&mut tree);
    Some(toml::to_string(&tree).ok()?.into_bytes())
}

/// TOML has no nothing.
fn without_null(tree: &mut Value) {
    match tree {
        Value::Array(list) => {
            list.retain(|value| !value.is_null());
            list.iter_mut().for_each(without_null);
        }
        Value::Object(map) => {
            map.retain(|_, value| !value.is_null());
            map.values_mut().for_each(without_null);
        }
        _ => {}
    }
}
