//! Numbers in a text, such as a table or the header of an array: others in their place.

use std::ops::Range;

use crate::dice::Dice;
use crate::hostile;

/// What stands in the place of a number.
const CELLS: [&str; 8] = ["", "nan", "inf", "-1", "1e999", "True", "((", "\u{1b}[2J"];

/// One to three numbers; none if there are none.
pub fn damaged(dice: &mut Dice, bytes: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = bytes.to_vec();
    for _ in 0..1 + dice.below(3) {
        let numbers = numbers(&bytes);
        if numbers.is_empty() {
            return None;
        }
        let place = dice.pick(&numbers).clone();
        let text = match dice.one_in(3) {
            true => (*dice.pick(&CELLS)).to_owned(),
            false => hostile::number(dice).to_string(),
        };
        bytes.splice(place, text.into_bytes());
    }
    Some(bytes)
}

/// Where digits stand, in the first part of a file that may be long.
fn numbers(bytes: &[u8]) -> Vec<Range<usize>> {
    let end = bytes.len().min(4096);
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, byte) in bytes[..end].iter().enumerate() {
        if !byte.is_ascii_digit() {
            continue;
        }
        match found.last_mut() {
            Some(last) if last.end == at => last.end = at + 1,
            _ => found.push(at..at + 1),
        }
    }
    found
}
