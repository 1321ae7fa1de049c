//! The entries of a zip archive, stored or deflated: what NumPy writes.
//!
//! Our own reader: all that `.npz` needs are two record types and the inflater that Zarr's gzip
//! brings along.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use flate2::Crc;
use flate2::read::DeflateDecoder;

const END: u32 = 0x0605_4b50;
const END_64_LOCATOR: u32 = 0x0706_4b50;
const END_64: u32 = 0x0606_4b50;
const ENTRY: u32 = 0x0201_4b50;
const LOCAL: u32 = 0x0403_4b50;

/// The end record without its comment, and the longest comment.
const END_SIZE: usize = 22;
const LONGEST_COMMENT: usize = u16::MAX as usize;

/// One file of an archive.
#[derive(Debug, Clone)]
pub struct Entry {
    pub name: String,
    method: u16,
    crc: u32,
    packed: u64,
    size: u64,
    offset: u64,
}

/// An open archive.
pub struct Archive {
    file: File,
    /// In the order of its table.
    pub entries: Vec<Entry>,
}

impl Archive {
    pub fn new(mut file: File) -> io::Result<Self> {
        let (start, size) = table(&mut file)?;
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        Read::by_ref(&mut file).take(size).read_to_end(&mut bytes)?;
        let mut entries = Vec::new();
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            let (entry, length) = Entry::parse(rest)?;
            entries.push(entry);
            rest = rest.get(length..).ok_or_else(cut)?;
        }
        Ok(Self { file, entries })
    }

    /// The bytes of an entry, checked against its checksum.
    pub fn read(&mut self, entry: &Entry) -> io::Result<Vec<u8>> {
        let mut head = [0; 30];
        self.file.seek(SeekFrom::Start(entry.offset))?;
        self.file.read_exact(&mut head)?;
        expect(&head, LOCAL)?;
        let skipped = u64::from(u16_at(&head, 26)?) + u64::from(u16_at(&head, 28)?);
        self.file.seek(SeekFrom::Current(skipped as i64))?;
        let packed = Read::by_ref(&mut self.file).take(entry.packed);
        let mut bytes = Vec::new();
        // One byte beyond the size tells a wrong size from a right one.
        match entry.method {
            0 => packed.take(entry.size + 1).read_to_end(&mut bytes)?,
            8 => DeflateDecoder::new(packed)
                .take(entry.size + 1)
                .read_to_end(&mut bytes)?,
            method => return Err(invalid(format!("compression method {method}"))),
        };
        let mut crc = Crc::new();
        crc.update(&bytes);
        if bytes.len() as u64 != entry.size || crc.sum() != entry.crc {
            return Err(invalid(format!("{} fails its checksum", entry.name)));
        }
        Ok(bytes)
    }
}

impl Entry {
    /// The first entry of a table, and its length there.
    fn parse(bytes: &[u8]) -> io::Result<(Self, usize)> {
        expect(bytes, ENTRY)?;
        let [name, extra, comment] = [28, 30, 32].map(|at| u16_at(bytes, at));
        let (name, extra, comment) = (name? as usize, extra? as usize, comment? as usize);
        let field = |start: usize, length: usize| bytes.get(start..start + length).ok_or_else(cut);
        let mut entry = Self {
            name: String::from_utf8_lossy(field(46, name)?).into_owned(),
            method: u16_at(bytes, 10)?,
            crc: u32_at(bytes, 16)?,
            packed: u32_at(bytes, 20)?.into(),
            size: u32_at(bytes, 24)?.into(),
            offset: u32_at(bytes, 42)?.into(),
        };
        entry.widen(field(46 + name, extra)?)?;
        Ok((entry, 46 + name + extra + comment))
    }

    /// Sizes beyond 32 bits stand in an extra field, those that need it in this order.
    fn widen(&mut self, mut extra: &[u8]) -> io::Result<()> {
        while extra.len() >= 4 {
            let length = u16_at(extra, 2)? as usize;
            let field = extra.get(4..4 + length).ok_or_else(cut)?;
            if u16_at(extra, 0)? == 1 {
                let mut at = 0;
                for value in [&mut self.size, &mut self.packed, &mut self.offset] {
                    if *value == u64::from(u32::MAX) {
                        *value = u64_at(field, at)?;
                        at += 8;
                    }
                }
            }
            extra = &extra[4 + length..];
        }
        Ok(())
    }
}

