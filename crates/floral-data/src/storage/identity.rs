//! Whether two paths lead to the same file or folder, so that no command overwrites its input, and
//! whether a file has been replaced.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::{Error, Result};

/// Identity of an existing file or folder, independent of its path.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Identity(Number);

#[cfg(unix)]
type Number = (u64, u64);

#[cfg(not(unix))]
type Number = PathBuf;

impl Identity {
    /// The identity of the file or folder at a path, following links.
    fn of(path: &Path) -> io::Result<Self> {
        let metadata = fs::metadata(path)?;
        Ok(Self(number(path, &metadata)?))
    }
}

#[cfg(unix)]
fn number(_path: &Path, metadata: &Metadata) -> io::Result<Number> {
    use std::os::unix::fs::MetadataExt;
    Ok((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn number(path: &Path, _metadata: &Metadata) -> io::Result<Number> {
    path.canonicalize()
}

/// The state of a folder that contains a file which is rewritten whenever the contents change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    folder: Identity,
    file: Identity,
    bytes: u64,
    modified: SystemTime,
}

impl Stamp {
    /// The stamp of a folder and a file in it.
    pub fn of(folder: &Path, file: &str) -> io::Result<Self> {
        let path: PathBuf = folder.join(file);
        let metadata = fs::metadata(&path)?;
        Ok(Self {
            folder: Identity::of(folder)?,
            file: Identity(number(&path, &metadata)?),
            bytes: metadata.len(),
            modified: metadata.modified()?,
        })
    }
}

/// Files that mark a folder as a Zarr group, which is written and replaced as a whole.
const GROUP_FILES: [&str; 2] = ["zarr.json", ".zgroup"];

/// Refuses an output that is one of the files and folders read by a command, by any path. Also
/// refuses an output inside a Zarr group that is read, and a Zarr group that contains an input.
pub fn refuse_overwriting<'a>(
    output: &Path,
    read: impl IntoIterator<Item = &'a Path>,
) -> Result<()> {
    for input in read {
        let relation = if is_same(output, input) {
            "is the same as"
        } else if is_group(input) && is_within(output, input) {
            "lies within"
        } else if is_group(output) && is_within(input, output) {
            "holds"
        } else {
            continue;
        };
        return Err(Error::bad_file(
            output,
            format!(
                "{relation} {}, which the command reads; choose another name for the output",
                input.display()
            ),
        ));
    }
    Ok(())
}

fn is_same(one: &Path, other: &Path) -> bool {
    match (Identity::of(one), Identity::of(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

fn is_group(path: &Path) -> bool {
    GROUP_FILES.iter().any(|name| path.join(name).is_file())
}

/// Whether a path, or its nearest existing ancestor, lies within a folder.
fn is_within(path: &Path, folder: &Path) -> bool {
    let Ok(path) = std::path::absolute(path) else {
        return false;
    };
    let mut real = path.ancestors().filter_map(|part| part.canonicalize().ok());
    let Some(nearest) = real.next() else {
        return false;
    };
    // An existing path that is the folder itself does not lie within it.
    let mut above = nearest.ancestors().skip(usize::from(path.exists()));
    above.any(|part| is_same(part, folder))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn refused(output: &Path, input: &Path) -> Option<String> {
        let refused = refuse_overwriting(output, [input]);
        refused.err().map(|error| error.to_string())
    }

    #[test]
    fn an_output_that_is_an_input_is_refused_by_any_path() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("a.zarr/sub")).unwrap();
        fs::write(at("b.npz"), "b").unwrap();
        std::os::unix::fs::symlink(at("a.zarr"), at("link")).unwrap();
        fs::hard_link(at("b.npz"), at("second.npz")).unwrap();
        for (output, input) in [
            ("a.zarr", "a.zarr"),
            ("a.zarr/", "a.zarr"),
            ("./a.zarr/sub/..", "a.zarr"),
            ("link", "a.zarr"),
            ("a.zarr", "link"),
            ("second.npz", "b.npz"),
        ] {
            let words = refused(&at(output), &at(input)).unwrap();
            assert!(words.contains("is the same as"), "{output}: {words}");
            assert_eq!(words.lines().count(), 1);
        }
        for (output, input) in [
            ("c.zarr", "a.zarr"),
            ("a.zarr", "b.npz"),
            ("a.zarr", "nowhere"),
            ("nowhere", "nowhere"),
        ] {
            assert_eq!(refused(&at(output), &at(input)), None);
        }
    }

    #[test]
    fn groups_are_neither_written_into_nor_replaced_around_what_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("a.zarr/inner")).unwrap();
        fs::create_dir_all(at("run")).unwrap();
        // A plain folder may contain both.
        assert_eq!(refused(&at("a.zarr/new/out.zarr"), &at("a.zarr")), None);
        fs::write(at("a.zarr/zarr.json"), "{}").unwrap();
        let words = refused(&at("a.zarr/new/out.zarr"), &at("a.zarr")).unwrap();
        assert!(words.contains("lies within"), "{words}");
        let words = refused(&at("a.zarr"), &at("a.zarr/inner")).unwrap();
        assert!(words.contains("holds"), "{words}");
        assert_eq!(refused(&at("run/out.zarr"), &at("run")), None);
    }

    #[test]
    fn a_folder_that_takes_the_name_of_another_has_another_stamp() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let make = |name: &str| {
            fs::create_dir(at(name)).unwrap();
            fs::write(at(name).join("zarr.json"), "{}").unwrap();
        };
        make("one");
        make("other");
        let stamp = |name: &str| Stamp::of(&at(name), "zarr.json").unwrap();
        let before = stamp("one");
        assert_eq!(stamp("one"), before);
        fs::rename(at("one"), at("old")).unwrap();
        assert!(Stamp::of(&at("one"), "zarr.json").is_err());
        fs::rename(at("other"), at("one")).unwrap();
        assert_ne!(stamp("one"), before);
    }
}
