//! NumPy's archives of arrays, `.npz`.

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::bytes::Bytes;
use super::npy::variable;
use super::strided::Strided;
use super::{Beside, Groups, MOST_ARRAYS, Source, Variable, bad};
use crate::npz::{Archive, Entry, NpyContents, NpyHeader, texts};
use crate::storage::Number;
use crate::{Error, Result};

/// An archive; arrays that are not packed are read from where they lie in it.
pub(super) struct NpzSource {
    path: PathBuf,
    archive: Archive,
    file: Bytes,
    groups: Groups,
    variables: Vec<Variable>,
    beside: Beside,
    entries: Vec<Opened>,
}

/// An array of an archive.
struct Opened {
    entry: usize,
    header: NpyHeader,
    /// Found when the array is first read.
    contents: OnceLock<std::result::Result<Contents, String>>,
}

/// Where the file of an array is.
enum Contents {
    /// In the archive, from here on.
    Stored(u64),
    /// Unpacked in memory.
    Unpacked(Bytes),
}

impl NpzSource {
    /// Reads the headers of all arrays; those that hold no numbers lie beside them.
    pub fn open(path: &Path) -> Result<Self> {
        let archive = Archive::open(path)?;
        if archive.entries.len() > MOST_ARRAYS {
            return Err(bad(path, format!("has more than {MOST_ARRAYS} arrays")));
        }
        let (mut variables, mut entries) = (Vec::new(), Vec::new());
        let mut beside = Beside::default();
        for (index, entry) in archive.entries.iter().enumerate() {
            let contents = archive.with_file(entry, |file| NpyContents::read(file, entry.size()));
            let contents = contents.map_err(|reason| about(path, &entry.name, &reason))?;
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
        Ok(Self {
            path: path.to_owned(),
            file: Bytes::of(File::open(path).map_err(Error::io(path))?),
            archive,
            groups: Groups::new(),
            variables,
            beside,
            entries,
        })
    }

    fn contents(&self, opened: &Opened) -> std::result::Result<Contents, String> {
        let entry = &self.archive.entries[opened.entry];
        // In the order of Fortran one input lies everywhere in the file: it is read only once.
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

fn about(path: &Path, name: &str, reason: &str) -> Error {
    bad(path, format!("the array {name} {reason}"))
}

impl Source for NpzSource {
    fn path(&self) -> &Path {
        &self.path
    }

    fn format(&self) -> &'static str {
        "NumPy"
    }

    fn variables(&self) -> &[Variable] {
        &self.variables
    }

    fn groups(&self) -> &Groups {
        &self.groups
    }

    fn number(&self, variable: usize) -> Number {
        self.entries[variable].header.number
    }

    fn beside(&self) -> &Beside {
        &self.beside
    }

    fn stored(&self, variable: usize, ranges: &[Range<usize>]) -> Result<Vec<f64>> {
        let opened = &self.entries[variable];
        let contents = opened.contents.get_or_init(|| self.contents(opened));
        let name = &self.variables[variable].name;
        let about = |reason: &str| about(&self.path, name, reason);
        let (bytes, start) = match contents.as_ref().map_err(|reason| about(reason))? {
            Contents::Stored(start) => (&self.file, *start),
            Contents::Unpacked(bytes) => (bytes, 0),
        };
        let NpyHeader {
            number,
            is_fortran,
            shape,
            length,
        } = &opened.header;
        let places = Strided::dense(*number, start + length, shape, *is_fortran);
        places
            .read(bytes, &ranges[..shape.len()])
            .map_err(|error| about(&format!("cannot be read ({error})")))
    }
}
