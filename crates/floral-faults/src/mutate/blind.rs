//! Damage without knowledge: bits flip, pieces are cut, doubled, moved and overwritten.

use crate::dice::Dice;

/// Bytes of the longest piece that is moved about.
const LONGEST: usize = 64;

/// One to six such damages.
pub fn damaged(dice: &mut Dice, bytes: &[u8], others: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..1 + dice.below(6) {
        damage(dice, &mut bytes, others);
    }
    bytes
}

fn damage(dice: &mut Dice, bytes: &mut Vec<u8>, others: &[u8]) {
    if bytes.is_empty() {
        bytes.push(dice.bits() as u8);
        return;
    }
    let at = dice.below(bytes.len());
    let length = 1 + dice.below(LONGEST.min(bytes.len() - at));
    match dice.below(8) {
        0 | 1 => bytes[at] ^= 1 << dice.below(8),
        2 => bytes[at] = *dice.pick(&[0, 1, 0x7f, 0x80, 0xff, b'9', b'-']),
        3 => bytes.truncate(at),
        4 => drop(bytes.drain(at..at + length)),
        5 => {
            let piece = bytes[at..at + length].to_vec();
            let to = dice.below(bytes.len() + 1);
            bytes.splice(to..to, piece);
        }
        6 => bytes[at..at + length].fill_with(|| dice.bits() as u8),
        _ => splice(dice, bytes, at, others),
    }
}

/// A piece of another file over this one.
fn splice(dice: &mut Dice, bytes: &mut Vec<u8>, at: usize, others: &[u8]) {
    let from = dice.below(others.len());
    let piece = &others[from..others.len().min(from + LONGEST)];
    let end = bytes.len().min(at + piece.len());
    bytes.splice(at..end, piece.iter().copied());
}
