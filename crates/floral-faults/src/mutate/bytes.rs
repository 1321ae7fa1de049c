//! Damages bytes: blindly, or the digits of a text, or the words of a binary file.

use std::ops::Range;

use super::hostile;
use crate::dice::Dice;

/// Maximum length of a moved piece, in bytes.
const LONGEST: usize = 64;

/// Replacements for a number in a text, besides other numbers.
const CELLS: [&str; 8] = ["", "nan", "inf", "-1", "1e999", "True", "((", "\u{1b}[2J"];

/// One to six changes without knowledge of the format: bits are flipped; pieces are cut out,
/// duplicated, moved, overwritten, or replaced by pieces of another file.
pub fn blind(dice: &mut Dice, bytes: &[u8], others: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..1 + dice.below(6) {
        if bytes.is_empty() {
            bytes.push(dice.bits() as u8);
            continue;
        }
        let at = dice.below(bytes.len());
        let end = at + 1 + dice.below(LONGEST.min(bytes.len() - at));
        match dice.below(8) {
            0 | 1 => bytes[at] ^= 1 << dice.below(8),
            2 => bytes[at] = *dice.pick(&[0, 1, 0x7f, 0x80, 0xff, b'9', b'-']),
            3 => bytes.truncate(at),
            4 => drop(bytes.drain(at..end)),
            5 => {
                let piece = bytes[at..end].to_vec();
                let to = dice.below(bytes.len() + 1);
                bytes.splice(to..to, piece);
            }
            6 => bytes[at..end].fill_with(|| dice.bits() as u8),
            _ => {
                let from = dice.below(others.len());
                let piece = &others[from..others.len().min(from + LONGEST)];
                let end = bytes.len().min(at + piece.len());
                bytes.splice(at..end, piece.iter().copied());
            }
        }
    }
    bytes
}

/// Replaces one to three numbers in a text, for example a table or the header of an array; `None`
/// if there are no numbers.
pub fn digits(dice: &mut Dice, bytes: &[u8]) -> Option<Vec<u8>> {
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

/// The positions of numbers, in the first part of a file that may be long.
fn numbers(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, byte) in bytes.iter().enumerate().take(4096) {
        match found.last_mut() {
            _ if !byte.is_ascii_digit() => {}
            Some(last) if last.end == at => last.end = at + 1,
            _ => found.push(at..at + 1),
        }
    }
    found
}

/// Replaces one to four words of one to eight bytes by extreme numbers, in either byte order.
pub fn words(dice: &mut Dice, bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..1 + dice.below(4) {
        let size = *dice.pick(&[1usize, 2, 4, 8]);
        if bytes.len() < size {
            return blind(dice, &bytes, &[]);
        }
        let at = dice.below(bytes.len() / size) * size;
        let number = hostile::number(dice);
        let word = match dice.one_in(2) {
            true => number.to_le_bytes()[..size].to_vec(),
            false => number.to_be_bytes()[8 - size..].to_vec(),
        };
        bytes[at..at + size].copy_from_slice(&word);
    }
    bytes
}