/// Where the table of entries starts, and its length.
fn table(file: &mut File) -> io::Result<(u64, u64)> {
    let length = file.seek(SeekFrom::End(0))?;
    let start = length.saturating_sub((END_SIZE + LONGEST_COMMENT) as u64);
    file.seek(SeekFrom::Start(start))?;
    let mut tail = Vec::new();
    Read::by_ref(file).read_to_end(&mut tail)?;
    let end = (0..=tail.len().saturating_sub(END_SIZE))
        .rev()
        .find(|&at| u32_at(&tail, at).is_ok_and(|signature| signature == END))
        .ok_or_else(|| invalid("no table of contents".into()))?;
    let (size, offset) = (u32_at(&tail, end + 12)?, u32_at(&tail, end + 16)?);
    if size != u32::MAX && offset != u32::MAX {
        return Ok((offset.into(), size.into()));
    }
    let locator = end.checked_sub(20).ok_or_else(cut)?;
    expect(&tail[locator..], END_64_LOCATOR)?;
    file.seek(SeekFrom::Start(u64_at(&tail, locator + 8)?))?;
    let mut record = [0; 56];
    file.read_exact(&mut record)?;
    expect(&record, END_64)?;
    Ok((u64_at(&record, 48)?, u64_at(&record, 40)?))
}

fn expect(bytes: &[u8], signature: u32) -> io::Result<()> {
    if u32_at(bytes, 0)? == signature {
        return Ok(());
    }
    Err(invalid("a record is not where the table says".into()))
}

fn bytes_at<const N: usize>(bytes: &[u8], at: usize) -> io::Result<[u8; N]> {
    let found = bytes.get(at..).and_then(|rest| rest.first_chunk());
    found.copied().ok_or_else(cut)
}

fn u16_at(bytes: &[u8], at: usize) -> io::Result<u16> {
    Ok(u16::from_le_bytes(bytes_at(bytes, at)?))
}

fn u32_at(bytes: &[u8], at: usize) -> io::Result<u32> {
    Ok(u32::from_le_bytes(bytes_at(bytes, at)?))
}

fn u64_at(bytes: &[u8], at: usize) -> io::Result<u64> {
    Ok(u64::from_le_bytes(bytes_at(bytes, at)?))
}

fn invalid(reason: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

fn cut() -> io::Error {
    invalid("it ends too soon".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// `zipfile` of Python 3.11: "a.npy" stored and "b.npy" deflated, both with "floral" x 4.
    const TWO_FILES: &[u8] = include_bytes!("../../tests/fixtures/two_files.zip");

    fn open(bytes: &[u8]) -> io::Result<Archive> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        Archive::new(file)
    }

    #[test]
    fn stored_and_deflated_entries_are_read() {
        let mut archive = open(TWO_FILES).unwrap();
        let names: Vec<&str> = archive.entries.iter().map(|e| e.name.as_str()).collect();
        assert_eq!(names, ["a.npy", "b.npy"]);
        for entry in archive.entries.clone() {
            assert_eq!(archive.read(&entry).unwrap(), b"floral".repeat(4));
        }
    }

    #[test]
    fn damage_anywhere_is_an_error_and_never_a_panic() {
        for at in 0..TWO_FILES.len() {
            assert!(read_all(&TWO_FILES[..at]).is_err(), "cut at {at}");
            let mut damaged = TWO_FILES.to_vec();
            damaged[at] ^= 0x55;
            // Some bytes, such as dates, mean nothing to us; none may give other contents.
            if let Ok(contents) = read_all(&damaged) {
                assert!(contents.iter().all(|c| *c == b"floral".repeat(4)), "{at}");
            }
        }
    }

    fn read_all(bytes: &[u8]) -> io::Result<Vec<Vec<u8>>> {
        let mut archive = open(bytes)?;
        let entries = archive.entries.clone();
        entries.iter().map(|entry| archive.read(entry)).collect()
    }
}
