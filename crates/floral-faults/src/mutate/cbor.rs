//! CBOR, as a fitted regression is stored: numbers, bytes and lists in it changed.

use ciborium::Value;
use ciborium::value::Integer;

use crate::dice::Dice;
use crate::hostile;

/// The bytes with one to three changes; none if they are no CBOR.
pub fn damaged(dice: &mut Dice, bytes: &[u8]) -> Option<Vec<u8>> {
    let mut tree: Value = ciborium::from_reader(bytes).ok()?;
    for _ in 0..1 + dice.below(3) {
        let mut left = dice.below(size(&tree));
        if let Some(node) = at(&mut tree, &mut left) {
            alter(dice, node);
        }
    }
    let mut out = Vec::new();
    ciborium::into_writer(&tree, &mut out).ok()?;
    Some(out)
}

fn size(tree: &Value) -> usize {
    let inner: usize = match tree {
        Value::Array(list) => list.iter().map(size).sum(),
        Value::Map(map) => map.iter().map(|(_, value)| size(value)).sum(),
        _ => 0,
    };
    1 + inner
}

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

fn alter(dice: &mut Dice, node: &mut Value) {
    match node {
        Value::Integer(_) => *node = Value::Integer(Integer::from(hostile::number(dice))),
        Value::Float(number) => {
            *number = *dice.pick(&[0.0, -1.0, f64::NAN, f64::INFINITY, 1e300, 1e-300, *number]);
        }
        Value::Bytes(bytes) => match dice.below(4) {
            0 => bytes.truncate(bytes.len().saturating_sub(8)),
            1 => bytes.extend([0; 8]),
            2 => bytes.clear(),
            _ => bytes.iter_mut().take(8).for_each(|byte| *byte = 0xff),
        },
        Value::Array(list) if !list.is_empty() => {
            let at = dice.below(list.len());
            match dice.below(3) {
                0 => drop(list.remove(at)),
                1 => list.push(list[at].clone()),
                _ => list.clear(),
            }
        }
        Value::Map(map) if !map.is_empty() => {
            let at = dice.below(map.len());
            map.remove(at);
        }
        Value::Bool(flag) => *flag = !*flag,
        _ => *node = Value::Null,
    }
}
