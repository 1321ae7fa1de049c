//! NumPy's archives of arrays, `.npz`.

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;

use super::bytes::Bytes;
use super::npy::{numbers, variable};
use super::{Beside, MOST_ARRAYS, Source, Stored, Unread, Values};
use crate::npz::{Archive, Entry, NpyContents, NpyHeader, texts};
use crate::{Error, Result};

/// An archive; uncompressed arrays are read in place.
struct Arrays {
    archive: Archive,
    file: Bytes,
    entries: Vec<Opened>,
}

/// An array of an archive.
struct Opened {
    entry: usize,
    header: NpyHeader,
    /// Located when the array is first read.
    contents: OnceLock<std::result::Result<Contents, String>>,
}

/// Location of an array's file.
enum Contents {
    /// Uncompressed in the archive, from this offset.
    Stored(u64),
    /// Decompressed in memory.
    Unpacked(Bytes),
}

/// Reads the headers of all arrays; arrays of other types are stored as `beside`.
pub(super) fn open(path: &Path) -> Result<Source> {
    let archive = Archive::open(path)?;
    if archive.entries.len() > MOST_ARRAYS {
        return Err(Error::bad_file(
            path,
            format!("has more than {MOST_ARRAYS} arrays"),
        ));
    }
    let (mut variables, mut entries) = (Vec::new(), Vec::new());
    let mut beside = Beside::default();
    for (index, entry) in archive.entries.iter().enumerate() {
        let contents = archive.with_file(entry, |file| NpyContents::read(file, entry.size()));
        let contents = contents.map_err(|reason| {
            Error::bad_file(path, format!("the array {} {reason}", entry.name))
        })?;
        let header = match contents {
            NpyContents::Numbers(header) => header,
            NpyContents::Other(reason) => {
                match archive.with_file(entry, |file| texts(file, entry.size())) {
                    Ok(Some(list)) => beside.label(&entry.name, list),
                    Ok(None) => {}
                    Err(_) => beside.unreadable(&entry.name, reason),
                }
                continue;
            }
        };
        variables.push(variable(&entry.name, &header));
        entries.push(Opened {
            entry: index,
            header,
            contents: OnceLock::new(),
        });
    }
    let file = Bytes::of(File::open(path).map_err(Error::io(path))?);
    let arrays = Arrays {
        archive,
        file,
        entries,
    };
    Ok(Source {
        beside,
        ..Source::new(path, "NumPy", variables, arrays)
    })
}

impl Arrays {
    fn contents(&self, opened: &Opened) -> std::result::Result<Contents, String> {
        let entry = &self.archive.entries[opened.entry];
        // In Fortran order the values of one input are spread over the whole file, so it is read
        // once.
        if !opened.header.is_fortran
            && let Some(start) = self.archive.place(entry)?
        {
            return Ok(Contents::Stored(start));
        }
        opened.header.count()?;
        let bytes = self.archive.with_file(entry, |file| unpacked(file, entry));
        Ok(Contents::Unpacked(Bytes::Memory(bytes?)))
    }
}

fn unpacked(file: &mut dyn Read, entry: &Entry) -> std::result::Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = file.take(entry.size() + 1).read_to_end(&mut bytes);
    read.map_err(|error| format!("cannot be read ({error})"))?;
    if bytes.len() as u64 == entry.size() {
        return Ok(bytes);
    }
    Err("is longer or shorter than it says".into())
}

impl Values for Arrays {
    fn stored(&self, variable: usize, ranges: &[Range<usize>]) -> Stored {
        let opened = &self.entries[variable];
        let contents = opened.contents.get_or_init(|| self.contents(opened));
        let (bytes, start) = match contents {
            Ok(Contents::Stored(start)) => (&self.file, *start),
            Ok(Contents::Unpacked(bytes)) => (bytes, 0),
            Err(reason) => return Err(Unread::Reason(reason.clone())),
        };
        numbers(bytes, start, &opened.header, ranges)
    }
}
