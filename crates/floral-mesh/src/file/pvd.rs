//! Collections of files over time (`.pvd`), as opened by ParaView.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Error;
use crate::error::format;
use crate::file::{atomic, write::escaped};

/// A file of a collection.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The time, or the number of the case.
    pub time: f64,
    /// The file, relative to the folder of the collection when written; [`read_pvd`] joins the two.
    pub file: PathBuf,
}

/// Lists the files of a collection; [`read`](crate::read) reads each of them.
///
/// # Errors
/// If the file cannot be read or is not a collection.
pub fn read_pvd(path: impl AsRef<Path>) -> Result<Vec<Step>, Error> {
    let path = path.as_ref();
    steps(path).map_err(|error| error.in_file(path))
}

fn steps(path: &Path) -> Result<Vec<Step>, Error> {
    let text = String::from_utf8(fs::read(path)?);
    let text = text.map_err(|error| format(format!("is not text: {error}")))?;
    let document = roxmltree::Document::parse(&text)
        .map_err(|error| format(format!("is not well-formed XML: {error}; export it again")))?;
    let collection = document
        .descendants()
        .find(|n| n.has_tag_name("Collection"));
    let collection =
        collection.ok_or_else(|| format("has no Collection; it is not a .pvd file"))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let sets = collection.children().filter(|n| n.has_tag_name("DataSet"));
    let step = |(i, set): (usize, roxmltree::Node)| {
        let file = set.attribute("file");
        let file = file.ok_or_else(|| format(format!("DataSet {i} has no attribute file")))?;
        let time = set
            .attribute("timestep")
            .map_or(Ok(i as f64), |t| t.trim().parse());
        let time = time.map_err(|_| format(format!("timestep of DataSet {i} is not a number")))?;
        let file = folder.join(file);
        Ok(Step { time, file })
    };
    sets.enumerate().map(step).collect()
}

/// Writes a collection; the file is either complete or absent.
///
/// # Errors
/// If the file cannot be written.
pub fn write_pvd(path: impl AsRef<Path>, steps: &[Step]) -> Result<(), Error> {
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" \
         byte_order=\"LittleEndian\">\n  <Collection>\n",
    );
    for step in steps {
        // A path with forward slashes works on every system.
        let file = escaped(&step.file.to_string_lossy().replace('\\', "/"));
        let time = step.time;
        text += &format!("    <DataSet timestep=\"{time}\" part=\"0\" file=\"{file}\"/>\n");
    }
    text += "  </Collection>\n</VTKFile>\n";
    atomic::write(path.as_ref(), text.as_bytes())
}
