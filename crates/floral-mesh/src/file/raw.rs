//! The contents of a file before they are checked.

use std::collections::BTreeMap;

use crate::cell::CellKind;
use crate::cells::Cells;
use crate::check::{highest_dimension, repeated_cells, used};
use crate::error::format;
use crate::file::{Array, MeshFile};
use crate::{Error, Mesh, Points};

/// Points with three coordinates, cells and arrays, as stated by a file.
#[derive(Default)]
pub(crate) struct Raw {
    /// [n, 3].
    pub(crate) points: Vec<f64>,
    pub(crate) cells: Blocks,
    pub(crate) fields: Vec<Array>,
    pub(crate) parameters: Vec<Array>,
    /// Units of fields and parameters by name.
    pub(crate) units: BTreeMap<String, String>,
    /// The unit of all coordinates.
    pub(crate) length: Option<String>,
    /// Names of cell values, which are left out.
    pub(crate) at_cells: Vec<String>,
    pub(crate) notes: Vec<String>,
}

/// Cells by kind, in the order of first occurrence.
#[derive(Default)]
pub(crate) struct Blocks(Vec<(CellKind, Vec<usize>)>);

impl Blocks {
    pub(crate) fn push(&mut self, kind: CellKind, nodes: impl IntoIterator<Item = usize>) {
        let at = self.0.iter().position(|(k, _)| *k == kind);
        let at = at.unwrap_or_else(|| {
            self.0.push((kind, Vec::new()));
            self.0.len() - 1
        });
        self.0[at].1.extend(nodes);
    }

    /// The nodes of the cells of a kind, one cell after another.
    #[cfg(test)]
    pub(crate) fn nodes(&self, kind: CellKind) -> &[usize] {
        let found = self.0.iter().find(|(own, _)| *own == kind);
        found.map_or(&[], |(_, nodes)| nodes)
    }
}

impl Raw {
    /// Adds a note unless it is already present.
    pub(crate) fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Sets a parameter and its unit, if the file states one; a later parameter of the same name
    /// replaces an earlier one.
    pub(crate) fn set_parameter(&mut self, parameter: Array, unit: Option<&str>) {
        let unit = unit.map(|unit| (parameter.name.clone(), unit.to_owned()));
        self.units.extend(unit);
        self.parameters.retain(|own| own.name != parameter.name);
        self.parameters.push(parameter);
    }

    /// Records the name of cell values, which are left out.
    pub(crate) fn leave_cell_data(&mut self, name: &str) {
        if !self.at_cells.iter().any(|own| own == name) {
            self.at_cells.push(name.to_owned());
        }
    }

    /// Notes that cell values are left out, if there are any.
    fn note_cell_data(&mut self) {
        if !self.at_cells.is_empty() {
            self.note(format!(
                "values of cells ({}) are left out; convert them to values of points to use them",
                self.at_cells.join(", ")
            ));
        }
    }

    /// A checked mesh; unused parts are left out and noted.
    pub(crate) fn into_file(mut self) -> Result<MeshFile, Error> {
        if self.points.is_empty() {
            return Err(format("has no points; export the mesh with its geometry"));
        }
        let points = Points::new(&self.points, 3)?;
        self.check_fields(points.count())?;
        self.note_cell_data();
        let blocks = std::mem::take(&mut self.cells.0);
        let blocks = blocks
            .into_iter()
            .map(|(kind, nodes)| Cells::new(kind, nodes));
        let (cells, dropped) = highest_dimension(blocks.collect::<Result<_, _>>()?);
        if dropped > 0 {
            self.note(format!("{dropped} cells of the boundary are left out"));
        }
        in_range(points.count(), &cells)?;
        let cells = cells
            .into_iter()
            .map(|block| self.without_repeated(block))
            .collect();
        let (points, cells) = self.without_unused(points, cells);
        let least = cells.first().map_or(1, |block| block.kind().dimension());
        let origin = points.rows()[0];
        let mesh = Mesh::new(points.flattened(least), cells)?;
        let d = mesh.points().dimension();
        // Zeros need no note: files give plane meshes three coordinates.
        if origin[d..].iter().any(|x| *x != 0.0) {
            self.note(format!("coordinates beyond {d} are constant and left out"));
        }
        Ok(MeshFile {
            mesh,
            fields: self.fields,
            parameters: self.parameters,
            units: self.units,
            length: self.length,
            at_cells: self.at_cells,
            notes: self.notes,
        })
    }

    fn check_fields(&self, points: usize) -> Result<(), Error> {
        let mut names: Vec<&str> = self
            .fields
            .iter()
            .map(|field| field.name.as_str())
            .collect();
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            let name: String = pair[0].chars().take(80).collect();
            return Err(format(format!(
                "has field {name} twice; rename or remove one"
            )));
        }
        let bad = self.fields.iter().find(|field| {
            let expected = points.checked_mul(field.components);
            field.components == 0 || expected != Some(field.values.len())
        });
        bad.map_or(Ok(()), |field| {
            Err(Error::FieldLength {
                name: field.name.clone(),
                values: field.values.len(),
                points,
                components: field.components,
            })
        })
    }

    /// Leaves out repeated cells: Gmsh writes a cell once per physical group.
    fn without_repeated(&mut self, block: Cells) -> Cells {
        let repeated: Vec<usize> = repeated_cells(&block)
            .into_iter()
            .map(|(cell, _)| cell)
            .collect();
        if repeated.is_empty() {
            return block;
        }
        let (count, kind) = (repeated.len(), block.kind().name());
        self.note(format!(
            "{count} cells of kind {kind} are repeated and left out"
        ));
        block.without(&repeated)
    }

    /// Leaves out points that are nodes of no cell, with their values.
    fn without_unused(&mut self, points: Points, cells: Vec<Cells>) -> (Points, Vec<Cells>) {
        let used = used(points.count(), &cells);
        let kept: Vec<usize> = (0..used.len()).filter(|&i| used[i]).collect();
        let unused = used.len() - kept.len();
        if cells.is_empty() || unused == 0 {
            return (points, cells);
        }
        self.note(format!(
            "{unused} points that are nodes of no cell are left out"
        ));
        let mut new_index = vec![0; used.len()];
        kept.iter()
            .enumerate()
            .for_each(|(new, &old)| new_index[old] = new);
        for field in &mut self.fields {
            let rows = kept
                .iter()
                .map(|&i| &field.values[i * field.components..][..field.components]);
            field.values = rows.flatten().copied().collect();
        }
        let cells = cells.into_iter().map(|block| block.renumbered(&new_index));
        (points.select(&kept), cells.collect())
    }
}

fn in_range(points: usize, cells: &[Cells]) -> Result<(), Error> {
    for block in cells {
        let nodes = block.nodes();
        if let Some(at) = nodes.iter().position(|&node| node >= points) {
            return Err(Error::NodeOutOfRange {
                kind: block.kind(),
                cell: at / block.kind().nodes(),
                node: nodes[at],
                points,
            });
        }
    }
    Ok(())
}
