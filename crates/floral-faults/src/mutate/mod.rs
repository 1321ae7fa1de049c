//! Mutations: turn the bytes of an intact file into those of a damaged or hostile one.
//!
//! `bytes.rs` ignores the format, or replaces numbers in text and binary headers. `tree.rs` changes
//! JSON, TOML and CBOR. `wrapped.rs` changes structures inside other formats: the header of
//! safetensors, the arrays of an archive. `hostile.rs` holds values that are likely to cause
//! errors.

mod bytes;
mod hostile;
mod tree;
mod wrapped;

use std::path::Path;

use crate::dice::Dice;
use tree::Syntax;

/// One case in this many ignores the structure, even if it is known.
const BLIND: usize = 4;

/// The damaged bytes of a file with this name; `others` holds bytes to splice in.
pub fn damaged(dice: &mut Dice, name: &Path, bytes: &[u8], others: &[u8]) -> Vec<u8> {
    let known = match dice.one_in(BLIND) {
        true => None,
        false => by_structure(dice, name, bytes),
    };
    known.unwrap_or_else(|| bytes::blind(dice, bytes, others))
}

/// Uses the structure of the format that the name implies; `None` if the bytes do not have it.
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
