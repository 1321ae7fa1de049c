//! The DataItems of XDMF: numbers inside the file, or in an HDF5 file beside it.

use roxmltree::Node;

use crate::Error;
use crate::error::format;
use crate::file::arrays::shown;
use crate::file::xdmf::Heavy;
use crate::file::xdmf_grids::{attribute, is};

/// Reads the items of a file.
#[derive(Clone, Copy)]
pub(crate) struct Items<'a> {
    /// Reads numbers from another file.
    pub(crate) heavy: &'a Heavy<'a>,
}

impl Items<'_> {
    /// The numbers of an item; refused if their count is not the stated one.
    pub(crate) fn numbers(self, item: Node) -> Result<Vec<f64>, Error> {
        let kind = attribute(item, &["ItemType", "Type"]).unwrap_or("Uniform");
        if !is(kind, "Uniform") || item.attribute("Reference").is_some() {
            return Err(format(format!(
                "has a DataItem of type {}, which is not supported; write its numbers as Uniform",
                match item.attribute("Reference") {
                    Some(_) => "Reference".to_owned(),
                    None => shown(kind),
                }
            )));
        }
        let text: String = item
            .children()
            .filter_map(|c| c.is_text().then(|| c.text())?)
            .collect();
        let values = match attribute(item, &["Format"]).unwrap_or("XML") {
            form if is(form, "XML") => parse(&text)?,
            form if is(form, "HDF") || is(form, "HDF5") => self.named(text.trim())?,
            form => {
                return Err(format(format!(
                    "has numbers in the format {}; write them as HDF or XML",
                    shown(form)
                )));
            }
        };
        check(item, values.len())?;
        Ok(values)
    }

    /// Numbers referred to as `file.h5:/path`.
    fn named(self, place: &str) -> Result<Vec<f64>, Error> {
        let parts = place.split_once(":/").or_else(|| place.rsplit_once(':'));
        let (file, path) = parts.ok_or_else(|| {
            let place = shown(place);
            format(format!(
                "names numbers by {place:?}, not as in file.h5:/path"
            ))
        })?;
        (self.heavy)(file.trim(), path.trim_matches('/'))
    }
}

/// Refuses a count of numbers that differs from the stated dimensions.
fn check(item: Node, count: usize) -> Result<(), Error> {
    let Some(stated) = item.attribute("Dimensions") else {
        return Ok(());
    };
    let mut lengths = stated.split_whitespace().map(|n| n.parse::<usize>().ok());
    let expected = lengths.try_fold(1usize, |all, n| all.checked_mul(n?));
    match expected {
        Some(expected) if expected == count => Ok(()),
        _ => Err(format(format!(
            "has a DataItem of the dimensions {:?} with {count} numbers; it is damaged",
            shown(stated)
        ))),
    }
}

fn parse(text: &str) -> Result<Vec<f64>, Error> {
    let number = |(i, word): (usize, &str)| {
        let parsed = word.parse();
        parsed.map_err(|_| format(format!("entry {i}, {:?}, is not a number", shown(word))))
    };
    text.split_ascii_whitespace()
        .enumerate()
        .map(number)
        .collect()
}
