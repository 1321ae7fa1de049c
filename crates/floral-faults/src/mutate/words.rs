//! Numbers at edges in the place of whole words of a binary file, in either byte order.

use super::blind;
use crate::dice::Dice;
use crate::hostile;

/// One to four words, of two, four or eight bytes.
pub fn damaged(dice: &mut Dice, bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..1 + dice.below(4) {
        let size = *dice.pick(&[1usize, 2, 4, 8]);
        let Some(places) = (bytes.len() / size).checked_sub(1) else {
            return blind::damaged(dice, &bytes, &[]);
        };
        let at = dice.below(places + 1) * size;
        let number = hostile::number(dice);
        let word = match dice.one_in(2) {
            true => number.to_le_bytes()[..size].to_vec(),
            false => number.to_be_bytes()[8 - size..].to_vec(),
        };
        bytes[at..at + size].copy_from_slice(&word);
    }
    bytes
}
