//! Structures inside other formats: the header of safetensors, its metadata and its arrays; arrays
//! in an archive, which is then packed again with correct checksums.

use flate2::Crc;
use floral::train::checkpoint::seal;
use serde_json::Value;

use super::bytes;
use super::tree::{self, Syntax};
use crate::dice::Dice;

/// The key of floral's header in the metadata of a file.
const OURS: &str = "floral";

/// One model file in this many keeps the checksum of the intact file.
const UNSEALED: usize = 8;

/// A safetensors file with a damaged header, a damaged header of floral in it, or damaged arrays.
pub fn safetensors(dice: &mut Dice, file: &[u8]) -> Option<Vec<u8>> {
    let (length, rest) = file.split_first_chunk::<8>()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let (header, data) = rest.split_at_checked(length)?;
    let (mut header, mut data) = (header.to_vec(), data.to_vec());
    let mut tree: Value = serde_json::from_slice(&header).ok()?;
    match dice.below(4) {
        0 => header = tree::damaged(dice, &header, Syntax::Json)?,
        1 if tree.get("regression").is_some() => {
            data = tree::damaged(dice, &data, Syntax::Cbor)?;
            tree["regression"]["shape"] = serde_json::json!([data.len()]);
            tree["regression"]["data_offsets"] = serde_json::json!([0, data.len()]);
            header = serde_json::to_vec(&tree).ok()?;
        }
        1 => data = bytes::words(dice, &data),
        _ => {
            let ours = tree.get_mut("__metadata__")?.get_mut(OURS)?;
            let inner = tree::damaged(dice, ours.as_str()?.as_bytes(), Syntax::Json)?;
            *ours = String::from_utf8(inner).ok()?.into();
            header = serde_json::to_vec(&tree).ok()?;
        }
    }
    let mut file = [&(header.len() as u64).to_le_bytes()[..], &header, &data].concat();
    // Most files are sealed again, so that the code behind the checksum is reached as well.
    if !dice.one_in(UNSEALED) {
        seal(&mut file);
    }
    Some(file)
}

/// An archive of one array with a damaged header; uncompressed, so that its bytes stay as damaged.
pub fn archive(dice: &mut Dice, file: &[u8]) -> Option<Vec<u8>> {
    let (name, array) = first_stored(file)?;
    let array = match dice.one_in(3) {
        true => bytes::words(dice, array),
        false => bytes::digits(dice, array)?,
    };
    Some(zipped(name, &array))
}

/// Name and bytes of the first file in an archive, if it is stored uncompressed.
fn first_stored(file: &[u8]) -> Option<(&[u8], &[u8])> {
    let word = |at: usize| Some(u16::from_le_bytes(*file.get(at..)?.first_chunk()?));
    let is_stored = file.starts_with(b"PK\x03\x04") && word(8)? == 0;
    let size = u32::from_le_bytes(*file.get(18..)?.first_chunk()?) as usize;
    let (name, extra) = (usize::from(word(26)?), usize::from(word(28)?));
    let start = 30 + name + extra;
    let array = file.get(start..start + size).filter(|_| is_stored)?;
    Some((file.get(30..30 + name)?, array))
}

/// A zip archive with a single uncompressed file.
fn zipped(name: &[u8], bytes: &[u8]) -> Vec<u8> {
    let mut crc = Crc::new();
    crc.update(bytes);
    let size = (bytes.len() as u32).to_le_bytes();
    let length = (name.len() as u16).to_le_bytes();
    // Version, flags, method, time, date; then checksum, sizes, and lengths of name and extra field.
    let crc = crc.sum().to_le_bytes();
    let facts = [
        &[20, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        &crc[..],
        &size,
        &size,
        &length,
        &[0; 2],
    ]
    .concat();
    let entry = [b"PK\x03\x04", &facts[..], name, bytes].concat();
    let directory = [b"PK\x01\x02\x14\x00", &facts[..], &[0; 14], name].concat();
    let end = [
        b"PK\x05\x06\x00\x00\x00\x00\x01\x00\x01\x00",
        &(directory.len() as u32).to_le_bytes()[..],
        &(entry.len() as u32).to_le_bytes(),
        &[0; 2],
    ];
    [entry, directory, end.concat()].concat()
}
