//! Structures within structures: the header of safetensors and what its metadata and arrays hold; arrays
//! in an archive, which is wrapped again with sound checksums.

use std::io::Write;

use flate2::Crc;
use floral::train::checkpoint::seal;
use serde_json::Value;

use super::{cbor, text, tree, words};
use crate::dice::Dice;

/// Our header within the metadata of a file.
const OURS: &str = "floral";

/// Of how many model files one keeps the checksum of the sound file.
const UNSEALED: usize = 8;

/// A safetensors file with another header, another header of ours in it, or other arrays.
pub fn safetensors(dice: &mut Dice, bytes: &[u8]) -> Option<Vec<u8>> {
    let (length, rest) = bytes.split_first_chunk::<8>()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let (header, data) = rest.split_at_checked(length)?;
    let mut tree: Value = serde_json::from_slice(header).ok()?;
    let mut data = data.to_vec();
    match dice.below(4) {
        0 => tree::change(dice, &mut tree),
        1 if tree.get("regression").is_some() => {
            data = cbor::damaged(dice, &data)?;
            tree["regression"]["shape"] = serde_json::json!([data.len()]);
            tree["regression"]["data_offsets"] = serde_json::json!([0, data.len()]);
        }
        1 => data = words::damaged(dice, &data),
        _ => {
            let ours = tree.get_mut("__metadata__")?.get_mut(OURS)?;
            let mut inner: Value = serde_json::from_str(ours.as_str()?).ok()?;
            tree::change(dice, &mut inner);
            *ours = inner.to_string().into();
        }
    }
    let header = tree.to_string().into_bytes();
    let mut bytes = [&(header.len() as u64).to_le_bytes()[..], &header, &data].concat();
    // Most are sealed again, so that what lies behind the checksum is met as well.
    if !dice.one_in(UNSEALED) {
        seal(&mut bytes);
    }
    Some(bytes)
}

/// An archive of one array whose header was changed; stored, so that its bytes are what they are.
pub fn archive(dice: &mut Dice, bytes: &[u8]) -> Option<Vec<u8>> {
    let (name, array) = first_stored(bytes)?;
    let array = match dice.one_in(3) {
        true => words::damaged(dice, array),
        false => text::damaged(dice, array)?,
    };
    zipped(name, &array).ok()
}

/// Name and bytes of the first file of an archive, if it is stored as it is.
fn first_stored(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let word = |at: usize| Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    let is_stored = bytes.starts_with(b"PK\x03\x04") && word(8)? == 0;
    let size = u32::from_le_bytes(*bytes.get(18..)?.first_chunk()?) as usize;
    let (name, extra) = (usize::from(word(26)?), usize::from(word(28)?));
    let start = 30 + name + extra;
    let array = bytes.get(start..start + size).filter(|_| is_stored)?;
    Some((bytes.get(30..30 + name)?, array))
}

/// A zip archive with one stored file.
fn zipped(name: &[u8], bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut crc = Crc::new();
    crc.update(bytes);
    let size = (bytes.len() as u32).to_le_bytes();
    let length = (name.len() as u16).to_le_bytes();
    // Version, flags, method, time, date; then checksum and sizes.
    let facts = [
        &[20, 0, 0, 0, 0, 0, 0, 0, 0, 0][..],
        &crc.sum().to_le_bytes(),
        &size,
        &size,
        &length,
        &[0, 0],
    ]
    .concat();
    let mut out = Vec::new();
    out.write_all(b"PK\x03\x04")?;
    out.write_all(&[&facts[..], name, bytes].concat())?;
    let directory = out.len() as u32;
    out.write_all(b"PK\x01\x02\x14\x00")?;
    out.write_all(&[&facts[..], &[0; 14][..], name].concat())?;
    let length = out.len() as u32 - directory;
    out.write_all(b"PK\x05\x06\x00\x00\x00\x00\x01\x00\x01\x00")?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(&directory.to_le_bytes())?;
    out.write_all(&[0, 0])?;
    Ok(out)
}
