//! Mutations: bytes of an intact file become those of a damaged or a hostile one.
//!
//! `bytes.rs` ignores the format or replaces numbers in text and binary headers, `tree.rs` changes JSON,
//! TOML and CBOR, `wrapped.rs` changes what other formats enclose: the header of safetensors, the arrays
//! of an archive. `hostile.rs` has the values that programs stumble over.

mod bytes;
mod hostile;
mod tree;
mod wrapped;

use std::path::Path;

use crate::dice::Dice;
use tree::Syntax;

/// One case in this many ignores the structure, where it is known.
const BLIND: usize = 4;

/// The damaged bytes of a file of this name; `others` are bytes to splice from.
pub fn damaged(dice: &mut Dice, name: &Path, bytes: &[u8], others: &[u8]) -> Vec<u8> {
    let known = match dice.one_in(BLIND) {
        true => None,
        false => by_structure(dice, name, bytes),
    };
    known.unwrap_or_else(|| bytes::blind(dice, bytes, others))
}

/// By the structure of the format that the name implies; none where the bytes do not have it.
fn by_structure(dice: &mut Dice, name: &Path, bytes: &[u8]) -> Option<Vec<u8>> {
    let file = name.file_name()?.to_string_lossy();
    match file.rsplit('.').next().unwrap_or_default() {
        "json" | "zarray" | "zattrs" | "zgroup" | "zmetadata" => {
            tree::damaged(dice, bytes, Syntax::Json)
        }
        "toml" => tree::damaged(dice, bytes, Syntax::Toml),
        "csv" | "npy" | "xdmf" => bytes::digits(dice, bytes),
        "safetensors" => wrapped::safetensors(dice, bytes),
        "npz" => wrapped::archive(dice, bytes),
        _ => Some(bytes::words(dice, bytes)),
    }
}
