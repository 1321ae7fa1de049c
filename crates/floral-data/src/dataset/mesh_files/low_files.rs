//! Separate files of low fidelity, one per input, possibly on another mesh.

use std::path::{Path, PathBuf};

use super::MeshOptions;
use super::paths::labels;
use crate::{Error, Result};

/// The label of the input and the path of each low-fidelity file.
pub(super) struct LowFiles(Vec<(String, PathBuf)>);

impl LowFiles {
    pub(super) fn of(files: &[PathBuf], options: &MeshOptions) -> Result<Self> {
        let Some(pattern) = &options.low_pattern else {
            return Ok(Self(Vec::new()));
        };
        let mut all: Vec<(String, PathBuf)> = Vec::new();
        for path in files {
            let Some(label) = labels(pattern, path)?.map(|labels| labels.input) else {
                continue;
            };
            if let Some((_, other)) = all.iter().find(|(known, _)| *known == label) {
                let reason = format!("and {} are both low fidelity of one input", other.display());
                return Err(Error::bad_file(path, reason));
            }
            all.push((label, path.clone()));
        }
        match all.is_empty() {
            true => Err(Error::config(
                format!("pattern {pattern} of low fidelity"),
                format!("none of {} files matches it", files.len()),
            )),
            false => Ok(Self(all)),
        }
    }

    pub(super) fn has(&self, path: &Path) -> bool {
        self.0.iter().any(|(_, own)| own == path)
    }

    /// The file of an input; none if low fidelity has no separate files.
    pub(super) fn of_input(&self, label: &str) -> Result<Option<&Path>> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let found = self.0.iter().find(|(own, _)| own == label);
        let path = found.map(|(_, path)| path.as_path());
        path.map(Some).ok_or_else(|| {
            Error::config(
                "import",
                format!(
                    "the input {label:?} has no file of low fidelity; give one or none for all"
                ),
            )
        })
    }
}

/// The mesh of low fidelity, and the interpolation of its fields to the mesh of the solution.
pub(super) struct LowMesh {
    pub mesh: floral_mesh::Mesh,
    pub found: floral_mesh::Interpolation,
}

/// Points outside meshes of low fidelity: the largest number and distance of any mesh.
#[derive(Debug, Default)]
pub(super) struct Outside {
    points: usize,
    farthest: f64,
}

impl Outside {
    pub(super) fn add(&mut self, found: &floral_mesh::Interpolation) {
        self.points = self.points.max(found.outside);
        self.farthest = self.farthest.max(found.farthest);
    }

    /// A note on these points, if there are any.
    pub(super) fn note(&self) -> Option<String> {
        (self.points > 0).then(|| {
            format!(
                "{} outside of the mesh of low fidelity, by {:.3e} at most, and take the value of the nearest \
                 place of its border",
                match self.points {
                    1 => "1 point lies".to_owned(),
                    many => format!("{many} points lie"),
                },
                self.farthest
            )
        })
    }
}
