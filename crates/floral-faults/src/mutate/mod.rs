//! Mutations: bytes of a sound file become those of a damaged or a hostile one.
//!
//! `blind.rs` knows nothing of the format, `words.rs` puts numbers at edges into binary headers; `tree.rs`
//! changes JSON and what is like it (`toml.rs`, `cbor.rs`), `wrapped.rs` what is wrapped: the header
//! of safetensors, the arrays of an archive.

mod blind;
mod cbor;
mod text;
mod toml;
mod tree;
mod words;
mod wrapped;

use std::path::Path;

use crate::dice::Dice;

/// Of how many cases one is damaged blindly, where the structure is known.
const BLINDLY: usize = 4;

/// The damaged bytes of a file of this name; `others` are bytes to splice from.
pub fn damaged(dice: &mut Dice, name: &Path, bytes: &[u8], others: &[u8]) -> Vec<u8> {
    let known = match dice.one_in(BLINDLY) {
        true => None,
        false => by_structure(dice, name, bytes),
    };
    known.unwrap_or_else(|| blind::damaged(dice, bytes, others))
}

/// By the structure of the format that the name tells; none where it is not known or not there.
fn by_structure(dice: &mut Dice, name: &Path, bytes: &[u8]) -> Option<Vec<u8>> {
    let file = name.file_name()?.to_string_lossy();
    let ending = file.rsplit('.').next().unwrap_or_default();
    match ending {
        "json" | "zarray" | "zattrs" | "zgroup" | "zmetadata" => tree::damaged(dice, bytes),
        "toml" => toml::damaged(dice, bytes),
        "csv" => text::damaged(dice, bytes),
        "npy" => text::damaged(dice, bytes),
        "safetensors" => wrapped::safetensors(dice, bytes),
        "npz" => wrapped::archive(dice, bytes),
        _ => Some(words::damaged(dice, bytes)),
    }
}
