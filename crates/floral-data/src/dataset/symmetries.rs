//! Symmetries declared in a dataset's attribute: reading them, and checking them before they are
//! written.

use serde_json::Value;

use super::Dataset;
use super::layout::{Channels, SYMMETRIES};
use crate::{Error, Grid, Result};
use floral_symmetry::{Lattice, Symmetries, Symmetry};

impl Dataset {
    /// The symmetries declared in the attribute `symmetries`; none if it is absent.
    pub fn declared_symmetries(&self) -> Result<Option<Vec<Symmetry>>> {
        let Some(written) = self.attributes().get(SYMMETRIES) else {
            return Ok(None);
        };
        let declared = read(written).map_err(|reason| {
            Error::bad_file(
                self.path(),
                format!(
                    "its attribute {SYMMETRIES} cannot be read ({reason}); write a list of \
                 strings such as [\"roll:x\", \"sign\"], or remove it"
                ),
            )
        })?;
        Ok(Some(declared))
    }
}

fn read(written: &Value) -> std::result::Result<Vec<Symmetry>, String> {
    let list = written.as_array();
    let list = list.ok_or_else(|| format!("{written} is no list"))?;
    list.iter()
        .map(|entry| {
            let text = entry.as_str();
            let text = text.ok_or_else(|| format!("{entry} is no string"))?;
            text.parse()
                .map_err(|error: floral_symmetry::Error| error.to_string())
        })
        .collect()
}

/// Parses declarations of symmetries.
pub fn parse(declared: &[&str]) -> Result<Vec<Symmetry>> {
    let parse = |text: &&str| Ok(text.parse::<Symmetry>()?);
    declared.iter().map(parse).collect()
}

/// Refuses symmetries that are impossible for this grid and these channels.
pub(super) fn check(declared: &[Symmetry], grid: &Grid, channels: &Channels) -> Result<()> {
    let lattice = Lattice::from(grid);
    Symmetries::new(declared, &lattice, channels.input, channels.solution)?;
    match declared.iter().find(|symmetry| symmetry.moves_points()) {
        Some(symmetry) if grid.mesh().is_some() => Err(Error::config(
            format!("symmetry {symmetry}"),
            "the points of a mesh have no axes to move along; leave it out",
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Arrays;
    use crate::{Axis, Field};

    fn arrays(declared: &[&str]) -> Result<Arrays> {
        let grid = Grid::new(vec![Axis::closed("y", 2), Axis::periodic("x", 3)]);
        let field = Field::scalar(&grid, vec![1.0; 6]);
        let mut arrays = Arrays::new(grid).symmetries(declared)?;
        arrays.push(&field, None, std::slice::from_ref(&field))?;
        Ok(arrays)
    }

    /// Sets the attribute of the group at `path`, or removes it.
    fn rewrite(path: &std::path::Path, written: Option<Value>) -> Dataset {
        let file = path.join("zarr.json");
        let mut root: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        let attributes = root["attributes"].as_object_mut().unwrap();
        attributes.remove(SYMMETRIES);
        attributes.extend(written.map(|written| (SYMMETRIES.to_owned(), written)));
        std::fs::write(&file, root.to_string()).unwrap();
        Dataset::open(path).unwrap()
    }

    fn texts(dataset: &Dataset) -> Vec<String> {
        let symmetries = dataset.declared_symmetries().unwrap();
        symmetries
            .iter()
            .flatten()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn what_is_declared_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data.zarr");
        let dataset = arrays(&["roll:x", "sign"]).unwrap().write(&path).unwrap();
        assert_eq!(texts(&dataset), ["roll:x", "sign"]);
        let other = arrays(&["roll:x"]).unwrap().write(&path).unwrap_err();
        assert!(other.to_string().contains(SYMMETRIES), "{other}");
        assert!(texts(&rewrite(&path, None)).is_empty());
    }

    #[test]
    fn what_the_grid_cannot_have_is_refused_before_it_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data.zarr");
        for declared in [
            "roll:y",
            "transpose:x,y",
            "reflect:z",
            "sign:input=--,solution=-",
        ] {
            assert!(arrays(&[declared]).unwrap().write(&path).is_err());
            assert!(!path.exists());
        }
        let error = arrays(&["spin:x"]).unwrap_err().to_string();
        assert!(error.contains("roll:AXIS"), "{error}");
    }

    #[test]
    fn an_attribute_that_is_none_is_named_with_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data.zarr");
        arrays(&[]).unwrap().write(&path).unwrap();
        for written in [Value::from("roll:x"), vec![1].into(), vec!["spin:x"].into()] {
            let error = rewrite(&path, Some(written))
                .declared_symmetries()
                .unwrap_err();
            let error = error.to_string();
            assert!(error.contains("data.zarr") && error.contains("attribute symmetries"));
        }
    }
}
